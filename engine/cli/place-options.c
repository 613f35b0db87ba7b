/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place-options.c - see place-options.h.
 */
#include "cli/place-options.h"

#include <math.h>
#include <stdio.h>

#include "city/city-writer.h"
#include "cli/cli.h"

/* Beyond any coordinate system on Earth. */
#define MAX_PLACE_M 1e8

void
urb_cli_place_options_clear (UrbCliPlaceOptions *self)
{
  g_clear_pointer (&self->place, g_free);
}

void
urb_cli_place_options_add (UrbCliPlaceOptions *self, GOptionContext *options)
{
  const GOptionEntry entries[] = {
    { "place", 0, 0, G_OPTION_ARG_STRING, &self->place,
      "Lower left corner of the vectors: 611000,224000/21781 (an EPSG code)", "X,Y/EPSG" },
    { "rotate", 0, 0, G_OPTION_ARG_DOUBLE, &self->angle_deg,
      "Turn the vectors about that corner, counter-clockwise (0)", "DEG" },
    G_OPTION_ENTRY_NULL
  };

  g_option_context_add_main_entries (options, entries, NULL);
}

static gboolean
parse_place (const char *text, UrbPlace *place)
{
  g_autofree char *unit = NULL;
  int end = 0;

  if (!(sscanf (text, "%lf,%lf/%d%n", &place->x, &place->y, &place->epsg, &end) == 3
        && text[end] == '\0' && place->epsg > 0 && fabs (place->x) <= MAX_PLACE_M
        && fabs (place->y) <= MAX_PLACE_M))
    {
      urb_cli_fail_usage ("--place must be X,Y/EPSG in meters, such as 611000,224000/21781");
      return FALSE;
    }
  unit = urb_city_writer_dup_odd_unit (place->epsg);
  if (unit == NULL)
    return TRUE;
  urb_cli_fail_usage ("--place: EPSG:%d is in %s; choose a projected system in meters",
                      place->epsg, unit);
  return FALSE;
}

gboolean
urb_cli_place_options_apply (const UrbCliPlaceOptions *self, UrbPlace *place)
{
  *place = (UrbPlace) { .angle_deg = self->angle_deg };
  if (!(fabs (self->angle_deg) <= 360))
    {
      urb_cli_fail_usage ("--rotate must be an angle from -360 to 360 degrees");
      return FALSE;
    }
  return self->place == NULL || parse_place (self->place, place);
}
