/* SPDX-License-Identifier: Apache-2.0 */
/* chart-export.c - exports a chart as SVG or PNG of a fixed size, or its values as CSV. */
#include <cairo-svg.h>
#include <gio/gio.h>
#include <glib/gi18n.h>
#include <math.h>

#include "app/plot/chart.h"
#include "base/atomic-file.h"

enum
{
  PAPER_WIDTH = 720,
  PAPER_HEIGHT = 420,
  PNG_SCALE = 2
};

static cairo_status_t
append_cb (void *bytes, const unsigned char *data, unsigned int n_bytes)
{
  g_byte_array_append (bytes, data, n_bytes);
  return CAIRO_STATUS_SUCCESS;
}

static void
draw (UrbariumChart *self, cairo_surface_t *surface)
{
  g_auto(UrbariumChartStyle) style = { 0 };
  g_auto(UrbariumChartFrame) frame = { 0 };
  cairo_t *cr = cairo_create (surface);

  urbarium_chart_smooth (self, G_MAXSIZE);
  urbarium_chart_style_init_paper (&style);
  urbarium_chart_frame_init (&frame, self, &style, URBARIUM_CHART_ON_PAPER, PAPER_WIDTH,
                             PAPER_HEIGHT, 1.0 / PNG_SCALE);
  urbarium_chart_draw (self, &frame, &style, cr);
  cairo_destroy (cr);
}

cairo_surface_t *
urbarium_chart_to_image (UrbariumChart *self)
{
  cairo_surface_t *surface = cairo_image_surface_create (
    CAIRO_FORMAT_ARGB32, PAPER_WIDTH * PNG_SCALE, PAPER_HEIGHT * PNG_SCALE);

  cairo_surface_set_device_scale (surface, PNG_SCALE, PNG_SCALE);
  draw (self, surface);
  return surface;
}

static cairo_status_t
to_svg (UrbariumChart *self, GByteArray *bytes)
{
  cairo_surface_t *surface = cairo_svg_surface_create_for_stream (append_cb, bytes, PAPER_WIDTH,
                                                                  PAPER_HEIGHT);
  cairo_status_t status;

  cairo_svg_surface_set_document_unit (surface, CAIRO_SVG_UNIT_PX);
  draw (self, surface);
  cairo_surface_finish (surface);
  status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  return status;
}

static void
append_quoted (GString *text, const char *cell)
{
  g_autoptr(GString) escaped = g_string_new (cell);

  g_string_replace (escaped, "\"", "\"\"", 0);
  if (strpbrk (cell, ",\"\r\n") != NULL)
    g_string_append_printf (text, "\"%s\"", escaped->str);
  else
    g_string_append (text, cell);
}

/* The shortest text that reads back as the same value; with a point in every locale. */
static void
append_number (GString *text, double value)
{
  static const char *formats[] = { "%.15g", "%.16g", "%.17g" };
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (value))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_ascii_formatd (number, sizeof number, formats[i], value);
      if (g_ascii_strtod (number, NULL) == value)
        break;
    }
  g_string_append (text, number);
}

typedef struct
{
  UrbariumSeries *series; /* borrowed */
  gsize           next, last;
} Column;

/* Appends a row for the smallest remaining x; returns FALSE if there is none. */
static gboolean
append_row (GString *text, GArray *columns)
{
  double least = INFINITY;

  for (guint i = 0; i < columns->len; i++)
    {
      const Column *column = &g_array_index (columns, Column, i);
      double x;
      if (column->next == column->last)
        continue;
      urbarium_series_get (column->series, column->next, &x, NULL);
      least = MIN (least, x);
    }
  if (least == INFINITY)
    return FALSE;
  append_number (text, least);
  for (guint i = 0; i < columns->len; i++)
    {
      Column *column = &g_array_index (columns, Column, i);
      double x, y;
      g_string_append_c (text, ',');
      if (column->next == column->last)
        continue;
      urbarium_series_get (column->series, column->next, &x, &y);
      if (x > least)
        continue;
      append_number (text, y);
      column->next++;
    }
  g_string_append (text, "\r\n"); /* RFC 4180 */
  return TRUE;
}

static gboolean
to_csv (UrbariumChart *self, const char *path, GError **error)
{
  g_autoptr(GArray) columns = g_array_new (FALSE, FALSE, sizeof (Column));
  g_autoptr(GString) text = g_string_new (NULL);
  g_autoptr(UrbAtomicFile) file = urb_atomic_file_open (path, error);

  if (file == NULL)
    return FALSE;
  append_quoted (text, self->x_label != NULL ? self->x_label : "x");
  for (guint i = 0; i < self->curves->len; i++)
    {
      const UrbariumCurve *curve = self->curves->pdata[i];
      Column column = { curve->series, 0, urbarium_series_get_n (curve->series) };
      if (!curve->visible)
        continue;
      if (self->zoomed)
        {
          column.next = urbarium_series_find (curve->series, self->view_min);
          column.last = urbarium_series_find (curve->series, nextafter (self->view_max, INFINITY));
        }
      g_string_append_c (text, ',');
      append_quoted (text, urbarium_series_get_name (curve->series));
      g_array_append_val (columns, column);
    }
  g_string_append (text, "\r\n");
  do
    {
      if (text->len < 1 << 16)
        continue;
      if (!urb_atomic_file_write (file, text->str, text->len, error))
        return FALSE;
      g_string_truncate (text, 0);
    }
  while (append_row (text, columns));
  return urb_atomic_file_write (file, text->str, text->len, error)
         && urb_atomic_file_commit (file, error);
}

gboolean
urbarium_chart_export (UrbariumChart *self, const char *path, GError **error)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autoptr(GByteArray) bytes = g_byte_array_new ();
  cairo_status_t status;

  if (g_str_has_suffix (lower, ".csv"))
    return to_csv (self, path, error);
  if (g_str_has_suffix (lower, ".svg"))
    status = to_svg (self, bytes);
  else if (g_str_has_suffix (lower, ".png"))
    {
      cairo_surface_t *surface = urbarium_chart_to_image (self);
      status = cairo_surface_write_to_png_stream (surface, append_cb, bytes);
      cairo_surface_destroy (surface);
    }
  else
    {
      g_autofree char *name = g_filename_display_basename (path);
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                   _ ("The name “%s” has no known suffix. Use .svg or .png for an image, or .csv "
                      "for the values."), name);
      return FALSE;
    }
  if (status != CAIRO_STATUS_SUCCESS)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, _ ("The plot cannot be drawn: %s"),
                   cairo_status_to_string (status));
      return FALSE;
    }
  return urb_atomic_file_set_contents (path, bytes->data, bytes->len, error);
}
