/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-pack.c - inserts packings where a backend wants weights in an order or type of its own, before
 * the first use after each update.
 *
 * A packing still valid at its first use in the next step is kept, and done once before
 * the first step.  All others are redone in each step anyway, so they share the arena
 * and use memory only from the packing to the last use.
 *
 * Where only the type differs, and Adam alone writes a block of weights, it also writes a packed copy of the block, in
 * the same pass: then these weights are packed in the prologue only.
 */
#include "step/plan-private.h"

/* The place of the packed copy among Adam's arguments. */
enum { ADAM_PACKED = 7 };

typedef struct
{
  UrbView  source;
  gint64   count;  /* elements of the source */
  guint64  key;
  UrbView  packed;
  gboolean by_adam; /* Adam writes it, too */
  gboolean valid;
  gboolean kept; /* from the previous step */
  gboolean used; /* seen by find_kept() */
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

static gboolean
is_adam (const UrbInstruction *instruction)
{
  return instruction->kind == URB_DO_OP && instruction->desc.kind == UK_OP_ADAM;
}

/* Copies, collectives and transfers may write weights, as their second argument. */
static gboolean
is_move (const UrbInstruction *instruction)
{
  return instruction->kind == URB_DO_COPY || instruction->kind == URB_DO_COLLECTIVE
         || instruction->kind == URB_DO_TRANSFER;
}

/* Whether values at @offset of a buffer are aligned to 16 bytes. */
static gboolean
is_aligned (const UkBackend *backend, gint64 offset)
{
  return offset * (gint64) uk_type_size (backend, UK_VALUE) % 16 == 0;
}

/* The argument with weights that must be packed; -1: none. */
static int
weight_argument (const UrbInstruction *instruction)
{
  const UkOp *op = instruction->op;

  if (instruction->kind != URB_DO_OP || op->packed_bytes == 0
      || (instruction->desc.kind != UK_OP_CONV && instruction->desc.kind != UK_OP_CONV_DGRAD))
    return -1;
  if (op->packs_type_only && uk_type_size (op->backend, UK_VALUE) == uk_type_size (op->backend, UK_REAL)
      && is_aligned (op->backend, instruction->args[1].offset))
    return -1;
  return 1;
}

/* ------------------------------------------------------------------------ */
/* Packed copies of whole blocks                                             */

/* Whether Adam writes @buffer, and nothing else does. */
static gboolean
is_written_by_adam_alone (const UrbProgram *self, int buffer)
{
  gboolean by_adam = FALSE;

  for (guint i = 0; i < self->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self, i);

      if (is_move (instruction) && instruction->args[1].buffer == buffer)
        return FALSE;
      by_adam |= is_adam (instruction) && instruction->args[0].buffer == buffer;
    }
  return by_adam;
}

/* Adds the packed copy of a block, with Adam's arguments. */
static int
add_copy (UrbProgram *self, int block)
{
  int copy = urb_program_add_buffer (self, g_strdup_printf ("%s.packed", urb_program_get_buffer (self, block)->name),
                                     URB_STORE_PACKED, UK_VALUE, urb_program_get_buffer (self, block)->count);

  for (guint i = 0; i < self->instructions->len; i++)
    {
      UrbInstruction *instruction = urb_program_get_instruction (self, i);

      if (is_adam (instruction) && instruction->args[0].buffer == block)
        instruction->args[ADAM_PACKED] = (UrbView) { copy, instruction->args[0].offset };
    }
  return copy;
}

/* That of @block, or -1. */
static int
find_copy (const GArray *packs, int block)
{
  for (guint i = 0; i < packs->len; i++)
    {
      const Pack *pack = &g_array_index (packs, Pack, i);

      if (pack->by_adam && pack->source.buffer == block)
        return pack->packed.buffer;
    }
  return -1;
}

/* ------------------------------------------------------------------------ */

static Pack
pack_new (UrbProgram *self, const GArray *packs, const UrbInstruction *user, int arg)
{
  const UkOp *op = user->op;
  Pack pack = { .source = user->args[arg], .key = op->pack_key, .count = urb_instruction_count_arg (user, arg) };
  int copy;

  if (op->packs_type_only && is_aligned (op->backend, pack.source.offset)
      && is_written_by_adam_alone (self, pack.source.buffer))
    {
      copy = find_copy (packs, pack.source.buffer);
      pack.by_adam = TRUE;
      pack.packed = (UrbView) { copy >= 0 ? copy : add_copy (self, pack.source.buffer), pack.source.offset };
    }
  else
    pack.packed.buffer = urb_program_add_buffer (self, g_strdup_printf ("packed.%u", packs->len), URB_STORE_PACKED,
                                                 UK_U8, (gint64) op->packed_bytes);
  return pack;
}

static void
invalidate_range (GArray *packs, const UrbInstruction *instruction, int arg)
{
  UrbView written = instruction->args[arg];
  gint64 count = written.buffer < 0 ? 0 : urb_instruction_count_arg (instruction, arg);

  for (guint i = 0; i < packs->len && count > 0; i++)
    {
      Pack *pack = &g_array_index (packs, Pack, i);

      if (pack->source.buffer == written.buffer && pack->source.offset < written.offset + count
          && written.offset < pack->source.offset + pack->count && !pack->by_adam)
        pack->valid = FALSE;
    }
}

static void
invalidate (GArray *packs, const UrbInstruction *instruction)
{
  if (is_adam (instruction))
    {
      invalidate_range (packs, instruction, 0);
      invalidate_range (packs, instruction, 4);
    }
  else if (is_move (instruction))
    invalidate_range (packs, instruction, 1);
}

static UrbInstruction
pack_instruction (const UrbInstruction *user, const Pack *pack)
{
  UrbInstruction result = *user;

  result.kind = URB_DO_PACK;
  result.scratch = 0;
  for (int i = 0; i < UK_MAX_ARGS; i++)
    result.args[i] = URB_NO_VIEW;
  result.args[0] = pack->source;
  result.args[1] = pack->packed;
  return result;
}

/* Finds the packings that stay valid from step to step; after a walk. */
static void
find_kept (const UrbProgram *self, GArray *packs)
{
  for (guint i = 0; i < self->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self, i);
      int arg = weight_argument (instruction);

      if (arg >= 0)
        {
          Pack *pack = find_pack (packs, instruction->args[arg], instruction->op->pack_key);

          pack->kept = pack->used ? pack->kept : pack->valid;
          pack->used = TRUE;
        }
      invalidate (packs, instruction);
    }
}

/* Walks the program once; with @out, writes the program there, with packings inserted and
 * weight arguments replaced. */
static void
walk_packs (UrbProgram *self, GArray *packs, GArray *out)
{
  for (guint i = 0; i < self->instructions->len; i++)
    {
      UrbInstruction instruction = *urb_program_get_instruction (self, i);
      int arg = weight_argument (&instruction);

      if (arg >= 0)
        {
          const UkOp *op = instruction.op;
          Pack *pack = find_pack (packs, instruction.args[arg], op->pack_key);

          if (pack == NULL)
            {
              Pack new_pack = pack_new (self, packs, &instruction, arg);

              g_array_append_val (packs, new_pack);
              pack = &g_array_index (packs, Pack, packs->len - 1);
            }
          if (!pack->valid && out != NULL)
            {
              UrbInstruction packing = pack_instruction (&instruction, pack);

              g_array_append_val (out, packing);
            }
          pack->valid = TRUE;
          if (out != NULL)
            instruction.args[arg] = pack->packed;
        }
      invalidate (packs, &instruction);
      if (out != NULL)
        g_array_append_val (out, instruction);
    }
}

static void
fill_prologue (UrbProgram *self, GArray *packs)
{
  for (guint p = 0; p < packs->len; p++)
    {
      const Pack *pack = &g_array_index (packs, Pack, p);

      for (guint i = 0; pack->kept && i < self->instructions->len; i++)
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

void
urb_plan_insert_packs (UrbProgram *self)
{
  g_autoptr(GArray) packs = g_array_new (FALSE, TRUE, sizeof (Pack));
  GArray *out = g_array_new (FALSE, TRUE, sizeof (UrbInstruction));

  walk_packs (self, packs, NULL);
  find_kept (self, packs);
  for (guint p = 0; p < packs->len; p++)
    {
      Pack *pack = &g_array_index (packs, Pack, p);

      if (!pack->kept)
        urb_program_get_buffer (self, pack->packed.buffer)->store = URB_STORE_ARENA;
      pack->valid = pack->kept; /* at the start of a step */
    }
  fill_prologue (self, packs);
  walk_packs (self, packs, out);
  g_array_unref (self->instructions);
  self->instructions = out;
}

