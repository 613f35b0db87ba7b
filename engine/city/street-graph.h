/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-graph.h - the streets of a tile as a graph of center lines with widths.
 *
 * Coordinates are pixels of the soft map, x to the right, y down; pixel (row, col) covers
 * [col, col + 1] x [row, row + 1].  Streets that leave the tile end exactly on its edge.
 */
#pragma once

#include "city/polyline-private.h"
#include "city/soft-map.h"

G_BEGIN_DECLS

typedef struct
{
  UrbPoint at;
  guint    degree;      /* edges that end here; a loop counts twice */
  gboolean on_border;   /* the street continues beyond the tile */
} UrbStreetNode;

typedef struct
{
  guint  from, to;      /* nodes */
  guint  first_point, n_points; /* of UrbStreetGraph.points; from node to node, inclusive */
  double width_m;       /* constant along the edge */
  gboolean is_lane;     /* crosses open ground: drawn as any edge, but a square covers most of it */
} UrbStreetEdge;

/* A ring of paved ground too wide for a street: a square, a yard, a parking lot.  The ground is
 * inside an odd number of rings. */
typedef struct
{
  guint    first_point, n_points; /* of UrbStreetGraph.points; the first is not repeated */
  gboolean is_hole;
} UrbStreetSquare;

typedef struct
{
  GArray *nodes;   /* UrbStreetNode, owned */
  GArray *edges;   /* UrbStreetEdge, owned */
  GArray *squares; /* UrbStreetSquare, owned */
  GArray *points;  /* UrbPoint, owned */
  guint   n_bridges;   /* gaps that were bridged */
  double  bridged_m;   /* their total length */
} UrbStreetGraph;

typedef struct
{
  double min_spur_m;   /* shorter dead ends are cut */
  double max_gap_m;    /* wider gaps are not bridged */
  double blind_m;      /* of a gap, this length may be crossed without any trace of a street */
  double min_street_m; /* shorter isolated streets are dropped */
  double aside_m;      /* center lines may lie this far beside the middle of the measured ground */
  double wave_m;       /* shorter waves of a center line are noise */
  double same_width;   /* widths along a street that differ by less than this share are one */
  double square_m;     /* paved ground wider than this is a square */
} UrbStreetOptions;

/* The defaults for a map of this true resolution. */
void            urb_street_options_init (UrbStreetOptions *options, double detail_m);

UrbStreetGraph *urb_street_graph_new    (const UrbSoftMap *map, const UrbStreetOptions *options);
void            urb_street_graph_free   (UrbStreetGraph *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbStreetGraph, urb_street_graph_free)

G_END_DECLS
