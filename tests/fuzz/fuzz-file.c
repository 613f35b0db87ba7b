/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz-file.c - the temporary file of a fuzz target.
 */
#include <stdlib.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "fuzz.h"

/* Global, because libFuzzer's entry point takes no user data. */
static char *path;
static int fd;

static void
delete_file (void)
{
  /* The last two are created by SQLite. */
  static const char *const suffixes[] = { "", "-wal", "-shm" };
  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autofree char *file = g_strconcat (path, suffixes[i], NULL);
      g_unlink (file);
    }
  g_clear_pointer (&path, g_free);
  close (fd);
}

static void
make_file (void)
{
  const char *folder = g_access ("/dev/shm", W_OK) == 0 ? "/dev/shm" : g_get_tmp_dir ();
  path = g_build_filename (folder, "urbarium-fuzz-XXXXXX", NULL);
  fd = g_mkstemp (path);
  g_assert_cmpint (fd, >=, 0);
  atexit (delete_file);
}

const char *
fuzz_write_file (const guint8 *data, gsize size)
{
  if (path == NULL)
    make_file ();
  /* Truncate, otherwise the end of a longer previous input would remain. */
  g_assert_cmpint (ftruncate (fd, 0), ==, 0);
  g_assert_cmpint (pwrite (fd, data, size, 0), ==, (gssize) size);
  return path;
}
