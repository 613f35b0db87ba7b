/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-file.h"

#include <string.h>

#include <json-glib/json-glib.h>

#include "settings/mesh.h"

static double
get_number (JsonObject *object, const char *name)
{
  g_assert_true (json_object_has_member (object, name));
  return json_object_get_double_member (object, name);
}

void
trace_file_check (const char *path, int n_ranks, int n_events[][2])
{
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_autoptr(GError) error = NULL;
  double last[TRACE_FILE_MAX_RANKS][1 + URB_ALL_AXES] = { 0 };
  JsonArray *events;

  g_assert_cmpint (n_ranks, <=, TRACE_FILE_MAX_RANKS);
  memset (n_events, 0, (gsize) n_ranks * sizeof *n_events);
  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  events = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)),
                                         "traceEvents");
  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *event = json_array_get_object_element (events, i);
      int rank = (int) json_object_get_int_member (event, "pid");
      int stream = (int) json_object_get_int_member (event, "tid");

      if (!g_str_equal (json_object_get_string_member (event, "ph"), "X"))
        continue;
      g_assert_cmpint (rank, <, n_ranks);
      g_assert_cmpint (stream, <=, URB_ALL_AXES);
      n_events[rank][stream > 0]++;
      g_assert_cmpfloat (get_number (event, "ts"), >=, last[rank][stream]);
      g_assert_cmpfloat (get_number (event, "dur"), >=, 0);
      last[rank][stream] = get_number (event, "ts") + get_number (event, "dur");
    }
}
