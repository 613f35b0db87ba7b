/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-private.h - the steps from a soft map to a street graph.
 *
 * Pixel (row, col) has the index row * width + col and its center at (col + 0.5, row + 0.5).
 */
#pragma once

#include "city/street-graph.h"

G_BEGIN_DECLS

/* ------------------------------------------------------------------------ */
/* The ground of streets                                                     */

typedef struct
{
  int     width, height;
  double  detail_px; /* the true resolution, at least 1 */
  double  min_hole_px2; /* smaller holes in the ground are none */
  guint8 *inside;    /* owned; (height, width) of 0 and 1 */
  float  *depth;     /* owned; (height, width), distance to the nearest pixel outside, in pixels;
                      * what lies beyond the tile counts as inside */
} UrbStreetMask;

UrbStreetMask *urb_street_mask_new  (const UrbSoftMap *map);
void           urb_street_mask_free (UrbStreetMask *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbStreetMask, urb_street_mask_free)

/* The point of the tile that is nearest to @point. */
UrbPoint       urb_street_mask_clamp (const UrbStreetMask *self, UrbPoint point);

/* Distances between pixel centers (exact, Felzenszwalb and Huttenlocher, 2012), to the nearest
 * pixel of value @to; width + height if there is none.
 * Returns: (transfer full): (height, width) */
float         *urb_pixel_distances  (const guint8 *values, guint8 to, int width, int height);

/* The pixels of ground wider than @width_px: of all discs of this diameter that are inside.
 * Returns: (transfer full): (height, width) of 0 and 1 */
guint8        *urb_street_open_ground (const UrbStreetMask *mask, double width_px);

/* ------------------------------------------------------------------------ */
/* Its skeleton                                                              */

/* Values of skeleton pixels. */
enum { URB_SKELETON_NONE, URB_SKELETON_STREET, URB_SKELETON_BRIDGE };

/* Thins @mask to lines of one pixel with the same topology, along the ridges of the depth.  Ends
 * where streets leave the tile stay.  Returns: (transfer full): (height, width) */
guint8 *urb_street_skeleton_new  (const UrbStreetMask *mask);

/* Removes pixels that neither connect lines nor end them. */
void    urb_street_skeleton_thin (guint8 *skeleton, const UrbStreetMask *mask);

typedef struct
{
  UrbPoint at;
  double   radius;    /* the largest depth of its pixels, in pixels */
  guint    degree;
  gboolean on_border;
} UrbTraceNode;

typedef struct
{
  guint from, to;       /* nodes */
  guint first, n;       /* of UrbStreetTrace.pixels; without those of the nodes */
  gboolean is_lane;     /* crosses open ground, which has no width of a street */
} UrbTraceEdge;

/* A skeleton as a graph. */
typedef struct
{
  GArray *nodes;  /* UrbTraceNode, owned */
  GArray *edges;  /* UrbTraceEdge, owned */
  GArray *pixels; /* gint32, owned */
} UrbStreetTrace;

UrbStreetTrace *urb_street_trace_new   (const guint8 *skeleton, const UrbStreetMask *mask);
void            urb_street_trace_free  (UrbStreetTrace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbStreetTrace, urb_street_trace_free)

double          urb_street_trace_length (const UrbStreetTrace *self, const UrbTraceEdge *edge,
                                         int width);

/* The sides of edges at each node: 2 i for the start of edge i, 2 i + 1 for its end.
 * @first: (out) (transfer full): (n_nodes + 1), the range of each node in the result */
guint          *urb_street_trace_index (const UrbStreetTrace *self, guint **first);

/* Marks lanes, and drops those that end in the open.  @open: (height, width) */
void            urb_street_trace_find_lanes (UrbStreetTrace *self, const guint8 *open,
                                             const UrbStreetMask *mask);

/* Unites junctions that are closer than the streets are wide. */
void            urb_street_trace_merge_junctions (UrbStreetTrace *self, int width);

/* Erases branches that reach less than @min_spur_px beyond the street they leave. */
void            urb_street_skeleton_prune (guint8 *skeleton, const UrbStreetMask *mask,
                                           double min_spur_px);

/* Joins dead ends to streets ahead of them, where the soft map makes a street likely. */
void            urb_street_skeleton_bridge (guint8 *skeleton, const UrbStreetMask *mask,
                                            const UrbSoftMap *map,
                                            const UrbStreetOptions *options,
                                            guint *n_bridges, double *bridged_m);

/* ------------------------------------------------------------------------ */
/* Center lines and widths                                                   */

/* Draws the traced streets as smooth lines of constant width. */
void urb_street_graph_draw   (UrbStreetGraph *self, const UrbStreetTrace *trace,
                              const guint8 *skeleton, const UrbStreetMask *mask,
                              const UrbSoftMap *map, const UrbStreetOptions *options);

/* Adds paved ground that the edges do not cover. */
void urb_street_graph_add_squares (UrbStreetGraph *self, const UrbStreetMask *mask, double pixel_m,
                                   const UrbStreetOptions *options);

/**
 * urb_street_curve:
 * @points: at least 2, one pixel apart or so, noisy
 * @tolerance: how far the curve may be from the smoothed points, in pixels
 * @smooth_px: waves shorter than this are noise
 *
 * Straight lines and arcs along the points.  The ends move.  Returns: (transfer full)
 * (element-type UrbPoint)
 */
GArray *urb_street_curve (const UrbPoint *points, guint n, double tolerance, double smooth_px);

G_END_DECLS
