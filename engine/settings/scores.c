/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scores.c - see scores.h.
 */
#include "settings/scores.h"

const char *const urb_score_names[URB_N_SCORES] = {
  [URB_SCORE_PLANS] = "score",
  [URB_SCORE_PIXELS] = "pixels",
  [URB_SCORE_CONNECTIVITY] = "connectivity",
  [URB_SCORE_HALF_TONES] = "half_tones",
  [URB_SCORE_RECTANGULARITY] = "rectangularity",
  [URB_SCORE_HALL_WALLS] = "hall_walls",
  [URB_SCORE_BLOCKS] = "blocks",
  [URB_SCORE_PRECISION] = "precision",
  [URB_SCORE_RECALL] = "recall",
};
