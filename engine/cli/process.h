/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - what a process sets up for itself before its work.
 */
#pragma once

#include <glib.h>

/* Limits the spinning of OpenMP threads, and sets the user's locale, but with decimal points.
 * A program that @computes is executed again with the same @argv if needed. */
void urb_cli_prepare_process (char **argv, gboolean computes);

/**
 * urb_cli_bound_memory:
 *
 * Limits this process to three quarters of the memory available now (RLIMIT_DATA), unless the limit
 * is already lower (ulimit -d).  For commands that read maps: a compressed map of a few megabytes can
 * expand to many gigabytes, which several GDAL drivers hold in memory.  Beyond the limit, the
 * allocation fails and is reported.
 */
void urb_cli_bound_memory (void);
