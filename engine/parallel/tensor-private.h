/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor-private.h - what a tensor parallel rank holds of a network's blocks.
 */
#pragma once

#include "parallel/pairs.h"

G_BEGIN_DECLS

/* Of a tensor: (n_outer, n_ranks, n_inner), of which the rank has [:, rank, :]; or all of it; or, in a pipeline,
 * nothing. */
typedef struct
{
  gint64   whole; /* first element in the block of the whole network */
  gint64   at;    /* and in the rank's block before it is divided */
  gint64   local; /* first element in the rank's block */
  gint64   count; /* elements that the rank has */
  gint64   n_outer, n_inner;
  gboolean is_divided;
} UrbSlice;

/* Of the parameters of @net, or of its statistics (@of_states), in the order of their table.
 * @held: (nullable): what the rank has before; NULL: all
 * (element-type UrbSlice) (transfer full) */
GArray         *urb_slices_find (const UrbNet *net, gboolean of_states, const UrbDivision *divisions, int n_ranks,
                                 const GArray *held);
/* The slice of the tensor that begins at @at in the block before it is divided. */
const UrbSlice *urb_slices_get  (const GArray *slices, gint64 at);
/* (element-type UrbRun) (transfer full) */
GArray         *urb_slices_make_runs (const GArray *slices, int rank, int n_ranks);

/* Consecutive elements of the rank's block that are divided, or that all ranks have. */
typedef struct
{
  gint64   local, count;
  gboolean is_divided;
} UrbStretch;

/* The rank's block in as few stretches as possible.  (element-type UrbStretch) (transfer full) */
GArray         *urb_slices_make_stretches (const GArray *slices);

/* The gradients of divided tensors, or of the others, in buckets of at most about @n_elements, in the order of
 * completion.  (element-type UrbBucket) (transfer full) */
GArray         *urb_slices_make_buckets (const GArray *slices, gboolean are_divided, const UrbProgram *program,
                                         const UrbProgramNet *slot, gint64 n_elements);

G_END_DECLS
