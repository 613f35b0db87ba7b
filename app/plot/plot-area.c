/* SPDX-License-Identifier: Apache-2.0 */
/* plot-area.c - draws the chart, and in each frame the crosshair or the selection on top. */
#include <math.h>

#include "app/plot/plot-area-private.h"

#define SMOOTH_PER_FRAME 100000 /* points: about 4 ms */

G_DEFINE_FINAL_TYPE (UrbariumPlotArea, urbarium_plot_area, URBARIUM_TYPE_CHART_WIDGET)

static gboolean
smooth_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  UrbariumPlotArea *self = URBARIUM_PLOT_AREA (widget);
  gboolean done = urbarium_chart_smooth (self->chart, SMOOTH_PER_FRAME);

  urbarium_plot_area_changed (self);
  if (done)
    self->smooth_tick = 0;
  return done ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

static void
draw (UrbariumChartWidget *chart_widget, const UrbariumChartStyle *style, cairo_t *cr, int width,
      int height)
{
  UrbariumPlotArea *self = URBARIUM_PLOT_AREA (chart_widget);
  GtkWidget *widget = GTK_WIDGET (self);

  /* New points are smoothed at once; a million points take several frames. */
  if (self->smooth_tick == 0 && !urbarium_chart_smooth (self->chart, SMOOTH_PER_FRAME))
    self->smooth_tick = gtk_widget_add_tick_callback (widget, smooth_cb, NULL, NULL);
  urbarium_chart_frame_clear (&self->frame);
  urbarium_chart_frame_init (&self->frame, self->chart, style, URBARIUM_CHART_ON_SCREEN, width,
                             height, 1.0 / gtk_widget_get_scale_factor (widget));
  urbarium_chart_draw (self->chart, &self->frame, style, cr);
  if (self->frame.empty || self->cross_x < self->frame.x.min || self->cross_x > self->frame.x.max)
    self->has_cross = FALSE; /* no longer in view */
  urbarium_plot_area_update_accessible (self);
}

static void
snapshot_selection (UrbariumPlotArea *self, GtkSnapshot *snapshot, const UrbariumChartStyle *style)
{
  const UrbariumChartFrame *frame = &self->frame;
  double from = CLAMP (MIN (self->drag_from, self->drag_to), frame->left,
                       frame->left + frame->width);
  double to = CLAMP (MAX (self->drag_from, self->drag_to), frame->left,
                     frame->left + frame->width);
  GdkRGBA color = style->accent;

  color.alpha *= 0.2f;
  gtk_snapshot_append_color (snapshot, &color,
                             &GRAPHENE_RECT_INIT (from, frame->top, to - from, frame->height));
  gtk_snapshot_append_color (snapshot, &style->accent,
                             &GRAPHENE_RECT_INIT (from, frame->top, 1, frame->height));
  gtk_snapshot_append_color (snapshot, &style->accent,
                             &GRAPHENE_RECT_INIT (to - 1, frame->top, 1, frame->height));
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  UrbariumPlotArea *self = URBARIUM_PLOT_AREA (widget);
  g_auto(UrbariumChartStyle) style = { 0 };

  GTK_WIDGET_CLASS (urbarium_plot_area_parent_class)->snapshot (widget, snapshot);
  if (self->frame.empty)
    return;
  urbarium_chart_style_init_widget (&style, widget);
  if (self->drag == URBARIUM_DRAG_RANGE)
    snapshot_selection (self, snapshot, &style);
  else if (self->has_cross)
    urbarium_plot_area_snapshot_cross (self, snapshot, &style);
}

void
urbarium_plot_area_changed (UrbariumPlotArea *self)
{
  urbarium_chart_widget_changed (URBARIUM_CHART_WIDGET (self));
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
         int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 180 : 120;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 480 : 260;
}

static void
size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  UrbariumPlotArea *self = URBARIUM_PLOT_AREA (widget);

  GTK_WIDGET_CLASS (urbarium_plot_area_parent_class)->size_allocate (widget, width, height,
                                                                     baseline);
  if (self->menu != NULL)
    gtk_popover_present (GTK_POPOVER (self->menu));
}

static void
dispose (GObject *object)
{
  UrbariumPlotArea *self = URBARIUM_PLOT_AREA (object);

  g_clear_pointer (&self->menu, gtk_widget_unparent);
  if (self->smooth_tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->smooth_tick);
  self->smooth_tick = 0;
  G_OBJECT_CLASS (urbarium_plot_area_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumPlotArea *self = URBARIUM_PLOT_AREA (object);

  urbarium_chart_frame_clear (&self->frame);
  urbarium_chart_free (self->chart);
  G_OBJECT_CLASS (urbarium_plot_area_parent_class)->finalize (object);
}

static void
urbarium_plot_area_class_init (UrbariumPlotAreaClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = dispose;
  object_class->finalize = finalize;
  widget_class->snapshot = snapshot;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  URBARIUM_CHART_WIDGET_CLASS (klass)->draw = draw;
  gtk_widget_class_set_css_name (widget_class, "plotarea");
}

static void
urbarium_plot_area_init (UrbariumPlotArea *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  self->chart = urbarium_chart_new ();
  self->frame.empty = TRUE;
  self->pointer = NAN;
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_hexpand (widget, TRUE);
  gtk_widget_set_vexpand (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  urbarium_plot_area_init_input (self);
}

GtkWidget *
urbarium_plot_area_new (void)
{
  return g_object_new (URBARIUM_TYPE_PLOT_AREA, NULL);
}

UrbariumChart *
urbarium_plot_area_get_chart (UrbariumPlotArea *self)
{
  return self->chart;
}
