/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each sentence is found by its format, of which only names and numbers differ, and printed again by the translated format,
 * which may have these in another order.
 */
#include "app/base/engine-texts.h"

#include <glib/gi18n.h>
#include <string.h>

/* All of urbarium.pot that are from the engine. */
static const char *const formats[] = {
#include "app/base/engine-texts.inc"
};

/* None of the sentences has more. */
#define MAX_VALUES 9
#define MAX_LEVELS 3
#define CONVERSIONS "dufsg" /* the last letters of them */

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
  gsize n_literal = strcspn (format, "%"), n_values = 0;

  if (strncmp (note, format, n_literal) != 0)
    return FALSE;
  note += n_literal;
  for (format += n_literal; *format != '\0'; format += n_literal)
    {
      const char *end;
      format = skip_conversion (format);
      n_literal = strcspn (format, "%");
      end = find_end (note, note_end, format, n_literal);
      if (end == NULL || n_values == MAX_VALUES)
        return FALSE;
      values[n_values++] = (Value) { note, (gsize) (end - note) };
      note = end + n_literal;
    }
  return note == note_end;
}

static char *translate (const char *text, int n_levels);

/* A part of a sentence, as the reason of an error, is translated if it is the engine's, too; names from files are not. */
static void
print_value (GString *text, const Value *value, int n_levels)
{
  g_autofree char *part = g_strndup (value->text, value->n_bytes);
  g_autofree char *translated = translate (part, n_levels);

  g_string_append (text, translated != NULL ? translated : part);
}

static char *
print_values (const char *format, const Value *values, int n_levels)
{
  GString *text = g_string_new (NULL);
  gsize n_literal = strcspn (format, "%"), n_printed = 0;

  g_string_append_len (text, format, (gssize) n_literal);
  for (format += n_literal; *format != '\0'; format += n_literal)
    {
      gsize place = g_ascii_isdigit (format[1]) && format[2] == '$' ? (gsize) (format[1] - '1') : n_printed++;
      if (place < MAX_VALUES && values[place].text != NULL)
        print_value (text, &values[place], n_levels);
      format = skip_conversion (format);
      n_literal = strcspn (format, "%");
      g_string_append_len (text, format, (gssize) n_literal);
    }
  return g_string_free (text, FALSE);
}

/* The bytes of a format apart from its conversions. */
static gsize
measure_literal (const char *format)
{
  gsize n = 0;

  while (TRUE)
    {
      gsize n_literal = strcspn (format, "%");
      n += n_literal;
      if (format[n_literal] == '\0')
        return n;
      format = skip_conversion (format + n_literal);
    }
}

/* Of two formats that fit, the one that says more is meant.
 * @values: (out) (MAX_VALUES).  Returns: (nullable) */
static const char *
find_format (const char *text, Value *values)
{
  const char *best = NULL;
  gsize most = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      Value found[MAX_VALUES] = { 0 };
      gsize n_literal = measure_literal (formats[i]);
      if (n_literal <= most || !find_values (formats[i], text, found))
        continue;
      best = formats[i];
      most = n_literal;
      memcpy (values, found, sizeof found);
    }
  return best;
}

/* @n_levels: of sentences in sentences; a hostile name could have any number of them
 * Returns: (transfer full) (nullable) */
static char *
translate (const char *text, int n_levels)
{
  Value values[MAX_VALUES] = { 0 };
  const char *format = n_levels > 0 ? find_format (text, values) : NULL;
  const char *translated = format != NULL ? _ (format) : NULL;

  return translated != format ? print_values (translated, values, n_levels - 1) : NULL;
}

char *
urbarium_engine_texts_translate (const char *text)
{
  return translate (text, MAX_LEVELS);
}

void
urbarium_engine_texts_translate_error (GError *error)
{
  char *translated = error != NULL ? urbarium_engine_texts_translate (error->message) : NULL;

  if (translated == NULL)
    return;
  g_free (error->message);
  error->message = translated;
}
