/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-writer.h - writes many cities to one vector file.
 *
 * Cities are laid out in rows from the upper left, with gaps.  Each city is written when it
 * is added, so memory does not grow with their number.
 */
#pragma once

#include "city/place.h"
#include "city/provenance.h"
#include "city/vectorize.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 n_cities;
  int    n_columns;          /* 0: roughly square */
  double width_m, height_m;  /* of a city */
  double gap_m;
  gboolean is_stacked;       /* all cities at the same place: proposals for one site */
  UrbPlace place;            /* of the whole */
  const UrbProvenance *provenance; /* (nullable) borrowed: until urb_city_writer_new() has returned */
} UrbCityLayout;

/* A layout for @n_cities of @width_m x @height_m, with gaps of a tenth of the width. */
void urb_city_layout_init (UrbCityLayout *layout, gint64 n_cities, double width_m, double height_m);

typedef struct _UrbCityWriter UrbCityWriter;

/* Whether this program was built with GDAL, which GeoPackages need. */
gboolean       urb_city_writer_has_gpkg (void);

/* The unit of a coordinate system that is not in meters, such as "degrees".
 * Returns: (transfer full) (nullable): %NULL for meters, or if unknown */
char          *urb_city_writer_dup_odd_unit (int epsg);

/**
 * urb_city_writer_new:
 * @path: its suffix selects the format: .gpkg (GeoPackage with the layers building,
 *   road, other, and their styles for QGIS), .geojson, .svg (a meter is a millimeter), .dxf (AutoCAD 2018, in meters:
 *   hatches and closed lines on layers of each class), .city.json (CityJSON 2.0, outlines at LoD 0)
 * @layout: copied
 *
 * The file appears under @path only with urb_city_writer_finish().
 *
 * Returns: (transfer full): or %NULL with a %URB_CITY_ERROR
 */
UrbCityWriter *urb_city_writer_new (const char *path, const UrbCityLayout *layout, GError **error);

/* Adds a city.  @number and @seed become attributes of its polygons. */
gboolean       urb_city_writer_add (UrbCityWriter *self, const UrbCityVectors *vectors,
                                    gint64 number, guint64 seed, GError **error);

/* Completes the file and renames it to its final name. */
gboolean       urb_city_writer_finish (UrbCityWriter *self, GError **error);

/* Without urb_city_writer_finish(), deletes the temporary file. */
void           urb_city_writer_free (UrbCityWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCityWriter, urb_city_writer_free)

G_END_DECLS
