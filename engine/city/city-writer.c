/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-writer.c - layout and choice of the format; see city-writer.h.
 */
#include "city/city-writer-private.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "base/json-build.h"

static const UrbCityFormat *const formats[] = {
  &urb_city_format_gpkg,
  &urb_city_format_geojson,
  &urb_city_format_svg,
  &urb_city_format_dxf,
  &urb_city_format_cityjson,
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
  if (layout->is_stacked)
    return 1;
  if (layout->n_columns > 0)
    return MIN (layout->n_columns, MAX (layout->n_cities, 1));
  return MAX (1, (gint64) ceil (sqrt ((double) layout->n_cities)));
}

/* Width and height of all cities including gaps. */
static void
get_extent (const UrbCityLayout *layout, double *width_m, double *height_m)
{
  gint64 n_columns = count_columns (layout);
  gint64 n_rows = layout->is_stacked ? 1 : MAX (1, (layout->n_cities + n_columns - 1) / n_columns);

  *width_m = (double) n_columns * (layout->width_m + layout->gap_m) - layout->gap_m;
  *height_m = (double) n_rows * (layout->height_m + layout->gap_m) - layout->gap_m;
}

UrbBox
urb_city_layout_get_box (const UrbCityLayout *layout)
{
  UrbBox box = URB_BOX_EMPTY;
  double width_m, height_m;

  get_extent (layout, &width_m, &height_m);
  for (int corner = 0; corner < 4; corner++)
    {
      double x = corner & 1 ? width_m : 0, y = corner & 2 ? height_m : 0;

      urb_place_put (&layout->place, &x, &y);
      urb_box_add_point (&box, x, y);
    }
  return box;
}

UrbCityWriter *
urb_city_writer_new (const char *path, const UrbCityLayout *layout, GError **error)
{
  g_autoptr(UrbCityWriter) self = g_new0 (UrbCityWriter, 1);

  self->layout = *layout;
  self->path = g_strdup (path);
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_str_has_suffix (path, formats[i]->suffix))
      self->format = formats[i];
  if (self->format == NULL)
    {
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                   "'%s' has no known suffix: choose .gpkg, .geojson, .svg, .dxf or .city.json.", path);
      return NULL;
    }
  self->file = urb_output_file_new (path, error);
  if (self->file == NULL || !self->format->begin (self, error))
    return NULL;
  self->layout.provenance = NULL; /* it may go */
  return g_steal_pointer (&self);
}

gboolean
urb_city_writer_add (UrbCityWriter *self, const UrbCityVectors *vectors, gint64 number,
                     guint64 seed, GError **error)
{
  const UrbCityLayout *layout = &self->layout;
  gint64 n_columns = count_columns (layout);
  gint64 col = self->n_written % n_columns;
  gint64 row = layout->is_stacked ? 0 : self->n_written / n_columns;
  g_autoptr(GArray) xy = g_array_copy (vectors->xy);
  UrbCityVectors placed = *vectors;
  double width_m, height_m;

  get_extent (layout, &width_m, &height_m);
  for (guint i = 0; i < xy->len; i += 2)
    {
      double *vertex = &g_array_index (xy, double, i);

      vertex[0] += (double) col * (layout->width_m + layout->gap_m);
      vertex[1] += height_m - layout->height_m - (double) row * (layout->height_m + layout->gap_m);
      urb_place_put (&layout->place, &vertex[0], &vertex[1]);
    }
  placed.xy = xy;
  self->n_written++;
  return self->format->add (self, &placed, &(UrbCityLabel) { number, seed }, error);
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

void
urb_city_writer_put_decimal (FILE *out, const char *format, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  fputs (g_ascii_formatd (text, sizeof text, format, value), out);
}

void
urb_city_writer_put_json_string (FILE *out, const char *text)
{
  g_autofree char *quoted = urb_json_quote (text);

  fputs (quoted, out);
}

gboolean
urb_city_writer_check_stream (UrbCityWriter *self, GError **error)
{
  FILE *stream = urb_output_file_get_stream (self->file);
  int code = errno != 0 ? errno : EIO;

  if (!ferror (stream))
    return TRUE;
  g_set_error (error, G_IO_ERROR, (int) g_io_error_from_errno (code),
               N_ ("Could not write '%s': %s."), self->path, g_strerror (code));
  return FALSE;
}
