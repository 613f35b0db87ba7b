/* SPDX-License-Identifier: Apache-2.0 */
/* race-view.h - a comparison of two ways to train: how far it is, its curves, and the result. */
#pragma once

#include <adwaita.h>

#include "app/train/race.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_RACE_VIEW (urbarium_race_view_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRaceView, urbarium_race_view, URBARIUM, RACE_VIEW, AdwBin)

/* @race: (nullable) */
void urbarium_race_view_set_race (UrbariumRaceView *self, UrbariumRace *race);

G_END_DECLS
