/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json-line.c - see json-line.h.
 */
#include "run/store/json-line.h"

#include <string.h>

#include "dataset/dataset.h"
#include "train/safetensors.h"

void
urb_json_add_error (JsonBuilder *self, const char *key, const GError *error)
{
  urb_json_begin_object (self, key);
  urb_json_add_string (self, "domain", g_quark_to_string (error->domain));
  urb_json_add_int (self, "code", error->code);
  urb_json_add_string (self, "text", error->message);
  urb_json_end_object (self);
}

/* g_quark_try_string() knows a domain only after its function was called in this process. */
static void
register_domains (void)
{
  GQuark (*const domains[]) (void) = {
    g_file_error_quark,      g_io_error_quark,    g_key_file_error_quark,
    urb_dataset_error_quark, urb_run_error_quark, urb_train_error_quark,
    urb_safetensors_error_quark,
  };
  for (gsize i = 0; i < G_N_ELEMENTS (domains); i++)
    domains[i] ();
  /* Of rooms that a worker links, but not every reader of its messages. */
  g_quark_from_static_string ("urb-comm-error-quark");
  g_quark_from_static_string ("urb-model-error-quark");
  g_quark_from_static_string ("urb-step-error-quark");
}

GError *
urb_json_get_error (JsonObject *object, const char *key)
{
  const char *domain, *text;
  GQuark quark;
  object = urb_json_get_object (object, key);
  if (object == NULL)
    return NULL;
  domain = urb_json_get_string (object, "domain", NULL);
  text = urb_json_get_string (object, "text", "no reason was given");
  register_domains ();
  /* A peer must not fill the table of quarks, which is never freed. */
  quark = domain != NULL ? g_quark_try_string (domain) : 0;
  if (quark == 0)
    return g_error_new_literal (URB_RUN_ERROR, URB_RUN_ERROR_WORKER, text);
  return g_error_new_literal (quark, (int) urb_json_get_int (object, "code", 0), text);
}

JsonObject *
urb_json_parse_line (const char *line, gsize length, GError **error)
{
  const char *why;
  JsonObject *object = urb_json_read_object (line, length, &why);

  if (object == NULL)
    g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_PROTOCOL, "The line is invalid: %s", why);
  return object;
}
