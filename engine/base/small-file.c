/* SPDX-License-Identifier: Apache-2.0 */
#include "base/small-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 20 };

static char *
fail (const char *path, GError **error)
{
  int saved = errno;
  g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (saved), N_ ("Cannot read '%s': %s"), path,
               g_strerror (saved));
  return NULL;
}

static char *
fail_large (const char *path, GError **error)
{
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, N_ ("'%s' is larger than 1 MiB"), path);
  return NULL;
}

/* One byte more than allowed, if there are so many.
 * Returns: %NULL with errno */
static GString *
read_all (int fd)
{
  g_autoptr(GString) text = g_string_new (NULL);
  char bytes[16384];
  gssize n;
  while ((n = read (fd, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
    {
      g_string_append_len (text, bytes, MAX (n, 0));
      if (text->len > MAX_BYTES)
        break;
    }
  return n < 0 ? NULL : g_steal_pointer (&text);
}

char *
urb_small_file_read (const char *path, gsize *n_bytes, GError **error)
{
  /* O_NONBLOCK: a named pipe would otherwise wait for its writer. */
  int fd = open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), saved;
  g_autoptr(GString) text = NULL;
  struct stat info;
  gboolean is_regular;
  if (fd < 0)
    return fail (path, error);
  is_regular = fstat (fd, &info) == 0 && S_ISREG (info.st_mode);
  text = is_regular ? read_all (fd) : NULL;
  saved = errno;
  close (fd);
  errno = saved;
  if (!is_regular)
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, N_ ("'%s' is not a regular file"), path);
  else if (text == NULL)
    fail (path, error);
  else if (text->len > MAX_BYTES)
    fail_large (path, error);
  else
    {
      if (n_bytes != NULL)
        *n_bytes = text->len;
      return g_string_free (g_steal_pointer (&text), FALSE);
    }
  return NULL;
}

char *
urb_small_file_read_input (GError **error)
{
  static const char name[] = "standard input";
  g_autoptr(GString) text = read_all (STDIN_FILENO);
  if (text == NULL)
    return fail (name, error);
  if (text->len > MAX_BYTES)
    return fail_large (name, error);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
