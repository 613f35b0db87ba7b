/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-run-folder.c - the folder of a new run is named after the run, and is a new one.
 */
#include <glib/gstdio.h>

#include "app-test.h"
#include "app/runs/run-folder.h"

static void
test_choose (void)
{
  static const struct { const char *name, *folder; } cases[] = {
    { "Old town: 2/3", "Old-town-2-3" }, { "Zürich", "Zürich" }, { "", "run" }, { "../..", "run" },
    { ".hidden", "hidden" },             { "a. ", "a" },
  };
  g_autofree char *parent = g_dir_make_tmp ("urbarium-runs-XXXXXX", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = urbarium_run_folder_choose (parent, cases[i].name);
      g_autofree char *base = g_path_get_basename (path), *again = NULL, *second = NULL;
      g_assert_cmpstr (base, ==, cases[i].folder);
      g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
      again = urbarium_run_folder_choose (parent, cases[i].name);
      second = g_strconcat (path, "-2", NULL);
      g_assert_cmpstr (again, ==, second);
      g_rmdir (path);
    }
  g_rmdir (parent);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/runs/run-folder/choose", test_choose);
  return g_test_run ();
}
