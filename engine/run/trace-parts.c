/* SPDX-License-Identifier: Apache-2.0 */
#include "run/trace-parts.h"

#include <gio/gio.h>
#include <json-glib/json-glib.h>

#include "train/trace.h"

char *
urb_trace_parts_dup_path (const char *folder, int rank)
{
  g_autofree char *name = g_strdup_printf (".trace-%d.json.tmp", rank);
  return g_build_filename (folder, name, NULL);
}

/* A part counts as far as its worker made a step; none sent anything to another. */
static gboolean
add (const char *path, GString *events, UrbTraceTotals *sum, GError **error)
{
  g_autoptr(JsonParser) parser = json_parser_new ();
  UrbTraceTotals totals = { 0 };
  JsonNode *root;
  JsonObject *about;
  JsonArray *own;
  if (!json_parser_load_from_file (parser, path, error))
    return FALSE;
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "There is no timeline in '%s'", path);
      return FALSE;
    }
  about = json_object_get_object_member (json_node_get_object (root), "otherData");
  own = json_object_get_array_member (json_node_get_object (root), "traceEvents");
  totals.first_step = json_object_get_int_member (about, "first_step");
  totals.n_steps = (int) json_object_get_int_member (about, "steps");
  totals.n_ranks = totals.n_steps > 0;
  totals.step_s = totals.n_steps * json_object_get_double_member (about, "step_s");
  urb_trace_totals_add (sum, &totals);
  for (guint i = 0; i < json_array_get_length (own); i++)
    {
      g_autofree char *event = json_to_string (json_array_get_element (own, i), FALSE);
      g_string_append_printf (events, "%s%s", events->len > 0 ? ",\n" : "", event);
    }
  return TRUE;
}

gboolean
urb_trace_parts_join (UrbRunFolder *folder, int n_workers, char **text, GError **error)
{
  g_autofree char *path = urb_run_folder_dup_file (folder, URB_RUN_TRACE_NAME);
  g_autoptr(GString) events = g_string_new (NULL);
  UrbTraceTotals sum = { 0 };
  UrbTraceSummary summary;
  *text = NULL;
  for (int r = 0; r < n_workers; r++)
    {
      g_autofree char *part = urb_trace_parts_dup_path (urb_run_folder_get_path (folder), r);
      if (g_file_test (part, G_FILE_TEST_EXISTS) && !add (part, events, &sum, error))
        return FALSE;
    }
  if (sum.n_steps == 0)
    return TRUE;
  urb_trace_totals_summarize (&sum, sum.n_steps, &summary);
  *text = urb_trace_summary_dup_text (&summary);
  return urb_trace_write (path, events->str, &summary, error);
}
