/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace-ranks.c - see trace-ranks.h.
 *
 * Clocks of several machines begin anywhere.  Each timeline begins when its rank
 * has left a barrier that all left at the same time, as far as one can tell.
 */
#include "train/trace-ranks.h"

#include <string.h>

/* What a rank tells before its events. */
typedef struct
{
  gint64         n_bytes; /* of its events */
  UrbTraceTotals totals;
} Header;

gboolean
urb_trace_start_rank (UrbComm *comm, UrbTrainer *trainer, UrbTrace **trace, GError **error)
{
  UrbCollective barrier = { .kind = URB_COLLECTIVE_BARRIER };

  if (comm != NULL && !urb_comm_run (comm, &barrier, NULL, NULL, error))
    return FALSE;
  urb_trace_free (*trace);
  *trace = urb_trace_new (comm != NULL ? urb_comm_get_rank (comm) : 0, g_get_monotonic_time ());
  urb_trainer_set_trace (trainer, *trace);
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

static void
summarize (UrbTrace *trace, const Header *headers, int n_ranks, UrbTraceSummary *out)
{
  UrbTraceTotals sum = { 0 };

  for (int r = 0; r < n_ranks; r++)
    {
      sum.step_s += headers[r].totals.step_s;
      sum.comm_s += headers[r].totals.comm_s;
      sum.hidden_s += headers[r].totals.hidden_s;
      sum.hideable_s += headers[r].totals.hideable_s;
    }
  *out = (UrbTraceSummary) {
    .first_step = urb_trace_get_first_step (trace),
    .n_steps = urb_trace_get_n_steps (trace),
    .n_ranks = n_ranks,
    .comm_share = sum.step_s > 0 ? sum.comm_s / sum.step_s : 0,
    .overlap_share = sum.comm_s > 0 ? sum.hidden_s / sum.comm_s : 0,
    .hideable_share = sum.comm_s > 0 ? sum.hideable_s / sum.comm_s : 0,
  };
  out->step_s = out->n_steps > 0 ? sum.step_s / n_ranks / out->n_steps : 0;
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

  urb_trainer_set_trace (trainer, NULL);
  headers[0] = header;
  if (events != NULL)
    g_string_append (events, text);
  if (comm != NULL && (!urb_comm_run (comm, &what, &header, headers, error)
                       || !gather_events (comm, headers, text, events, error)))
    return FALSE;
  if (summary != NULL)
    summarize (own, headers, n_ranks, summary);
  return TRUE;
}

gboolean
urb_trace_write (const char *path, const char *events, const UrbTraceSummary *summary,
                 GError **error)
{
  g_autoptr(GString) text = g_string_new ("{\"displayTimeUnit\":\"ms\",\"otherData\":{");
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (text, "\"first_step\":%" G_GINT64_FORMAT ",\"steps\":%d,\"ranks\":%d",
                          summary->first_step, summary->n_steps, summary->n_ranks);
  g_string_append_printf (text, ",\"step_s\":%s", g_ascii_dtostr (number, sizeof number, summary->step_s));
  g_string_append_printf (text, ",\"communication_share\":%s",
                          g_ascii_dtostr (number, sizeof number, summary->comm_share));
  g_string_append_printf (text, ",\"overlap_share\":%s",
                          g_ascii_dtostr (number, sizeof number, summary->overlap_share));
  g_string_append_printf (text, ",\"hideable_share\":%s",
                          g_ascii_dtostr (number, sizeof number, summary->hideable_share));
  g_string_append_printf (text, "},\"traceEvents\":[\n%s\n]}\n", events);
  return g_file_set_contents (path, text->str, (gssize) text->len, error);
}
