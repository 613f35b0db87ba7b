/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-key-file.c - backslashes in key files.
 */
#include "base/key-file.h"

#include <string.h>

static void
test_good (void)
{
  static const char *const values[] = {
    "a", "C:\\\\maps", "\\sa\\tb\\nc\\rd", "one;two\\;too;", "\\\\", "ends \\\\", "", "ä",
  };
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autoptr(GKeyFile) file = g_key_file_new ();
      g_autoptr(GError) error = NULL;
      g_autofree char *text = g_strdup_printf ("[a]\nb=1\n[c]\nd=%s\n", values[i]);
      g_assert_true (urb_key_file_read (file, text, &error));
      g_assert_no_error (error);
      g_assert_true (g_key_file_has_key (file, "c", "d", NULL));
    }
}

/* GLib itself accepts all of these. */
static void
test_backslashes (void)
{
  static const char *const values[] = { "\\", "a\\", "C:\\maps", "\\;\\", "\\\\\\", "\\d;\\" };
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autoptr(GKeyFile) file = g_key_file_new ();
      g_autoptr(GError) error = NULL;
      g_autofree char *text = g_strdup_printf ("[a]\nb=1\n[c]\nd=%s\n", values[i]);
      g_assert_false (urb_key_file_read (file, text, &error));
      g_assert_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_PARSE);
      g_assert_nonnull (strstr (error->message, "[c] d"));
    }
}

static void
test_no_key_file (void)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autoptr(GError) error = NULL;
  g_assert_false (urb_key_file_read (file, "b=1\n", &error));
  g_assert_nonnull (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/key-file/good", test_good);
  g_test_add_func ("/base/key-file/backslashes", test_backslashes);
  g_test_add_func ("/base/key-file/no-key-file", test_no_key_file);
  return g_test_run ();
}
