/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-session.h - a supervisor in a terminal or detached from it, for `train` and `resume`.
 */
#pragma once

#include "run/store/folder.h"

G_BEGIN_DECLS

typedef struct
{
  char   **after;       /* owned, nullable; folders of the runs that go first */
  double   max_minutes; /* 0: no limit */
  char   **checkpoint_on; /* owned, nullable; names of signals */
  gboolean profile;
  char    *trace;       /* owned, nullable; a file */
  gboolean detach;
  gboolean json;
  gboolean quiet;       /* prints nothing but errors */
  gboolean queued;      /* keeps to the quiet hours of the run, also without @after */
} UrbCliSession;

/* Adds the options that fill @self. */
void        urb_cli_session_add   (UrbCliSession *self, GOptionContext *options);
void        urb_cli_session_clear (UrbCliSession *self);
/* (nullable): what is wrong with the options */
const char *urb_cli_session_find_mistake (const UrbCliSession *self);
/* Required by the functions below, since a detached run leaves its working folder. */
void        urb_cli_session_make_absolute (UrbCliSession *self);
/* Whether the run in @run can wait for those that go first, if there are any. */
gboolean    urb_cli_session_check_after (const UrbCliSession *self, const char *run, GError **error);

/**
 * urb_cli_session_check_run:
 * @folder: of the run
 * @last_step: checkpoints of later steps will be deleted; -1: a new run, whose
 *   folder need not exist
 * @waits: whether other runs use memory that will be free when this one begins
 * @config: resolved
 *
 * Checks whether the run can begin: its options, the file of its trace, memory and disk.  Changes
 * nothing, so call it before deleting something.
 *
 * Returns: URB_EXIT_OK, or the exit code; errors are printed
 */
int         urb_cli_session_check_run (const UrbCliSession *self, const char *folder,
                                       gint64 last_step, gboolean waits,
                                       const UrbRunConfig *config);

/**
 * urb_cli_session_run:
 * @folder: locked; urb_cli_session_check_run() found nothing wrong
 *
 * Supervises the run to its end, or until it is up if it is detached.
 *
 * Returns: the exit code; errors are printed
 */
int         urb_cli_session_run (const UrbCliSession *self, UrbRunFolder *folder,
                                 const UrbRunConfig *config);

G_END_DECLS
