/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recipe.h - what a recipe decides, and the schedules of its hyperparameters.
 */
#pragma once

#include "settings/preset.h"
#include "settings/run-config.h"

G_BEGIN_DECLS

/* NULL-terminated: "r3", "dcgan" */
extern const char *const urb_recipe_names[];

/* Hyperparameters of one step. */
typedef struct
{
  double lr_g, lr_d;
  double beta1, beta2;
  double gamma;    /* R1/R2 weight */
  double augment;  /* probability */
  double ema_beta;
} UrbSchedule;

/* Gives every setting of @options that is not set its value from the recipe, the preset or the
 * dataset, which has @n_channels, and checks all of them.  Fails with %URB_TRAIN_ERROR_OPTIONS. */
gboolean urb_recipe_resolve (UrbTrainOptions *options, const UrbPreset *preset, int n_channels,
                             GError **error);

/* Multiplies both learning rates, or those that preset and recipe give @options. */
void     urb_recipe_multiply_rates (UrbTrainOptions *options, const UrbPreset *preset, double factor);

/**
 * urb_recipe_scale:
 * @options: resolved
 * @batch: whether to multiply the images per step by the number of ranks
 * @rates: whether to multiply the learning rates by it
 *
 * The linear scaling rule (Goyal et al. 2017, 1706.02677): k times the batch, k times the learning
 * rate.  The warm-up that it needs is the recipe's.
 *
 * Returns: (transfer full): what changed, as a sentence
 */
char    *urb_recipe_scale (UrbTrainOptions *options, const UrbPreset *preset, gboolean batch,
                           gboolean rates);

/* The reverse of urb_recipe_resolve(): a setting whose value is the one that it would get anyway is
 * "not set" again. */
void     urb_recipe_unresolve (UrbRunConfig *config, const UrbPreset *preset);

gboolean urb_recipe_is_relativistic   (const UrbTrainOptions *options);
gboolean urb_recipe_has_first_moment  (const UrbTrainOptions *options);
/* Whether `norm` in a discriminator is batch norm. */
gboolean urb_recipe_norms_discriminator (const UrbTrainOptions *options);

/* @step: steps done before this one. */
void urb_recipe_get_schedule (const UrbTrainOptions *options, gint64 step, UrbSchedule *out);

G_END_DECLS
