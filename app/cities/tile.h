/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile.h - the levels of one generated or real area, and the plan derived from them.
 *
 * Immutable, with an atomic reference count, for use in any thread.  Painting and measuring take
 * milliseconds: call those functions in a thread.
 */
#pragma once

#include <gtk/gtk.h>

#include "city/given.h"
#include "city/neighbors.h"
#include "city/vectorize.h"
#include "dataset/dataset.h"

G_BEGIN_DECLS

typedef struct _UrbariumTile UrbariumTile;

enum
{
  URBARIUM_ALL_CLASSES = (1 << URB_N_CLASSES) - 1, /* a bit per UrbClass */
  URBARIUM_ROSE_SECTORS = 18
};

/* @levels: (@size_px, @size_px, @n_channels), row 0 at the top; a reference is taken
 * @base_px: see urb_city_vectors_from_levels () */
UrbariumTile *urbarium_tile_new   (GBytes *levels, int size_px, int base_px, int n_channels,
                                   double size_m);
/* A city of @n_cols x @n_rows areas, each of @size_px pixels and @size_m.
 * @levels: (@n_rows @size_px, @n_cols @size_px, @n_channels) */
UrbariumTile *urbarium_tile_new_wide (GBytes *levels, int n_cols, int n_rows, int size_px, int base_px,
                                      int n_channels, double size_m);
/* A proposal for a site.
 * @given: (nullable): see urb_city_vectors_from_site_levels () */
UrbariumTile *urbarium_tile_new_proposal (GBytes *levels, int size_px, int base_px, int n_channels,
                                          double size_m, UrbGiven *given);
/* An area of a dataset.  Blocks.  Returns: (transfer full) */
UrbariumTile *urbarium_tile_read  (UrbDataset *dataset, gint64 index, int size_px, GError **error);
/* The area nearest to a city, turned like the city. */
UrbariumTile *urbarium_tile_read_nearest (UrbDataset *dataset, const UrbNearest *nearest, int size_px,
                                          GError **error);
UrbariumTile *urbarium_tile_ref   (UrbariumTile *self);
void          urbarium_tile_unref (UrbariumTile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumTile, urbarium_tile_unref)

int           urbarium_tile_get_n_rows   (UrbariumTile *self); /* of areas */
double        urbarium_tile_get_width_m  (UrbariumTile *self);
double        urbarium_tile_get_height_m (UrbariumTile *self);

/* As `urbarium-engine generate` vectorizes them; computed at the first call.
 * Returns: (transfer none) */
const UrbCityVectors *urbarium_tile_get_vectors (UrbariumTile *self);
/* The classes of the pixels as drawn, which `evaluate` measures. (transfer full) */
UrbClassMap          *urbarium_tile_make_class_map (UrbariumTile *self);

/* A part of a tile, and how to paint it. */
typedef struct
{
  gboolean vectors; /* or pixels */
  guint    classes; /* a bit per UrbClass; other classes are painted as paper */
  double   left_m, top_m, right_m, bottom_m; /* from the upper left corner of the tile */
  int      width_px, height_px;
} UrbariumTilePart;

/* The whole tile with all classes; its longer side has @edge_px. */
void        urbarium_tile_part_init (UrbariumTilePart *part, UrbariumTile *tile, gboolean vectors,
                                     int edge_px);
/* Returns: (transfer full) */
GdkTexture *urbarium_tile_paint     (UrbariumTile *self, const UrbariumTilePart *part);

/* Task data of urbarium_tile_paint_async(). */
typedef struct
{
  UrbariumTile    *tile; /* owned */
  UrbariumTilePart part;
  guint            generation;
} UrbariumTilePainting;

/* Paints in a thread.
 * @generation: chosen by the caller, to recognize outdated results
 * @owner: a GObject, the source of the GTask that is passed to @callback with the texture */
void        urbarium_tile_paint_async (UrbariumTile *self, const UrbariumTilePart *part,
                                       guint generation, gpointer owner,
                                       GAsyncReadyCallback callback);

/* Wall length by direction: meters of building walls, except along the tile's edge, in equal
 * sectors of [0°, 90°), counter-clockwise from east. @weights: (URBARIUM_ROSE_SECTORS),
 * accumulated */
void        urbarium_tile_add_rose  (UrbariumTile *self, double *weights);

G_END_DECLS
