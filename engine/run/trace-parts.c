/* SPDX-License-Identifier: Apache-2.0 */
#include "run/trace-parts.h"

#include <json-glib/json-glib.h>

#include "train/trace.h"

char *
urb_trace_parts_dup_path (const char *folder, int rank)
{
  g_autofree char *name = g_strdup_printf (".trace-%d.json.tmp", rank);
  return g_build_filename (folder, name, NULL);
}

/* Adds what is in the file @path to @events and @whole, whose step_s is a sum meanwhile. */
static gboolean
add (const char *path, GString *events, UrbTraceSummary *whole, GError **error)
{
  g_autoptr(JsonParser) parser = json_parser_new ();
  JsonNode *root;
  JsonObject *about;
  JsonArray *own;
  gint64 first_step;
  int n_steps;
  if (!json_parser_load_from_file (parser, path, error))
    return FALSE;
  root = json_parser_get_root (parser);
  g_return_val_if_fail (root != NULL && JSON_NODE_HOLDS_OBJECT (root), FALSE);
  about = json_object_get_object_member (json_node_get_object (root), "otherData");
  own = json_object_get_array_member (json_node_get_object (root), "traceEvents");
  first_step = json_object_get_int_member (about, "first_step");
  n_steps = (int) json_object_get_int_member (about, "steps");
  whole->first_step = whole->n_ranks == 0 ? first_step : MIN (whole->first_step, first_step);
  whole->step_s += n_steps * json_object_get_double_member (about, "step_s");
  whole->n_steps += n_steps;
  whole->n_ranks++;
  for (guint i = 0; i < json_array_get_length (own); i++)
    {
      g_autofree char *event = json_to_string (json_array_get_element (own, i), FALSE);
      g_string_append_printf (events, "%s%s", events->len > 0 ? ",\n" : "", event);
    }
  return TRUE;
}

gboolean
urb_trace_parts_join (UrbRunFolder *folder, int n_workers, GError **error)
{
  g_autofree char *path = urb_run_folder_dup_file (folder, URB_RUN_TRACE_NAME);
  g_autoptr(GString) events = g_string_new (NULL);
  UrbTraceSummary whole = { 0 };
  for (int r = 0; r < n_workers; r++)
    {
      g_autofree char *part = urb_trace_parts_dup_path (urb_run_folder_get_path (folder), r);
      if (g_file_test (part, G_FILE_TEST_EXISTS) && !add (part, events, &whole, error))
        return FALSE;
    }
  if (whole.n_ranks == 0)
    return TRUE;
  whole.step_s /= MAX (whole.n_steps, 1);
  return urb_trace_write (path, events->str, &whole, error);
}
