/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison.h - compares the measures of groups of tiles with those of real, held-out areas.
 */
#pragma once

#include "city/distance.h"
#include "city/set-distance.h"

G_BEGIN_DECLS

typedef enum
{
  URB_GROUP_REAL,      /* areas that no training used */
  URB_GROUP_GENERATED,
  URB_GROUP_UNTRAINED, /* by the same networks before training */
  URB_GROUP_TRAIN,     /* training areas: the result of perfect memorization */
  URB_N_GROUPS
} UrbGroup;

extern const char *const urb_group_names[URB_N_GROUPS]; /* "real", "generated", … */

typedef struct
{
  UrbNoise noise;                  /* real against real */
  double   median[URB_N_GROUPS];   /* of the values; NaN if there are none */
  double   distance[URB_N_GROUPS]; /* to the real group */
  double   limit;                  /* what real areas differ by: noise.q95, or the distance of the
                                    * training areas if that is larger */
  double   rho[URB_N_GROUPS];      /* distance / limit, of the training areas distance /
                                    * noise.q95; NaN if noise.q95 is 0 or the group is empty */
  gboolean half_off;               /* the generated median is off by half or more, and by more
                                    * than noise.medians_q95 */
  int      rank;                   /* 1: the largest rho of the generated areas; 0: no rho */
} UrbMeasureResult;

typedef enum
{
  URB_VERDICT_NONE,    /* too few real areas or places */
  URB_VERDICT_ALIKE,   /* score up to 1, and no measure beyond 1.5 times the limit */
  URB_VERDICT_CLOSE,   /* score up to 2 */
  URB_VERDICT_SIMILAR, /* score up to 5, or a single measure that is clearly off */
  URB_VERDICT_FAR
} UrbVerdict;

extern const char *const urb_verdict_names[]; /* "none", "alike", … */

enum
{
  /* With fewer held-out areas or places there is no verdict. */
  URB_VERDICT_MIN_AREAS = 20,
  URB_VERDICT_MIN_PLACES = 3,
  URB_VERDICT_N_WORST = 3
};

/* Areas as wholes; see area-features.h.  NaN where there are too few. */
typedef struct
{
  UrbKid kid;       /* from the real areas */
  double precision; /* share of the group's areas that are like real ones */
  double recall;    /* share of the real areas that are like some of the group */
} UrbSetResult;

typedef struct
{
  int              size_px; /* at which the tiles were measured */
  guint            n_places; /* of the real areas; set before urb_comparison_run() */
  UrbMeasurements *measured[URB_N_GROUPS]; /* owned */
  UrbMeasureResult results[URB_N_MEASURES];
  UrbSetResult     sets[URB_N_GROUPS];
  double           score[URB_N_GROUPS]; /* geometric mean of rho; NaN for the real group */
  UrbVerdict       verdict;
  guint            n_ranked;
  UrbMeasure       ranking[URB_N_MEASURES]; /* measures with a rho, worst first */
  guint            n_worst;  /* the first in the ranking, as far as they are beyond the limit */
} UrbComparison;

UrbComparison *urb_comparison_new  (int size_px); /* nothing measured */
void           urb_comparison_free (UrbComparison *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbComparison, urb_comparison_free)

/* Whether any tile has a value. */
gboolean       urb_comparison_has  (const UrbComparison *self, UrbMeasure measure);

/* Compares the groups as measured: sets all results.  @seed: of the random halves */
void           urb_comparison_run  (UrbComparison *self, guint64 seed);

G_END_DECLS
