/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flaw-watch.h - what goes wrong in a run, named when it happens.
 *
 * A single score does not count, nor does a generator that has learned little yet: untrained, it has
 * every flaw.
 */
#pragma once

#include "settings/metrics.h"
#include "settings/run-config.h"
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

/* The code of its events. */
const char *urb_flaw_get_code      (UrbFlaw flaw);
/* A sentence, with a remedy. */
const char *urb_flaw_get_text      (UrbFlaw flaw);
const char *urb_flaw_get_over_text (UrbFlaw flaw);

typedef enum
{
  URB_EXPLOSION_UNCHANGED,
  URB_EXPLOSION_BEGUN,
  URB_EXPLOSION_OVER
} UrbExplosionNews;

/* Whether logits, gradients or weights have grown beyond all that a healthy run has, although they are
 * finite.  All zero at first. */
typedef struct
{
  int         n_huge;     /* steps, less the others */
  gboolean    has_weights; /* the weights are huge */
  gint64      sound_step; /* the last one whose weights were measured and not huge */
  gint64      first_step; /* the first that was huge */
  const char *what;       /* (static) what has grown … */
  double      value;      /* … to this */
  gboolean    exploded;
} UrbExplosion;

/**
 * urb_explosion_update:
 *
 * A single huge step does not count: gradient penalties have spikes.
 */
UrbExplosionNews urb_explosion_update         (UrbExplosion *self, const UrbStepMetrics *metrics);
/* @size: root mean square of a network's weights after @step */
UrbExplosionNews urb_explosion_update_weights (UrbExplosion *self, gint64 step, double size);
/* Whether metrics are those of an exploded run. */
gboolean         urb_explosion_is_huge        (const UrbStepMetrics *metrics);
/* A sentence without its end. (transfer full) */
char            *urb_explosion_dup_text       (const UrbExplosion *self);

/* What to do about a run with @options that went wrong, without an end: go back to the checkpoint of
 * @good_step (-1: there is none) with half the learning rates, or change gamma, if it has any part in
 * it. (transfer full) */
char            *urb_flaw_dup_remedy          (const UrbTrainOptions *options, gint64 good_step);

G_END_DECLS
