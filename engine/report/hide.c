/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hide.c - see hide.h.
 */
#include "report/hide.h"

#include <stdlib.h>
#include <string.h>

/* Of a word, beside letters of other alphabets. */
static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || (c & 0x80) != 0;
}

/* Replaces each @name in @text that is not a part of a longer word. */
static char *
replace_word (const char *text, const char *name, const char *by)
{
  GString *hidden = g_string_new (NULL);
  gsize n = strlen (name);
  const char *from = text, *at;

  while (n > 0 && (at = strstr (from, name)) != NULL)
    {
      gboolean whole = (at == text || !is_word (at[-1]) || !is_word (*name)) && !is_word (at[n]);

      g_string_append_len (hidden, from, at - from);
      g_string_append (hidden, whole ? by : name);
      from = at + n;
    }
  g_string_append (hidden, from);
  return g_string_free (hidden, FALSE);
}

char *
urb_hide_home (const char *text)
{
  const char *home = g_get_home_dir (), *user = g_get_user_name ();
  g_autofree char *real = realpath (home, NULL), *hidden = NULL, *again = NULL;
  gboolean has_home = strcmp (home, "/") != 0;

  hidden = has_home ? replace_word (text, home, "~") : g_strdup (text);
  again = has_home && real != NULL ? replace_word (hidden, real, "~") : g_strdup (hidden);
  return strcmp (user, "root") == 0 ? g_steal_pointer (&again) : replace_word (again, user, "USER");
}
