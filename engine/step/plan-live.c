/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-live.c - from when to when a buffer is needed, and what may work in place.
 *
 * A block of gradients is not alive as a whole: each parameter's part begins with
 * the instruction that overwrites it, backward, when most activations are
 * needed no more, and all end with the update.  So the block lives in the arena,
 * on what activations left, unless some part is added to before it was made.
 */
#include "step/plan-private.h"

/* ------------------------------------------------------------------------ */
/* Uses                                                                      */

static gboolean
meets (const UrbPart *part, const UrbInstruction *instruction, int arg)
{
  gint64 begin = instruction->args[arg].offset;

  return part->first < begin + urb_instruction_count_arg (instruction, arg)
         && begin < part->first + part->count;
}

static void
use (int *first_use, int *last_use, guint at)
{
  if (*first_use < 0)
    *first_use = (int) at;
  *last_use = (int) at;
}

static void
use_arguments (UrbProgram *self, const UrbInstruction *instruction, guint at)
{
  for (int a = 0; a < UK_MAX_ARGS; a++)
    if (instruction->args[a].buffer >= 0)
      {
        UrbBuffer *buffer = urb_program_get_buffer (self, instruction->args[a].buffer);

        use (&buffer->first_use, &buffer->last_use, at);
        for (guint p = 0; buffer->parts != NULL && p < buffer->parts->len; p++)
          {
            UrbPart *part = &g_array_index (buffer->parts, UrbPart, p);

            if (meets (part, instruction, a))
              use (&part->first_use, &part->last_use, at);
          }
      }
}

static void
use_scratch (UrbProgram *self, const UrbInstruction *instruction, guint at)
{
  UrbBuffer *buffer = urb_program_get_buffer (self, instruction->scratch);

  if (instruction->scratch > 0)
    use (&buffer->first_use, &buffer->last_use, at);
}

void
urb_plan_find_uses (UrbProgram *self)
{
  guint n_requests = (guint) self->n_requests;
  g_autofree const UrbInstruction **started = g_new0 (const UrbInstruction *, MAX (n_requests, 1));

  for (guint i = 0; i < self->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self, i);

      use_arguments (self, instruction, i);
      use_scratch (self, instruction, i);
      if (instruction->kind == URB_DO_COLLECTIVE)
        started[instruction->request] = instruction;
      if (instruction->kind != URB_DO_WAIT || started[instruction->request] == NULL)
        continue;
      /* Until here the stream may be reading and writing. */
      use_arguments (self, started[instruction->request], i);
      started[instruction->request] = NULL;
    }
  /* What nobody waits for is waited for at the end of the step. */
  for (guint r = 0; r < n_requests; r++)
    if (started[r] != NULL)
      use_arguments (self, started[r], self->instructions->len - 1);
}

/* ------------------------------------------------------------------------ */
/* Gradients                                                                 */

/* The parameters' parts of a block of gradients, none of them used yet. */
static GArray *
list_parts (const UrbNet *net)
{
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (UrbPart));

  for (guint p = 0; p < net->params->len; p++)
    {
      const UrbParam *param = urb_net_get_param (net, (int) p);
      UrbPart part = { param->offset, param->count, -1, -1 };

      g_array_append_val (parts, part);
    }
  return parts;
}

/* Whether the first instruction that touches @part overwrites all of it. */
static gboolean
is_made (const UrbProgram *self, int buffer, const UrbPart *part)
{
  for (guint i = 0; i < self->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self, i);

      for (int a = 0; a < UK_MAX_ARGS; a++)
        if (instruction->args[a].buffer == buffer && meets (part, instruction, a))
          return instruction->kind == URB_DO_OP && !instruction->desc.accumulate
                 && uk_op_info (instruction->desc.kind)->args[a].role == UK_OUT
                 && instruction->args[a].offset == part->first
                 && urb_instruction_count_arg (instruction, a) == part->count;
    }
  return FALSE;
}

static void
adopt_gradients (UrbProgram *self, const UrbProgramNet *slot)
{
  UrbBuffer *buffer;
  g_autoptr(GArray) parts = NULL;

  if (slot->net == NULL || slot->grads < 0)
    return;
  parts = list_parts (slot->net);
  for (guint p = 0; p < parts->len; p++)
    if (!is_made (self, slot->grads, &g_array_index (parts, UrbPart, p)))
      return;
  buffer = urb_program_get_buffer (self, slot->grads);
  buffer->store = URB_STORE_ARENA;
  buffer->parts = g_steal_pointer (&parts);
}

/* Ranks that wait for each other cannot compute a step once more by themselves, to tell which
 * gradient was not finite: they keep what they have. */
void
urb_plan_adopt_gradients (UrbProgram *self)
{
  if (self->keeps_gradients || self->n_requests > 0)
    return;
  adopt_gradients (self, &self->g);
  adopt_gradients (self, &self->d);
}

/* ------------------------------------------------------------------------ */
/* In place                                                                  */

/* Output and inputs that may be the same memory, as uk.h says. */
typedef struct
{
  int output, inputs[2]; /* -1: none */
} InPlace;

static const InPlace *
in_place_of (UkOpKind kind)
{
  static const InPlace bias_act = { 2, { 0, -1 } }, act_grad = { 4, { 1, -1 } };
  static const InPlace norm_grad = { 6, { 2, -1 } }, norm_infer = { 5, { 0, -1 } };
  static const InPlace norm_grad_global = { 7, { 2, -1 } };
  static const InPlace add = { 2, { 0, 1 } }, mix = { 4, { 2, 0 } };

  switch ((int) kind)
    {
    case UK_OP_BIAS_ACT:
      return &bias_act;
    case UK_OP_ACT_GRAD:
      return &act_grad;
    case UK_OP_BATCH_NORM_GRAD:
      return &norm_grad;
    case UK_OP_BATCH_NORM_GRAD_GLOBAL:
      return &norm_grad_global;
    case UK_OP_BATCH_NORM_INFER:
      return &norm_infer;
    case UK_OP_ADD:
      return &add;
    case UK_OP_AXPBY:
      return &mix;
    default:
      return NULL;
    }
}

int
urb_plan_find_root (const UrbProgram *self, int index)
{
  while (urb_program_get_buffer (self, index)->alias_of >= 0)
    index = urb_program_get_buffer (self, index)->alias_of;
  return index;
}

/* TRUE if the buffers cover each other exactly, live in the arena, and the
 * input ends where the output begins. */
static gboolean
may_share (const UrbProgram *self, UrbView output, UrbView input, int at)
{
  const UrbBuffer *out, *in, *root;

  if (output.buffer < 0 || input.buffer < 0 || output.offset != 0 || input.offset != 0)
    return FALSE;
  out = urb_program_get_buffer (self, output.buffer);
  in = urb_program_get_buffer (self, input.buffer);
  root = urb_program_get_buffer (self, urb_plan_find_root (self, input.buffer));
  return out->store == URB_STORE_ARENA && in->store == URB_STORE_ARENA && out->alias_of < 0
         && out->parts == NULL && in->parts == NULL && out->count == in->count
         && root->count == in->count && out->type == in->type
         && out->first_use == at && root->last_use == at;
}

void
urb_plan_alias (UrbProgram *self)
{
  for (guint i = 0; i < self->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self, i);
      const InPlace *rule = instruction->kind != URB_DO_OP ? NULL : in_place_of (instruction->desc.kind);

      for (int k = 0; rule != NULL && k < 2 && rule->inputs[k] >= 0; k++)
        {
          UrbView output = instruction->args[rule->output], input = instruction->args[rule->inputs[k]];
          UrbBuffer *out, *root;

          if (!may_share (self, output, input, (int) i))
            continue;
          out = urb_program_get_buffer (self, output.buffer);
          out->alias_of = urb_plan_find_root (self, input.buffer);
          root = urb_program_get_buffer (self, out->alias_of);
          root->last_use = out->last_use;
          break;
        }
    }
}

