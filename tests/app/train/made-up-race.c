/* SPDX-License-Identifier: Apache-2.0 */
#include "made-up-race.h"

#include <glib/gstdio.h>
#include <math.h>

static void
add_curve (UrbQualityRace *race, int arm, int seed)
{
  UrbQualityCurve *curve = urb_quality_race_add (race, arm, (guint64) seed);
  double pace = arm == 0 ? 2 : 1;
  curve->images_per_s = 150 * pace + 5 * seed;
  for (int i = 1; i <= 12; i++)
    {
      UrbQualityPoint point = { .seconds = 50 * i, .step = 20 * i, .images = 640 * i,
                                .score = 1 + 3 * exp (-0.25 * pace * i) + 0.03 * sin (i * seed) };
      g_array_append_val (curve->points, point);
    }
}

void
made_up_race (const char *folder, UrbRaceState state, int n_seeds)
{
  g_autoptr(UrbQualityRace) race = urb_quality_race_new ("hogwild:2", "single");
  UrbRaceProgress progress = { .state = state, .stage = URB_RACE_TRAIN, .arm = 0, .seed = 2, .trained_s = 2400,
                               .planned_s = urb_race_get_planned_s (10, 3), .started = 1764230400, .n_seeds = 3,
                               .dataset = (char *) "town.gpkg", .problem = (char *) "The disk is full." };
  g_autoptr(GError) error = NULL;
  race->is_single[1] = TRUE;
  race->budget_s = 600;
  race->lr_factor[0] = 0.5;
  for (int seed = 1; seed <= n_seeds; seed++)
    for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
      add_curve (race, arm, seed);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  urb_race_file_save (folder, &progress, race, &error);
  g_assert_no_error (error);
}
