/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.h - detaches a process from its terminal: `train --detach`.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URB_DAEMON_PARENT, /* calls urb_daemon_wait() and exits */
  URB_DAEMON_CHILD   /* continues as the daemon, and reports once */
} UrbDaemonRole;

/**
 * urb_daemon_fork:
 * @folder: of its log
 * @report_fd: (out): for urb_daemon_wait() or urb_daemon_report()
 *
 * Call it before anything starts a thread or opens a database.  The child has no terminal, reads
 * from /dev/null and writes to the log; it keeps the lock of a run's folder when the parent ends.
 */
gboolean
urb_daemon_fork (const char *folder, UrbDaemonRole *role, int *report_fd, GError **error);

/* In the child: reports that it is up (@error %NULL), or failed.  Takes @report_fd. */
void     urb_daemon_report (int report_fd, const GError *error);

/* In the parent: blocks until the child has reported or died.  Takes @report_fd. */
gboolean urb_daemon_wait (const char *folder, int report_fd, gint64 *pid, GError **error);

G_END_DECLS
