/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-drawing.c - draws class maps and plans.
 */
#include "city/plan-drawing.h"

#include "city/output-file.h"

UrbColor
urb_class_get_color (UrbClass class_)
{
  return class_ == URB_CLASS_BUILDING ? URB_COLOR_BUILDING
         : class_ == URB_CLASS_ROAD   ? URB_COLOR_ROAD
                                      : URB_COLOR_OTHER;
}

static void
trace_polygon (cairo_t *cairo, const UrbCityVectors *vectors, const UrbCityPolygon *polygon)
{
  for (guint k = 0; k < polygon->n_rings; k++)
    {
      const UrbCityRing *ring = &g_array_index (vectors->rings, UrbCityRing,
                                                polygon->first_ring + k);
      const double *xy = &g_array_index (vectors->xy, double, 2 * (gsize) ring->first_vertex);

      cairo_new_sub_path (cairo);
      for (guint i = 0; i < ring->n_vertices; i++)
        cairo_line_to (cairo, xy[2 * i], xy[2 * i + 1]);
      cairo_close_path (cairo);
    }
}

void
urb_city_draw (cairo_t *cairo, const UrbCityVectors *vectors)
{
  /* Drawing other as a background hides the hairlines that antialiasing leaves between
   * adjacent polygons. */
  static const UrbClass order[] = { URB_CLASS_ROAD, URB_CLASS_BUILDING };

  cairo_set_fill_rule (cairo, CAIRO_FILL_RULE_EVEN_ODD);
  urb_color_set_source (cairo, urb_class_get_color (URB_CLASS_OTHER), 1);
  cairo_rectangle (cairo, 0, 0, vectors->width_m, vectors->height_m);
  cairo_fill (cairo);
  for (guint c = 0; c < G_N_ELEMENTS (order); c++)
    {
      for (guint i = 0; i < vectors->polygons->len; i++)
        {
          const UrbCityPolygon *polygon = &g_array_index (vectors->polygons, UrbCityPolygon, i);

          if (polygon->class_ == order[c])
            trace_polygon (cairo, vectors, polygon);
        }
      urb_color_set_source (cairo, urb_class_get_color (order[c]), 1);
      cairo_fill (cairo);
    }
}

static cairo_status_t
write_cb (void *closure, const unsigned char *data, unsigned int length)
{
  return fwrite (data, 1, length, closure) == length ? CAIRO_STATUS_SUCCESS
                                                     : CAIRO_STATUS_WRITE_ERROR;
}

gboolean
urb_surface_write_png (cairo_surface_t *surface, const char *path, GError **error)
{
  g_autoptr(UrbOutputFile) file = urb_output_file_new (path, error);
  cairo_status_t status;

  if (file == NULL)
    return FALSE;
  status = cairo_surface_write_to_png_stream (surface, write_cb, urb_output_file_get_stream (file));
  if (status != CAIRO_STATUS_SUCCESS && status != CAIRO_STATUS_WRITE_ERROR)
    {
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_WRITE, "Could not draw '%s': %s.", path,
                   cairo_status_to_string (status));
      return FALSE;
    }
  return urb_output_file_commit (file, error);
}

gboolean
urb_city_write_png (const char *path, const UrbCityVectors *vectors, int edge_px, GError **error)
{
  double scale = edge_px / vectors->height_m;
  int width_px = MAX (1, (int) (vectors->width_m * scale + 0.5));
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width_px, edge_px);
  cairo_t *cairo = cairo_create (surface);
  gboolean done;

  cairo_translate (cairo, 0, edge_px);
  cairo_scale (cairo, scale, -scale);
  urb_city_draw (cairo, vectors);
  cairo_destroy (cairo);
  done = urb_surface_write_png (surface, path, error);
  cairo_surface_destroy (surface);
  return done;
}

gboolean
urb_class_map_write_png (const char *path, const UrbClassMap *map, GError **error)
{
  cairo_surface_t *surface
    = cairo_image_surface_create (CAIRO_FORMAT_RGB24, map->width_px, map->height_px);
  gsize stride = (gsize) cairo_image_surface_get_stride (surface);
  guchar *data = cairo_image_surface_get_data (surface);
  gboolean done;

  for (int row = 0; data != NULL && row < map->height_px; row++)
    for (int col = 0; col < map->width_px; col++)
      {
        UrbColor color
          = urb_class_get_color (map->classes[(gint64) row * map->width_px + col]);

        ((guint32 *) (gpointer) (data + (gsize) row * stride))[col]
          = 0xff000000u | (guint32) color.r << 16 | (guint32) color.g << 8 | color.b;
      }
  cairo_surface_mark_dirty (surface);
  done = urb_surface_write_png (surface, path, error);
  cairo_surface_destroy (surface);
  return done;
}
