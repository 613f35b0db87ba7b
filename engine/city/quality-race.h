/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quality-race.h - two ways to train on the same machine: which one gives good
 * cities sooner?
 *
 * Quality is the score of evaluate.h, small is good.  The headline is the time
 * to a fixed score (DAWNBench, Coleman et al. 2018, 1806.01427), not speed: a
 * way that does more images in a second may learn less from each.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

enum
{
  URB_RACE_N_ARMS = 2,
  URB_RACE_SMOOTH = 3 /* evaluations in a row that count together */
};

typedef struct
{
  double seconds; /* of training */
  gint64 step, images;
  double score;   /* geometric mean of rho; NaN if it could not be told */
} UrbQualityPoint;

typedef struct
{
  int     arm;
  guint64 seed;
  double  images_per_s;
  GArray *points; /* (element-type UrbQualityPoint) owned; in the order of time */
} UrbQualityCurve;

typedef struct
{
  char      *arms[URB_RACE_N_ARMS];      /* owned; what is compared; the second is the baseline */
  gboolean   is_single[URB_RACE_N_ARMS]; /* one process */
  double     lr_factor[URB_RACE_N_ARMS]; /* of the recipe's learning rates, as tuned */
  double     budget_s;                   /* of each run */
  GPtrArray *curves;                     /* (element-type UrbQualityCurve) owned */
} UrbQualityRace;

UrbQualityRace *urb_quality_race_new  (const char *first, const char *second);
void            urb_quality_race_free (UrbQualityRace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbQualityRace, urb_quality_race_free)

/* A new curve, without points, that belongs to @self. (transfer none) */
UrbQualityCurve *urb_quality_race_add (UrbQualityRace *self, int arm, guint64 seed);

/* Mean of the scores at @index and the URB_RACE_SMOOTH - 1 before it; NaN where there are not so
 * many. */
double urb_quality_curve_smooth (const UrbQualityCurve *self, guint index);

/* Over the seeds of an arm; infinite: never. */
typedef struct
{
  double median, min, max;
} UrbSpread;

typedef struct
{
  int       n_seeds;   /* of the arm that has fewer */
  double    threshold; /* 1.5 times the baseline's best smoothed score */
  UrbSpread seconds[URB_RACE_N_ARMS]; /* until the smoothed score is at the threshold */
  UrbSpread best[URB_RACE_N_ARMS];    /* best smoothed score */
  UrbSpread images_per_s[URB_RACE_N_ARMS];
  int       winner;  /* the arm; -1: the seeds differ more than the arms */
  gboolean  by_time; /* else nobody, or both at once, came to the threshold: by the best score */
} UrbQualityVerdict;

/* Returns: %FALSE if the baseline has no smoothed score at all */
gboolean urb_quality_race_judge (const UrbQualityRace *self, UrbQualityVerdict *out);

/* The answer, and the numbers behind it, in one sentence. (transfer full) */
char    *urb_quality_race_dup_sentence (const UrbQualityRace *self, const UrbQualityVerdict *verdict);
/* A line for each point. (transfer full) */
char    *urb_quality_race_dup_csv (const UrbQualityRace *self);
/* Smoothed scores over time, a line for each seed, as a drawing. */
gboolean urb_quality_race_write_svg (const UrbQualityRace *self, const UrbQualityVerdict *verdict,
                                     const char *path, GError **error);

G_END_DECLS
