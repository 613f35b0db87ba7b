/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-test.c - see run-test.h.
 */
#include "run-test.h"

#include <glib/gstdio.h>

static void
set_up (RunTest *t, gconstpointer data)
{
  t->base = g_dir_make_tmp ("urbarium-run-XXXXXX", NULL);
  t->run = g_build_filename (t->base, "run", NULL);
}

void
run_test_delete (const char *path)
{
  g_autoptr(GDir) dir
    = g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);
      run_test_delete (inner);
    }
  g_remove (path);
}

static void
tear_down (RunTest *t, gconstpointer data)
{
  urb_run_folder_free (t->folder);
  run_test_delete (t->base);
  g_free (t->run);
  g_free (t->base);
}

void
run_test_add_with (const char *path, RunTestFunc func, gconstpointer data)
{
  g_test_add (path, RunTest, data, set_up, func, tear_down);
}

void
run_test_add (const char *path, RunTestFunc func)
{
  run_test_add_with (path, func, NULL);
}
