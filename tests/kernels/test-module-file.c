/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-module-file.c - a module truncated at any point is rejected.
 */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/module-file.h"

/* Checks the file truncated to @size. */
static UkModuleFile
check_cut (const char *path, gint64 size)
{
  g_assert_cmpint (truncate (path, size), ==, 0);
  return uk_module_file_check (path);
}

/* From the end to the beginning, in steps that hit header boundaries at varying offsets. */
static void
test_cut (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-module-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "cut.so", NULL);
  g_autofree char *whole = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (g_getenv ("URBARIUM_EMULATED_CUDA"), &whole, &size, NULL));
  g_assert_true (g_file_set_contents (path, whole, (gssize) size, NULL));
  g_assert_cmpint (uk_module_file_check (path), ==, UK_MODULE_FILE_OK);
  g_assert_cmpint (check_cut (path, (gint64) size - 1), ==, UK_MODULE_FILE_CUT);
  for (gint64 rest = (gint64) size - 2; rest >= 64; rest -= 1 + rest / 37)
    g_assert_cmpint (check_cut (path, rest), ==, UK_MODULE_FILE_CUT);
  g_assert_cmpint (check_cut (path, 63), ==, UK_MODULE_FILE_FOREIGN);
  g_assert_cmpint (check_cut (path, 0), ==, UK_MODULE_FILE_FOREIGN);
  g_assert_cmpint (g_unlink (path), ==, 0);

  /* Without section headers, the segments reveal it. */
  memset (whole + 40, 0, 8);
  memset (whole + 58, 0, 6);
  g_assert_true (g_file_set_contents (path, whole, (gssize) size, NULL));
  g_assert_cmpint (uk_module_file_check (path), ==, UK_MODULE_FILE_OK);
  g_assert_cmpint (check_cut (path, 4096), ==, UK_MODULE_FILE_CUT);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_foreign (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-module-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "foreign.so", NULL);

  g_assert_cmpint (uk_module_file_check (path), ==, UK_MODULE_FILE_FOREIGN);   /* does not exist */
  g_assert_cmpint (uk_module_file_check (folder), ==, UK_MODULE_FILE_FOREIGN); /* not a regular file */
  g_assert_true (g_file_set_contents (path, "#!/bin/sh\necho all is well, and longer than a header\n",
                                      -1, NULL));
  g_assert_cmpint (uk_module_file_check (path), ==, UK_MODULE_FILE_FOREIGN);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  g_assert_cmpint (uk_module_file_check (path), ==, UK_MODULE_FILE_FOREIGN); /* without blocking */
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/module-file/cut", test_cut);
  g_test_add_func ("/module-file/foreign", test_foreign);
  return g_test_run ();
}
