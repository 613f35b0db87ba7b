/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep-window.h - a dialog that starts one run for every combination of values of some settings.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_SWEEP_WINDOW (urbarium_sweep_window_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumSweepWindow, urbarium_sweep_window, URBARIUM, SWEEP_WINDOW, AdwWindow)

/* Signal "started" (GPtrArray of UrbariumRun): the runs were started; the window closes itself. */

/**
 * urbarium_sweep_window_new:
 * @config: what all runs have; copied
 * @n_channels: of the dataset
 */
UrbariumSweepWindow *urbarium_sweep_window_new (UrbariumRunLibrary *library, const UrbRunConfig *config,
                                                int n_channels);

G_END_DECLS
