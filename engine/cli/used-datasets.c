/* SPDX-License-Identifier: Apache-2.0 */
/*
 * used-datasets.c - see used-datasets.h.
 */
#include "cli/used-datasets.h"

#include "dataset/held-out.h"
#include "run/store/config-file.h"
#include "run/store/folder.h"

static void
compare (UrbCuration *curation, UrbMap *map, const char *run, const char *path)
{
  g_autoptr(UrbDataset) earlier = urb_dataset_open_unverified (path, NULL);
  gint64 n = earlier != NULL ? urb_curation_count_tested (curation, map, earlier) : 0;

  if (n > 0)
    g_ptr_array_add (curation->warnings,
                     g_strdup_printf ("%" G_GINT64_FORMAT " of the areas for training overlap test areas of "
                                      "'%s', which the run '%s' used: do not compare models of the two by "
                                      "these test areas. With the same map and --seed they do not overlap",
                                      n, path, run));
}

void
urb_cli_warn_of_tested (UrbCuration *curation, UrbMap *map, const char *runs)
{
  g_autofree char *usual = urb_run_dup_usual_place ();
  const char *folder = runs != NULL ? runs : usual, *name;
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr(GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, URB_RUN_CONFIG, NULL);
      UrbRunConfig config = { 0 };

      if (g_file_test (path, G_FILE_TEST_IS_REGULAR) && urb_run_config_read_file (path, &config, NULL)
          && config.train.dataset != NULL && g_hash_table_add (seen, g_strdup (config.train.dataset)))
        compare (curation, map, name, config.train.dataset);
      urb_run_config_clear (&config);
    }
}
