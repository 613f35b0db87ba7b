/* SPDX-License-Identifier: Apache-2.0 */
/*
 * square-nodes.h - the chosen areas as render nodes that are made once and moved with the view.
 *
 * In a space of metres around an origin near the map (nodes have floats), with y down.
 * Lines are as wide as asked on the screen, so that all is made anew when the scale has
 * changed by much, or how many areas share their ground.  Nodes are of groups of the ranking: while
 * a threshold is dragged, for the most part only the last group changes.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/areas/search.h"

G_BEGIN_DECLS

typedef struct _UrbariumSquareNodes UrbariumSquareNodes;

UrbariumSquareNodes *urbarium_square_nodes_new  (void);
void                 urbarium_square_nodes_free (UrbariumSquareNodes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumSquareNodes, urbarium_square_nodes_free)

/* Draws the first @n areas of the ranking; the origin is at (0, 0), 1 is a metre. */
void urbarium_square_nodes_draw (UrbariumSquareNodes *self, GtkSnapshot *snapshot,
                                 UrbariumRanked *ranked, gsize n, double m_per_px);

/* Where (0, 0) is. */
void urbarium_square_nodes_get_origin (const UrbariumRanked *ranked, double *x, double *y);

/* Moves to the middle of @square and turns, so that it is from -size / 2 to size / 2. */
void urbarium_square_transform (GtkSnapshot *snapshot, const UrbSquare *square, double origin_x,
                                double origin_y);

G_END_DECLS
