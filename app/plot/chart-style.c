/* SPDX-License-Identifier: Apache-2.0 */
#include "app/plot/chart-style.h"

#include <adwaita.h>

#define PAPER_FONT "Cantarell, Inter, Noto Sans, DejaVu Sans, Sans 9"
#define PAPER_DPI 96

typedef struct
{
  guint32 light, dark;
} PaletteEntry;

/* Okabe and Ito's blue, vermilion, bluish green, reddish purple and orange, then gray and Tol's
 * indigo, since Okabe and Ito's yellow and sky blue are too faint on white. */
static const PaletteEntry palette[] = {
  { 0x0072b2, 0x56b4e9 }, { 0xcc5500, 0xff8c42 }, { 0x008a64, 0x2fcb9c }, { 0xb2558a, 0xe79ccb },
  { 0x9b6b00, 0xf2c14e }, { 0x555555, 0xc4c4c4 }, { 0x4a3aa8, 0xa99df5 },
};

static GdkRGBA
rgb (guint32 hex)
{
  return (GdkRGBA) { (hex >> 16 & 255) / 255.0f, (hex >> 8 & 255) / 255.0f, (hex & 255) / 255.0f,
                     1 };
}

static GdkRGBA
with_alpha (GdkRGBA color, float alpha)
{
  color.alpha *= alpha;
  return color;
}

static void
measure_line (UrbariumChartStyle *style)
{
  PangoFontMetrics *metrics = pango_context_get_metrics (style->pango, NULL, NULL);

  style->text_height = (pango_font_metrics_get_ascent (metrics)
                        + pango_font_metrics_get_descent (metrics)) / (double) PANGO_SCALE;
  pango_font_metrics_unref (metrics);
}

void
urbarium_chart_style_init_widget (UrbariumChartStyle *style, GtkWidget *widget)
{
  GtkStyleContext *context = gtk_widget_get_style_context (widget);
  AdwStyleManager *manager = adw_style_manager_get_default ();

  *style = (UrbariumChartStyle) {
    .pango = gtk_widget_create_pango_context (widget),
    .dark = adw_style_manager_get_dark (manager),
    .high_contrast = adw_style_manager_get_high_contrast (manager),
  };
  gtk_style_context_get_color (context, &style->ink);
  if (!gtk_style_context_lookup_color (context, "view_bg_color", &style->paper))
    style->paper = rgb (style->dark ? 0x1e1e1e : 0xffffff);
  if (!gtk_style_context_lookup_color (context, "accent_color", &style->accent))
    style->accent = urbarium_chart_style_get_color (style, 0);
  style->dim = with_alpha (style->ink, style->high_contrast ? 0.9f : 0.75f);
  style->grid = with_alpha (style->ink, style->high_contrast ? 0.4f : 0.12f);
  measure_line (style);
}

void
urbarium_chart_style_init_paper (UrbariumChartStyle *style)
{
  PangoFontDescription *font = pango_font_description_from_string (PAPER_FONT);

  *style = (UrbariumChartStyle) {
    /* The font map belongs to the thread. */
    .pango = pango_font_map_create_context (pango_cairo_font_map_get_default ()),
    .ink = rgb (0x1a1a1a),
    .dim = rgb (0x555555),
    .grid = rgb (0xe2e2e2),
    .accent = rgb (0x1c71d8),
    .paper = rgb (0xffffff),
  };
  pango_context_set_font_description (style->pango, font);
  pango_cairo_context_set_resolution (style->pango, PAPER_DPI);
  pango_font_description_free (font);
  measure_line (style);
}

void
urbarium_chart_style_clear (UrbariumChartStyle *style)
{
  g_clear_object (&style->pango);
}

GdkRGBA
urbarium_chart_style_get_color (const UrbariumChartStyle *style, guint index)
{
  const PaletteEntry *entry = &palette[index % G_N_ELEMENTS (palette)];
  GdkRGBA color = rgb (style->dark ? entry->dark : entry->light);

  if (style->high_contrast) /* mix with white or black */
    {
      float target = style->dark ? 1 : 0;
      color.red += 0.35f * (target - color.red);
      color.green += 0.35f * (target - color.green);
      color.blue += 0.35f * (target - color.blue);
    }
  return color;
}

PangoLayout *
urbarium_chart_style_create_layout (const UrbariumChartStyle *style, const char *text,
                                    UrbariumTextWeight weight)
{
  PangoLayout *layout = pango_layout_new (style->pango);
  PangoAttrList *attributes = pango_attr_list_new ();

  if (weight == URBARIUM_TEXT_BOLD)
    pango_attr_list_insert (attributes, pango_attr_weight_new (PANGO_WEIGHT_BOLD));
  /* Tabular figures: changing numbers do not jump. */
  pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum=1"));
  pango_layout_set_attributes (layout, attributes);
  pango_attr_list_unref (attributes);
  pango_layout_set_text (layout, text, -1);
  return layout;
}

double
urbarium_chart_style_measure_text (const UrbariumChartStyle *style, const char *text,
                                   UrbariumTextWeight weight)
{
  g_autoptr(PangoLayout) layout = urbarium_chart_style_create_layout (style, text, weight);
  int width;

  pango_layout_get_pixel_size (layout, &width, NULL);
  return width;
}

void
urbarium_chart_style_draw_text (const UrbariumChartStyle *style, cairo_t *cr, const char *text,
                                UrbariumTextWeight weight, const GdkRGBA *color, double x, double y,
                                double align_x, double align_y)
{
  g_autoptr(PangoLayout) layout = urbarium_chart_style_create_layout (style, text, weight);
  int width, height;

  pango_layout_get_pixel_size (layout, &width, &height);
  gdk_cairo_set_source_rgba (cr, color);
  cairo_move_to (cr, x - align_x * width, y - align_y * height);
  pango_cairo_show_layout (cr, layout);
}

void
urbarium_chart_style_draw_x_ticks (const UrbariumChartStyle *style, cairo_t *cr,
                                   const UrbariumAxis *axis, GArray *ticks, double y)
{
  double last = -G_MAXDOUBLE, start, end, top, bottom;

  cairo_clip_extents (cr, &start, &top, &end, &bottom);
  for (guint i = 0; i < ticks->len; i++)
    {
      const UrbariumTick *tick = &g_array_index (ticks, UrbariumTick, i);
      double px = floor (urbarium_axis_to_px (axis, tick->value)) + 0.5;
      double half, middle;
      gdk_cairo_set_source_rgba (cr, &style->dim);
      cairo_set_line_width (cr, 1);
      cairo_move_to (cr, px, y);
      cairo_line_to (cr, px, y + (tick->label != NULL ? 5 : 3));
      cairo_stroke (cr);
      if (tick->label == NULL)
        continue;
      half = urbarium_chart_style_measure_text (style, tick->label, URBARIUM_TEXT_NORMAL) / 2;
      middle = MAX (start + half, MIN (px, end - half - 1)); /* keeps labels within the edges */
      if (middle - half < last + 6) /* no room for the label */
        continue;
      last = middle + half;
      urbarium_chart_style_draw_text (style, cr, tick->label, URBARIUM_TEXT_NORMAL, &style->dim,
                                      middle, y + 7, 0.5, 0);
    }
}

void
urbarium_chart_append_rounded (GtkSnapshot *snapshot, double x, double y, double width,
                               double height, double radius, const GdkRGBA *color)
{
  GskRoundedRect rect;

  gsk_rounded_rect_init_from_rect (&rect, &GRAPHENE_RECT_INIT (x, y, width, height), radius);
  gtk_snapshot_push_rounded_clip (snapshot, &rect);
  gtk_snapshot_append_color (snapshot, color, &rect.bounds);
  gtk_snapshot_pop (snapshot);
}

void
urbarium_chart_set_text (char **text, const GValue *value)
{
  const char *given = g_value_get_string (value);

  g_free (*text);
  *text = given != NULL && *given != '\0' ? g_strdup (given) : NULL;
}

cairo_surface_t *
urbarium_chart_surface_new (GtkWidget *widget, int width, int height)
{
  int scale = gtk_widget_get_scale_factor (widget);
  cairo_surface_t *surface = cairo_image_surface_create (
    CAIRO_FORMAT_ARGB32, MAX (width, 1) * scale, MAX (height, 1) * scale);

  cairo_surface_set_device_scale (surface, scale, scale);
  return surface;
}

GdkTexture *
urbarium_chart_surface_finish (cairo_surface_t *surface)
{
  g_autoptr(GBytes) bytes = NULL;
  int width = cairo_image_surface_get_width (surface);
  int height = cairo_image_surface_get_height (surface);
  int stride = cairo_image_surface_get_stride (surface);

  cairo_surface_flush (surface);
  bytes = g_bytes_new_with_free_func (cairo_image_surface_get_data (surface),
                                      (gsize) stride * height,
                                      (GDestroyNotify) cairo_surface_destroy, surface);
  return gdk_memory_texture_new (width, height, GDK_MEMORY_DEFAULT, bytes, stride);
}
