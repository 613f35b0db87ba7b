/* SPDX-License-Identifier: Apache-2.0 */
/*
 * several.h - `train --several`: several models at once, each its own run.
 *
 * Nothing is shared but the machine: every run has a folder, a supervisor and
 * its part of the threads, and may be looked at, stopped and resumed by itself.
 */
#pragma once

#include "cli/run-session.h"
#include "cli/sweep.h"

G_BEGIN_DECLS

typedef struct
{
  char **lists;     /* owned; "seed=1,2,3"; NULL: not asked for */
  int    n_at_once; /* 0: as many as there are cores */
  /* Other options of `train`, which has them: */
  gint64 n_steps;   /* below 1: not given */
  gboolean force;
} UrbCliSeveral;

void   urb_cli_several_clear (UrbCliSeveral *self);
/* (element-type GOptionEntry): entries that fill @self; append your own; g_array_unref() it. */
GArray *urb_cli_several_get_entries (UrbCliSeveral *self);

/**
 * urb_cli_several_run:
 * @sweep: what the lists make
 * @session: what all runs are told of theirs; --json and --quiet are of this command
 * @argv: (array length=argc): of `train`, before it was parsed
 * @folder: of all runs; made if need be
 * @name: (nullable): that of the runs begins with it
 * @common: what the command line says for all runs; its threads are of all together
 *
 * Where @folder has runs of this sweep already, those that are finished are
 * left as they are, and those that were stopped go on; without --force a sweep
 * with other lists is refused before anything is written.
 *
 * Runs that do not fit into memory together are refused before anything is
 * written, too, with the number that would.
 *
 * Starts one run after the other, at most so many at once, until all have
 * ended.  Writes summary.csv into @folder and prints it as a table, or with
 * @json as an object.
 *
 * Returns: the exit code: of the first run that failed, if one did
 */
int    urb_cli_several_run (const UrbCliSeveral *self, const UrbSweep *sweep,
                            const UrbCliSession *session, int argc, char *const *argv,
                            const char *folder, const char *name, const UrbRunConfig *common);

G_END_DECLS
