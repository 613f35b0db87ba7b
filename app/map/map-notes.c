/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader's notes are English sentences.  Each is found by its format, of which only names and numbers differ, and
 * printed again by the translated format, which may have these in another order.
 */
#include "app/map/map-notes.h"

#include <glib/gi18n.h>
#include <string.h>

#include "map/notes.h"

static const char *const formats[] = {
  URB_NOTE_CRS_CONTRADICTED, URB_NOTE_CRS_GUESSED, URB_NOTE_CRS_NONE, URB_NOTE_CRS_UNKNOWN,
  URB_NOTE_UNREADABLE_ONLY, URB_NOTE_UNREADABLE_ONE, URB_NOTE_UNREADABLE_MANY,
  URB_NOTE_POINTS_ONLY, URB_NOTE_POINTS_ONE, URB_NOTE_POINTS_MANY,
  URB_NOTE_UNEXPECTED_ONE, URB_NOTE_UNEXPECTED_MANY,
  URB_NOTE_UNKNOWN_ONE, URB_NOTE_UNKNOWN_MANY,
  URB_NOTE_REPAIRED_ONE, URB_NOTE_REPAIRED_MANY,
  URB_NOTE_DROPPED_ONE, URB_NOTE_DROPPED_MANY,
  URB_NOTE_SUPERSEDED_ONE, URB_NOTE_SUPERSEDED_MANY,
  URB_NOTE_FEWER, URB_NOTE_LINES_ONE, URB_NOTE_LINES_MANY,
  URB_NOTE_OUTSIDE_ONE, URB_NOTE_OUTSIDE_MANY, URB_NOTE_NODES_ONE, URB_NOTE_NODES_MANY,
  URB_NOTE_CUT, URB_NOTE_NO_END, URB_NOTE_NO_OUTLINES, URB_NOTE_NO_OUTLINE, URB_NOTE_LOOSE_ONE, URB_NOTE_LOOSE_MANY,
  URB_NOTE_KINDS_ONE, URB_NOTE_KINDS_MANY, URB_NOTE_UNJOINED_ONE, URB_NOTE_UNJOINED_MANY,
  URB_NOTE_SKIPPED_ONE, URB_NOTE_SKIPPED_MANY,
  URB_NOTE_GAPS_ONE, URB_NOTE_GAPS_MANY, URB_NOTE_OVERLAPS_ONE, URB_NOTE_OVERLAPS_MANY,
  URB_NOTE_DOUBLE_ONE, URB_NOTE_DOUBLE_MANY,
  URB_NOTE_LEFT_ONE, URB_NOTE_LEFT_MANY, URB_NOTE_FULL,
  URB_NOTE_NO_BUILDING, URB_NOTE_NO_ROAD, URB_NOTE_OVERLAPPING,
};

/* None of the sentences has more. */
#define MAX_VALUES 9
#define CONVERSIONS "dufs" /* the last letters of them */

/* One that a note has where its format has a conversion; borrowed from the note. */
typedef struct
{
  const char *text;
  gsize       n_bytes;
} Value;

static const char *
skip_conversion (const char *format)
{
  return format + strcspn (format, CONVERSIONS) + 1;
}

/* Where a value ends: at its first match with @literal, the format's next @n_bytes, which before a number (a file's name
 * may have a colon, too) are followed by one; or, if they end the format, at the note's end. */
static const char *
find_end (const char *note, const char *note_end, const char *literal, gsize n_bytes)
{
  const char *next = literal + n_bytes, *end = note;
  gboolean is_before_number = next[strcspn (next, CONVERSIONS)] != 's';

  if (*next == '\0')
    return (gsize) (note_end - note) >= n_bytes && memcmp (note_end - n_bytes, literal, n_bytes) == 0 ? note_end - n_bytes
                                                                                                    : NULL;
  while ((end = memmem (end, (gsize) (note_end - end), literal, n_bytes)) != NULL
         && is_before_number && !g_ascii_isdigit (end[n_bytes]))
    end++;
  return end;
}

/* In time that grows with the note's length only, as a note has names from files. */
static gboolean
find_values (const char *format, const char *note, Value *values)
{
  const char *note_end = note + strlen (note);
  gsize n_literal = strcspn (format, "%");

  if (strncmp (note, format, n_literal) != 0)
    return FALSE;
  note += n_literal;
  for (format += n_literal; *format != '\0'; format += n_literal)
    {
      const char *end;
      format = skip_conversion (format);
      n_literal = strcspn (format, "%");
      end = find_end (note, note_end, format, n_literal);
      if (end == NULL)
        return FALSE;
      *values++ = (Value) { note, (gsize) (end - note) };
      note = end + n_literal;
    }
  return note == note_end;
}

/* The reader's own words are translated, names from files are not. */
static void
print_value (GString *text, const Value *value)
{
  if (value->n_bytes == strlen (URB_NOTE_OTHER_FILES) && g_str_has_prefix (value->text, URB_NOTE_OTHER_FILES))
    g_string_append (text, _ (URB_NOTE_OTHER_FILES));
  else
    g_string_append_len (text, value->text, (gssize) value->n_bytes);
}

static char *
print_values (const char *format, const Value *values)
{
  GString *text = g_string_new (NULL);
  gsize n_literal = strcspn (format, "%"), n_printed = 0;

  g_string_append_len (text, format, (gssize) n_literal);
  for (format += n_literal; *format != '\0'; format += n_literal)
    {
      gsize place = g_ascii_isdigit (format[1]) && format[2] == '$' ? (gsize) (format[1] - '1') : n_printed++;
      if (place < MAX_VALUES && values[place].text != NULL)
        print_value (text, &values[place]);
      format = skip_conversion (format);
      n_literal = strcspn (format, "%");
      g_string_append_len (text, format, (gssize) n_literal);
    }
  return g_string_free (text, FALSE);
}

char *
urbarium_map_notes_translate (const char *note)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      Value values[MAX_VALUES] = { 0 };
      const char *translated = _ (formats[i]);
      if (translated != formats[i] && find_values (formats[i], note, values))
        return print_values (translated, values);
    }
  return NULL;
}
