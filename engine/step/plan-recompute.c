/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-recompute.c - forgets what batch norm made and has it made again.
 *
 * Batch norm's gradient wants both its input and its output, and the layer behind
 * it the output once more.  While the discriminator learns, the generator's lie
 * there, both as large as all of its activations.  The output follows from the
 * input, to the bit, in one pass over memory: where another network works
 * meanwhile, it is forgotten after its last use forward, and made again before
 * its first use backward.
 */
#include "step/plan-private.h"

#include <string.h>

/* Smaller ones would save nothing that is seen. */
#define MIN_ELEMENTS (1 << 18)

/* A batch norm's arguments by name. */
typedef struct
{
  UrbView x, gamma, beta, y, mean, inv_std;
} Norm;

static gboolean
read_norm (const UrbInstruction *instruction, Norm *out)
{
  const UrbView *args = instruction->args;

  if (instruction->kind != URB_DO_OP)
    return FALSE;
  if (instruction->desc.kind == UK_OP_BATCH_NORM)
    *out = (Norm) { args[0], args[1], args[2], args[5], args[6], args[7] };
  else if (instruction->desc.kind == UK_OP_BATCH_NORM_GLOBAL)
    *out = (Norm) { args[0], args[2], args[3], args[6], args[7], args[8] };
  else
    return FALSE;
  return TRUE;
}

static gboolean
touches (const UrbInstruction *instruction, int buffer)
{
  for (int a = 0; a < UK_MAX_ARGS; a++)
    if (instruction->args[a].buffer == buffer)
      return TRUE;
  return FALSE;
}

static gboolean
writes (const UrbInstruction *instruction, int buffer)
{
  const UkOpInfo *info;

  if (!touches (instruction, buffer))
    return FALSE;
  if (instruction->kind != URB_DO_OP)
    return TRUE; /* or so it is taken: copies and collectives */
  info = uk_op_info (instruction->desc.kind);
  for (int a = 0; a < info->n_args; a++)
    if (instruction->args[a].buffer == buffer && info->args[a].role != UK_IN)
      return TRUE;
  return FALSE;
}

/* The first instruction backward that wants @norm's output again, made by instruction @at; -1 if
 * there is none, if only its own network works before, or if it could not be made then. */
static int
find_return (const UrbProgram *self, guint at, const Norm *norm)
{
  const char *net = urb_program_get_instruction (self, at)->net;
  gboolean others = FALSE;

  for (guint i = at + 1; i < self->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self, i);

      if (writes (instruction, norm->gamma.buffer) || writes (instruction, norm->y.buffer))
        return -1;
      if (touches (instruction, norm->y.buffer) && instruction->pass != URB_PASS_FORWARD)
        return others ? (int) i : -1;
      others = others || strcmp (instruction->net, net) != 0;
    }
  return -1;
}

static gboolean
is_worth (const UrbProgram *self, const Norm *norm)
{
  const UrbBuffer *y = urb_program_get_buffer (self, norm->y.buffer);

  return y->store == URB_STORE_ARENA && norm->y.offset == 0 && y->count >= MIN_ELEMENTS;
}

static UrbInstruction
recompute_instruction (const UrbInstruction *made, const UrbInstruction *user, const Norm *norm,
                   UrbView y)
{
  const UrbView args[] = { norm->x, norm->gamma, norm->beta, norm->mean, norm->inv_std, y };
  UrbInstruction result = *made;

  result.desc.kind = UK_OP_BATCH_NORM_RECOMPUTE;
  result.pass = user->pass;
  result.microbatch = user->microbatch;
  for (int a = 0; a < UK_MAX_ARGS; a++)
    result.args[a] = a < (int) G_N_ELEMENTS (args) ? args[a] : URB_NO_VIEW;
  return result;
}

/* From instruction @first on, @from is @to. */
static void
redirect (UrbProgram *self, guint first, int from, int to)
{
  for (guint i = first; i < self->instructions->len; i++)
    for (int a = 0; a < UK_MAX_ARGS; a++)
      {
        UrbView *view = &urb_program_get_instruction (self, i)->args[a];

        if (view->buffer == from)
          view->buffer = to;
      }
}

void
urb_plan_recompute_norms (UrbProgram *self)
{
  for (guint i = 0; i < self->instructions->len; i++)
    {
      const UrbInstruction *made = urb_program_get_instruction (self, i);
      Norm norm;
      UrbView y;
      UrbInstruction recompute;
      int user;

      if (!read_norm (made, &norm) || !is_worth (self, &norm))
        continue;
      user = find_return (self, i, &norm);
      if (user < 0)
        continue;
      y = urb_program_add_temp (self, g_strdup_printf ("%s.recompute.%d", made->net, made->layer), UK_VALUE,
                                urb_program_get_buffer (self, norm.y.buffer)->count);
      recompute = recompute_instruction (made, urb_program_get_instruction (self, (guint) user), &norm, y);
      redirect (self, (guint) user, norm.y.buffer, y.buffer);
      g_array_insert_val (self->instructions, (guint) user, recompute);
    }
}
