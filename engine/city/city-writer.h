/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-writer.h - many cities in one file of vectors.
 *
 * Cities are laid out in rows from the upper left, with a gap between them.
 * They are written as they come; memory does not grow with their number.
 */
#pragma once

#include "city/vectorise.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 n_cities;
  int    n_columns;          /* 0: about as wide as high */
  double width_m, height_m;  /* of a city */
  double gap_m;
  double origin_x, origin_y; /* lower left corner of the whole */
  int    epsg;               /* of the coordinates; 0: local metres, nowhere on earth */
} UrbCityLayout;

/* For @n_cities of @width_m x @height_m; a tenth of that between them. */
void urb_city_layout_init (UrbCityLayout *layout, gint64 n_cities, double width_m, double height_m);

typedef struct _UrbCityWriter UrbCityWriter;

/* Whether this program was built with what a GeoPackage needs. */
gboolean       urb_city_writer_has_gpkg (void);

/* What the coordinates of a system count in, if that is not metres: "degrees".
 * Returns: (transfer full) (nullable): %NULL for metres, and where it cannot be told */
char          *urb_city_writer_dup_odd_unit (int epsg);

/**
 * urb_city_writer_new:
 * @path: its suffix decides: .gpkg (GeoPackage with the layers building, road,
 *   other), .geojson, .svg, .dxf (AutoCAD R12: closed polylines in metres on the
 *   layers BUILDING, ROAD, OTHER; a hole is a polyline of its own)
 *
 * Nothing is seen under @path before urb_city_writer_finish().
 *
 * Returns: (transfer full): or %NULL with a %URB_CITY_ERROR
 */
UrbCityWriter *urb_city_writer_new (const char *path, const UrbCityLayout *layout, GError **error);

/* The next city.  @number and @seed become attributes of its polygons. */
gboolean       urb_city_writer_add (UrbCityWriter *self, const UrbCityVectors *vectors,
                                    gint64 number, guint64 seed, GError **error);

/* Completes the file and gives it its name. */
gboolean       urb_city_writer_finish (UrbCityWriter *self, GError **error);

/* Without urb_city_writer_finish(): leaves nothing behind. */
void           urb_city_writer_free (UrbCityWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCityWriter, urb_city_writer_free)

G_END_DECLS
