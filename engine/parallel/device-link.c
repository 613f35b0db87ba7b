/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device-link.c - see device-link.h.
 *
 * Exchanges run concurrently with the device's computation: the thread of the communication stream
 * does them while the other thread starts or captures kernels.
 */
#include "parallel/device-link.h"

#include "parallel/comm-private.h"
#include "parallel/comm-watched.h"

/* On the status board, distinct from communicators of the host. */
enum { DIRECT_GROUP = URB_BOARD_MAX_GROUPS / 2 };

/* Host memory that grows to the largest part. */
typedef struct
{
  void *bytes; /* (nullable) owned */
  gsize size;
} Room;

struct _UrbDeviceLink
{
  UrbMeshComm *host;  /* borrowed */
  UkBackend *backend; /* borrowed */
  UrbMeshComm direct; /* between GPUs; direct.all: (nullable) owned */
  Room       in, out; /* of the host, for exchanges through it */
};

UrbDeviceLink *
urb_device_link_new (UrbMeshComm *host, UkBackend *backend)
{
  UrbDeviceLink *self;

  g_return_val_if_fail (backend->table->read_async != NULL, NULL);
  self = g_new0 (UrbDeviceLink, 1);
  self->host = host;
  self->backend = backend;
  return self;
}

static void
room_clear (UrbDeviceLink *self, Room *room)
{
  if (room->bytes != NULL)
    self->backend->table->unpin (self->backend, room->bytes);
  g_clear_pointer (&room->bytes, g_free);
}

void
urb_device_link_free (UrbDeviceLink *self)
{
  if (self == NULL)
    return;
  urb_mesh_comm_clear (&self->direct);
  urb_comm_free (self->direct.all);
  room_clear (self, &self->in);
  room_clear (self, &self->out);
  g_free (self);
}

gboolean
urb_device_link_connect (UrbDeviceLink *self, const UrbMesh *mesh, UrbBoard *board, gboolean must,
                         GError **error)
{
  g_autoptr(GError) cause = NULL;

  if (urb_comm_get_n_ranks (self->host->all) == 1 && !must)
    return TRUE;
  self->direct.all = urb_comm_new_nccl (self->host->all, self->backend, &cause);
  if (self->direct.all != NULL && board != NULL)
    self->direct.all = urb_comm_new_watched (self->direct.all, board, DIRECT_GROUP);
  if (self->direct.all != NULL)
    return urb_mesh_comm_connect (&self->direct, mesh, error);
  if (!must && g_error_matches (cause, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE))
    {
      g_debug ("Through the host: %s", cause->message);
      return TRUE;
    }
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

gboolean
urb_device_link_is_direct (UrbDeviceLink *self)
{
  return self->direct.all != NULL;
}

/* If the memory cannot be pinned, copies are slower. */
static void *
room_get (UrbDeviceLink *self, Room *room, gsize n_bytes)
{
  if (n_bytes > room->size)
    {
      room_clear (self, room);
      room->bytes = g_malloc (n_bytes);
      room->size = n_bytes;
      self->backend->table->pin (self->backend, room->bytes, n_bytes);
    }
  return room->bytes;
}

static gboolean
check (UrbDeviceLink *self, UkStatus status, GError **error)
{
  if (status == UK_OK)
    return TRUE;
  g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_TRANSPORT,
               "Data of an exchange could not be copied to or from the GPU: %s",
               self->backend->table->explain (self->backend));
  return FALSE;
}

static gboolean
run_through_host (UrbDeviceLink *self, const UrbCollective *what, UrbComm *comm, const void *in, void *out,
                  GError **error)
{
  const UkBackendTable *table = self->backend->table;
  int rank = urb_comm_get_rank (comm), n_ranks = urb_comm_get_n_ranks (comm);
  gsize size = urb_element_get_size (what->element) * (gsize) what->count;
  gsize n_in = size * (gsize) urb_collective_count_in (what, rank, n_ranks);
  gsize n_out = size * (gsize) urb_collective_count_out (what, rank, n_ranks);
  void *in_room = room_get (self, &self->in, n_in), *out_room = NULL;

  if (n_in > 0 && !check (self, table->read_async (self->backend, in_room, in, n_in), error))
    return FALSE;
  out_room = room_get (self, &self->out, n_out);
  return urb_comm_run (comm, what, n_in > 0 ? in_room : NULL, n_out > 0 ? out_room : NULL,
                       error)
         && (n_out == 0
             || check (self, table->write_async (self->backend, out, out_room, n_out), error));
}

gboolean
urb_device_link_run (UrbDeviceLink *self, const UrbCollective *what, guint axes, const void *in, void *out,
                     GError **error)
{
  return self->direct.all != NULL
           ? urb_comm_run (urb_mesh_comm_get (&self->direct, axes), what, in, out, error)
           : run_through_host (self, what, urb_mesh_comm_get (self->host, axes), in, out, error);
}

static gboolean
run_transport (gpointer self, const UrbCollective *what, guint axes, const void *in, void *out, GError **error)
{
  return urb_device_link_run (self, what, axes, in, out, error);
}

static void
abort_transport (gpointer data, const char *why)
{
  UrbDeviceLink *self = data;

  urb_comm_abort (self->host->all, why);
}

UrbTransport
urb_device_link_get_transport (UrbDeviceLink *self)
{
  return (UrbTransport) { .self = self, .rank = urb_comm_get_rank (self->host->all),
                          .n_ranks = urb_comm_get_n_ranks (self->host->all),
                          .run = run_transport, .abort = abort_transport };
}
