/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/step-player.h"

#include "app/base/play-button.h"

enum { FRAME_MS = 400 };

struct _UrbariumStepPlayer
{
  GtkAdjustment    *steps;  /* borrowed */
  GtkToggleButton  *button; /* borrowed */
  UrbariumShownFunc is_shown;
  gpointer          data;
  guint             timer;  /* source */
  gboolean          is_moving; /* the slider, by this */
};

void
urbarium_step_player_stop (UrbariumStepPlayer *self)
{
  gtk_toggle_button_set_active (self->button, FALSE);
}

static void
move (UrbariumStepPlayer *self, double to)
{
  self->is_moving = TRUE;
  gtk_adjustment_set_value (self->steps, to);
  self->is_moving = FALSE;
}

static gboolean
next_cb (gpointer data)
{
  UrbariumStepPlayer *self = data;
  double value = gtk_adjustment_get_value (self->steps);
  if (!self->is_shown (self->data))
    return G_SOURCE_CONTINUE;
  if (value < gtk_adjustment_get_upper (self->steps))
    move (self, value + 1);
  if (gtk_adjustment_get_value (self->steps) < gtk_adjustment_get_upper (self->steps))
    return G_SOURCE_CONTINUE;
  self->timer = 0;
  urbarium_step_player_stop (self);
  return G_SOURCE_REMOVE;
}

static void
toggled_cb (UrbariumStepPlayer *self)
{
  g_clear_handle_id (&self->timer, g_source_remove);
  urbarium_play_button_update (self->button);
  if (!gtk_toggle_button_get_active (self->button))
    return;
  if (gtk_adjustment_get_value (self->steps) >= gtk_adjustment_get_upper (self->steps))
    move (self, gtk_adjustment_get_lower (self->steps));
  self->timer = g_timeout_add (FRAME_MS, next_cb, self);
}

static void
moved_cb (UrbariumStepPlayer *self)
{
  if (!self->is_moving)
    urbarium_step_player_stop (self);
}

UrbariumStepPlayer *
urbarium_step_player_new (GtkAdjustment *steps, GtkToggleButton *button, UrbariumShownFunc is_shown, gpointer data)
{
  UrbariumStepPlayer *self = g_new0 (UrbariumStepPlayer, 1);
  self->steps = steps;
  self->button = button;
  self->is_shown = is_shown;
  self->data = data;
  g_signal_connect_swapped (button, "toggled", G_CALLBACK (toggled_cb), self);
  g_signal_connect_swapped (steps, "value-changed", G_CALLBACK (moved_cb), self);
  return self;
}

void
urbarium_step_player_free (UrbariumStepPlayer *self)
{
  g_signal_handlers_disconnect_by_data (self->button, self);
  g_signal_handlers_disconnect_by_data (self->steps, self);
  g_clear_handle_id (&self->timer, g_source_remove);
  g_free (self);
}
