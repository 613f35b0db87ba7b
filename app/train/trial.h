/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trial.h - settings that are tried before they are used: a run of a few steps, a search for learning rates, or one
 * for a batch size.  Its result is shown in a dialog, from which what was found can be used.
 */
#pragma once

#include <gtk/gtk.h>

#include "settings/run-config.h"

G_BEGIN_DECLS

typedef enum { URBARIUM_TRIAL_RUN, URBARIUM_TRIAL_RATES, URBARIUM_TRIAL_BATCH } UrbariumTrialKind;

#define URBARIUM_TYPE_TRIAL (urbarium_trial_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumTrial, urbarium_trial, URBARIUM, TRIAL, GObject)

/* Signals:
 * "changed": it has begun or ended.
 * "measured" (UrbRunConfig, double): images per second of a run with these settings.
 * "use" (UrbRunConfig, GStrv): the user wants the values that these settings have there. */

/* @where: (transfer none): a widget in the window of the dialogs; outlives the trial */
UrbariumTrial *urbarium_trial_new       (GtkWidget *where);
/* None may be active. @config: copied */
void           urbarium_trial_start     (UrbariumTrial *self, UrbariumTrialKind kind, const UrbRunConfig *config);
/* Ends it without a result, if it is active. */
void           urbarium_trial_stop      (UrbariumTrial *self);
gboolean       urbarium_trial_is_active (UrbariumTrial *self);

G_END_DECLS
