/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flaw-watch.h - what goes wrong in a run, named when it happens.
 *
 * A single score does not count, nor does a generator that has learned little yet: untrained, it has
 * every flaw.
 */
#pragma once

#include "settings/metrics.h"
#include "settings/scores.h"

G_BEGIN_DECLS

/* All zero at first. */
typedef struct
{
  guint active;              /* a bit per UrbFlaw that was reported */
  guint learnt;              /* that the generator was without at some time */
  int   n_seen[URB_N_FLAWS]; /* scores in a row */
} UrbFlawWatch;

/**
 * urb_flaw_watch_update:
 * @flaws: of the newest score
 * @images: that the run has seen
 * @over: (out): flaws that were reported and are gone
 *
 * Returns: flaws to report now
 */
guint       urb_flaw_watch_update (UrbFlawWatch *self, guint flaws, gint64 images, guint *over);

/* A sentence, with a remedy. */
const char *urb_flaw_get_text      (UrbFlaw flaw);
const char *urb_flaw_get_over_text (UrbFlaw flaw);

/* Whether losses, logits or gradients have grown beyond all that a healthy run has.  All zero at first. */
typedef struct
{
  int      n_huge;     /* steps, less the others */
  gint64   first_step; /* the first of them */
  gboolean exploded;
} UrbExplosion;

/**
 * urb_explosion_update:
 *
 * A single huge step does not count: gradient penalties have spikes.
 *
 * Returns: (transfer full) (nullable): a sentence, once
 */
char       *urb_explosion_update (UrbExplosion *self, const UrbStepMetrics *metrics);

G_END_DECLS
