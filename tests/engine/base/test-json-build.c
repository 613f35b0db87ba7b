/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-json-build.c - the text of documents, and exact numbers.
 */
#include <math.h>
#include <string.h>

#include "base/json-build.h"

static void
test_document (void)
{
  g_autoptr(JsonBuilder) json = json_builder_new ();
  g_autofree char *text = NULL;

  urb_json_begin_object (json, NULL);
  urb_json_add_string (json, "name", "a \"0.98999999999999999\" \\");
  urb_json_add_string (json, "0.98999999999999999", NULL);
  urb_json_add_string (json, "latin1", "caf\xe9");
  urb_json_begin_object (json, "whole");
  urb_json_add_int (json, "most", G_MAXINT64);
  urb_json_add_int (json, "least", G_MININT64);
  urb_json_end_object (json);
  urb_json_begin_array (json, "list");
  urb_json_add_double (json, NULL, 0.99);
  urb_json_add_bool (json, NULL, TRUE);
  urb_json_add_bool (json, NULL, FALSE);
  urb_json_add_double (json, NULL, (double) NAN);
  urb_json_add_double (json, NULL, (double) -INFINITY);
  urb_json_end_array (json);
  urb_json_end_object (json);
  text = urb_json_dup_text (json);
  g_assert_cmpstr (text, ==,
                   "{\n"
                   "  \"name\" : \"a \\\"0.98999999999999999\\\" \\\\\",\n"
                   "  \"0.98999999999999999\" : null,\n"
                   "  \"latin1\" : \"caf\xef\xbf\xbd\",\n"
                   "  \"whole\" : {\n"
                   "    \"most\" : 9223372036854775807,\n"
                   "    \"least\" : -9223372036854775808\n"
                   "  },\n"
                   "  \"list\" : [\n"
                   "    0.99,\n"
                   "    true,\n"
                   "    false,\n"
                   "    null,\n"
                   "    null\n"
                   "  ]\n"
                   "}");
}

/* The only element of a list as formatted by json-glib, without the brackets. */
static char *
dup_double (double value)
{
  g_autoptr(JsonBuilder) json = json_builder_new ();
  g_autofree char *text = NULL;
  gsize n;

  urb_json_begin_array (json, NULL);
  urb_json_add_double (json, NULL, value);
  urb_json_end_array (json);
  text = urb_json_dup_text (json);
  n = strlen (text);
  g_assert_cmpuint (n, >, 4);
  text[n - 1] = text[0] = ' ';
  return g_strdup (g_strstrip (text));
}

static void
test_few_digits (void)
{
  const struct { double value; const char *text; } cases[] = {
    { 0.99, "0.99" }, { -0.1, "-0.1" }, { 3, "3.0" }, { 0, "0.0" }, { -0.0, "-0.0" },
    { 0.1 + 0.2, "0.30000000000000004" }, { 1e-7, "1e-07" }, { 1e300, "1e+300" },
    { 9007199254740993.0, "9007199254740992.0" }, { 5e-324, "4.94065645841247e-324" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = dup_double (cases[i].value);
      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

/* Any finite double is read back exactly from the text. */
static void
test_read_back (void)
{
  for (int i = 0; i < 20000; i++)
    {
      union { guint64 bits; double value; } random = {
        .bits = (guint64) g_test_rand_int () << 32 | (guint32) g_test_rand_int ()
      };
      g_autofree char *text = NULL;

      if (!isfinite (random.value))
        continue;
      text = dup_double (random.value);
      g_assert_true (g_ascii_strtod (text, NULL) == random.value);
    }
}

/* Quotes, control characters and bytes that are not UTF-8. */
static void
test_quote (void)
{
  g_autofree char *quoted = urb_json_quote ("a \"b\" \\ \n \x01 \xff"), *text = NULL;
  g_autoptr(JsonNode) node = json_from_string (quoted, NULL);

  g_assert_nonnull (node);
  g_assert_cmpstr (json_node_get_string (node), ==, "a \"b\" \\ \n \x01 \xef\xbf\xbd");
  text = urb_json_quote ("Bl\xc3\xb6" "ch");
  g_assert_cmpstr (text, ==, "\"Bl\xc3\xb6" "ch\"");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-build/document", test_document);
  g_test_add_func ("/json-build/few-digits", test_few_digits);
  g_test_add_func ("/json-build/read-back", test_read_back);
  g_test_add_func ("/json-build/quote", test_quote);
  return g_test_run ();
}
