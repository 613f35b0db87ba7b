/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storage.c - see storage.h.
 *
 * The file is read and written through the page cache, which takes memory only while nobody else needs
 * it.  Its blocks are allocated in advance, so that a full disk is found before the first step.
 */
#include "train/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "settings/run-config.h"
#include "train/device.h"

struct _UrbStorage
{
  UkBackend *backend; /* borrowed */
  char      *folder;  /* (nullable) owned; NULL: in the host's memory */
  int        fd;      /* of the file; -1: none */
  char      *memory;  /* (nullable) owned; of the host */
  void      *room;    /* (nullable) owned; of the host, between file and device; grows to the largest part */
  gsize      room_size;
};

/* ------------------------------------------------------------------------ */
/* Memory of the host that a device copies from and to                       */

static void *
allocate (UrbStorage *self, gsize n_bytes)
{
  void *memory = calloc (1, MAX (n_bytes, 1));

  if (memory != NULL && self->backend->table->pin != NULL)
    self->backend->table->pin (self->backend, memory, n_bytes); /* on failure copies are just slower */
  return memory;
}

static void
release (UrbStorage *self, void *memory)
{
  if (memory != NULL && self->backend->table->pin != NULL)
    self->backend->table->unpin (self->backend, memory);
  free (memory);
}

/* ------------------------------------------------------------------------ */
/* Opening                                                                   */

static gboolean
fail_open (const UrbStorage *self, gint64 n_bytes, int reason, GError **error)
{
  g_autofree char *size = g_format_size_full ((guint64) n_bytes, G_FORMAT_SIZE_IEC_UNITS);

  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY,
               "Moments and averages need a file of %s, which cannot be made in the folder %s: %s.  Choose "
               "another folder with --offload.", size, self->folder, g_strerror (reason));
  return FALSE;
}

/* File systems without nameless files get one whose name is removed at once. */
static int
open_nameless (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, ".urbarium-offload-XXXXXX", NULL);
  int fd = open (folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
    {
      fd = mkostemp (path, O_CLOEXEC);
      if (fd >= 0)
        unlink (path);
    }
  return fd;
}

static gboolean
open_file (UrbStorage *self, gint64 n_bytes, GError **error)
{
  int reason;

  self->fd = open_nameless (self->folder);
  if (self->fd < 0)
    return fail_open (self, n_bytes, errno, error);
  do
    reason = posix_fallocate (self->fd, 0, (off_t) MAX (n_bytes, 1));
  while (reason == EINTR);
  return reason == 0 || fail_open (self, n_bytes, reason, error);
}

static gboolean
open_memory (UrbStorage *self, gint64 n_bytes, GError **error)
{
  g_autofree char *size = g_format_size_full ((guint64) n_bytes, G_FORMAT_SIZE_IEC_UNITS);

  self->memory = allocate (self, (gsize) n_bytes);
  if (self->memory != NULL)
    return TRUE;
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY,
               "The host has no %s of memory for moments and averages; name a folder for --offload.", size);
  return FALSE;
}

UrbStorage *
urb_storage_new (const char *place, gint64 n_bytes, UkBackend *backend, GError **error)
{
  g_autoptr(UrbStorage) self = g_new0 (UrbStorage, 1);
  gboolean in_memory = strcmp (place, URB_OFFLOAD_HOST) == 0;

  self->backend = backend;
  self->fd = -1;
  self->folder = in_memory ? NULL : g_strdup (place);
  if (!(in_memory ? open_memory : open_file) (self, n_bytes, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
urb_storage_free (UrbStorage *self)
{
  if (self == NULL)
    return;
  if (self->fd >= 0)
    close (self->fd);
  release (self, self->memory);
  release (self, self->room);
  g_free (self->folder);
  g_free (self);
}

/* ------------------------------------------------------------------------ */
/* Host memory                                                               */

static gboolean
fail_file (const UrbStorage *self, const char *what, int reason, GError **error)
{
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DEVICE,
               "The file of moments and averages in %s cannot be %s: %s.  Choose another folder with "
               "--offload.", self->folder, what, reason != 0 ? g_strerror (reason) : "it was shortened");
  return FALSE;
}

gboolean
urb_storage_read (UrbStorage *self, gint64 at, void *to, gsize n_bytes, GError **error)
{
  if (self->memory != NULL)
    memcpy (to, self->memory + at, n_bytes);
  for (gsize done = 0; self->memory == NULL && done < n_bytes;)
    {
      ssize_t n = pread (self->fd, (char *) to + done, n_bytes - done, (off_t) at + (off_t) done);

      if (n <= 0 && !(n < 0 && errno == EINTR))
        return fail_file (self, "read", n < 0 ? errno : 0, error);
      done += (gsize) MAX (n, 0);
    }
  return TRUE;
}

gboolean
urb_storage_write (UrbStorage *self, gint64 at, const void *from, gsize n_bytes, GError **error)
{
  if (self->memory != NULL)
    memcpy (self->memory + at, from, n_bytes);
  for (gsize done = 0; self->memory == NULL && done < n_bytes;)
    {
      ssize_t n = pwrite (self->fd, (const char *) from + done, n_bytes - done, (off_t) at + (off_t) done);

      if (n < 0 && errno != EINTR)
        return fail_file (self, "written", errno, error);
      done += (gsize) MAX (n, 0);
    }
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Device memory                                                             */

/* The host's memory that has, or gets, what is at position @at. */
static void *
get_room (UrbStorage *self, gint64 at, gsize n_bytes, GError **error)
{
  if (self->memory != NULL)
    return self->memory + at;
  if (self->room_size < n_bytes)
    {
      release (self, self->room);
      self->room = allocate (self, n_bytes);
      self->room_size = self->room != NULL ? n_bytes : 0;
    }
  if (self->room == NULL)
    urb_device_check (UK_NO_MEMORY, error);
  return self->room;
}

static gboolean
receive (UrbStorage *self, gint64 at, void *to, gsize n_bytes, GError **error)
{
  const UkBackendTable *table = self->backend->table;
  void *room;

  if (table->is_host)
    return urb_storage_read (self, at, to, n_bytes, error);
  room = get_room (self, at, n_bytes, error);
  return room != NULL && (self->memory != NULL || urb_storage_read (self, at, room, n_bytes, error))
         && urb_device_check (table->write_async (self->backend, to, room, n_bytes), error);
}

static gboolean
send (UrbStorage *self, gint64 at, const void *from, gsize n_bytes, GError **error)
{
  const UkBackendTable *table = self->backend->table;
  void *room;

  if (table->is_host)
    return urb_storage_write (self, at, from, n_bytes, error);
  room = get_room (self, at, n_bytes, error);
  return room != NULL && urb_device_check (table->read_async (self->backend, room, from, n_bytes), error)
         && (self->memory != NULL || urb_storage_write (self, at, room, n_bytes, error));
}

static gboolean
run (gpointer data, const UrbCollective *what, guint axes, const void *in, void *out, GError **error)
{
  UrbStorage *self = data;
  gsize n_bytes = (gsize) what->count * urb_element_get_size (what->element);

  if (what->kind == URB_COLLECTIVE_SEND)
    return send (self, (gint64) GPOINTER_TO_SIZE (out), in, n_bytes, error);
  g_assert (what->kind == URB_COLLECTIVE_RECV);
  return receive (self, (gint64) GPOINTER_TO_SIZE (in), out, n_bytes, error);
}

UrbTransport
urb_storage_get_transport (UrbStorage *self)
{
  return (UrbTransport) { .self = self, .n_ranks = 1, .run = run };
}
