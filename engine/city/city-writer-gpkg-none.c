/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-writer-gpkg-none.c - stub for builds without GDAL.
 */
#include "city/city-writer-private.h"

gboolean
urb_city_writer_has_gpkg (void)
{
  return FALSE;
}

char *
urb_city_writer_dup_odd_unit (int epsg)
{
  return NULL;
}

static gboolean
begin (UrbCityWriter *self, GError **error)
{
  g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_UNAVAILABLE,
               "Could not write '%s': this program was built without GDAL (-Dgeo=disabled). "
               "Choose .geojson, or build it with GDAL.", self->path);
  return FALSE;
}

static gboolean
add (UrbCityWriter *self, const UrbCityVectors *vectors, const UrbCityLabel *label, GError **error)
{
  g_assert_not_reached ();
}

static gboolean
finish (UrbCityWriter *self, GError **error)
{
  g_assert_not_reached ();
}

const UrbCityFormat urb_city_format_gpkg = {
  .suffix = ".gpkg",
  .begin = begin,
  .add = add,
  .finish = finish,
};
