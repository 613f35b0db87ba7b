/* SPDX-License-Identifier: Apache-2.0 */
/*
 * geometry.c - see geometry-private.h.
 */
#include "city/geometry-private.h"

#include <math.h>

static void
log_cb (const char *message, void *user_data)
{
  (void) user_data;
  g_info ("GEOS: %s", message);
}

UrbGeometry *
urb_geometry_new (int width_px, int height_px, double pixel_m)
{
  UrbGeometry *self = g_new0 (UrbGeometry, 1);

  self->handle = GEOS_init_r ();
  GEOSContext_setErrorMessageHandler_r (self->handle, log_cb, NULL);
  self->owned = g_ptr_array_new ();
  self->width = width_px;
  self->height = height_px;
  self->pixel_m = pixel_m;
  self->grid = exp2 (-MAX (0, ceil (log2 (pixel_m / 0.01))));
  return self;
}

void
urb_geometry_free (UrbGeometry *self)
{
  for (guint i = 0; i < self->owned->len; i++)
    GEOSGeom_destroy_r (self->handle, self->owned->pdata[i]);
  g_ptr_array_unref (self->owned);
  GEOS_finish_r (self->handle);
  g_free (self);
}

GEOSGeometry *
urb_geometry_keep (UrbGeometry *self, GEOSGeometry *shape)
{
  if (shape == NULL)
    {
      self->n_missing++;
      shape = GEOSGeom_createEmptyCollection_r (self->handle, GEOS_GEOMETRYCOLLECTION);
    }
  g_ptr_array_add (self->owned, shape);
  return shape;
}

/* Takes @polygon. */
static GEOSGeometry *
keep_valid (UrbGeometry *self, GEOSGeometry *polygon)
{
  urb_geometry_keep (self, polygon);
  return GEOSisValid_r (self->handle, polygon) == 1
           ? polygon : urb_geometry_keep (self, GEOSMakeValid_r (self->handle, polygon));
}

GEOSGeometry *
urb_geometry_from_points (UrbGeometry *self, const UrbPoint *points, guint n, gboolean closed)
{
  GEOSContextHandle_t geos = self->handle;
  g_autofree double *xy = g_new (double, 2 * ((gsize) n + 1));
  GEOSCoordSequence *sequence;

  for (guint i = 0; i < n + closed; i++)
    {
      xy[2 * i] = points[i % n].x;
      xy[2 * i + 1] = self->height - points[i % n].y;
    }
  sequence = GEOSCoordSeq_copyFromBuffer_r (geos, xy, n + closed, 0, 0);
  if (!closed)
    return urb_geometry_keep (self, GEOSGeom_createLineString_r (geos, sequence));
  GEOSGeometry *ring = GEOSGeom_createLinearRing_r (geos, sequence);

  return keep_valid (self, ring != NULL ? GEOSGeom_createPolygon_r (geos, ring, NULL, 0) : NULL);
}

/* Returns: (transfer full) (nullable): NULL if it is no ring */
static GEOSGeometry *
make_ring (UrbGeometry *self, const double *xy, guint n, double unit)
{
  g_autofree double *scaled = g_new (double, 2 * ((gsize) n + 1));

  for (guint i = 0; i <= n; i++)
    {
      scaled[2 * i] = xy[2 * (i % n)] / unit;
      scaled[2 * i + 1] = xy[2 * (i % n) + 1] / unit;
    }
  return GEOSGeom_createLinearRing_r (
    self->handle, GEOSCoordSeq_copyFromBuffer_r (self->handle, scaled, n + 1, 0, 0));
}

GEOSGeometry *
urb_geometry_from_rings (UrbGeometry *self, const double *xy, const guint *sizes, guint n_rings,
                         double unit)
{
  g_autoptr(GPtrArray) rings = g_ptr_array_new ();

  for (guint k = 0; k < n_rings; xy += 2 * (gsize) sizes[k], k++)
    {
      GEOSGeometry *ring = make_ring (self, xy, sizes[k], unit);

      if (ring != NULL)
        g_ptr_array_add (rings, ring);
    }
  if (rings->len == 0)
    return urb_geometry_keep (self, GEOSGeom_createEmptyPolygon_r (self->handle));
  /* Making it valid, which takes each piece of border as a change of sides, is the even-odd rule. */
  return keep_valid (self, GEOSGeom_createPolygon_r (self->handle, rings->pdata[0],
                                                     (GEOSGeometry **) rings->pdata + 1,
                                                     rings->len - 1));
}

GEOSGeometry *
urb_geometry_unite (UrbGeometry *self, GPtrArray *shapes)
{
  GEOSContextHandle_t geos = self->handle;
  g_autoptr(GPtrArray) copies = g_ptr_array_new ();

  for (guint i = 0; i < shapes->len; i++)
    g_ptr_array_add (copies, GEOSGeom_clone_r (geos, shapes->pdata[i]));
  return urb_geometry_keep (
    self, GEOSUnaryUnionPrec_r (
            geos,
            urb_geometry_keep (self, GEOSGeom_createCollection_r (
                                       geos, GEOS_GEOMETRYCOLLECTION,
                                       (GEOSGeometry **) copies->pdata, copies->len)),
            self->grid));
}

double
urb_geometry_get_area_m2 (UrbGeometry *self, const GEOSGeometry *shape)
{
  double area = 0;

  GEOSArea_r (self->handle, shape, &area);
  return area * (self->pixel_m * self->pixel_m);
}

void
urb_geometry_add_parts (UrbGeometry *self, const GEOSGeometry *shape, GPtrArray *parts)
{
  int type = GEOSGeomTypeId_r (self->handle, shape);

  if (type == GEOS_POLYGON || type == GEOS_LINESTRING || type == GEOS_LINEARRING)
    {
      if (!GEOSisEmpty_r (self->handle, shape))
        g_ptr_array_add (parts, urb_geometry_keep (self, GEOSGeom_clone_r (self->handle, shape)));
      return;
    }
  for (int i = 0; i < GEOSGetNumGeometries_r (self->handle, shape); i++)
    if (type != GEOS_POINT)
      urb_geometry_add_parts (self, GEOSGetGeometryN_r (self->handle, shape, i), parts);
}

void
urb_geometry_add_polygons (UrbGeometry *self, const GEOSGeometry *shape, GPtrArray *polygons)
{
  g_autoptr(GPtrArray) parts = g_ptr_array_new ();

  urb_geometry_add_parts (self, shape, parts);
  for (guint i = 0; i < parts->len; i++)
    if (GEOSGeomTypeId_r (self->handle, parts->pdata[i]) == GEOS_POLYGON)
      g_ptr_array_add (polygons, parts->pdata[i]);
}
