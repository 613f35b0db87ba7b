/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interrupted.h - the runs that a restart of the machine has interrupted.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char    *folder;     /* owned */
  char    *real_folder; /* owned; without symbolic links */
  char   **after;      /* owned, nullable; folders of the runs that it waited for, without symbolic links */
  gboolean was_queued; /* it waited for others */
  double   since;      /* when it began to train or to wait, seconds since 1970; 0: not known */
  /* static, nullable: why it does not go on by itself, a sentence without a subject: "ran last on another machine" */
  const char *left_out;
} UrbInterruptedRun;

/**
 * urb_run_list_interrupted:
 * @place: a folder of runs
 * @boot_time: what happened before it was before the restart
 *
 * A run was interrupted if it trained or waited when the machine stopped, or if SIGTERM ended it before, as when a machine
 * is shut down.  One that a person has paused or stopped, or whose terminal was closed, was not.  One that ran on another
 * machine, which may have ended it for its own reasons, or long ago, is left out.  Blocks.
 *
 * Returns: (transfer full) (element-type UrbInterruptedRun): those that trained first, the oldest first, then those that
 *   waited, as they would have begun; %NULL with a %G_FILE_ERROR if @place cannot be read
 */
GPtrArray *urb_run_list_interrupted (const char *place, double boot_time, GError **error);
/* Whether the run in @folder is one of those, and not left out. */
gboolean   urb_run_is_interrupted (const char *folder, double boot_time);

/* The runs in @place that have a supervisor. (transfer full) (element-type filename) */
GPtrArray *urb_run_list_held (const char *place);

/* Records that an interrupted run could not go on: it has failed with @cause, and is interrupted no more.
 * Returns: %FALSE if that cannot be written */
gboolean   urb_run_record_failure (const char *folder, const GError *cause, GError **error);

G_END_DECLS
