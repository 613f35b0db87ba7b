/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/timeline-data.h"

#include <gio/gio.h>
#include <glib/gi18n.h>
#include <math.h>

#include "base/json-read.h"
#include "run/store/json-line.h"
#include "settings/mesh.h"

enum { MAX_RANKS = 4096 };

const char *const urbarium_timeline_passes[URBARIUM_TIMELINE_N_PASSES] = {
  N_ ("other"), N_ ("load"), N_ ("forward"), N_ ("loss"), N_ ("backward"), N_ ("tangent"), N_ ("update"),
};

static guint
find_pass (const char *name)
{
  for (guint i = 1; i < URBARIUM_TIMELINE_N_PASSES; i++)
    if (g_str_equal (name, urbarium_timeline_passes[i]))
      return i;
  return URBARIUM_TIMELINE_OTHER;
}

/* Waits are gaps in the computation. */
static gboolean
is_shown (JsonObject *event, const UrbariumTimelineSpan *span)
{
  return g_str_equal (urb_json_get_string (event, "ph", ""), "X") && isfinite (span->begin_ms) && span->ms >= 0
         && isfinite (span->ms) && !g_str_equal (urb_json_get_string (event, "cat", ""), "wait");
}

static const char *
insert_name (UrbariumTimelineData *self, JsonObject *event)
{
  const char *name = urb_json_get_string (event, "name", "");
  const char *group = urb_json_get_string (urb_json_get_object (event, "args"), "group", "");
  g_autofree char *text = g_strconcat (name, *group != '\0' ? ", " : "", group, NULL);
  return g_string_chunk_insert_const (self->names, text);
}

/* Ignores what is no span. */
static void
take_event (UrbariumTimelineData *self, JsonObject *event)
{
  gint64 rank = urb_json_get_int (event, "pid", -1), lane = urb_json_get_int (event, "tid", -1);
  UrbariumTimelineSpan span = {
    .begin_ms = urb_json_get_double (event, "ts", NAN) / 1e3,
    .ms = urb_json_get_double (event, "dur", NAN) / 1e3,
    .name = insert_name (self, event),
    .step = (int) urb_json_get_int (urb_json_get_object (event, "args"), "step", 0),
    .pass = find_pass (urb_json_get_string (event, "cat", "")),
  };
  if (!is_shown (event, &span) || rank < 0 || rank >= MAX_RANKS || lane < 0 || lane > URB_ALL_AXES)
    return;
  span.rank = (int) rank;
  span.lane = (int) lane;
  self->n_ranks = MAX (self->n_ranks, span.rank + 1);
  g_array_append_val (self->spans, span);
}

static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const UrbariumTimelineSpan *first = a, *second = b;
  if (first->rank != second->rank)
    return first->rank - second->rank;
  if (first->lane != second->lane)
    return first->lane - second->lane;
  return first->begin_ms < second->begin_ms ? -1 : first->begin_ms > second->begin_ms;
}

/* Numbers the lanes that have spans. */
static void
number_lanes (UrbariumTimelineData *self)
{
  int lanes[1 + URB_ALL_AXES] = { 0 }; /* 1: used; then its number */
  lanes[URBARIUM_TIMELINE_COMPUTATION] = 1;
  for (guint i = 0; i < self->spans->len; i++)
    lanes[g_array_index (self->spans, UrbariumTimelineSpan, i).lane] = 1;
  for (int lane = 0; lane <= URB_ALL_AXES; lane++)
    lanes[lane] = lanes[lane] ? self->n_lanes++ : 0;
  for (guint i = 0; i < self->spans->len; i++)
    {
      UrbariumTimelineSpan *span = &g_array_index (self->spans, UrbariumTimelineSpan, i);
      span->lane = lanes[span->lane];
    }
}

/* From the first span on, in order. */
static void
arrange (UrbariumTimelineData *self)
{
  double zero = INFINITY;
  for (guint i = 0; i < self->spans->len; i++)
    zero = fmin (zero, g_array_index (self->spans, UrbariumTimelineSpan, i).begin_ms);
  for (guint i = 0; i < self->spans->len; i++)
    {
      UrbariumTimelineSpan *span = &g_array_index (self->spans, UrbariumTimelineSpan, i);
      span->begin_ms -= zero;
      self->end_ms = fmax (self->end_ms, span->begin_ms + span->ms);
    }
  g_array_sort (self->spans, compare_spans);
}

static void
take_summary (UrbariumTimelineData *self, JsonObject *about)
{
  self->first_step = (int) urb_json_get_int (about, "first_step", 0);
  self->n_steps = (int) urb_json_get_int (about, "steps", 0);
  self->step_ms = 1e3 * urb_json_get_double (about, "step_s", 0);
  self->comm_share = urb_json_get_double (about, "communication_share", 0);
  self->overlap_share = urb_json_get_double (about, "overlap_share", 0);
  self->hideable_share = urb_json_get_double (about, "hideable_share", 0);
}

UrbariumTimelineData *
urbarium_timeline_data_load (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr(JsonObject) root = NULL;
  g_autoptr(UrbariumTimelineData) self = g_new0 (UrbariumTimelineData, 1);
  JsonArray *events;
  gsize n_bytes;
  self->spans = g_array_new (FALSE, FALSE, sizeof (UrbariumTimelineSpan));
  self->names = g_string_chunk_new (4096);
  if (!g_file_get_contents (path, &text, &n_bytes, error))
    return NULL;
  root = urb_json_read_object (text, n_bytes, NULL); /* of a folder that may be from anywhere */
  events = root != NULL ? urb_json_get_array (root, "traceEvents") : NULL;
  for (guint i = 0; events != NULL && i < json_array_get_length (events); i++)
    {
      JsonNode *event = json_array_get_element (events, i);
      if (JSON_NODE_HOLDS_OBJECT (event))
        take_event (self, json_node_get_object (event));
    }
  if (self->spans->len == 0)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, _ ("“%s” is no timeline, or an empty one."), path);
      return NULL;
    }
  take_summary (self, urb_json_get_object (root, "otherData"));
  number_lanes (self);
  arrange (self);
  return g_steal_pointer (&self);
}

void
urbarium_timeline_data_free (UrbariumTimelineData *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->spans);
  g_string_chunk_free (self->names);
  g_free (self);
}

guint
urbarium_timeline_data_find (const UrbariumTimelineData *self, int rank, int lane)
{
  guint low = 0, high = self->spans->len;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const UrbariumTimelineSpan *span = &g_array_index (self->spans, UrbariumTimelineSpan, middle);
      if (span->rank < rank || (span->rank == rank && span->lane < lane))
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}
