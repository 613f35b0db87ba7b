/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recipe.c - the two recipes, r3 and dcgan, as numbers.
 *
 * r3: relativistic pairing with R1 + R2 (Huang et al. 2024, R3GAN, 2501.05441):
 * no first moment, and learning rate, gamma and beta2 follow a cosine.
 * dcgan: binary cross entropy, batch norm in both networks, constant values
 * (Radford et al. 2015, 1511.06434).
 */
#include "train/recipe.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const char *name;
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

static const Recipe recipes[] = {
  { .name = "r3", .relativistic = TRUE, .lr_final = 0.25, .beta1 = 0, .beta2 = 0.9,
    .beta2_final = 0.99, .gamma_final = 0.1, .augment = 0.3, .n_warmup = 50 },
  { .name = "dcgan", .norms_discriminator = TRUE, .lr = 2e-4, .lr_final = 1, .beta1 = 0.5,
    .beta2 = 0.999, .beta2_final = 0.999, .gamma_final = 1 },
};

static const Recipe *
find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (recipes); i++)
    if (g_strcmp0 (name, recipes[i].name) == 0)
      return &recipes[i];
  return NULL;
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

static gboolean
fail (GError **error, const char *message)
{
  g_set_error_literal (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS, message);
  return FALSE;
}

typedef struct
{
  const char *option;
  double      value;
} Number;

static gboolean
fail_number (GError **error, const Number *number, const char *must)
{
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS, "%s must %s, and is %g.",
               number->option, must, number->value);
  return FALSE;
}

static gboolean
check_rates (const UrbTrainOptions *options, GError **error)
{
  const Number rates[] = {
    { "--lr-g", options->lr_g },   { "--lr-d", options->lr_d },     { "--lr-final", options->lr_final },
    { "--beta2", options->beta2 }, { "--augment", options->augment },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rates); i++)
    if (!(rates[i].value >= 0 && rates[i].value <= 1))
      return fail_number (error, &rates[i], "be from 0 to 1");
  return TRUE;
}

static gboolean
check_asynchronous (const UrbTrainOptions *options, GError **error)
{
  if (!urb_strategy_is_asynchronous (options->strategy))
    return TRUE;
  if (options->n_ranks > URB_SHARED_MAX_WORKERS)
    {
      g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
                   "The strategy %s has %d ranks at most.", urb_strategy_get_name (options->strategy),
                   URB_SHARED_MAX_WORKERS);
      return FALSE;
    }
  if (options->staleness < 0)
    return fail (error, "The staleness bound must be a number of steps; 0 sets none.");
  return TRUE;
}

/* The numbers of ranks next to @options' that can share its batch: "2 or 4". */
static char *
find_nearest_ranks (const UrbTrainOptions *options)
{
  int most = options->batch / options->accumulate, below = MIN (options->n_ranks, most);
  int above = options->n_ranks;

  while (most % below != 0)
    below--;
  while (above < most && most % above != 0)
    above++;
  return above > most ? g_strdup_printf ("%d", below) : g_strdup_printf ("%d or %d", below, above);
}

/* Ranks that share a batch have equal parts of every microbatch. */
static gboolean
check_ranks (const UrbTrainOptions *options, GError **error)
{
  int parts = options->n_ranks * options->accumulate, below = options->batch / MAX (parts, 1) * parts;
  g_autofree char *nearest = below > 0 ? g_strdup_printf ("%d or %d", below, below + parts)
                                       : g_strdup_printf ("%d", parts);
  g_autofree char *ranks = NULL;

  if (options->n_ranks < 1 || options->n_ranks > 4096)
    return fail (error, "The number of ranks must be from 1 to 4096.");
  if (!isfinite (options->bucket_mib) || options->bucket_mib < 0 || options->bucket_mib > 65536)
    return fail (error, "The size of a bucket of gradients must be from 0 to 65536 MiB.");
  if (!urb_strategy_is_synchronous (options->strategy) || options->batch % parts == 0)
    return TRUE;
  ranks = find_nearest_ranks (options);
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
               "A batch of %d images cannot be shared equally by %d ranks with --accumulate %d; the "
               "nearest number of ranks is %s, or, for a new run, the nearest --batch is %s.",
               options->batch, options->n_ranks, options->accumulate, ranks, nearest);
  return FALSE;
}

static gboolean
check (const UrbTrainOptions *options, int n_channels, GError **error)
{
  if (options->n_channels != n_channels)
    return fail (error, "The dataset has another number of channels; leave out --channels.");
  if (options->n_channels != 1 && options->n_channels != 3)
    return fail (error, "Networks are made for 1 or 3 channels.");
  if (options->n_steps < 1 || options->n_steps >= G_GINT64_CONSTANT (1) << 32)
    return fail (error, "The number of steps must be from 1 to 4294967295.");
  if (options->batch < 1 || options->batch > 65536)
    return fail (error, "The batch must be from 1 to 65536 images.");
  if (options->accumulate < 1 || options->batch % options->accumulate != 0)
    return fail (error, "The batch must be a multiple of the number of microbatches (--accumulate).");
  if (!check_ranks (options, error) || !check_asynchronous (options, error)
      || (options->communicator != NULL && !urb_train_options_check_communicator (options, error)))
    return FALSE;
  if (!check_rates (options, error))
    return FALSE;
  if (options->n_threads < 0 || options->n_threads > 4096)
    return fail (error, "The number of threads must be from 0 (all) to 4096.");
  return TRUE;
}

/* -1 is the recipe's own; what is less was meant to be something. */
static gboolean
check_sizes (const UrbTrainOptions *options, GError **error)
{
  const Number sizes[] = {
    { "--gamma", options->gamma },       { "--clip-norm", options->clip_norm },
    { "--ema-kimg", options->ema_kimg }, { "--warmup", options->n_warmup },
    { "--augment", options->augment },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (!isfinite (sizes[i].value) || (sizes[i].value < 0 && sizes[i].value != -1))
      return fail_number (error, &sizes[i], "be finite and not negative");
  return TRUE;
}

gboolean
urb_recipe_resolve (UrbTrainOptions *options, const UrbPreset *preset, int n_channels, GError **error)
{
  const Recipe *recipe = find (options->recipe);
  double lr;

  if (recipe == NULL)
    return fail (error, "There is no such recipe; choose r3 or dcgan.");
  if (!check_sizes (options, error))
    return FALSE;
  lr = recipe->lr > 0 ? recipe->lr : preset->lr;
  if (options->n_channels == 0)
    options->n_channels = n_channels;
  if (options->n_steps == 0)
    options->n_steps = preset->n_steps;
  if (options->batch == 0)
    options->batch = preset->batch;
  if (options->lr_g == 0)
    options->lr_g = lr;
  if (options->lr_d == 0)
    options->lr_d = lr;
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
    return fail (error, "The recipe dcgan has no R1/R2 penalty: leave out --gamma, or use r3.");
  return check (options, n_channels, error);
}

/* From @start to @end along half a cosine. */
static double
cosine (double start, double end, double t)
{
  return end + (start - end) * 0.5 * (1 + cos (G_PI * MIN (t, 1)));
}

/* StyleGAN2-ADA's ramp: in the beginning the average reaches back over a
 * twentieth of what was seen, not further. */
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
