/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/run-filter.h"

#include <string.h>

static gboolean
is_of_tag (gunichar c)
{
  return g_unichar_isalnum (c) || c == '-' || c == '_' || c == '#';
}

/* A point ends a tag, but not within, as in "#v1.2". */
static gboolean
ends_before (const char *text)
{
  gunichar next = g_utf8_get_char (text);
  return next == '\0' || g_unichar_isspace (next)
         || (!is_of_tag (next) && (next == ',' || !g_unichar_isalnum (g_utf8_get_char (g_utf8_next_char (text)))));
}

static gboolean
begins_after (const char *note, const char *at)
{
  return at == note || !is_of_tag (g_utf8_get_char (g_utf8_prev_char (at)));
}

/* Whether @note, in lower case, has the tag, such as "#alps". */
static gboolean
has_tag (const char *note, const char *tag)
{
  gsize length = strlen (tag);
  for (const char *at = strstr (note, tag); at != NULL; at = strstr (at + 1, tag))
    if (begins_after (note, at) && ends_before (at + length))
      return TRUE;
  return FALSE;
}

gboolean
urbarium_run_filter_matches (const char *words, const char *name, const char *note, const char *state)
{
  g_autofree char *wanted = g_utf8_casefold (words, -1);
  g_auto(GStrv) parts = g_strsplit_set (wanted, " \t", -1);
  g_autofree char *all = g_strconcat (name, "\n", note != NULL ? note : "", "\n", state, NULL);
  g_autofree char *text = g_utf8_casefold (all, -1), *tags = g_utf8_casefold (note != NULL ? note : "", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] == '#' && parts[i][1] != '\0' ? !has_tag (tags, parts[i]) : strstr (text, parts[i]) == NULL)
      return FALSE;
  return TRUE;
}
