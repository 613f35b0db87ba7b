/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-watched.c - see comm-watched.h.
 *
 * Operations of all ranks are numbered here, and messages between each two, so that operations with the
 * same number can be compared afterwards.
 */
#include "parallel/comm-watched.h"

#include <stdatomic.h>

#include "parallel/comm-private.h"

typedef struct
{
  UrbComm     base;
  UrbComm    *inner; /* owned */
  UrbBoard   *board; /* borrowed */
  int         group, n_splits;
  gint64      n_all;     /* started so far */
  gint64     *n_messages; /* owned; (2, n_ranks): sent to each, received from each */
  _Atomic int fault; /* UrbFault */
} Watched;

typedef struct
{
  UrbRequest  base;
  UrbRequest *inner; /* NULL: skipped */
  guint64     ticket;
} WatchedRequest;

/* On the board. */
static int
get_number (UrbComm *self)
{
  return urb_roster_get_number (&self->roster, self->rank);
}

static gboolean
take_fault (Watched *self, const UrbCollective *what, UrbFault *fault, GError **error)
{
  int rank = get_number (&self->base);

  *fault = URB_FAULT_NONE;
  if (what->count < 2 || what->element == URB_ELEMENT_U8) /* bytes are commands between steps */
    return TRUE;
  *fault = (UrbFault) atomic_exchange (&self->fault, URB_FAULT_NONE);
  return *fault != URB_FAULT_NONE
         || urb_fault_strike (self->board, rank, urb_board_get_step (self->board, rank),
                              URB_FAULTS_OF_PROCESS | URB_FAULTS_OF_CALL | URB_FAULTS_OF_COLLECTIVE,
                              fault, error);
}

static gint64
take_number (Watched *self, const UrbCollective *what)
{
  int at = what->kind == URB_COLLECTIVE_RECV ? self->base.n_ranks + what->peer : what->peer;

  return urb_collective_is_message (what->kind) ? ++self->n_messages[at] : ++self->n_all;
}

static gboolean
watched_start (UrbComm *comm, UrbRequest *base, GError **error)
{
  Watched *self = (Watched *) comm;
  WatchedRequest *request = (WatchedRequest *) base;
  UrbCollective what = base->what, shown;
  UrbFault fault;

  if (!take_fault (self, &what, &fault, error))
    return FALSE;
  if (fault == URB_FAULT_SKIP)
    return TRUE;
  what.count -= fault == URB_FAULT_COUNT;
  shown = what;
  shown.peer = urb_roster_get_number (&comm->roster, what.peer);
  request->ticket = urb_board_begin_collective (self->board, get_number (comm), self->group,
                                                take_number (self, &what), &shown);
  request->inner = urb_comm_start (self->inner, &what, base->in, base->out, error);
  return request->inner != NULL;
}

/* A failed operation stays unfinished on the board, to show where the rank was. */
static gboolean
watched_wait (UrbComm *comm, UrbRequest *base, GError **error)
{
  Watched *self = (Watched *) comm;
  WatchedRequest *request = (WatchedRequest *) base;

  if (request->inner == NULL)
    return TRUE;
  if (!urb_comm_wait (self->inner, request->inner, error))
    return FALSE;
  urb_board_end_collective (self->board, get_number (comm), request->ticket);
  return TRUE;
}

static UrbComm *
watched_split (UrbComm *comm, const UrbSplit *how, GError **error)
{
  Watched *self = (Watched *) comm;
  UrbComm *inner = self->inner->ops->split (self->inner, how, error);

  if (inner == NULL)
    return NULL;
  return urb_comm_new_watched (inner, self->board, self->group + ++self->n_splits);
}

static void
watched_abort (UrbComm *comm, const char *why)
{
  urb_comm_abort (((Watched *) comm)->inner, why);
}

static gboolean
watched_check (UrbComm *comm, GError **error)
{
  return urb_comm_check (((Watched *) comm)->inner, error);
}

static void
watched_free (UrbComm *comm)
{
  Watched *self = (Watched *) comm;

  urb_comm_free (self->inner);
  g_free (self->n_messages);
}

static const UrbCommOps ops = {
  .name = "watched",
  .request_size = sizeof (WatchedRequest),
  .start = watched_start,
  .wait = watched_wait,
  .split = watched_split,
  .abort = watched_abort,
  .check = watched_check,
  .free = watched_free,
};

/* The lowest number of its ranks, by which the board tells groups of one name apart. */
static int
find_least (UrbComm *self)
{
  int least = get_number (self);

  for (int r = 0; r < self->n_ranks; r++)
    least = MIN (least, urb_roster_get_number (&self->roster, r));
  return least;
}

UrbComm *
urb_comm_new_watched (UrbComm *inner, UrbBoard *board, int group)
{
  Watched *self = g_new0 (Watched, 1);
  UrbRoster roster;

  urb_roster_copy (&roster, &inner->roster);
  urb_comm_init (&self->base, &ops, inner->rank, &roster);
  self->inner = inner;
  self->board = board;
  self->group = group;
  self->n_messages = g_new0 (gint64, 2 * (gsize) inner->n_ranks);
  if (inner->roster.name != NULL)
    urb_board_set_group (board, get_number (&self->base), group, inner->roster.name,
                         find_least (&self->base));
  return &self->base;
}

void
urb_comm_watched_inject (UrbComm *self, UrbFault fault)
{
  g_return_if_fail (self->ops == &ops);
  atomic_store (&((Watched *) self)->fault, (int) fault);
}
