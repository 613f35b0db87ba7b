/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.h - a run that leaves its terminal: `train --detach`.
 */
#pragma once

#include "run/store/folder.h"

G_BEGIN_DECLS

typedef enum
{
  URB_DAEMON_PARENT, /* waits with urb_daemon_wait() and goes */
  URB_DAEMON_CHILD   /* goes on as the daemon, and reports once */
} UrbDaemonRole;

/**
 * urb_daemon_fork:
 * @report_fd: (out): to wait on, or to report on
 *
 * Call it before anything starts a thread or opens a database.  The child has
 * no terminal, reads from nowhere and writes to the run's log; the lock of
 * @folder stays with it when the parent ends.
 */
gboolean
urb_daemon_fork (UrbRunFolder *folder, UrbDaemonRole *role, int *report_fd, GError **error);

/* The child: it is up (@error %NULL), or will not come up.  Takes @report_fd. */
void     urb_daemon_report (int report_fd, const GError *error);

/* The parent: blocks until the child has reported or died.  Takes @report_fd. */
gboolean urb_daemon_wait (UrbRunFolder *folder, int report_fd, gint64 *pid, GError **error);

G_END_DECLS
