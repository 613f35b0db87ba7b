/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace-merge.c - see trace-merge.h.
 */
#include "train/trace-merge.h"

#include <gio/gio.h>
#include <string.h>

#include "base/atomic-file.h"
#include "base/json-build.h"
#include "base/json-read.h"

void
urb_trace_merge_clear (UrbTraceMerge *self)
{
  if (self->events != NULL)
    g_string_free (self->events, TRUE);
  self->events = NULL;
}

static void
add_totals (UrbTraceMerge *self, const UrbTraceTotals *more)
{
  UrbTraceTotals *sum = &self->totals;

  if (more->n_steps > 0)
    sum->first_step = sum->n_steps > 0 ? MIN (sum->first_step, more->first_step) : more->first_step;
  sum->n_steps += more->n_steps;
  sum->n_ranks += more->n_ranks;
  sum->step_s += more->step_s;
  sum->comm_s += more->comm_s;
  sum->hidden_s += more->hidden_s;
  sum->hideable_s += more->hideable_s;
}

void
urb_trace_merge_add (UrbTraceMerge *self, const char *events, const UrbTraceTotals *totals)
{
  if (self->events == NULL)
    self->events = g_string_new (NULL);
  g_string_append_printf (self->events, "%s%s", self->events->len > 0 ? ",\n" : "", events);
  add_totals (self, totals);
}

gboolean
urb_trace_merge_add_file (UrbTraceMerge *self, const char *path, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr(JsonObject) root = NULL;
  g_autoptr(GString) events = g_string_new (NULL);
  UrbTraceTotals totals = { 0 };
  JsonObject *about;
  JsonArray *array;
  gsize n_bytes;

  if (!g_file_get_contents (path, &text, &n_bytes, error))
    return FALSE;
  root = urb_json_read_object (text, n_bytes, NULL);
  about = urb_json_get_object (root, "otherData");
  array = urb_json_get_array (root, "traceEvents");
  if (about == NULL || array == NULL)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "'%s' is not a timeline", path);
      return FALSE;
    }
  totals.first_step = urb_json_get_int (about, "first_step", 0);
  totals.n_steps = (int) urb_json_get_int (about, "steps", 0);
  totals.n_ranks = totals.n_steps > 0;
  totals.step_s = totals.n_steps * urb_json_get_double (about, "step_s", 0);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      g_autofree char *event = json_to_string (json_array_get_element (array, i), FALSE);

      g_string_append_printf (events, "%s%s", i > 0 ? ",\n" : "", event);
    }
  urb_trace_merge_add (self, events->str, &totals);
  return TRUE;
}

static void
summarize (const UrbTraceMerge *self, UrbTraceSummary *out)
{
  const UrbTraceTotals *sum = &self->totals;

  *out = (UrbTraceSummary) {
    .first_step = sum->first_step,
    .n_steps = self->synchronous && sum->n_ranks > 0 ? sum->n_steps / sum->n_ranks : sum->n_steps,
    .n_ranks = sum->n_ranks,
    .step_s = sum->n_steps > 0 ? sum->step_s / sum->n_steps : 0,
    .comm_share = sum->step_s > 0 ? sum->comm_s / sum->step_s : 0,
    .overlap_share = sum->comm_s > 0 ? sum->hidden_s / sum->comm_s : 0,
    .hideable_share = sum->comm_s > 0 ? sum->hideable_s / sum->comm_s : 0,
  };
}

gboolean
urb_trace_merge_write (UrbTraceMerge *self, const char *path, UrbTraceSummary *summary, GError **error)
{
  JsonBuilder *about = urb_json_new ();
  g_autofree char *about_text = NULL, *text = NULL;

  summarize (self, summary);
  urb_json_add_int (about, "first_step", summary->first_step);
  urb_json_add_int (about, "steps", summary->n_steps);
  urb_json_add_int (about, "ranks", summary->n_ranks);
  urb_json_add_double (about, "step_s", summary->step_s);
  urb_json_add_double (about, "communication_share", summary->comm_share);
  urb_json_add_double (about, "overlap_share", summary->overlap_share);
  urb_json_add_double (about, "hideable_share", summary->hideable_share);
  about_text = urb_json_end (about);
  /* The events, of which there may be a million, are JSON already: a builder would parse them first. */
  text = g_strdup_printf ("{\"displayTimeUnit\":\"ms\",\"otherData\":%s,\"traceEvents\":[\n%s\n]}\n",
                          about_text, self->events != NULL ? self->events->str : "");
  return urb_atomic_file_set_contents (path, text, strlen (text), error);
}

char *
urb_trace_summary_dup_text (const UrbTraceSummary *self)
{
  if (self->comm_share <= 0)
    return g_strdup_printf ("A step took %.1f ms; the ranks exchanged nothing.", self->step_s * 1e3);
  return g_strdup_printf ("A step took %.1f ms; during %.1f %% of it a collective ran, and %.1f %% of "
                          "that was hidden behind computation; %.1f %% could be.",
                          self->step_s * 1e3, 100 * self->comm_share, 100 * self->overlap_share,
                          100 * self->hideable_share);
}
