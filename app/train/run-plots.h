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
/* Overlays runs, which the caller follows, without a list to choose others from.
 * @runs: (element-type UrbariumRun): those after the first URBARIUM_COMPARE_MAX are not drawn */
void urbarium_run_plots_set_runs (UrbariumRunPlots *self, GPtrArray *runs);
/* Shows the scores, as if the user had chosen them. */
void urbarium_run_plots_show_score (UrbariumRunPlots *self);
/* Marks the step of the sample in view; -1: none. */
void urbarium_run_plots_set_mark (UrbariumRunPlots *self, gint64 step);

G_END_DECLS
