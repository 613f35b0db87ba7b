/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-surface.c - see street-surface-private.h.
 */
#include "city/street-surface-private.h"

#include <math.h>

enum { ARC_SEGMENTS = 4 }; /* per quarter circle */

/* Radius of the curbs where streets meet, and how far a border may be off for fewer corners. */
static const double curb_m = 2, tolerance_m = 0.1;

GEOSGeometry *
urb_street_center_line (UrbGeometry *geometry, const UrbStreetGraph *streets,
                        const UrbStreetEdge *edge, double beyond)
{
  const UrbPoint *points = &g_array_index (streets->points, UrbPoint, edge->first_point);
  g_autofree UrbPoint *line = g_memdup2 (points, edge->n_points * sizeof *points);
  guint n = edge->n_points;

  for (int end = 0; end < 2; end++)
    {
      guint node = end == 0 ? edge->from : edge->to;
      UrbPoint *tip = &line[end == 0 ? 0 : n - 1];
      UrbPoint before = line[end == 0 ? 1 : n - 2];
      double length = hypot (tip->x - before.x, tip->y - before.y);

      if (!g_array_index (streets->nodes, UrbStreetNode, node).on_border || length <= 0)
        continue;
      tip->x += (tip->x - before.x) * beyond / length;
      tip->y += (tip->y - before.y) * beyond / length;
    }
  return urb_geometry_from_points (geometry, line, n, FALSE);
}

static void
add_strip (UrbGeometry *geometry, const UrbStreetGraph *streets, const UrbStreetEdge *edge,
           GPtrArray *shapes)
{
  GEOSGeometry *line = urb_street_center_line (
    geometry, streets, edge, (edge->width_m + 2 * curb_m) / geometry->pixel_m);

  g_ptr_array_add (shapes, urb_geometry_keep (
                             geometry, GEOSBufferWithStyle_r (
                                         geometry->handle, line,
                                         edge->width_m / geometry->pixel_m / 2, ARC_SEGMENTS,
                                         GEOSBUF_CAP_FLAT, GEOSBUF_JOIN_ROUND, 5)));
}

static void
note_width (double *two_widest, double width_m)
{
  if (width_m > two_widest[0])
    {
      two_widest[1] = two_widest[0];
      two_widest[0] = width_m;
    }
  else
    two_widest[1] = MAX (two_widest[1], width_m);
}

/* Strips end flat.  A disc at each junction fills the wedges between them.  It is as wide as the second
 * widest: where a street only becomes narrower, a wider disc would bulge. */
static void
add_joints (UrbGeometry *geometry, const UrbStreetGraph *streets, GPtrArray *shapes)
{
  g_autofree double *widths = g_new0 (double, 2 * MAX (streets->nodes->len, 1));

  for (guint i = 0; i < streets->edges->len; i++)
    {
      const UrbStreetEdge *edge = &g_array_index (streets->edges, UrbStreetEdge, i);

      note_width (&widths[2 * edge->from], edge->width_m);
      note_width (&widths[2 * edge->to], edge->width_m);
    }
  for (guint i = 0; i < streets->nodes->len; i++)
    {
      const UrbStreetNode *node = &g_array_index (streets->nodes, UrbStreetNode, i);
      GEOSGeometry *point;

      if (node->degree < 2)
        continue;
      point = urb_geometry_keep (
        geometry, GEOSGeom_createPointFromXY_r (geometry->handle, node->at.x,
                                                geometry->height - node->at.y));
      g_ptr_array_add (shapes, urb_geometry_keep (geometry,
                                                  GEOSBuffer_r (geometry->handle, point,
                                                                widths[2 * i + 1] / geometry->pixel_m / 2, 2 * ARC_SEGMENTS)));
    }
}

static GEOSGeometry *
unite_squares (UrbGeometry *geometry, const UrbStreetGraph *streets)
{
  g_autoptr(GPtrArray) rings = g_ptr_array_new (), holes = g_ptr_array_new ();

  for (guint i = 0; i < streets->squares->len; i++)
    {
      const UrbStreetSquare *square = &g_array_index (streets->squares, UrbStreetSquare, i);

      g_ptr_array_add (square->is_hole ? holes : rings,
                       urb_geometry_from_points (
                         geometry, &g_array_index (streets->points, UrbPoint, square->first_point),
                         square->n_points, TRUE));
    }
  GEOSGeometry *paved = urb_geometry_unite (geometry, rings);

  if (holes->len == 0)
    return paved;
  return urb_geometry_keep (geometry,
                            GEOSDifference_r (geometry->handle, paved,
                                              urb_geometry_unite (geometry, holes)));
}

GEOSGeometry *
urb_street_surface_new (UrbGeometry *geometry, const UrbStreetGraph *streets)
{
  GEOSContextHandle_t geos = geometry->handle;
  g_autoptr(GPtrArray) shapes = g_ptr_array_new ();
  GEOSGeometry *all, *wide, *rounded;
  double curb = curb_m / geometry->pixel_m;

  for (guint i = 0; i < streets->edges->len; i++)
    add_strip (geometry, streets, &g_array_index (streets->edges, UrbStreetEdge, i), shapes);
  add_joints (geometry, streets, shapes);
  g_ptr_array_add (shapes, unite_squares (geometry, streets));
  all = urb_geometry_unite (geometry, shapes);
  /* Wider with sharp corners, then narrower with round ones: only re-entrant corners change. */
  wide = urb_geometry_keep (geometry, GEOSBufferWithStyle_r (geos, all, curb, ARC_SEGMENTS,
                                                             GEOSBUF_CAP_FLAT, GEOSBUF_JOIN_MITRE,
                                                             5));
  rounded = urb_geometry_keep (geometry, GEOSBufferWithStyle_r (geos, wide, -curb, ARC_SEGMENTS,
                                                                GEOSBUF_CAP_FLAT,
                                                                GEOSBUF_JOIN_ROUND, 5));
  rounded = urb_geometry_keep (geometry,
                               GEOSTopologyPreserveSimplify_r (
                                           geos, rounded, tolerance_m / geometry->pixel_m));
  return urb_geometry_keep (geometry, GEOSClipByRect_r (geos, rounded, 0, 0, geometry->width,
                                                        geometry->height));
}
