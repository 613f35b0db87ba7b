/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recipe.c - the two recipes, r3 and dcgan, as numbers.
 *
 * r3: relativistic pairing with R1 + R2 (Huang et al. 2024, R3GAN, 2501.05441):
 * no first moment, and learning rate, gamma and beta2 follow a cosine.
 * dcgan: binary cross entropy, batch norm in both networks, constant values
 * (Radford et al. 2015, 1511.06434).
 */
#include "settings/recipe.h"

#include <math.h>
#include <string.h>

const char *const urb_recipe_names[] = { "r3", "dcgan", NULL };

typedef struct
{
  gboolean relativistic;
  gboolean norms_discriminator;
  double   lr;       /* 0: the preset's */
  UrbLrSchedule lr_schedule;
  double   beta1, beta2, beta2_final;
  double   gamma_final; /* share of the start */
  double   augment;
  double   clip_norm;
  gint64   n_warmup;
} Recipe;

/* The share of the learning rates at the end, of every schedule that falls. */
#define LR_FINAL 0.25

/* In the order of their names. */
static const Recipe recipes[] = {
  { .relativistic = TRUE, .lr_schedule = URB_LR_SCHEDULE_COSINE, .beta1 = 0, .beta2 = 0.9,
    .beta2_final = 0.99, .gamma_final = 0.1, .augment = 0.3, .n_warmup = 50 },
  { .norms_discriminator = TRUE, .lr = 2e-4, .lr_schedule = URB_LR_SCHEDULE_CONSTANT, .beta1 = 0.5,
    .beta2 = 0.999, .beta2_final = 0.999, .gamma_final = 1 },
};

/* @name: checked */
static const Recipe *
find (const char *name)
{
  guint i = 0;

  while (strcmp (urb_recipe_names[i], name) != 0)
    i++;
  return &recipes[i];
}

gboolean
urb_recipe_is_relativistic (const UrbTrainOptions *options)
{
  return find (options->recipe)->relativistic;
}

gboolean
urb_recipe_has_first_moment (const UrbTrainOptions *options)
{
  return find (options->recipe)->beta1 > 0;
}

gboolean
urb_recipe_norms_discriminator (const UrbTrainOptions *options)
{
  return find (options->recipe)->norms_discriminator;
}

static void
resolve_rates (UrbTrainOptions *options, const UrbPreset *preset)
{
  const Recipe *recipe = find (options->recipe);
  double lr = recipe->lr > 0 ? recipe->lr : preset->lr;

  if (options->lr_g == 0)
    options->lr_g = lr;
  if (options->lr_d == 0)
    options->lr_d = lr;
}

void
urb_recipe_multiply_rates (UrbTrainOptions *options, const UrbPreset *preset, double factor)
{
  resolve_rates (options, preset);
  options->lr_g *= factor;
  options->lr_d *= factor;
}

/* Runs of before there were schedules to choose from have a final share, and no schedule. */
static UrbLrSchedule
choose_lr_schedule (const UrbTrainOptions *options, const Recipe *recipe)
{
  if (options->lr_final == 0)
    return recipe->lr_schedule;
  return options->lr_final < 1 ? URB_LR_SCHEDULE_COSINE : URB_LR_SCHEDULE_CONSTANT;
}

static gboolean
resolve_lr_schedule (UrbTrainOptions *options, const Recipe *recipe, GError **error)
{
  if (options->lr_schedule == URB_LR_SCHEDULE_OF_RECIPE)
    options->lr_schedule = choose_lr_schedule (options, recipe);
  if (options->lr_final == 0)
    options->lr_final = options->lr_schedule == URB_LR_SCHEDULE_CONSTANT ? 1 : LR_FINAL;
  if (options->lr_schedule == URB_LR_SCHEDULE_CONSTANT && options->lr_final < 1)
    return urb_options_fail (error, "The learning-rate schedule constant never falls: leave out lr-final, or choose "
                                    "another lr-schedule.");
  if (options->lr_schedule != URB_LR_SCHEDULE_STEP && urb_setting_is_set (
        urb_settings_find (&urb_run_settings, "lr-drops"), &(UrbRunConfig) { .train = *options }))
    return urb_options_fail (error, "lr-drops is a setting of the learning-rate schedule step: leave it out, or set "
                                    "lr-schedule to step, and not %s.",
                             urb_lr_schedule_names[options->lr_schedule]);
  return TRUE;
}

/* After the length of the schedules.  A setting of the other average would do nothing. */
static gboolean
resolve_averaging (UrbTrainOptions *options, GError **error)
{
  gboolean equal = options->averaging == URB_AVERAGING_EQUAL;
  const char *idle = equal ? "ema-ramp" : "average-from";

  if (urb_setting_is_set (urb_settings_find (&urb_run_settings, idle), &(UrbRunConfig) { .train = *options }))
    return urb_options_fail (error, "%s is a setting of the average %s: leave it out, or set average to %s.", idle,
                             urb_averaging_names[!equal], urb_averaging_names[!equal]);
  if (equal && options->average_from < 0)
    options->average_from = options->schedule_steps / 4 * 3;
  return TRUE;
}

gboolean
urb_recipe_resolve (UrbTrainOptions *options, const UrbPreset *preset, int n_channels, GError **error)
{
  const Recipe *recipe;

  if (!urb_train_options_check (options, error))
    return FALSE;
  recipe = find (options->recipe);
  resolve_rates (options, preset);
  if (options->n_channels == 0)
    options->n_channels = n_channels;
  if (options->n_steps == 0)
    options->n_steps = preset->n_steps;
  if (options->batch == 0)
    options->batch = preset->batch;
  if (options->gamma < 0)
    options->gamma = recipe->relativistic ? preset->gamma : 0;
  if (options->beta2 == 0)
    options->beta2 = recipe->beta2_final;
  if (options->clip_norm < 0)
    options->clip_norm = recipe->clip_norm;
  if (options->clip_norm_g < 0)
    options->clip_norm_g = options->clip_norm;
  if (options->clip_norm_d < 0)
    options->clip_norm_d = options->clip_norm;
  if (options->augment < 0)
    options->augment = recipe->augment;
  if (options->ema_kimg < 0)
    options->ema_kimg = preset->ema_kimg;
  if (!resolve_lr_schedule (options, recipe, error))
    return FALSE;
  if (options->n_warmup < 0)
    options->n_warmup = options->lr_schedule == URB_LR_SCHEDULE_ONE_CYCLE ? 0 : recipe->n_warmup;
  if (options->schedule_steps == 0)
    options->schedule_steps = options->n_steps;
  if (!resolve_averaging (options, error))
    return FALSE;
  if (options->gamma > 0 && !recipe->relativistic)
    return urb_options_fail (error, "The recipe %s has no gradient penalty: leave out --gamma.",
                             options->recipe);
  if (options->label_smoothing > 0 && recipe->relativistic)
    return urb_options_fail (error, "The recipe %s compares cities and has no labels to smooth: leave out "
                                    "label-smoothing, or choose the recipe dcgan.", options->recipe);
  if (options->n_channels != n_channels)
    return urb_options_fail (error,
                             "The dataset has another number of channels; leave out --channels.");
  return urb_train_options_check (options, error);
}

char *
urb_recipe_scale (UrbTrainOptions *options, const UrbPreset *preset, gboolean batch, gboolean rates)
{
  const UrbTrainOptions before = *options; /* for its numbers */
  int n = urb_train_options_count_parts (options);
  g_autoptr(GString) text = g_string_new (NULL);

  g_string_append_printf (text, "Scaled by %d rank%s: ", n, n == 1 ? "" : "s");
  if (batch)
    {
      options->batch *= n;
      g_string_append_printf (text, "batch %d → %d", before.batch, options->batch);
    }
  if (rates)
    {
      urb_recipe_multiply_rates (options, preset, n);
      g_string_append_printf (text, "%slearning rates %g (generator) and %g (discriminator) → %g and %g",
                              batch ? "; " : "", before.lr_g, before.lr_d, options->lr_g,
                              options->lr_d);
    }
  g_string_append_c (text, '.');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

void
urb_recipe_unresolve (UrbRunConfig *config, const UrbPreset *preset)
{
  int n_channels = config->train.n_channels > 0 ? config->train.n_channels : 3;

  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *row = &urb_run_settings.rows[i];
      g_auto(UrbRunConfig) tried = { 0 };

      if (row->source == URB_SOURCE_CONSTANT || row->source == URB_SOURCE_MACHINE)
        continue;
      urb_run_config_copy (&tried, config);
      urb_setting_reset (row, &tried);
      if (urb_recipe_resolve (&tried.train, preset, n_channels, NULL)
          && urb_setting_get_number (row, &tried) == urb_setting_get_number (row, config))
        urb_setting_reset (row, config);
    }
}

static double
ema_beta (const UrbTrainOptions *options, gint64 step)
{
  if (options->averaging == URB_AVERAGING_EQUAL)
    return urb_averaging_get_equal_beta (step, options->average_from);
  return urb_averaging_get_ema_beta ((double) (step + 1) * options->batch, options->batch,
                                     options->ema_kimg * 1000, options->ema_ramp);
}

void
urb_recipe_get_schedule (const UrbTrainOptions *options, gint64 step, UrbSchedule *out)
{
  const Recipe *recipe = find (options->recipe);
  double t = (double) step / (double) MAX (options->schedule_steps, 1);
  double warm = step < options->n_warmup ? (double) (step + 1) / (double) options->n_warmup : 1;
  double share = urb_lr_schedule_get_share (options->lr_schedule, t, options->lr_final, options->lr_drops) * warm;

  out->lr_g = options->lr_g * share;
  out->lr_d = options->lr_d * share;
  out->beta1 = recipe->beta1;
  out->beta2 = urb_cosine (MIN (recipe->beta2, options->beta2), options->beta2, t);
  out->gamma = options->gamma * urb_cosine (1, recipe->gamma_final, t);
  out->augment = urb_cosine (0, options->augment, t);
  out->ema_beta = ema_beta (options, step);
}
