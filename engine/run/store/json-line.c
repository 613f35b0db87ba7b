/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json-line.c - see json-line.h.
 */
#include "run/store/json-line.h"

#include <string.h>

#include "base/json-read.h"
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

/* NULL unless the member is a value of this type. */
static JsonNode *
get_value (JsonObject *object, const char *key, GType type)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, key) : NULL;
  return node != NULL && json_node_get_value_type (node) == type ? node : NULL;
}

const char *
urb_json_get_string (JsonObject *object, const char *key, const char *otherwise)
{
  JsonNode *node = get_value (object, key, G_TYPE_STRING);
  return node != NULL ? json_node_get_string (node) : otherwise;
}

gint64
urb_json_get_int (JsonObject *object, const char *key, gint64 otherwise)
{
  JsonNode *node = get_value (object, key, G_TYPE_INT64);
  return node != NULL ? json_node_get_int (node) : otherwise;
}

double
urb_json_get_double (JsonObject *object, const char *key, double otherwise)
{
  JsonNode *node = get_value (object, key, G_TYPE_DOUBLE);
  if (node == NULL)
    node = get_value (object, key, G_TYPE_INT64);
  return node != NULL ? json_node_get_double (node) : otherwise;
}

gboolean
urb_json_get_bool (JsonObject *object, const char *key, gboolean otherwise)
{
  JsonNode *node = get_value (object, key, G_TYPE_BOOLEAN);
  return node != NULL ? json_node_get_boolean (node) : otherwise;
}

JsonObject *
urb_json_get_object (JsonObject *object, const char *key)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, key) : NULL;
  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

JsonArray *
urb_json_get_array (JsonObject *object, const char *key)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, key) : NULL;
  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}
