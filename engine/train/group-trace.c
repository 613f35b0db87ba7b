/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group-trace.c - the timeline of each rank, and all of them in one file.
 *
 * The clocks of several machines have different origins.  Each timeline begins when its rank has left
 * a barrier that all leave at about the same time.  Asynchronous ranks have no barrier, but are on one
 * machine: their timelines begin at the origin of its clock.
 */
#include <string.h>

#include "train/group-private.h"

/* What a rank sends before its events. */
typedef struct
{
  gint64         n_bytes; /* of its events */
  UrbTraceTotals totals;
} Header;

gboolean
urb_local_rank_start_trace (UrbLocalRank *self, GError **error)
{
  if (self->context.comm != NULL && !urb_local_rank_meet (self, error))
    return FALSE;
  urb_trace_free (self->trace);
  self->trace = urb_trace_new (self->context.rank,
                               self->context.shared != NULL ? 0 : g_get_monotonic_time ());
  urb_trainer_set_trace (self->trainer, self->trace);
  return TRUE;
}

void
urb_local_rank_drop_trace (UrbLocalRank *self)
{
  urb_trainer_set_trace (self->trainer, NULL);
  g_clear_pointer (&self->trace, urb_trace_free);
}

/* Rank 0 gets the others' events, rank by rank. */
static gboolean
gather (UrbComm *comm, const Header *own, const char *events, UrbTraceMerge *merge, GError **error)
{
  int n_ranks = urb_comm_get_n_ranks (comm);
  g_autofree Header *headers = g_new0 (Header, n_ranks);
  UrbCollective what = { URB_COLLECTIVE_ALL_GATHER, URB_ELEMENT_U8, sizeof *own, 0 };

  if (!urb_comm_run (comm, &what, own, headers, error))
    return FALSE;
  if (urb_comm_get_rank (comm) > 0)
    {
      what = (UrbCollective) { URB_COLLECTIVE_SEND, URB_ELEMENT_U8, own->n_bytes, 0 };
      return urb_comm_run (comm, &what, events, NULL, error);
    }
  for (int r = 1; r < n_ranks; r++)
    {
      g_autofree char *received = g_malloc0 ((gsize) headers[r].n_bytes + 1);

      what = (UrbCollective) { URB_COLLECTIVE_RECV, URB_ELEMENT_U8, headers[r].n_bytes, r };
      if (!urb_comm_run (comm, &what, NULL, received, error))
        return FALSE;
      urb_trace_merge_add (merge, received, &headers[r].totals);
    }
  return TRUE;
}

gboolean
urb_local_rank_end_trace (UrbLocalRank *self, UrbTraceMerge *merge, GError **error)
{
  const char *events = urb_trace_get_events (self->trace);
  Header header = { (gint64) strlen (events), *urb_trace_get_totals (self->trace) };
  gboolean ok;

  if (merge != NULL)
    urb_trace_merge_add (merge, events, &header.totals);
  ok = self->context.comm == NULL || gather (self->context.comm, &header, events, merge, error);
  urb_local_rank_drop_trace (self);
  return ok;
}
