/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-settings.h - the settings of the next run, and the button that starts it.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_RUN_SETTINGS (urbarium_run_settings_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunSettings, urbarium_run_settings, URBARIUM, RUN_SETTINGS, AdwBin)

/* Signals: "started" (UrbariumRun): a run was started or queued;
 * "started-several" (GPtrArray of UrbariumRun); "changed": any setting changed. */

/* Call once. */
void        urbarium_run_settings_set_library (UrbariumRunSettings *self,
                                               UrbariumRunLibrary *library);
void        urbarium_run_settings_set_dataset (UrbariumRunSettings *self, const char *path);
/* @config: valid, or zeros; replaced by the current settings */
void        urbarium_run_settings_get_config  (UrbariumRunSettings *self, UrbRunConfig *config);
/* Sets everything that can be set here except the name.
 * Returns: FALSE, with nothing set, if its networks are not a built-in preset */
gboolean    urbarium_run_settings_set_config  (UrbariumRunSettings *self,
                                               const UrbRunConfig *config);
/* Whether the user chose the hardware; otherwise it is the proposed one. */
gboolean    urbarium_run_settings_is_device_chosen (UrbariumRunSettings *self);
/* Selects the best hardware of this machine. */
void        urbarium_run_settings_propose_device   (UrbariumRunSettings *self);
/* Returns: (transfer full) (nullable): a sentence that says why training cannot start */
char       *urbarium_run_settings_check       (UrbariumRunSettings *self);

G_END_DECLS
