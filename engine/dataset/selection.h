/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selection.h - takes the best areas that overlap little.
 */
#pragma once

#include "dataset/square.h"

G_BEGIN_DECLS

/* The areas chosen so far, behind a grid of buckets. */
typedef struct _UrbSelection UrbSelection;

/* @max_overlap: the share of its area that a square may have in common with any
 * other, 0..1. */
UrbSelection *urb_selection_new  (double size_m, double max_overlap);
void          urb_selection_free (UrbSelection *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSelection, urb_selection_free)

/* Takes @square unless it overlaps one taken before by more than the bound.
 * Returns: whether it was taken */
gboolean urb_selection_offer (UrbSelection *self, const UrbSquare *square);

G_END_DECLS
