/* SPDX-License-Identifier: Apache-2.0 */
/*
 * square-nodes.h - the chosen areas as cached render nodes, transformed with the view.
 *
 * Coordinates are meters from an origin near the map (since nodes use floats), with y down.
 * Lines have a constant width on the screen, so nodes are recreated when the scale or the mean
 * overlap of the areas has changed much.  Each node holds a group of the ranking: while a
 * threshold is dragged, usually only the last group changes.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/areas/search.h"

G_BEGIN_DECLS

typedef struct _UrbariumSquareNodes UrbariumSquareNodes;

UrbariumSquareNodes *urbarium_square_nodes_new  (void);
void                 urbarium_square_nodes_free (UrbariumSquareNodes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumSquareNodes, urbarium_square_nodes_free)

/* Draws the first @n areas of the ranking, in meters from the origin. */
void urbarium_square_nodes_draw (UrbariumSquareNodes *self, GtkSnapshot *snapshot,
                                 UrbariumRanked *ranked, gsize n, double m_per_px);

/* Map coordinates of the origin. */
void urbarium_square_nodes_get_origin (const UrbariumRanked *ranked, double *x, double *y);

G_END_DECLS
