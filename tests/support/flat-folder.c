/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat-folder.c - see flat-folder.h.
 */
#include "flat-folder.h"

#include <glib/gstdio.h>

int
flat_folder_count (const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  int n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

void
flat_folder_remove (char *folder)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (g_unlink (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (folder);
}

void
flat_folder_set_up (FlatFolderFixture *self, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  self->folder = g_dir_make_tmp ("urbarium-XXXXXX", &error);
  g_assert_no_error (error);
}

void
flat_folder_tear_down (FlatFolderFixture *self, gconstpointer data)
{
  flat_folder_remove (self->folder);
}
