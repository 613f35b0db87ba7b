/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canvas-motion.c - animations: flights, zooming with the wheel, and kinetic panning.
 *
 * Animations depend on frame times, never on frame counts.  Zooming ends at a scale that has
 * tiles of its own, see tile.h.
 */
#include "app/canvas/canvas-private.h"

#include <math.h>

#include "app/canvas/tile.h"

#define FLIGHT_S     0.35
#define ZOOM_TIME_S  0.045 /* time constant of the remaining distance */
#define FLING_TIME_S 0.25  /* time constant of the speed */
#define FLING_MIN    40.0  /* pixels per second; a slower fling stops */
#define FLING_MAX    8000.0
#define FRAME_MAX_S  0.1   /* longer frame intervals are clamped */

void
urbarium_canvas_stop (UrbariumCanvas *self)
{
  if (self->motion.tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->motion.tick);
  self->motion.tick = 0;
  self->motion.kind = MOTION_NONE;
}

/* The advance_ functions return whether the motion continues. */
static gboolean
advance_flight (UrbariumCanvas *self, gint64 now_us)
{
  Motion *motion = &self->motion;
  double t = MIN ((now_us - motion->time_us) / (FLIGHT_S * G_USEC_PER_SEC), 1);
  double eased = t < 0.5 ? 4 * t * t * t : 1 - pow (2 - 2 * t, 3) / 2;

  motion->to.width = self->view.width;
  motion->to.height = self->view.height;
  urbarium_canvas_move_to (self, urbarium_view_mix (motion->from, motion->to, eased));
  return t < 1;
}

static gboolean
advance_zoom (UrbariumCanvas *self, double seconds)
{
  Motion *motion = &self->motion;
  double left = log (motion->m_per_px / self->view.m_per_px) * exp (-seconds / ZOOM_TIME_S);
  gboolean done = fabs (left) < 0.002;
  double m_per_px = done ? urbarium_tile_round_scale (motion->m_per_px)
                         : motion->m_per_px * exp (-left);

  urbarium_canvas_move_to (self, urbarium_view_pin (self->view, motion->x, motion->y, motion->px,
                                                    motion->py, m_per_px));
  return !done;
}

static gboolean
advance_fling (UrbariumCanvas *self, double seconds)
{
  Motion *motion = &self->motion;
  double decay = exp (-seconds / FLING_TIME_S);
  double time = FLING_TIME_S * (1 - decay); /* distance at the initial speed */

  urbarium_canvas_move_to (
    self, urbarium_view_drag (self->view, motion->speed_x * time, motion->speed_y * time));
  motion->speed_x *= decay;
  motion->speed_y *= decay;
  return hypot (motion->speed_x, motion->speed_y) > FLING_MIN;
}

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  UrbariumCanvas *self = URBARIUM_CANVAS (widget);
  Motion *motion = &self->motion;
  gint64 now_us = gdk_frame_clock_get_frame_time (clock);
  double seconds = CLAMP ((now_us - motion->time_us) / (double) G_USEC_PER_SEC, 0, FRAME_MAX_S);
  gboolean continues = FALSE;
  guint tick = motion->tick;

  switch (motion->kind)
    {
    case MOTION_FLIGHT:
      continues = advance_flight (self, now_us);
      break;
    case MOTION_ZOOM:
      motion->time_us = now_us;
      continues = advance_zoom (self, seconds);
      break;
    case MOTION_FLING:
      motion->time_us = now_us;
      continues = advance_fling (self, seconds);
      break;
    case MOTION_NONE:
      break;
    }
  if (motion->tick != tick)
    return G_SOURCE_REMOVE; /* a "view-changed" handler has stopped or replaced the motion */
  if (continues)
    return G_SOURCE_CONTINUE;
  motion->tick = 0;
  motion->kind = MOTION_NONE;
  return G_SOURCE_REMOVE;
}

static void
start (UrbariumCanvas *self, MotionKind kind)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GdkFrameClock *clock = gtk_widget_get_frame_clock (widget);

  self->motion.kind = kind;
  self->motion.time_us = gdk_frame_clock_get_frame_time (clock);
  if (self->motion.tick == 0)
    self->motion.tick = gtk_widget_add_tick_callback (widget, tick_cb, NULL, NULL);
}

static gboolean
can_animate (UrbariumCanvas *self)
{
  return gtk_widget_get_mapped (GTK_WIDGET (self)) && adw_get_enable_animations (GTK_WIDGET (self));
}

void
urbarium_canvas_fly_to (UrbariumCanvas *self, UrbariumView view)
{
  urbarium_canvas_stop (self);
  if (!can_animate (self))
    {
      urbarium_canvas_move_to (self, view);
      return;
    }
  self->motion.from = self->view;
  self->motion.to = view;
  start (self, MOTION_FLIGHT);
}

void
urbarium_canvas_zoom_at (UrbariumCanvas *self, double px, double py, double factor)
{
  /* Wheel notches during a zoom accumulate. */
  double now = self->motion.kind == MOTION_ZOOM ? self->motion.m_per_px : self->view.m_per_px;
  UrbariumView end = self->view;

  if (!can_animate (self))
    {
      double m_per_px = urbarium_tile_round_scale (now / factor);

      urbarium_canvas_stop (self);
      if (m_per_px != urbarium_tile_round_scale (now)) /* else small steps would have no effect */
        factor = now / m_per_px;
      urbarium_canvas_move_to (self, urbarium_view_zoom_at (self->view, px, py, factor));
      return;
    }
  if (self->motion.kind != MOTION_ZOOM)
    urbarium_canvas_stop (self);
  urbarium_view_to_map (&self->view, px, py, &self->motion.x, &self->motion.y);
  self->motion.px = px;
  self->motion.py = py;
  end.m_per_px = now / factor;
  if (self->map != NULL)
    end = urbarium_view_clamp (end, self->extent);
  self->motion.m_per_px = end.m_per_px;
  start (self, MOTION_ZOOM);
}

void
urbarium_canvas_fling (UrbariumCanvas *self, double speed_x, double speed_y)
{
  urbarium_canvas_stop (self);
  if (!can_animate (self) || hypot (speed_x, speed_y) < FLING_MIN)
    return;
  self->motion.speed_x = CLAMP (speed_x, -FLING_MAX, FLING_MAX);
  self->motion.speed_y = CLAMP (speed_y, -FLING_MAX, FLING_MAX);
  start (self, MOTION_FLING);
}
