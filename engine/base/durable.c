/* SPDX-License-Identifier: Apache-2.0 */
/*
 * durable.c - see durable.h.
 */
#include "base/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

int
urb_durable_sync_folder_fd (int fd)
{
  return fsync (fd) == 0 || errno == EINVAL ? 0 : errno;
}

static int
sync_path (const char *path, int flags)
{
  int fd = g_open (path, O_RDONLY | O_CLOEXEC | flags, 0);
  int code;
  if (fd < 0)
    return errno;
  if ((flags & O_DIRECTORY) != 0)
    code = urb_durable_sync_folder_fd (fd);
  else
    code = fsync (fd) == 0 ? 0 : errno;
  close (fd);
  return code;
}

int
urb_durable_sync_file (const char *path)
{
  return sync_path (path, 0);
}

/* Files can be created in a folder that may be written but not listed, so EACCES is no error. */
int
urb_durable_sync_folder (const char *path)
{
  int code = sync_path (path, O_DIRECTORY);
  return code == EACCES ? 0 : code;
}

int
urb_durable_sync_parent (const char *path)
{
  g_autofree char *parent = g_path_get_dirname (path);
  return urb_durable_sync_folder (parent);
}

/* Returns: 0, or an errno */
static int
make_folders (const char *path, int mode)
{
  g_autofree char *parent = g_path_get_dirname (path);
  int code;
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return 0;
  if (strcmp (parent, path) != 0)
    {
      code = make_folders (parent, mode);
      if (code != 0)
        return code;
    }
  if (g_mkdir (path, mode) != 0)
    {
      code = errno;
      return code == EEXIST && g_file_test (path, G_FILE_TEST_IS_DIR) ? 0 : code;
    }
  return urb_durable_sync_folder (parent);
}

gboolean
urb_durable_make_folders (const char *path, int mode, GError **error)
{
  int code = make_folders (path, mode);
  if (code == 0)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (code),
               "Could not create the folder '%s': %s.", path, g_strerror (code));
  return FALSE;
}
