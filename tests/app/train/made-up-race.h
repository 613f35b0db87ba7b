/* SPDX-License-Identifier: Apache-2.0 */
/* made-up-race.h - a comparison of two ways to train, without training. */
#pragma once

#include "city/race-file.h"

G_BEGIN_DECLS

/* Writes hogwild:2 against one process, with @n_seeds trainings of each, of which the first is twice as fast.
 * @folder: made if missing */
void made_up_race (const char *folder, UrbRaceState state, int n_seeds);

G_END_DECLS
