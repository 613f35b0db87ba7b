/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - the errors and states of a run.
 */
#pragma once

#include <gio/gio.h>

#include "settings/metrics.h"
#include "settings/run-config.h"

G_BEGIN_DECLS

#define URB_RUN_ERROR (urb_run_error_quark ())
GQuark urb_run_error_quark (void);

typedef enum
{
  URB_RUN_ERROR_FOLDER,   /* cannot be created, read or written, or is no run folder */
  URB_RUN_ERROR_EXISTS,   /* a run is there already */
  URB_RUN_ERROR_BUSY,     /* another process supervises it */
  URB_RUN_ERROR_CONFIG,   /* run.ini is damaged */
  URB_RUN_ERROR_DATABASE, /* run.db cannot be used */
  URB_RUN_ERROR_WORKER,   /* a worker died, hung or sent invalid messages too often */
  URB_RUN_ERROR_PROTOCOL, /* a line violates the protocol */
  URB_RUN_ERROR_STATE,    /* a command is not possible in this state */
  URB_RUN_ERROR_OFFLINE   /* the run has no supervisor */
} UrbRunError;

typedef enum
{
  URB_RUN_QUEUED,   /* waits for another run to end */
  URB_RUN_STARTING,
  URB_RUN_RUNNING,
  URB_RUN_PAUSING,
  URB_RUN_PAUSED,   /* no worker; waits for resume */
  URB_RUN_STOPPING,
  URB_RUN_STOPPED,  /* ended before its last step; can be resumed */
  URB_RUN_FINISHED, /* all steps done; can be extended */
  URB_RUN_FAILED,
  URB_RUN_N_STATES
} UrbRunState;

/* "starting", …; never NULL. */
const char *urb_run_state_name (UrbRunState state);
/* @name: (nullable)
 * Returns: FALSE if there is no such state */
gboolean    urb_run_state_from_name (const char *name, UrbRunState *state);
/* Stopped, finished or failed: its supervisor ends. */
gboolean    urb_run_state_has_ended (UrbRunState state);

/* How a worker ended that finished its work, as run.db has it. */
#define URB_WORKER_ENDED_WELL "exited with code 0"

/* A run's display name: one line of at most 200 bytes, not blank. */
gboolean    urb_run_check_name (const char *name, GError **error);

G_END_DECLS
