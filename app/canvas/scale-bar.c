/* SPDX-License-Identifier: Apache-2.0 */
/* scale-bar.c - drawn with a halo, so that it is readable on any map. */
#include "app/canvas/scale-bar.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "base/scale-bar.h"

#define MAX_PX     144.0
#define MARGIN     12.0 /* to the edges of the widget */
#define TICK       6.0  /* height of the ends */
#define GAP        3.0  /* from the bar to its label */
#define INK        1.5
#define HALO       4.0
#define LABEL_HALO 3.0

double
urbarium_scale_bar_get_length (double m_per_px, double max_px)
{
  return urb_scale_bar_choose_m (m_per_px * max_px);
}

void
urbarium_scale_bar_clear (UrbariumScaleBar *self)
{
  g_clear_pointer (&self->node, gsk_render_node_unref);
}

static void
draw (cairo_t *cr, PangoLayout *layout, double width, const UrbariumPalette *palette)
{
  int label_width, label_height;
  double y;

  pango_layout_get_pixel_size (layout, &label_width, &label_height);
  y = label_height + GAP + TICK;
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_SQUARE);
  cairo_move_to (cr, (width - label_width) / 2, 0);
  pango_cairo_layout_path (cr, layout);
  urb_color_set_source (cr, palette->halo, 0.9);
  cairo_set_line_width (cr, LABEL_HALO);
  cairo_stroke (cr);

  cairo_move_to (cr, 0, y - TICK);
  cairo_line_to (cr, 0, y);
  cairo_line_to (cr, width, y);
  cairo_line_to (cr, width, y - TICK);
  cairo_set_line_width (cr, HALO);
  cairo_stroke_preserve (cr);
  urb_color_set_source (cr, palette->ink, 1);
  cairo_set_line_width (cr, INK);
  cairo_stroke (cr);
  cairo_move_to (cr, (width - label_width) / 2, 0);
  pango_cairo_show_layout (cr, layout);
}

/* The lower left corner is at the origin. */
static GskRenderNode *
make_node (GtkWidget *widget, double length_m, double width, const UrbariumPalette *palette)
{
  gboolean near = length_m < 1000;
  g_autofree char *number = urbarium_format_number (near ? length_m : length_m / 1000,
                                                    length_m >= 1 ? 0 : length_m >= 0.1 ? 1 : 2);
  /* translators: the length of the scale bar: meters, kilometers */
  g_autofree char *label = g_strdup_printf (near ? _ ("%s m") : _ ("%s km"), number);
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout (widget, label);
  g_autoptr(PangoAttrList) attributes = pango_attr_list_new ();
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  graphene_rect_t bounds;
  int label_width, label_height;
  double overhang, height;
  cairo_t *cr;

  pango_attr_list_insert (attributes, pango_attr_scale_new (PANGO_SCALE_SMALL));
  pango_attr_list_insert (attributes, pango_attr_weight_new (PANGO_WEIGHT_SEMIBOLD));
  pango_layout_set_attributes (layout, attributes);
  pango_layout_get_pixel_size (layout, &label_width, &label_height);
  overhang = MAX (0, (label_width - width) / 2) + HALO;
  height = label_height + GAP + TICK;
  graphene_rect_init (&bounds, -overhang, -height - HALO, width + 2 * overhang, height + 2 * HALO);
  cr = gtk_snapshot_append_cairo (snapshot, &bounds);
  cairo_translate (cr, 0, -height);
  draw (cr, layout, width, palette);
  cairo_destroy (cr);
  return gtk_snapshot_free_to_node (snapshot);
}

void
urbarium_scale_bar_snapshot (UrbariumScaleBar *self, GtkSnapshot *snapshot, GtkWidget *widget,
                             const UrbariumView *view, const UrbariumPalette *palette)
{
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  double length_m = urbarium_scale_bar_get_length (view->m_per_px, MAX_PX);
  double width_px = round (length_m / view->m_per_px);
  graphene_point_t corner;

  if (view->width < MAX_PX + 2 * MARGIN || view->height < 4 * MARGIN)
    return;
  if (self->node == NULL || self->length_m != length_m || self->width_px != width_px
      || self->palette != palette)
    {
      urbarium_scale_bar_clear (self);
      self->length_m = length_m;
      self->width_px = width_px;
      self->palette = palette;
      self->node = make_node (widget, length_m, width_px, palette);
    }
  graphene_point_init (&corner, rtl ? view->width - MARGIN - width_px : MARGIN,
                       view->height - MARGIN);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &corner);
  gtk_snapshot_append_node (snapshot, self->node);
  gtk_snapshot_restore (snapshot);
}
