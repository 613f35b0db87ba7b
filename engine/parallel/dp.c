/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dp.c - one rank has all parameters, the others only compute.
 *
 * The programs of all ranks have the same collectives in the same order, even where instructions
 * are omitted on some ranks.
 */
#include "parallel/synchronous.h"

#include "parallel/rewrite-private.h"

enum { ROOT = 0 };

typedef struct
{
  UrbProgram *program;
  UrbRewrite  rewrite;
  int         rank, n_ranks;
} Dp;

static void
broadcast_params (Dp *self, const UrbProgramNet *slot, const UrbInstruction *like)
{
  UrbView params = { slot->params, 0 };

  urb_rewrite_collect (&self->rewrite, URB_COLLECTIVE_BROADCAST, slot->net->n_params, ROOT, params,
                       params, like);
}

static void
scatter_tiles (Dp *self, const UrbInstruction *like)
{
  UrbProgram *program = self->program;
  gint64 count = urb_program_get_buffer (program, program->tiles)->count;
  UrbView own = { program->tiles, 0 }, all = URB_NO_VIEW;

  if (self->rank == ROOT)
    all.buffer = urb_program_add_buffer (program, g_strdup ("tiles.all"), URB_STORE_INPUT, UK_U8,
                                         self->n_ranks * count);
  urb_rewrite_collect (&self->rewrite, URB_COLLECTIVE_SCATTER, count, ROOT, all, own, like);
  program->tiles = all.buffer;
}

static void
remove_buffer (UrbProgram *program, int *buffer)
{
  if (*buffer >= 0)
    urb_program_get_buffer (program, *buffer)->count = 0;
  *buffer = -1;
}

/* Removes what only updates read. */
static void
remove_moments (UrbProgram *program, UrbProgramNet *slot)
{
  remove_buffer (program, &slot->moment1);
  remove_buffer (program, &slot->moment2);
  remove_buffer (program, &slot->ema);
}

void
urb_program_make_dp (UrbProgram *program, int rank, int n_ranks, double bucket_mib)
{
  Dp self = { .program = program, .rank = rank, .n_ranks = n_ranks };
  gint64 n_elements = (gint64) (bucket_mib * (1 << 20) / sizeof (float));
  g_autoptr(GArray) d = urb_buckets_find (program, &program->d, n_elements);
  g_autoptr(GArray) g = urb_buckets_find (program, &program->g, n_elements);
  guint last_metrics = urb_metrics_find_last (program);
  const UrbInstruction *first = urb_program_get_instruction (program, 0);

  urb_rewrite_begin (&self.rewrite, program);
  scatter_tiles (&self, first);
  broadcast_params (&self, &program->g, first);
  broadcast_params (&self, &program->d, first);
  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);
      gboolean is_update = instruction->pass == URB_PASS_UPDATE;

      if (!is_update || rank == ROOT)
        urb_rewrite_emit (&self.rewrite, instruction);
      urb_buckets_collect (d, &self.rewrite, &program->d, i, ROOT, rank == ROOT, instruction);
      urb_buckets_collect (g, &self.rewrite, &program->g, i, ROOT, rank == ROOT, instruction);
      if (is_update && instruction->desc.kind == UK_OP_ADAM && instruction->net == program->d.net->name)
        broadcast_params (&self, &program->d, instruction);
      if (i == last_metrics)
        urb_metrics_collect (&self.rewrite, instruction);
    }
  urb_rewrite_finish (&self.rewrite);
  if (rank == ROOT)
    return;
  remove_moments (program, &program->g);
  remove_moments (program, &program->d);
}
