/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace-ranks.c - see trace-ranks.h.
 *
 * Clocks of several machines begin anywhere.  Each timeline begins when its rank
 * has left a barrier that all left at the same time, as far as one can tell.
 * Asynchronous ranks have no barrier, but are on one machine: theirs begin when
 * its clock did.
 */
#include "train/trace-ranks.h"

#include <string.h>

#include "train/trainer-private.h"

/* What a rank tells before its events. */
typedef struct
{
  gint64         n_bytes; /* of its events */
  UrbTraceTotals totals;
} Header;

/* @was_held: (out): a checkpoint is under way, and is who lets them go on */
static gboolean
hold_crew (UrbTrainer *trainer, gboolean *was_held, GError **error)
{
  *was_held = trainer->async->held;
  if (urb_async_hold (trainer->async, NULL))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
               "There is no timeline: the other ranks were busy for too long.");
  return FALSE;
}

static void
release_crew (UrbTrainer *trainer, gboolean was_held)
{
  if (!was_held)
    urb_async_release (trainer->async);
}

gboolean
urb_trace_start_rank (UrbComm *comm, UrbTrainer *trainer, UrbTrace **trace, GError **error)
{
  UrbCollective barrier = { .kind = URB_COLLECTIVE_BARRIER };
  gboolean was_held = FALSE;

  if (comm != NULL && !urb_comm_run (comm, &barrier, NULL, NULL, error))
    return FALSE;
  if (trainer->crew != NULL && !hold_crew (trainer, &was_held, error))
    return FALSE;
  urb_trace_free (*trace);
  *trace = urb_trace_new (trainer->place.rank,
                          trainer->async != NULL ? 0 : g_get_monotonic_time ());
  urb_trainer_set_trace (trainer, *trace);
  if (trainer->crew != NULL)
    {
      urb_crew_start_trace (trainer->crew);
      release_crew (trainer, was_held);
    }
  return TRUE;
}

/* Rank 0 gets the others' events, one after the other. */
static gboolean
gather_events (UrbComm *comm, const Header *headers, const char *own, GString *all, GError **error)
{
  int rank = urb_comm_get_rank (comm);
  UrbCollective what = { URB_COLLECTIVE_SEND, URB_ELEMENT_U8, headers[rank].n_bytes, 0 };

  if (rank > 0)
    return urb_comm_run (comm, &what, own, NULL, error);
  for (int r = 1; r < urb_comm_get_n_ranks (comm); r++)
    {
      g_autofree char *events = g_malloc0 ((gsize) headers[r].n_bytes + 1);

      what = (UrbCollective) { URB_COLLECTIVE_RECV, URB_ELEMENT_U8, headers[r].n_bytes, r };
      if (!urb_comm_run (comm, &what, NULL, events, error))
        return FALSE;
      g_string_append_printf (all, ",\n%s", events);
    }
  return TRUE;
}

/* Ranks that take turns: all steps of theirs are different ones. */
static gboolean
end_crew (UrbTrainer *trainer, UrbTrace *own, GString *events, UrbTraceSummary *summary,
          GError **error)
{
  UrbTraceTotals sum = *urb_trace_get_totals (own);
  gboolean was_held;

  if (!hold_crew (trainer, &was_held, error))
    return FALSE;
  urb_crew_end_trace (trainer->crew, events, &sum);
  release_crew (trainer, was_held);
  urb_trace_totals_summarize (&sum, sum.n_steps, summary);
  return TRUE;
}

gboolean
urb_trace_end_rank (UrbComm *comm, UrbTrainer *trainer, UrbTrace **trace, GString *events,
                    UrbTraceSummary *summary, GError **error)
{
  int n_ranks = comm != NULL ? urb_comm_get_n_ranks (comm) : 1;
  g_autofree Header *headers = g_new0 (Header, n_ranks);
  g_autoptr(UrbTrace) own = g_steal_pointer (trace);
  const char *text = urb_trace_get_events (own);
  Header header = { (gint64) strlen (text), *urb_trace_get_totals (own) };
  UrbCollective what = { URB_COLLECTIVE_ALL_GATHER, URB_ELEMENT_U8, sizeof header, 0 };
  UrbTraceTotals sum = { 0 };

  urb_trainer_set_trace (trainer, NULL);
  headers[0] = header;
  if (events != NULL)
    g_string_append (events, text);
  if (trainer->crew != NULL)
    return end_crew (trainer, own, events, summary, error);
  if (comm != NULL && (!urb_comm_run (comm, &what, &header, headers, error)
                       || !gather_events (comm, headers, text, events, error)))
    return FALSE;
  for (int r = 0; r < n_ranks; r++)
    urb_trace_totals_add (&sum, &headers[r].totals);
  if (summary != NULL)
    urb_trace_totals_summarize (&sum, header.totals.n_steps, summary);
  return TRUE;
}
