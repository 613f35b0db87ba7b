/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain.c - the form in which names and values are compared.
 *
 * A land cover is "Gebäude" in one canton and "Gebaeude" in the next, and
 * "befestigt.Strasse_Weg" becomes "befestigt_Strasse_Weg" as a DXF layer.  Their
 * plain forms are equal.
 */
#include <string.h>

#include "map/profile-private.h"

static const char *
spelled_out (gunichar c)
{
  switch (c)
    {
    case 0xe4: /* ä */
    case 0xe6: /* æ */
      return "ae";
    case 0xf6: /* ö */
    case 0xf8: /* ø */
    case 0x153: /* œ */
      return "oe";
    case 0xfc: /* ü */
      return "ue";
    case 0xdf: /* ß */
      return "ss";
    default:
      return NULL;
    }
}

static void
append_plain (GString *plain, gunichar c, gboolean is_pattern)
{
  gunichar parts[8];
  const char *spelled;

  if (is_pattern && (c == '*' || c == '?'))
    {
      g_string_append_c (plain, (char) c);
      return;
    }
  c = g_unichar_tolower (c);
  spelled = spelled_out (c);
  if (spelled != NULL)
    {
      g_string_append (plain, spelled);
      return;
    }
  /* Drops accents: é decomposes into e and an accent. */
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
  g_autofree char *valid = NULL; /* with each letter and its accent composed */

  if (!g_utf8_validate (text, -1, NULL))
    {
      valid = g_convert (text, -1, "UTF-8", "ISO-8859-1", NULL, NULL, NULL);
      if (valid == NULL)
        valid = g_utf8_make_valid (text, -1);
    }
  else
    valid = g_utf8_normalize (text, -1, G_NORMALIZE_DEFAULT_COMPOSE);
  text = valid;
  for (; *text != '\0'; text = g_utf8_next_char (text))
    append_plain (plain, g_utf8_get_char (text), is_pattern);
  return g_string_free (plain, FALSE);
}
