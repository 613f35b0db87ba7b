/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/realism-cache.h"

#include <glib/gstdio.h>
#include <sys/stat.h>

#include "dataset/dataset.h"

enum
{
  MAX_FILES = 100,
  MAX_BYTES = 16 * 1024 * 1024 /* per file; the engine writes less than 1 MiB */
};

static char *
get_folder (void)
{
  return g_build_filename (g_get_user_cache_dir (), "urbarium", "realism", NULL);
}

/* Returns: (transfer full) (nullable): NULL if the checkpoint is missing */
static char *
get_path (const char *checkpoint, const char *dataset)
{
  g_autofree char *folder = get_folder ();
  g_autofree char *key = NULL, *sum = NULL, *name = NULL;
  struct stat file;
  if (stat (checkpoint, &file) != 0)
    return NULL;
  key = g_strdup_printf ("2\n%s\n%" G_GINT64_FORMAT "\n%" G_GINT64_FORMAT ".%09ld\n%s", checkpoint,
                         (gint64) file.st_size, (gint64) file.st_mtim.tv_sec,
                         (long) file.st_mtim.tv_nsec, dataset != NULL ? dataset : "");
  sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, key, -1);
  name = g_strdup_printf ("%.32s.json", sum);
  return g_build_filename (folder, name, NULL);
}

/* A result stays valid when its dataset is deleted, but not when the dataset changes. */
static gboolean
is_current (const UrbariumRealismResult *result)
{
  g_autoptr(UrbDataset) dataset = NULL;
  if (!g_file_test (result->dataset, G_FILE_TEST_EXISTS))
    return TRUE;
  dataset = urb_dataset_open (result->dataset, NULL);
  return dataset != NULL
         && g_strcmp0 (urb_dataset_get_info (dataset)->id, result->dataset_id) == 0;
}

UrbariumRealismResult *
urbarium_realism_cache_load (const char *checkpoint, const char *dataset)
{
  g_autofree char *path = get_path (checkpoint, dataset);
  g_autofree char *json = NULL;
  g_autoptr(UrbariumRealismResult) result = NULL;
  gsize length;
  struct stat file;
  if (path == NULL || stat (path, &file) != 0 || !S_ISREG (file.st_mode)
      || file.st_size > MAX_BYTES || !g_file_get_contents (path, &json, &length, NULL))
    return NULL;
  result = urbarium_realism_result_parse (json, length, NULL);
  if (result == NULL || !is_current (result))
    {
      g_unlink (path);
      return NULL;
    }
  return g_steal_pointer (&result);
}

typedef struct
{
  char  *path; /* owned */
  gint64 changed;
} Entry;

static void
entry_clear (gpointer data)
{
  g_free (((Entry *) data)->path);
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  gint64 x = ((const Entry *) a)->changed, y = ((const Entry *) b)->changed;
  return (x < y) - (x > y);
}

/* Deletes the oldest files. */
static void
prune (const char *folder)
{
  g_autoptr(GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  g_array_set_clear_func (entries, entry_clear);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      Entry entry = { g_build_filename (folder, name, NULL), 0 };
      struct stat file;
      if (stat (entry.path, &file) == 0)
        entry.changed = (gint64) file.st_mtim.tv_sec;
      g_array_append_val (entries, entry);
    }
  g_array_sort (entries, compare_entries);
  for (guint i = MAX_FILES; i < entries->len; i++)
    g_unlink (g_array_index (entries, Entry, i).path);
}

void
urbarium_realism_cache_store (const char *checkpoint, const char *dataset, const char *json,
                              gsize length)
{
  g_autofree char *folder = get_folder ();
  g_autofree char *path = get_path (checkpoint, dataset);
  g_autoptr(GError) error = NULL;
  if (path == NULL)
    return;
  g_mkdir_with_parents (folder, 0700);
  if (!g_file_set_contents (path, json, (gssize) length, &error))
    g_debug ("The evaluation was not cached: %s", error->message);
  prune (folder);
}
