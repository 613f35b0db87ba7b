/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open-files.c - datasets and maps are both GeoPackages with any name, so the contents are
 * checked.
 */
#include "app/shell/open-files.h"

#include <stdio.h>
#include <string.h>

#include <glib/gi18n.h>

#include "dataset/dataset.h"

void
urbarium_open_files_free (UrbariumOpenFiles *self)
{
  g_strfreev (self->paths);
  g_free (self);
}

/* @path: a run folder, or its run.ini or run.db.  Returns: (nullable): the run folder */
static char *
dup_run_folder (const char *path)
{
  g_autofree char *folder
    = g_file_test (path, G_FILE_TEST_IS_DIR) ? g_strdup (path) : g_path_get_dirname (path);
  g_autofree char *ini = g_build_filename (folder, "run.ini", NULL);
  g_autofree char *db = g_build_filename (folder, "run.db", NULL);
  g_autofree char *name = g_path_get_basename (path);
  if (g_file_test (path, G_FILE_TEST_IS_REGULAR) && !g_str_equal (name, "run.ini")
      && !g_str_equal (name, "run.db"))
    return NULL;
  return g_file_test (ini, G_FILE_TEST_EXISTS) && g_file_test (db, G_FILE_TEST_EXISTS)
           ? g_steal_pointer (&folder)
           : NULL;
}

static gboolean
is_dataset (const char *path)
{
  static const char magic[] = "SQLite format 3"; /* including the NUL */
  char head[sizeof magic] = "";
  g_autoptr(UrbDataset) dataset = NULL;
  FILE *file = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? fopen (path, "rb") : NULL;
  gsize n = file == NULL ? 0 : fread (head, 1, sizeof head, file);
  if (file != NULL)
    fclose (file);
  if (n == sizeof magic && memcmp (head, magic, sizeof magic) == 0)
    dataset = urb_dataset_open (path, NULL);
  return dataset != NULL;
}

static void
thread_func (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  char **paths = data;
  char *folder = dup_run_folder (paths[0]);
  g_autoptr(UrbariumOpenFiles) result = g_new0 (UrbariumOpenFiles, 1);
  if (folder != NULL)
    result->kind = URBARIUM_FILE_RUN;
  else if (g_str_has_suffix (paths[0], ".safetensors"))
    result->kind = URBARIUM_FILE_CHECKPOINT;
  else
    result->kind = is_dataset (paths[0]) ? URBARIUM_FILE_DATASET : URBARIUM_FILE_MAP;
  if (result->kind == URBARIUM_FILE_MAP)
    result->paths = g_strdupv (paths);
  else
    {
      result->paths = g_new0 (char *, 2);
      result->paths[0] = folder != NULL ? folder : g_strdup (paths[0]);
    }
  g_task_return_pointer (task, g_steal_pointer (&result),
                         (GDestroyNotify) urbarium_open_files_free);
}

void
urbarium_open_files_classify_async (GFile **files, int n_files, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  char **paths;
  g_return_if_fail (n_files > 0);
  paths = g_new0 (char *, n_files + 1);
  g_task_set_task_data (task, paths, (GDestroyNotify) g_strfreev);
  for (int i = 0; i < n_files; i++)
    {
      paths[i] = g_file_get_path (files[i]);
      if (paths[i] == NULL)
        {
          g_autofree char *uri = g_file_get_uri (files[i]);
          g_task_return_new_error (
            task, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
            _ ("“%s” is not a local file. Copy it to this computer first."), uri);
          return;
        }
    }
  g_task_run_in_thread (task, thread_func);
}

UrbariumOpenFiles *
urbarium_open_files_classify_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
