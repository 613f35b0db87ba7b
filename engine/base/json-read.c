/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json-read.c - see json-read.h.
 *
 * json-glib's parser recurses, so that a short text of brackets could overflow the stack.  The
 * depth is counted before it gets the text.  It also reads comments and strings in single quotes, in
 * which brackets and quotes count for nothing: they are no JSON and are refused first.
 */
#include "base/json-read.h"

#include <string.h>

enum { MAX_DEPTH = 16 };

/* Returns: (nullable): why not; NULL: the parser may have the text */
static const char *
find_mistake (const char *text, gsize n_bytes)
{
  static const char between[] = " \t\r\n,:+-.";
  int depth = 0;
  gboolean in_string = FALSE;
  for (gsize i = 0; i < n_bytes; i++)
    {
      char c = text[i];
      if (c == '"')
        in_string = !in_string;
      else if (in_string)
        i += c == '\\';
      else if (c == '{' || c == '[')
        depth++;
      else if (c == '}' || c == ']')
        depth--;
      else if (!g_ascii_isalnum (c) && strchr (between, c) == NULL)
        return "it is not JSON";
      if (depth > MAX_DEPTH)
        return "it is nested too deeply";
    }
  return NULL;
}

JsonObject *
urb_json_read_object (const char *text, gsize n_bytes, const char **why)
{
  g_autoptr(JsonParser) parser = NULL;
  JsonNode *root = NULL;
  const char *mistake;

  if (memchr (text, '\0', n_bytes) != NULL || !g_utf8_validate (text, (gssize) n_bytes, NULL))
    mistake = "it is not text in UTF-8";
  else if ((mistake = find_mistake (text, n_bytes)) == NULL)
    {
      /* Not an immutable parser: json-glib 1.10 aborts on some lines with more than one value
       * (found by tests/fuzz). */
      parser = json_parser_new ();
      if (!json_parser_load_from_data (parser, text, (gssize) n_bytes, NULL))
        mistake = "it is not JSON";
      else if ((root = json_parser_get_root (parser)) == NULL || !JSON_NODE_HOLDS_OBJECT (root))
        mistake = "it is not a JSON object";
    }
  if (why != NULL)
    *why = mistake;
  return mistake == NULL ? json_object_ref (json_node_get_object (root)) : NULL;
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

GStrv
urb_json_dup_strings (JsonObject *object, const char *key)
{
  g_autoptr(GStrvBuilder) strings = g_strv_builder_new ();
  JsonArray *array = urb_json_get_array (object, key);
  if (array == NULL)
    return NULL;
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      if (json_node_get_value_type (node) != G_TYPE_STRING)
        return NULL;
      g_strv_builder_add (strings, json_node_get_string (node));
    }
  return g_strv_builder_end (strings);
}
