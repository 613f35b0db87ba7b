/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - available memory.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the kernel and the control group leave available to all processes, bytes; G_MAXINT64 if unknown. */
gint64 urb_memory_get_of_host    (void);
/* What RLIMIT_AS and RLIMIT_DATA leave to this process: another one that it starts has as much.  G_MAXINT64
 * without limits. */
gint64 urb_memory_get_of_process (void);
/* The smaller of both. */
gint64 urb_memory_get_available  (void);

G_END_DECLS
