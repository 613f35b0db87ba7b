/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-writer.c - layout, and the choice of the format; see city-writer.h.
 */
#include "city/city-writer-private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const UrbCityFormat *const formats[] = {
  &urb_city_format_gpkg,
  &urb_city_format_geojson,
  &urb_city_format_svg,
  &urb_city_format_dxf,
};

void
urb_city_layout_init (UrbCityLayout *layout, gint64 n_cities, double width_m, double height_m)
{
  *layout = (UrbCityLayout) { .n_cities = n_cities, .width_m = width_m, .height_m = height_m,
                              .gap_m = rint (width_m / 10) };
}

static gint64
count_columns (const UrbCityLayout *layout)
{
  if (layout->n_columns > 0)
    return MIN (layout->n_columns, MAX (layout->n_cities, 1));
  return MAX (1, (gint64) ceil (sqrt ((double) layout->n_cities)));
}

void
urb_city_layout_get_extent (const UrbCityLayout *layout, double *width_m, double *height_m)
{
  gint64 n_columns = count_columns (layout);
  gint64 n_rows = MAX (1, (layout->n_cities + n_columns - 1) / n_columns);

  *width_m = (double) n_columns * (layout->width_m + layout->gap_m) - layout->gap_m;
  *height_m = (double) n_rows * (layout->height_m + layout->gap_m) - layout->gap_m;
}

static UrbCityPlace
place_city (const UrbCityLayout *layout, gint64 index)
{
  gint64 n_columns = count_columns (layout);
  double width_m, height_m;

  urb_city_layout_get_extent (layout, &width_m, &height_m);
  return (UrbCityPlace) {
    .x = layout->origin_x + (double) (index % n_columns) * (layout->width_m + layout->gap_m),
    .y = layout->origin_y + height_m - layout->height_m
         - (double) (index / n_columns) * (layout->height_m + layout->gap_m),
  };
}

static const UrbCityFormat *
find_format (const char *path, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_str_has_suffix (path, formats[i]->suffix))
      return formats[i];
  g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
               "'%s' has no suffix that is known: choose .gpkg, .geojson, .svg or .dxf.", path);
  return NULL;
}

UrbCityWriter *
urb_city_writer_new (const char *path, const UrbCityLayout *layout, GError **error)
{
  g_autoptr(UrbCityWriter) self = g_new0 (UrbCityWriter, 1);

  self->layout = *layout;
  self->path = g_strdup (path);
  self->format = find_format (path, error);
  if (self->format == NULL)
    return NULL;
  self->file = urb_output_file_new (path, error);
  if (self->file == NULL || !self->format->begin (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

gboolean
urb_city_writer_add (UrbCityWriter *self, const UrbCityVectors *vectors, gint64 number,
                     guint64 seed, GError **error)
{
  UrbCityPlace place = place_city (&self->layout, self->n_written);

  place.number = number;
  place.seed = seed;
  self->n_written++;
  return self->format->add (self, vectors, &place, error);
}

gboolean
urb_city_writer_finish (UrbCityWriter *self, GError **error)
{
  return self->format->finish (self, error) && urb_output_file_commit (self->file, error);
}

void
urb_city_writer_free (UrbCityWriter *self)
{
  if (self == NULL)
    return;
  if (self->format != NULL && self->format->clear != NULL)
    self->format->clear (self);
  urb_output_file_free (self->file);
  g_free (self->path);
  g_free (self);
}

gboolean
urb_city_writer_check_stream (UrbCityWriter *self, GError **error)
{
  FILE *stream = urb_output_file_get_stream (self->file);
  int code = errno != 0 ? errno : EIO;

  if (!ferror (stream))
    return TRUE;
  g_set_error (error, G_IO_ERROR, (int) g_io_error_from_errno (code),
               "'%s' could not be written: %s.", self->path, g_strerror (code));
  return FALSE;
}
