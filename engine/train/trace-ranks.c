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

static gboolean
hold_crew (UrbTrainer *trainer, GError **error)
{
  if (urb_async_hold (trainer->async, NULL))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
               "There is no timeline: the other ranks were busy for too long.");
  return FALSE;
}

gboolean
urb_trace_start_rank (UrbComm *comm, UrbTrainer *trainer, UrbTrace **trace, GError **error)
{
  UrbCollective barrier = { .kind = URB_COLLECTIVE_BARRIER };

  if (comm != NULL && !urb_comm_run (comm, &barrier, NULL, NULL, error))
    return FALSE;
  if (trainer->crew != NULL && !hold_crew (trainer, error))
    return FALSE;
  urb_trace_free (*trace);
  *trace = urb_trace_new (trainer->place.rank,
                          trainer->async != NULL ? 0 : g_get_monotonic_time ());
  urb_trainer_set_trace (trainer, *trace);
  if (trainer->crew != NULL)
    {
      urb_crew_start_trace (trainer->crew);
      urb_async_release (trainer->async);
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

/* @n_steps: of the run; @sum: of all ranks */
static void
summarize (gint64 first_step, int n_steps, int n_ranks, const UrbTraceTotals *sum,
           UrbTraceSummary *out)
{
  *out = (UrbTraceSummary) {
    .first_step = first_step,
    .n_steps = n_steps,
    .n_ranks = n_ranks,
    .step_s = sum->n_steps > 0 ? sum->step_s / sum->n_steps : 0,
    .comm_share = sum->step_s > 0 ? sum->comm_s / sum->step_s : 0,
    .overlap_share = sum->comm_s > 0 ? sum->hidden_s / sum->comm_s : 0,
    .hideable_share = sum->comm_s > 0 ? sum->hideable_s / sum->comm_s : 0,
  };
}

/* Ranks that take turns: all steps of theirs are different ones. */
static gboolean
end_crew (UrbTrainer *trainer, UrbTrace *own, GString *events, UrbTraceSummary *summary,
          GError **error)
{
  UrbTraceTotals sum = *urb_trace_get_totals (own);

  if (!hold_crew (trainer, error))
    return FALSE;
  urb_crew_end_trace (trainer->crew, events, &sum);
  urb_async_release (trainer->async);
  summarize (urb_trace_get_first_step (own), sum.n_steps, trainer->options.n_ranks, &sum, summary);
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
    summarize (urb_trace_get_first_step (own), header.totals.n_steps, n_ranks, &sum, summary);
  return TRUE;
}
