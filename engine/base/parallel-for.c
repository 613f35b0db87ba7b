/* SPDX-License-Identifier: Apache-2.0 */
#include "base/parallel-for.h"

typedef struct
{
  UrbParallelFunc func;
  gpointer        user_data;
} Work;

/* @number: i + 1, since a pool takes no NULL */
static void
do_one (gpointer number, gpointer user_data)
{
  const Work *work = user_data;

  work->func (GPOINTER_TO_SIZE (number) - 1, work->user_data);
}

void
urb_parallel_for (gint64 n, int n_threads, UrbParallelFunc func, gpointer user_data)
{
  Work work = { func, user_data };
  GThreadPool *pool = g_thread_pool_new (do_one, &work, n_threads > 0 ? n_threads : (int) g_get_num_processors (), FALSE, NULL);

  for (gint64 i = 0; i < n; i++)
    g_thread_pool_push (pool, GSIZE_TO_POINTER ((gsize) i + 1), NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
}
