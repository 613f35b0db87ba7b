/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - from a built program to one whose memory is known to the byte.
 *
 * Four passes.  Prepare: the backend makes an operation of each description.
 * Pack: where a backend wants weights in an order of its own, a packing is put
 * before the first use after each update; packings that survive until the next
 * step move to the prologue.  Alias: an operation that may work in place does
 * so when its input is not needed afterwards.  Place: buffers of the arena get
 * offsets such that those alive at the same time never overlap; what a collective
 * reads and writes lives until it was waited for.
 */
#include "step/program.h"

#define ALIGNMENT 64

static gint64
align_up (gint64 n_bytes)
{
  return (n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static gint64
element_bytes (const UrbBuffer *buffer, const UkBackend *backend)
{
  switch (buffer->type)
    {
    case UK_U8:
      return 1;
    case UK_U64:
      return 8;
    case UK_REAL:
      break;
    }
  return (gint64) backend->table->element_size;
}

/* ------------------------------------------------------------------------ */
/* Prepare                                                                   */

static gboolean
fail (UkStatus status, const UrbInstruction *instruction, GError **error)
{
  g_autofree char *label = urb_instruction_dup_label (instruction);
  const UkOpDesc *d = &instruction->desc;

  g_set_error (error, URB_STEP_ERROR, URB_STEP_ERROR_KERNEL,
               "The operation “%s” from %dx%dx%dx%d to %dx%dx%dx%d cannot be prepared: %s.",
               label, (int) d->x.n, (int) d->x.h, (int) d->x.w, (int) d->x.c, (int) d->y.n,
               (int) d->y.h, (int) d->y.w, (int) d->y.c, uk_status_text (status));
  return FALSE;
}

/* A collective's buffers tell what it carries. */
static void
prepare_collective (const UrbProgram *self, UrbInstruction *instruction, const UkBackend *backend)
{
  int buffer = MAX (instruction->args[0].buffer, instruction->args[1].buffer);
  UrbCollective *what = &instruction->collective;

  switch (buffer < 0 ? UK_U8 : urb_program_get_buffer (self, buffer)->type)
    {
    case UK_REAL:
      what->element = backend->table->element_size == 8 ? URB_ELEMENT_F64 : URB_ELEMENT_F32;
      break;
    case UK_U8:
      what->element = URB_ELEMENT_U8;
      break;
    case UK_U64:
      what->element = URB_ELEMENT_U8;
      what->count *= 8;
      break;
    }
}

static gboolean
prepare (UrbProgram *self, UkBackend *backend, GError **error)
{
  for (guint i = 0; i < self->instructions->len; i++)
    {
      UrbInstruction *instruction = urb_program_get_instruction (self, i);
      UkStatus status;

      if (instruction->kind == URB_DO_COLLECT)
        prepare_collective (self, instruction, backend);
      if (instruction->kind != URB_DO_OP)
        continue;
      status = backend->table->prepare (backend, &instruction->desc, &instruction->op);

      if (status != UK_OK)
        return fail (status, instruction, error);
      self->scratch_bytes = MAX (self->scratch_bytes, (gint64) instruction->op->scratch_bytes);
    }
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Pack                                                                      */

typedef struct
{
  UrbView  source;
  guint64  key;
  int      buffer; /* of the packed weights */
  gboolean valid;
} Pack;

static Pack *
find_pack (GArray *packs, UrbView source, guint64 key)
{
  for (guint i = 0; i < packs->len; i++)
    {
      Pack *pack = &g_array_index (packs, Pack, i);

      if (pack->source.buffer == source.buffer && pack->source.offset == source.offset
          && pack->key == key)
        return pack;
    }
  return NULL;
}

static Pack *
require_pack (UrbProgram *self, GArray *packs, UrbView source, const UkOp *op)
{
  Pack *pack = find_pack (packs, source, op->pack_key);
  Pack new_pack = { .source = source, .key = op->pack_key };

  if (pack != NULL)
    return pack;
  new_pack.buffer = urb_program_add_buffer (self, g_strdup_printf ("packed.%u", packs->len),
                                            URB_STORE_PACKED, UK_U8, (gint64) op->packed_bytes);
  g_array_append_val (packs, new_pack);
  return &g_array_index (packs, Pack, packs->len - 1);
}

/* Which argument holds weights that can be packed; -1: none. */
static int
weight_argument (const UrbInstruction *instruction)
{
  if (instruction->kind != URB_DO_OP || instruction->op->packed_bytes == 0)
    return -1;
  return instruction->desc.kind == UK_OP_CONV || instruction->desc.kind == UK_OP_CONV_DGRAD ? 1 : -1;
}

/* An update, a copy and a collective may write weights. */
static void
invalidate (GArray *packs, const UrbInstruction *instruction)
{
  int written[2] = { -1, -1 };

  if (instruction->kind == URB_DO_OP && instruction->desc.kind == UK_OP_ADAM)
    {
      written[0] = instruction->args[0].buffer;
      written[1] = instruction->args[4].buffer;
    }
  else if (instruction->kind == URB_DO_COPY || instruction->kind == URB_DO_COLLECT)
    {
      written[0] = instruction->args[1].buffer;
    }
  for (guint i = 0; i < packs->len; i++)
    {
      Pack *pack = &g_array_index (packs, Pack, i);

      if (pack->source.buffer == written[0] || pack->source.buffer == written[1])
        pack->valid = FALSE;
    }
}

static UrbInstruction
pack_instruction (const UrbInstruction *user, const Pack *pack)
{
  UrbInstruction result = *user;

  result.kind = URB_DO_PACK;
  for (int i = 0; i < UK_MAX_ARGS; i++)
    result.args[i] = URB_NO_VIEW;
  result.args[0] = pack->source;
  result.args[1] = (UrbView) { pack->buffer, 0 };
  return result;
}

/* Walks the program once; with @out, writes it there with packings and with
 * the weight arguments replaced. */
static void
walk_packs (UrbProgram *self, GArray *packs, GArray *out)
{
  for (guint i = 0; i < self->instructions->len; i++)
    {
      UrbInstruction instruction = *urb_program_get_instruction (self, i);
      int arg = weight_argument (&instruction);

      if (arg >= 0)
        {
          Pack *pack = require_pack (self, packs, instruction.args[arg], instruction.op);

          if (!pack->valid && out != NULL)
            {
              UrbInstruction packing = pack_instruction (&instruction, pack);

              g_array_append_val (out, packing);
            }
          pack->valid = TRUE;
          if (out != NULL)
            instruction.args[arg] = (UrbView) { pack->buffer, 0 };
        }
      invalidate (packs, &instruction);
      if (out != NULL)
        g_array_append_val (out, instruction);
    }
}

/* A packing that is valid at the end of a step is valid when the next begins:
 * it only has to be made once, before the first step. */
static void
fill_prologue (UrbProgram *self, GArray *packs)
{
  for (guint p = 0; p < packs->len; p++)
    {
      const Pack *pack = &g_array_index (packs, Pack, p);

      for (guint i = 0; pack->valid && i < self->instructions->len; i++)
        {
          const UrbInstruction *user = urb_program_get_instruction (self, i);
          int arg = weight_argument (user);

          if (arg >= 0 && user->args[arg].buffer == pack->source.buffer
              && user->args[arg].offset == pack->source.offset && user->op->pack_key == pack->key)
            {
              UrbInstruction packing = pack_instruction (user, pack);

              g_array_append_val (self->prologue, packing);
              break;
            }
        }
    }
}

static void
insert_packs (UrbProgram *self)
{
  g_autoptr(GArray) packs = g_array_new (FALSE, TRUE, sizeof (Pack));
  GArray *out = g_array_new (FALSE, TRUE, sizeof (UrbInstruction));

  walk_packs (self, packs, NULL);
  fill_prologue (self, packs);
  walk_packs (self, packs, out);
  /* The operations moved over: the old elements must not release them, the new
   * ones must. */
  g_free (g_array_steal (self->instructions, NULL));
  g_array_append_vals (self->instructions, out->data, out->len);
  g_array_unref (out);
}

/* ------------------------------------------------------------------------ */
/* Alias                                                                     */

static void
use_arguments (UrbProgram *self, const UrbInstruction *instruction, guint at)
{
  for (int a = 0; a < UK_MAX_ARGS; a++)
    if (instruction->args[a].buffer >= 0)
      {
        UrbBuffer *buffer = urb_program_get_buffer (self, instruction->args[a].buffer);

        if (buffer->first_use < 0)
          buffer->first_use = (int) at;
        buffer->last_use = (int) at;
      }
}

static void
find_uses (UrbProgram *self)
{
  guint n_requests = (guint) self->n_requests;
  g_autofree const UrbInstruction **started = g_new0 (const UrbInstruction *, MAX (n_requests, 1));

  for (guint i = 0; i < self->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self, i);

      use_arguments (self, instruction, i);
      if (instruction->kind == URB_DO_COLLECT)
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
    case UK_OP_MIX:
      return &mix;
    default:
      return NULL;
    }
}

static int
root_of (const UrbProgram *self, int index)
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
  root = urb_program_get_buffer (self, root_of (self, input.buffer));
  return out->store == URB_STORE_ARENA && in->store == URB_STORE_ARENA && out->alias_of < 0
         && out->count == in->count && root->count == in->count && out->type == in->type
         && out->first_use == at && root->last_use == at;
}

static void
alias (UrbProgram *self)
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
          out->alias_of = root_of (self, input.buffer);
          root = urb_program_get_buffer (self, out->alias_of);
          root->last_use = out->last_use;
          break;
        }
    }
}

/* ------------------------------------------------------------------------ */
/* Place                                                                     */

static int
compare_size (gconstpointer a, gconstpointer b, gpointer program)
{
  const UrbBuffer *x = urb_program_get_buffer (program, *(const int *) a);
  const UrbBuffer *y = urb_program_get_buffer (program, *(const int *) b);

  if (x->n_bytes != y->n_bytes)
    return x->n_bytes > y->n_bytes ? -1 : 1;
  return *(const int *) a - *(const int *) b;
}

/* The lowest offset at which @buffer meets none of the placed buffers that
 * live at the same time. */
static gint64
find_offset (const UrbProgram *self, const UrbBuffer *buffer, const int *placed, guint n_placed)
{
  gint64 offset = 0;
  gboolean moved = TRUE;

  while (moved)
    {
      moved = FALSE;
      for (guint i = 0; i < n_placed; i++)
        {
          const UrbBuffer *other = urb_program_get_buffer (self, placed[i]);
          gboolean together = buffer->first_use <= other->last_use
                              && other->first_use <= buffer->last_use;

          if (together && offset < other->offset + other->n_bytes
              && other->offset < offset + buffer->n_bytes)
            {
              offset = other->offset + other->n_bytes;
              moved = TRUE;
            }
        }
    }
  return offset;
}

static void
place (UrbProgram *self)
{
  g_autoptr(GArray) order = g_array_new (FALSE, FALSE, sizeof (int));
  int *indices;

  for (int i = 0; i < (int) self->buffers->len; i++)
    {
      const UrbBuffer *buffer = urb_program_get_buffer (self, i);

      if (buffer->store == URB_STORE_ARENA && buffer->alias_of < 0 && buffer->first_use >= 0)
        g_array_append_val (order, i);
    }
  g_array_sort_with_data (order, compare_size, self);
  indices = (int *) order->data;
  self->store_bytes[URB_STORE_ARENA] = 0;
  for (guint i = 0; i < order->len; i++)
    {
      UrbBuffer *buffer = urb_program_get_buffer (self, indices[i]);

      buffer->offset = find_offset (self, buffer, indices, i);
      self->store_bytes[URB_STORE_ARENA] = MAX (self->store_bytes[URB_STORE_ARENA],
                                                buffer->offset + buffer->n_bytes);
    }
  for (guint i = 0; i < self->buffers->len; i++)
    {
      UrbBuffer *buffer = urb_program_get_buffer (self, (int) i);

      if (buffer->store == URB_STORE_ARENA && buffer->alias_of >= 0)
        buffer->offset = urb_program_get_buffer (self, root_of (self, (int) i))->offset;
    }
}

static void
measure (UrbProgram *self, const UkBackend *backend)
{
  for (guint i = 0; i < self->buffers->len; i++)
    {
      UrbBuffer *buffer = urb_program_get_buffer (self, (int) i);

      buffer->n_bytes = align_up (buffer->count * element_bytes (buffer, backend));
      if (buffer->store != URB_STORE_ARENA)
        self->store_bytes[buffer->store] += buffer->n_bytes;
    }
}

gboolean
urb_program_plan (UrbProgram *self, UkBackend *backend, GError **error)
{
  g_return_val_if_fail (!self->planned, FALSE);

  if (!prepare (self, backend, error))
    return FALSE;
  insert_packs (self);
  find_uses (self);
  alias (self);
  measure (self, backend);
  place (self);
  self->scratch_bytes = align_up (self->scratch_bytes);
  self->planned = TRUE;
  return TRUE;
}
