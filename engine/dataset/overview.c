/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overview.c - an overview image of a map and its selected areas.
 */
#include "dataset/overview.h"

#include <math.h>

#include "base/scale-bar.h"
#include "dataset/plan-style.h"
#include "dataset/square.h"

#define MARGIN_PX 24

typedef struct
{
  cairo_t *cr;
  UrbBox   extent;
  double   px_per_m;
} View;

static void
add_ring (const View *self, const double *xy, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    cairo_line_to (self->cr, MARGIN_PX + (xy[2 * i] - self->extent.min_x) * self->px_per_m,
                   MARGIN_PX + (self->extent.max_y - xy[2 * i + 1]) * self->px_per_m);
  cairo_close_path (self->cr);
}

static void
draw_polygon (const View *self, UrbMap *map, gint64 index)
{
  const UrbMapPolygon *polygon = urb_map_get_polygon (map, index);
  static const UrbColor colors[] = { URB_COLOR_BUILDING, URB_COLOR_ROAD, URB_COLOR_OTHER };

  if (polygon->class_ >= URB_N_CLASSES)
    return;
  for (guint32 r = 0; r < polygon->n_rings; r++)
    {
      gint64 n;
      const double *xy = urb_map_get_ring (map, polygon->first_ring + r, &n);

      cairo_new_sub_path (self->cr);
      add_ring (self, xy, n);
    }
  /* Between two adjacent antialiased edges the paper shows through, everywhere in a
   * map that partitions the ground. */
  cairo_set_antialias (self->cr, polygon->class_ == URB_CLASS_OTHER ? CAIRO_ANTIALIAS_NONE
                                                                    : CAIRO_ANTIALIAS_DEFAULT);
  urb_color_set_source (self->cr, colors[polygon->class_], 1);
  cairo_fill (self->cr);
}

static void
draw_areas (const View *self, UrbMap *map, GArray *areas, double size_m)
{
  double map_m2 = 0, depth; /* mean number of overlapping areas */

  for (int c = 0; c < URB_N_CLASSES; c++)
    map_m2 += urb_map_get_class_area_m2 (map, c);
  depth = MAX (areas->len * size_m * size_m / MAX (map_m2, size_m * size_m), 1e-3);
  cairo_set_antialias (self->cr, CAIRO_ANTIALIAS_DEFAULT);
  cairo_set_line_width (self->cr, 1.2);
  for (guint i = 0; i < areas->len; i++)
    {
      const UrbArea *area = &g_array_index (areas, UrbArea, i);
      UrbSquare square = { area->center_x, area->center_y, area->angle_deg, size_m };
      UrbColor color = urb_split_get_color (area->split);
      double corners[4][2];

      urb_square_get_corners (&square, corners);
      cairo_new_path (self->cr);
      add_ring (self, corners[0], 4);
      urb_color_set_source (self->cr, color, CLAMP (0.2 / depth, 0.01, 0.09));
      cairo_fill_preserve (self->cr);
      urb_color_set_source (self->cr, color, CLAMP (1.5 / depth, 0.1, 0.9));
      cairo_stroke (self->cr);
    }
}

/* The scale bar: up to a quarter of the image. */
static void
draw_scale (const View *self, int width, int height)
{
  double length_m = urb_scale_bar_choose_m (0.25 * width / self->px_per_m);
  double length = length_m * self->px_per_m, y = height - MARGIN_PX / 2.0;
  g_autofree char *text = length_m >= 1000 ? g_strdup_printf ("%g km", length_m / 1000)
                                           : g_strdup_printf ("%g m", length_m);

  cairo_set_antialias (self->cr, CAIRO_ANTIALIAS_DEFAULT);
  urb_color_set_source (self->cr, URB_COLOR_BUILDING, 1);
  cairo_set_line_width (self->cr, 2);
  cairo_move_to (self->cr, MARGIN_PX, y - 4);
  cairo_rel_line_to (self->cr, 0, 4);
  cairo_rel_line_to (self->cr, length, 0);
  cairo_rel_line_to (self->cr, 0, -4);
  cairo_stroke (self->cr);
  cairo_select_font_face (self->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                          CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size (self->cr, 13);
  cairo_move_to (self->cr, MARGIN_PX + length + 8, y + 2);
  cairo_show_text (self->cr, text);
}

gboolean
urb_overview_write_png (const char *path, UrbMap *map, GArray *areas, double area_size_m,
                        int width_px, GError **error)
{
  UrbBox extent = urb_map_get_extent (map);
  double w = MAX (extent.max_x - extent.min_x, 1e-3), h = MAX (extent.max_y - extent.min_y, 1e-3);
  View view = { NULL, extent, (width_px - 2 * MARGIN_PX) / MAX (w, h) };
  int width = (int) ceil (w * view.px_per_m) + 2 * MARGIN_PX;
  int height = (int) ceil (h * view.px_per_m) + 2 * MARGIN_PX;
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr(UrbCairoSurface) surface = NULL;
  g_autoptr(UrbCairo) cr = NULL;

  g_return_val_if_fail (width_px > 4 * MARGIN_PX && width_px <= 16384, FALSE);

  surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  cr = view.cr = cairo_create (surface);
  urb_color_set_source (cr, URB_COLOR_PAPER, 1);
  cairo_paint (cr);
  cairo_set_fill_rule (cr, CAIRO_FILL_RULE_EVEN_ODD);
  urb_map_query (map, extent, found);
  for (guint i = 0; i < found->len; i++)
    draw_polygon (&view, map, g_array_index (found, gint64, i));
  if (areas != NULL)
    draw_areas (&view, map, areas, area_size_m);
  draw_scale (&view, width, height);
  return urb_plan_write_png (surface, path, error);
}
