/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpi-operation.c - one operation as messages between pairs of ranks.
 *
 * MPI's own collectives neither guarantee an order of additions nor detect that ranks do different
 * operations; they hang, or mix up data.  Here every rank first announces its operation to all
 * others. Short data are sent along; long ones, which MPI reads from the sender's memory whenever
 * the receiver is ready, wait until all agree: a failure must leave none of them under way, since
 * the buffers are then freed.  Sums are computed in the order of ranks, and 16-bit numbers are rounded once,
 * so that results equal those of threads bit for bit.
 *
 * Large sums take two stages (Rabenseifner's reduction, with direct messages instead of halving):
 * rank r receives the r-th chunk of all ranks and adds them, then distributes the sum.  Every rank
 * sends and receives 2 (n - 1) / n of the array, which is the minimum.  Small ones are sent to
 * every rank that needs the sum, in one stage.  A large broadcast is scattered by the root, then
 * exchanged.
 *
 * Data are sent in segments, one after the other, which limits the memory for terms, and keeps
 * every message far below MPI's limit of INT_MAX.
 */
#include "parallel/mpi-private.h"

#include <string.h>

enum
{
  SEGMENT_BYTES = 4 * 1024 * 1024,
  EAGER_BYTES = 2 * 1024, /* every MPI buffers messages of this size itself */
  SMALL_BYTES = 8 * 1024, /* up to here the number of messages matters, not their length */
  N_LOOKS = 1000
};

/* ------------------------------------------------------------------------ */
/* Messages                                                                  */

typedef struct
{
  UrbMpiRequest     *request;
  const UrbMpiPlace *place;
  gint64             size; /* of an element, in bytes */
  int                code; /* of the first failed call */
} Poster;

static void
post (Poster *self, gboolean receives, void *x, gint64 n_bytes, int peer, int tag, int what_of)
{
  UrbMpiWork *work = self->request->work;
  UrbMpiPending *pending = &work->pending[work->n_pending];
  int number = urb_roster_get_number (&self->place->roster, peer), code;

  if (n_bytes == 0 || self->code != MPI_SUCCESS)
    return;
  *pending = (UrbMpiPending) { .receives = receives, .what_of = what_of };
  if (receives)
    code = MPI_Irecv (x, (int) n_bytes, MPI_BYTE, number, tag, self->place->comm, &pending->handle);
  else
    code = MPI_Isend (x, (int) n_bytes, MPI_BYTE, number, tag, self->place->comm, &pending->handle);
  self->code = code;
  if (code == MPI_SUCCESS)
    work->n_pending++;
}

/* Elements [@begin, @end) of @x. */
static void
send (Poster *self, const void *x, gint64 begin, gint64 end, int peer)
{
  post (self, FALSE, (char *) x + begin * self->size, (end - begin) * self->size, peer,
        self->request->tag, -1);
}

static void
receive (Poster *self, void *x, gint64 begin, gint64 end, int peer)
{
  post (self, TRUE, (char *) x + begin * self->size, (end - begin) * self->size, peer,
        self->request->tag, -1);
}

static void
copy (Poster *self, void *to, gint64 at, const void *from, gint64 begin, gint64 n)
{
  char *a = (char *) to + at * self->size;
  const char *b = (const char *) from + begin * self->size;

  if (a != b && n > 0)
    memcpy (a, b, (gsize) (n * self->size));
}

static void
exchange_descriptions (Poster *self)
{
  UrbMpiWork *work = self->request->work;
  UrbCollectiveKind kind = self->request->base.what.kind;
  int peer = self->request->base.what.peer;

  if (kind == URB_COLLECTIVE_SEND)
    post (self, FALSE, &work->what, sizeof work->what, peer, URB_MPI_TAG_MESSAGE, -1);
  else if (kind == URB_COLLECTIVE_RECV)
    post (self, TRUE, &work->whats[peer], sizeof work->what, peer, URB_MPI_TAG_MESSAGE, peer);
  else
    for (int r = 0; r < self->place->n_ranks; r++)
      if (r != self->place->rank)
        {
          post (self, TRUE, &work->whats[r], sizeof work->what, r,
                URB_MPI_TAG_COLLECTIVE, r);
          post (self, FALSE, &work->what, sizeof work->what, r, URB_MPI_TAG_COLLECTIVE, -1);
        }
}

/* ------------------------------------------------------------------------ */
/* The two stages of a segment                                               */

/* The first element of chunk @chunk of the segment. */
static gint64
chunk_at (Poster *self, int chunk)
{
  UrbMpiRequest *request = self->request;

  return request->begin + (request->end - request->begin) * chunk / self->place->n_ranks;
}

static gboolean
is_small (Poster *self)
{
  return (self->request->end - self->request->begin) * self->size <= SMALL_BYTES
         || self->place->n_ranks == 1;
}

/* Memory for @n elements of each rank. */
static char *
scratch (Poster *self, gint64 n)
{
  UrbMpiWork *work = self->request->work;
  gsize n_bytes = (gsize) (self->place->n_ranks * n * self->size);

  if (work->scratch_bytes < n_bytes)
    {
      g_free (work->scratch);
      work->scratch = g_malloc (n_bytes);
      work->scratch_bytes = n_bytes;
    }
  return work->scratch;
}

/* Receives @n elements to add from all other ranks. */
static void
receive_terms (Poster *self, gint64 n)
{
  char *terms = scratch (self, n);

  for (int r = 0; r < self->place->n_ranks; r++)
    if (r != self->place->rank)
      receive (self, terms, r * n, (r + 1) * n, r);
}

/* Adds the received terms and @mine, in the order of ranks, into @out. */
static void
add_terms (Poster *self, const void *mine, gint64 begin, gint64 n, void *out, gint64 at)
{
  int n_ranks = self->place->n_ranks;
  const void **in = g_newa (const void *, (gsize) n_ranks);
  char *terms = scratch (self, n);

  for (int r = 0; r < n_ranks; r++)
    in[r] = terms + r * n * self->size;
  in[self->place->rank] = (const char *) mine + begin * self->size;
  urb_element_sum (self->request->base.what.element, in, n_ranks, (char *) out + at * self->size,
                   n);
}

static void
broadcast_inputs (Poster *self)
{
  UrbRequest *base = &self->request->base;
  gint64 begin = self->request->begin, end = self->request->end;
  int n_ranks = self->place->n_ranks, me = self->place->rank, root = base->what.peer;
  gboolean whole = is_small (self) || n_ranks == 2;

  if (me == root)
    copy (self, base->out, begin, base->in, begin, end - begin);
  for (int r = 0; r < n_ranks; r++)
    if (r != root && me == root)
      {
        send (self, base->in, whole ? begin : chunk_at (self, r),
              whole ? end : chunk_at (self, r + 1), r);
        if (!whole)
          send (self, base->in, chunk_at (self, root), chunk_at (self, root + 1), r);
      }
    else if (r == me && me != root)
      {
        receive (self, base->out, whole ? begin : chunk_at (self, me),
                 whole ? end : chunk_at (self, me + 1), root);
        if (!whole)
          receive (self, base->out, chunk_at (self, root), chunk_at (self, root + 1), root);
      }
}

/* Every rank except the root distributes the chunk it got. */
static void
broadcast_results (Poster *self)
{
  UrbRequest *base = &self->request->base;
  int n_ranks = self->place->n_ranks, me = self->place->rank, root = base->what.peer;

  if (is_small (self) || n_ranks == 2 || me == root)
    return;
  for (int r = 0; r < n_ranks; r++)
    if (r != root && r != me)
      {
        send (self, base->out, chunk_at (self, me), chunk_at (self, me + 1), r);
        receive (self, base->out, chunk_at (self, r), chunk_at (self, r + 1), r);
      }
}

/* all-reduce, and reduce: all ranks need the sum, or only the root. */
static void
reduce_inputs (Poster *self)
{
  UrbRequest *base = &self->request->base;
  gint64 begin = self->request->begin, end = self->request->end;
  int n_ranks = self->place->n_ranks, me = self->place->rank;
  gboolean all = base->what.kind == URB_COLLECTIVE_ALL_REDUCE;

  if (!is_small (self))
    receive_terms (self, chunk_at (self, me + 1) - chunk_at (self, me));
  else if (all || me == base->what.peer)
    receive_terms (self, end - begin);
  for (int r = 0; r < n_ranks; r++)
    if (r != me && !is_small (self))
      send (self, base->in, chunk_at (self, r), chunk_at (self, r + 1), r);
    else if (r != me && (all || r == base->what.peer))
      send (self, base->in, begin, end, r);
}

static void
reduce_results (Poster *self)
{
  UrbRequest *base = &self->request->base;
  gint64 begin = self->request->begin, end = self->request->end;
  int n_ranks = self->place->n_ranks, me = self->place->rank, root = base->what.peer;
  gboolean all = base->what.kind == URB_COLLECTIVE_ALL_REDUCE, wants = all || me == root;
  gint64 first = chunk_at (self, me), n = chunk_at (self, me + 1) - first;
  char *sum = wants ? base->out : NULL;

  if (is_small (self))
    {
      if (wants)
        add_terms (self, base->in, begin, end - begin, base->out, begin);
      return;
    }
  if (wants)
    add_terms (self, base->in, first, n, sum, first);
  else
    {
      /* the position of this rank's own term, which is read from the input */
      sum = scratch (self, n) + (me * n - first) * self->size;
      add_terms (self, base->in, first, n, sum, first);
    }
  for (int r = 0; r < n_ranks; r++)
    if (r != me)
      {
        if (all || r == root)
          send (self, sum, first, first + n, r);
        if (wants)
          receive (self, base->out, chunk_at (self, r), chunk_at (self, r + 1), r);
      }
}

static void
post_inputs (Poster *self)
{
  UrbRequest *base = &self->request->base;
  gint64 begin = self->request->begin, end = self->request->end, count = base->what.count;
  int n_ranks = self->place->n_ranks, me = self->place->rank, peer = base->what.peer;

  switch (base->what.kind)
    {
    case URB_COLLECTIVE_BROADCAST:
      broadcast_inputs (self);
      break;
    case URB_COLLECTIVE_SCATTER:
      if (me != peer)
        receive (self, base->out, begin, end, peer);
      else
        for (int r = 0; r < n_ranks; r++)
          if (r != me)
            send (self, base->in, r * count + begin, r * count + end, r);
          else
            copy (self, base->out, begin, base->in, me * count + begin, end - begin);
      break;
    case URB_COLLECTIVE_GATHER:
      if (me != peer)
        send (self, base->in, begin, end, peer);
      else
        for (int r = 0; r < n_ranks; r++)
          if (r != me)
            receive (self, base->out, r * count + begin, r * count + end, r);
          else
            copy (self, base->out, me * count + begin, base->in, begin, end - begin);
      break;
    case URB_COLLECTIVE_ALL_GATHER:
      for (int r = 0; r < n_ranks; r++)
        if (r != me)
          {
            receive (self, base->out, r * count + begin, r * count + end, r);
            send (self, base->in, begin, end, r);
          }
        else
          copy (self, base->out, me * count + begin, base->in, begin, end - begin);
      break;
    case URB_COLLECTIVE_REDUCE:
    case URB_COLLECTIVE_ALL_REDUCE:
      reduce_inputs (self);
      break;
    case URB_COLLECTIVE_REDUCE_SCATTER:
      receive_terms (self, end - begin);
      for (int r = 0; r < n_ranks; r++)
        if (r != me)
          send (self, base->in, r * count + begin, r * count + end, r);
      break;
    case URB_COLLECTIVE_SEND:
      send (self, base->in, begin, end, peer);
      break;
    case URB_COLLECTIVE_RECV:
      receive (self, base->out, begin, end, peer);
      break;
    default:
      break; /* a barrier */
    }
}

/* All messages of the first stage are done, also those from buffers that are now written. */
static void
post_results (Poster *self)
{
  UrbRequest *base = &self->request->base;
  gint64 begin = self->request->begin, n = self->request->end - begin;

  switch (base->what.kind)
    {
    case URB_COLLECTIVE_BROADCAST:
      broadcast_results (self);
      break;
    case URB_COLLECTIVE_REDUCE:
    case URB_COLLECTIVE_ALL_REDUCE:
      reduce_results (self);
      break;
    case URB_COLLECTIVE_REDUCE_SCATTER:
      add_terms (self, base->in, self->place->rank * base->what.count + begin, n, base->out, begin);
      break;
    default:
      break;
    }
}

/* ------------------------------------------------------------------------ */
/* From one to the next                                                      */

static void
next_segment (Poster *self)
{
  UrbMpiRequest *request = self->request;
  UrbCollective *what = &request->base.what;
  gint64 length = SEGMENT_BYTES / self->size;

  if (what->kind == URB_COLLECTIVE_REDUCE_SCATTER)
    length = MAX (length / self->place->n_ranks, 1024);
  request->begin = request->end;
  request->end = MIN (request->begin + length, what->count);
  request->stage = URB_MPI_STAGE_INPUTS;
  post_inputs (self);
}

static gboolean
poster_finish (Poster *self, GError **error)
{
  g_autofree char *text = NULL;

  if (self->code == MPI_SUCCESS)
    return TRUE;
  text = urb_roster_describe (&self->place->roster, &self->request->base.what);
  g_propagate_error (error, urb_mpi_new_error (self->code, text));
  return FALSE;
}

gboolean
urb_mpi_request_start (UrbMpiRequest *self, const UrbMpiPlace *place, GError **error)
{
  UrbCollective *what = &self->base.what;
  Poster poster = { self, place, (gint64) urb_element_get_size (what->element), MPI_SUCCESS };

  if (what->kind == URB_COLLECTIVE_BARRIER)
    what->count = 0;
  self->work->what = *what;
  exchange_descriptions (&poster);
  if (what->count * poster.size <= EAGER_BYTES || what->kind == URB_COLLECTIVE_SEND)
    next_segment (&poster);
  return poster_finish (&poster, error);
}

static gboolean
check_description (UrbMpiRequest *self, const UrbMpiPlace *place, int rank, GError **error)
{
  const UrbCollective *theirs = &self->work->whats[rank];

  if (self->base.what.kind == URB_COLLECTIVE_RECV
        ? theirs->count == self->base.what.count && theirs->element == self->base.what.element
        : urb_collective_equal (&self->base.what, theirs))
    return TRUE;
  urb_roster_set_mismatch (&place->roster, error, place->rank, &self->base.what, rank, theirs);
  return FALSE;
}

/* Tests all messages, or descriptions only. */
static gboolean
test_pending (UrbMpiRequest *self, const UrbMpiPlace *place, gboolean only_descriptions,
              gboolean *moved, GError **error)
{
  UrbMpiWork *work = self->work;

  for (int i = 0; i < work->n_pending;)
    {
      UrbMpiPending *pending = &work->pending[i];
      int what_of = pending->what_of, there = 0, code;

      if (only_descriptions && what_of < 0)
        {
          i++;
          continue;
        }
      code = MPI_Test (&pending->handle, &there, MPI_STATUS_IGNORE);
      if (code == MPI_SUCCESS && !there)
        {
          i++;
          continue;
        }
      /* Keeps the order: descriptions are tested first. */
      work->n_pending--;
      memmove (pending, pending + 1, (gsize) (work->n_pending - i) * sizeof *pending);
      *moved = TRUE;
      if (code != MPI_SUCCESS)
        {
          /* Data of unexpected length: the description explains it, and has arrived. */
          for (int n = 0; !only_descriptions && n < N_LOOKS; n++)
            if (!test_pending (self, place, TRUE, moved, error))
              return FALSE;
          g_propagate_error (error, urb_mpi_new_error (code, "on a message"));
          return FALSE;
        }
      if (what_of >= 0 && !check_description (self, place, what_of, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
urb_mpi_request_progress (UrbMpiRequest *self, const UrbMpiPlace *place, gboolean *moved,
                          GError **error)
{
  UrbCollective *what = &self->base.what;
  Poster poster = { self, place, (gint64) urb_element_get_size (what->element), MPI_SUCCESS };

  while (self->stage != URB_MPI_STAGE_DONE)
    {
      if (!test_pending (self, place, FALSE, moved, error))
        return FALSE;
      if (self->work->n_pending > 0)
        return TRUE;
      *moved = TRUE;
      if (self->stage == URB_MPI_STAGE_DESCRIPTIONS)
        next_segment (&poster);
      else if (self->stage == URB_MPI_STAGE_INPUTS)
        {
          self->stage = URB_MPI_STAGE_RESULTS;
          post_results (&poster);
        }
      else if (self->end < what->count)
        next_segment (&poster);
      else
        self->stage = URB_MPI_STAGE_DONE;
      if (!poster_finish (&poster, error))
        return FALSE;
    }
  return TRUE;
}

/* Releases the messages that are done.  Returns whether any receive is not. */
static gboolean
reap (UrbMpiWork *work)
{
  gboolean receives = FALSE;

  for (int i = 0; i < work->n_pending;)
    {
      UrbMpiPending *pending = &work->pending[i];
      int there = 0;

      if (MPI_Test (&pending->handle, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS || there)
        *pending = work->pending[--work->n_pending];
      else
        {
          receives |= pending->receives;
          i++;
        }
    }
  return receives;
}

/* A receive that is matched cannot be cancelled: it ends when its sender continues, as it does in
 * its own drain; so do matched sends.  The others will never be read. */
void
urb_mpi_request_drain (UrbMpiRequest *self)
{
  UrbMpiWork *work = self->work;
  gint64 until = urb_mpi_get_drain_end ();
  gboolean receives;

  for (int i = 0; i < work->n_pending; i++)
    if (work->pending[i].receives)
      MPI_Cancel (&work->pending[i].handle);
  receives = reap (work);
  for (guint n_idle = 0; work->n_pending > 0 && g_get_monotonic_time () < until; n_idle++)
    {
      urb_mpi_rest (n_idle);
      receives = reap (work);
    }
  if (receives)
    urb_mpi_taint ();
  work->n_pending = 0;
}
