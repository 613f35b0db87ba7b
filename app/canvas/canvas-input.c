/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canvas-input.c - mouse, touch, touchpad and keys of the canvas.
 *
 * A drag below the desktop's threshold is a click.
 */
#include <math.h>

#include "app/canvas/canvas-private.h"
#include "app/canvas/tile.h"

#define WHEEL_FACTOR  1.5  /* zoom per wheel notch */
#define KEY_FACTOR    1.5  /* zoom per + or - */
#define PAN_STEP      64.0 /* pixels per arrow key */
#define CURSOR_STEP   16.0 /* pixels per Shift + arrow key */
#define CURSOR_MARGIN 24.0 /* pixels: closer to an edge, the map moves instead */
#define SCROLL_STEP   48.0 /* pixels per line, for touchpads that report lines */
#define LASSO_STEP    3.0  /* minimum distance of vertices in pixels */

static guint
modifiers_of (gpointer controller)
{
  return gtk_event_controller_get_current_event_state (controller)
         & gtk_accelerator_get_default_mod_mask ();
}

static void
show_grabbing (UrbariumCanvas *self, gboolean grabbing)
{
  const char *resting = self->tool == URBARIUM_CANVAS_LASSO ? "crosshair" : NULL;

  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), grabbing ? "grabbing" : resting);
}

/* Dragging */

static gboolean
draws_lasso (UrbariumCanvas *self, gpointer gesture)
{
  return self->tool == URBARIUM_CANVAS_LASSO && gesture == (gpointer) self->drag;
}

static void
add_to_lasso (UrbariumCanvas *self, double px, double py)
{
  double x, y;

  urbarium_view_to_map (&self->view, px, py, &x, &y);
  urbarium_lasso_add_vertex (self->lasso, x, y, LASSO_STEP * self->view.m_per_px);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
drag_begin_cb (GtkGestureDrag *gesture, double px, double py, UrbariumCanvas *self)
{
  urbarium_canvas_stop (self);
  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->dragging = FALSE;
  self->press_x = px;
  self->press_y = py;
  self->drag_x = self->drag_y = 0;
}

static void
drag_update_cb (GtkGestureDrag *gesture, double dx, double dy, UrbariumCanvas *self)
{
  double px = self->press_x, py = self->press_y;

  if (!self->dragging)
    {
      if (!gtk_drag_check_threshold (GTK_WIDGET (self), (int) px, (int) py, (int) (px + dx),
                                     (int) (py + dy)))
        return;
      self->dragging = TRUE;
      self->has_cursor = FALSE;
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
      if (draws_lasso (self, gesture))
        {
          urbarium_lasso_clear (self->lasso);
          add_to_lasso (self, px, py);
        }
      else
        show_grabbing (self, TRUE);
    }
  if (draws_lasso (self, gesture))
    add_to_lasso (self, px + dx, py + dy);
  else
    urbarium_canvas_move_to (
      self, urbarium_view_drag (self->view, dx - self->drag_x, dy - self->drag_y));
  self->drag_x = dx;
  self->drag_y = dy;
}

static void
drag_end_cb (GtkGestureDrag *gesture, double dx, double dy, UrbariumCanvas *self)
{
  show_grabbing (self, FALSE);
  if (self->dragging)
    {
      self->dragging = FALSE;
      if (draws_lasso (self, gesture))
        urbarium_canvas_close_lasso (self);
    }
  else if (gesture == (gpointer) self->drag)
    urbarium_canvas_emit_clicked (self, self->press_x + dx, self->press_y + dy,
                                  modifiers_of (gesture));
}

static void
drag_cancel_cb (GtkGesture *gesture, GdkEventSequence *sequence, UrbariumCanvas *self)
{
  self->dragging = TRUE; /* so that the end of the gesture is no click */
  if (draws_lasso (self, gesture))
    urbarium_lasso_clear (self->lasso);
  show_grabbing (self, FALSE);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
swipe_cb (GtkGestureSwipe *gesture, double speed_x, double speed_y, UrbariumCanvas *self)
{
  if (self->tool == URBARIUM_CANVAS_PAN && self->drag_x * self->drag_x + self->drag_y * self->drag_y > 0)
    urbarium_canvas_fling (self, speed_x, speed_y);
}

static GtkGesture *
add_drag (UrbariumCanvas *self, guint button)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), button);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (drag_end_cb), self);
  g_signal_connect (drag, "cancel", G_CALLBACK (drag_cancel_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  return drag;
}

/* Pinch */

static void
get_pinch_center (UrbariumCanvas *self, double *px, double *py)
{
  if (gtk_gesture_is_active (self->pinch)
      && gtk_gesture_get_bounding_box_center (self->pinch, px, py))
    return;
  *px = 0.5 * self->view.width;
  *py = 0.5 * self->view.height;
}

static void
pinch_begin_cb (GtkGesture *gesture, GdkEventSequence *sequence, UrbariumCanvas *self)
{
  urbarium_canvas_stop (self);
  self->dragging = TRUE; /* so that lifting the first finger is no click */
  gtk_gesture_set_state (self->drag, GTK_EVENT_SEQUENCE_DENIED);
  self->pinch_scale = 1;
  get_pinch_center (self, &self->pinch_x, &self->pinch_y);
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
}

static void
pinch_cb (GtkGestureZoom *gesture, double scale, UrbariumCanvas *self)
{
  UrbariumView view;
  double px, py;

  get_pinch_center (self, &px, &py);
  view = urbarium_view_drag (self->view, px - self->pinch_x, py - self->pinch_y);
  view = urbarium_view_zoom_at (view, px, py, scale / self->pinch_scale);
  urbarium_canvas_move_to (self, view);
  self->pinch_scale = scale;
  self->pinch_x = px;
  self->pinch_y = py;
}

static void
pinch_end_cb (GtkGesture *gesture, GdkEventSequence *sequence, UrbariumCanvas *self)
{
  double m_per_px = urbarium_tile_round_scale (self->view.m_per_px);

  urbarium_canvas_move_to (self, urbarium_view_zoom_at (self->view, self->pinch_x, self->pinch_y,
                                                        self->view.m_per_px / m_per_px));
}

/* Scrolling */

static gboolean
is_touchpad (GtkEventController *controller)
{
  GdkEvent *event = gtk_event_controller_get_current_event (controller);
  GdkDevice *device = gtk_event_controller_get_current_event_device (controller);

  return (event != NULL && gdk_event_get_event_type (event) == GDK_SCROLL
          && gdk_scroll_event_get_unit (event) == GDK_SCROLL_UNIT_SURFACE)
         || (device != NULL && gdk_device_get_source (device) == GDK_SOURCE_TOUCHPAD);
}

static gboolean
scroll_cb (GtkEventControllerScroll *scroll, double dx, double dy, UrbariumCanvas *self)
{
  GtkEventController *controller = GTK_EVENT_CONTROLLER (scroll);
  gboolean control = modifiers_of (controller) & GDK_CONTROL_MASK;
  double px = self->pointer_x, py = self->pointer_y;

  if (isnan (px))
    {
      px = 0.5 * self->view.width;
      py = 0.5 * self->view.height;
    }
  if (is_touchpad (controller) && !control)
    {
      double step = gtk_event_controller_scroll_get_unit (scroll) == GDK_SCROLL_UNIT_SURFACE
                      ? 1 : SCROLL_STEP;

      urbarium_canvas_stop (self);
      urbarium_canvas_move_to (self, urbarium_view_drag (self->view, -dx * step, -dy * step));
    }
  else
    {
      /* With Control, a touchpad's pixels count as fractions of a notch. */
      double notches = gtk_event_controller_scroll_get_unit (scroll) == GDK_SCROLL_UNIT_SURFACE
                         ? dy / SCROLL_STEP : dy;

      urbarium_canvas_zoom_at (self, px, py, pow (WHEEL_FACTOR, -notches));
    }
  return TRUE;
}

static void
decelerate_cb (GtkEventControllerScroll *scroll, double speed_x, double speed_y,
               UrbariumCanvas *self)
{
  if (is_touchpad (GTK_EVENT_CONTROLLER (scroll)))
    urbarium_canvas_fling (self, -speed_x, -speed_y);
}

/* The pointer */

static void
motion_cb (GtkEventControllerMotion *controller, double px, double py, UrbariumCanvas *self)
{
  if (self->pointer_x == px && self->pointer_y == py)
    return;
  self->pointer_x = px;
  self->pointer_y = py;
  if (self->has_cursor)
    {
      self->has_cursor = FALSE;
      gtk_widget_queue_draw (GTK_WIDGET (self));
    }
  urbarium_canvas_emit_pointer (self, px, py, TRUE);
}

static void
leave_cb (GtkEventControllerMotion *controller, UrbariumCanvas *self)
{
  double px = self->pointer_x, py = self->pointer_y;

  self->pointer_x = self->pointer_y = NAN;
  if (!isnan (px))
    urbarium_canvas_emit_pointer (self, px, py, FALSE);
}

/* Keys */

static gboolean
pan_key_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  UrbariumCanvas *self = URBARIUM_CANVAS (widget);
  double dx, dy;

  g_variant_get (args, "(dd)", &dx, &dy);
  urbarium_canvas_stop (self);
  urbarium_canvas_move_to (self,
                           urbarium_view_drag (self->view, -dx * PAN_STEP, -dy * PAN_STEP));
  return TRUE;
}

/* At CURSOR_MARGIN from an edge, the map moves instead of the cursor. */
static gboolean
cursor_key_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  UrbariumCanvas *self = URBARIUM_CANVAS (widget);
  double dx, dy, px, py, max_x, max_y;

  g_variant_get (args, "(dd)", &dx, &dy);
  urbarium_canvas_stop (self);
  if (!self->has_cursor)
    {
      self->has_cursor = TRUE;
      self->cursor_x = floor (0.5 * self->view.width);
      self->cursor_y = floor (0.5 * self->view.height);
      dx = dy = 0;
    }
  px = self->cursor_x + dx * CURSOR_STEP;
  py = self->cursor_y + dy * CURSOR_STEP;
  max_x = MAX (self->view.width - CURSOR_MARGIN, CURSOR_MARGIN);
  max_y = MAX (self->view.height - CURSOR_MARGIN, CURSOR_MARGIN);
  self->cursor_x = CLAMP (px, CURSOR_MARGIN, max_x);
  self->cursor_y = CLAMP (py, CURSOR_MARGIN, max_y);
  if (px != self->cursor_x || py != self->cursor_y)
    urbarium_canvas_move_to (
      self, urbarium_view_drag (self->view, self->cursor_x - px, self->cursor_y - py));
  urbarium_canvas_emit_pointer (self, self->cursor_x, self->cursor_y, TRUE);
  gtk_widget_queue_draw (widget);
  return TRUE;
}

static gboolean
zoom_key_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  UrbariumCanvas *self = URBARIUM_CANVAS (widget);
  double px = self->has_cursor ? self->cursor_x : 0.5 * self->view.width;
  double py = self->has_cursor ? self->cursor_y : 0.5 * self->view.height;
  double steps;

  g_variant_get (args, "(d)", &steps);
  urbarium_canvas_zoom_at (self, px, py, pow (KEY_FACTOR, steps));
  return TRUE;
}

static gboolean
fit_key_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  urbarium_canvas_fit (URBARIUM_CANVAS (widget));
  return TRUE;
}

/* Closes a lasso of three or more vertices; otherwise clicks at the cursor. */
static gboolean
enter_key_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  UrbariumCanvas *self = URBARIUM_CANVAS (widget);

  if (self->tool == URBARIUM_CANVAS_LASSO && urbarium_lasso_get_n_vertices (self->lasso) >= 3)
    urbarium_canvas_close_lasso (self);
  else if (self->has_cursor)
    urbarium_canvas_emit_clicked (self, self->cursor_x, self->cursor_y, g_variant_get_uint32 (args));
  else
    return FALSE;
  return TRUE;
}

static gboolean
space_key_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  UrbariumCanvas *self = URBARIUM_CANVAS (widget);

  if (self->tool != URBARIUM_CANVAS_LASSO || !self->has_cursor)
    return FALSE;
  add_to_lasso (self, self->cursor_x, self->cursor_y);
  return TRUE;
}

static gboolean
backspace_key_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  UrbariumCanvas *self = URBARIUM_CANVAS (widget);

  if (urbarium_lasso_get_n_vertices (self->lasso) == 0)
    return FALSE;
  urbarium_lasso_drop_vertex (self->lasso);
  gtk_widget_queue_draw (widget);
  return TRUE;
}

static gboolean
escape_key_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  UrbariumCanvas *self = URBARIUM_CANVAS (widget);

  if (urbarium_lasso_get_n_vertices (self->lasso) > 0)
    {
      if (self->dragging)
        gtk_gesture_set_state (self->drag, GTK_EVENT_SEQUENCE_DENIED);
      urbarium_lasso_clear (self->lasso);
    }
  else if (self->has_cursor)
    {
      self->has_cursor = FALSE;
      urbarium_canvas_emit_pointer (self, self->cursor_x, self->cursor_y, FALSE);
    }
  else
    return FALSE;
  gtk_widget_queue_draw (widget);
  return TRUE;
}

static void
bind_arrow (GtkWidgetClass *klass, guint key, guint keypad_key, double dx, double dy)
{
  const guint keys[] = { key, keypad_key };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      gtk_widget_class_add_binding (klass, keys[i], 0, pan_key_cb, "(dd)", dx, dy);
      gtk_widget_class_add_binding (klass, keys[i], GDK_SHIFT_MASK, cursor_key_cb, "(dd)", dx, dy);
      /* Fine steps of one pixel. */
      gtk_widget_class_add_binding (klass, keys[i], GDK_SHIFT_MASK | GDK_CONTROL_MASK,
                                    cursor_key_cb, "(dd)", dx / CURSOR_STEP, dy / CURSOR_STEP);
    }
}

void
urbarium_canvas_class_init_input (GtkWidgetClass *klass)
{
  const guint plus[] = { GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add };
  const guint minus[] = { GDK_KEY_minus, GDK_KEY_KP_Subtract };
  const guint fit[] = { GDK_KEY_0, GDK_KEY_KP_0, GDK_KEY_Home, GDK_KEY_KP_Home };
  const guint enter[] = { GDK_KEY_Return, GDK_KEY_KP_Enter, GDK_KEY_ISO_Enter };

  bind_arrow (klass, GDK_KEY_Left, GDK_KEY_KP_Left, -1, 0);
  bind_arrow (klass, GDK_KEY_Right, GDK_KEY_KP_Right, 1, 0);
  bind_arrow (klass, GDK_KEY_Up, GDK_KEY_KP_Up, 0, -1);
  bind_arrow (klass, GDK_KEY_Down, GDK_KEY_KP_Down, 0, 1);
  for (guint i = 0; i < G_N_ELEMENTS (plus); i++)
    gtk_widget_class_add_binding (klass, plus[i], 0, zoom_key_cb, "(d)", 1.0);
  gtk_widget_class_add_binding (klass, GDK_KEY_plus, GDK_SHIFT_MASK, zoom_key_cb, "(d)", 1.0);
  for (guint i = 0; i < G_N_ELEMENTS (minus); i++)
    gtk_widget_class_add_binding (klass, minus[i], 0, zoom_key_cb, "(d)", -1.0);
  for (guint i = 0; i < G_N_ELEMENTS (fit); i++)
    gtk_widget_class_add_binding (klass, fit[i], 0, fit_key_cb, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (enter); i++)
    {
      gtk_widget_class_add_binding (klass, enter[i], 0, enter_key_cb, "u", 0);
      gtk_widget_class_add_binding (klass, enter[i], GDK_SHIFT_MASK, enter_key_cb, "u",
                                    GDK_SHIFT_MASK);
      gtk_widget_class_add_binding (klass, enter[i], GDK_CONTROL_MASK, enter_key_cb, "u",
                                    GDK_CONTROL_MASK);
    }
  gtk_widget_class_add_binding (klass, GDK_KEY_space, 0, space_key_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_BackSpace, 0, backspace_key_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_Escape, 0, escape_key_cb, NULL);
}

void
urbarium_canvas_init_input (UrbariumCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *scroll
    = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES
                                       | GTK_EVENT_CONTROLLER_SCROLL_KINETIC);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkGesture *swipe = gtk_gesture_swipe_new ();

  self->pointer_x = self->pointer_y = NAN;
  self->drag = add_drag (self, GDK_BUTTON_PRIMARY);
  self->middle_drag = add_drag (self, GDK_BUTTON_MIDDLE);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (swipe), GDK_BUTTON_PRIMARY);
  g_signal_connect (swipe, "swipe", G_CALLBACK (swipe_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (swipe));
  gtk_gesture_group (swipe, self->drag); /* a claim by one does not cancel the other */

  self->pinch = gtk_gesture_zoom_new ();
  g_signal_connect (self->pinch, "begin", G_CALLBACK (pinch_begin_cb), self);
  g_signal_connect (self->pinch, "scale-changed", G_CALLBACK (pinch_cb), self);
  g_signal_connect (self->pinch, "end", G_CALLBACK (pinch_end_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (self->pinch));

  g_signal_connect (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  g_signal_connect (scroll, "decelerate", G_CALLBACK (decelerate_cb), self);
  gtk_widget_add_controller (widget, scroll);
  g_signal_connect (motion, "enter", G_CALLBACK (motion_cb), self);
  g_signal_connect (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect (motion, "leave", G_CALLBACK (leave_cb), self);
  gtk_widget_add_controller (widget, motion);
}
