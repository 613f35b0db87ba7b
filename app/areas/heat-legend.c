/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/heat-legend.h"

#include <glib/gi18n.h>

#include "app/areas/heat-colors.h"
#include "app/base/format.h"

enum { BAR_HEIGHT_PX = 10, BAR_WIDTH_PX = 160, MARK_PX = 4, GAP_PX = 2, N_STOPS = 17 };

struct _UrbariumHeatLegend
{
  GtkWidget  parent_instance;
  double     max_variance, threshold;
  GtkWidget *labels;     /* owned by the widget tree */
  GtkLabel  *low, *high; /* likewise */
};

G_DEFINE_FINAL_TYPE (UrbariumHeatLegend, urbarium_heat_legend, GTK_TYPE_WIDGET)

/* The scale goes from left to right in every language, like the histogram. */
static void
snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  UrbariumHeatLegend *self = URBARIUM_HEAT_LEGEND (widget);
  float width = (float) gtk_widget_get_width (widget);
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, MARK_PX, width, BAR_HEIGHT_PX);
  GskColorStop stops[N_STOPS];
  GskRoundedRect outline;
  GdkRGBA mark;
  for (int i = 0; i < N_STOPS; i++)
    {
      guint32 color = urbarium_heat_color ((double) i / (N_STOPS - 1));
      GdkRGBA rgba = { (color >> 16 & 0xff) / 255.0f, (color >> 8 & 0xff) / 255.0f,
                       (color & 0xff) / 255.0f, 1 };
      stops[i] = (GskColorStop) { (float) i / (N_STOPS - 1), rgba };
    }
  gsk_rounded_rect_init_from_rect (&outline, &bounds, 3);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  gtk_snapshot_append_linear_gradient (snapshot, &bounds, &GRAPHENE_POINT_INIT (0, 0),
                                       &GRAPHENE_POINT_INIT (width, 0), stops, N_STOPS);
  gtk_snapshot_pop (snapshot);
  if (self->max_variance > 0 && self->threshold <= self->max_variance)
    {
      float x = (float) (self->threshold / self->max_variance) * width;
      gtk_style_context_get_color (gtk_widget_get_style_context (widget), &mark);
      gtk_snapshot_append_color (
        snapshot, &mark, &GRAPHENE_RECT_INIT (x - 1, 0, 2, BAR_HEIGHT_PX + 2 * MARK_PX));
    }
  gtk_widget_snapshot_child (widget, self->labels, snapshot);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
         int *minimum_baseline, int *natural_baseline)
{
  UrbariumHeatLegend *self = URBARIUM_HEAT_LEGEND (widget);
  gtk_widget_measure (self->labels, orientation, for_size, minimum, natural, NULL, NULL);
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      *minimum += BAR_HEIGHT_PX + 2 * MARK_PX + GAP_PX;
      *natural = *minimum;
    }
  else
    *natural = MAX (*natural, BAR_WIDTH_PX);
}

static void
size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  UrbariumHeatLegend *self = URBARIUM_HEAT_LEGEND (widget);
  int top = BAR_HEIGHT_PX + 2 * MARK_PX + GAP_PX;
  gtk_widget_size_allocate (self->labels, &(GtkAllocation) { 0, top, width, height - top }, -1);
}

static void
dispose (GObject *object)
{
  UrbariumHeatLegend *self = URBARIUM_HEAT_LEGEND (object);
  g_clear_pointer (&self->labels, gtk_widget_unparent);
  G_OBJECT_CLASS (urbarium_heat_legend_parent_class)->dispose (object);
}

static void
urbarium_heat_legend_class_init (UrbariumHeatLegendClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  widget_class->snapshot = snapshot;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  gtk_widget_class_set_css_name (widget_class, "heatlegend");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static GtkLabel *
label_new (void)
{
  GtkWidget *label = gtk_label_new (NULL);
  gtk_widget_add_css_class (label, "caption");
  gtk_widget_add_css_class (label, "numeric");
  return GTK_LABEL (label);
}

static void
urbarium_heat_legend_init (UrbariumHeatLegend *self)
{
  GtkLabel *what = label_new ();
  self->labels = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_widget_set_direction (self->labels, GTK_TEXT_DIR_LTR);
  self->low = label_new ();
  self->high = label_new ();
  gtk_label_set_label (what, _ ("Variance"));
  gtk_widget_add_css_class (GTK_WIDGET (what), "dim-label");
  gtk_widget_set_hexpand (GTK_WIDGET (what), TRUE);
  gtk_box_append (GTK_BOX (self->labels), GTK_WIDGET (self->low));
  gtk_box_append (GTK_BOX (self->labels), GTK_WIDGET (what));
  gtk_box_append (GTK_BOX (self->labels), GTK_WIDGET (self->high));
  gtk_widget_set_parent (self->labels, GTK_WIDGET (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Color scale of the variance"), -1);
  urbarium_heat_legend_set_scale (self, 1);
}

void
urbarium_heat_legend_set_scale (UrbariumHeatLegend *self, double max_variance)
{
  g_autofree char *low = urbarium_format_number (0, 0);
  g_autofree char *high = urbarium_format_number (max_variance, 2);
  g_return_if_fail (URBARIUM_IS_HEAT_LEGEND (self));
  self->max_variance = max_variance;
  gtk_label_set_label (self->low, low);
  gtk_label_set_label (self->high, high);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
urbarium_heat_legend_set_threshold (UrbariumHeatLegend *self, double threshold)
{
  g_return_if_fail (URBARIUM_IS_HEAT_LEGEND (self));
  self->threshold = threshold;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
