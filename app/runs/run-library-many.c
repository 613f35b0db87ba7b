/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-library-many.c - starts several runs, of which so many train at a time.
 */
#include <glib/gi18n.h>

#include "app/runs/run-library.h"

typedef struct
{
  GArray    *configs;   /* (element-type UrbRunConfig) owned */
  GPtrArray *runs;      /* (element-type UrbariumRun) owned: those that have been started */
  GPtrArray *queue;     /* (element-type UrbariumRun) owned: what the first ones wait for */
  guint      n_at_once;
} Many;

static void
many_free (gpointer data)
{
  Many *many = data;
  g_array_unref (many->configs);
  g_ptr_array_unref (many->runs);
  g_ptr_array_unref (many->queue);
  g_free (many);
}

static void start_next (GTask *task);

static void
started_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(GTask) task = user_data;
  Many *many = g_task_get_task_data (task);
  GError *error = NULL;
  UrbariumRun *run = urbarium_run_library_start_finish (URBARIUM_RUN_LIBRARY (source), result, &error);
  if (run == NULL)
    {
      const UrbRunConfig *config = &g_array_index (many->configs, UrbRunConfig, many->runs->len);
      /* translators: a name of a run, and a sentence that says why */
      g_prefix_error (&error, _ ("“%s” did not start, nor did those after it: "), config->name);
      g_task_return_error (task, error);
      return;
    }
  g_ptr_array_add (many->runs, run);
  start_next (g_steal_pointer (&task));
}

/* @task: (transfer full) */
static void
start_next (GTask *task)
{
  Many *many = g_task_get_task_data (task);
  guint i = many->runs->len;
  g_autoptr(GPtrArray) before = g_ptr_array_new ();
  if (i == many->configs->len)
    {
      g_task_return_pointer (task, g_ptr_array_ref (many->runs), (GDestroyNotify) g_ptr_array_unref);
      g_object_unref (task);
      return;
    }
  if (i >= many->n_at_once)
    g_ptr_array_add (before, many->runs->pdata[i - many->n_at_once]);
  urbarium_run_library_start_async (g_task_get_source_object (task),
                                    &g_array_index (many->configs, UrbRunConfig, i),
                                    i < many->n_at_once ? many->queue : before, g_task_get_cancellable (task),
                                    started_cb, task);
}

void
urbarium_run_library_start_many_async (UrbariumRunLibrary *self, const UrbRunConfig *configs, guint n,
                                       guint n_at_once, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;
  Many *many;
  g_return_if_fail (URBARIUM_IS_RUN_LIBRARY (self) && n > 0 && n_at_once > 0);
  task = g_task_new (self, cancellable, callback, user_data);
  many = g_new (Many, 1);
  *many = (Many){ .configs = g_array_new (FALSE, TRUE, sizeof (UrbRunConfig)),
                  .runs = g_ptr_array_new_with_free_func (g_object_unref),
                  .queue = urbarium_run_library_dup_queue (self),
                  .n_at_once = n_at_once };
  g_array_set_clear_func (many->configs, (GDestroyNotify) urb_run_config_clear);
  g_array_set_size (many->configs, n);
  for (guint i = 0; i < n; i++)
    urb_run_config_copy (&g_array_index (many->configs, UrbRunConfig, i), &configs[i]);
  g_task_set_task_data (task, many, many_free);
  start_next (task);
}

GPtrArray *
urbarium_run_library_start_many_finish (UrbariumRunLibrary *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}
