/* SPDX-License-Identifier: Apache-2.0 */
/*
 * geometry-private.h - GEOS geometries that live as long as their plan is drawn.
 *
 * Coordinates are pixels, x to the right, y up, from the tile's lower left corner.  They are rounded
 * to a fraction of a pixel that is a power of two, which makes all operations robust, and keeps the
 * tile's corners exact.
 */
#pragma once

#include <glib.h>

#define GEOS_USE_ONLY_R_API
#include <geos_c.h>

#include "city/polyline-private.h"

G_BEGIN_DECLS

typedef struct
{
  GEOSContextHandle_t handle; /* owned */
  GPtrArray          *owned;  /* GEOSGeometry */
  double              width, height; /* of the tile */
  double              pixel_m;
  double              grid;          /* to which coordinates are rounded: about 1 cm */
  guint               n_missing;     /* geometries that GEOS failed to make */
} UrbGeometry;

UrbGeometry  *urb_geometry_new  (int width_px, int height_px, double pixel_m);
void          urb_geometry_free (UrbGeometry *self); /* also all geometries made with it */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbGeometry, urb_geometry_free)

/* Frees @shape with @self.  Returns: @shape; an empty collection if GEOS failed to make it, which
 * is counted */
GEOSGeometry *urb_geometry_keep (UrbGeometry *self, GEOSGeometry *shape);

/* A line or, if @closed, a polygon, made valid.  @points: y down */
GEOSGeometry *urb_geometry_from_points (UrbGeometry *self, const UrbPoint *points, guint n,
                                        gboolean closed);

/* A polygon, made valid, filled by the even-odd rule.  @xy: of all rings, one after the other, y up, in units
 * of which a pixel has @unit; @sizes: (@n_rings): vertices of each */
GEOSGeometry *urb_geometry_from_rings  (UrbGeometry *self, const double *xy, const guint *sizes,
                                        guint n_rings, double unit);

/* The union of some geometries. */
GEOSGeometry *urb_geometry_unite (UrbGeometry *self, GPtrArray *shapes);

double        urb_geometry_get_area_m2 (UrbGeometry *self, const GEOSGeometry *shape);

/* A deep copy of all parts of @shape that are polygons, or lines, appended to @parts. */
void          urb_geometry_add_parts (UrbGeometry *self, const GEOSGeometry *shape, GPtrArray *parts);
/* The same of polygons only. */
void          urb_geometry_add_polygons (UrbGeometry *self, const GEOSGeometry *shape,
                                         GPtrArray *polygons);

G_END_DECLS
