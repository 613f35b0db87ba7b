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
  double   lr_final; /* share of the start */
  double   beta1, beta2, beta2_final;
  double   gamma_final; /* share of the start */
  double   augment;
  double   clip_norm;
  gint64   n_warmup;
} Recipe;

/* In the order of their names. */
static const Recipe recipes[] = {
  { .relativistic = TRUE, .lr_final = 0.25, .beta1 = 0, .beta2 = 0.9,
    .beta2_final = 0.99, .gamma_final = 0.1, .augment = 0.3, .n_warmup = 50 },
  { .norms_discriminator = TRUE, .lr = 2e-4, .lr_final = 1, .beta1 = 0.5,
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
  if (options->lr_final == 0)
    options->lr_final = recipe->lr_final;
  if (options->gamma < 0)
    options->gamma = recipe->relativistic ? preset->gamma : 0;
  if (options->beta2 == 0)
    options->beta2 = recipe->beta2_final;
  if (options->clip_norm < 0)
    options->clip_norm = recipe->clip_norm;
  if (options->augment < 0)
    options->augment = recipe->augment;
  if (options->ema_kimg < 0)
    options->ema_kimg = preset->ema_kimg;
  if (options->n_warmup < 0)
    options->n_warmup = recipe->n_warmup;
  if (options->schedule_steps == 0)
    options->schedule_steps = options->n_steps;
  if (options->gamma > 0 && !recipe->relativistic)
    return urb_options_fail (error, "The recipe %s has no gradient penalty: leave out --gamma.",
                             options->recipe);
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

/* From @start to @end along half a cosine. */
static double
cosine (double start, double end, double t)
{
  return end + (start - end) * 0.5 * (1 + cos (G_PI * MIN (t, 1)));
}

/* StyleGAN2-ADA's ramp: the half-life is at most a twentieth of the images seen so far. */
static double
ema_beta (const UrbTrainOptions *options, gint64 step)
{
  double seen = (double) (step + 1) * options->batch;
  double half_life = MIN (options->ema_kimg * 1000, 0.05 * seen);

  return half_life > 0 ? pow (0.5, options->batch / half_life) : 0;
}

void
urb_recipe_get_schedule (const UrbTrainOptions *options, gint64 step, UrbSchedule *out)
{
  const Recipe *recipe = find (options->recipe);
  double t = (double) step / (double) MAX (options->schedule_steps, 1);
  double warm = step < options->n_warmup ? (double) (step + 1) / (double) options->n_warmup : 1;
  double decay = cosine (1, options->lr_final, t) * warm;

  out->lr_g = options->lr_g * decay;
  out->lr_d = options->lr_d * decay;
  out->beta1 = recipe->beta1;
  out->beta2 = cosine (MIN (recipe->beta2, options->beta2), options->beta2, t);
  out->gamma = options->gamma * cosine (1, recipe->gamma_final, t);
  out->augment = cosine (0, options->augment, t);
  out->ema_beta = ema_beta (options, step);
}
