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

/* The reverse: a setting whose value is the one that it would get anyway is "not set" again. */
void     urb_recipe_unresolve (UrbRunConfig *config, const UrbPreset *preset);

gboolean urb_recipe_is_relativistic   (const UrbTrainOptions *options);
gboolean urb_recipe_has_first_moment  (const UrbTrainOptions *options);
/* Whether `norm` in a discriminator is batch norm. */
gboolean urb_recipe_norms_discriminator (const UrbTrainOptions *options);

/* @step: steps done before this one. */
void urb_recipe_get_schedule (const UrbTrainOptions *options, gint64 step, UrbSchedule *out);

G_END_DECLS
