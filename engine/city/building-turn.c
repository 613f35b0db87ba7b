/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-turn.c - composes a large building in the direction that explains it best.
 *
 * The walls of a hall that a generator draws wave, so they show their direction badly, and the street's
 * may be pulled too far.  A wall that slants on the grid of rectangles becomes a flight of stairs: many corners
 * where another direction needs few.
 */
#include "city/building-private.h"

#include <math.h>

/* Directions nearer than this are the same. */
static const double least_turn = 0.08;
/* Neighbors and streets give a good reason for a direction: another one must be this much cheaper. */
static const double preference = 0.85;

static gboolean
are_alike (double a, double b)
{
  double turns = (b - a) / (G_PI / 2);

  return fabs (turns - floor (turns + 0.5)) * G_PI / 2 < least_turn;
}

static double
get_cost (const UrbBuildingDraft *draft, const UrbBuildingField *field,
          const UrbBuildingGrain *grain)
{
  return urb_building_draft_misfit (draft, field) + grain->part_px2 * draft->points->len;
}

UrbBuildingDraft *
urb_building_compose_turned (const UrbBuildingField *field, guint part,
                             const UrbBuildingDirection *direction, const UrbBuildingGrain *grain)
{
  g_autoptr(UrbBuildingDraft) best = urb_building_compose (field, part, direction->angle, grain);
  const double others[] = { direction->own, direction->axis };
  double least;

  if (best == NULL || best->points->len <= 4)
    return g_steal_pointer (&best);
  least = preference * get_cost (best, field, grain);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autoptr(UrbBuildingDraft) draft = NULL;

      if (are_alike (direction->angle, others[i]))
        continue;
      draft = urb_building_compose (field, part, others[i], grain);
      if (draft == NULL || get_cost (draft, field, grain) >= least)
        continue;
      least = get_cost (draft, field, grain);
      urb_building_draft_free (best);
      best = g_steal_pointer (&draft);
    }
  return g_steal_pointer (&best);
}
