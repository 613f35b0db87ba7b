/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-live.c - finds the lifetimes of buffers and the operations that work in place.
 *
 * A block of gradients does not have one lifetime: each parameter's part begins with the
 * backward instruction that overwrites it, when most activations are no longer needed,
 * and all parts end with the update.  So the block lives in the arena, in space freed by
 * activations, unless some part is accumulated into before it is written.
 */
#include "step/plan-private.h"

/* ------------------------------------------------------------------------ */
/* Uses                                                                      */

static gboolean
overlaps (const UrbPart *part, const UrbInstruction *instruction, int arg)
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

            if (overlaps (part, instruction, a))
              use (&part->first_use, &part->last_use, at);
          }
      }
}

/* The stream of what was @started may read and write until instruction @at. */
static void
end_use (UrbProgram *self, const UrbInstruction **started, guint at)
{
  if (*started != NULL)
    use_arguments (self, *started, at);
  *started = NULL;
}

void
urb_plan_find_uses (UrbProgram *self)
{
  guint n_requests = (guint) (self->n_requests + self->n_transfers);
  g_autofree const UrbInstruction **started = g_new0 (const UrbInstruction *, MAX (n_requests, 1));
  const UrbInstruction **transfers = started + self->n_requests;
  int n_done = 0; /* transfers */

  for (guint i = 0; i < self->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self, i);

      use_arguments (self, instruction, i);
      if (instruction->scratch > 0)
        {
          UrbBuffer *scratch = urb_program_get_buffer (self, instruction->scratch);

          use (&scratch->first_use, &scratch->last_use, i);
        }
      if (instruction->kind == URB_DO_COLLECTIVE)
        started[instruction->request] = instruction;
      if (instruction->kind == URB_DO_TRANSFER)
        transfers[instruction->request] = instruction;
      if (instruction->kind == URB_DO_WAIT)
        end_use (self, &started[instruction->request], i);
      for (; instruction->kind == URB_DO_AWAIT && n_done <= instruction->request; n_done++)
        end_use (self, &transfers[n_done], i);
    }
  /* What is not waited for ends with the step. */
  for (guint r = 0; r < n_requests; r++)
    end_use (self, &started[r], self->instructions->len - 1);
}

/* ------------------------------------------------------------------------ */
/* Gradients                                                                 */

/* The parameters' parts of a block of gradients, without uses yet. */
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
is_overwritten_first (const UrbProgram *self, int buffer, const UrbPart *part)
{
  for (guint i = 0; i < self->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self, i);

      for (int a = 0; a < UK_MAX_ARGS; a++)
        if (instruction->args[a].buffer == buffer && overlaps (part, instruction, a))
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
    if (!is_overwritten_first (self, slot->grads, &g_array_index (parts, UrbPart, p)))
      return;
  buffer = urb_program_get_buffer (self, slot->grads);
  buffer->store = URB_STORE_ARENA;
  buffer->parts = g_steal_pointer (&parts);
}

/* Ranks that wait for each other cannot repeat a step alone to find the gradient that was not
 * finite, so they keep all gradients. */
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

/* Arguments that may share memory, according to uk.h. */
typedef struct
{
  int      output;    /* 0: none */
  int      inputs[2]; /* -1: none */
  gboolean in_parts;  /* on groups of samples it is several instructions */
} InPlace;

static const InPlace in_place[UK_N_OPS] = {
  [UK_OP_BIAS_ACT] = { 2, { 0, -1 } },
  [UK_OP_ACT_GRAD] = { 4, { 1, -1 } },
  [UK_OP_BATCH_NORM_GRAD] = { 6, { 1, -1 }, TRUE },
  [UK_OP_BATCH_NORM_GRAD_GLOBAL] = { 7, { 1, -1 } },
  [UK_OP_BATCH_NORM_INFER] = { 5, { 0, -1 } },
  [UK_OP_ADD] = { 2, { 0, 1 } },
  [UK_OP_AXPBY] = { 4, { 2, 0 } },
};

int
urb_plan_find_root (const UrbProgram *self, int index)
{
  while (urb_program_get_buffer (self, index)->alias_of >= 0)
    index = urb_program_get_buffer (self, index)->alias_of;
  return index;
}

static int
count_uses (const UrbProgram *self, const UrbInstruction *instruction, int root)
{
  int n = 0;

  for (int a = 0; a < UK_MAX_ARGS; a++)
    n += instruction->args[a].buffer >= 0 && urb_plan_find_root (self, instruction->args[a].buffer) == root;
  return n;
}

/* TRUE if a collective or transfer that uses buffer @root has begun before instruction @at, and was not waited for. */
static gboolean
is_in_flight (const UrbProgram *self, int at, int root)
{
  for (int i = 0; i < at; i++)
    {
      const UrbInstruction *begin = urb_program_get_instruction (self, i);
      gboolean is_collective = begin->kind == URB_DO_COLLECTIVE, is_over = FALSE;

      if ((!is_collective && begin->kind != URB_DO_TRANSFER) || count_uses (self, begin, root) == 0)
        continue;
      for (int k = i + 1; k < at && !is_over; k++)
        {
          const UrbInstruction *end = urb_program_get_instruction (self, k);

          is_over = is_collective ? end->kind == URB_DO_WAIT && end->request == begin->request
                                  : end->kind == URB_DO_AWAIT && end->request >= begin->request;
        }
      if (!is_over)
        return TRUE;
    }
  return FALSE;
}

/* TRUE if, from instruction @at to the last use of its input @k, every instruction that uses the input or the
 * output is the same operation on the next part of both. */
static gboolean
is_replaced_in_parts (const UrbProgram *self, int at, int k)
{
  const UrbInstruction *first = urb_program_get_instruction (self, at);
  const InPlace *rule = &in_place[first->desc.kind];
  int input = urb_plan_find_root (self, first->args[rule->inputs[k]].buffer);
  int output = first->args[rule->output].buffer, last = urb_program_get_buffer (self, input)->last_use;
  gint64 end = 0;

  for (int i = at; rule->in_parts && i <= last; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self, i);
      UrbView from = instruction->args[rule->inputs[k]], to = instruction->args[rule->output];
      int n_inputs = count_uses (self, instruction, input), n_outputs = count_uses (self, instruction, output);

      if (n_inputs == 0 && n_outputs == 0)
        continue;
      if (instruction->kind != URB_DO_OP || instruction->desc.kind != first->desc.kind
          || n_inputs != 1 || urb_plan_find_root (self, from.buffer) != input
          || n_outputs != 1 || to.buffer != output || from.offset != to.offset || to.offset < end)
        return FALSE;
      end = to.offset + uk_op_arg_count (&instruction->desc, rule->output);
    }
  return rule->in_parts && !is_in_flight (self, at, input);
}

/* TRUE if the buffers have equal extents and live in the arena, and the input's lifetime ends
 * where the output's begins. */
static gboolean
may_share (const UrbProgram *self, UrbView output, UrbView input, int at, int k)
{
  const UrbBuffer *out, *in, *root;

  if (output.buffer < 0 || input.buffer < 0 || output.offset != 0 || input.offset != 0)
    return FALSE;
  out = urb_program_get_buffer (self, output.buffer);
  in = urb_program_get_buffer (self, input.buffer);
  root = urb_program_get_buffer (self, urb_plan_find_root (self, input.buffer));
  return out->store == URB_STORE_ARENA && in->store == URB_STORE_ARENA && out->alias_of < 0
         && out->parts == NULL && in->parts == NULL && out->count == in->count
         && root->count == in->count && out->type == in->type && out->first_use == at
         && (root->last_use == at || is_replaced_in_parts (self, at, k));
}

void
urb_plan_alias (UrbProgram *self)
{
  for (guint i = 0; i < self->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self, i);
      const InPlace *rule = &in_place[instruction->desc.kind];
      gboolean may_be_in_place = instruction->kind == URB_DO_OP && rule->output > 0;

      for (int k = 0; may_be_in_place && k < 2 && rule->inputs[k] >= 0; k++)
        {
          UrbView output = instruction->args[rule->output], input = instruction->args[rule->inputs[k]];
          UrbBuffer *out, *root;

          if (!may_share (self, output, input, (int) i, k))
            continue;
          out = urb_program_get_buffer (self, output.buffer);
          out->alias_of = urb_plan_find_root (self, input.buffer);
          root = urb_program_get_buffer (self, out->alias_of);
          root->last_use = out->last_use;
          break;
        }
    }
}

