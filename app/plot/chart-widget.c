/* SPDX-License-Identifier: Apache-2.0 */
#include "app/plot/chart-widget.h"

#include <adwaita.h>

typedef struct
{
  GdkTexture *texture; /* nullable: NULL until drawn */
} UrbariumChartWidgetPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (UrbariumChartWidget, urbarium_chart_widget, GTK_TYPE_WIDGET)

static UrbariumChartWidgetPrivate *
get_private (UrbariumChartWidget *self)
{
  return urbarium_chart_widget_get_instance_private (self);
}

void
urbarium_chart_widget_changed (UrbariumChartWidget *self)
{
  g_clear_object (&get_private (self)->texture);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  UrbariumChartWidget *self = URBARIUM_CHART_WIDGET (widget);
  UrbariumChartWidgetPrivate *private = get_private (self);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  if (private->texture == NULL)
    {
      g_auto(UrbariumChartStyle) style = { 0 };
      cairo_surface_t *surface = urbarium_chart_surface_new (widget, width, height);
      cairo_t *cr = cairo_create (surface);
      urbarium_chart_style_init_widget (&style, widget);
      URBARIUM_CHART_WIDGET_GET_CLASS (self)->draw (self, &style, cr, width, height);
      cairo_destroy (cr);
      private->texture = urbarium_chart_surface_finish (surface);
    }
  gtk_snapshot_append_texture (snapshot, private->texture,
                               &GRAPHENE_RECT_INIT (0, 0, MAX (width, 1), MAX (height, 1)));
}

static void
size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  urbarium_chart_widget_changed (URBARIUM_CHART_WIDGET (widget));
}

static void
css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (urbarium_chart_widget_parent_class)->css_changed (widget, change);
  urbarium_chart_widget_changed (URBARIUM_CHART_WIDGET (widget));
}

static void
finalize (GObject *object)
{
  g_clear_object (&get_private (URBARIUM_CHART_WIDGET (object))->texture);
  G_OBJECT_CLASS (urbarium_chart_widget_parent_class)->finalize (object);
}

static void
urbarium_chart_widget_class_init (UrbariumChartWidgetClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  widget_class->snapshot = snapshot;
  widget_class->size_allocate = size_allocate;
  widget_class->css_changed = css_changed;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
urbarium_chart_widget_init (UrbariumChartWidget *self)
{
  g_signal_connect_swapped (self, "notify::scale-factor",
                            G_CALLBACK (urbarium_chart_widget_changed), self);
  g_signal_connect_object (adw_style_manager_get_default (), "notify",
                           G_CALLBACK (urbarium_chart_widget_changed), self, G_CONNECT_SWAPPED);
}
