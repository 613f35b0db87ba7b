/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selection.h - selects areas greedily within an overlap limit.
 */
#pragma once

#include "dataset/square.h"

G_BEGIN_DECLS

/* The areas selected so far, in a grid of buckets. */
typedef struct _UrbSelection UrbSelection;

/* @max_overlap: largest share of a square that any other may cover, 0..1. */
UrbSelection *urb_selection_new  (double size_m, double max_overlap);
void          urb_selection_free (UrbSelection *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSelection, urb_selection_free)

/* Selects @square unless it overlaps one selected earlier by more than the limit.
 * Returns: whether it was selected */
gboolean urb_selection_offer (UrbSelection *self, const UrbSquare *square);

G_END_DECLS
