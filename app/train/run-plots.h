/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-plots.h - the curves of a run, overlaid with those of other runs.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_RUN_PLOTS (urbarium_run_plots_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunPlots, urbarium_run_plots, URBARIUM, RUN_PLOTS, AdwBin)

void urbarium_run_plots_set_run (UrbariumRunPlots *self, UrbariumRun *run,
                                 UrbariumRunLibrary *library);
/* Marks the step of the sample in view; -1: none. */
void urbarium_run_plots_set_mark (UrbariumRunPlots *self, gint64 step);

G_END_DECLS
