/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram.c - the bars are drawn twice, dimmed and accented, into textures that are cached until
 * counts, size or theme change; a frame shows the left part of one and the right part of the other.
 */
#include "app/plot/histogram.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/plot/chart-style.h"

enum
{
  PAGE_BINS = 10,
  SIDE_PX = 12,
  MIN_BARS_PX = 48,
  LABEL_MIN_PX = 64 /* minimum distance of labels on the axis */
};

struct _UrbariumHistogram
{
  GtkWidget    parent_instance;
  gint64      *counts; /* (n_bins) */
  guint        n_bins;
  gint64       largest;
  double       min, max, threshold;
  double       before;  /* threshold at the start of the drag */
  double       press_x; /* pixels: start of the drag */
  gboolean     hovered;
  char        *x_label; /* nullable; never "" */
  UrbariumAxis axis;
  GtkGesture  *drag;
  GdkTexture  *below, *above; /* nullable: NULL until drawn */
  double       top, bottom;   /* of the bars */
};

enum
{
  PROP_THRESHOLD = 1,
  PROP_X_LABEL,
  N_PROPS
};

static GParamSpec *props[N_PROPS];
static guint threshold_set_signal;

G_DEFINE_FINAL_TYPE (UrbariumHistogram, urbarium_histogram, GTK_TYPE_WIDGET)

static void
invalidate (UrbariumHistogram *self)
{
  g_clear_object (&self->below);
  g_clear_object (&self->above);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
update_accessible (UrbariumHistogram *self)
{
  g_autofree char *text = urbarium_format_value (self->threshold);
  g_autofree char *label = NULL;

  if (self->x_label != NULL)
    /* translators: a slider on a histogram: “Threshold: Variance” */
    label = g_strdup_printf (_ ("Threshold: %s"), self->x_label);
  gtk_accessible_update_property (
    GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label != NULL ? label : _ ("Threshold"),
    GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, self->min, GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, self->max,
    GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, self->threshold, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text,
    -1);
}

static void
draw_bars (UrbariumHistogram *self, cairo_t *cr, const GdkRGBA *color)
{
  double width = (self->axis.to - self->axis.from) / MAX (self->n_bins, 1);
  double gap = width >= 4 ? 1 : 0;

  gdk_cairo_set_source_rgba (cr, color);
  for (guint i = 0; i < self->n_bins; i++)
    {
      double share = sqrt ((double) self->counts[i] / MAX (self->largest, 1));
      double height = MAX (1.5, share * (self->bottom - self->top)); /* small counts are visible */
      double left = round (self->axis.from + i * width); /* whole pixels avoid seams */
      double right = round (self->axis.from + (i + 1) * width) - gap;
      if (self->counts[i] > 0)
        cairo_rectangle (cr, left, self->bottom - height, MAX (right - left, 1), height);
    }
  cairo_fill (cr);
}

static void
draw_axis (UrbariumHistogram *self, const UrbariumChartStyle *style, cairo_t *cr)
{
  guint max_labels = (guint) MAX (2, (self->axis.to - self->axis.from) / LABEL_MIN_PX);
  g_autoptr(GArray) ticks = urbarium_axis_get_ticks (&self->axis, max_labels);

  gdk_cairo_set_source_rgba (cr, &style->dim);
  cairo_set_line_width (cr, 1);
  cairo_move_to (cr, self->axis.from, self->bottom + 0.5);
  cairo_line_to (cr, self->axis.to, self->bottom + 0.5);
  cairo_stroke (cr);
  urbarium_chart_style_draw_x_ticks (style, cr, &self->axis, ticks, self->bottom);
  if (self->x_label != NULL)
    urbarium_chart_style_draw_text (style, cr, self->x_label, URBARIUM_TEXT_NORMAL, &style->dim,
                                    (self->axis.from + self->axis.to) / 2,
                                    self->bottom + style->text_height + 10, 0.5, 0);
}

static GdkTexture *
render (UrbariumHistogram *self, const UrbariumChartStyle *style, const GdkRGBA *color)
{
  GtkWidget *widget = GTK_WIDGET (self);
  cairo_surface_t *surface = urbarium_chart_surface_new (widget, gtk_widget_get_width (widget),
                                                         gtk_widget_get_height (widget));
  cairo_t *cr = cairo_create (surface);

  draw_bars (self, cr, color);
  draw_axis (self, style, cr);
  cairo_destroy (cr);
  return urbarium_chart_surface_finish (surface);
}

static void
snapshot_part (GtkSnapshot *snapshot, GdkTexture *texture, double from, double to, double width,
               double height)
{
  graphene_rect_t part = GRAPHENE_RECT_INIT (from, 0, to - from, height);
  graphene_rect_t whole = GRAPHENE_RECT_INIT (0, 0, width, height);

  gtk_snapshot_push_clip (snapshot, &part);
  gtk_snapshot_append_texture (snapshot, texture, &whole);
  gtk_snapshot_pop (snapshot);
}

static void
snapshot_handle (UrbariumHistogram *self, GtkSnapshot *snapshot, const UrbariumChartStyle *style,
                 double x, double width)
{
  gboolean active = self->hovered || gtk_gesture_is_active (self->drag);
  double radius = active ? 7 : 6;
  g_autofree char *number = urbarium_format_value (self->threshold);
  g_autoptr(PangoLayout) text = urbarium_chart_style_create_layout (style, number,
                                                                    URBARIUM_TEXT_BOLD);
  int text_width;

  gtk_snapshot_append_color (
    snapshot, &style->ink,
    &GRAPHENE_RECT_INIT (x - 1, self->top - 4, 2, self->bottom - self->top + 4));
  urbarium_chart_append_rounded (snapshot, x - radius, self->bottom - radius, 2 * radius,
                                 2 * radius, radius, &style->ink);
  radius -= 2;
  urbarium_chart_append_rounded (snapshot, x - radius, self->bottom - radius, 2 * radius,
                                 2 * radius, radius, &style->accent);

  pango_layout_get_pixel_size (text, &text_width, NULL);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (
    snapshot,
    &GRAPHENE_POINT_INIT (CLAMP (x - text_width / 2.0, 0, MAX (0, width - text_width)), 2));
  gtk_snapshot_append_layout (snapshot, text, &style->ink);
  gtk_snapshot_restore (snapshot);
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  UrbariumHistogram *self = URBARIUM_HISTOGRAM (widget);
  double width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  gboolean labeled = self->x_label != NULL;
  g_auto(UrbariumChartStyle) style = { 0 };
  double x;

  urbarium_chart_style_init_widget (&style, widget);
  self->top = style.text_height + 10; /* room for the number of the threshold */
  self->bottom = height - style.text_height * (labeled ? 2 : 1) - (labeled ? 14 : 10);
  self->axis = (UrbariumAxis) { URBARIUM_AXIS_LINEAR, self->min, self->max, SIDE_PX,
                                MAX (width - SIDE_PX, SIDE_PX + 1) };
  if (self->n_bins == 0)
    {
      g_autoptr(PangoLayout) text = urbarium_chart_style_create_layout (&style, _ ("No data yet"),
                                                                        URBARIUM_TEXT_NORMAL);
      int text_width, text_height;
      pango_layout_get_pixel_size (text, &text_width, &text_height);
      gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((width - text_width) / 2,
                                                              (height - text_height) / 2));
      gtk_snapshot_append_layout (snapshot, text, &style.dim);
      return;
    }
  if (self->below == NULL)
    {
      GdkRGBA dimmed = style.ink;
      dimmed.alpha *= style.high_contrast ? 0.5f : 0.25f;
      self->below = render (self, &style, &dimmed);
      self->above = render (self, &style, &style.accent);
    }
  x = urbarium_axis_to_px (&self->axis, CLAMP (self->threshold, self->min, self->max));
  snapshot_part (snapshot, self->below, 0, x, width, height);
  snapshot_part (snapshot, self->above, x, width, width, height);
  snapshot_handle (self, snapshot, &style, x, width);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
         int *minimum_baseline, int *natural_baseline)
{
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = 120;
      *natural = 320;
    }
  else
    {
      g_auto(UrbariumChartStyle) style = { 0 };
      urbarium_chart_style_init_widget (&style, widget);
      *minimum = (int) (3 * style.text_height) + 24 + MIN_BARS_PX;
      *natural = *minimum + 2 * MIN_BARS_PX;
    }
}

static void
size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  invalidate (URBARIUM_HISTOGRAM (widget));
}

static void
css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (urbarium_histogram_parent_class)->css_changed (widget, change);
  invalidate (URBARIUM_HISTOGRAM (widget));
  gtk_widget_queue_resize (widget); /* the font may have changed */
}

static void
move_to_px (UrbariumHistogram *self, double px)
{
  double value;

  if (self->n_bins == 0)
    return;
  value = urbarium_axis_from_px (&self->axis, px);
  urbarium_histogram_set_threshold (self, CLAMP (value, self->min, self->max));
}

static void
drag_begin_cb (UrbariumHistogram *self, double x, double y)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  gtk_gesture_set_state (self->drag, GTK_EVENT_SEQUENCE_CLAIMED); /* prevents scrolling */
  self->before = self->threshold;
  self->press_x = x;
  move_to_px (self, x);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
drag_update_cb (UrbariumHistogram *self, double offset_x, double offset_y)
{
  move_to_px (self, self->press_x + offset_x);
}

static void
emit_threshold_set (UrbariumHistogram *self, double before)
{
  if (self->threshold != before)
    g_signal_emit (self, threshold_set_signal, 0, before);
}

static void
drag_end_cb (UrbariumHistogram *self)
{
  emit_threshold_set (self, self->before);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
drag_cancel_cb (UrbariumHistogram *self)
{
  urbarium_histogram_set_threshold (self, self->before);
}

static gboolean
key_to_threshold (UrbariumHistogram *self, guint key, double *threshold)
{
  double step = (self->max - self->min) / MAX (self->n_bins, 1);

  switch (key)
    {
    case GDK_KEY_Left: case GDK_KEY_KP_Left: case GDK_KEY_Down: case GDK_KEY_KP_Down:
      *threshold -= step;
      return TRUE;
    case GDK_KEY_Right: case GDK_KEY_KP_Right: case GDK_KEY_Up: case GDK_KEY_KP_Up:
      *threshold += step;
      return TRUE;
    case GDK_KEY_Page_Down: case GDK_KEY_KP_Page_Down:
      *threshold -= PAGE_BINS * step;
      return TRUE;
    case GDK_KEY_Page_Up: case GDK_KEY_KP_Page_Up:
      *threshold += PAGE_BINS * step;
      return TRUE;
    case GDK_KEY_Home: case GDK_KEY_KP_Home:
      *threshold = self->min;
      return TRUE;
    case GDK_KEY_End: case GDK_KEY_KP_End:
      *threshold = self->max;
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
key_cb (UrbariumHistogram *self, guint key, guint code, GdkModifierType state)
{
  double before = self->threshold, threshold = before;

  if ((state & gtk_accelerator_get_default_mod_mask ()) != 0 || self->n_bins == 0
      || !key_to_threshold (self, key, &threshold))
    return GDK_EVENT_PROPAGATE;
  urbarium_histogram_set_threshold (self, CLAMP (threshold, self->min, self->max));
  emit_threshold_set (self, before);
  return GDK_EVENT_STOP;
}

static void
enter_cb (UrbariumHistogram *self)
{
  self->hovered = TRUE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
leave_cb (UrbariumHistogram *self)
{
  self->hovered = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumHistogram *self = URBARIUM_HISTOGRAM (object);

  if (id == PROP_THRESHOLD)
    g_value_set_double (value, self->threshold);
  else if (id == PROP_X_LABEL)
    g_value_set_string (value, self->x_label);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  UrbariumHistogram *self = URBARIUM_HISTOGRAM (object);

  if (id == PROP_THRESHOLD)
    urbarium_histogram_set_threshold (self, g_value_get_double (value));
  else if (id == PROP_X_LABEL)
    {
      urbarium_chart_set_text (&self->x_label, value);
      update_accessible (self);
      invalidate (self);
    }
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
finalize (GObject *object)
{
  UrbariumHistogram *self = URBARIUM_HISTOGRAM (object);

  g_clear_object (&self->below);
  g_clear_object (&self->above);
  g_free (self->counts);
  g_free (self->x_label);
  G_OBJECT_CLASS (urbarium_histogram_parent_class)->finalize (object);
}

static void
urbarium_histogram_class_init (UrbariumHistogramClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->finalize = finalize;
  widget_class->snapshot = snapshot;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  widget_class->css_changed = css_changed;
  props[PROP_THRESHOLD] = g_param_spec_double (
    "threshold", NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0,
    G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  props[PROP_X_LABEL] = g_param_spec_string ("x-label", NULL, NULL, NULL,
                                             G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
  threshold_set_signal = g_signal_new ("threshold-set", G_TYPE_FROM_CLASS (klass),
                                       G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                       G_TYPE_DOUBLE);
  gtk_widget_class_set_css_name (widget_class, "histogram");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_SLIDER);
}

static void
urbarium_histogram_init (UrbariumHistogram *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *key = gtk_event_controller_key_new ();
  GtkEventController *motion = gtk_event_controller_motion_new ();

  self->max = 1;
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_cursor_from_name (widget, "ew-resize");
  self->drag = gtk_gesture_drag_new ();
  g_signal_connect_swapped (self->drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (self->drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect_swapped (self->drag, "drag-end", G_CALLBACK (drag_end_cb), self);
  g_signal_connect_swapped (self->drag, "cancel", G_CALLBACK (drag_cancel_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (self->drag));
  g_signal_connect_swapped (key, "key-pressed", G_CALLBACK (key_cb), self);
  gtk_widget_add_controller (widget, key);
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (enter_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  gtk_widget_add_controller (widget, motion);
  g_signal_connect_swapped (widget, "notify::scale-factor", G_CALLBACK (invalidate), self);
  g_signal_connect_object (adw_style_manager_get_default (), "notify", G_CALLBACK (invalidate),
                           self, G_CONNECT_SWAPPED);
  update_accessible (self);
}

void
urbarium_histogram_set_counts (UrbariumHistogram *self, const gint64 *counts, guint n_bins,
                               double min, double max)
{
  g_return_if_fail (URBARIUM_IS_HISTOGRAM (self));
  g_return_if_fail (n_bins == 0 || (counts != NULL && isfinite (min) && isfinite (max)
                                    && min <= max));

  g_free (self->counts);
  self->counts = g_memdup2 (counts, n_bins * sizeof *counts);
  self->n_bins = n_bins;
  self->largest = 0;
  for (guint i = 0; i < n_bins; i++)
    self->largest = MAX (self->largest, counts[i]);
  if (n_bins > 0)
    {
      UrbariumAxis axis = { URBARIUM_AXIS_LINEAR, min, max, 0, 1 };
      urbarium_axis_sanitize (&axis); /* all values may be equal */
      self->min = axis.min;
      self->max = axis.max;
    }
  update_accessible (self);
  invalidate (self);
}

double
urbarium_histogram_get_threshold (UrbariumHistogram *self)
{
  g_return_val_if_fail (URBARIUM_IS_HISTOGRAM (self), 0);
  return self->threshold;
}

void
urbarium_histogram_set_threshold (UrbariumHistogram *self, double threshold)
{
  g_return_if_fail (URBARIUM_IS_HISTOGRAM (self));
  g_return_if_fail (isfinite (threshold));

  if (self->threshold == threshold)
    return;
  self->threshold = threshold;
  update_accessible (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_THRESHOLD]);
}
