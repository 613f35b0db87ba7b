/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/swatch.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "app/canvas/palette.h"

enum { SIZE_PX = 16, RADIUS_PX = 4 };

struct _UrbariumSwatch
{
  GtkWidget parent_instance;
  UrbClass  class_;
};

G_DEFINE_FINAL_TYPE (UrbariumSwatch, urbarium_swatch, GTK_TYPE_WIDGET)

const char *
urbarium_class_get_title (UrbClass class_)
{
  switch (class_)
    {
    case URB_CLASS_BUILDING:
      /* translators: the class of a polygon of the map */
      return C_ ("class", "Building");
    case URB_CLASS_ROAD: return C_ ("class", "Road");
    case URB_CLASS_OTHER: return C_ ("class", "Other");
    case URB_CLASS_IGNORE: return C_ ("class", "Ignored");
    default: g_return_val_if_reached ("");
    }
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
         int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = SIZE_PX;
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  UrbariumSwatch *self = URBARIUM_SWATCH (widget);
  const UrbariumPalette *palette = urbarium_palette_get_current ();
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  float border_px[4] = { 1, 1, 1, 1 };
  GdkRGBA border, colors[4];
  graphene_rect_t box
    = GRAPHENE_RECT_INIT ((width - SIZE_PX) / 2, (height - SIZE_PX) / 2, SIZE_PX, SIZE_PX);
  GskRoundedRect outline;
  gsk_rounded_rect_init_from_rect (&outline, &box, RADIUS_PX);
  if (self->class_ < URB_N_CLASSES)
    {
      GdkRGBA fill = urbarium_color_to_rgba (palette->fills[self->class_], 1);
      gtk_snapshot_push_rounded_clip (snapshot, &outline);
      gtk_snapshot_append_color (snapshot, &fill, &box);
      gtk_snapshot_pop (snapshot);
    }
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &border);
  border.alpha *= 0.4f;
  for (int i = 0; i < 4; i++)
    colors[i] = border;
  gtk_snapshot_append_border (snapshot, &outline, border_px, colors);
}

static void
urbarium_swatch_class_init (UrbariumSwatchClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  widget_class->measure = measure;
  widget_class->snapshot = snapshot;
  gtk_widget_class_set_css_name (widget_class, "swatch");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
urbarium_swatch_init (UrbariumSwatch *self)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_CENTER);
  g_signal_connect_object (style, "notify::dark", G_CALLBACK (gtk_widget_queue_draw), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (style, "notify::high-contrast", G_CALLBACK (gtk_widget_queue_draw), self,
                           G_CONNECT_SWAPPED);
}

void
urbarium_swatch_set_class (UrbariumSwatch *self, UrbClass class_)
{
  g_return_if_fail (URBARIUM_IS_SWATCH (self) && class_ <= URB_CLASS_IGNORE);
  self->class_ = class_;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
