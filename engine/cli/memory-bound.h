/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory-bound.h - a map may waste this program's time, but not the machine's memory.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_cli_bound_memory:
 *
 * From here on this process takes at most three quarters of the memory that is free now
 * (RLIMIT_DATA), or less where its caller said so (ulimit -d).  For commands that read maps: a
 * compressed one of some megabytes can become any number of gigabytes, and several of GDAL's drivers
 * keep the whole of it.  What is then told is what failed for want of memory.
 */
void urb_cli_bound_memory (void);

G_END_DECLS
