/* SPDX-License-Identifier: Apache-2.0 */
/*
 * temporary-run.h - a short run in a temporary folder, which measures or tries out something.
 */
#pragma once

#include <gio/gio.h>

#include "settings/run-config.h"

G_BEGIN_DECLS

/* The path of a run in a new temporary folder; the run is not there yet.  (transfer full) (nullable) */
char    *urb_temporary_run_make   (GError **error);
/* Deletes the run and its temporary folder. */
void     urb_temporary_run_delete (const char *folder);

/**
 * urb_temporary_run_train:
 * @folder: a run there is replaced
 * @config: resolved, with a dataset
 * @name: prefix of the run's lines on stderr
 * @images_per_s: (out) (nullable): 0 if the run was too short to be measured
 *
 * Trains it in a child process.  Fails if it did not end well, with %G_IO_ERROR_CANCELLED if it was
 * cancelled.
 */
gboolean urb_temporary_run_train  (const char *folder, const UrbRunConfig *config, const char *name,
                                   GCancellable *cancellable, double *images_per_s, GError **error);

G_END_DECLS
