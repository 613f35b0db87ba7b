/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-run.h - measures a strategy whose ranks are processes, by a short run.
 */
#pragma once

#include "settings/run-config.h"
#include "train/bench.h"

G_BEGIN_DECLS

/**
 * urb_cli_bench_run:
 * @config: resolved, with a dataset
 * @out: (out caller-allocates): what a run does not tell is NaN
 *
 * Trains @n_steps steps of each rank in a temporary folder, which it deletes; more if
 * that takes no time.  Steps count after the first.
 */
gboolean urb_cli_bench_run (const UrbRunConfig *config, int n_steps, GCancellable *cancellable, UrbBench *out,
                            GError **error);

G_END_DECLS
