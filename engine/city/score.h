/* SPDX-License-Identifier: Apache-2.0 */
/*
 * score.h - scores the checkpoints of a run in training: evaluate.h in short.
 */
#pragma once

#include "city/comparison.h"
#include "settings/scores.h"

G_BEGIN_DECLS

/* Keeps what it has measured of the real areas. */
typedef struct _UrbScorer UrbScorer;

UrbScorer *urb_scorer_new  (void);
/* Scores few cities by few areas: whether it works, and no figure to rely on. */
UrbScorer *urb_scorer_new_short (void);
void       urb_scorer_free (UrbScorer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbScorer, urb_scorer_free)

/**
 * urb_scorer_score:
 * @scores: (out): without the step
 *
 * Draws cities with the averaged weights, always of the same seeds, and compares them with validation
 * areas of @dataset; without enough of these, with training areas.  It never reads a test area.  Uses one
 * thread.
 *
 * Returns: %FALSE with an error of the checkpoint or the dataset
 */
gboolean   urb_scorer_score (UrbScorer *self, const char *checkpoint, const char *dataset,
                             UrbScores *scores, GError **error);

/* What is plainly wrong with the generated areas, as pixels, beside the real ones: bits of UrbFlaw.
 * @pixels: with results */
guint      urb_score_find_flaws (const UrbComparison *pixels);

G_END_DECLS
