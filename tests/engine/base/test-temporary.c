/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-temporary.c - temporary files of dead processes are removed, and no others.
 */
#include "base/temporary.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "flat-folder.h"

static void
write_file (const char *path, const char *end)
{
  g_autofree char *full = g_strconcat (path, end, NULL);
  g_assert_true (g_file_set_contents (full, "x", 1, NULL));
}

/* As a killed writer leaves them: a file, a GeoPackage with its journal, and a folder. */
static void
leave (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "a plan, 2.svg", NULL);
  g_autofree char *plain = urb_temporary_dup_path (path, ""), *again = urb_temporary_dup_path (path, "");
  g_autofree char *gpkg = urb_temporary_dup_path (path, ".gpkg");
  g_autofree char *inside = g_build_filename (again, "inside", NULL);
  g_assert_cmpstr (plain, !=, again);
  write_file (plain, "");
  write_file (plain, "-wal");
  write_file (gpkg, "");
  write_file (gpkg, "-journal");
  g_assert_cmpint (g_mkdir (again, 0700), ==, 0);
  write_file (inside, "");
}

/* Of folders in it, too. */
static void
remove_all (const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        urb_temporary_remove_folder (path);
    }
  urb_temporary_remove_folder (folder);
}

static void
test_sweep (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-temporary-XXXXXX", NULL);
  /* Not of ours, or of a process 999999999 on another machine, or without one. */
  static const char *const others[] = {
    "plan.svg", ".hidden", ".a.gpkg.999999999.tmp", ".a.gpkg.x-0000000000000000.tmp",
    ".a.gpkg.999999999-0000000100000002.tmp", "a.999999999-0000000100000002.tmp",
  };
  int status, n_own = 5, n_others = (int) G_N_ELEMENTS (others);
  pid_t pid;
  for (int i = 0; i < n_others; i++)
    {
      g_autofree char *path = g_build_filename (folder, others[i], NULL);
      write_file (path, "");
    }
  leave (folder);
  pid = fork ();
  if (pid == 0)
    {
      leave (folder);
      _exit (7);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (WEXITSTATUS (status), ==, 7);
  g_assert_cmpint (flat_folder_count (folder), ==, n_others + 2 * n_own);
  urb_temporary_sweep (folder);
  g_assert_cmpint (flat_folder_count (folder), ==, n_others + n_own);
  urb_temporary_sweep ("/nowhere");
  for (int i = 0; i < n_others; i++)
    {
      g_autofree char *path = g_build_filename (folder, others[i], NULL);
      g_assert_cmpint (g_unlink (path), ==, 0);
    }
  g_assert_cmpint (flat_folder_count (folder), ==, n_own);
  remove_all (folder);
}

/* Names of files have at most 255 bytes. */
static void
test_long_name (void)
{
  g_autofree char *name = g_strnfill (255, 'x'), *path = g_build_filename (g_get_tmp_dir (), name, NULL);
  g_autofree char *temporary = urb_temporary_dup_path (path, ".gpkg");
  g_autofree char *journal = g_strconcat (temporary, "-journal", NULL);
  g_autofree char *relative = urb_temporary_dup_path ("plan.svg", ".svg");
  g_assert_true (g_str_has_suffix (temporary, ".gpkg"));
  write_file (journal, "");
  g_assert_cmpint (g_unlink (journal), ==, 0);
  g_assert_true (g_str_has_prefix (relative, "./.plan.svg."));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/temporary/sweep", test_sweep);
  g_test_add_func ("/temporary/long-name", test_long_name);
  return g_test_run ();
}
