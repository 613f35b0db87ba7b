/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json-build.c - see json-build.h.
 *
 * The hard part: json-glib prints every double with 17 digits, hence 0.99 as
 * 0.98999999999999999, and has no option for it.  So the text is scanned once more,
 * and numbers outside of strings are reformatted.
 */
#include "base/json-build.h"

#include <math.h>
#include <string.h>

static void
set_name (JsonBuilder *self, const char *name)
{
  if (name != NULL)
    json_builder_set_member_name (self, name);
}

JsonBuilder *
urb_json_new (void)
{
  JsonBuilder *self = json_builder_new ();

  json_builder_begin_object (self);
  return self;
}

char *
urb_json_end (JsonBuilder *self)
{
  g_autoptr(JsonBuilder) owned = self;

  json_builder_end_object (owned);
  return urb_json_dup_line (owned);
}

void
urb_json_add_string (JsonBuilder *self, const char *name, const char *value)
{
  g_autofree char *valid = value != NULL ? g_utf8_make_valid (value, -1) : NULL;

  set_name (self, name);
  if (valid != NULL)
    json_builder_add_string_value (self, valid);
  else
    json_builder_add_null_value (self);
}

void
urb_json_add_int (JsonBuilder *self, const char *name, gint64 value)
{
  set_name (self, name);
  json_builder_add_int_value (self, value);
}

void
urb_json_add_double (JsonBuilder *self, const char *name, double value)
{
  set_name (self, name);
  if (isfinite (value))
    json_builder_add_double_value (self, value);
  else
    json_builder_add_null_value (self);
}

void
urb_json_add_bool (JsonBuilder *self, const char *name, gboolean value)
{
  set_name (self, name);
  json_builder_add_boolean_value (self, value);
}

void
urb_json_add_raw (JsonBuilder *self, const char *name, const char *json)
{
  JsonNode *node = json_from_string (json, NULL);

  set_name (self, name);
  json_builder_add_value (self, node != NULL ? node : json_node_new (JSON_NODE_NULL));
}

void
urb_json_begin_object (JsonBuilder *self, const char *name)
{
  set_name (self, name);
  json_builder_begin_object (self);
}

void
urb_json_end_object (JsonBuilder *self)
{
  json_builder_end_object (self);
}

void
urb_json_begin_array (JsonBuilder *self, const char *name)
{
  set_name (self, name);
  json_builder_begin_array (self);
}

void
urb_json_end_array (JsonBuilder *self)
{
  json_builder_end_array (self);
}

void
urb_json_add_strings (JsonBuilder *self, const char *name, const char *const *values)
{
  urb_json_begin_array (self, name);
  for (; *values != NULL; values++)
    urb_json_add_string (self, NULL, *values);
  urb_json_end_array (self);
}

/* The length of the string at the start of @text, with its quotes. */
static gsize
string_length (const char *text)
{
  gsize n = 1;

  while (text[n] != '"' && text[n] != '\0')
    n += text[n] == '\\' && text[n + 1] != '\0' ? 2 : 1;
  return text[n] == '"' ? n + 1 : n;
}

static void
append_double (GString *out, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  for (int n_digits = 15; n_digits <= 17; n_digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", n_digits);
      g_ascii_formatd (text, sizeof text, format, value);
      if (g_ascii_strtod (text, NULL) == value)
        break;
    }
  g_string_append (out, text);
  if (strpbrk (text, ".e") == NULL)
    g_string_append (out, ".0");
}

static char *
dup_json (JsonBuilder *self, gboolean is_pretty)
{
  g_autoptr(JsonNode) root = json_builder_get_root (self);
  g_autofree char *json = json_to_string (root, is_pretty);
  const char *text = json;
  GString *out = g_string_new (NULL);

  while (*text != '\0')
    {
      gsize n_number = strspn (text, "+-.0123456789eE");
      gboolean number = n_number > 0 && (g_ascii_isdigit (*text) || *text == '-');
      gsize n = number ? n_number : *text == '"' ? string_length (text) : 1;

      if (number && strcspn (text, ".eE") < n)
        append_double (out, g_ascii_strtod (text, NULL));
      else
        g_string_append_len (out, text, (gssize) n);
      text += n;
    }
  return g_string_free (out, FALSE);
}

char *
urb_json_dup_text (JsonBuilder *self)
{
  return dup_json (self, TRUE);
}

char *
urb_json_dup_line (JsonBuilder *self)
{
  return dup_json (self, FALSE);
}

char *
urb_json_quote (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autoptr(JsonNode) node = json_node_init_string (json_node_alloc (), valid);

  return json_to_string (node, FALSE);
}
