/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.c - see page.h.
 *
 * Beside escaping, the page tells the browser to run and to fetch nothing at all.
 */
#include "report/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <glib/gi18n.h>

#include "base/show-text.h"

void
urb_page_add (GString *page, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_markup_vprintf_escaped (format, args);
  va_end (args);
  g_string_append (page, text);
}

GString *
urb_page_new (const char *title, const char *style)
{
  GString *page = g_string_new ("<!DOCTYPE html>\n");
  g_autofree char *shown = urb_show_text (title);

  /* translators: the code of your language, for web pages: "de" */
  urb_page_add (page, "<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\"/>\n", _ ("en"));
  g_string_append (page, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                         "img-src data:; style-src 'unsafe-inline'\"/>\n"
                         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                         "<meta name=\"color-scheme\" content=\"light dark\"/>\n");
  urb_page_add (page, "<meta name=\"generator\" content=\"Urbarium %s\"/>\n<title>%s</title>\n", URBARIUM_VERSION, shown);
  g_string_append_printf (page, "<style>\n%s</style>\n</head>\n<body>\n", style);
  return page;
}

void
urb_page_end (GString *page)
{
  g_string_append (page, "</body>\n</html>\n");
}

void
urb_page_begin_section (GString *page, const char *heading)
{
  urb_page_add (page, "<section><h2>%s</h2>\n", heading);
}

void
urb_page_add_paragraph (GString *page, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  urb_page_add (page, "<p>%s</p>\n", text);
}

void
urb_page_add_png (GString *page, const guint8 *png, gsize n_bytes)
{
  g_autofree char *text = g_base64_encode (png, n_bytes);

  g_string_append (page, "data:image/png;base64,");
  g_string_append (page, text);
}

/* ------------------------------------------------------------------------ */
/* Numbers                                                                   */

/* What the language puts between thousands and before decimals. */
static void
find_separators (char *between, char *before, gsize size)
{
  /* translators: how your language writes this number; only what is between its digits matters */
  const char *number = _ ("1,234.5");
  const char *second = strchr (number, '2'), *third = strchr (number, '4'), *end = strchr (number, '5');

  g_strlcpy (between, ",", size);
  g_strlcpy (before, ".", size);
  if (*number == '1' && second != NULL && (gsize) (second - number) <= size)
    g_strlcpy (between, number + 1, (gsize) (second - number));
  if (third != NULL && end != NULL && end > third && (gsize) (end - third) <= size)
    g_strlcpy (before, third + 1, (gsize) (end - third));
}

enum { SEPARATOR_BYTES = 8 };

char *
urb_page_dup_point (const char *number)
{
  char between[SEPARATOR_BYTES], before[SEPARATOR_BYTES];
  GString *text = g_string_new (number);

  find_separators (between, before, SEPARATOR_BYTES);
  g_string_replace (text, ".", before, 1);
  return g_string_free (text, FALSE);
}

/* Separates every three digits of the whole number that @text begins with. */
static char *
group_digits (const char *text)
{
  char between[SEPARATOR_BYTES], before[SEPARATOR_BYTES];
  GString *grouped = g_string_new (text);
  gssize first = *text == '-' ? 1 : 0, end = first;

  find_separators (between, before, SEPARATOR_BYTES);
  while (g_ascii_isdigit (text[end]))
    end++;
  if (text[end] == '.')
    {
      g_string_erase (grouped, end, 1);
      g_string_insert (grouped, end, before);
    }
  for (gssize at = end - 3; at > first; at -= 3)
    g_string_insert (grouped, at, between);
  return g_string_free (grouped, FALSE);
}

char *
urb_page_dup_count (gint64 count)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, count);

  return group_digits (text);
}

char *
urb_page_dup_value (double value)
{
  g_autofree char *text = NULL;

  if (!isfinite (value))
    return g_strdup ("–");
  if (fabs (value) >= 100 && fabs (value) < 1e12)
    text = g_strdup_printf ("%.0f", value);
  else
    text = g_strdup_printf ("%.3g", value);
  return group_digits (text);
}

char *
urb_page_dup_duration (double seconds)
{
  gint64 s = (gint64) fmin (fmax (seconds, 0), 1e12), min = s / 60, h = min / 60;

  if (min == 0)
    /* translators: seconds */
    return g_strdup_printf (_ ("%d s"), (int) s);
  if (h == 0)
    /* translators: minutes */
    return g_strdup_printf (_ ("%d min"), (int) min);
  if (h < 48)
    /* translators: hours and minutes */
    return g_strdup_printf (_ ("%d h %d min"), (int) h, (int) (min % 60));
  /* translators: days and hours */
  return g_strdup_printf (_ ("%d d %d h"), (int) (h / 24), (int) (h % 24));
}

char *
urb_page_dup_time (double seconds)
{
  static const char *const months[] = { N_ ("January"), N_ ("February"), N_ ("March"), N_ ("April"), N_ ("May"), N_ ("June"),
                                        N_ ("July"), N_ ("August"), N_ ("September"), N_ ("October"), N_ ("November"),
                                        N_ ("December") };
  g_autoptr(GDateTime) time = g_date_time_new_from_unix_local ((gint64) fmin (fmax (seconds, 0), 1e11));

  return time == NULL ? g_strdup ("–")
                      /* translators: day, month, year, hour and minute: "27 November 2026, 09:41" */
                      : g_strdup_printf (_ ("%1$d %2$s %3$d, %4$02d:%5$02d"), g_date_time_get_day_of_month (time),
                                         _ (months[g_date_time_get_month (time) - 1]), g_date_time_get_year (time),
                                         g_date_time_get_hour (time), g_date_time_get_minute (time));
}
