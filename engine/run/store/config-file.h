/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config-file.h - a run's configuration as a file.
 *
 * run.ini is what the run was started with, with every value filled in.  A
 * supervisor that starts its first worker writes what it was asked for to
 * URB_RUN_PENDING_CONFIG; the worker fills in the values that were not set and
 * writes it back; only then it becomes run.ini, so that a wrong setting of
 * `resume` does not stick.
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
