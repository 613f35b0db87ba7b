/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/batch-search.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/base/engine-program.h"
#include "app/base/format.h"
#include "run/store/json-line.h"

static void
add_trial (JsonArray *array, guint index, JsonNode *node, gpointer data)
{
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  double speed = urb_json_get_double (object, "images_per_second", NAN);
  g_autofree char *rate = isfinite (speed) ? urbarium_format_number (speed, speed < 10 ? 1 : 0) : NULL;
  g_autofree char *bytes = urbarium_format_bytes (urb_json_get_int (object, "bytes", 0));
  if (rate == NULL)
    return;
  /* translators: a batch size; a speed; an amount of memory */
  g_string_append_printf (data, _ ("%d: %s images/s, %s of memory"), (int) urb_json_get_int (object, "batch", 0), rate,
                          bytes);
  g_string_append_c (data, '\n');
}

/* And why it is. */
static void
add_largest (GString *text, JsonObject *object, int largest, const char *failure)
{
  gint64 n_areas = urb_json_get_int (object, "training_areas", 0);
  g_autofree char *areas = urbarium_format_count (n_areas);
  if (failure != NULL)
    /* translators: a batch size */
    g_string_append_printf (text, _ ("%d is the largest that worked."), largest);
  else if (n_areas > 0)
    /* translators: a batch size; a count of areas */
    g_string_append_printf (text, _ ("%d is the largest that is useful: the dataset has %s areas for training."), largest, areas);
  else
    /* translators: a batch size */
    g_string_append_printf (text, _ ("%d is the largest that fits."), largest);
}

static char *
describe (JsonObject *object, const UrbariumBatches *found)
{
  g_autoptr(GString) text = g_string_new (NULL);
  JsonArray *trials = urb_json_get_array (object, "trials");
  const char *failure = urb_json_get_string (object, "failure", NULL);
  if (trials != NULL)
    json_array_foreach_element (trials, add_trial, text);
  g_string_append_c (text, '\n');
  /* translators: a batch size */
  g_string_append_printf (text, _ ("%d takes least time per image."), found->fastest);
  if (urb_json_get_bool (object, "out_of_time", FALSE))
    g_string_append_printf (text, " %s", _ ("Larger ones would have taken too long to measure."));
  g_string_append_c (text, ' ');
  add_largest (text, object, found->largest, failure);
  g_string_append_printf (text, " %s", _ ("Another batch may need other learning rates."));
  if (failure != NULL)
    {
      g_string_append (text, "\n\n");
      /* translators: an error */
      g_string_append_printf (text, _ ("A larger batch failed: %s"), failure);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
urbarium_batch_search_finish (GAsyncResult *result, UrbariumBatches *found, GError **error)
{
  g_autofree char *out = urbarium_engine_program_run_finish (result, error);
  g_autoptr(JsonObject) object = out == NULL ? NULL : urb_json_parse_line (out, strlen (out), error);
  if (object == NULL)
    return NULL;
  *found = (UrbariumBatches) { (int) CLAMP (urb_json_get_int (object, "fastest", 1), 1, G_MAXINT),
                               (int) CLAMP (urb_json_get_int (object, "largest", 1), 1, G_MAXINT) };
  return describe (object, found);
}
