/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - plans a built program, so that its memory is known to the byte.
 *
 * Five passes.  Recompute: where memory is short, cheap results are discarded while another network works.
 * Prepare: the backend prepares an operation for each description.  Pack: where a
 * backend wants weights in an order or type of its own, a packing is inserted before the first use after
 * each update; packings that stay valid until the next step move to the prologue.
 * Alias: an operation works in place if it can and its input is not needed afterwards.
 * Place: buffers of the arena, including gradients and large scratches, get offsets such
 * that buffers alive at the same time never overlap; arguments of a collective live until
 * it was waited for.
 */
#include "step/plan-private.h"

/* Larger scratches are placed in the arena, which is free unless the arena is at its peak then;
 * smaller ones share one scratch that stays in the caches. */
#define MAX_COMMON_SCRATCH_BYTES (1 << 20)

static UrbElement
element_of_values (const UkBackend *backend)
{
  static const UrbElement elements[UK_N_DATA_TYPES] = {
    [UK_DATA_F32] = URB_ELEMENT_F32,
    [UK_DATA_F64] = URB_ELEMENT_F64,
    [UK_DATA_BF16] = URB_ELEMENT_BF16,
    [UK_DATA_F16] = URB_ELEMENT_F16,
    [UK_DATA_U8] = URB_ELEMENT_U8,
  };

  return elements[backend->value_type];
}

/* A collective's element type is that of its buffers. */
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
    case UK_VALUE:
      what->element = element_of_values (backend);
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

static guint
hash_desc (gconstpointer desc)
{
  return uk_op_desc_hash (desc);
}

static gboolean
are_equal_descs (gconstpointer a, gconstpointer b)
{
  return uk_op_desc_equal (a, b);
}

/* Instructions with the same description share an operation. */
static gboolean
prepare_op (UrbProgram *self, UrbInstruction *instruction, GHashTable *known, UkBackend *backend,
            GError **error)
{
  const UkOpDesc *d = &instruction->desc;
  g_autofree char *label = NULL;
  UkStatus status;

  instruction->op = g_hash_table_lookup (known, d);
  if (instruction->op != NULL)
    return TRUE;
  status = backend->table->prepare (backend, d, &instruction->op);
  if (status == UK_OK)
    {
      g_ptr_array_add (self->ops, instruction->op);
      g_hash_table_insert (known, (gpointer) d, instruction->op);
      return TRUE;
    }
  label = urb_instruction_dup_label (instruction);
  urb_step_set_error (error, backend, status,
                      "The operation “%s” from %dx%dx%dx%d to %dx%dx%dx%d cannot be prepared",
                      label, (int) d->x.n, (int) d->x.h, (int) d->x.w, (int) d->x.c,
                      (int) d->y.n, (int) d->y.h, (int) d->y.w, (int) d->y.c);
  return FALSE;
}

static gboolean
prepare (UrbProgram *self, UkBackend *backend, GError **error)
{
  /* From descriptions, which are in the program's instructions, to their operations. */
  g_autoptr(GHashTable) known = g_hash_table_new (hash_desc, are_equal_descs);

  for (guint i = 0; i < self->instructions->len; i++)
    {
      UrbInstruction *instruction = urb_program_get_instruction (self, i);
      gint64 n_bytes;

      if (instruction->kind == URB_DO_COLLECTIVE || instruction->kind == URB_DO_TRANSFER)
        prepare_collective (self, instruction, backend);
      if (instruction->kind != URB_DO_OP)
        continue;
      if (!prepare_op (self, instruction, known, backend, error))
        return FALSE;
      n_bytes = (gint64) instruction->op->scratch_bytes;
      if (n_bytes <= MAX_COMMON_SCRATCH_BYTES)
        self->scratch_bytes = MAX (self->scratch_bytes, n_bytes);
      else
        instruction->scratch = urb_program_add_buffer (self, g_strdup_printf ("scratch.%u", i),
                                                       URB_STORE_ARENA, UK_U8, n_bytes);
    }
  return TRUE;
}

gboolean
urb_program_plan (UrbProgram *self, UkBackend *backend, GError **error)
{
  g_return_val_if_fail (!self->planned, FALSE);

  if (urb_plan_is_memory_short (self, backend))
    urb_program_recompute_norms (self);
  if (!prepare (self, backend, error))
    return FALSE;
  urb_plan_insert_packs (self);
  urb_plan_adopt_gradients (self);
  urb_plan_find_uses (self);
  urb_plan_alias (self);
  for (guint i = 0; i < self->buffers->len; i++)
    {
      UrbBuffer *buffer = urb_program_get_buffer (self, (int) i);

      buffer->n_bytes = urb_plan_align (buffer->count * (gint64) uk_type_size (backend, buffer->type));
      if (buffer->store == URB_STORE_OUTSIDE)
        buffer->offset = self->store_bytes[URB_STORE_OUTSIDE];
      if (buffer->store != URB_STORE_ARENA)
        self->store_bytes[buffer->store] += buffer->n_bytes;
    }
  urb_plan_place (self, backend->table->element_size);
  self->scratch_bytes = urb_plan_align (self->scratch_bytes);
  self->planned = TRUE;
  return TRUE;
}
