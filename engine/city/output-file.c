/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output-file.c - see output-file.h.
 */
#include "city/output-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/durable.h"
#include "base/temporary.h"

struct _UrbOutputFile
{
  char    *path, *folder, *temporary; /* owned */
  FILE    *stream;                    /* owned */
  gboolean committed;
};

static void
set_error (GError **error, const char *path, int code)
{
  g_set_error (error, G_IO_ERROR, (int) g_io_error_from_errno (code),
               N_ ("Could not write '%s': %s.%s"), path, g_strerror (code),
               code == ENOSPC || code == EDQUOT ? N_ (" Free some space, or choose another folder.")
                                                : "");
}

UrbOutputFile *
urb_output_file_new (const char *path, GError **error)
{
  g_autoptr(UrbOutputFile) self = g_new0 (UrbOutputFile, 1);
  g_autofree char *name = g_path_get_basename (path);
  const char *suffix = strrchr (name, '.');
  int fd;

  self->path = g_strdup (path);
  self->folder = g_path_get_dirname (path);
  urb_temporary_sweep (self->folder);
  self->temporary = urb_temporary_dup_path (path, suffix != NULL && suffix != name ? suffix : "");
  fd = g_open (self->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0)
    {
      set_error (error, path, errno);
      g_clear_pointer (&self->temporary, g_free);
      return NULL;
    }
  self->stream = fdopen (fd, "wb");
  g_assert (self->stream != NULL);
  return g_steal_pointer (&self);
}

FILE *
urb_output_file_get_stream (UrbOutputFile *self)
{
  return self->stream;
}

const char *
urb_output_file_get_temporary (UrbOutputFile *self)
{
  return self->temporary;
}

gboolean
urb_output_file_commit (UrbOutputFile *self, GError **error)
{
  int failed, code = 0;

  g_return_val_if_fail (!self->committed, FALSE);

  errno = 0;
  failed = fflush (self->stream) != 0 || ferror (self->stream);
  failed = fclose (self->stream) != 0 || failed;
  self->stream = NULL;
  if (failed)
    code = errno != 0 ? errno : EIO;
  /* By name, since another writer may have replaced the file. */
  if (code == 0)
    code = urb_durable_sync_file (self->temporary);
  if (code == 0 && g_rename (self->temporary, self->path) != 0)
    code = errno;
  self->committed = code == 0;
  if (code == 0)
    code = urb_durable_sync_folder (self->folder);
  if (code != 0)
    set_error (error, self->path, code);
  return code == 0;
}

void
urb_output_file_free (UrbOutputFile *self)
{
  if (self == NULL)
    return;
  if (self->stream != NULL)
    fclose (self->stream);
  if (!self->committed && self->temporary != NULL)
    g_unlink (self->temporary);
  g_free (self->path);
  g_free (self->folder);
  g_free (self->temporary);
  g_free (self);
}
