/* SPDX-License-Identifier: Apache-2.0 */
/*
 * note.c - see note.h.
 */
#include "settings/note.h"

#include <string.h>

#include "base/show-text.h"
#include "settings/strategy.h"

gboolean
urb_note_check (const char *note, GError **error)
{
  g_autofree char *shown = note != NULL ? urb_show_text (note) : NULL, *start = NULL;

  if (note == NULL || (strcmp (note, shown) == 0 && strlen (note) <= URB_NOTE_MOST_BYTES))
    return TRUE;
  start = g_utf8_substring (shown, 0, MIN (g_utf8_strlen (shown, -1), 40));
  return urb_options_fail (error, "The note “%s%s” cannot be kept: a note is one line of at most %d bytes of UTF-8, "
                                  "without tabs and other control characters.",
                           start, strlen (start) < strlen (shown) ? "…" : "", URB_NOTE_MOST_BYTES);
}
