/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seams-private.h - for seams.c, seams-border.c and seams-rebuild.c.
 */
#pragma once

#include <math.h>

#include "map/map-private.h"
#include "map/point.h"
#include "map/ring.h"
#include "map/rtree.h"

G_BEGIN_DECLS

#define URB_SEAM_TOLERANCE_M 0.5
/* Nearer borders are the same, but for rounding. */
#define URB_SEAM_TOLD_M      0.001

enum { URB_SEAM_GAP, URB_SEAM_OVERLAP, URB_SEAM_N_KINDS };

/* On the border of a file. */
typedef struct
{
  gint64   start; /* its first vertex */
  gint64   polygon;
  guint16  layer;
  UrbPoint a, b;     /* its ends, moved */
  guint    run;      /* another edge of the same gap or overlap; itself: the first of it */
  double   farthest; /* of what moves or is inserted, in meters */
  int      kind;
  guint16  onto;     /* layer that the farthest is moved to */
} UrbSeamEdge;

typedef struct
{
  UrbPoint from, to;
  guint    edge; /* that has it */
  double   distance;
} UrbSeamMove;

/* A corner of another file between the ends of an edge. */
typedef struct
{
  gint64   start; /* of the edge */
  double   along; /* 0..1 */
  UrbPoint at;
} UrbSeamInsertion;

/* Of two layers. */
typedef struct
{
  guint16 first, second;
  guint   n[URB_SEAM_N_KINDS], n_double;
  double  farthest[URB_SEAM_N_KINDS];
} UrbSeam;

typedef struct
{
  UrbMap     *map;     /* borrowed */
  guint16    *groups;  /* owned; (n_layers): the first layer of that name */
  UrbBox     *extents; /* owned; (n_layers) */
  guint8     *takes_part; /* owned; (n_polygons); not what stays as it was */
  guint8     *is_double;  /* owned; (n_polygons): an earlier file has it */
  GArray     *edges;   /* owned; of Edge, in the layers' order */
  UrbRtree   *tree;    /* owned; over the edges as they were */
  GPtrArray  *moves;   /* owned; (n_layers) of UrbPoint -> Move, owned */
  GArray     *insertions; /* owned; of Insertion */
  GHashTable *seams;   /* owned; first << 16 | second -> Seam, owned */
  GArray     *found;   /* owned; of gint64 */
  gboolean    has_gaps; /* or overlaps */
  guint       n_left;  /* polygons that stay as they were, since they would cross themselves */
} UrbSeams;

/* The two layers' own; made when it is asked for first. */
UrbSeam *urb_seams_get (UrbSeams *self, guint16 first, guint16 second);

/* seams-border.c: finds the edges, then where their ends move and what is inserted; counts what has been closed. */
void urb_seams_find_borders (UrbSeams *self);
void urb_seams_move_borders (UrbSeams *self);
void urb_seams_count        (UrbSeams *self);

/* seams-rebuild.c: FALSE: there is no space for more vertices, and nothing has changed. */
gboolean urb_seams_rebuild (UrbSeams *self);

static inline UrbBox
urb_seam_widen (UrbBox box, double by)
{
  return (UrbBox){ box.min_x - by, box.min_y - by, box.max_x + by, box.max_y + by };
}

/* @along: (out): 0..1 */
static inline double
urb_seam_distance (UrbPoint p, UrbPoint a, UrbPoint b, double *along)
{
  double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;

  *along = length2 > 0 ? CLAMP (((p.x - a.x) * dx + (p.y - a.y) * dy) / length2, 0, 1) : 0;
  return hypot (a.x + *along * dx - p.x, a.y + *along * dy - p.y);
}

static inline UrbPoint
urb_seam_vertex (const UrbMap *map, guint64 index)
{
  return (UrbPoint){ map->xy[2 * index], map->xy[2 * index + 1] };
}

static inline UrbPoint
urb_seam_moved (GHashTable *moves, UrbPoint p)
{
  const UrbSeamMove *move = moves != NULL ? g_hash_table_lookup (moves, &p) : NULL;

  return move != NULL ? move->to : p;
}

G_END_DECLS
