/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step-player.h - a button that moves a slider to its end, one step after the other.
 *
 * It begins again at the end, waits for what is not shown yet, and stops when the slider is moved by hand.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct _UrbariumStepPlayer UrbariumStepPlayer;

/* Whether the chosen step is on the screen. */
typedef gboolean (*UrbariumShownFunc) (gpointer data);

/* @steps, @button: (transfer none): outlive it */
UrbariumStepPlayer *urbarium_step_player_new  (GtkAdjustment *steps, GtkToggleButton *button,
                                               UrbariumShownFunc is_shown, gpointer data);
void                urbarium_step_player_stop (UrbariumStepPlayer *self);
void                urbarium_step_player_free (UrbariumStepPlayer *self);

G_END_DECLS
