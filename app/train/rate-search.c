/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/rate-search.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/base/engine-program.h"
#include "app/base/format.h"
#include "run/store/json-line.h"
#include "settings/strategy.h"

static const struct { const char *key, *title; } nets[] = {
  { "generator", N_ ("Generator") }, { "discriminator", N_ ("Discriminator") },
};

/* @format: translated, with a place for the rate; nothing is added if the rate is unknown */
static void
add_rate (GString *text, const char *format, double rate)
{
  g_autofree char *number = isfinite (rate) ? urbarium_format_value (rate) : NULL;
  if (number == NULL)
    return;
  g_string_append (text, "\n");
  g_string_append_printf (text, format, number);
}

static void
add_net (GString *text, const char *title, JsonObject *net)
{
  g_string_append_printf (text, "%s%s", text->len > 0 ? "\n\n" : "", title);
  add_rate (text, _ ("The loss falls fastest at %s"), urb_json_get_double (net, "steepest", NAN));
  add_rate (text, _ ("It is lowest at %s"), urb_json_get_double (net, "lowest", NAN));
  add_rate (text, _ ("It explodes at %s"), urb_json_get_double (net, "explodes", NAN));
  add_rate (text, _ ("Proposed: %s"), urb_json_get_double (net, "proposed", NAN));
}

char *
urbarium_rate_search_finish (GAsyncResult *result, double *lr_g, double *lr_d, GError **error)
{
  double *const proposed[] = { lr_g, lr_d };
  g_autoptr(GError) cause = NULL;
  g_autofree char *out = urbarium_engine_program_run_finish (result, &cause);
  g_autoptr(JsonObject) object = out == NULL ? NULL : urb_json_parse_line (out, strlen (out), &cause);
  g_autoptr(GString) text = g_string_new (NULL);
  if (g_error_matches (cause, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED))
    g_set_error_literal (error, cause->domain, cause->code,
                         _ ("The loss of a network falls at no rate. Look at the networks and their settings."));
  else if (cause != NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  if (object == NULL)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      JsonObject *net = urb_json_get_object (object, nets[i].key);
      add_net (text, _ (nets[i].title), net);
      *proposed[i] = CLAMP (urb_json_get_double (net, "proposed", 0), 0, 1);
    }
  g_string_append (text, "\n\n");
  g_string_append (text, _ ("Each network was tested against the other one as it is, on one batch. "
                              "When both train together, use lower rates."));
  return g_string_free (g_steal_pointer (&text), FALSE);
}
