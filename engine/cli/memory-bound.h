/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory-bound.h - limits the memory that reading a map can use.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_cli_bound_memory:
 *
 * Limits this process to three quarters of the memory available now (RLIMIT_DATA), unless the limit
 * is already lower (ulimit -d).  For commands that read maps: a compressed map of a few megabytes can
 * expand to many gigabytes, which several GDAL drivers hold in memory.  Beyond the limit, the
 * allocation fails and is reported.
 */
void urb_cli_bound_memory (void);

G_END_DECLS
