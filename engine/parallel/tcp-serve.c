/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp-serve.c - see tcp-private.h: does what another rank orders in one communicator.
 *
 * What comes is not trusted: memory for the input grows as the input arrives.  Memory for the output is reserved
 * at once, but no operation writes it before all of its ranks described the same one.
 */
#include "parallel/tcp-private.h"

#include <unistd.h>

enum { PIECE_BYTES = 1 << 20 };

typedef struct
{
  UrbRequest *request; /* NULL: it could not start */
  GError     *error;   /* owned */
  gsize       n_out;
  char       *in, *out; /* owned, reused */
  gsize       in_bytes, out_bytes; /* of that memory */
} Slot;

typedef struct
{
  UrbTcpHub *hub;  /* borrowed */
  UrbComm   *comm; /* borrowed */
  int        fd;
  Slot       slots[URB_COMM_MAX_UNDER_WAY];
} Service;

/* Keeps the contents. */
static gboolean
reserve (char **memory, gsize *size, gsize n_bytes)
{
  char *grown = n_bytes > *size ? g_try_realloc (*memory, n_bytes) : *memory;

  if (n_bytes <= *size)
    return TRUE;
  if (grown == NULL)
    return FALSE;
  *memory = grown;
  *size = n_bytes;
  return TRUE;
}

static gboolean
set_short_of_memory (Service *self)
{
  urb_comm_abort (self->comm, "rank 0 has not enough memory for its data");
  return FALSE;
}

static gboolean
receive_input (Service *self, Slot *slot, gsize n_bytes)
{
  for (gsize done = 0, n; done < n_bytes; done += n)
    {
      n = MIN (n_bytes - done, MAX (done, PIECE_BYTES));
      if (!reserve (&slot->in, &slot->in_bytes, done + n))
        return set_short_of_memory (self);
      if (!urb_tcp_receive (self->fd, slot->in + done, n))
        return FALSE;
    }
  return TRUE;
}

/* The data are read before comm.c checks the description. */
static gboolean
is_plausible (const Service *self, const UrbTcpOrder *order)
{
  gint64 installed = (gint64) sysconf (_SC_PHYS_PAGES) * sysconf (_SC_PAGESIZE);

  return order->slot >= 0 && order->slot < URB_COMM_MAX_UNDER_WAY && self->slots[order->slot].request == NULL
         && order->kind >= 0 && order->kind < URB_N_COLLECTIVES && order->element >= 0
         && order->element < URB_N_ELEMENTS && order->count >= 0
         && order->count <= installed / (gint64) urb_element_get_size ((UrbElement) order->element)
                              / self->comm->n_ranks;
}

/* This and the next two: FALSE: the rank cannot be served any more */
static gboolean
start (Service *self, const UrbTcpOrder *order)
{
  const UrbCollective what = { (UrbCollectiveKind) order->kind, (UrbElement) order->element, order->count,
                               order->peer };
  int rank = self->comm->rank, n_ranks = self->comm->n_ranks;
  Slot *slot;

  if (!is_plausible (self, order))
    return FALSE;
  slot = &self->slots[order->slot];
  slot->n_out = urb_tcp_count_bytes (&what, urb_collective_count_out (&what, rank, n_ranks));
  if (!receive_input (self, slot, urb_tcp_count_bytes (&what, urb_collective_count_in (&what, rank, n_ranks))))
    return FALSE;
  if (!reserve (&slot->out, &slot->out_bytes, slot->n_out))
    return set_short_of_memory (self);
  g_clear_error (&slot->error);
  slot->request = urb_comm_start (self->comm, &what, slot->in, slot->out, &slot->error);
  return TRUE;
}

static gboolean
await (Service *self, const UrbTcpOrder *order)
{
  Slot *slot = order->slot >= 0 && order->slot < URB_COMM_MAX_UNDER_WAY ? &self->slots[order->slot] : NULL;
  gboolean ok;

  if (slot == NULL || (slot->request == NULL && slot->error == NULL))
    return FALSE;
  ok = slot->request != NULL && urb_comm_wait (self->comm, slot->request, &slot->error);
  slot->request = NULL;
  return urb_tcp_send_news (self->fd, ok ? NULL : slot->error)
         && (!ok || urb_tcp_send (self->fd, slot->out, slot->n_out));
}

static gboolean
split (Service *self, const UrbTcpOrder *order)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *name = order->is_dup ? NULL : g_strndup (order->name, sizeof order->name - 1);
  UrbComm *made = self->comm->ops->split (self->comm, &(UrbSplit) { name, order->color, order->key }, &error);
  UrbTcpGroup group = { 0 };
  g_autofree gint32 *numbers = NULL;

  if (made == NULL)
    return urb_tcp_send_news (self->fd, error);
  group = (UrbTcpGroup) { .rank = made->rank, .n_ranks = made->n_ranks, .has_name = made->roster.name != NULL };
  g_strlcpy (group.name, made->roster.name != NULL ? made->roster.name : "", sizeof group.name);
  numbers = g_new (gint32, (gsize) made->n_ranks);
  for (int r = 0; r < made->n_ranks; r++)
    numbers[r] = urb_roster_get_number (&made->roster, r);
  group.ticket = urb_tcp_hub_add_ticket (self->hub, made);
  return group.ticket != 0 && urb_tcp_send_news (self->fd, NULL) && urb_tcp_send (self->fd, &group, sizeof group)
         && urb_tcp_send (self->fd, numbers, (gsize) group.n_ranks * sizeof *numbers);
}

static gboolean
obey (Service *self, const UrbTcpOrder *order)
{
  switch (order->verb)
    {
    case URB_TCP_START:
      return start (self, order);
    case URB_TCP_WAIT:
      return await (self, order);
    case URB_TCP_SPLIT:
      return split (self, order);
    default:
      return FALSE;
    }
}

void
urb_tcp_serve (UrbTcpHub *hub, UrbComm *comm, int fd)
{
  Service self = { .hub = hub, .comm = comm, .fd = fd };
  UrbTcpOrder order;
  gboolean has_left = FALSE;

  while (!has_left && urb_tcp_receive (fd, &order, sizeof order))
    {
      has_left = order.verb == URB_TCP_LEAVE;
      if (!has_left && !obey (&self, &order))
        break;
    }
  urb_tcp_hub_leave (hub, comm, !has_left);
  urb_comm_free (comm);
  for (int i = 0; i < URB_COMM_MAX_UNDER_WAY; i++)
    {
      g_free (self.slots[i].in);
      g_free (self.slots[i].out);
      g_clear_error (&self.slots[i].error);
    }
}

gint64
urb_tcp_count_served (const UrbProgram *program, const UrbMesh *mesh, int rank)
{
  gsize in[URB_ALL_AXES + 1] = { 0 }, out[URB_ALL_AXES + 1] = { 0 }; /* of each communicator */
  gint64 sum = 0;

  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = &g_array_index (program->instructions, UrbInstruction, i);
      const UrbCollective *what = &instruction->collective;
      guint axes = instruction->axes;
      int n_ranks, place;

      if (instruction->kind != URB_DO_COLLECTIVE)
        continue;
      n_ranks = urb_mesh_count (mesh, urb_axes_of_group (axes));
      place = urb_mesh_get_index (mesh, rank, urb_axes_of_group (axes));
      in[axes] = MAX (in[axes], urb_tcp_count_bytes (what, urb_collective_count_in (what, place, n_ranks)));
      out[axes] = MAX (out[axes], urb_tcp_count_bytes (what, urb_collective_count_out (what, place, n_ranks)));
    }
  for (guint axes = 0; axes <= URB_ALL_AXES; axes++)
    sum += (gint64) (in[axes] + out[axes]);
  return sum;
}
