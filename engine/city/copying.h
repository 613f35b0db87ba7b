/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copying.h - whether a generator copies training areas; see docs/evaluation.md.
 */
#pragma once

#include "city/neighbors.h"

G_BEGIN_DECLS

enum { URB_COPYING_MIN_REPEATS = 6 };       /* for a warning */
#define URB_COPYING_MIN_LIMIT (1.0 / 16)    /* one block of sixteen; see docs/evaluation.md */

/* The share from which on a city counts as a copy where there are no held-out areas, from which chance could be
 * estimated: more than the highest of docs/evaluation.md.  And what to say of it, translatable. */
#define URB_COPYING_ALONE_LIMIT 0.1
extern const char *const urb_copying_alone_text;

typedef struct
{
  gint64   n_repeats;     /* generated areas that repeat a training area */
  double   share_repeats; /* among the generated areas */
  double   share_real;    /* held-out areas that repeat one: chance level */
  double   limit;         /* share of its ground from which on an area repeats another */
  gint64   n_shared;      /* held-out areas that are training areas, at least half of them */
  gboolean copies;        /* clearly more than chance */
} UrbCopying;

/* A held-out area with this nearest training area is a training area itself: the split is none. */
gboolean urb_copying_is_shared (const UrbNearest *real);

/**
 * urb_copying_judge:
 * @self: (out)
 * @train: (@n): the training area nearest to each generated area
 * @test: (@n): the held-out area nearest to each generated area, of those that are not shared
 * @real: (@n_real): the training area nearest to each held-out area
 *
 * The limit is what one generated area at most reaches by chance, and at least %URB_COPYING_MIN_LIMIT.  Chance is what
 * held-out areas share with training areas, and generated with held-out ones: its upper tail is taken
 * to be exponential, and extrapolated from the median and the 95 % quantile.
 */
void urb_copying_judge (UrbCopying *self, const UrbNearest *train, const UrbNearest *test, gint64 n,
                        const UrbNearest *real, gint64 n_real);

/* Whether a generated area repeats a training area: it shares as much as the limit with it, and twice
 * as much as with any held-out area. */
gboolean urb_copying_repeats (const UrbCopying *self, const UrbNearest *train,
                              const UrbNearest *test);

G_END_DECLS
