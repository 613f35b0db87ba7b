/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer-report.c - what a step reports: its losses and norms, and whether gradients overflowed.
 */
#include "train/trainer-private.h"

#include <math.h>

/* The divisor for the sum of a slot.  Losses and logits are shares of the whole batch's mean
 * already; penalties are means over a rank's part of a microbatch; where no rank divides what it holds,
 * every one has the norm of the whole gradient. */
static double
count_shares (const UrbTrainer *self, int slot)
{
  int n_parts = self->rank.comm != NULL ? urb_train_options_count_parts (&self->options) : 1;

  if (slot == URB_SLOT_R1 || slot == URB_SLOT_R2)
    return (double) self->program->n_microbatches * n_parts;
  return slot >= URB_SLOT_NORM_D && self->program->g.moment_runs == NULL
             && self->options.strategy != URB_STRATEGY_DP
           ? n_parts : 1;
}

/* How many steps of the networks write a slot. */
static int
count_writers (const UrbTrainer *self, int slot)
{
  gboolean is_of_g = (slot >= URB_SLOT_PAIR_G && slot < URB_SLOT_BCE_REAL)
                     || (slot >= URB_SLOT_BCE_G && slot < URB_SLOT_R1) || slot >= URB_SLOT_NORM_G;

  return is_of_g ? 1 : self->program->n_d_steps;
}

/* Squares of gradients are those of scaled ones: see urb_program_new_gan(). */
static void
unscale (const UrbTrainer *self, double slots[URB_N_SLOTS])
{
  double of_penalty = self->program->penalty_scale / self->loss_scale_d.scale;

  slots[URB_SLOT_R1] *= of_penalty * of_penalty;
  slots[URB_SLOT_R2] *= of_penalty * of_penalty;
}

static double
get_metric (const UrbTrainer *self, int microbatch, int slot)
{
  return (double) urb_step_ring_get_metric (self->ring, self->step, microbatch * URB_N_SLOTS + slot);
}

/* Sums the slots of all microbatches, and takes the mean over D's steps; the program has summed over ranks. */
void
urb_trainer_read_report (UrbTrainer *self, UrbStepReport *out)
{
  int n = self->program->n_d_steps * self->program->n_microbatches;

  *out = (UrbStepReport) { 0 };
  for (int slot = 0; slot < URB_N_SLOTS; slot++)
    for (int m = 0; m < n; m++)
      out->slots[slot] += get_metric (self, m, slot) / (count_shares (self, slot) * count_writers (self, slot));
  for (int m = 0; m < n; m++)
    {
      out->n_skipped_g += !isfinite (get_metric (self, m, URB_SLOT_NORM_G));
      out->n_skipped_d += !isfinite (get_metric (self, m, URB_SLOT_NORM_D));
    }
  unscale (self, out->slots);
}

static void
fill_metrics (const UrbTrainer *self, const double *slots, const UrbSchedule *schedule,
              UrbStepMetrics *metrics)
{
  gboolean pair = urb_recipe_is_relativistic (&self->options);
  double *values = metrics->values;

  values[URB_METRIC_LOSS_D] = pair ? slots[URB_SLOT_PAIR_D]
                                       + schedule->gamma / 2 * (slots[URB_SLOT_R1] + slots[URB_SLOT_R2])
                                   : slots[URB_SLOT_BCE_REAL] + slots[URB_SLOT_BCE_FAKE];
  values[URB_METRIC_LOSS_G] = slots[pair ? URB_SLOT_PAIR_G : URB_SLOT_BCE_G];
  values[URB_METRIC_LOGIT_REAL] = slots[pair ? URB_SLOT_PAIR_D + 1 : URB_SLOT_BCE_REAL + 1];
  values[URB_METRIC_LOGIT_FAKE] = slots[pair ? URB_SLOT_PAIR_D + 2 : URB_SLOT_BCE_FAKE + 1];
  values[URB_METRIC_R1] = slots[URB_SLOT_R1];
  values[URB_METRIC_R2] = slots[URB_SLOT_R2];
  values[URB_METRIC_GRAD_NORM_D] = slots[URB_SLOT_NORM_D];
  values[URB_METRIC_GRAD_NORM_G] = slots[URB_SLOT_NORM_G];
  values[URB_METRIC_LR_D] = schedule->lr_d;
  values[URB_METRIC_LR_G] = schedule->lr_g;
}

gboolean
urb_trainer_scales_loss (const UrbTrainer *self)
{
  return urb_train_options_get_loss_scale (&self->options) > 1;
}

/* Whether all that a step computed before its gradients is finite. */
static gboolean
is_forward_finite (const double *slots)
{
  for (int slot = 0; slot < URB_SLOT_R1; slot++)
    if (!isfinite (slots[slot]))
      return FALSE;
  return TRUE;
}

/* A gradient that is not finite has skipped its update, on all ranks, as they know the same norm.  With a lower
 * scale it may be finite; at the lowest one the training has failed, as has one without scales. */
static gboolean
follow_scales (UrbTrainer *self, const UrbStepReport *report, const UrbSchedule *schedule, UrbStepMetrics *metrics)
{
  const double *slots = report->slots;
  UrbLossScale *g = &self->loss_scale_g, *d = &self->loss_scale_d;
  gint64 interval = self->options.loss_scale_steps;

  metrics->overflow_g = report->n_skipped_g > 0;
  metrics->overflow_d = report->n_skipped_d > 0 || !isfinite (slots[URB_SLOT_R1]) || !isfinite (slots[URB_SLOT_R2]);
  if (!is_forward_finite (slots) || (metrics->overflow_g && g->scale <= 1) || (metrics->overflow_d && d->scale <= 1))
    return FALSE;
  if (urb_trainer_scales_loss (self))
    {
      urb_loss_scale_skip (g, report->n_skipped_g, schedule->beta1, schedule->beta2);
      urb_loss_scale_skip (d, report->n_skipped_d, schedule->beta1, schedule->beta2);
      urb_loss_scale_follow (g, metrics->overflow_g, interval);
      urb_loss_scale_follow (d, metrics->overflow_d, interval);
    }
  metrics->loss_scale_g = g->scale;
  metrics->loss_scale_d = d->scale;
  for (int i = 0; i < URB_N_METRICS; i++)
    if (!isfinite (metrics->values[i]))
      metrics->values[i] = NAN;
  return TRUE;
}

gboolean
urb_trainer_follow_report (UrbTrainer *self, const UrbStepReport *report, const UrbSchedule *schedule,
                           UrbStepMetrics *metrics)
{
  fill_metrics (self, report->slots, schedule, metrics);
  return follow_scales (self, report, schedule, metrics);
}
