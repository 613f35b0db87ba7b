/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-trace.c - the timeline of a run's ranks.
 *
 * Synchronous ranks write it together.  Asynchronous workers write a part each; the parts are merged once every
 * worker has written its own, or at the end, if one has died meanwhile.
 */
#include <glib/gstdio.h>

#include "run/supervisor/supervisor-private.h"
#include "train/trace-merge.h"

static char *
dup_part (UrbSupervisor *self, int rank)
{
  g_autofree char *name = urb_run_trace_part_name (rank);
  return urb_run_folder_dup_file (self->folder, name);
}

static gboolean
has_part (UrbSupervisor *self, int rank)
{
  g_autofree char *part = dup_part (self, rank);
  return g_file_test (part, G_FILE_TEST_EXISTS);
}

static void
remove_parts (UrbSupervisor *self)
{
  for (int r = 0; r < self->n_slots; r++)
    {
      g_autofree char *part = dup_part (self, r);
      g_unlink (part);
    }
}

static gboolean
merge (UrbSupervisor *self, GError **error)
{
  g_autofree char *path = urb_run_folder_dup_file (self->folder, URB_RUN_TRACE_NAME);
  g_autofree char *text = NULL;
  g_auto(UrbTraceMerge) all = { 0 };
  UrbTraceSummary summary;
  for (int r = 0; r < self->n_slots; r++)
    {
      g_autofree char *part = dup_part (self, r);
      if (has_part (self, r) && !urb_trace_merge_add_file (&all, part, error))
        return FALSE;
    }
  if (all.totals.n_steps == 0)
    return TRUE;
  if (!urb_trace_merge_write (&all, path, &summary, error))
    return FALSE;
  remove_parts (self);
  text = urb_trace_summary_dup_text (&summary);
  urb_supervisor_report_trace (self, text);
  return TRUE;
}

gboolean
urb_supervisor_is_to_trace (UrbWorkerSlot *slot)
{
  UrbSupervisor *self = slot->supervisor;
  return ((self->options.trace && !self->is_traced) || self->is_trace_ordered) && !has_part (self, slot->rank);
}

void
urb_supervisor_order_trace (UrbSupervisor *self)
{
  if (self->is_trace_ordered) /* one is being recorded */
    return;
  remove_parts (self);
  self->is_trace_ordered = TRUE;
  for (int i = 0; i < self->n_slots; i++)
    if (self->slots[i].worker != NULL)
      urb_supervisor_send_order (self, i, "trace");
}

void
urb_supervisor_take_trace_part (UrbSupervisor *self)
{
  for (int i = 0; i < self->n_slots; i++)
    if (self->slots[i].worker != NULL && !has_part (self, i))
      return;
  urb_supervisor_end_trace (self);
}

void
urb_supervisor_end_trace (UrbSupervisor *self)
{
  g_autoptr(GError) error = NULL;
  if (!merge (self, &error))
    urb_supervisor_report_no_trace (self, error->message);
}

void
urb_supervisor_report_no_trace (UrbSupervisor *self, const char *why)
{
  self->is_trace_ordered = FALSE;
  urb_supervisor_report (self, "warning", "trace-failed", "%s", why);
}

void
urb_supervisor_report_trace (UrbSupervisor *self, const char *summary)
{
  self->is_traced = TRUE;
  self->is_trace_ordered = FALSE;
  urb_supervisor_report (self, "info", "trace", "%s", summary);
  if (self->observer->trace != NULL)
    self->observer->trace (summary, self->options.user_data);
}
