/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - available memory.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The minimum of what the kernel, the control group and RLIMIT_AS leave available, bytes;
 * G_MAXINT64 if unknown. */
gint64 urb_memory_get_available (void);

G_END_DECLS
