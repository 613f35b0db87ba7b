/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/timeline.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/plot/axis.h"
#include "app/plot/swatch.h"

enum
{
  LANE_PX = 20,
  COLLECTIVES_PX = 12,
  GAP_PX = 12, /* between ranks */
  TOP_PX = 22, /* the steps’ numbers */
  BOTTOM_PX = 30,
  MARGIN_PX = 12
};

struct _UrbariumTimeline
{
  UrbariumChartWidget   parent_instance;

  UrbariumTimelineData *data;     /* (nullable) owned */
  double                from, to; /* in view, milliseconds */
  double                left;     /* pixels of the ranks’ names */
  double                drag_from, drag_to;
};

G_DEFINE_FINAL_TYPE (UrbariumTimeline, urbarium_timeline, URBARIUM_TYPE_CHART_WIDGET)

/* ------------------------------------------------------------------------ */
/* Places                                                                    */

static double
get_lane_y (UrbariumTimeline *self, int rank, int lane)
{
  int n_exchanges = self->data != NULL ? self->data->n_lanes - 1 : 0;
  return TOP_PX + rank * (LANE_PX + n_exchanges * COLLECTIVES_PX + GAP_PX)
         + (lane == URBARIUM_TIMELINE_COMPUTATION ? 0 : LANE_PX + (lane - 1) * COLLECTIVES_PX);
}

static double
get_lane_height (int lane)
{
  return lane == URBARIUM_TIMELINE_COMPUTATION ? LANE_PX : COLLECTIVES_PX;
}

static UrbariumAxis
make_axis (UrbariumTimeline *self, int width)
{
  return (UrbariumAxis){ .scale = URBARIUM_AXIS_LINEAR, .min = self->from, .max = self->to, .from = self->left,
                         .to = fmax (width - MARGIN_PX, self->left + 1) };
}

/* Keeps the view within the timeline, and at least a microsecond long. */
static void
set_view (UrbariumTimeline *self, double from, double to)
{
  const double shortest = 1e-3;
  double end = self->data != NULL ? fmax (self->data->end_ms, shortest) : 1;
  double length = CLAMP (to - from, shortest, end);
  self->from = CLAMP (from, 0, end - length);
  self->to = self->from + length;
  urbarium_chart_widget_changed (URBARIUM_CHART_WIDGET (self));
}

static void
zoom (UrbariumTimeline *self, double factor, double at)
{
  double length = (self->to - self->from) * factor, share = (at - self->from) / (self->to - self->from);
  set_view (self, at - share * length, at + (1 - share) * length);
}

static void
show_one_step (UrbariumTimeline *self)
{
  double length = self->data == NULL ? 1 : self->data->step_ms > 0 ? 1.05 * self->data->step_ms : self->data->end_ms;
  set_view (self, 0, length);
}

/* ------------------------------------------------------------------------ */
/* Drawing                                                                   */

guint
urbarium_timeline_get_color (int lane, guint pass)
{
  /* Of the palette: quiet ones for what takes little time. */
  static const guint colors[URBARIUM_TIMELINE_N_PASSES] = { 6, 4, 0, 6, 1, 2, 3 };
  return lane == URBARIUM_TIMELINE_COMPUTATION ? colors[pass] : URBARIUM_SWATCH_INK;
}

/* Spans that end in the same pixel as the one before are left out: a thousand may share it. */
static void
draw_lane (UrbariumTimeline *self, const UrbariumChartStyle *style, cairo_t *cr, const UrbariumAxis *axis, int rank,
           int lane)
{
  guint end = urbarium_timeline_data_find (self->data, rank, lane + 1);
  double y = get_lane_y (self, rank, lane), height = get_lane_height (lane), drawn = -INFINITY;
  for (guint i = urbarium_timeline_data_find (self->data, rank, lane); i < end; i++)
    {
      const UrbariumTimelineSpan *span = &g_array_index (self->data->spans, UrbariumTimelineSpan, i);
      double x0 = fmax (urbarium_axis_to_px (axis, span->begin_ms), axis->from);
      double x1 = fmin (urbarium_axis_to_px (axis, span->begin_ms + span->ms), axis->to);
      GdkRGBA color;
      if (x1 < axis->from || x0 > axis->to || x1 <= drawn + 0.5)
        continue;
      color = urbarium_swatch_get_color (style, urbarium_timeline_get_color (lane, span->pass));
      gdk_cairo_set_source_rgba (cr, &color);
      /* A gap between neighbors, where there is room for one. */
      cairo_rectangle (cr, x0, y, fmax (x1 - x0 - (x1 - x0 > 4 ? 1 : 0), 0.5), height - 1);
      cairo_fill (cr);
      drawn = x1;
    }
}

/* Where each step of rank 0 begins. */
static void
draw_steps (UrbariumTimeline *self, const UrbariumChartStyle *style, cairo_t *cr, const UrbariumAxis *axis, double bottom)
{
  guint end = urbarium_timeline_data_find (self->data, 0, URBARIUM_TIMELINE_COMPUTATION + 1);
  int step = -1;
  double free_x = -INFINITY;
  for (guint i = 0; i < end; i++)
    {
      const UrbariumTimelineSpan *span = &g_array_index (self->data->spans, UrbariumTimelineSpan, i);
      double x = urbarium_axis_to_px (axis, span->begin_ms);
      g_autofree char *count = NULL, *text = NULL;
      if (span->step == step)
        continue;
      step = span->step;
      if (x < axis->from - 1 || x > axis->to)
        continue;
      gdk_cairo_set_source_rgba (cr, &style->dim);
      cairo_set_line_width (cr, 1);
      cairo_move_to (cr, floor (x) + 0.5, 4);
      cairo_line_to (cr, floor (x) + 0.5, bottom);
      cairo_stroke (cr);
      count = urbarium_format_count (step);
      text = g_strdup_printf (_ ("Step %s"), count);
      if (x + 4 < free_x)
        continue;
      urbarium_chart_style_draw_text (style, cr, text, URBARIUM_TEXT_NORMAL, &style->dim, x + 4, 2, 0, 0);
      free_x = x + 12 + urbarium_chart_style_measure_text (style, text, URBARIUM_TEXT_NORMAL);
    }
}

static char *
dup_rank_name (int rank)
{
  return g_strdup_printf (_ ("Rank %d"), rank);
}

static void
draw (UrbariumChartWidget *widget, const UrbariumChartStyle *style, cairo_t *cr, int width, int height)
{
  UrbariumTimeline *self = URBARIUM_TIMELINE (widget);
  g_autofree char *longest = NULL;
  g_autoptr(GArray) ticks = NULL;
  UrbariumAxis axis;
  double bottom;
  if (self->data == NULL)
    return;
  longest = dup_rank_name (self->data->n_ranks - 1);
  self->left = 2 * MARGIN_PX + urbarium_chart_style_measure_text (style, longest, URBARIUM_TEXT_NORMAL);
  axis = make_axis (self, width);
  bottom = get_lane_y (self, self->data->n_ranks, URBARIUM_TIMELINE_COMPUTATION);
  draw_steps (self, style, cr, &axis, bottom);
  for (int rank = 0; rank < self->data->n_ranks; rank++)
    {
      g_autofree char *name = dup_rank_name (rank);
      urbarium_chart_style_draw_text (style, cr, name, URBARIUM_TEXT_NORMAL, &style->ink, MARGIN_PX,
                                      get_lane_y (self, rank, URBARIUM_TIMELINE_COMPUTATION) + LANE_PX / 2.0, 0, 0.5);
      for (int lane = 0; lane < self->data->n_lanes; lane++)
        draw_lane (self, style, cr, &axis, rank, lane);
    }
  ticks = urbarium_axis_get_ticks (&axis, (guint) MAX ((axis.to - axis.from) / 90, 2));
  urbarium_chart_style_draw_x_ticks (style, cr, &axis, ticks, bottom);
  urbarium_chart_style_draw_text (style, cr, _ ("ms"), URBARIUM_TEXT_NORMAL, &style->dim, MARGIN_PX, bottom + 4, 0, 0);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
         int *natural_baseline)
{
  UrbariumTimeline *self = URBARIUM_TIMELINE (widget);
  int n_ranks = self->data != NULL ? self->data->n_ranks : 1;
  if (orientation == GTK_ORIENTATION_VERTICAL)
    *minimum = *natural = (int) get_lane_y (self, n_ranks, URBARIUM_TIMELINE_COMPUTATION) + BOTTOM_PX;
  else
    {
      *minimum = 200;
      *natural = 800;
    }
}

/* ------------------------------------------------------------------------ */
/* The pointer                                                               */

const UrbariumTimelineSpan *
urbarium_timeline_pick (UrbariumTimeline *self, double x, double y)
{
  UrbariumAxis axis = make_axis (self, gtk_widget_get_width (GTK_WIDGET (self)));
  const double slack = 1; /* pixels: of short spans */
  double ms = urbarium_axis_from_px (&axis, x), more = slack * (self->to - self->from) / (axis.to - axis.from);
  for (int rank = 0; self->data != NULL && rank < self->data->n_ranks; rank++)
    for (int lane = 0; lane < self->data->n_lanes; lane++)
      {
        double top = get_lane_y (self, rank, lane);
        guint end = urbarium_timeline_data_find (self->data, rank, lane + 1);
        if (y < top || y >= top + get_lane_height (lane))
          continue;
        for (guint i = urbarium_timeline_data_find (self->data, rank, lane); i < end; i++)
          {
            const UrbariumTimelineSpan *span = &g_array_index (self->data->spans, UrbariumTimelineSpan, i);
            if (ms >= span->begin_ms - more && ms < span->begin_ms + span->ms + more)
              return span;
          }
      }
  return NULL;
}

static gboolean
query_tooltip_cb (UrbariumTimeline *self, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip)
{
  const UrbariumTimelineSpan *span = by_keyboard ? NULL : urbarium_timeline_pick (self, x, y);
  g_autofree char *duration = NULL, *text = NULL;
  if (span == NULL)
    return FALSE;
  duration = urbarium_format_number (span->ms, 3);
  /* translators: an instruction such as “g.1 conv”, a pass such as “forward”, a rank, and a duration */
  text = g_strdup_printf (_ ("%s (%s)\nRank %d, %s ms"), span->name, _ (urbarium_timeline_passes[span->pass]),
                          span->rank, duration);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

static double
get_pointer_ms (UrbariumTimeline *self, GtkEventController *controller)
{
  UrbariumAxis axis = make_axis (self, gtk_widget_get_width (GTK_WIDGET (self)));
  GdkEvent *event = gtk_event_controller_get_current_event (controller);
  double x, y, ms = (self->from + self->to) / 2;
  if (event != NULL && gdk_event_get_position (event, &x, &y))
    {
      GtkNative *native = gtk_widget_get_native (GTK_WIDGET (self));
      double dx, dy;
      gtk_native_get_surface_transform (native, &dx, &dy);
      gtk_widget_translate_coordinates (GTK_WIDGET (native), GTK_WIDGET (self), x - dx, y - dy, &x, &y);
      ms = urbarium_axis_from_px (&axis, x);
    }
  return CLAMP (ms, self->from, self->to);
}

/* Without Ctrl, the wheel scrolls through the ranks. */
static gboolean
scroll_cb (UrbariumTimeline *self, double dx, double dy, GtkEventController *controller)
{
  gboolean ctrl = (gtk_event_controller_get_current_event_state (controller) & GDK_CONTROL_MASK) != 0;
  const double step = 1.2, pan = 0.1;
  if (!ctrl && dx == 0)
    return FALSE;
  if (ctrl)
    zoom (self, pow (step, dy), get_pointer_ms (self, controller));
  else
    set_view (self, self->from + pan * dx * (self->to - self->from), self->to + pan * dx * (self->to - self->from));
  return TRUE;
}

static void
drag_begin_cb (UrbariumTimeline *self)
{
  self->drag_from = self->from;
  self->drag_to = self->to;
}

static void
drag_update_cb (UrbariumTimeline *self, double dx)
{
  UrbariumAxis axis = make_axis (self, gtk_widget_get_width (GTK_WIDGET (self)));
  double ms = dx * (self->drag_to - self->drag_from) / (axis.to - axis.from);
  set_view (self, self->drag_from - ms, self->drag_to - ms);
}

/* ------------------------------------------------------------------------ */
/* Actions                                                                   */

static void
zoom_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumTimeline *self = URBARIUM_TIMELINE (widget);
  zoom (self, g_str_equal (name, "timeline.zoom-in") ? 0.5 : 2, (self->from + self->to) / 2);
}

static void
one_step_action (GtkWidget *widget, const char *name, GVariant *param)
{
  show_one_step (URBARIUM_TIMELINE (widget));
}

static void
all_action (GtkWidget *widget, const char *name, GVariant *param)
{
  set_view (URBARIUM_TIMELINE (widget), 0, INFINITY);
}

static void
move_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumTimeline *self = URBARIUM_TIMELINE (widget);
  double ms = 0.25 * g_variant_get_int32 (param) * (self->to - self->from);
  set_view (self, self->from + ms, self->to + ms);
}

/* ------------------------------------------------------------------------ */

void
urbarium_timeline_set_data (UrbariumTimeline *self, UrbariumTimelineData *data)
{
  g_autofree char *text = NULL;
  urbarium_timeline_data_free (self->data);
  self->data = data;
  show_one_step (self);
  text = data == NULL ? NULL : g_strdup_printf (ngettext ("Timeline of %d rank", "Timeline of %d ranks", data->n_ranks),
                                                data->n_ranks);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, text != NULL ? text : "", -1);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

const UrbariumTimelineData *
urbarium_timeline_get_data (UrbariumTimeline *self)
{
  return self->data;
}

void
urbarium_timeline_get_view (UrbariumTimeline *self, double *from_ms, double *to_ms)
{
  *from_ms = self->from;
  *to_ms = self->to;
}

static void
finalize (GObject *object)
{
  urbarium_timeline_data_free (URBARIUM_TIMELINE (object)->data);
  G_OBJECT_CLASS (urbarium_timeline_parent_class)->finalize (object);
}

static void
urbarium_timeline_class_init (UrbariumTimelineClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  static const struct { guint key; const char *action; } keys[] = {
    { GDK_KEY_plus, "timeline.zoom-in" }, { GDK_KEY_KP_Add, "timeline.zoom-in" }, { GDK_KEY_equal, "timeline.zoom-in" },
    { GDK_KEY_minus, "timeline.zoom-out" }, { GDK_KEY_KP_Subtract, "timeline.zoom-out" },
    { GDK_KEY_0, "timeline.one-step" }, { GDK_KEY_KP_0, "timeline.one-step" },
  };
  G_OBJECT_CLASS (klass)->finalize = finalize;
  widget_class->measure = measure;
  URBARIUM_CHART_WIDGET_CLASS (klass)->draw = draw;
  gtk_widget_class_install_action (widget_class, "timeline.zoom-in", NULL, zoom_action);
  gtk_widget_class_install_action (widget_class, "timeline.zoom-out", NULL, zoom_action);
  gtk_widget_class_install_action (widget_class, "timeline.one-step", NULL, one_step_action);
  gtk_widget_class_install_action (widget_class, "timeline.all", NULL, all_action);
  gtk_widget_class_install_action (widget_class, "timeline.move", "i", move_action);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding_action (widget_class, keys[i].key, 0, keys[i].action, NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Left, 0, "timeline.move", "i", -1);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Right, 0, "timeline.move", "i", 1);
}

static void
urbarium_timeline_init (UrbariumTimeline *self)
{
  GtkEventController *wheel = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkGesture *drag = gtk_gesture_drag_new ();
  self->to = 1;
  g_signal_connect_swapped (wheel, "scroll", G_CALLBACK (scroll_cb), self);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), wheel);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  g_signal_connect (self, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
}
