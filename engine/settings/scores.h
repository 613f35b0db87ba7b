/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scores.h - how a run is scored while it trains: its cities against real areas.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* All but the last two are distances to the real areas, relative to what real areas differ by: up to 1
 * a generator is as good as they are.  See docs/evaluation.md. */
typedef enum
{
  URB_SCORE_PLANS,          /* all measures of the cities as plans: what a run is judged by */
  URB_SCORE_PIXELS,         /* all measures of the generator's pixels */
  URB_SCORE_CONNECTIVITY,   /* single measures of the pixels */
  URB_SCORE_HALF_TONES,
  URB_SCORE_RECTANGULARITY,
  URB_SCORE_HALL_WALLS,
  URB_SCORE_BLOCKS,
  URB_SCORE_PRECISION,      /* share of the cities that are like real areas */
  URB_SCORE_RECALL,         /* share of the real areas that are like some city: diversity */
  URB_N_SCORES
} UrbScore;

/* Names in the database and the protocol: "score", "pixels", … */
extern const char *const urb_score_names[URB_N_SCORES];

/* What is plainly wrong with the cities; a bit each. */
typedef enum
{
  URB_FLAW_HALF_TONES, /* large parts are neither building nor road nor ground */
  URB_FLAW_BLOBS,      /* buildings are ragged, far from rectangles */
  URB_FLAW_STREETS,    /* streets lie in pieces */
  URB_N_FLAWS
} UrbFlaw;

typedef struct
{
  gint64 step;
  double seconds;               /* that the scoring took */
  double values[URB_N_SCORES];  /* NaN: unknown */
  guint  flaws;
} UrbScores;

G_END_DECLS
