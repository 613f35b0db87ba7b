/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-mpi.c - ranks that are processes, on one host or several, connected by MPI.
 *
 * Nothing blocks inside MPI: operations are started (mpi-operation.c), and a thread that waits for
 * one advances all of its communicator's, rests when nothing advances, and listens for messages
 * about other ranks (mpi-world.c).  So more ranks than cores work.
 *
 * A rank that frees its communicator announces with how many operations it took part: a rank that
 * waits for more of them knows that they will not come.
 */
#include "parallel/mpi-private.h"

#include <string.h>

enum { LISTEN_EVERY = 32 }; /* unsuccessful polls */

/* A message: how many operations a rank has started; pair messages: with the receiver. */
typedef struct
{
  gint64 n_collectives, n_sends, n_receives;
} Tally;

/* Outlives the communicator, since it must learn that the others leave. */
typedef struct
{
  UrbMpiPlace    place;
  UrbMpiWork     works[URB_COMM_MAX_UNDER_WAY];
  UrbMpiRequest *under_way[URB_COMM_MAX_UNDER_WAY]; /* in starting order */
  int            n_under_way;
  Tally         *mine;   /* owned; (n_ranks) */
  Tally         *theirs; /* owned; (n_ranks), of ranks that have left */
  gboolean      *gone;   /* owned; (n_ranks) */
} Link;

typedef struct
{
  UrbComm base;
  Link   *link; /* borrowed from the world */
} MpiComm;

static UrbComm *new_from (MPI_Comm parent, int rank, UrbRoster *roster, GError **error);

/* ------------------------------------------------------------------------ */
/* Links, all under the lock                                                 */

static UrbMpiWork *
link_get_work (Link *self, int slot)
{
  gsize n = (gsize) self->place.n_ranks;
  UrbMpiWork *work = &self->works[slot];

  if (work->pending == NULL)
    {
      work->pending = g_new (UrbMpiPending, 6 * n);
      work->whats = g_new (UrbCollective, n);
    }
  work->n_pending = 0;
  return work;
}

static void
link_number (Link *self, UrbMpiRequest *request)
{
  UrbCollective *what = &request->base.what;
  Tally *mine = &self->mine[what->peer];
  gboolean sends = what->kind == URB_COLLECTIVE_SEND;

  if (sends || what->kind == URB_COLLECTIVE_RECV)
    {
      request->number = sends ? mine->n_sends++ : mine->n_receives++;
      request->tag = URB_MPI_TAG_DATA_PAIR + (int) (request->number % URB_MPI_N_TAGS);
    }
  else
    {
      request->number = self->mine[0].n_collectives;
      for (int r = 0; r < self->place.n_ranks; r++)
        self->mine[r].n_collectives++;
      request->tag = URB_MPI_TAG_DATA + (int) (request->number % URB_MPI_N_TAGS);
    }
}

static void
link_forget (Link *self, UrbMpiRequest *request)
{
  if (request->stage != URB_MPI_STAGE_DONE)
    urb_mpi_request_drain (request);
  for (int i = 0; i < self->n_under_way; i++)
    if (self->under_way[i] == request)
      {
        self->n_under_way--;
        memmove (&self->under_way[i], &self->under_way[i + 1],
                 (gsize) (self->n_under_way - i) * sizeof *self->under_way);
        return;
      }
}

static void
link_progress (Link *self, gboolean *moved)
{
  for (int i = 0; i < self->n_under_way; i++)
    {
      GError *error = NULL;
      if (!urb_mpi_request_progress (self->under_way[i], &self->place, moved, &error))
        {
          urb_mpi_fail (error);
          return;
        }
    }
}

/* Whether @request waits for an operation that @rank did not start before it left. */
static gboolean
waits_forever (Link *self, UrbMpiRequest *request, int rank)
{
  const Tally *theirs = &self->theirs[rank];
  const UrbCollective *what = &request->base.what;

  if (request->stage == URB_MPI_STAGE_DONE)
    return FALSE;
  if (what->kind == URB_COLLECTIVE_SEND)
    return what->peer == rank && request->number >= theirs->n_receives;
  if (what->kind == URB_COLLECTIVE_RECV)
    return what->peer == rank && request->number >= theirs->n_sends;
  return request->number >= theirs->n_collectives;
}

/* -1: not of this group */
static int
find_rank (const UrbMpiPlace *place, int number)
{
  for (int r = 0; r < place->n_ranks; r++)
    if (urb_roster_get_number (&place->roster, r) == number)
      return r;
  return -1;
}

static void
link_hear_leaving (Link *self)
{
  MPI_Status status;
  int there = 0;

  while (MPI_Iprobe (MPI_ANY_SOURCE, URB_MPI_TAG_LEFT, self->place.comm, &there, &status)
           == MPI_SUCCESS && there)
    {
      int rank = find_rank (&self->place, status.MPI_SOURCE);
      if (rank < 0
          || MPI_Recv (&self->theirs[rank], sizeof *self->theirs, MPI_BYTE, status.MPI_SOURCE,
                       URB_MPI_TAG_LEFT, self->place.comm, &status) != MPI_SUCCESS)
        return;
      self->gone[rank] = TRUE;
    }
}

static void
link_check_gone (Link *self)
{
  for (int i = 0; i < self->n_under_way; i++)
    for (int r = 0; r < self->place.n_ranks; r++)
      if (self->gone[r] && waits_forever (self, self->under_way[i], r))
        {
          const UrbRoster *roster = &self->place.roster;
          g_autofree char *text = urb_roster_describe (roster, &self->under_way[i]->base.what);
          urb_mpi_fail (g_error_new (URB_COMM_ERROR, URB_COMM_ERROR_ABORTED,
                                     "Rank %d has left while rank %d is in %s",
                                     urb_roster_get_number (roster, r),
                                     urb_roster_get_number (roster, self->place.rank), text));
          return;
        }
}

static void
link_leave (Link *self)
{
  for (int r = 0; r < self->place.n_ranks; r++)
    {
      MPI_Request request;
      if (r != self->place.rank
          && MPI_Isend (&self->mine[r], sizeof *self->mine, MPI_BYTE,
                        urb_roster_get_number (&self->place.roster, r), URB_MPI_TAG_LEFT,
                        self->place.comm, &request) == MPI_SUCCESS)
        MPI_Request_free (&request); /* the tally stays in memory */
    }
}

/* At exit: whether all other ranks have left. */
static gboolean
link_farewell (gpointer link)
{
  Link *self = link;

  link_hear_leaving (self);
  for (int r = 0; r < self->place.n_ranks; r++)
    if (r != self->place.rank && !self->gone[r])
      return FALSE;
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* The table                                                                 */

static gboolean
mpi_start (UrbComm *comm, UrbRequest *base, GError **error)
{
  Link *link = ((MpiComm *) comm)->link;
  UrbMpiRequest *request = (UrbMpiRequest *) base;
  GError *failure = NULL;
  gboolean ok;

  urb_mpi_lock ();
  ok = urb_mpi_check (error);
  if (ok)
    {
      request->work = link_get_work (link, urb_comm_get_slot (comm, base));
      link_number (link, request);
      link->under_way[link->n_under_way++] = request;
      ok = urb_mpi_request_start (request, &link->place, &failure);
      if (!ok)
        {
          urb_mpi_fail (failure);
          link_forget (link, request);
          urb_mpi_check (error);
        }
    }
  urb_mpi_unlock ();
  return ok;
}

/* Polls everything once. */
static void
poll_all (Link *link, gboolean listen, gboolean *moved)
{
  if (listen)
    {
      urb_mpi_listen ();
      link_hear_leaving (link);
    }
  if (urb_mpi_check (NULL))
    link_progress (link, moved);
  if (listen && urb_mpi_check (NULL))
    link_check_gone (link);
}

static gboolean
mpi_wait (UrbComm *comm, UrbRequest *base, GError **error)
{
  Link *link = ((MpiComm *) comm)->link;
  UrbMpiRequest *request = (UrbMpiRequest *) base;

  for (guint n_idle = 0;; n_idle++)
    {
      gboolean moved = FALSE, done, failed;

      urb_mpi_lock ();
      poll_all (link, n_idle % LISTEN_EVERY == LISTEN_EVERY - 1, &moved);
      done = request->stage == URB_MPI_STAGE_DONE;
      failed = !done && !urb_mpi_check (error);
      if (done || failed)
        link_forget (link, request);
      urb_mpi_unlock ();
      if (done || failed)
        return done;
      if (moved)
        n_idle = 0;
      urb_mpi_rest (n_idle);
    }
}

/* Groups share a duplicate of MPI's communicator: MPI_Comm_split() would block, also if a rank is gone. */
static UrbComm *
mpi_split (UrbComm *comm, const UrbSplit *how, GError **error)
{
  g_auto(UrbRoster) roster = { 0 };
  int rank;

  if (!urb_comm_find_group (comm, how, &rank, &roster, error))
    return NULL;
  return new_from (((MpiComm *) comm)->link->place.comm, rank, &roster, error);
}

static void
mpi_abort (UrbComm *comm, const char *why)
{
  urb_mpi_lock ();
  urb_mpi_fail (g_error_new (URB_COMM_ERROR, URB_COMM_ERROR_ABORTED, "Rank %d gave up: %s",
                             urb_roster_get_number (&comm->roster, comm->rank), why));
  urb_mpi_unlock ();
}

static gboolean
mpi_check (UrbComm *comm, GError **error)
{
  gboolean ok;

  urb_mpi_lock ();
  urb_mpi_listen ();
  ok = urb_mpi_check (error);
  urb_mpi_unlock ();
  return ok;
}

static void
mpi_free (UrbComm *comm)
{
  Link *link = ((MpiComm *) comm)->link;

  urb_mpi_lock ();
  for (int i = link->n_under_way - 1; i >= 0; i--)
    {
      UrbMpiRequest *request = link->under_way[i];
      if (request->stage != URB_MPI_STAGE_DONE)
        {
          g_autofree char *text = urb_roster_describe (&comm->roster, &request->base.what);
          urb_mpi_fail (g_error_new (URB_COMM_ERROR, URB_COMM_ERROR_ABORTED,
                                     "Rank %d has left in the middle of %s",
                                     urb_roster_get_number (&comm->roster, comm->rank), text));
        }
      link_forget (link, request);
    }
  /* News of a failure take another way, and must arrive before "has left". */
  if (urb_mpi_check (NULL))
    link_leave (link);
  urb_mpi_part ();
  urb_mpi_unlock ();
}

static const UrbCommOps mpi_ops = {
  .name = "mpi",
  .request_size = sizeof (UrbMpiRequest),
  .start = mpi_start,
  .wait = mpi_wait,
  .split = mpi_split,
  .abort = mpi_abort,
  .check = mpi_check,
  .free = mpi_free,
};

/* ------------------------------------------------------------------------ */
/* The beginning                                                             */

/* Blocks until all ranks of @parent are here, or one gave up. */
static gboolean
dup_comm (MPI_Comm parent, MPI_Comm *made, GError **error)
{
  MPI_Request request;
  gboolean failed;
  int code, there = 0;

  urb_mpi_lock ();
  failed = !urb_mpi_check (error);
  code = failed ? MPI_SUCCESS : MPI_Comm_idup (parent, made, &request);
  urb_mpi_unlock ();
  for (guint n_idle = 0; !failed && !there && code == MPI_SUCCESS; n_idle++)
    {
      urb_mpi_rest (n_idle);
      urb_mpi_lock ();
      urb_mpi_listen ();
      code = MPI_Test (&request, &there, MPI_STATUS_IGNORE);
      failed = !there && !urb_mpi_check (error);
      urb_mpi_unlock ();
    }
  if (code != MPI_SUCCESS)
    {
      urb_mpi_lock ();
      urb_mpi_fail (urb_mpi_new_error (code, "making a communicator"));
      urb_mpi_check (error);
      urb_mpi_unlock ();
    }
  return there && code == MPI_SUCCESS;
}

/* Takes the contents of @roster. */
static UrbComm *
new_from (MPI_Comm parent, int rank, UrbRoster *roster, GError **error)
{
  MpiComm *self;
  MPI_Comm made;
  int n_ranks = roster->n_ranks;

  if (!dup_comm (parent, &made, error))
    return NULL;
  self = g_new0 (MpiComm, 1);
  urb_mpi_lock ();
  self->link = g_new0 (Link, 1);
  self->link->place = (UrbMpiPlace) { .comm = made, .rank = rank, .n_ranks = n_ranks };
  urb_roster_copy (&self->link->place.roster, roster);
  self->link->mine = g_new0 (Tally, (gsize) n_ranks);
  self->link->theirs = g_new0 (Tally, (gsize) n_ranks);
  self->link->gone = g_new0 (gboolean, (gsize) n_ranks);
  urb_mpi_add (self->link, link_farewell);
  urb_mpi_unlock ();
  urb_comm_init (&self->base, &mpi_ops, rank, roster);
  return &self->base;
}

gboolean
urb_comm_has_mpi (void)
{
  return TRUE;
}

UrbComm *
urb_comm_new_mpi (GError **error)
{
  UrbRoster roster = { .n_ranks = 1 };
  int rank = 0;

  if (!urb_mpi_world_start (error))
    return NULL;
  urb_mpi_lock ();
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &roster.n_ranks);
  urb_mpi_unlock ();
  return new_from (MPI_COMM_WORLD, rank, &roster, error);
}
