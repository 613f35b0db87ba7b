/* SPDX-License-Identifier: Apache-2.0 */
/* two-runs-window.h - cities of two runs from the same seeds at the same step, side by side. */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_TWO_RUNS_WINDOW (urbarium_two_runs_window_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumTwoRunsWindow, urbarium_two_runs_window, URBARIUM, TWO_RUNS_WINDOW, AdwWindow)

/* @run: whose steps are shown; beside it, another run of @library, which can be chosen */
UrbariumTwoRunsWindow *urbarium_two_runs_window_new (UrbariumRun *run, UrbariumRunLibrary *library);

G_END_DECLS
