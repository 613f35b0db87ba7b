/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plot-input.c - pointer and keys: the crosshair follows the pointer, the wheel zooms about it, a
 * drag zooms to a range, or pans with Shift or the middle button.
 */
#include <glib/gi18n.h>
#include <math.h>

#include "app/plot/plot-area-private.h"

#define ZOOM_STEP 1.25
#define MIN_RANGE_PX 5     /* a shorter drag is a click */
#define MIN_VIEW 1e-6      /* share of the whole range */
#define KEY_PAN_SHARE 0.1
#define LARGE_STEP_PX 50

/* To coordinates that are linear in pixels. */
static double
to_even (const UrbariumChart *chart, double x)
{
  return chart->log_x ? log (x) : x;
}

static double
from_even (const UrbariumChart *chart, double even)
{
  return chart->log_x ? exp (even) : even;
}

/* Limits the view to the data; a view of all data is not a zoom. */
static void
set_view (UrbariumPlotArea *self, double min, double max)
{
  UrbariumChart *chart = self->chart;
  double all_min, all_max, width;

  if (!urbarium_chart_get_extent (chart, &all_min, &all_max) || all_min == all_max)
    {
      chart->zoomed = FALSE;
      urbarium_plot_area_changed (self);
      return;
    }
  all_min = to_even (chart, all_min);
  all_max = to_even (chart, all_max);
  width = MAX (max - min, MIN_VIEW * (all_max - all_min));
  min = (min + max - width) / 2;
  if (min < all_min)
    min = all_min;
  if (min + width > all_max)
    min = MAX (all_min, all_max - width);
  chart->zoomed = width < (all_max - all_min) * (1 - 1e-9);
  chart->view_min = from_even (chart, min);
  chart->view_max = from_even (chart, min + width);
  urbarium_plot_area_changed (self);
}

void
urbarium_plot_area_zoom (UrbariumPlotArea *self, double x_min, double x_max)
{
  if (x_min < x_max && (!self->chart->log_x || x_min > 0))
    {
      set_view (self, to_even (self->chart, x_min), to_even (self->chart, x_max));
      return;
    }
  self->chart->zoomed = FALSE;
  urbarium_plot_area_changed (self);
}

void
urbarium_plot_area_zoom_by (UrbariumPlotArea *self, double factor, double about_px)
{
  double min, max, about;

  if (self->frame.empty || !urbarium_chart_get_view (self->chart, &min, &max))
    return;
  about = to_even (self->chart, urbarium_axis_from_px (&self->frame.x, about_px));
  min = to_even (self->chart, min);
  max = to_even (self->chart, max);
  set_view (self, about - (about - min) / factor, about + (max - about) / factor);
}

static double
middle_px (UrbariumPlotArea *self)
{
  const UrbariumChartFrame *frame = &self->frame;

  if (self->has_cross)
    return CLAMP (urbarium_axis_to_px (&frame->x, self->cross_x), frame->left,
                  frame->left + frame->width);
  return frame->left + frame->width / 2;
}

static void
pan_by (UrbariumPlotArea *self, double min, double max, double share)
{
  min = to_even (self->chart, min);
  max = to_even (self->chart, max);
  set_view (self, min + share * (max - min), max + share * (max - min));
}

static void
motion_cb (UrbariumPlotArea *self, double x, double y)
{
  self->pointer = x;
  if (self->drag == URBARIUM_DRAG_NONE)
    urbarium_plot_area_set_cross_px (self, x);
}

static void
leave_cb (UrbariumPlotArea *self)
{
  self->pointer = NAN;
  if (self->drag == URBARIUM_DRAG_NONE)
    urbarium_plot_area_hide_cross (self);
}

static gboolean
scroll_cb (UrbariumPlotArea *self, double dx, double dy)
{
  /* Zooming out of the whole range scrolls the page instead. */
  if (self->frame.empty || (!self->chart->zoomed && dy >= 0))
    return GDK_EVENT_PROPAGATE;
  /* Horizontal scrolling on a touchpad pans. */
  if (fabs (dx) > fabs (dy) && self->chart->zoomed)
    pan_by (self, self->chart->view_min, self->chart->view_max, dx * KEY_PAN_SHARE / 2);
  else if (dy != 0)
    urbarium_plot_area_zoom_by (self, pow (ZOOM_STEP, -dy),
                                isnan (self->pointer) ? middle_px (self) : self->pointer);
  return GDK_EVENT_STOP;
}

static void
drag_begin_cb (UrbariumPlotArea *self, double x, double y, GtkGesture *gesture)
{
  guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));
  GdkModifierType state = gtk_event_controller_get_current_event_state (
    GTK_EVENT_CONTROLLER (gesture));

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (self->frame.empty || (button != GDK_BUTTON_PRIMARY && button != GDK_BUTTON_MIDDLE
                            && button != 0))
    {
      gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  self->drag = button == GDK_BUTTON_MIDDLE || (state & GDK_SHIFT_MASK) != 0 ? URBARIUM_DRAG_PAN
                                                                           : URBARIUM_DRAG_RANGE;
  self->drag_from = self->drag_to = x;
  urbarium_chart_get_view (self->chart, &self->drag_min, &self->drag_max);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self),
                                   self->drag == URBARIUM_DRAG_PAN ? "grabbing" : "col-resize");
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
drag_update_cb (UrbariumPlotArea *self, double offset_x, double offset_y, GtkGesture *gesture)
{
  /* A shorter drag may still become a click. */
  if (self->drag != URBARIUM_DRAG_NONE && fabs (offset_x) >= MIN_RANGE_PX)
    gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  self->drag_to = self->drag_from + offset_x;
  if (self->drag == URBARIUM_DRAG_PAN)
    pan_by (self, self->drag_min, self->drag_max, -offset_x / self->frame.width);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
drag_end_cb (UrbariumPlotArea *self, double offset_x, double offset_y)
{
  const UrbariumChartFrame *frame = &self->frame;
  UrbariumPlotDrag drag = self->drag;

  self->drag = URBARIUM_DRAG_NONE;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "crosshair");
  if (drag == URBARIUM_DRAG_RANGE && fabs (offset_x) >= MIN_RANGE_PX)
    {
      double from = CLAMP (MIN (self->drag_from, self->drag_from + offset_x), frame->left,
                           frame->left + frame->width);
      double to = CLAMP (MAX (self->drag_from, self->drag_from + offset_x), frame->left,
                         frame->left + frame->width);
      if (to - from >= MIN_RANGE_PX)
        urbarium_plot_area_zoom (self, urbarium_axis_from_px (&frame->x, from),
                                 urbarium_axis_from_px (&frame->x, to));
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
drag_cancel_cb (UrbariumPlotArea *self)
{
  self->drag = URBARIUM_DRAG_NONE;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "crosshair");
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
open_menu (UrbariumPlotArea *self, double x, double y)
{
  if (self->menu == NULL)
    {
      g_autoptr(GMenu) menu = g_menu_new (), view = g_menu_new (), out = g_menu_new ();
      g_menu_append (view, _ ("_Reset zoom"), "plot.reset-zoom");
      g_menu_append (view, _ ("Show _all values"), "plot.all-data");
      g_menu_append_section (menu, NULL, G_MENU_MODEL (view));
      g_menu_append (out, _ ("_Copy as image"), "plot.copy");
      g_menu_append (out, _ ("_Export…"), "plot.export");
      g_menu_append_section (menu, NULL, G_MENU_MODEL (out));
      self->menu = gtk_popover_menu_new_from_model (G_MENU_MODEL (menu));
      gtk_popover_set_has_arrow (GTK_POPOVER (self->menu), FALSE);
      gtk_widget_set_halign (self->menu, GTK_ALIGN_START);
      gtk_widget_set_parent (self->menu, GTK_WIDGET (self));
    }
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu),
                               &(GdkRectangle) { (int) x, (int) y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

static void
pressed_cb (UrbariumPlotArea *self, int n_press, double x, double y, GtkGesture *gesture)
{
  guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));

  if (button == GDK_BUTTON_SECONDARY)
    {
      gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
      open_menu (self, x, y);
    }
  else if (button != GDK_BUTTON_MIDDLE && n_press == 2)
    urbarium_plot_area_zoom (self, 0, 0);
}

static void
move_key (UrbariumPlotArea *self, int direction, GdkModifierType state)
{
  double min, max;

  if ((state & GDK_SHIFT_MASK) == 0)
    urbarium_plot_area_step_cross (self, direction,
                                   (state & GDK_CONTROL_MASK) != 0 ? LARGE_STEP_PX : 1);
  else if (urbarium_chart_get_view (self->chart, &min, &max))
    pan_by (self, min, max, direction * KEY_PAN_SHARE);
}

static gboolean
key_cb (UrbariumPlotArea *self, guint key, guint code, GdkModifierType state)
{
  if ((state & GDK_ALT_MASK) != 0)
    return GDK_EVENT_PROPAGATE;
  switch (key)
    {
    case GDK_KEY_Left: case GDK_KEY_KP_Left:
      move_key (self, -1, state);
      return GDK_EVENT_STOP;
    case GDK_KEY_Right: case GDK_KEY_KP_Right:
      move_key (self, 1, state);
      return GDK_EVENT_STOP;
    case GDK_KEY_Home: case GDK_KEY_KP_Home:
      urbarium_plot_area_set_cross_px (self, self->frame.left);
      return GDK_EVENT_STOP;
    case GDK_KEY_End: case GDK_KEY_KP_End:
      urbarium_plot_area_set_cross_px (self, self->frame.left + self->frame.width);
      return GDK_EVENT_STOP;
    case GDK_KEY_plus: case GDK_KEY_equal: case GDK_KEY_KP_Add:
      urbarium_plot_area_zoom_by (self, ZOOM_STEP, middle_px (self));
      return GDK_EVENT_STOP;
    case GDK_KEY_minus: case GDK_KEY_KP_Subtract:
      urbarium_plot_area_zoom_by (self, 1 / ZOOM_STEP, middle_px (self));
      return GDK_EVENT_STOP;
    case GDK_KEY_0: case GDK_KEY_KP_0:
      urbarium_plot_area_zoom (self, 0, 0);
      return GDK_EVENT_STOP;
    case GDK_KEY_Escape:
      if (!self->has_cross)
        return GDK_EVENT_PROPAGATE;
      urbarium_plot_area_hide_cross (self);
      return GDK_EVENT_STOP;
    case GDK_KEY_F10:
      if ((state & GDK_SHIFT_MASK) == 0)
        return GDK_EVENT_PROPAGATE;
      /* fall through */
    case GDK_KEY_Menu:
      open_menu (self, middle_px (self), self->frame.top + self->frame.height / 2);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

void
urbarium_plot_area_init_input (UrbariumPlotArea *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll = gtk_event_controller_scroll_new (
    GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *key = gtk_event_controller_key_new ();
  GtkGesture *drag = gtk_gesture_drag_new (), *click = gtk_gesture_click_new ();

  gtk_widget_set_cursor_from_name (widget, "crosshair");
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  gtk_widget_add_controller (widget, motion);
  g_signal_connect_swapped (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  gtk_widget_add_controller (widget, scroll);
  g_signal_connect_swapped (key, "key-pressed", G_CALLBACK (key_cb), self);
  gtk_widget_add_controller (widget, key);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), 0);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect_swapped (drag, "drag-end", G_CALLBACK (drag_end_cb), self);
  g_signal_connect_swapped (drag, "cancel", G_CALLBACK (drag_cancel_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), 0);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
}
