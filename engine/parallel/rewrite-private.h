/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite-private.h - writing a built program anew, with collectives in it.
 *
 * A rewrite goes through the instructions in order and emits them again, what
 * it wants to add between them.  Waiting is added by itself: before the first
 * instruction that touches what a collective reads or writes.
 */
#pragma once

#include "step/program.h"

G_BEGIN_DECLS

typedef struct
{
  UrbProgram *program; /* borrowed */
  GArray     *out;     /* of UrbInstruction */
  GArray     *pending; /* of UrbInstruction: collectives that nobody has waited for yet */
} UrbRewrite;

void urb_rewrite_begin  (UrbRewrite *self, UrbProgram *program);
/* The program has the new instructions from now on. */
void urb_rewrite_finish (UrbRewrite *self);

void urb_rewrite_emit   (UrbRewrite *self, const UrbInstruction *instruction);
/* A collective on behalf of @like.  @count, @peer, @in, @out: see step/collective.h. */
void urb_rewrite_collect (UrbRewrite *self, UrbCollectiveKind kind, gint64 count, int peer,
                          UrbView in, UrbView out, const UrbInstruction *like);

/* ------------------------------------------------------------------------ */

/* A range of a network's gradients, complete after instruction `ready`. */
typedef struct
{
  gint64 first, count;
  guint  ready;
} UrbBucket;

/* @slot's gradients in buckets of about @n_elements, in the order in which they
 * are complete.  (element-type UrbBucket) (transfer full) */
GArray *urb_buckets_find (const UrbProgram *program, const UrbProgramNet *slot, gint64 n_elements);

/* Sums, on @root or (-1) on all ranks, the buckets that are complete after
 * instruction @at, which is @like. */
void urb_buckets_collect (const GArray *buckets, UrbRewrite *rewrite, const UrbProgramNet *slot,
                          guint at, int root, gboolean is_root, const UrbInstruction *like);

/* Index of the last instruction that writes metrics. */
guint urb_metrics_find_last (const UrbProgram *program);
/* Sums the metrics over all ranks into a buffer that takes their place in the program. */
void  urb_metrics_collect   (UrbRewrite *rewrite, const UrbInstruction *like);

G_END_DECLS
