/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/share-bar.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/canvas/palette.h"
#include "app/map/swatch.h"

enum { BAR_HEIGHT_PX = 12, RADIUS_PX = 6, GAP_PX = 6, N_SHARES = 3 };

struct _UrbariumShareBar
{
  GtkWidget  parent_instance;
  double     share[N_SHARES];
  GtkLabel  *labels[N_SHARES]; /* owned by the widget tree */
  GtkWidget *legend;
};

G_DEFINE_FINAL_TYPE (UrbariumShareBar, urbarium_share_bar, GTK_TYPE_WIDGET)

static void
draw_bar (UrbariumShareBar *self, GtkSnapshot *snapshot, int width)
{
  const UrbariumPalette *palette = urbarium_palette_get_current ();
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, width, BAR_HEIGHT_PX);
  GskRoundedRect outline;
  GdkRGBA border;
  double sum = self->share[0] + self->share[1] + self->share[2], x = 0;
  gboolean mirrored = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &border);
  border.alpha *= 0.35f;
  gsk_rounded_rect_init_from_rect (&outline, &bounds, RADIUS_PX);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  for (int c = 0; c < N_SHARES && sum > 0; c++)
    {
      GdkRGBA color = urbarium_color_to_rgba (palette->fills[c], 1);
      double part = width * self->share[c] / sum;
      gtk_snapshot_append_color (
        snapshot, &color,
        &GRAPHENE_RECT_INIT (mirrored ? width - x - part : x, 0, part, BAR_HEIGHT_PX));
      x += part;
    }
  gtk_snapshot_pop (snapshot);
  gtk_snapshot_append_border (snapshot, &outline, (float[]) { 1, 1, 1, 1 },
                              (GdkRGBA[]) { border, border, border, border });
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  UrbariumShareBar *self = URBARIUM_SHARE_BAR (widget);
  draw_bar (self, snapshot, gtk_widget_get_width (widget));
  gtk_widget_snapshot_child (widget, self->legend, snapshot);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
         int *minimum_baseline, int *natural_baseline)
{
  UrbariumShareBar *self = URBARIUM_SHARE_BAR (widget);
  gtk_widget_measure (self->legend, orientation, for_size, minimum, natural, NULL, NULL);
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      *minimum += BAR_HEIGHT_PX + GAP_PX;
      *natural += BAR_HEIGHT_PX + GAP_PX;
    }
}

static void
size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  UrbariumShareBar *self = URBARIUM_SHARE_BAR (widget);
  int top = BAR_HEIGHT_PX + GAP_PX;
  gtk_widget_size_allocate (self->legend, &(GtkAllocation) { 0, top, width, height - top }, -1);
}

static GtkWidget *
legend_entry_new (UrbariumShareBar *self, int class_)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  GtkWidget *swatch = g_object_new (URBARIUM_TYPE_SWATCH, NULL);
  urbarium_swatch_set_class (URBARIUM_SWATCH (swatch), (UrbClass) class_);
  self->labels[class_] = GTK_LABEL (gtk_label_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (self->labels[class_]), "caption");
  gtk_widget_add_css_class (GTK_WIDGET (self->labels[class_]), "numeric");
  gtk_label_set_ellipsize (self->labels[class_], PANGO_ELLIPSIZE_END);
  gtk_box_append (GTK_BOX (box), swatch);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->labels[class_]));
  return box;
}

static void
dispose (GObject *object)
{
  UrbariumShareBar *self = URBARIUM_SHARE_BAR (object);
  g_clear_pointer (&self->legend, gtk_widget_unparent);
  G_OBJECT_CLASS (urbarium_share_bar_parent_class)->dispose (object);
}

static void
urbarium_share_bar_class_init (UrbariumShareBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  widget_class->snapshot = snapshot;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  gtk_widget_class_set_css_name (widget_class, "sharebar");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
urbarium_share_bar_init (UrbariumShareBar *self)
{
  const double none[N_SHARES] = { 0 };
  AdwStyleManager *style = adw_style_manager_get_default ();
  g_signal_connect_object (style, "notify", G_CALLBACK (gtk_widget_queue_draw), self,
                           G_CONNECT_SWAPPED);
  self->legend = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 9);
  for (int c = 0; c < N_SHARES; c++)
    gtk_box_append (GTK_BOX (self->legend), legend_entry_new (self, c));
  gtk_widget_set_parent (self->legend, GTK_WIDGET (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Shares of the classes in the areas"), -1);
  urbarium_share_bar_set_shares (self, none);
}

void
urbarium_share_bar_set_shares (UrbariumShareBar *self, const double share[3])
{
  const char *names[N_SHARES] = { _ ("Buildings"), _ ("Roads"), _ ("Other") };
  g_return_if_fail (URBARIUM_IS_SHARE_BAR (self));
  for (int c = 0; c < N_SHARES; c++)
    {
      g_autofree char *percent = urbarium_format_percent (share[c]);
      /* translators: a class and its share: Roads 12.3 % */
      g_autofree char *text = g_strdup_printf (_ ("%s %s"), names[c], percent);
      self->share[c] = share[c];
      gtk_label_set_label (self->labels[c], text);
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
