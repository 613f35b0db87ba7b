/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dry-run.h - tries a run out: the engine trains a few steps, draws, saves and scores, and discards it all.
 */
#pragma once

#include <gio/gio.h>

#include "settings/run-config.h"

G_BEGIN_DECLS

/* @result: of an engine's `train --dry-run --json`
 * @images_per_s: (out): 0: unknown
 * Returns: (transfer full): translated: what worked and how long each part took, and the duration of the run;
 *   %NULL with the engine's error if a part does not work */
char *urbarium_dry_run_finish (GAsyncResult *result, gint64 n_steps, double *images_per_s, GError **error);

G_END_DECLS
