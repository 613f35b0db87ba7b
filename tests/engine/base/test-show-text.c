/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-show-text.c - nothing that a terminal or a label obeys is left in a text.
 */
#include "base/show-text.h"

static void
check (const char *text, const char *expected)
{
  g_autofree char *shown = urb_show_text (text);
  g_autofree char *again = urb_show_text (shown);

  g_assert_cmpstr (shown, ==, expected);
  g_assert_cmpstr (again, ==, shown);
  g_assert_true (g_utf8_validate (shown, -1, NULL));
}

static void
test_harmless (void)
{
  check ("", "");
  check ("Gebaeude 1", "Gebaeude 1");
  check ("Gebäude, Ñandú, 東京, \xd7\x90\xd7\x91", "Gebäude, Ñandú, 東京, \xd7\x90\xd7\x91");
  check ("می\xe2\x80\x8cخواهم", "می\xe2\x80\x8cخواهم"); /* a joiner that Persian needs */
}

static void
test_hostile (void)
{
  check ("\x1b]0;title\x07\x1b[31mred", "�]0;title��[31mred");
  check ("a\nb\r\nc\td", "a b  c d");
  check ("\x7f\x01", "��");
  check ("\xc2\x9b" "31m", "�31m");         /* CSI in one character (C1) */
  check ("a\xe2\x80\xaemoc", "a�moc");      /* right-to-left override */
  check ("a\xe2\x81\xa6" "b\xe2\x81\xa9", "a�b�");
  check ("a\xe2\x80\xa8z", "a�z");
  check ("Geb\xe4ude", "Geb�ude");          /* Latin-1 */
  check ("\xf3\xa0\x81\x81", "�");          /* a tag */
}

/* Whatever the bytes are. */
static void
test_any_bytes (void)
{
  GRand *random = g_rand_new_with_seed (5);

  for (int i = 0; i < 20000; i++)
    {
      char bytes[24];
      g_autofree char *shown = NULL, *again = NULL;
      for (gsize k = 0; k < sizeof bytes - 1; k++)
        bytes[k] = (char) g_rand_int (random);
      bytes[sizeof bytes - 1] = '\0';
      shown = urb_show_text (bytes);
      again = urb_show_text (shown);
      g_assert_true (g_utf8_validate (shown, -1, NULL));
      g_assert_cmpstr (shown, ==, again);
      for (const char *p = shown; *p != '\0'; p = g_utf8_next_char (p))
        g_assert_false (g_unichar_iscntrl (g_utf8_get_char (p)));
    }
  g_rand_free (random);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/show-text/harmless", test_harmless);
  g_test_add_func ("/show-text/hostile", test_hostile);
  g_test_add_func ("/show-text/any-bytes", test_any_bytes);
  return g_test_run ();
}
