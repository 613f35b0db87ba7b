/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-session.h - what `train` and `resume` share: a supervisor with a
 * terminal in front of it, or detached from it.
 */
#pragma once

#include "run/store/folder.h"

G_BEGIN_DECLS

typedef struct
{
  char   **after;       /* owned, nullable; folders of the runs that go first */
  double   max_minutes; /* 0: no limit */
  gboolean profile;
  char    *trace;       /* owned, nullable; a file */
  gboolean detach;
  gboolean json;
  gboolean quiet;
} UrbCliSession;

/* (element-type GOptionEntry): entries that fill @self; append your own; g_array_unref() it. */
GArray *urb_cli_session_get_entries (UrbCliSession *self);
void     urb_cli_session_clear (UrbCliSession *self);
/* FALSE after having printed what is wrong: return URB_EXIT_USAGE */
gboolean urb_cli_session_check (const UrbCliSession *self, const char *command);
/* Whether something is asked for that only a supervisor of this process's own does. */
gboolean urb_cli_session_wants_own (const UrbCliSession *self);
/* Whether the run in @run can wait for those that go first, if there are any. */
gboolean urb_cli_session_check_after (const UrbCliSession *self, const char *run, GError **error);

/**
 * urb_cli_session_check_run:
 * @folder: of the run
 * @last_step: checkpoints of later steps will be deleted; -1: a new run, whose
 *   folder need not be there
 *
 * Whether the run can begin: its options, where its trace goes, and what it
 * takes, unless it @waits, for then others still have that.  It changes nothing,
 * so whoever deletes something asks first.
 *
 * Returns: URB_EXIT_OK, or the exit code; what is wrong is printed
 */
int     urb_cli_session_check_run (const UrbCliSession *self, const char *command,
                                   const char *folder, gint64 last_step, gboolean waits,
                                   const UrbRunConfig *config);

/**
 * urb_cli_session_run:
 * @folder: locked; urb_cli_session_check_run() found nothing wrong
 *
 * Supervises the run to its end, or until it is up if it is detached.
 *
 * Returns: the exit code; errors are printed
 */
int     urb_cli_session_run (const UrbCliSession *self, const char *command, UrbRunFolder *folder,
                             const UrbRunConfig *config);

/* Prints like urb_cli_fail(), and knows a run's errors. */
int     urb_cli_session_fail (const char *command, const GError *error);

G_END_DECLS
