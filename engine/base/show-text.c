/* SPDX-License-Identifier: Apache-2.0 */
#include "base/show-text.h"

#include <string.h>

#define REPLACEMENT 0xfffd

/* Printable ASCII, as most text is. */
static gboolean
is_plain (const char *text)
{
  for (const guint8 *p = (const guint8 *) text; *p != '\0'; p++)
    if (*p < 0x20 || *p >= 0x7f)
      return FALSE;
  return TRUE;
}

/* Overrides and isolates of direction, line and paragraph separators, marks that are not visible
 * anywhere, and tags.  The joiners and marks that scripts need stay. */
static gboolean
misleads (gunichar c)
{
  return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029
         || (c >= 0x2060 && c <= 0x2064) || c == 0x200b || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb)
         || (c >= 0xe0000 && c <= 0xe007f);
}

char *
urb_show_text (const char *text)
{
  g_autofree char *valid = NULL;
  GString *shown;

  g_return_val_if_fail (text != NULL, NULL);
  if (is_plain (text))
    return g_strdup (text);
  valid = g_utf8_make_valid (text, -1);
  shown = g_string_sized_new (strlen (valid));
  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);
      if (c == '\n' || c == '\r' || c == '\t')
        g_string_append_c (shown, ' ');
      else
        g_string_append_unichar (shown, g_unichar_iscntrl (c) || misleads (c) ? REPLACEMENT : c);
    }
  return g_string_free (shown, FALSE);
}
