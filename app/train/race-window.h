/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race-window.h - a dialog that compares two ways to train by the time until the cities are good, and shows
 * earlier comparisons.
 */
#pragma once

#include <adwaita.h>

#include "settings/run-config.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_RACE_WINDOW (urbarium_race_window_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRaceWindow, urbarium_race_window, URBARIUM, RACE_WINDOW, AdwWindow)

/**
 * urbarium_race_window_new:
 * @folder: (nullable): of the comparisons; NULL: "urbarium/races" in the user's data folder
 * @config: (nullable): what both ways have; copied.  NULL: earlier comparisons can be seen only
 * @strategies: (nullable): those that the engine supports
 * @busy: whether a run is training, which would disturb a comparison
 */
UrbariumRaceWindow *urbarium_race_window_new (const char *folder, const UrbRunConfig *config,
                                              const char *const *strategies, gboolean busy);

G_END_DECLS
