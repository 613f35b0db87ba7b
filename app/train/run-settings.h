/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-settings.h - the settings of the next run, and the button that begins it.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_RUN_SETTINGS (urbarium_run_settings_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunSettings, urbarium_run_settings, URBARIUM, RUN_SETTINGS, AdwBin)

/* Signals "started" (UrbariumRun): it trains, or waits in the queue; "changed": any setting. */

/* Once. */
void        urbarium_run_settings_set_library (UrbariumRunSettings *self,
                                               UrbariumRunLibrary *library);
void        urbarium_run_settings_set_dataset (UrbariumRunSettings *self, const char *path);
const char *urbarium_run_settings_get_dataset (UrbariumRunSettings *self);
/* @config: (out): initialised by the caller; what the settings say now */
void        urbarium_run_settings_get_config  (UrbariumRunSettings *self, UrbRunConfig *config);
/* Sets all that can be set here, but the name.
 * Returns: FALSE, with nothing set, if its networks are none of those that come with the program */
gboolean    urbarium_run_settings_set_config  (UrbariumRunSettings *self,
                                               const UrbRunConfig *config);
/* Whether somebody chose the hardware; else it is what was proposed. */
gboolean    urbarium_run_settings_is_device_chosen (UrbariumRunSettings *self);
/* The best hardware of this machine, whatever was set. */
void        urbarium_run_settings_propose_device   (UrbariumRunSettings *self);
/* What forbids to train, as a sentence; NULL if nothing does. (transfer full) */
char       *urbarium_run_settings_check       (UrbariumRunSettings *self);

G_END_DECLS
