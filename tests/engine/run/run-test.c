/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-test.c - see run-test.h.
 */
#include "run-test.h"

#include <errno.h>
#include <sys/wait.h>

#include <glib/gstdio.h>

static void
set_up (RunTest *t, gconstpointer data)
{
  t->base = g_dir_make_tmp ("urbarium-run-XXXXXX", NULL);
  t->run = g_build_filename (t->base, "run", NULL);
}

void
run_test_assert_no_process (void)
{
  gint64 until = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;
  pid_t pid;
  while ((pid = waitpid (-1, NULL, WNOHANG)) >= 0)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      if (pid == 0)
        g_usleep (2000);
    }
  g_assert_cmpint (errno, ==, ECHILD);
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

int
run_test_run_with_own_data (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-data-XXXXXX", NULL);
  int status;
  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  status = g_test_run ();
  run_test_delete (folder);
  return status;
}
