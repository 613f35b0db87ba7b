/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtree.h - a static R-tree, packed along the Hilbert curve, in one block.
 *
 * Immutable once built, hence safe to query from any thread.  Boxes are floats
 * relative to the lower corner of the extent, rounded outward: a query misses
 * nothing, and may include a box outside by less than 2^-23 of the extent.
 */
#pragma once

#include <glib.h>

#include "map/map.h"

G_BEGIN_DECLS

typedef struct _UrbRtree UrbRtree;

/* Writes the box of item @index, which must be finite with min <= max. */
typedef UrbBox (*UrbRtreeBoxFunc) (gint64 index, gpointer user_data);

#define URB_RTREE_MAX_ITEMS ((gint64) 1 << 31)

/**
 * urb_rtree_new:
 * @n_items: at most %URB_RTREE_MAX_ITEMS; may be 0
 * @extent: contains every box
 * @get_box: called for each item in turn
 *
 * Time and memory are linear in @n_items (radix sort): about 22 bytes each, plus 32
 * during construction.
 *
 * Returns: (transfer full)
 */
UrbRtree *urb_rtree_new  (gint64 n_items, UrbBox extent, UrbRtreeBoxFunc get_box,
                          gpointer user_data);
void      urb_rtree_free (UrbRtree *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbRtree, urb_rtree_free)

/* Appends the items whose boxes meet @box, borders included, to @found
 * (element-type gint64), unordered.  A box with NaN meets nothing. */
void  urb_rtree_query (const UrbRtree *self, UrbBox box, GArray *found);
gsize urb_rtree_get_n_bytes (const UrbRtree *self);

G_END_DECLS
