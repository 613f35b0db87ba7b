/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate-finder.c - see rate-finder.h.
 */
#include "train/rate-finder.h"

#include <math.h>

#include "train/trainer.h"

/* Of the mean of the losses so far: the weight of the older ones at each step. */
#define SMOOTHING 0.7
/* The first means are of few losses. */
enum { N_UNSURE = 10 };
/* A loss that has risen by this many times what it had fallen is lost. */
#define EXPLOSION 4.0
/* The proposed rate is so many times below that of the lowest loss, beyond which the loss soon explodes. */
#define LOWEST_SHARE 10
/* From the rate of the options, down and up. */
#define RANGE 1000.0

void
urb_rate_curve_init (UrbRateCurve *self)
{
  *self = (UrbRateCurve) { .points = g_array_new (FALSE, FALSE, sizeof (UrbRatePoint)), .steepest = NAN, .lowest = NAN,
                           .proposed = NAN, .explodes = NAN };
}

void
urb_rate_curve_clear (UrbRateCurve *self)
{
  g_clear_pointer (&self->points, g_array_unref);
}

static UrbRatePoint *
get_point (const UrbRateCurve *self, guint index)
{
  return &g_array_index (self->points, UrbRatePoint, index);
}

/* The index of the lowest loss of which the mean is sure. */
static guint
find_lowest (const UrbRateCurve *self)
{
  guint lowest = MIN (N_UNSURE, self->points->len - 1);

  for (guint i = lowest; i < self->points->len; i++)
    if (get_point (self, i)->loss < get_point (self, lowest)->loss)
      lowest = i;
  return lowest;
}

static gboolean
has_exploded (const UrbRateCurve *self)
{
  double first, lowest, last;

  if (self->points->len <= N_UNSURE)
    return FALSE;
  first = get_point (self, N_UNSURE)->loss;
  lowest = get_point (self, find_lowest (self))->loss;
  last = get_point (self, self->points->len - 1)->loss;
  return last - lowest > EXPLOSION * MAX (first - lowest, 0.25 * fabs (first));
}

gboolean
urb_rate_curve_add (UrbRateCurve *self, double rate, double loss)
{
  guint n = self->points->len;
  UrbRatePoint point = { rate, loss };

  if (!isfinite (loss))
    {
      self->explodes = rate;
      return FALSE;
    }
  if (n > 0) /* a mean without the bias to zero: weights of the losses so far are 1, 0.7, 0.49 … */
    {
      double older = (1 - pow (SMOOTHING, n)) / (1 - SMOOTHING) * SMOOTHING;

      point.loss = (older * get_point (self, n - 1)->loss + loss) / (older + 1);
    }
  g_array_append_val (self->points, point);
  if (has_exploded (self))
    self->explodes = rate;
  return isnan (self->explodes);
}

/* With two digits. */
static double
round_rate (double rate)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_ascii_strtod (g_ascii_formatd (text, sizeof text, "%.2g", rate), NULL);
}

void
urb_rate_curve_finish (UrbRateCurve *self)
{
  double most = 0;
  guint lowest;

  self->steepest = self->lowest = self->proposed = NAN;
  if (self->points->len <= N_UNSURE)
    return;
  lowest = find_lowest (self);
  self->lowest = get_point (self, lowest)->rate;
  self->is_open = lowest + 1 == self->points->len;
  for (guint i = N_UNSURE + 1; i <= lowest; i++)
    {
      const UrbRatePoint *before = get_point (self, i - 1), *point = get_point (self, i);
      double fall = (before->loss - point->loss) / log (point->rate / before->rate);

      if (fall <= most)
        continue;
      most = fall;
      self->steepest = point->rate;
    }
  if (!isnan (self->steepest))
    self->proposed = round_rate (MIN (self->lowest / LOWEST_SHARE, self->steepest));
}

/* ------------------------------------------------------------------------ */

static gboolean
train (UrbTrainer *trainer, int n_steps, GCancellable *cancellable, GError **error)
{
  UrbStepMetrics metrics;

  for (int i = 0; i < n_steps; i++)
    if (g_cancellable_set_error_if_cancelled (cancellable, error) || !urb_trainer_step (trainer, &metrics, error))
      return FALSE;
  return TRUE;
}

static gboolean
test_range (UrbTrainer *trainer, UrbRatesNet net, int n_steps, GCancellable *cancellable, UrbRateCurve *curve,
            GError **error)
{
  const UrbTrainOptions *options = urb_trainer_get_options (trainer);
  double usual = net == URB_RATES_G ? options->lr_g : options->lr_d;
  double first = usual / RANGE, last = MIN (usual * RANGE, 1);

  for (int i = 0; i < n_steps; i++)
    {
      double rate = first * pow (last / first, (double) i / (n_steps - 1)), loss;
      g_autoptr(GError) cause = NULL;
      UrbStepMetrics metrics;

      urb_trainer_try_rates (trainer, net == URB_RATES_G ? rate : 0, net == URB_RATES_D ? rate : 0);
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (urb_trainer_step (trainer, &metrics, &cause))
        loss = metrics.values[net == URB_RATES_G ? URB_METRIC_LOSS_G : URB_METRIC_LOSS_D];
      else if (g_error_matches (cause, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED))
        loss = NAN;
      else
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return FALSE;
        }
      if (!urb_rate_curve_add (curve, rate, loss))
        break;
    }
  urb_rate_curve_finish (curve);
  return TRUE;
}

gboolean
urb_rates_find (const UrbTrainOptions *options, int n_usual, int n_steps, GCancellable *cancellable,
                UrbRateCurve curves[URB_RATES_N_NETS], GError **error)
{
  g_auto(UrbTrainOptions) longer = { 0 };

  g_return_val_if_fail (options->strategy == URB_STRATEGY_SINGLE && n_steps > 1, FALSE);
  urb_train_options_copy (&longer, options);
  longer.n_steps = MAX (options->n_steps, n_usual + n_steps);
  for (int net = 0; net < URB_RATES_N_NETS; net++)
    {
      g_autoptr(UrbTrainer) trainer = urb_trainer_new (&longer, NULL, error);

      if (trainer == NULL || !train (trainer, n_usual, cancellable, error)
          || !test_range (trainer, (UrbRatesNet) net, n_steps, cancellable, &curves[net], error))
        return FALSE;
    }
  return TRUE;
}
