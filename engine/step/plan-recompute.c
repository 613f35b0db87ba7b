/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-recompute.c - discards and recomputes batch-norm outputs.
 *
 * Batch norm's gradient needs its input, and the weight gradient of the next layer its
 * output.  While the discriminator trains, these outputs of the generator take half the
 * memory of all its activations.  An output follows from the input, bit for bit, in one
 * pass over memory.  So where another network works in between, it is discarded after
 * its last use forward and recomputed before its first use backward.
 *
 * The pass costs up to a tenth of what a GPU moves, so a GPU with enough memory keeps the outputs.
 */
#include "step/plan-private.h"

#include <string.h>

/* A device is short of memory if the outputs take more than this part of it. */
#define SHORT_SHARE 16

/* Smaller outputs would save too little. */
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
    return TRUE; /* assumed: copies and collectives */
  info = uk_op_info (instruction->desc.kind);
  for (int a = 0; a < info->n_args; a++)
    if (instruction->args[a].buffer == buffer && info->args[a].role != UK_IN)
      return TRUE;
  return FALSE;
}

/* The first backward instruction that reads @norm's output, which instruction @at computed; -1 if
 * there is none, if only its own network works in between, or if its inputs have changed by then. */
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

/* Whether the output of instruction @at, then *@norm, can be discarded until instruction *@user. */
static gboolean
can_discard (const UrbProgram *self, guint at, Norm *norm, guint *user)
{
  const UrbBuffer *output;
  int found;

  if (!read_norm (urb_program_get_instruction (self, at), norm))
    return FALSE;
  output = urb_program_get_buffer (self, norm->y.buffer);
  if (output->store != URB_STORE_ARENA || norm->y.offset != 0 || output->count < MIN_ELEMENTS)
    return FALSE;
  found = find_return (self, at, norm);
  *user = (guint) MAX (found, 0);
  return found >= 0;
}

/* Before @user, into a buffer of its own that the instructions from there on read. */
static void
recompute_before (UrbProgram *self, guint user, const UrbInstruction *made, const Norm *norm)
{
  const UrbInstruction *reader = urb_program_get_instruction (self, user);
  UrbView y = urb_program_add_temp (self, g_strdup_printf ("%s.recompute.%d", made->net, made->layer), UK_VALUE,
                                    urb_program_get_buffer (self, norm->y.buffer)->count);
  const UrbView args[] = { norm->x, norm->gamma, norm->beta, norm->mean, norm->inv_std, y };
  UrbInstruction recompute = *made;

  recompute.desc.kind = UK_OP_BATCH_NORM_RECOMPUTE;
  recompute.pass = reader->pass;
  recompute.microbatch = reader->microbatch;
  for (gsize a = 0; a < UK_MAX_ARGS; a++)
    recompute.args[a] = a < G_N_ELEMENTS (args) ? args[a] : URB_NO_VIEW;
  for (guint k = user; k < self->instructions->len; k++)
    for (int a = 0; a < UK_MAX_ARGS; a++)
      {
        UrbView *view = &urb_program_get_instruction (self, k)->args[a];

        if (view->buffer == norm->y.buffer)
          view->buffer = y.buffer;
      }
  g_array_insert_val (self->instructions, user, recompute);
}

void
urb_program_recompute_norms (UrbProgram *self)
{
  for (guint i = 0; i < self->instructions->len; i++)
    {
      UrbInstruction made = *urb_program_get_instruction (self, i);
      guint user;
      Norm norm;

      if (can_discard (self, i, &norm, &user))
        recompute_before (self, user, &made, &norm);
    }
}

gboolean
urb_plan_is_memory_short (const UrbProgram *self, UkBackend *backend)
{
  gint64 n_saved = 0, n_free, n_total;
  guint user;
  Norm norm;

  if (backend->table->memory == NULL || backend->table->memory (backend, &n_free, &n_total) != UK_OK)
    return TRUE;
  for (guint i = 0; i < self->instructions->len; i++)
    if (can_discard (self, i, &norm, &user))
      n_saved += urb_program_get_buffer (self, norm.y.buffer)->count * (gint64) uk_type_size (backend, UK_VALUE);
  return n_saved > n_total / SHORT_SHARE;
}
