/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - available memory.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the kernel and the control groups leave available to all processes, bytes; G_MAXINT64 if unknown. */
gint64 urb_memory_get_of_host    (void);
/* What control groups, version 1 or 2, and all groups above them leave available.
 * @groups: the contents of /proc/PID/cgroup; @root: "/sys/fs/cgroup".  A group whose folder is not there is skipped:
 * in a container, the path may be that of the host. */
gint64 urb_memory_get_of_groups  (const char *groups, const char *root);
/* What RLIMIT_AS and RLIMIT_DATA leave to this process: another one that it starts has as much.  G_MAXINT64
 * without limits. */
gint64 urb_memory_get_of_process (void);
/* The smaller of both. */
gint64 urb_memory_get_available  (void);

G_END_DECLS
