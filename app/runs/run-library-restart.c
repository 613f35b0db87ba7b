/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-library-restart.c - goes on with the runs that a restart of the computer has interrupted.  The engine finds them.
 */
#include "app/base/engine-program.h"
#include "app/runs/run-library.h"

static void
engine_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(GTask) task = user_data;
  GError *error = NULL;
  g_autofree char *out = urbarium_engine_program_run_finish (result, &error);
  int n = 0;
  for (const char *c = out; c != NULL && *c != '\0'; c++)
    n += *c == '\n'; /* a folder a line */
  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_int (task, n);
}

void
urbarium_run_library_resume_interrupted_async (UrbariumRunLibrary *self, GAsyncReadyCallback callback,
                                               gpointer user_data)
{
  const char *const argv[] = { "resume", "--interrupted", urbarium_run_library_get_folder (self), NULL };
  urbarium_engine_program_run_async (argv, NULL, NULL, engine_cb, g_task_new (self, NULL, callback, user_data));
}

int
urbarium_run_library_resume_interrupted_finish (UrbariumRunLibrary *self, GAsyncResult *result, GError **error)
{
  return (int) g_task_propagate_int (G_TASK (result), error);
}
