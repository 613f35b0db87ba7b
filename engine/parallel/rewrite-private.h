/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite-private.h - rewrites a built program to add collectives.
 *
 * A rewrite emits the instructions again in order, with its own between them.  Waits are added
 * automatically: before the first instruction that writes what a collective reads, or accesses what it
 * writes.
 */
#pragma once

#include "step/program.h"

G_BEGIN_DECLS

typedef struct
{
  UrbProgram *program; /* borrowed */
  int         n_parts; /* ranks that take part in collectives; 0 after urb_rewrite_begin(): not known */
  guint       axes;    /* along which they lie; 0 after urb_rewrite_begin(): all ranks */
  GArray     *out;     /* of UrbInstruction */
  GArray     *pending; /* of UrbInstruction: collectives without a wait yet */
} UrbRewrite;

void urb_rewrite_begin  (UrbRewrite *self, UrbProgram *program);
/* Replaces the program's instructions. */
void urb_rewrite_finish (UrbRewrite *self);

void urb_rewrite_emit   (UrbRewrite *self, const UrbInstruction *instruction);
/* Emits a collective of the ranks along self->axes in the name of @like, and returns its request.  @count,
 * @peer, @in, @out: see step/collective.h. */
int  urb_rewrite_collect (UrbRewrite *self, UrbCollectiveKind kind, gint64 count, int peer,
                          UrbView in, UrbView out, const UrbInstruction *like);
/* Emits the wait for @request now, unless there is one already. */
void urb_rewrite_wait   (UrbRewrite *self, int request);

/* ------------------------------------------------------------------------ */

/* A range of a network's gradients, complete after instruction `ready`. */
typedef struct
{
  gint64 first, count;
  guint  ready;
} UrbBucket;

/* The gradients that the rank holds of @slot in buckets of about @n_elements, in the order of completion: all of
 * them for each update of the network.
 * (element-type UrbBucket) (transfer full) */
GArray *urb_buckets_find (const UrbProgram *program, const UrbProgramNet *slot, gint64 n_elements);

/* For each parameter that the rank holds the last instruction that writes its gradient.  (transfer full)
 * (n_params) */
guint  *urb_buckets_find_writers (const UrbProgram *program, const UrbProgramNet *slot);
/* Puts @buckets in the order of completion. */
void    urb_buckets_sort (GArray *buckets);

/* Sums the buckets that are complete after instruction @at, which is @like, on @root or (-1) on all
 * ranks. */
void urb_buckets_collect (const GArray *buckets, UrbRewrite *rewrite, const UrbProgramNet *slot,
                          guint at, int root, gboolean is_root, const UrbInstruction *like);

/* Index of the last instruction that writes metrics. */
guint urb_metrics_find_last (const UrbProgram *program);
/* Sums the metrics over all ranks into a buffer that replaces them in the program. */
void  urb_metrics_collect   (UrbRewrite *rewrite, const UrbInstruction *like);

/* ------------------------------------------------------------------------ */

/* An operation of the update that is like @like, on @n elements: its arguments are those of @like. */
UrbInstruction urb_update_operation (const UrbInstruction *like, UkOpKind kind, gint64 n);
/* Ranks of which each has a part of the gradients. */
typedef struct
{
  int      n_ranks;
  guint    axes;     /* along which they lie; 0: all ranks */
  gboolean is_first; /* this rank reports the norm */
} UrbHolders;

/* Emits the factor of a network's update, from the squares of all holders, so that all or none update.
 * @squares: (@n_squares) of this rank's gradients; @like: the factor of one process.  Returns: the factor */
UrbView urb_update_emit_factor (UrbRewrite *rewrite, UrbView squares, gint64 n_squares,
                                const UrbHolders *holders, const UrbInstruction *like);

G_END_DECLS
