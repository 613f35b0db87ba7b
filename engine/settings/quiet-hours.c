/* SPDX-License-Identifier: Apache-2.0 */
#include "settings/quiet-hours.h"

#include <stdio.h>
#include <string.h>

#include "settings/strategy.h"

static gboolean
is_time (int hour, int minute)
{
  return hour >= 0 && hour < 24 && minute >= 0 && minute < 60;
}

gboolean
urb_quiet_hours_parse (const char *text, UrbQuietHours *out, GError **error)
{
  int hours[2], minutes[2], end = 0;

  *out = (UrbQuietHours) { 0 };
  if (text == NULL || strcmp (text, "none") == 0)
    return TRUE;
  if (sscanf (text, "%2d:%2d-%2d:%2d%n", &hours[0], &minutes[0], &hours[1], &minutes[1], &end) == 4 && text[end] == '\0'
      && is_time (hours[0], minutes[0]) && is_time (hours[1], minutes[1]))
    *out = (UrbQuietHours) { hours[0] * 60 + minutes[0], hours[1] * 60 + minutes[1] };
  return out->from != out->to
         || urb_options_fail (error, "The quiet hours “%s” are no range of times; write 08:00-18:00, 22:30-06:00 or none.",
                              text);
}

gboolean
urb_quiet_hours_contain (const UrbQuietHours *self, int minute)
{
  return self->from <= self->to ? minute >= self->from && minute < self->to
                                : minute >= self->from || minute < self->to;
}
