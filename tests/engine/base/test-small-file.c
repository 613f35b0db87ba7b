/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-small-file.c - files that a person may name by mistake, of which reading
 * some would never end.
 */
#include "base/small-file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

enum { LIMIT = 1 << 20 };

typedef struct
{
  char *folder, *file; /* owned */
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("urbarium-small-XXXXXX", NULL);
  self->file = g_build_filename (self->folder, "file", NULL);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_unlink (self->file);
  g_rmdir (self->folder);
  g_free (self->file);
  g_free (self->folder);
}

static void
assert_refused (const char *path, int code, const char *text)
{
  g_autoptr(GError) error = NULL;
  g_assert_null (urb_small_file_read (path, NULL, &error));
  g_assert_error (error, G_FILE_ERROR, code);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_nonnull (strstr (error->message, text));
}

static void
test_good (Fixture *self, gconstpointer data)
{
  static const gsize sizes[] = { 0, 1, 16384, 16385, LIMIT };
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *text = g_strnfill (sizes[i], 'x'), *back = NULL;
      g_autoptr(GError) error = NULL;
      gsize n_bytes = 7;
      g_assert_true (g_file_set_contents (self->file, text, (gssize) sizes[i], NULL));
      back = urb_small_file_read (self->file, &n_bytes, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (back, ==, text);
      g_assert_cmpuint (n_bytes, ==, sizes[i]);
    }
}

static void
test_refused (Fixture *self, gconstpointer data)
{
  g_autofree char *text = g_strnfill (LIMIT + 1, 'x');
  assert_refused (self->file, G_FILE_ERROR_NOENT, "No such file");
  assert_refused (self->folder, G_FILE_ERROR_INVAL, "not a regular file");
  assert_refused ("/dev/zero", G_FILE_ERROR_INVAL, "not a regular file");
  g_assert_true (g_file_set_contents (self->file, text, -1, NULL));
  assert_refused (self->file, G_FILE_ERROR_INVAL, "larger than 1 MiB");
  g_unlink (self->file);
  /* Nobody writes into it. */
  g_assert_cmpint (mkfifo (self->file, 0600), ==, 0);
  assert_refused (self->file, G_FILE_ERROR_INVAL, "not a regular file");
}

static char *
read_as_input (const char *path, GError **error)
{
  int fd = open (path, O_RDONLY);
  g_assert_cmpint (dup2 (fd, STDIN_FILENO), ==, STDIN_FILENO);
  close (fd);
  return urb_small_file_read_input (error);
}

/* Unlike a file that was named, it may be a device or a pipe. */
static void
test_input (Fixture *self, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;
  g_assert_true (g_file_set_contents (self->file, "one\ntwo", -1, NULL));
  text = read_as_input (self->file, &error);
  g_assert_cmpstr (text, ==, "one\ntwo");
  g_assert_no_error (error);
  g_assert_null (read_as_input ("/dev/zero", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_clear_error (&error);
  g_assert_null (read_as_input (self->folder, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/small-file/good", Fixture, NULL, set_up, test_good, tear_down);
  g_test_add ("/small-file/refused", Fixture, NULL, set_up, test_refused, tear_down);
  g_test_add ("/small-file/input", Fixture, NULL, set_up, test_input, tear_down);
  return g_test_run ();
}
