/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace-file.h - what a timeline must be, whoever wrote it.
 */
#pragma once

#include <glib.h>

enum { TRACE_FILE_MAX_RANKS = 8 };

/* Reads the file @path, each event of whose ranks and streams must follow the one before.
 * @n_events: (out): of each rank what was computed, and what was sent */
void trace_file_check (const char *path, int n_ranks, int n_events[][2]);
