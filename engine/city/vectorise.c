/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectorise.c - vectorizes a class map: straightens the buildings first, while their
 * neighbors still follow the pixels, then simplifies all other borders.
 */
#include "city/vectorise.h"

#include <math.h>

#include "city/arrangement-private.h"
#include "city/simplify-private.h"
#include "city/straighten-private.h"
#include "city/vector-raster.h"

void
urb_city_vectors_free (UrbCityVectors *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->polygons);
  g_array_unref (self->rings);
  g_array_unref (self->xy);
  g_free (self);
}

void
urb_vectorise_options_init (UrbVectoriseOptions *options, double pixel_m, double detail_m)
{
  *options = (UrbVectoriseOptions) {
    .tolerance_m = MAX (0.8 * pixel_m, 0.5 * detail_m),
    .straighten = TRUE,
    .min_wall_m = MAX (MAX (2.0, 1.6 * pixel_m), 0.9 * detail_m),
    .detail_m = MAX (detail_m, pixel_m),
  };
}

/* Drops collinear points that are not nodes; the polygon on the other side loses them too. */
static void
drop_collinear_points (UrbArrangement *net)
{
  for (guint i = 0; i < net->arcs->len; i++)
    {
      UrbArc *arc = urb_arrangement_get_arc (net, (gint32) i);
      guint n = 1;

      if (arc->start < 0)
        continue;
      for (guint k = 1; k + 1 < arc->n_points; k++)
        {
          UrbPoint a = arc->points[n - 1], b = arc->points[k], c = arc->points[k + 1];

          if ((b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x) != 0)
            arc->points[n++] = b;
        }
      arc->points[n++] = arc->points[arc->n_points - 1];
      arc->n_points = n;
    }
}

static UrbCityVectors *
make_vectors (UrbArrangement *net, const UrbClassMap *map)
{
  UrbCityVectors *self = g_new0 (UrbCityVectors, 1);
  g_autoptr(GArray) points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));

  self->width_m = map->width_px * map->pixel_m;
  self->height_m = map->height_px * map->pixel_m;
  self->polygons = g_array_new (FALSE, FALSE, sizeof (UrbCityPolygon));
  self->rings = g_array_new (FALSE, FALSE, sizeof (UrbCityRing));
  self->xy = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < net->regions->len; i++)
    {
      const UrbRegion *region = &g_array_index (net->regions, UrbRegion, i);
      UrbCityPolygon polygon = { region->class_, 0, self->rings->len, region->n_rings };

      for (guint k = 0; k < region->n_rings; k++)
        {
          UrbCityRing ring = { self->xy->len / 2 };

          urb_arrangement_get_ring (net, region->first_ring + k, points);
          ring.n_vertices = points->len;
          for (guint v = 0; v < points->len; v++)
            {
              UrbPoint p = g_array_index (points, UrbPoint, v);
              double xy[2] = { p.x * map->pixel_m, (map->height_px - p.y) * map->pixel_m };

              g_array_append_vals (self->xy, xy, 2);
            }
          g_array_append_val (self->rings, ring);
          polygon.area_m2 -= urb_ring_area2 ((UrbPoint *) (gpointer) points->data, points->len) / 2
                             * map->pixel_m * map->pixel_m;
        }
      g_array_append_val (self->polygons, polygon);
    }
  self->quality.n_vertices = self->xy->len / 2;
  return self;
}

/* ------------------------------------------------------------------------ */
/* Quality                                                                   */

typedef struct
{
  guint8 *classes;  /* (height, width); URB_N_CLASSES: not painted yet */
  int     width_px;
  guint8  class_;
  gint64  n_overlaps;
} Painter;

static void
paint_span (int row, int col_begin, int col_end, gpointer user_data)
{
  Painter *self = user_data;

  for (int col = col_begin; col < col_end; col++)
    {
      guint8 *pixel = self->classes + (gint64) row * self->width_px + col;

      self->n_overlaps += *pixel != URB_N_CLASSES;
      *pixel = self->class_;
    }
}

static void
paint_region (UrbArrangement *net, const UrbRegion *region, Painter *painter)
{
  g_autoptr(GArray) all = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  g_autoptr(GArray) points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  g_autoptr(GArray) sizes = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint k = 0; k < region->n_rings; k++)
    {
      urb_arrangement_get_ring (net, region->first_ring + k, points);
      g_array_append_vals (all, points->data, points->len);
      g_array_append_val (sizes, points->len);
    }
  painter->class_ = region->class_;
  urb_rings_rasterize ((UrbPoint *) (gpointer) all->data, (guint *) (gpointer) sizes->data,
                       sizes->len, net->width_px, net->height_px, paint_span, painter);
}

static void
measure_overlap (UrbArrangement *net, const UrbClassMap *map, UrbVectorQuality *quality)
{
  gint64 n_pixels = (gint64) map->width_px * map->height_px, same = 0;
  gint64 both[URB_N_CLASSES] = { 0 }, either[URB_N_CLASSES] = { 0 };
  g_autofree guint8 *painted = g_malloc ((gsize) n_pixels);
  Painter painter = { painted, map->width_px };

  for (gint64 i = 0; i < n_pixels; i++)
    painted[i] = URB_N_CLASSES;
  for (guint i = 0; i < net->regions->len; i++)
    paint_region (net, &g_array_index (net->regions, UrbRegion, i), &painter);
  for (gint64 i = 0; i < n_pixels; i++)
    {
      guint8 before = map->classes[i], after = painted[i];

      if (after == URB_N_CLASSES)
        quality->n_gaps++;
      else
        either[after] += after != before;
      either[before]++;
      both[before] += after == before;
      same += after == before;
    }
  for (int c = 0; c < URB_N_CLASSES; c++)
    quality->overlap[c] = either[c] > 0 ? (double) both[c] / (double) either[c] : 1;
  quality->agreement = (double) same / (double) n_pixels;
  quality->n_overlaps = painter.n_overlaps;
}

/* Counts bends of more than 10 degrees, which excludes nodes within a wall. */
static void
count_corners (UrbArrangement *net, const GArray *points, UrbVectorQuality *quality)
{
  for (guint i = 0; i < points->len; i++)
    {
      UrbPoint a = g_array_index (points, UrbPoint, (i + points->len - 1) % points->len);
      UrbPoint b = g_array_index (points, UrbPoint, i);
      UrbPoint c = g_array_index (points, UrbPoint, (i + 1) % points->len);
      double cross = (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
      double dot = (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y);
      double bend = fabs (atan2 (cross, dot)) * 180 / G_PI;

      if (b.x <= 0 || b.y <= 0 || b.x >= net->width_px || b.y >= net->height_px || bend <= 10)
        continue;
      quality->n_corners++;
      quality->n_square_corners += fabs (bend - 90) <= 5;
    }
}

static void
measure_buildings (UrbArrangement *net, UrbVectorQuality *quality)
{
  g_autoptr(GArray) points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));

  for (guint i = 0; i < net->regions->len; i++)
    {
      const UrbRegion *region = &g_array_index (net->regions, UrbRegion, i);

      for (guint k = 0; k < region->n_rings && region->class_ == URB_CLASS_BUILDING; k++)
        {
          urb_arrangement_get_ring (net, region->first_ring + k, points);
          count_corners (net, points, quality);
        }
    }
}

UrbCityVectors *
urb_vectorise (const UrbClassMap *map, const UrbVectoriseOptions *options)
{
  g_autoptr(UrbArrangement) net = urb_arrangement_new (map);
  const UrbStraightenOptions straighten
    = { .tolerance_px = MAX (0.7 * options->tolerance_m / map->pixel_m, 0.8),
        .min_wall_px = MAX (options->min_wall_m / map->pixel_m, 1.6),
        .detail_px = MAX (options->detail_m / map->pixel_m, 1) };
  UrbVectorQuality quality = { 0 };
  UrbCityVectors *self;

  for (guint i = 0; i < net->regions->len; i++)
    if (g_array_index (net->regions, UrbRegion, i).class_ == URB_CLASS_BUILDING)
      {
        quality.n_buildings++;
        quality.n_straight += options->straighten
                              && urb_arrangement_straighten_region (net, (gint32) i, &straighten);
      }
  for (guint i = 0; i < net->arcs->len && options->tolerance_m > 0; i++)
    {
      const UrbArc *arc = urb_arrangement_get_arc (net, (gint32) i);

      if (!arc->locked && arc->left >= 0 && arc->right >= 0)
        urb_arrangement_simplify_arc (net, (gint32) i, options->tolerance_m / map->pixel_m);
    }
  drop_collinear_points (net);
  self = make_vectors (net, map);
  quality.n_vertices = self->quality.n_vertices;
  measure_overlap (net, map, &quality);
  measure_buildings (net, &quality);
  urb_arrangement_count_conflicts (net, &quality.n_conflicts, &quality.n_invalid);
  self->quality = quality;
  return self;
}
