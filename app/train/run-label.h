/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-label.h - a run's name among others, as short as it can be.
 */
#pragma once

#include "app/runs/run.h"

G_BEGIN_DECLS

/* @runs: (element-type UrbariumRun): those that are compared, @run among them
 * Returns: (transfer full): what its name has and the others' do not; if several have the same name, also
 *   settings that differ: "seed 2" */
char *urbarium_run_dup_label (UrbariumRun *run, GPtrArray *runs);

G_END_DECLS
