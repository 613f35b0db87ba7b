/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-json-read.c - objects are read; what would overflow the stack, or is no JSON, is refused.
 */
#include <string.h>

#include "base/json-read.h"

static void
test_object (void)
{
  static const char text[] = " {\"a\":[{\"b\":\"]}\\\"//\"}],\n\t\"c\":-1.5e+3}";
  const char *why;
  g_autoptr(JsonObject) object = urb_json_read_object (text, strlen (text), &why);

  g_assert_nonnull (object);
  g_assert_null (why);
  g_assert_cmpfloat (json_object_get_double_member (object, "c"), ==, -1500);
}

static void
test_refused (void)
{
  static const struct { const char *text, *why; } rows[] = {
    { "[1]", "it is not a JSON object" }, { "7", "it is not a JSON object" }, { "{\"a\":", "it is not JSON" },
    { "{\"a\":'[[['}", "it is not JSON" }, { "{/* \" */}", "it is not JSON" }, { "{\"\xff\":1}", "it is not text in UTF-8" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *why = NULL;

      g_assert_null (urb_json_read_object (rows[i].text, strlen (rows[i].text), &why));
      g_assert_cmpstr (why, ==, rows[i].why);
    }
  g_assert_null (urb_json_read_object ("{}\0{}", 5, NULL));
}

static void
test_deep (void)
{
  static const char *const opening[] = { "[", "{\"a\":" };

  for (gsize i = 0; i < G_N_ELEMENTS (opening); i++)
    {
      g_autoptr(GString) text = g_string_new ("{\"a\":");
      const char *why = NULL;

      for (int k = 0; k < 1000000; k++)
        g_string_append (text, opening[i]);
      g_assert_null (urb_json_read_object (text->str, text->len, &why));
      g_assert_cmpstr (why, ==, "it is nested too deeply");
    }
}

static void
test_strings (void)
{
  static const char text[] = "{\"a\":[\"x\",\"y\"],\"none\":[],\"mixed\":[\"x\",1],\"null\":[null],\"text\":\"x\"}";
  static const char *const refused[] = { "mixed", "null", "text", "missing" };
  g_autoptr(JsonObject) object = urb_json_read_object (text, strlen (text), NULL);
  g_auto(GStrv) two = urb_json_dup_strings (object, "a");
  g_auto(GStrv) none = urb_json_dup_strings (object, "none");

  g_assert_true (g_strv_equal ((const char *const *) two, (const char *const[]){ "x", "y", NULL }));
  g_assert_cmpuint (g_strv_length (none), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    g_assert_null (urb_json_dup_strings (object, refused[i]));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-read/object", test_object);
  g_test_add_func ("/json-read/refused", test_refused);
  g_test_add_func ("/json-read/deep", test_deep);
  g_test_add_func ("/json-read/strings", test_strings);
  return g_test_run ();
}
