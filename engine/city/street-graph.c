/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-graph.c - see street-graph.h.
 */
#include "city/components.h"
#include "city/street-private.h"

void
urb_street_options_init (UrbStreetOptions *options, double detail_m)
{
  *options = (UrbStreetOptions) {
    .min_spur_m = CLAMP (3 * detail_m, 8, 20),
    .max_gap_m = 6 * detail_m,
    .blind_m = 2.5 * detail_m,
    .min_street_m = CLAMP (5 * detail_m, 10, 20),
    .aside_m = MAX (0.5, 0.2 * detail_m),
    .wave_m = MAX (14, 5 * detail_m),
    .same_width = 0.15,
    .square_m = 18,
  };
}

/* The connected parts of the skeleton, and those of the land between its lines.
 * @labels: (height, width).  Returns: (element-type UrbComponent) (transfer full) */
static GArray *
label_parts (const guint8 *skeleton, const UrbStreetMask *mask, UrbConnectivity connectivity,
             gint32 *labels)
{
  gsize n_pixels = (gsize) mask->width * (gsize) mask->height;
  g_autofree guint8 *lines = g_malloc (n_pixels);

  for (gsize i = 0; i < n_pixels; i++)
    lines[i] = skeleton[i] != URB_SKELETON_NONE;
  return urb_components_label (lines, mask->width, mask->height, connectivity, labels);
}

/* Fills loops of lines, where a bridge runs beside a street. */
static void
fill_loops (guint8 *skeleton, const UrbStreetMask *mask)
{
  gsize n_pixels = (gsize) mask->width * (gsize) mask->height;
  g_autofree gint32 *labels = g_new (gint32, n_pixels);
  g_autoptr(GArray) parts = label_parts (skeleton, mask, URB_CONNECT_4, labels);

  for (gsize i = 0; i < n_pixels; i++)
    {
      const UrbComponent *part = &g_array_index (parts, UrbComponent, labels[i]);

      if (!part->value && !part->touches_border && (double) part->n_pixels < mask->min_hole_px2)
        skeleton[i] = URB_SKELETON_STREET;
    }
}

/* Erases parts of the skeleton of fewer than @min_px pixels. */
static void
drop_fragments (guint8 *skeleton, const UrbStreetMask *mask, double min_px)
{
  gsize n_pixels = (gsize) mask->width * (gsize) mask->height;
  g_autofree gint32 *labels = g_new (gint32, n_pixels);
  g_autoptr(GArray) parts = label_parts (skeleton, mask, URB_CONNECT_8, labels);

  for (gsize i = 0; i < n_pixels; i++)
    if (skeleton[i] != URB_SKELETON_NONE
        && (double) g_array_index (parts, UrbComponent, labels[i]).n_pixels < min_px)
      skeleton[i] = URB_SKELETON_NONE;
}

UrbStreetGraph *
urb_street_graph_new (const UrbSoftMap *map, const UrbStreetOptions *options)
{
  UrbStreetGraph *self = g_new0 (UrbStreetGraph, 1);
  g_autoptr(UrbStreetMask) mask = urb_street_mask_new (map);
  g_autofree guint8 *skeleton = urb_street_skeleton_new (mask);
  g_autofree guint8 *open = urb_street_open_ground (mask, options->square_m / map->pixel_m);
  g_autoptr(UrbStreetTrace) trace = NULL;
  double min_spur_px = options->min_spur_m / map->pixel_m;

  self->nodes = g_array_new (FALSE, FALSE, sizeof (UrbStreetNode));
  self->edges = g_array_new (FALSE, FALSE, sizeof (UrbStreetEdge));
  self->squares = g_array_new (FALSE, FALSE, sizeof (UrbStreetSquare));
  self->points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  urb_street_skeleton_prune (skeleton, mask, min_spur_px);
  urb_street_skeleton_bridge (skeleton, mask, map, options, &self->n_bridges, &self->bridged_m);
  fill_loops (skeleton, mask);
  urb_street_skeleton_thin (skeleton, mask);
  urb_street_skeleton_prune (skeleton, mask, min_spur_px);
  drop_fragments (skeleton, mask, options->min_street_m / map->pixel_m);
  trace = urb_street_trace_new (skeleton, mask);
  urb_street_trace_find_lanes (trace, open, mask);
  urb_street_trace_merge_junctions (trace, mask->width);
  urb_street_graph_draw (self, trace, skeleton, mask, map, options);
  urb_street_graph_add_squares (self, mask, map->pixel_m, options);
  return self;
}

void
urb_street_graph_free (UrbStreetGraph *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->nodes);
  g_array_unref (self->edges);
  g_array_unref (self->squares);
  g_array_unref (self->points);
  g_free (self);
}
