/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace-file.h - checks a timeline, whoever wrote it.
 */
#pragma once

#include <glib.h>

enum { TRACE_FILE_MAX_RANKS = 8 };

/* Reads the file @path; within each rank and stream, events must not overlap.
 * @n_events: (out): of each rank, the number of computations and of collectives */
void trace_file_check (const char *path, int n_ranks, int n_events[][2]);
