/* SPDX-License-Identifier: Apache-2.0 */
/*
 * all-runs.h - the table of all runs, and the curves of those that are selected.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_ALL_RUNS (urbarium_all_runs_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumAllRuns, urbarium_all_runs, URBARIUM, ALL_RUNS, AdwBin)

/* Signal "show-run" (UrbariumRun): a run was activated. */

/* Call once, before the widget is shown. */
void urbarium_all_runs_set_library (UrbariumAllRuns *self, UrbariumRunLibrary *library);
/* Compares these. @runs: (element-type UrbariumRun) */
void urbarium_all_runs_select      (UrbariumAllRuns *self, GPtrArray *runs);

G_END_DECLS
