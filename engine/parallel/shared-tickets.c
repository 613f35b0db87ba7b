/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared-tickets.c - which worker may start a step, and what happens to the step of a dead worker.
 *
 * Exactly n_steps steps shall be done although a worker may be killed between any two lines, and a
 * lock would die with its holder.  So there is no counter of steps under way: each worker's own
 * entry says whether it is in one, and a worker that wants a step adds them up.  It first announces
 * that (WANTING) and then looks, so that of two workers that want the last step at least one sees
 * the other; the lower rank stays, the higher one steps back.
 *
 * This gives permission to start.  The step's number is a ticket in the entry of its worker, where
 * it stays, no longer held, if the step is lost.  A worker with permission searches for such a
 * ticket, its own first, before it takes a new number.  A lost ticket is released before its
 * permission is returned, so that there is a number for every permission.  A searching worker holds
 * no ticket, so one slot suffices.
 *
 * Guaranteed: n_steps steps are counted, each number once, and no step counts as both done and
 * lost.  A worker that is killed between two lines of take_ticket() takes a number with it; one
 * that is killed while it counts, in urb_shared_params_finish(), may leave a finished step
 * uncounted.  In both cases another step is done under the last number again.
 */
#include "parallel/shared-params-private.h"

#include <unistd.h>

/* How often a waiting worker polls; a step takes far longer. */
enum { POLL_US = 1000, YIELD_US = 50 };

/* Searches for a ticket, which must exist unless one was lost for good. */
enum { MAX_SEARCHES = 100 };

static gboolean
is_held (UrbSharedParams *self, int rank)
{
  guint64 hold = self->head->hold;

  return hold != 0 && hold != (guint64) rank + 1;
}

/* The clock of the slowest worker except @rank; @otherwise if there is no other. */
static guint64
find_slowest (UrbSharedParams *self, int rank, guint64 otherwise)
{
  guint64 slowest = G_MAXUINT64;

  for (int i = 0; i < self->n_workers; i++)
    if (i != rank && self->entries[i].pid != 0)
      slowest = MIN (slowest, self->entries[i].clock);
  return slowest == G_MAXUINT64 ? otherwise : slowest;
}

static guint64
get_lead (UrbSharedParams *self, int rank)
{
  guint64 clock = self->entries[rank].clock, slowest = find_slowest (self, rank, clock);

  return clock > slowest ? clock - slowest : 0;
}

/* A joining worker has no valid clock yet. */
static void
record_lead (UrbSharedParams *self, int rank)
{
  UrbSharedEntry *entry = &self->entries[rank];

  for (int i = 0; i < self->n_workers; i++)
    if (self->entries[i].state == URB_SHARED_JOINING)
      return;
  entry->max_lead = MAX (entry->max_lead, get_lead (self, rank));
}

/* ------------------------------------------------------------------------ */
/* Coming and going                                                          */

gboolean
urb_shared_params_join (UrbSharedParams *self, int rank, GError **error)
{
  UrbSharedEntry *entry;
  guint64 nobody = 0;

  g_return_val_if_fail (rank >= 0 && rank < self->n_workers, FALSE);
  entry = &self->entries[rank];
  if (entry->pid == 0)
    {
      entry->clock = find_slowest (self, rank, entry->clock);
      entry->state = URB_SHARED_JOINING;
    }
  if (!atomic_compare_exchange_strong (&entry->pid, &nobody, (guint64) getpid ()))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
                   "Worker %d exists already, as process %" G_GUINT64_FORMAT ".", rank, nobody);
      return FALSE;
    }
  /* The others may have moved on before they saw it. */
  entry->clock = MAX (entry->clock, find_slowest (self, rank, entry->clock));
  entry->state = URB_SHARED_RESTING;
  return TRUE;
}

gboolean
urb_shared_params_is_complete (UrbSharedParams *self)
{
  for (int i = 0; i < self->n_workers; i++)
    if (self->entries[i].pid == 0)
      return FALSE;
  return TRUE;
}

/* After its step is lost or done. */
static void
release_ticket (UrbSharedEntry *entry, gboolean is_lost)
{
  guint64 ticket = entry->ticket;

  if (ticket & URB_SHARED_HELD)
    entry->ticket = is_lost ? ticket & ~(guint64) URB_SHARED_HELD : 0;
}

static void
clear_entry (UrbSharedParams *self, int rank)
{
  UrbSharedEntry *entry = &self->entries[rank];

  release_ticket (entry, entry->state == URB_SHARED_BUSY);
  urb_shared_params_release (self, rank);
  for (int net = 0; net < URB_SHARED_N_NETS; net++)
    entry->publishing[net] = 0;
  entry->state = URB_SHARED_RESTING;
  entry->pid = 0; /* last: another worker may join now */
}

void
urb_shared_params_leave (UrbSharedParams *self, int rank)
{
  g_return_if_fail (rank >= 0 && rank < self->n_workers);
  urb_shared_params_give_up (self, rank);
  clear_entry (self, rank);
}

int
urb_shared_params_reap (UrbSharedParams *self, gint64 pid)
{
  int n_lost = 0;

  g_return_val_if_fail (pid > 0, 0);
  for (int rank = 0; rank < self->n_workers; rank++)
    {
      UrbSharedEntry *entry = &self->entries[rank];

      if (entry->importer == (guint64) pid)
        entry->importer = 0;
      if (entry->pid != (guint64) pid)
        continue;
      n_lost += entry->state == URB_SHARED_BUSY;
      clear_entry (self, rank);
    }
  self->head->lost += (guint64) n_lost;
  return n_lost;
}

/* ------------------------------------------------------------------------ */
/* Steps                                                                     */

typedef struct
{
  guint64 n_busy, n_lower, n_higher; /* the last two: WANTING, of lower and higher rank */
} Survey;

static Survey
survey (UrbSharedParams *self, int rank)
{
  Survey result = { 0 };

  for (int i = 0; i < self->n_workers; i++)
    {
      guint64 state = i == rank ? URB_SHARED_RESTING : self->entries[i].state;

      if (state == URB_SHARED_BUSY || state == URB_SHARED_ENDING)
        result.n_busy++;
      else if (state == URB_SHARED_WANTING)
        *(i < rank ? &result.n_lower : &result.n_higher) += 1;
    }
  return result;
}

/* TRUE: this worker may start a step. */
static gboolean
try_to_take (UrbSharedParams *self, int rank)
{
  UrbSharedEntry *entry = &self->entries[rank];
  UrbSharedHead *head = self->head;

  entry->state = URB_SHARED_WANTING;
  while (!is_held (self, rank) && !head->closed)
    {
      Survey others = survey (self, rank);
      /* Read after the survey: a step that ends in between is counted twice rather than never. */
      guint64 taken = head->done + others.n_busy + 1, n_steps = head->n_steps;

      if (taken + others.n_lower + others.n_higher <= n_steps)
        {
          entry->state = URB_SHARED_BUSY;
          return TRUE;
        }
      if (others.n_lower > 0 || others.n_higher == 0 || taken > n_steps)
        break;
      g_usleep (YIELD_US); /* the higher ones step back */
    }
  entry->state = URB_SHARED_RESTING;
  return FALSE;
}

/* Takes a lost ticket of @from; 0: none, or another worker was faster. */
static guint64
take_lost (UrbSharedEntry *from)
{
  guint64 ticket = from->ticket;

  return ticket != 0 && !(ticket & URB_SHARED_HELD)
           && atomic_compare_exchange_strong (&from->ticket, &ticket, 0) ? ticket : 0;
}

static guint64
take_new (UrbSharedHead *head)
{
  guint64 number = head->started;

  while (number < head->n_steps)
    if (atomic_compare_exchange_weak (&head->started, &number, number + 1))
      return (number + 1) << URB_SHARED_TICKET_SHIFT;
  return 0;
}

/* Call it with permission to start.  Others return and take tickets meanwhile, so that one may be
 * missed; it is found the next time. */
static guint64
take_ticket (UrbSharedParams *self, int rank)
{
  UrbSharedEntry *entry = &self->entries[rank];
  guint64 ticket = 0, last = self->head->n_steps - 1;

  for (int search = 0; ticket == 0 && search < MAX_SEARCHES; search++)
    {
      if (search > 0)
        g_usleep (YIELD_US);
      for (int i = 0; ticket == 0 && i < self->n_workers; i++)
        ticket = take_lost (&self->entries[(rank + i) % self->n_workers]);
      if (ticket == 0)
        ticket = take_new (self->head);
    }
  if (ticket == 0)
    return last; /* one was lost for good; this number is never returned */
  entry->ticket = ticket | URB_SHARED_HELD;
  return MIN ((ticket >> URB_SHARED_TICKET_SHIFT) - 1, last);
}

gint64
urb_shared_params_take (UrbSharedParams *self, int rank, int staleness)
{
  UrbSharedHead *head = self->head;

  g_return_val_if_fail (rank >= 0 && rank < self->n_workers, -1);
  urb_shared_params_rest (self, rank);
  while (!head->closed && head->done < head->n_steps && urb_shared_params_check_owner (self, NULL))
    {
      gboolean waits = is_held (self, rank)
                       || (staleness > 0 && get_lead (self, rank) >= (guint64) staleness);

      if (!waits && try_to_take (self, rank))
        return (gint64) take_ticket (self, rank);
      g_usleep (POLL_US);
    }
  return -1;
}

gint64
urb_shared_params_finish (UrbSharedParams *self, int rank)
{
  UrbSharedEntry *entry = &self->entries[rank];
  guint64 done;

  g_return_val_if_fail (entry->state == URB_SHARED_BUSY, -1);
  entry->state = URB_SHARED_ENDING; /* a kill from here on does not lose the step */
  done = atomic_fetch_add (&self->head->done, 1) + 1;
  release_ticket (entry, FALSE);
  entry->clock += 1;
  record_lead (self, rank);
  entry->state = URB_SHARED_REPORTING;
  return (gint64) done;
}

void
urb_shared_params_give_up (UrbSharedParams *self, int rank)
{
  UrbSharedEntry *entry = &self->entries[rank];

  if (entry->state == URB_SHARED_BUSY)
    {
      release_ticket (entry, TRUE);
      atomic_fetch_add (&self->head->lost, 1);
    }
  entry->state = URB_SHARED_RESTING;
}

void
urb_shared_params_rest (UrbSharedParams *self, int rank)
{
  UrbSharedEntry *entry = &self->entries[rank];

  if (entry->state == URB_SHARED_REPORTING)
    entry->state = URB_SHARED_RESTING;
}

/* ------------------------------------------------------------------------ */
/* Holding still                                                             */

static gboolean
is_other_busy (UrbSharedParams *self, int rank)
{
  for (int i = 0; i < self->n_workers; i++)
    if (i != rank && self->entries[i].state != URB_SHARED_RESTING
        && self->entries[i].state != URB_SHARED_JOINING)
      return TRUE;
  return FALSE;
}

gboolean
urb_shared_params_hold (UrbSharedParams *self, int rank, int timeout_s, GError **error)
{
  gint64 end = g_get_monotonic_time () + timeout_s * (gint64) G_USEC_PER_SEC;
  guint64 none = 0;

  if (!atomic_compare_exchange_strong (&self->head->hold, &none, (guint64) rank + 1)
      && none != (guint64) rank + 1)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
                   "Worker %d is saving already.", (int) none - 1);
      return FALSE;
    }
  while (is_other_busy (self, rank))
    {
      if (g_get_monotonic_time () > end)
        {
          urb_shared_params_release (self, rank);
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT,
                       "The other workers did not finish their steps within %d s.", timeout_s);
          return FALSE;
        }
      g_usleep (POLL_US);
    }
  return TRUE;
}

void
urb_shared_params_release (UrbSharedParams *self, int rank)
{
  guint64 own = (guint64) rank + 1;

  atomic_compare_exchange_strong (&self->head->hold, &own, 0);
}

/* ------------------------------------------------------------------------ */

gint64
urb_shared_params_get_n_done (UrbSharedParams *self)
{
  return (gint64) MIN (self->head->done, self->head->n_steps);
}

gint64
urb_shared_params_get_n_lost (UrbSharedParams *self)
{
  return (gint64) self->head->lost;
}
