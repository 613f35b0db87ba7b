/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrangement-private.h - the borders of a class map as a planar arrangement of arcs.
 *
 * Cracks are the pixel edges between different components.  They join to arcs, which
 * end at nodes (where three or four meet, and at the tile's corners) or are closed.
 * Each arc is stored once and shared by the two adjacent regions, so a change of its
 * shape applies to both: no gaps, no overlaps.  Shapes change only through
 * urb_arrangement_try(), which rejects changes that make arcs touch, cross, or jump
 * over another.
 *
 * A region lies to the left of its border.
 */
#pragma once

#include <glib.h>

#include "city/class-map.h"
#include "city/polyline-private.h"

G_BEGIN_DECLS

/* An arc in one of its two directions: 2 * arc + (1 if backward). */
typedef gint32 UrbHalfArc;

typedef struct
{
  UrbPoint *points;   /* owned; (n_points); a closed arc does not repeat the first */
  guint     n_points;
  gint32    start, end;  /* nodes; -1 in a closed arc */
  gint32    left, right; /* regions; -1: outside the tile */
  guint8    start_direction, end_direction; /* of the cracks: 0 east, 1 south, 2 west, 3 north */
  gint32    change;   /* urb_arrangement_try(): index of its change, or -1 */
  guint32   stamp;    /* urb_arrangement_try(): last search that visited it */
  gboolean  locked;   /* a straight wall: neither simplified nor moved */
} UrbArc;

typedef struct
{
  UrbHalfArc out[4]; /* outgoing half arcs by direction; -1: none */
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
  GArray *rings;     /* UrbArcRing, grouped by region */
  GArray *half_arcs; /* UrbHalfArc, in the order of the rings */
  gint32 *ring_of;   /* owned; (2 n_arcs), the ring of each half arc; -1: outside the tile */
  guint32 *ring_stamps; /* owned; (n_rings); urb_arrangement_try(): last search that visited it */
  int     grid_width, grid_height;
  guint32 stamp;
  GArray **grid;     /* owned; (grid_height, grid_width) of gint32: arcs that are or were nearby */
} UrbArrangement;

UrbArrangement *urb_arrangement_new  (const UrbClassMap *map);
void            urb_arrangement_free (UrbArrangement *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbArrangement, urb_arrangement_free)

static inline UrbArc *
urb_arrangement_get_arc (UrbArrangement *self, gint32 arc)
{
  return &g_array_index (self->arcs, UrbArc, arc);
}

/* Appends the points of a half arc in its direction, except the last, with which the next
 * half arc begins. */
void     urb_arrangement_append_points (UrbArrangement *self, UrbHalfArc half, GArray *points);
/* Replaces @points (element-type UrbPoint) by the points of a ring. */
void     urb_arrangement_get_ring (UrbArrangement *self, guint ring, GArray *points);

/* A new shape for an arc. */
typedef struct
{
  gint32    arc;
  UrbPoint *points; /* owned by the change until it is applied */
  guint     n_points;
} UrbArcChange;

/**
 * urb_arrangement_try:
 * @changes: (inout) (element-type UrbArcChange): at most one per arc; includes all
 *   arcs that meet at a node that moves
 *
 * Applies all changes if the arrangement stays valid: arcs at least 0.05 pixels apart
 * except at common nodes, nothing outside the tile, no other arc on a different side
 * than before, no region turned inside out.  Otherwise applies none.
 *
 * Returns: whether the changes were applied, which takes their points
 */
gboolean urb_arrangement_try (UrbArrangement *self, GArray *changes);

/* Builds the spatial index of urb_arrangement_try(). */
void     urb_arrangement_fill_grid (UrbArrangement *self);

/* @n_conflicts: (out): pairs of segments that cross or overlap; @n_regions: (out):
 * regions with such a border.  Both are 0 in a valid arrangement. */
void     urb_arrangement_count_conflicts (UrbArrangement *self, gint64 *n_conflicts,
                                          gint64 *n_regions);

G_END_DECLS
