/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/run-filter.h"

#include <string.h>

/* Whether @note, in lower case, has the tag, such as "#alps". */
static gboolean
has_tag (const char *note, const char *tag)
{
  gsize length = strlen (tag);
  for (const char *at = strstr (note, tag); at != NULL; at = strstr (at + 1, tag))
    {
      gunichar next = g_utf8_get_char (at + length);
      if (!g_unichar_isalnum (next) && next != '-' && next != '_')
        return TRUE;
    }
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
