/* SPDX-License-Identifier: Apache-2.0 */
/*
 * note.c - see note.h.
 */
#include "settings/note.h"

#include <string.h>

#include "settings/strategy.h"

gboolean
urb_note_check (const char *note, GError **error)
{
  gboolean is_line = note == NULL || g_utf8_validate (note, -1, NULL);

  if (note == NULL)
    return TRUE;
  for (const char *c = note; is_line && *c != '\0'; c = g_utf8_next_char (c))
    is_line = !g_unichar_iscntrl (g_utf8_get_char (c));
  if (!is_line)
    return urb_options_fail (error, "A note is one line of text: it must not have line breaks, tabs or other control "
                                    "characters.");
  if (strlen (note) > URB_NOTE_MOST_BYTES)
    return urb_options_fail (error, "A note has at most %d bytes, and this one has %" G_GSIZE_FORMAT ".",
                             URB_NOTE_MOST_BYTES, strlen (note));
  return TRUE;
}
