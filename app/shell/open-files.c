/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open-files.c - a dataset is a GeoPackage like a map, whatever it is called: only what is in it
 * tells.
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

/* The folder of a run, given itself or a file in it; or NULL. */
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
is_database (const char *path)
{
  static const char magic[] = "SQLite format 3"; /* with its end */
  char head[sizeof magic] = "";
  FILE *file = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? fopen (path, "rb") : NULL;
  gsize n = file == NULL ? 0 : fread (head, 1, sizeof head, file);
  if (file != NULL)
    fclose (file);
  return n == sizeof magic && memcmp (head, magic, sizeof magic) == 0;
}

static gboolean
is_dataset (const char *path)
{
  g_autoptr(UrbDataset) dataset = is_database (path) ? urb_dataset_open (path, NULL) : NULL;
  return dataset != NULL;
}

static void
classify (UrbariumOpenFiles *self)
{
  char **first = &self->paths[0];
  char *folder = dup_run_folder (*first);
  if (folder != NULL)
    {
      g_free (*first);
      *first = folder;
      self->kind = URBARIUM_FILE_RUN;
    }
  else if (g_str_has_suffix (*first, ".safetensors"))
    self->kind = URBARIUM_FILE_CHECKPOINT;
  else if (is_dataset (*first))
    self->kind = URBARIUM_FILE_DATASET;
  if (self->kind != URBARIUM_FILE_MAP)
    for (char **other = first + 1; *other != NULL; other++)
      g_clear_pointer (other, g_free);
}

static void
thread_func (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  UrbariumOpenFiles *self = data;
  g_autoptr(UrbariumOpenFiles) result = g_new0 (UrbariumOpenFiles, 1);
  result->kind = URBARIUM_FILE_MAP;
  result->paths = g_strdupv (self->paths);
  classify (result);
  g_task_return_pointer (task, g_steal_pointer (&result),
                         (GDestroyNotify) urbarium_open_files_free);
}

void
urbarium_open_files_classify_async (GFile **files, int n_files, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  UrbariumOpenFiles *self = g_new0 (UrbariumOpenFiles, 1);
  g_return_if_fail (n_files > 0);
  self->paths = g_new0 (char *, n_files + 1);
  g_task_set_task_data (task, self, (GDestroyNotify) urbarium_open_files_free);
  for (int i = 0; i < n_files; i++)
    {
      self->paths[i] = g_file_get_path (files[i]);
      if (self->paths[i] == NULL)
        {
          g_autofree char *uri = g_file_get_uri (files[i]);
          g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                                   _ ("“%s” is not a file of this machine. Copy it here first."),
                                   uri);
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
