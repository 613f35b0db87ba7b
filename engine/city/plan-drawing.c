/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-drawing.c - draws plans.
 */
#include "city/plan-drawing.h"

UrbColor
urb_class_get_color (UrbClass class_)
{
  return class_ == URB_CLASS_BUILDING ? URB_COLOR_BUILDING
         : class_ == URB_CLASS_ROAD   ? URB_COLOR_ROAD
                                      : URB_COLOR_OTHER;
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

          for (guint k = 0; k < polygon->n_rings && polygon->class_ == order[c]; k++)
            {
              guint n;
              const double *xy = urb_city_vectors_get_ring (vectors, polygon, k, &n);

              cairo_new_sub_path (cairo);
              for (guint v = 0; v < n; v++)
                cairo_line_to (cairo, xy[2 * v], xy[2 * v + 1]);
              cairo_close_path (cairo);
            }
        }
      urb_color_set_source (cairo, urb_class_get_color (order[c]), 1);
      cairo_fill (cairo);
    }
}

gboolean
urb_city_write_png (const char *path, const UrbCityVectors *vectors, int edge_px, GError **error)
{
  double scale = edge_px / vectors->height_m;
  int width_px = MAX (1, (int) (vectors->width_m * scale + 0.5));
  g_autoptr(UrbCairoSurface) surface
    = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width_px, edge_px);
  g_autoptr(UrbCairo) cairo = cairo_create (surface);

  cairo_translate (cairo, 0, edge_px);
  cairo_scale (cairo, scale, -scale);
  urb_city_draw (cairo, vectors);
  return urb_plan_write_png (surface, path, error);
}
