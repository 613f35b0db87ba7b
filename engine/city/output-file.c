/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output-file.c - temporary name, flush, check, sync, rename, sync the folder.
 *
 * The temporary name keeps the suffix, since GDAL chooses by it.
 */
#include "city/output-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/durable.h"

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
               "'%s' could not be written: %s.%s", path, g_strerror (code),
               code == ENOSPC || code == EDQUOT ? " Make room, or choose another folder." : "");
}

static char *
make_temporary_name (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  const char *suffix = strrchr (name, '.');
  int stem = suffix != NULL && suffix != name ? (int) (suffix - name) : (int) strlen (name);
  g_autofree char *hidden
    = g_strdup_printf (".%.*s-%d-XXXXXX%s", MIN (stem, 120), name, (int) getpid (),
                       name[stem] != '\0' ? name + stem : "");

  return g_build_filename (folder, hidden, NULL);
}

UrbOutputFile *
urb_output_file_new (const char *path, GError **error)
{
  g_autoptr(UrbOutputFile) self = g_new0 (UrbOutputFile, 1);
  int fd;

  self->path = g_strdup (path);
  self->folder = g_path_get_dirname (path);
  self->temporary = make_temporary_name (path);
  fd = g_mkstemp_full (self->temporary, O_RDWR | O_CLOEXEC, 0666);
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
  /* By its name: another writer may have put a new file there. */
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
