/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain.c - names and values as they are compared.
 *
 * The same land cover is "Gebäude" in one canton, "Gebaeude" in the next, and
 * "befestigt.Strasse_Weg" is "befestigt_Strasse_Weg" once it has been a DXF
 * layer.  The plain form is what they share.
 */
#include <string.h>

#include "map/profile-private.h"

static const char *
spelt_out (gunichar c)
{
  switch (c)
    {
    case 0xe4:
      return "ae";
    case 0xf6:
      return "oe";
    case 0xfc:
      return "ue";
    case 0xdf:
      return "ss";
    case 0xe6:
      return "ae";
    case 0xf8:
      return "oe";
    case 0x153:
      return "oe";
    default:
      return NULL;
    }
}

static void
append_plain (GString *plain, gunichar c, gboolean is_pattern)
{
  gunichar parts[8];
  const char *spelt;

  if (is_pattern && (c == '*' || c == '?'))
    {
      g_string_append_c (plain, (char) c);
      return;
    }
  c = g_unichar_tolower (c);
  spelt = spelt_out (c);
  if (spelt != NULL)
    {
      g_string_append (plain, spelt);
      return;
    }
  /* é is e and an accent; the accent goes. */
  if (c >= 0x80 && g_unichar_fully_decompose (c, FALSE, parts, G_N_ELEMENTS (parts)) > 1)
    c = parts[0];
  if (g_unichar_isalnum (c))
    g_string_append_unichar (plain, c);
  else if (!g_unichar_ismark (c))
    g_string_append_c (plain, '_');
}

char *
urb_plain_text (const char *text, gboolean is_pattern)
{
  GString *plain = g_string_sized_new (strlen (text) + 1);
  g_autofree char *valid = NULL;

  if (!g_utf8_validate (text, -1, NULL))
    {
      valid = g_convert (text, -1, "UTF-8", "ISO-8859-1", NULL, NULL, NULL);
      if (valid == NULL)
        valid = g_utf8_make_valid (text, -1);
      text = valid;
    }
  else
    {
      /* A letter followed by its accent becomes one character. */
      valid = g_utf8_normalize (text, -1, G_NORMALIZE_DEFAULT_COMPOSE);
      text = valid;
    }
  for (; *text != '\0'; text = g_utf8_next_char (text))
    append_plain (plain, g_utf8_get_char (text), is_pattern);
  return g_string_free (plain, FALSE);
}

/* Remembers the last star only: an earlier one can never need to take more. */
gboolean
urb_glob_match (const char *pattern, const char *text)
{
  const char *star = NULL, *after_star = NULL;

  while (*text != '\0')
    {
      if (*pattern == '*')
        {
          star = ++pattern;
          after_star = text;
        }
      else if (*pattern != '\0' && (*pattern == '?' || *pattern == *text))
        {
          pattern++;
          text++;
        }
      else if (star != NULL)
        {
          pattern = star;
          text = ++after_star;
        }
      else
        return FALSE;
    }
  while (*pattern == '*')
    pattern++;
  return *pattern == '\0';
}
