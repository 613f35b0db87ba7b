/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.c - printf's ' flag groups digits as LC_NUMERIC says.  Some locales group with a space
 * of another charset, so the result is converted to valid UTF-8.  Others, such as C, do not
 * group at all; there we insert the narrow spaces of ISO 80000-1.
 */
#include "app/base/format.h"

#include <glib/gi18n.h>
#include <langinfo.h>
#include <math.h>
#include <string.h>

#define NARROW_SPACE "\u202f" /* does not break lines */

static char *
take_utf8 (char *text)
{
  char *valid = g_utf8_make_valid (text, -1);
  g_free (text);
  return valid;
}

/* @text: (transfer full): a number as printf writes it */
static char *
take_number (char *text)
{
  g_autofree char *number = take_utf8 (text);
  gsize begin = strcspn (number, "0123456789"), n = strspn (number + begin, "0123456789");
  GString *grouped;
  if (*nl_langinfo (THOUSEP) != '\0' || n < 4)
    return g_steal_pointer (&number);
  grouped = g_string_new_len (number, (gssize) begin);
  for (gsize i = 0; i < n; i++)
    {
      if (i > 0 && (n - i) % 3 == 0)
        g_string_append (grouped, NARROW_SPACE);
      g_string_append_c (grouped, number[begin + i]);
    }
  g_string_append (grouped, number + begin + n);
  return g_string_free (grouped, FALSE);
}

char *
urbarium_format_count (gint64 count)
{
  return take_number (g_strdup_printf ("%'" G_GINT64_FORMAT, count));
}

char *
urbarium_format_number (double value, int n_decimals)
{
  return take_number (g_strdup_printf ("%'.*f", n_decimals, value));
}

char *
urbarium_format_value (double value)
{
  double size = fabs (value);
  if (!isfinite (value))
    return g_strdup (isnan (value) ? "–" : value > 0 ? "∞" : "−∞");
  if (size != 0 && (size < 1e-4 || size >= 1e7))
    return take_utf8 (g_strdup_printf ("%.3g", value));
  if (size >= 1000)
    return urbarium_format_number (value, 0);
  return take_utf8 (g_strdup_printf ("%.4g", value));
}

char *
urbarium_format_percent (double share)
{
  g_autofree char *number = urbarium_format_number (100 * share, 1);
  /* translators: a share: 12.3 % */
  return g_strdup_printf (_ ("%s %%"), number);
}

char *
urbarium_format_area (double area_m2)
{
  const char *unit = area_m2 < 1e4 ? "m²" : area_m2 < 1e6 ? "ha" : "km²";
  double value = area_m2 < 1e4 ? area_m2 : area_m2 < 1e6 ? area_m2 / 1e4 : area_m2 / 1e6;
  g_autofree char *number = urbarium_format_number (value, area_m2 < 1e4 ? 0 : value < 10 ? 2 : 1);
  return g_strdup_printf ("%s %s", number, unit);
}

char *
urbarium_format_length (double length_m)
{
  gboolean near = fabs (length_m) < 1000;
  g_autofree char *number = urbarium_format_number (near ? length_m : length_m / 1000, 1);
  return g_strdup_printf ("%s %s", number, near ? "m" : "km");
}

char *
urbarium_format_bytes (gint64 n_bytes)
{
  return g_format_size ((guint64) MAX (n_bytes, 0));
}

char *
urbarium_format_duration (double seconds)
{
  gint64 s = (gint64) llround (MAX (seconds, 0));
  gint64 min = s / 60, h = min / 60, d = h / 24;
  if (s < 90)
    /* translators: seconds */
    return g_strdup_printf (_ ("%d s"), (int) s);
  if (min < 60)
    /* translators: minutes */
    return g_strdup_printf (_ ("%d min"), (int) min);
  if (h < 24)
    /* translators: hours and minutes */
    return g_strdup_printf (_ ("%d h %d min"), (int) h, (int) (min % 60));
  /* translators: days and hours */
  return g_strdup_printf (_ ("%d d %d h"), (int) d, (int) (h % 24));
}

char *
urbarium_format_time (gint64 unix_time)
{
  g_autoptr(GDateTime) time = g_date_time_new_from_unix_local (unix_time);
  return time == NULL ? g_strdup ("–") : g_date_time_format (time, "%x %R");
}
