/* SPDX-License-Identifier: Apache-2.0 */
/* device-comm.c - see device-comm.h. */
#include "device-comm.h"

#include "parallel/comm-private.h"

enum { ARENA_BYTES = 68 << 20, ALIGN = 256 };

typedef struct
{
  UrbComm    base;
  UrbComm   *inner;   /* owned */
  UkBackend *backend; /* borrowed */
  /* Allocated once for all requests: while a GPU waits for others, no allocation is possible. */
  char      *arena;   /* owned */
  gsize      used;
  int        n_under_way;
} DeviceComm;

typedef struct
{
  UrbRequest  base;
  UrbRequest *inner;
  void       *in, *out; /* in the arena; the same buffer if in place */
  gsize       n_in, n_out;
} DeviceRequest;

static void *
take (DeviceComm *self, gsize n_bytes)
{
  char *memory = self->arena + self->used;

  self->used += (n_bytes + ALIGN) / ALIGN * ALIGN;
  g_assert_cmpuint (self->used, <=, ARENA_BYTES);
  return memory;
}

static void
end (DeviceComm *self)
{
  if (--self->n_under_way == 0)
    self->used = 0;
}

static gboolean
device_start (UrbComm *comm, UrbRequest *base, GError **error)
{
  DeviceComm *self = (DeviceComm *) comm;
  DeviceRequest *request = (DeviceRequest *) base;
  const UkBackendTable *table = self->backend->table;
  gsize part = (gsize) base->what.count * urb_element_get_size (base->what.element);

  request->n_in = part * (gsize) urb_collective_count_in (&base->what, comm->rank, comm->n_ranks);
  request->n_out = part * (gsize) urb_collective_count_out (&base->what, comm->rank, comm->n_ranks);
  self->n_under_way++;
  request->out = take (self, MAX (request->n_in, request->n_out));
  request->in = base->in == base->out ? request->out : take (self, request->n_in);
  if (request->n_in > 0)
    g_assert_cmpint (table->write_async (self->backend, request->in, base->in, request->n_in), ==,
                     UK_OK);
  request->inner = urb_comm_start (self->inner, &base->what, request->in, request->out, error);
  if (request->inner == NULL)
    end (self);
  return request->inner != NULL;
}

static gboolean
device_wait (UrbComm *comm, UrbRequest *base, GError **error)
{
  DeviceComm *self = (DeviceComm *) comm;
  DeviceRequest *request = (DeviceRequest *) base;
  gboolean ok = urb_comm_wait (self->inner, request->inner, error);

  if (ok && request->n_out > 0)
    g_assert_cmpint (self->backend->table->read_async (self->backend, base->out, request->out,
                                                        request->n_out), ==, UK_OK);
  end (self);
  return ok;
}

static UrbComm *
device_split (UrbComm *comm, const UrbSplit *how, GError **error)
{
  DeviceComm *self = (DeviceComm *) comm;
  UrbComm *inner = self->inner->ops->split (self->inner, how, error);

  return inner != NULL ? device_comm_new (inner, self->backend) : NULL;
}

static void
device_abort (UrbComm *comm, const char *why)
{
  urb_comm_abort (((DeviceComm *) comm)->inner, why);
}

static gboolean
device_check (UrbComm *comm, GError **error)
{
  return urb_comm_check (((DeviceComm *) comm)->inner, error);
}

static void
device_free (UrbComm *comm)
{
  DeviceComm *self = (DeviceComm *) comm;

  urb_comm_free (self->inner);
  self->backend->table->free (self->backend, self->arena, ARENA_BYTES);
}

static const UrbCommOps ops = {
  .name = "device",
  .request_size = sizeof (DeviceRequest),
  .start = device_start,
  .wait = device_wait,
  .split = device_split,
  .abort = device_abort,
  .check = device_check,
  .free = device_free,
};

UrbComm *
device_comm_new (UrbComm *inner, UkBackend *backend)
{
  DeviceComm *self = g_new0 (DeviceComm, 1);
  UrbRoster roster;

  urb_roster_copy (&roster, &inner->roster);
  urb_comm_init (&self->base, &ops, inner->rank, &roster);
  self->inner = inner;
  self->backend = backend;
  self->arena = backend->table->alloc (backend, ARENA_BYTES);
  g_assert_nonnull (self->arena);
  g_assert_cmpint (backend->table->sync (backend), ==, UK_OK);
  return &self->base;
}
