/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config-file.h - a run's configuration as a file.
 *
 * `train` writes run.ini, with every value filled in, and workers read it.
 * `resume` with other settings leaves it alone: its supervisor writes them to
 * URB_RUN_PENDING_CONFIG, and to run.ini once a worker has come up with them, so
 * that a wrong setting does not stick.
 */
#pragma once

#include "settings/run-config.h"

G_BEGIN_DECLS

#define URB_RUN_CONFIG         "run.ini"
#define URB_RUN_PENDING_CONFIG "pending.ini"

/* @config: valid, or zeros; replaced on success.  Fails with %URB_RUN_ERROR. */
gboolean urb_run_config_read_file  (const char *path, UrbRunConfig *config, GError **error);
/* The same for a file that somebody wrote: see urb_run_config_from_written_text(). */
gboolean urb_run_config_read_written_file (const char *path, UrbRunConfig *config, GError **error);
/* Atomic and durable; keeps the permissions of a file that is there, else it is private. */
gboolean urb_run_config_write_file (const char *path, const UrbRunConfig *config, GError **error);

G_END_DECLS
