/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/site-mask.h"

#include <cairo.h>
#include <glib/gi18n.h>

/* As many as the engine samples of an area of 256 pixels. */
enum { EDGE_PX = 1024 };

/* Pure channels, in ARGB: how the engine tells classes in images. */
static const guint32 colors[URB_N_CLASSES] = {
  [URB_CLASS_BUILDING] = 0xffff0000, [URB_CLASS_ROAD] = 0xff00ff00, [URB_CLASS_OTHER] = 0xff0000ff
};

static void
paint_plan (cairo_surface_t *surface, const UrbClassMap *map)
{
  guint8 *data = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);
  cairo_surface_flush (surface);
  for (int row = 0; row < EDGE_PX; row++)
    {
      guint32 *pixels = (guint32 *) (data + (gsize) row * (gsize) stride);
      for (int col = 0; col < EDGE_PX; col++)
        pixels[col] = colors[map->classes[row * EDGE_PX + col]];
    }
  cairo_surface_mark_dirty (surface);
}

/* Clears what does not stay. */
static void
cut (cairo_surface_t *surface, double size_m, const GArray *xy, gboolean keeps_inside)
{
  cairo_t *cairo = cairo_create (surface);
  cairo_set_antialias (cairo, CAIRO_ANTIALIAS_NONE);
  cairo_set_operator (cairo, CAIRO_OPERATOR_CLEAR);
  cairo_scale (cairo, EDGE_PX / size_m, -EDGE_PX / size_m);
  cairo_translate (cairo, 0, -size_m);
  if (keeps_inside) /* the even-odd rule then fills the outside */
    cairo_rectangle (cairo, -size_m, -size_m, 3 * size_m, 3 * size_m);
  for (guint i = 0; i + 1 < xy->len; i += 2)
    {
      double x = g_array_index (xy, double, i), y = g_array_index (xy, double, i + 1);
      if (i == 0)
        cairo_move_to (cairo, x, y);
      else
        cairo_line_to (cairo, x, y);
    }
  cairo_close_path (cairo);
  cairo_set_fill_rule (cairo, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_fill (cairo);
  cairo_destroy (cairo);
}

gboolean
urbarium_site_mask_write (UrbariumTile *tile, const GArray *xy, gboolean keeps_inside,
                          const char *path, GError **error)
{
  g_autoptr(UrbClassMap) map
    = urb_class_map_new_from_vectors (urbarium_tile_get_vectors (tile), EDGE_PX, NULL, NULL);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, EDGE_PX, EDGE_PX);
  cairo_status_t status;
  paint_plan (surface, map);
  cut (surface, urbarium_tile_get_width_m (tile), xy, keeps_inside);
  status = cairo_surface_write_to_png (surface, path);
  cairo_surface_destroy (surface);
  if (status != CAIRO_STATUS_SUCCESS)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, _ ("“%s” cannot be written: %s"), path,
                 cairo_status_to_string (status));
  return status == CAIRO_STATUS_SUCCESS;
}
