/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader's notes are English sentences.  Each is found by its format, of which only names and numbers differ, and
 * printed again by the translated format, which may have these in another order.
 */
#include "app/map/map-notes.h"

#include <glib/gi18n.h>

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
  URB_NOTE_GAPS_OVERLAPS, URB_NOTE_GAPS, URB_NOTE_OVERLAPS, URB_NOTE_DOUBLE_ONE, URB_NOTE_DOUBLE_MANY,
  URB_NOTE_LEFT_ONE, URB_NOTE_LEFT_MANY, URB_NOTE_FULL,
  URB_NOTE_NO_BUILDING, URB_NOTE_NO_ROAD, URB_NOTE_OVERLAPPING,
};

#define TYPE "(?:lld|u|s|\\.[0-9]f)"

/* As a pattern, in which each conversion is a group. */
static char *
make_pattern (const char *format)
{
  g_auto(GStrv) parts = g_regex_split_simple ("%" TYPE, format, 0, 0);
  GString *pattern = g_string_new ("^");
  for (char **part = parts; *part != NULL; part++)
    {
      g_autofree char *literal = g_regex_escape_string (*part, -1);
      g_string_append_printf (pattern, "%s%s", part == parts ? "" : "(.*?)", literal);
    }
  g_string_append_c (pattern, '$');
  return g_string_free (pattern, FALSE);
}

typedef struct
{
  const GMatchInfo *values; /* borrowed */
  int               n;      /* conversions before */
} Printing;

/* A value that is itself a text of the reader is translated, too. */
static gboolean
print_cb (const GMatchInfo *at, GString *text, gpointer data)
{
  Printing *printing = data;
  g_autofree char *number = g_match_info_fetch (at, 1);
  int place = number != NULL && *number != '\0' ? *number - '0' : ++printing->n;
  g_autofree char *value = g_match_info_fetch (printing->values, place);
  g_string_append (text, value != NULL && *value != '\0' ? _ (value) : "");
  return FALSE;
}

char *
urbarium_map_notes_translate (const char *note)
{
  g_autoptr(GRegex) conversion = g_regex_new ("%(?:([0-9])\\$)?" TYPE, 0, 0, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      const char *translated = _ (formats[i]);
      g_autofree char *pattern = NULL;
      g_autoptr(GRegex) sentence = NULL;
      g_autoptr(GMatchInfo) values = NULL;
      Printing printing = { 0 };
      if (translated == formats[i])
        return NULL;
      pattern = make_pattern (formats[i]);
      sentence = g_regex_new (pattern, G_REGEX_DOTALL, 0, NULL);
      if (!g_regex_match (sentence, note, 0, &values))
        continue;
      printing.values = values;
      return g_regex_replace_eval (conversion, translated, -1, 0, 0, print_cb, &printing, NULL);
    }
  return NULL;
}
