/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-library-jobs.c - starts and deletes runs.
 */
#include <errno.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "app/base/discard.h"
#include "app/base/engine-program.h"
#include "app/base/format.h"
#include "app/runs/run-error.h"
#include "app/runs/run-library-private.h"
#include "app/runs/run-folder.h"
#include "app/runs/run-private.h"
#include "run/store/control-socket.h"
#include "run/store/folder.h"
#include "run/store/launch-session.h"

/* ------------------------------------------------------------------------ */
/* Starting                                                                  */

typedef struct
{
  UrbRunConfig config; /* of a branch, the name alone */
  char        *from;   /* (nullable) owned: folder of the run to branch from */
  gint64       step, n_steps; /* of a branch: the first one; all */
  char        *parent, *folder; /* owned; folder: nullable */
  char       **after;           /* owned, nullable */
} Start;

static void
start_free (gpointer data)
{
  Start *start = data;
  urb_run_config_clear (&start->config);
  g_free (start->from);
  g_free (start->parent);
  g_free (start->folder);
  g_strfreev (start->after);
  g_free (start);
}

static void
engine_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(GTask) task = user_data;
  UrbariumRunLibrary *self = g_task_get_source_object (task);
  Start *start = g_task_get_task_data (task);
  g_autoptr(GError) error = NULL;
  g_autofree char *out = urbarium_engine_program_run_finish (result, &error);
  /* A run that started and then failed is in the list and shows its error. */
  if (error == NULL)
    {
      UrbariumRun *run = urbarium_run_library_ensure (self, start->folder);
      urbarium_run_attach (run);
      /* Until its supervisor reports a state: another run may be queued behind it now. */
      if (run->live && (!run->has_state || run->state == URB_RUN_STOPPED))
        urbarium_run_set_state (run, *start->after != NULL ? URB_RUN_QUEUED : URB_RUN_STARTING,
                                FALSE);
      if (run->live && start->from != NULL) /* the engine names a branch after its folder */
        urbarium_run_rename (run, start->config.name);
      g_task_return_pointer (task, g_object_ref (run), g_object_unref);
    }
  else
    g_task_return_error (task,
                         urbarium_run_error_translate (error, URBARIUM_RUN_ERROR_SETTINGS));
  urbarium_run_library_scan_soon (self);
}

static void
choose_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Start *start = data;
  if (g_mkdir_with_parents (start->parent, 0700) == 0)
    g_task_return_pointer (
      task, urbarium_run_folder_choose (start->parent, start->config.name), g_free);
  else
    g_task_return_new_error (task, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER,
                             _ ("The folder for runs, “%s”, cannot be created: %s"), start->parent,
                             g_strerror (errno));
}

/* Returns: (transfer full): what the engine is called with; its configuration is read from standard input */
static GStrv
make_args (const Start *start)
{
  g_autoptr(GStrvBuilder) args = g_strv_builder_new ();
  if (start->from != NULL)
    {
      g_autofree char *step = g_strdup_printf ("%" G_GINT64_FORMAT, start->step);
      g_autofree char *n_steps = g_strdup_printf ("%" G_GINT64_FORMAT, start->n_steps);
      g_strv_builder_add_many (args, "resume", "--detach", "--branch", start->folder, "--from-step", step, "--steps",
                               n_steps, start->from, NULL);
    }
  else
    g_strv_builder_add_many (args, "train", "--detach", "--run", start->folder, "--config", "-", NULL);
  for (char **after = start->after; *after != NULL; after++)
    g_strv_builder_add_many (args, "--after", *after, NULL);
  return g_strv_builder_end (args);
}

static void
chosen_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(GTask) task = user_data;
  Start *start = g_task_get_task_data (task);
  g_autofree char *config = start->from != NULL ? NULL : urb_run_config_to_text (&start->config);
  GCancellable *cancellable = g_task_get_cancellable (task);
  g_auto(GStrv) argv = NULL;
  GError *error = NULL;
  start->folder = g_task_propagate_pointer (G_TASK (result), &error);
  if (start->folder == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  argv = make_args (start);
  urbarium_engine_program_run_async ((const char *const *) argv, config, cancellable, engine_cb,
                                     g_steal_pointer (&task));
}

/* @start: (transfer full): its parent and the runs that it waits for are filled in */
static void
begin (UrbariumRunLibrary *self, Start *start, GPtrArray *after, GCancellable *cancellable,
       GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (self, cancellable, callback, user_data);
  g_autoptr(GTask) choose = g_task_new (NULL, cancellable, chosen_cb, task);
  start->parent = g_strdup (urbarium_run_library_get_folder (self));
  start->after = g_new0 (char *, (after != NULL ? after->len : 0) + 1);
  for (guint i = 0; after != NULL && i < after->len; i++)
    start->after[i] = g_strdup (urbarium_run_get_folder (after->pdata[i]));
  g_task_set_task_data (task, start, start_free);
  g_task_set_task_data (choose, start, NULL);
  g_task_run_in_thread (choose, choose_thread);
}

void
urbarium_run_library_start_async (UrbariumRunLibrary *self, const UrbRunConfig *config,
                                  GPtrArray *after, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data)
{
  Start *start;
  g_return_if_fail (URBARIUM_IS_RUN_LIBRARY (self) && config != NULL);
  start = g_new0 (Start, 1);
  urb_run_config_copy (&start->config, config);
  begin (self, start, after, cancellable, callback, user_data);
}

void
urbarium_run_library_branch_async (UrbariumRunLibrary *self, UrbariumRun *run, gint64 step, gint64 n_steps,
                                   GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  enum { MAX_CHARS = 60 }; /* of the other run's name */
  g_autofree char *count = urbarium_format_count (step), *name = NULL, *plain = NULL;
  g_autoptr(GPtrArray) queue = NULL;
  Start *start;
  g_return_if_fail (URBARIUM_IS_RUN_LIBRARY (self) && URBARIUM_IS_RUN (run) && step > 0 && n_steps > step);
  queue = urbarium_run_library_dup_queue (self);
  name = g_utf8_substring (urbarium_run_get_name (run), 0,
                           MIN (g_utf8_strlen (urbarium_run_get_name (run), -1), MAX_CHARS));
  start = g_new0 (Start, 1);
  urb_run_config_init (&start->config);
  /* translators: a new run: the name of another one, and a training step */
  plain = g_strdup_printf (_ ("%s from step %s"), name, count);
  start->config.name = urbarium_run_library_dup_free_name (self, plain);
  start->from = g_strdup (urbarium_run_get_folder (run));
  start->step = step;
  start->n_steps = n_steps;
  begin (self, start, queue, cancellable, callback, user_data);
}

UrbariumRun *
urbarium_run_library_start_finish (UrbariumRunLibrary *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* ------------------------------------------------------------------------ */
/* Deleting                                                                  */

/* Deletes run.ini, which makes the folder a run, last. */
static gboolean
discard_own (GFile *folder, GCancellable *cancellable, GError **error)
{
  const char *const *names = urb_run_folder_get_own_names ();
  for (guint i = g_strv_length ((char **) names); i-- > 0;)
    {
      g_autoptr(GFile) file = g_file_get_child (folder, names[i]);
      GFileType type
        = g_file_query_file_type (file, G_FILE_QUERY_INFO_NOFOLLOW_SYMLINKS, cancellable);
      if (type != G_FILE_TYPE_UNKNOWN && !urbarium_discard (file, cancellable, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_ended (const char *path, GError **error)
{
  enum { N_TRIES = 100, TRY_AGAIN_US = 10000 };
  g_autofree char *socket = g_build_filename (path, URB_CONTROL_SOCKET_NAME, NULL);
  int fd = urb_run_folder_open_lock (path, error);
  gboolean held = TRUE;
  if (fd < 0)
    return FALSE;
  /* A supervisor that is ending removes its socket before it releases the lock. */
  for (int i = 0; held && i < N_TRIES; i++)
    {
      held = urb_run_folder_is_held (fd);
      if (held && g_file_test (socket, G_FILE_TEST_EXISTS))
        break;
      if (held)
        g_usleep (TRY_AGAIN_US);
    }
  close (fd);
  if (held)
    g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_BUSY,
                 _ ("The run in “%s” is still active. Stop it first."), path);
  return !held;
}

static void
delete_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_autoptr(GFile) file = g_file_new_for_path (data);
  GError *error = NULL;
  gboolean ended;
  if (!g_file_test (data, G_FILE_TEST_EXISTS)) /* somebody deleted it already */
    {
      g_task_return_boolean (task, TRUE);
      return;
    }
  ended = check_ended (data, &error);
  if (ended)
    urb_launch_session_sweep_path (data);
  /* Other files in the folder stay. */
  if (ended
      && (urb_run_folder_has_others (data) ? discard_own (file, cancellable, &error)
                                           : urbarium_discard (file, cancellable, &error)))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
deleted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(GTask) task = user_data;
  UrbariumRunLibrary *self = g_task_get_source_object (task);
  GError *error = NULL;
  const char *path = g_task_get_task_data (task);
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      g_task_return_error (task, error);
      return;
    }
  urbarium_run_library_drop (self, path);
  g_task_return_boolean (task, TRUE);
}

void
urbarium_run_library_delete_async (UrbariumRunLibrary *self, UrbariumRun *run,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  GTask *task;
  g_autoptr(GTask) delete = NULL;
  const char *path;
  g_return_if_fail (URBARIUM_IS_RUN_LIBRARY (self) && URBARIUM_IS_RUN (run));
  path = urbarium_run_get_folder (run);
  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_task_data (task, g_strdup (path), g_free);
  delete = g_task_new (NULL, cancellable, deleted_cb, task);
  g_task_set_task_data (delete, g_strdup (path), g_free);
  g_task_run_in_thread (delete, delete_thread);
}

gboolean
urbarium_run_library_delete_finish (UrbariumRunLibrary *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return g_task_propagate_boolean (G_TASK (result), error);
}
