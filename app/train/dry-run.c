/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/dry-run.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/base/engine-program.h"
#include "app/base/format.h"
#include "run/store/json-line.h"

/* In the order in which the engine does them. */
static const struct { const char *key, *title; } parts[] = {
  { "start", N_ ("Start") },           { "steps", N_ ("A few steps") }, { "sample", N_ ("Sample grid") },
  { "checkpoint", N_ ("Checkpoint") }, { "score", N_ ("Score of a few cities") },
};

static void
add_parts (GString *text, JsonObject *seconds)
{
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      double time = urb_json_get_double (seconds, parts[i].key, -1);
      g_autofree char *number = time < 0 ? NULL : urbarium_format_number (time, time < 10 ? 2 : 0);
      if (number == NULL)
        continue;
      g_string_append_c (text, '\n');
      /* translators: a part of a run; a number of seconds */
      g_string_append_printf (text, _ ("%s: %s s"), _ (parts[i].title), number);
    }
}

char *
urbarium_dry_run_finish (GAsyncResult *result, gint64 n_steps, double *images_per_s, GError **error)
{
  g_autofree char *out = urbarium_engine_program_run_finish (result, error);
  g_autoptr(JsonObject) object = out == NULL ? NULL : urb_json_parse_line (out, strlen (out), error);
  double per_step = urb_json_get_double (object, "seconds_per_step", 0);
  g_autofree char *steps = urbarium_format_count (n_steps);
  g_autofree char *duration = urbarium_format_duration ((double) n_steps * per_step);
  g_autofree char *rate = NULL;
  g_autoptr(GString) text = NULL;
  *images_per_s = urb_json_get_double (object, "images_per_second", 0);
  if (object == NULL)
    return NULL;
  rate = urbarium_format_number (*images_per_s, 0);
  text = g_string_new (_ ("These settings work here; nothing was kept."));
  g_string_append_c (text, '\n');
  add_parts (text, urb_json_get_object (object, "seconds"));
  if (per_step > 0)
    {
      g_string_append (text, "\n\n");
      /* translators: a speed; a count of steps; a duration */
      g_string_append_printf (text, _ ("At %s images/s, the %s steps take about %s."), rate, steps, duration);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}
