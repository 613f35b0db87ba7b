/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - how much memory this process may still take.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The least of what the kernel calls available, what the control group leaves
 * and what RLIMIT_AS leaves, bytes; G_MAXINT64 if nothing can be found out. */
gint64 urb_memory_get_available (void);

G_END_DECLS
