/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quality-race.h - compares the quality over time of two ways to train on one machine.
 *
 * Quality is the score of evaluate.h; lower is better.  The primary metric is the time to
 * a fixed score (DAWNBench, Coleman et al. 2018, arXiv 1806.01427), not throughput, since
 * more images per second may contribute less each.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

enum
{
  URB_RACE_N_ARMS = 2,
  URB_RACE_SMOOTH = 3,   /* window of the moving average, in evaluations */
  URB_RACE_N_FACTORS = 3 /* learning rates that are tried */
};

/* Seconds of the trainings, if those that count take @minutes each: the trial of an arm's speed, one of
 * each learning rate, and all of both arms. */
double urb_race_get_trial_s   (double minutes);
double urb_race_get_tuning_s  (double minutes);
double urb_race_get_planned_s (double minutes, int n_seeds);

typedef struct
{
  double seconds; /* of training */
  gint64 step, images;
  double score;   /* geometric mean of rho; NaN if undefined */
} UrbQualityPoint;

typedef struct
{
  int     arm;
  guint64 seed;
  double  images_per_s;
  GArray *points; /* (element-type UrbQualityPoint) owned; in order of time */
  gboolean complete; /* all of its scores are there */
} UrbQualityCurve;

typedef struct
{
  char      *arms[URB_RACE_N_ARMS];      /* owned; names; the second arm is the baseline */
  gboolean   is_single[URB_RACE_N_ARMS]; /* a single process */
  double     lr_factor[URB_RACE_N_ARMS]; /* tuned factor for the recipe's learning rates */
  double     budget_s;                   /* of each run */
  GPtrArray *curves;                     /* (element-type UrbQualityCurve) owned */
} UrbQualityRace;

UrbQualityRace *urb_quality_race_new  (const char *first, const char *second);
/* Whether a way is compared with itself; the second one's name says so then. */
gboolean        urb_quality_race_is_again (const UrbQualityRace *self);
void            urb_quality_race_free (UrbQualityRace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbQualityRace, urb_quality_race_free)

/* Adds a curve without points, owned by @self.  (transfer none) */
UrbQualityCurve *urb_quality_race_add (UrbQualityRace *self, int arm, guint64 seed);

/* (nullable): the scored training of @arm with @seed */
const UrbQualityCurve *urb_quality_race_find (const UrbQualityRace *self, int arm, guint64 seed);
/* Removes the curves of trainings that were not scored to the end. */
void urb_quality_race_remove_incomplete (UrbQualityRace *self);

/* The mean of the scores at @index and the URB_RACE_SMOOTH - 1 before it; NaN if there are
 * fewer. */
double urb_quality_curve_smooth (const UrbQualityCurve *self, guint index);

/* Over the seeds of an arm; infinite: never. */
typedef struct
{
  double median, min, max;
} UrbSpread;

typedef struct
{
  int       n_seeds;   /* of the arm with fewer seeds */
  double    threshold; /* 1.5 times the baseline's best smoothed score */
  UrbSpread seconds[URB_RACE_N_ARMS]; /* until the smoothed score reaches the threshold */
  UrbSpread best[URB_RACE_N_ARMS];    /* best smoothed score */
  UrbSpread images_per_s[URB_RACE_N_ARMS];
  int       winner;  /* the arm; -1: the seeds differ more than the arms */
  gboolean  by_time; /* FALSE: by the best score, since no arm reached the threshold */
} UrbQualityVerdict;

/* Returns: %FALSE if the baseline has no smoothed score */
gboolean urb_quality_race_judge (const UrbQualityRace *self, UrbQualityVerdict *out);

/* The verdict and its numbers in one sentence.  (transfer full) */
char    *urb_quality_race_dup_sentence (const UrbQualityRace *self, const UrbQualityVerdict *verdict);
/* One line per point.  (transfer full) */
char    *urb_quality_race_dup_csv (const UrbQualityRace *self);
/* Plots the smoothed scores over time, one line per seed. */
gboolean urb_quality_race_write_svg (const UrbQualityRace *self, const UrbQualityVerdict *verdict,
                                     const char *path, GError **error);

G_END_DECLS
