/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm.c - common to all communicators: checks requests, keeps track of those under way, and passes
 * them to the transport.
 */
#include "parallel/comm-private.h"

#include <string.h>

G_DEFINE_QUARK (urb-comm-error-quark, urb_comm_error)

/* ------------------------------------------------------------------------ */
/* Descriptions                                                              */

gboolean
urb_collective_has_root (UrbCollectiveKind kind)
{
  return kind == URB_COLLECTIVE_BROADCAST || kind == URB_COLLECTIVE_SCATTER
         || kind == URB_COLLECTIVE_GATHER || kind == URB_COLLECTIVE_REDUCE;
}

char *
urb_collective_describe (const UrbCollective *what)
{
  UrbCollectiveKind kind = what->kind;
  gboolean outward = kind == URB_COLLECTIVE_GATHER || kind == URB_COLLECTIVE_REDUCE
                     || kind == URB_COLLECTIVE_SEND;
  GString *text;

  /* Other ranks' descriptions are not trusted. */
  if ((guint) kind >= URB_N_COLLECTIVES || (guint) what->element >= URB_N_ELEMENTS)
    return g_strdup ("an unknown operation");
  text = g_string_new (urb_collective_get_name (kind));
  if (kind != URB_COLLECTIVE_BARRIER)
    g_string_append_printf (text, " of %" G_GINT64_FORMAT " %s", what->count,
                            urb_element_get_name (what->element, what->count));
  if (urb_collective_has_root (kind) || urb_collective_is_message (kind))
    g_string_append_printf (text, " %s rank %d", outward ? "to" : "from", what->peer);
  return g_string_free (text, FALSE);
}

gboolean
urb_collective_equal (const UrbCollective *a, const UrbCollective *b)
{
  if (a->kind != b->kind)
    return FALSE;
  if (a->kind == URB_COLLECTIVE_BARRIER)
    return TRUE;
  return a->element == b->element && a->count == b->count
         && (!urb_collective_has_root (a->kind) || a->peer == b->peer);
}

/* ------------------------------------------------------------------------ */
/* Rosters                                                                   */

void
urb_roster_copy (UrbRoster *self, const UrbRoster *from)
{
  *self = (UrbRoster) { from->n_ranks, g_memdup2 (from->numbers, (gsize) from->n_ranks * sizeof (int)),
                        g_strdup (from->name) };
}

void
urb_roster_clear (UrbRoster *self)
{
  g_clear_pointer (&self->numbers, g_free);
  g_clear_pointer (&self->name, g_free);
}

int
urb_roster_get_number (const UrbRoster *self, int rank)
{
  return self->numbers != NULL && rank >= 0 && rank < self->n_ranks ? self->numbers[rank] : rank;
}

char *
urb_roster_describe (const UrbRoster *self, const UrbCollective *what)
{
  UrbCollective named = *what;
  g_autofree char *text = NULL;

  named.peer = urb_roster_get_number (self, what->peer);
  text = urb_collective_describe (&named);
  return self->name == NULL ? g_steal_pointer (&text)
                            : g_strdup_printf ("%s among its %s group", text, self->name);
}

void
urb_roster_set_mismatch (const UrbRoster *self, GError **error, int rank_a, const UrbCollective *a,
                         int rank_b, const UrbCollective *b)
{
  g_autofree char *text_a = urb_roster_describe (self, a);
  g_autofree char *text_b = urb_roster_describe (self, b);

  g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_MISMATCH,
               "The ranks do different things: rank %d is in %s while rank %d is in %s",
               urb_roster_get_number (self, rank_a), text_a, urb_roster_get_number (self, rank_b), text_b);
}

/* ------------------------------------------------------------------------ */
/* What may be asked for                                                     */

static gboolean
set_invalid (GError **error, const UrbCollective *what, const char *why)
{
  g_autofree char *text = urb_collective_describe (what);

  g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_INVALID, "There is no %s: %s", text, why);
  return FALSE;
}

static gboolean
check_request (UrbComm *self, const UrbCollective *what, const void *in, void *out, GError **error)
{
  gboolean wants_peer;

  if ((guint) what->kind >= URB_N_COLLECTIVES || (guint) what->element >= URB_N_ELEMENTS)
    {
      g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_INVALID,
                   "There is no collective %d of element %d", (int) what->kind,
                   (int) what->element);
      return FALSE;
    }
  wants_peer = urb_collective_has_root (what->kind) || urb_collective_is_message (what->kind);
  if (what->count < 0)
    return set_invalid (error, what, "its count is negative");
  if (what->count > G_MAXINT64 / 8 / self->n_ranks)
    return set_invalid (error, what, "its count is too large");
  if ((what->kind == URB_COLLECTIVE_REDUCE || what->kind == URB_COLLECTIVE_ALL_REDUCE
       || what->kind == URB_COLLECTIVE_REDUCE_SCATTER)
      && what->element == URB_ELEMENT_U8)
    return set_invalid (error, what, "bytes cannot be summed");
  if (wants_peer && (what->peer < 0 || what->peer >= self->n_ranks))
    return set_invalid (error, what, "no such rank");
  if (urb_collective_is_message (what->kind) && what->peer == self->rank)
    return set_invalid (error, what, "a rank cannot send itself a message");
  if (what->count > 0 && in == NULL && urb_collective_count_in (what, self->rank, self->n_ranks) > 0)
    return set_invalid (error, what, "this rank has no input buffer");
  if (what->count > 0 && out == NULL && urb_collective_count_out (what, self->rank, self->n_ranks) > 0)
    return set_invalid (error, what, "this rank has no output buffer");
  return TRUE;
}

int
urb_collective_count_in (const UrbCollective *what, int rank, int n_ranks)
{
  switch (what->kind)
    {
    case URB_COLLECTIVE_BARRIER:
    case URB_COLLECTIVE_RECV:
      return 0;
    case URB_COLLECTIVE_BROADCAST:
      return what->peer == rank;
    case URB_COLLECTIVE_SCATTER:
      return what->peer == rank ? n_ranks : 0;
    case URB_COLLECTIVE_REDUCE_SCATTER:
      return n_ranks;
    default:
      return 1;
    }
}

int
urb_collective_count_out (const UrbCollective *what, int rank, int n_ranks)
{
  switch (what->kind)
    {
    case URB_COLLECTIVE_BARRIER:
    case URB_COLLECTIVE_SEND:
      return 0;
    case URB_COLLECTIVE_REDUCE:
      return what->peer == rank;
    case URB_COLLECTIVE_GATHER:
      return what->peer == rank ? n_ranks : 0;
    case URB_COLLECTIVE_ALL_GATHER:
      return n_ranks;
    default:
      return 1;
    }
}

/* ------------------------------------------------------------------------ */
/* Running                                                                   */

void
urb_comm_init (UrbComm *self, const UrbCommOps *ops, int rank, UrbRoster *roster)
{
  self->ops = ops;
  self->rank = rank;
  self->n_ranks = roster->n_ranks;
  self->roster = *roster;
  *roster = (UrbRoster) { 0 };
  self->requests = g_malloc0 (URB_COMM_MAX_UNDER_WAY * ops->request_size);
}

void
urb_comm_free (UrbComm *self)
{
  if (self == NULL)
    return;
  self->ops->free (self);
  urb_roster_clear (&self->roster);
  g_free (self->requests);
  g_free (self);
}

const char *
urb_comm_get_name (UrbComm *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->ops->name;
}

int
urb_comm_get_rank (UrbComm *self)
{
  g_return_val_if_fail (self != NULL, -1);
  return self->rank;
}

int
urb_comm_get_n_ranks (UrbComm *self)
{
  g_return_val_if_fail (self != NULL, 0);
  return self->n_ranks;
}

/* Where a rank goes, as it tells the others. */
typedef struct
{
  int color, key;
} Place;

typedef struct
{
  int key, rank;
} Seat;

static int
compare_seats (gconstpointer a, gconstpointer b)
{
  const Seat *x = a, *y = b;

  return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->rank - y->rank;
}

/* The ranks of @color in their order.  (element-type Seat) (transfer full) */
static GArray *
list_members (const Place *places, int n_ranks, int color)
{
  GArray *members = g_array_new (FALSE, FALSE, sizeof (Seat));

  for (int r = 0; r < n_ranks; r++)
    if (places[r].color == color)
      {
        Seat seat = { places[r].key, r };

        g_array_append_val (members, seat);
      }
  g_array_sort (members, compare_seats);
  return members;
}

gboolean
urb_comm_find_group (UrbComm *self, const UrbSplit *how, int *rank, UrbRoster *roster, GError **error)
{
  UrbCollective what = { URB_COLLECTIVE_ALL_GATHER, URB_ELEMENT_U8, sizeof (Place), 0 };
  Place own = { how->color, how->key };
  g_autofree Place *places = g_new (Place, self->n_ranks);
  g_autoptr(GArray) list = NULL;

  for (int r = 0; r < self->n_ranks; r++)
    places[r] = (Place) { how->color, 0 };
  if (how->name != NULL && !urb_comm_run (self, &what, &own, places, error))
    return FALSE;
  list = list_members (places, self->n_ranks, how->color);
  *roster = (UrbRoster) { (int) list->len, g_new (int, list->len),
                          g_strdup (how->name != NULL ? how->name : self->roster.name) };
  for (guint i = 0; i < list->len; i++)
    {
      int member = g_array_index (list, Seat, i).rank;

      roster->numbers[i] = urb_roster_get_number (&self->roster, member);
      if (member == self->rank)
        *rank = (int) i;
    }
  return TRUE;
}

UrbComm *
urb_comm_dup (UrbComm *self, GError **error)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->ops->split (self, &(UrbSplit) { .name = NULL }, error);
}

UrbComm *
urb_comm_split (UrbComm *self, const char *name, int color, int key, GError **error)
{
  g_return_val_if_fail (self != NULL && name != NULL, NULL);
  return self->ops->split (self, &(UrbSplit) { name, color, key }, error);
}

UrbRequest *
urb_comm_start (UrbComm *self, const UrbCollective *what, const void *in, void *out, GError **error)
{
  UrbRequest *request;
  int slot;

  g_return_val_if_fail (self != NULL && what != NULL, NULL);
  if (!check_request (self, what, in, out, error))
    return NULL;
  if (self->under_way == G_MAXUINT64)
    {
      set_invalid (error, what, "64 operations are under way; wait for one first");
      return NULL;
    }
  slot = __builtin_ctzll (~self->under_way);
  request = (UrbRequest *) (self->requests + (gsize) slot * self->ops->request_size);
  memset (request, 0, self->ops->request_size);
  request->what = *what;
  request->in = in;
  request->out = out;
  if (!self->ops->start (self, request, error))
    return NULL;
  self->under_way |= G_GUINT64_CONSTANT (1) << slot;
  return request;
}

int
urb_comm_get_slot (UrbComm *self, const UrbRequest *request)
{
  return (int) ((gsize) ((const char *) request - self->requests) / self->ops->request_size);
}

gboolean
urb_comm_wait (UrbComm *self, UrbRequest *request, GError **error)
{
  int slot;
  gboolean ok;

  g_return_val_if_fail (self != NULL && request != NULL, FALSE);
  slot = urb_comm_get_slot (self, request);
  g_return_val_if_fail (slot >= 0 && slot < URB_COMM_MAX_UNDER_WAY && (self->under_way >> slot & 1),
                        FALSE);
  ok = self->ops->wait (self, request, error);
  self->under_way &= ~(G_GUINT64_CONSTANT (1) << slot);
  return ok;
}

gboolean
urb_comm_run (UrbComm *self, const UrbCollective *what, const void *in, void *out, GError **error)
{
  UrbRequest *request = urb_comm_start (self, what, in, out, error);

  return request != NULL && urb_comm_wait (self, request, error);
}

void
urb_comm_abort (UrbComm *self, const char *why)
{
  g_return_if_fail (self != NULL);
  self->ops->abort (self, why != NULL ? why : "no reason was given");
}

gboolean
urb_comm_check (UrbComm *self, GError **error)
{
  return self->ops->check (self, error);
}

static void
abort_transport (gpointer self, const char *why)
{
  urb_comm_abort (self, why);
}

static gboolean
run_transport (gpointer self, const UrbCollective *what, guint axes, const void *in, void *out, GError **error)
{
  g_assert (axes == 0); /* groups: mesh-comm.h */
  return urb_comm_run (self, what, in, out, error);
}

UrbTransport
urb_comm_get_transport (UrbComm *self)
{
  UrbTransport transport = { .self = self, .rank = self->rank, .n_ranks = self->n_ranks,
                             .run = run_transport, .abort = abort_transport };

  return transport;
}
