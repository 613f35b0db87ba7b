/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz-file.c - the temporary file of a fuzz target.
 */
#include <unistd.h>

#include <glib/gstdio.h>

#include "fuzz.h"

/* libFuzzer's entry point is given nothing to keep it in. */
static char *path;

const char *
fuzz_write_file (const guint8 *data, gsize size)
{
  g_autoptr(GError) error = NULL;
  if (path == NULL)
    {
      int fd = g_file_open_tmp ("urbarium-fuzz-XXXXXX", &path, &error);
      g_assert_no_error (error);
      close (fd);
    }
  g_file_set_contents_full (path, (const char *) data, (gssize) size, G_FILE_SET_CONTENTS_NONE,
                            0600, &error);
  g_assert_no_error (error);
  return path;
}

void
fuzz_delete_file (void)
{
  /* The last two are SQLite's. */
  static const char *const suffixes[] = { "", "-wal", "-shm" };
  for (gsize i = 0; i < G_N_ELEMENTS (suffixes) && path != NULL; i++)
    {
      g_autofree char *file = g_strconcat (path, suffixes[i], NULL);
      g_unlink (file);
    }
  g_clear_pointer (&path, g_free);
}
