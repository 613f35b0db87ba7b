/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-pack.c - inserts packings where a backend wants its own order of weights, before
 * the first use after each update.
 *
 * A packing still valid at its first use in the next step is kept, and done once before
 * the first step.  All others are redone in each step anyway, so they share the arena
 * and use memory only from the packing to the last use.
 */
#include "step/plan-private.h"

typedef struct
{
  UrbView  source;
  gint64   count;  /* elements of the source */
  guint64  key;
  int      buffer; /* of the packed weights */
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

/* The argument with weights that can be packed; -1: none. */
static int
weight_argument (const UrbInstruction *instruction)
{
  if (instruction->kind != URB_DO_OP || instruction->op->packed_bytes == 0)
    return -1;
  return instruction->desc.kind == UK_OP_CONV || instruction->desc.kind == UK_OP_CONV_DGRAD ? 1 : -1;
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
          && written.offset < pack->source.offset + pack->count)
        pack->valid = FALSE;
    }
}

/* Updates, copies, collectives and transfers may write weights. */
static void
invalidate (GArray *packs, const UrbInstruction *instruction)
{
  if (instruction->kind == URB_DO_OP && instruction->desc.kind == UK_OP_ADAM)
    {
      invalidate_range (packs, instruction, 0);
      invalidate_range (packs, instruction, 4);
    }
  else if (instruction->kind == URB_DO_COPY || instruction->kind == URB_DO_COLLECTIVE
           || instruction->kind == URB_DO_TRANSFER)
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
  result.args[1] = (UrbView) { pack->buffer, 0 };
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
              Pack new_pack = { .source = instruction.args[arg], .key = op->pack_key,
                                .count = urb_instruction_count_arg (&instruction, arg) };

              new_pack.buffer
                = urb_program_add_buffer (self, g_strdup_printf ("packed.%u", packs->len),
                                          URB_STORE_PACKED, UK_U8, (gint64) op->packed_bytes);
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
            instruction.args[arg] = (UrbView) { pack->buffer, 0 };
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
        urb_program_get_buffer (self, pack->buffer)->store = URB_STORE_ARENA;
      pack->valid = pack->kept; /* at the start of a step */
    }
  fill_prologue (self, packs);
  walk_packs (self, packs, out);
  g_array_unref (self->instructions);
  self->instructions = out;
}

