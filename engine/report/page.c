/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.c - see page.h.
 *
 * Beside escaping, the page tells the browser to run and to fetch nothing at all.
 */
#include "report/page.h"

#include <math.h>
#include <stdio.h>

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
  GString *page = g_string_new ("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
  g_autofree char *shown = urb_show_text (title);

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
urb_page_add_png (GString *page, const guint8 *png, gsize n_bytes)
{
  g_autofree char *text = g_base64_encode (png, n_bytes);

  g_string_append (page, "data:image/png;base64,");
  g_string_append (page, text);
}

/* ------------------------------------------------------------------------ */
/* Numbers                                                                   */

/* Puts a comma before every three digits of the whole number that @text begins with. */
static char *
group_digits (const char *text)
{
  GString *grouped = g_string_new (text);
  gssize first = *text == '-' ? 1 : 0, end = first;

  while (g_ascii_isdigit (text[end]))
    end++;
  for (gssize at = end - 3; at > first; at -= 3)
    g_string_insert_c (grouped, at, ',');
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
    return g_strdup_printf ("%" G_GINT64_FORMAT " s", s);
  if (h == 0)
    return g_strdup_printf ("%" G_GINT64_FORMAT " min", min);
  if (h < 48)
    return g_strdup_printf ("%" G_GINT64_FORMAT " h %" G_GINT64_FORMAT " min", h, min % 60);
  return g_strdup_printf ("%" G_GINT64_FORMAT " d %" G_GINT64_FORMAT " h", h / 24, h % 24);
}

char *
urb_page_dup_time (double seconds)
{
  static const char *const months[] = { "January", "February", "March", "April", "May", "June", "July", "August",
                                        "September", "October", "November", "December" };
  g_autoptr(GDateTime) time = g_date_time_new_from_unix_local ((gint64) fmin (fmax (seconds, 0), 1e11));

  return time == NULL ? g_strdup ("–")
                      : g_strdup_printf ("%d %s %d, %02d:%02d", g_date_time_get_day_of_month (time),
                                         months[g_date_time_get_month (time) - 1], g_date_time_get_year (time),
                                         g_date_time_get_hour (time), g_date_time_get_minute (time));
}
