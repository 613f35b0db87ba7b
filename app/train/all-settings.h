/* SPDX-License-Identifier: Apache-2.0 */
/*
 * all-settings.h - every setting of a run, in one searchable window.
 *
 * The rows are made from the table of settings: a new setting appears here
 * without a line of code.
 */
#pragma once

#include <adwaita.h>

#include "settings/run-config.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_ALL_SETTINGS (urbarium_all_settings_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumAllSettings, urbarium_all_settings, URBARIUM, ALL_SETTINGS,
                      AdwPreferencesWindow)

/* Signal: "changed": a setting was changed to a valid value. */

/* @config: copied
 * @dataset_channels: channels of the chosen dataset; 0: none is chosen
 * @devices: (nullable): names of the devices that can be used: "cpu", "cuda:0"; NULL: not known
 * Returns: a window that is not shown yet */
UrbariumAllSettings *urbarium_all_settings_new        (const UrbRunConfig *config,
                                                       int dataset_channels,
                                                       const char *const *devices);
/* With every valid change.  (transfer none) */
const UrbRunConfig  *urbarium_all_settings_get_config (UrbariumAllSettings *self);

G_END_DECLS
