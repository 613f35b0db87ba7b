/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomic-file.c - see atomic-file.h.
 *
 * The hard part: linkat() names a nameless file but cannot replace an existing one,
 * so that case goes through a temporary name and rename().  The temporary file is
 * complete and synced by then, and exists for microseconds.
 */
#include "base/atomic-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/durable.h"
#include "base/temporary.h"

struct _UrbAtomicFile
{
  char    *path;      /* owned */
  char    *name;      /* owned; last part of path */
  char    *temporary; /* owned; temporary name in the folder */
  int      folder_fd;
  int      fd;
  gboolean named; /* the temporary exists in the folder */
};

static const char cannot_write[] = N_ ("Cannot write '%s': %s");

/* @format: of @path and the reason */
static gboolean
fail (GError **error, const char *path, const char *format)
{
  int saved = errno;

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved), format, path, g_strerror (saved));
  return FALSE;
}

UrbAtomicFile *
urb_atomic_file_open (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path), *temporary = urb_temporary_dup_path (path, "");
  g_autoptr(UrbAtomicFile) self = g_new0 (UrbAtomicFile, 1);
  self->fd = -1;
  self->path = g_strdup (path);
  self->name = g_path_get_basename (path);
  self->temporary = g_path_get_basename (temporary);
  self->folder_fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (self->folder_fd < 0)
    {
      fail (error, folder, "Cannot open the folder '%s': %s");
      return NULL;
    }
  /* Without /proc, a nameless file could not be named later. */
  if (g_access ("/proc/self/fd", X_OK) == 0)
    self->fd = openat (self->folder_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (self->fd < 0)
    {
      urb_temporary_sweep (folder);
      /* Never reuse a file of someone else, who could go on reading and writing it. */
      self->fd = openat (self->folder_fd, self->temporary,
                         O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0666);
      self->named = self->fd >= 0;
    }
  if (self->fd < 0)
    {
      fail (error, path, cannot_write);
      return NULL;
    }
  return g_steal_pointer (&self);
}

void
urb_atomic_file_free (UrbAtomicFile *self)
{
  if (self == NULL)
    return;
  if (self->fd >= 0)
    close (self->fd);
  if (self->named)
    unlinkat (self->folder_fd, self->temporary, 0);
  if (self->folder_fd >= 0)
    close (self->folder_fd);
  g_free (self->temporary);
  g_free (self->name);
  g_free (self->path);
  g_free (self);
}

/* @offset: -1 to append */
static gboolean
write_all (UrbAtomicFile *self, gint64 offset, const guint8 *data, gsize n_bytes, GError **error)
{
  while (n_bytes > 0)
    {
      /* Linux writes at most 2 GiB per call anyway. */
      gsize n_wanted = MIN (n_bytes, (gsize) 1 << 30);
      gssize n = offset < 0 ? write (self->fd, data, n_wanted)
                            : pwrite (self->fd, data, n_wanted, offset);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return fail (error, self->path, cannot_write);
      data += n;
      n_bytes -= (gsize) n;
      if (offset >= 0)
        offset += n;
    }
  return TRUE;
}

gboolean
urb_atomic_file_write (UrbAtomicFile *self, const void *data, gsize n_bytes, GError **error)
{
  return write_all (self, -1, data, n_bytes, error);
}

gboolean
urb_atomic_file_patch (UrbAtomicFile *self, gint64 offset, const void *data, gsize n_bytes,
                       GError **error)
{
  return write_all (self, offset, data, n_bytes, error);
}

static gboolean
link_nameless (UrbAtomicFile *self, const char *name)
{
  char source[64];
  g_snprintf (source, sizeof source, "/proc/self/fd/%d", self->fd);
  return linkat (AT_FDCWD, source, self->folder_fd, name, AT_SYMLINK_FOLLOW) == 0;
}

static gboolean
name_file (UrbAtomicFile *self)
{
  if (!self->named)
    {
      if (link_nameless (self, self->name))
        return TRUE;
      if (errno != EEXIST)
        return FALSE;
      urb_temporary_sweep_beside (self->path);
      if (!link_nameless (self, self->temporary))
        return FALSE;
      self->named = TRUE;
    }
  if (renameat (self->folder_fd, self->temporary, self->folder_fd, self->name) != 0)
    return FALSE;
  self->named = FALSE;
  return TRUE;
}

gboolean
urb_atomic_file_commit (UrbAtomicFile *self, GError **error)
{
  if (fsync (self->fd) != 0 || !name_file (self))
    return fail (error, self->path, cannot_write);
  errno = urb_durable_sync_folder_fd (self->folder_fd);
  return errno == 0 || fail (error, self->path, "Cannot sync the folder of '%s': %s");
}

gboolean
urb_atomic_file_set_mode (UrbAtomicFile *self, int mode, GError **error)
{
  return fchmod (self->fd, (mode_t) mode) == 0
         || fail (error, self->path, "Cannot set the permissions of '%s': %s");
}

gboolean
urb_atomic_file_set_contents (const char *path, const void *data, gsize n_bytes, GError **error)
{
  g_autoptr(UrbAtomicFile) file = urb_atomic_file_open (path, error);
  return file != NULL && urb_atomic_file_write (file, data, n_bytes, error)
         && urb_atomic_file_commit (file, error);
}

int
urb_atomic_file_sweep (const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  int n_swept = 0;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = NULL;
      if (name[0] != '.' || !g_str_has_suffix (name, ".tmp"))
        continue;
      path = g_build_filename (folder, name, NULL);
      if (g_unlink (path) == 0)
        n_swept++;
    }
  return n_swept;
}
