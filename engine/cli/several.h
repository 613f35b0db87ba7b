/* SPDX-License-Identifier: Apache-2.0 */
/*
 * several.h - `train --several`: several models at once, each its own run.
 *
 * Each run has its own folder, supervisor and share of the threads, and can be watched, stopped and
 * resumed by itself.
 */
#pragma once

#include "cli/run-args.h"
#include "cli/run-session.h"
#include "settings/sweep.h"

G_BEGIN_DECLS

typedef struct
{
  char **lists;     /* owned; "seed=1,2,3"; NULL: not asked for */
  int    n_at_once; /* 0: as many as there are cores */
} UrbCliSeveral;

/* Adds the options that fill @self. */
void urb_cli_several_add   (UrbCliSeveral *self, GOptionContext *options);
void urb_cli_several_clear (UrbCliSeveral *self);

/**
 * urb_cli_several_run:
 * @sweep: what the lists make
 * @session: of every run; --json and --quiet are of this command
 * @settings: those of every run, as given on the command line
 * @common: the same, applied but not resolved; see urb_sweep_make_config()
 * @folder: of all runs; made if missing
 * @force: whether to replace what is in @folder
 *
 * Starts one run after the other, at most so many at once, until all have ended.  Writes summary.csv
 * into @folder and prints it as a table or as JSON.
 *
 * Finished runs of the same sweep in @folder are kept, and stopped ones go on, unless @force is set.
 * Fails before anything is written if @folder has a sweep with other lists, or if the runs do not fit
 * into memory together; the message says how many would.
 *
 * Returns: the exit code: of the first run that failed, if one did
 */
int  urb_cli_several_run (const UrbCliSeveral *self, const UrbSweep *sweep,
                          const UrbCliSession *session, const UrbCliRunArgs *settings,
                          const UrbRunConfig *common, const char *folder, gboolean force);

G_END_DECLS
