/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-strokes-private.h - strokes: streets that run straight through junctions.
 *
 * Each edge of a trace has two sides: 2 i for the start of edge i, 2 i + 1 for its end.  A side is
 * where a street enters the edge; side ^ 1 is the other side of the same edge.
 */
#pragma once

#include "city/street-profile-private.h"

G_BEGIN_DECLS

/* Edges that continue each other, drawn as one curve. */
typedef struct
{
  GArray *sides;    /* guint, owned; in order, the side at which each edge is entered */
  GArray *curve;    /* UrbPoint, owned; at least 2 */
  double  area_px2; /* main streets have more than side streets */
} UrbStreetStroke;

typedef struct
{
  const UrbStreetTrace *trace;     /* borrowed */
  const UrbStreetMask  *mask;      /* borrowed */
  double                pixel_m;
  GPtrArray            *profiles;  /* UrbStreetProfile, owned; of each edge */
  GPtrArray            *strokes;   /* UrbStreetStroke, owned */
  double               *widths_px; /* owned; of each edge */
  guint                *first;     /* owned; (n_nodes + 1), the range of each node in incident */
  guint                *incident;  /* owned; the sides at each node */
  guint                *partners;  /* owned; of each side, the side that continues it across the
                                    * node, or G_MAXUINT */
  guint                *stroke_of; /* owned; of each edge, the index of its stroke */
} UrbStreetStrokes;

/* Finds the strokes of a trace.  The edges of a stroke have the same width where their measured
 * widths agree.  @trace and @mask must outlive the result. */
UrbStreetStrokes *urb_street_strokes_new  (const UrbStreetTrace *trace, const guint8 *skeleton,
                                           const UrbStreetMask *mask, const UrbSoftMap *map,
                                           const UrbStreetOptions *options);
void              urb_street_strokes_free (UrbStreetStrokes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbStreetStrokes, urb_street_strokes_free)

static inline const UrbTraceEdge *
urb_street_strokes_get_edge (const UrbStreetStrokes *self, guint side)
{
  return &g_array_index (self->trace->edges, UrbTraceEdge, side / 2);
}

static inline guint
urb_street_strokes_get_node (const UrbStreetStrokes *self, guint side)
{
  const UrbTraceEdge *edge = urb_street_strokes_get_edge (self, side);

  return side % 2 == 0 ? edge->from : edge->to;
}

static inline const UrbStreetProfile *
urb_street_strokes_get_profile (const UrbStreetStrokes *self, guint side)
{
  return g_ptr_array_index (self->profiles, side / 2);
}

/* Whether the stroke of @side does not continue across the node there. */
static inline gboolean
urb_street_strokes_ends_at (const UrbStreetStrokes *self, guint side)
{
  return self->partners[side] == G_MAXUINT;
}

/**
 * urb_street_junctions_place:
 *
 * Places each node where its strokes meet, and bends their curves to end there or pass there.
 *
 * Returns: (transfer full): (n_nodes); (0, 0) for nodes without edges
 */
UrbPoint *urb_street_junctions_place (UrbStreetStrokes *strokes);

G_END_DECLS
