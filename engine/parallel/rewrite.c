/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite.c - see rewrite-private.h.
 */
#include "parallel/rewrite-private.h"

void
urb_rewrite_begin (UrbRewrite *self, UrbProgram *program)
{
  g_return_if_fail (!program->planned);
  self->program = program;
  self->n_parts = 0;
  self->axes = 0;
  self->out = g_array_new (FALSE, FALSE, sizeof (UrbInstruction));
  self->pending = g_array_new (FALSE, FALSE, sizeof (UrbInstruction));
}

void
urb_rewrite_finish (UrbRewrite *self)
{
  GArray *instructions = self->program->instructions;

  g_array_set_size (instructions, 0);
  g_array_append_vals (instructions, self->out->data, self->out->len);
  g_clear_pointer (&self->out, g_array_unref);
  /* Collectives still pending are waited for at the end of a step. */
  g_clear_pointer (&self->pending, g_array_unref);
}

/* Whether one of them writes what the other accesses. */
static gboolean
conflict (const UrbInstruction *a, const UrbInstruction *b)
{
  for (int i = 0; i < UK_MAX_ARGS; i++)
    for (int j = 0; j < UK_MAX_ARGS; j++)
      if (a->args[i].buffer >= 0 && a->args[i].buffer == b->args[j].buffer
          && (urb_instruction_get_role (a, i) != UK_IN || urb_instruction_get_role (b, j) != UK_IN)
          && a->args[i].offset < b->args[j].offset + urb_instruction_count_arg (b, j)
          && b->args[j].offset < a->args[i].offset + urb_instruction_count_arg (a, i))
        return TRUE;
  return FALSE;
}

/* Emits the wait for the pending collective @index. */
static void
wait_for (UrbRewrite *self, guint index)
{
  UrbInstruction wait = urb_program_new_wait (&g_array_index (self->pending, UrbInstruction, index));

  g_array_append_val (self->out, wait);
  g_array_remove_index (self->pending, index);
}

void
urb_rewrite_emit (UrbRewrite *self, const UrbInstruction *instruction)
{
  for (guint i = 0; i < self->pending->len;)
    if (conflict (&g_array_index (self->pending, UrbInstruction, i), instruction))
      wait_for (self, i);
    else
      i++;
  g_array_append_val (self->out, *instruction);
}

void
urb_rewrite_wait (UrbRewrite *self, int request)
{
  for (guint i = 0; i < self->pending->len; i++)
    if (g_array_index (self->pending, UrbInstruction, i).request == request)
      {
        wait_for (self, i);
        return;
      }
}

int
urb_rewrite_collect (UrbRewrite *self, UrbCollectiveKind kind, gint64 count, int peer, UrbView in,
                     UrbView out, const UrbInstruction *like)
{
  UrbInstruction collect = urb_program_new_collect (self->program, kind, count, peer, in, out);

  collect.n_parts = self->n_parts;
  collect.axes = self->axes;
  collect.net = like->net;
  collect.microbatch = like->microbatch;
  collect.pass = like->pass;
  urb_rewrite_emit (self, &collect);
  g_array_append_val (self->pending, collect);
  return collect.request;
}
