/* SPDX-License-Identifier: Apache-2.0 */
/* race-text.h - a comparison of two ways to train in the user's words. All return (transfer full). */
#pragma once

#include "app/train/race.h"

G_BEGIN_DECLS

/* "Hogwild, 2 processes" */
char *urbarium_race_dup_arm    (const UrbQualityRace *race, int arm);
/* What it does now: "Training of Hogwild, 2 processes; seed 2 of 3" */
char *urbarium_race_dup_stage  (UrbariumRace *race);
/* The result, or why there is none. */
char *urbarium_race_dup_answer (UrbariumRace *race);
/* "250 s (210 s to 300 s)", "never". @n_seeds: without a range if 1 */
char *urbarium_race_dup_time   (UrbSpread seconds, int n_seeds);
/* "0.85 (0.80 to 0.90)" */
char *urbarium_race_dup_spread (UrbSpread values, int n_decimals, int n_seeds);

G_END_DECLS
