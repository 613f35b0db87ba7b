/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quality-race.c - compares the two arms; see quality-race.h.  The plot is in
 * quality-race-plot.c.
 */
#include "city/quality-race.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"

static const char again[] = " (again)";

static void
curve_free (gpointer data)
{
  UrbQualityCurve *self = data;

  g_array_unref (self->points);
  g_free (self);
}

UrbQualityRace *
urb_quality_race_new (const char *first, const char *second)
{
  UrbQualityRace *self = g_new0 (UrbQualityRace, 1);

  *self = (UrbQualityRace) {
    .arms = { g_strdup (first),
              g_str_equal (first, second) ? g_strconcat (second, again, NULL)
                                          : g_strdup (second) },
    .lr_factor = { 1, 1 },
    .curves = g_ptr_array_new_with_free_func (curve_free),
  };
  return self;
}

void
urb_quality_race_free (UrbQualityRace *self)
{
  if (self == NULL)
    return;
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    g_free (self->arms[arm]);
  g_ptr_array_unref (self->curves);
  g_free (self);
}

UrbQualityCurve *
urb_quality_race_add (UrbQualityRace *self, int arm, guint64 seed)
{
  UrbQualityCurve *curve = g_new0 (UrbQualityCurve, 1);

  *curve = (UrbQualityCurve) { .arm = arm, .seed = seed,
                               .points = g_array_new (FALSE, FALSE, sizeof (UrbQualityPoint)) };
  g_ptr_array_add (self->curves, curve);
  return curve;
}

gboolean
urb_quality_race_is_again (const UrbQualityRace *self)
{
  return g_str_has_suffix (self->arms[1], again);
}

const UrbQualityCurve *
urb_quality_race_find (const UrbQualityRace *self, int arm, guint64 seed)
{
  for (guint i = 0; i < self->curves->len; i++)
    {
      const UrbQualityCurve *curve = self->curves->pdata[i];

      if (curve->arm == arm && curve->seed == seed && curve->complete)
        return curve;
    }
  return NULL;
}

void
urb_quality_race_remove_incomplete (UrbQualityRace *self)
{
  for (guint i = self->curves->len; i-- > 0;)
    if (!((const UrbQualityCurve *) self->curves->pdata[i])->complete)
      g_ptr_array_remove_index (self->curves, i);
}

/* ------------------------------------------------------------------------ */
/* The plan                                                                  */

double
urb_race_get_trial_s (double minutes)
{
  const double min = 5, max = 15;

  return CLAMP (6 * minutes, min, max);
}

double
urb_race_get_tuning_s (double minutes)
{
  return 20 * minutes;
}

double
urb_race_get_planned_s (double minutes, int n_seeds)
{
  return URB_RACE_N_ARMS * (urb_race_get_trial_s (minutes) + URB_RACE_N_FACTORS * urb_race_get_tuning_s (minutes)
                            + n_seeds * 60 * minutes);
}

/* ------------------------------------------------------------------------ */
/* Judging                                                                   */

double
urb_quality_curve_smooth (const UrbQualityCurve *self, guint index)
{
  double sum = 0;

  if (index + 1 < URB_RACE_SMOOTH)
    return NAN;
  for (guint i = index + 1 - URB_RACE_SMOOTH; i <= index; i++)
    sum += g_array_index (self->points, UrbQualityPoint, i).score;
  return sum / URB_RACE_SMOOTH;
}

static double
get_best (const UrbQualityCurve *self, double unused)
{
  double best = INFINITY;

  for (guint i = 0; i < self->points->len; i++)
    best = fmin (best, urb_quality_curve_smooth (self, i)); /* fmin() ignores a NaN */
  return best;
}

static double
get_seconds_to (const UrbQualityCurve *self, double threshold)
{
  for (guint i = 0; i < self->points->len; i++)
    if (urb_quality_curve_smooth (self, i) <= threshold)
      return g_array_index (self->points, UrbQualityPoint, i).seconds;
  return INFINITY;
}

static double
get_speed (const UrbQualityCurve *self, double unused)
{
  return self->images_per_s;
}

/* The spread of a value over the curves of @arm. */
static UrbSpread
spread (const UrbQualityRace *self, int arm, double threshold,
        double (*get) (const UrbQualityCurve *curve, double threshold))
{
  g_autoptr(GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
  const double *sorted;
  guint n;

  for (guint i = 0; i < self->curves->len; i++)
    {
      const UrbQualityCurve *curve = self->curves->pdata[i];
      double value = get (curve, threshold);

      if (curve->arm == arm)
        g_array_append_val (values, value);
    }
  n = values->len;
  if (n == 0)
    return (UrbSpread) { INFINITY, INFINITY, INFINITY };
  qsort (values->data, n, sizeof (double), urb_compare_doubles);
  sorted = (const double *) (gpointer) values->data;
  return (UrbSpread) {
    .median = n % 2 == 1 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]),
    .min = sorted[0],
    .max = sorted[n - 1],
  };
}

/* The arm whose worst seed beats the other's best; -1: neither. */
static int
compare_spreads (const UrbSpread values[URB_RACE_N_ARMS])
{
  if (values[0].max < values[1].min)
    return 0;
  return values[1].max < values[0].min ? 1 : -1;
}

static int
count_curves (const UrbQualityRace *self, int arm)
{
  int n = 0;

  for (guint i = 0; i < self->curves->len; i++)
    n += ((const UrbQualityCurve *) self->curves->pdata[i])->arm == arm;
  return n;
}

gboolean
urb_quality_race_judge (const UrbQualityRace *self, UrbQualityVerdict *out)
{
  const double factor = 1.5;

  *out = (UrbQualityVerdict) { .n_seeds = MIN (count_curves (self, 0), count_curves (self, 1)) };
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    out->best[arm] = spread (self, arm, 0, get_best);
  if (!isfinite (out->best[1].min))
    return FALSE;
  out->threshold = factor * out->best[1].min;
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    {
      out->seconds[arm] = spread (self, arm, out->threshold, get_seconds_to);
      out->images_per_s[arm] = spread (self, arm, 0, get_speed);
    }
  out->winner = compare_spreads (out->seconds);
  out->by_time = out->winner >= 0 || isfinite (out->seconds[0].median)
                 || isfinite (out->seconds[1].median);
  if (!out->by_time)
    out->winner = compare_spreads (out->best);
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Text                                                                      */

static char *
describe_seconds (UrbSpread seconds)
{
  if (!isfinite (seconds.min))
    return g_strdup ("never");
  if (!isfinite (seconds.median))
    return g_strdup_printf ("never in most runs, in the best after %.3g s", seconds.min);
  if (!isfinite (seconds.max))
    return g_strdup_printf ("after %.3g s (%.3g s to never)", seconds.median, seconds.min);
  return g_strdup_printf ("after %.3g s (%.3g to %.3g)", seconds.median, seconds.min, seconds.max);
}

char *
urb_quality_race_dup_sentence (const UrbQualityRace *self, const UrbQualityVerdict *verdict)
{
  int winner = verdict->winner;
  g_autofree char *answer
    = winner < 0 ? g_strdup ("No clear difference here, since the seeds differ more")
      : self->is_single[winner] && !self->is_single[1 - winner]
        ? g_strdup ("One process is best here")
        : g_strdup_printf ("%s is best here", self->arms[winner]);
  g_autofree char *first = describe_seconds (verdict->seconds[0]);
  g_autofree char *second = describe_seconds (verdict->seconds[1]);

  return g_strdup_printf (
    "%s: %s reaches the score %.3g %s, %s %s; within %.3g s their best scores are %.3g (%.3g to "
    "%.3g) and %.3g (%.3g to %.3g), at %.1f and %.1f images/s, with %g and %g times the recipe's "
    "learning rates, over %d seed%s%s.",
    answer, self->arms[0], verdict->threshold, first, self->arms[1], second, self->budget_s,
    verdict->best[0].median, verdict->best[0].min, verdict->best[0].max, verdict->best[1].median,
    verdict->best[1].min, verdict->best[1].max, verdict->images_per_s[0].median,
    verdict->images_per_s[1].median, self->lr_factor[0], self->lr_factor[1], verdict->n_seeds,
    verdict->n_seeds == 1 ? "" : "s",
    verdict->n_seeds < 3 ? ", which is too few for a reliable result" : "");
}

static void
append_number (GString *csv, double value, char end)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE] = "";

  if (isfinite (value))
    g_ascii_formatd (text, sizeof text, "%.6g", value);
  g_string_append_printf (csv, "%s%c", text, end);
}

char *
urb_quality_race_dup_csv (const UrbQualityRace *self)
{
  g_autoptr(GString) csv
    = g_string_new ("arm,seed,lr_factor,images_per_s,seconds,step,images,score,smoothed\n");

  for (guint i = 0; i < self->curves->len; i++)
    {
      const UrbQualityCurve *curve = self->curves->pdata[i];

      for (guint k = 0; k < curve->points->len; k++)
        {
          const UrbQualityPoint *point = &g_array_index (curve->points, UrbQualityPoint, k);

          g_string_append_printf (csv, "\"%s\",%" G_GUINT64_FORMAT ",", self->arms[curve->arm],
                                  curve->seed);
          append_number (csv, self->lr_factor[curve->arm], ',');
          append_number (csv, curve->images_per_s, ',');
          append_number (csv, point->seconds, ',');
          g_string_append_printf (csv, "%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",", point->step,
                                  point->images);
          append_number (csv, point->score, ',');
          append_number (csv, urb_quality_curve_smooth (curve, k), '\n');
        }
    }
  return g_string_free (g_steal_pointer (&csv), FALSE);
}
