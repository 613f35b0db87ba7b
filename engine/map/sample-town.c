/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town.c - draws a town from coarse to fine, and returns it as plain rings in
 * LV95.
 */
#include "map/sample-town-private.h"

#include <cpl_error.h>

/* Position of the lower left corner in LV95: the middle of Switzerland's frame. */
#define ORIGIN_EAST_M 2600000.0
#define ORIGIN_NORTH_M 1200000.0

/* ---- output ---- */

void
urb_sample_town_free (UrbSampleTown *self)
{
  g_array_unref (self->polygons);
  g_array_unref (self->rings);
  g_array_unref (self->xy);
  g_free (self);
}

static void
append_polygon (UrbSampleTown *self, const TownPolygon *polygon, UrbTownKind kind)
{
  UrbTownPolygon entry = { self->rings->len, polygon->rings->len, kind };

  for (guint i = 0; i < polygon->rings->len; i++)
    {
      const GArray *ring = polygon->rings->pdata[i];
      guint32 n = ring->len;

      g_array_append_val (self->rings, n);
      for (guint k = 0; k < n; k++)
        {
          TownPoint p = g_array_index (ring, TownPoint, k);
          double xy[2] = { ORIGIN_EAST_M + p.x, ORIGIN_NORTH_M + p.y };

          g_array_append_vals (self->xy, xy, 2);
        }
    }
  g_array_append_val (self->polygons, entry);
}

/* Appends the part of a piece that lies in the square. */
static void
append_clipped (UrbSampleTown *self, const TownPiece *piece, OGRGeometryH square)
{
  g_autoptr(GPtrArray) inside = NULL, outside = NULL;

  if (urb_box_contains ((UrbBox){ 0, 0, self->size_m, self->size_m }, piece->polygon->box))
    {
      append_polygon (self, piece->polygon, piece->kind);
      return;
    }
  inside = town_polygon_array_new ();
  outside = town_polygon_array_new ();
  town_cut (piece->polygon, square, inside, outside);
  for (guint i = 0; i < inside->len; i++)
    append_polygon (self, inside->pdata[i], piece->kind);
}

/* ---- drawing ---- */

typedef struct
{
  UrbProgressFunc func; /* (nullable) */
  gpointer        user_data;
  GCancellable   *cancellable; /* (nullable) borrowed */
} Watcher;

static gboolean
report (const Watcher *watcher, double fraction, const char *what, GError **error)
{
  if (watcher->func != NULL)
    watcher->func (fraction, what, watcher->user_data);
  return !g_cancellable_set_error_if_cancelled (watcher->cancellable, error);
}

static gboolean
cut_districts (TownPlan *plan, GPtrArray *blocks, const Watcher *watcher, GError **error)
{
  g_autoptr(GPtrArray) districts = g_steal_pointer (&plan->districts);
  double total = 0, done = 0;

  plan->districts = town_polygon_array_new ();
  for (guint i = 0; i < districts->len; i++)
    total += town_polygon_area (districts->pdata[i]);
  for (guint i = 0; i < districts->len; i++)
    {
      if (!report (watcher, 0.02 + 0.38 * done / total, "Laying out streets", error))
        return FALSE;
      done += town_polygon_area (districts->pdata[i]);
      town_cut_blocks (plan, g_steal_pointer (&districts->pdata[i]), i, blocks,
                       watcher->cancellable);
    }
  g_ptr_array_set_free_func (districts, NULL);
  return TRUE;
}

static UrbSampleTown *
draw_town (guint64 seed, double size_m, const Watcher *watcher, GError **error)
{
  g_autoptr(TownPlan) plan = NULL;
  g_autoptr(GPtrArray) blocks = town_block_array_new ();
  g_autoptr(UrbSampleTown) self = NULL;
  g_autoptr(GArray) corners = town_ring_new ();
  g_auto(UrbOgrGeometry) square = NULL;

  if (!report (watcher, 0, "Laying out streets", error))
    return NULL;
  plan = town_plan_new (seed, size_m, watcher->cancellable);
  if (!cut_districts (plan, blocks, watcher, error))
    return NULL;
  for (guint i = 0; i < blocks->len; i++)
    {
      if (i % 16 == 0 && !report (watcher, 0.4 + 0.58 * i / blocks->len, "Building houses", error))
        return NULL;
      town_build_block (plan, blocks->pdata[i], i);
    }

  self = g_new0 (UrbSampleTown, 1);
  self->size_m = size_m;
  self->extent = (UrbBox){ ORIGIN_EAST_M, ORIGIN_NORTH_M, ORIGIN_EAST_M + size_m,
                           ORIGIN_NORTH_M + size_m };
  self->polygons = g_array_new (FALSE, FALSE, sizeof (UrbTownPolygon));
  self->rings = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->xy = g_array_new (FALSE, FALSE, sizeof (double));
  town_ring_append (corners, 0, 0);
  town_ring_append (corners, size_m, 0);
  town_ring_append (corners, size_m, size_m);
  town_ring_append (corners, 0, size_m);
  square = town_geometry_from_ring (corners);
  for (guint i = 0; i < plan->pieces->len; i++)
    append_clipped (self, &g_array_index (plan->pieces, TownPiece, i), square);
  return report (watcher, 1, "Building houses", error) ? g_steal_pointer (&self) : NULL;
}

UrbSampleTown *
urb_sample_town_new (guint64 seed, double size_m, UrbProgressFunc progress, gpointer user_data,
                     GCancellable *cancellable, GError **error)
{
  Watcher watcher = { progress, user_data, cancellable };
  UrbSampleTown *self;

  if (!(size_m >= URB_SAMPLE_TOWN_MIN_SIZE_M && size_m <= URB_SAMPLE_TOWN_MAX_SIZE_M))
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_LIMIT,
                   "A sample town can be %g to %g km wide, not %g km",
                   URB_SAMPLE_TOWN_MIN_SIZE_M / 1000, URB_SAMPLE_TOWN_MAX_SIZE_M / 1000,
                   size_m / 1000);
      return NULL;
    }
  CPLPushErrorHandler (CPLQuietErrorHandler); /* town_cut() handles errors of GEOS */
  self = draw_town (seed, size_m, &watcher, error);
  CPLPopErrorHandler ();
  return self;
}
