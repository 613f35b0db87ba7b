/* SPDX-License-Identifier: Apache-2.0 */
/* parallel-for.h - independent pieces of work, by several threads. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef void (*UrbParallelFunc) (gint64 i, gpointer user_data);

/* Calls @func for 0 to @n - 1, in any order, and returns once all have returned.
 * @n_threads: 0: as many as processors; the calling thread waits */
void urb_parallel_for (gint64 n, int n_threads, UrbParallelFunc func, gpointer user_data);

G_END_DECLS
