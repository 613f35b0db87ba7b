/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-library-restart.c - the runs that a restart of the computer has interrupted.  The engine goes on with them.
 */
#include "app/base/engine-program.h"
#include "app/runs/run-library.h"
#include "base/machine.h"
#include "run/store/interrupted.h"

static void
count_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_autoptr(GPtrArray) runs = urb_run_list_interrupted (data, urb_machine_get_boot_time (), NULL);
  int n = 0;
  for (guint i = 0; runs != NULL && i < runs->len; i++)
    n += ((const UrbInterruptedRun *) runs->pdata[i])->left_out == NULL;
  g_task_return_int (task, n);
}

void
urbarium_run_library_count_interrupted_async (UrbariumRunLibrary *self, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new (self, NULL, callback, user_data);
  g_task_set_task_data (task, g_strdup (urbarium_run_library_get_folder (self)), g_free);
  g_task_run_in_thread (task, count_thread);
}

int
urbarium_run_library_count_interrupted_finish (UrbariumRunLibrary *self, GAsyncResult *result)
{
  return (int) g_task_propagate_int (G_TASK (result), NULL);
}

/* @out: (nullable): a folder a line */
static int
count_lines (const char *out)
{
  int n = 0;
  for (const char *c = out; c != NULL && *c != '\0'; c++)
    n += *c == '\n';
  return n;
}

static void
engine_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(GTask) task = user_data;
  GError *error = NULL;
  g_autofree char *out = urbarium_engine_program_run_finish (result, &error);
  int n = count_lines (error == NULL ? out : urbarium_engine_program_get_output (result));
  g_task_set_task_data (task, GINT_TO_POINTER (n), NULL);
  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

void
urbarium_run_library_resume_interrupted_async (UrbariumRunLibrary *self, GAsyncReadyCallback callback,
                                               gpointer user_data)
{
  const char *const argv[] = { "resume", "--interrupted", urbarium_run_library_get_folder (self), NULL };
  urbarium_engine_program_run_async (argv, NULL, NULL, engine_cb, g_task_new (self, NULL, callback, user_data));
}

gboolean
urbarium_run_library_resume_interrupted_finish (UrbariumRunLibrary *self, GAsyncResult *result, int *n, GError **error)
{
  *n = GPOINTER_TO_INT (g_task_get_task_data (G_TASK (result)));
  return g_task_propagate_boolean (G_TASK (result), error);
}
