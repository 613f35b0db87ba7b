/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrangement-private.h - the borders of a class map as one net.
 *
 * Between pixels of different components run cracks.  Cracks join to arcs; arcs
 * end at nodes (where three or four meet, and at the tile's corners) or close
 * on themselves.  Every arc is stored once and belongs to the two regions
 * beside it, so whatever happens to its shape happens to both: no gaps, no
 * overlaps.  urb_arrangement_try() is the only way to change shapes, and it
 * refuses whatever would make arcs touch, cross, or jump over another.
 *
 * A region's border keeps the region on its left hand.
 */
#pragma once

#include <glib.h>

#include "city/class-map.h"
#include "city/polyline-private.h"

G_BEGIN_DECLS

/* An arc in one of its two directions: 2 * arc + (1 if backwards). */
typedef gint32 UrbHalfArc;

typedef struct
{
  UrbPoint *points;   /* owned; (n_points); a closed arc does not repeat the first */
  guint     n_points;
  gint32    start, end;  /* nodes; -1 in a closed arc */
  gint32    left, right; /* regions; -1 is outside of the tile */
  guint8    start_direction, end_direction; /* of the cracks: 0 east, 1 south, 2 west, 3 north */
  gint32    change;   /* urb_arrangement_try(): index of its change, or -1 */
  guint32   stamp;    /* the same: last looked at in this round */
  gboolean  locked;   /* a straight wall: not to be simplified, its nodes not to be moved */
} UrbArc;

typedef struct
{
  UrbHalfArc out[4]; /* the half arcs that start here, by direction; -1: none */
} UrbNode;

typedef struct
{
  guint8  class_;
  gint64  n_pixels;
  guint   first_ring, n_rings; /* into rings; the first is the outer one */
} UrbRegion;

typedef struct
{
  guint first, n; /* into half_arcs */
} UrbArcRing;

typedef struct
{
  int     width_px, height_px;
  gint32 *labels;    /* owned; (height_px, width_px), the region of each pixel */
  GArray *arcs;      /* UrbArc, owned */
  GArray *nodes;     /* UrbNode */
  GArray *regions;   /* UrbRegion */
  GArray *rings;     /* UrbArcRing, those of a region side by side */
  GArray *half_arcs; /* UrbHalfArc, in the order of the rings */
  gint32 *ring_of;   /* owned; (2 n_arcs), the ring of each half arc; -1: outside of the tile */
  guint32 *ring_stamps; /* owned; (n_rings); urb_arrangement_try(): last looked at */
  int     grid_width, grid_height;
  guint32 stamp;
  GArray **grid;     /* owned; (grid_height, grid_width) of gint32 arcs that come (or came) near */
} UrbArrangement;

UrbArrangement *urb_arrangement_new  (const UrbClassMap *map);
void            urb_arrangement_free (UrbArrangement *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbArrangement, urb_arrangement_free)

static inline UrbArc *
urb_arrangement_get_arc (UrbArrangement *self, gint32 arc)
{
  return &g_array_index (self->arcs, UrbArc, arc);
}

/* Appends the points of a half arc in its own direction, without its last one
 * (which the next half arc begins with). */
void     urb_arrangement_append_points (UrbArrangement *self, UrbHalfArc half, GArray *points);
/* The points of a ring.  @points: (element-type UrbPoint): emptied first */
void     urb_arrangement_get_ring (UrbArrangement *self, guint ring, GArray *points);

/* A new shape for an arc. */
typedef struct
{
  gint32    arc;
  UrbPoint *points; /* owned by the change until it is taken */
  guint     n_points;
} UrbArcChange;

/**
 * urb_arrangement_try:
 * @changes: (inout) (element-type UrbArcChange): at most one per arc; arcs that
 *   meet at a node which moves must all be among them
 *
 * Gives the arcs their new shapes if the net stays a net: no two arcs closer
 * than a 20th of a pixel except in their common nodes, nothing outside of the
 * tile, no other arc on another side than before, and no region turned inside
 * out.  All or none.
 *
 * Returns: whether it was done; the points are taken then
 */
gboolean urb_arrangement_try (UrbArrangement *self, GArray *changes);

/* Sets up what urb_arrangement_try() finds its neighbours with. */
void     urb_arrangement_fill_grid (UrbArrangement *self);

/* @n_conflicts: (out): pairs of segments that cross or overlap; @n_regions: (out):
 * regions with such a border.  0 and 0 in a sound net. */
void     urb_arrangement_count_conflicts (UrbArrangement *self, gint64 *n_conflicts,
                                          gint64 *n_regions);

G_END_DECLS
