/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile.h - what a generator drew, or what a dataset holds, of one place: levels,
 * and the plan that is made of them.
 *
 * Immutable, counted atomically, for use in any thread.  All functions that paint
 * or measure take milliseconds: call them from a thread.
 */
#pragma once

#include <gtk/gtk.h>

#include "city/vectorise.h"

G_BEGIN_DECLS

typedef struct _UrbariumTile UrbariumTile;

enum
{
  URBARIUM_ALL_CLASSES = (1 << URB_N_CLASSES) - 1, /* a bit per UrbClass */
  URBARIUM_ROSE_SECTORS = 18
};

/* @levels: (@size_px, @size_px, @n_channels), row 0 at the top; a reference is taken */
UrbariumTile *urbarium_tile_new   (GBytes *levels, int size_px, int n_channels, double size_m);
UrbariumTile *urbarium_tile_ref   (UrbariumTile *self);
void          urbarium_tile_unref (UrbariumTile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumTile, urbarium_tile_unref)

double        urbarium_tile_get_size_m  (UrbariumTile *self);
int           urbarium_tile_get_size_px (UrbariumTile *self);

/* The same as `urbarium-engine generate` makes.  Made at the first call.
 * Returns: (transfer none) */
const UrbCityVectors *urbarium_tile_get_vectors (UrbariumTile *self);
/* The classes of the pixels, as they were drawn: what `evaluate` measures. (transfer full) */
UrbClassMap          *urbarium_tile_make_class_map (UrbariumTile *self);

/* What is seen of a tile. */
typedef struct
{
  gboolean vectors; /* or pixels */
  guint    classes; /* a bit per UrbClass; where there is another one: paper */
  double   left_m, top_m, right_m, bottom_m; /* of the tile, from its upper left corner */
  int      width_px, height_px;
} UrbariumTilePart;

/* The whole of it, with all classes. */
void        urbarium_tile_part_init (UrbariumTilePart *part, UrbariumTile *tile, gboolean vectors,
                                     int edge_px);
/* Returns: (transfer full) */
GdkTexture *urbarium_tile_paint     (UrbariumTile *self, const UrbariumTilePart *part);

/* How much wall runs in which direction: metres of the buildings' walls, off the tile's edge, in
 * equal sectors of [0°, 90°), counter-clockwise from east. @weights: (URBARIUM_ROSE_SECTORS),
 * added to */
void        urbarium_tile_add_rose  (UrbariumTile *self, double *weights);

G_END_DECLS
