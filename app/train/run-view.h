/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-view.h - the complete view of one run.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_RUN_VIEW (urbarium_run_view_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunView, urbarium_run_view, URBARIUM, RUN_VIEW, AdwBin)

/* Signals: "show-cities" (UrbariumRun); "show-city" (UrbariumRun, int64 step, int64 seed, int64 index, from
 * 1): one of a sample grid. */

/* @run: (nullable): followed while in view
 * @library: (nullable): of the runs to compare with */
void         urbarium_run_view_set_run (UrbariumRunView *self, UrbariumRun *run,
                                        UrbariumRunLibrary *library);
UrbariumRun *urbarium_run_view_get_run (UrbariumRunView *self);

G_END_DECLS
