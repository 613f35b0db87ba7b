/* SPDX-License-Identifier: Apache-2.0 */
/*
 * used-datasets.c - see used-datasets.h.
 */
#include "run/store/used-datasets.h"

#include "dataset/held-out.h"
#include "run/store/config-file.h"
#include "run/store/folder.h"

typedef struct
{
  const UrbCuration *curation;
  UrbMap            *map;
  GHashTable        *seen;  /* paths of datasets */
  GPtrArray         *found; /* of UrbUsedDataset */
} Search;

static void
used_dataset_free (gpointer data)
{
  UrbUsedDataset *self = data;

  g_free (self->run);
  g_free (self->dataset);
  g_free (self);
}

static void
compare (Search *self, const char *run, const char *path)
{
  g_autoptr(UrbDataset) earlier = urb_dataset_open_unverified (path, NULL);
  gint64 n = earlier != NULL ? urb_curation_count_tested (self->curation, self->map, earlier) : 0;
  UrbUsedDataset *used;

  if (n == 0)
    return;
  used = g_new0 (UrbUsedDataset, 1);
  used->run = g_path_get_basename (run);
  used->dataset = g_strdup (path);
  used->n_areas = n;
  g_ptr_array_add (self->found, used);
}

/* Returns: whether @folder is a run */
static gboolean
look_at_run (Search *self, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, URB_RUN_CONFIG, NULL);
  UrbRunConfig config = { 0 };

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return FALSE;
  if (urb_run_config_read_file (path, &config, NULL) && config.train.dataset != NULL
      && g_hash_table_add (self->seen, g_strdup (config.train.dataset)))
    compare (self, folder, config.train.dataset);
  urb_run_config_clear (&config);
  return TRUE;
}

GPtrArray *
urb_run_find_tested (const char *const *places, const UrbCuration *curation, UrbMap *map)
{
  g_autoptr(GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Search search = { curation, map, seen, g_ptr_array_new_with_free_func (used_dataset_free) };

  for (; *places != NULL; places++)
    {
      g_autoptr(GDir) dir = look_at_run (&search, *places) ? NULL : g_dir_open (*places, 0, NULL);
      const char *name;

      while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *folder = g_build_filename (*places, name, NULL);

          look_at_run (&search, folder);
        }
    }
  return search.found;
}
