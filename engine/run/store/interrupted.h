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
  gboolean was_queued; /* it waited for others */
  double   since;      /* when it began to train or to wait, seconds since 1970; 0: not known */
} UrbInterruptedRun;

/* When this machine was started, in seconds since 1970; 0: not known. */
double     urb_get_boot_time (void);

/**
 * urb_run_list_interrupted:
 * @place: a folder of runs
 * @boot_time: what happened before it was before the restart
 *
 * A run was interrupted if it trained or waited when the machine stopped, or if SIGTERM ended it before, as when a machine
 * is shut down.  One that a person has paused or stopped, or whose terminal was closed, was not.  Blocks.
 *
 * Returns: (transfer full) (element-type UrbInterruptedRun): those that trained first, then those that waited, each in
 *   their order
 */
GPtrArray *urb_run_list_interrupted (const char *place, double boot_time);

/* The runs in @place that have a supervisor. (transfer full) (element-type filename) */
GPtrArray *urb_run_list_held (const char *place);

G_END_DECLS
