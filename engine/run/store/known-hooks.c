/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known-hooks.c - see known-hooks.h.  One line per hook, which is only appended: addresses hold keys, so it
 * has their hashes.
 */
#include "run/store/known-hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static char *
dup_path (void)
{
  return g_build_filename (g_get_user_data_dir (), "urbarium", "hooks", NULL);
}

/* With the end of its line. */
static char *
dup_line (const char *hook)
{
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, hook, -1);
  return g_strconcat (hash, "\n", NULL);
}

gboolean
urb_known_hooks_has (const char *hook)
{
  g_autofree char *path = dup_path (), *line = dup_line (hook), *text = NULL;
  return g_file_get_contents (path, &text, NULL, NULL) && strstr (text, line) != NULL;
}

gboolean
urb_known_hooks_add (const char *hook, GError **error)
{
  g_autofree char *path = dup_path (), *folder = g_path_get_dirname (path), *line = dup_line (hook);
  gsize length = strlen (line);
  int fd = -1, code = 0;
  if (urb_known_hooks_has (hook))
    return TRUE;
  if (g_mkdir_with_parents (folder, 0700) != 0
      || (fd = open (path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600)) < 0
      || write (fd, line, length) != (gssize) length)
    code = errno;
  if (fd >= 0)
    close (fd);
  if (code != 0)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code),
                 "Cannot remember in '%s' that you chose the hook: %s; set XDG_DATA_HOME to a folder that you can write to",
                 path, g_strerror (code));
  return code == 0;
}
