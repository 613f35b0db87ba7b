/* SPDX-License-Identifier: Apache-2.0 */
#include "app/runs/run-options.h"

#include <math.h>

static void
add_text (GStrvBuilder *args, const char *option, const char *value, const char *otherwise)
{
  if (value != NULL && g_strcmp0 (value, otherwise) != 0)
    g_strv_builder_add_many (args, option, value, NULL);
}

static void
add_int (GStrvBuilder *args, const char *option, gint64 value, gint64 otherwise)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, value);
  if (value != otherwise)
    g_strv_builder_add_many (args, option, text, NULL);
}

static void
add_double (GStrvBuilder *args, const char *option, double value, double otherwise)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (fabs (value - otherwise) > 0)
    g_strv_builder_add_many (args, option, g_ascii_dtostr (text, sizeof text, value), NULL);
}

static void
add_networks (GStrvBuilder *args, const UrbTrainOptions *train, const UrbTrainOptions *usual)
{
  add_text (args, "--preset", train->preset, usual->preset);
  add_text (args, "--recipe", train->recipe, usual->recipe);
  add_text (args, "--device", train->backend, usual->backend);
  add_int (args, "--channels", train->n_channels, usual->n_channels);
  add_int (args, "--batch", train->batch, usual->batch);
  add_int (args, "--accumulate", train->accumulate, usual->accumulate);
  add_text (args, "--precision", urb_precision_names[train->precision], "fp32");
  add_int (args, "--threads", train->n_threads, usual->n_threads);
}

static void
add_recipe (GStrvBuilder *args, const UrbTrainOptions *train, const UrbTrainOptions *usual)
{
  add_int (args, "--steps", train->n_steps, usual->n_steps);
  add_int (args, "--seed", (gint64) train->seed, (gint64) usual->seed);
  add_double (args, "--lr-g", train->lr_g, usual->lr_g);
  add_double (args, "--lr-d", train->lr_d, usual->lr_d);
  add_double (args, "--lr-final", train->lr_final, usual->lr_final);
  add_double (args, "--gamma", train->gamma, usual->gamma);
  add_double (args, "--beta2", train->beta2, usual->beta2);
  add_double (args, "--clip-norm", train->clip_norm, usual->clip_norm);
  add_double (args, "--augment", train->augment, usual->augment);
  add_double (args, "--ema-kimg", train->ema_kimg, usual->ema_kimg);
  add_int (args, "--warmup", train->n_warmup, usual->n_warmup);
  add_int (args, "--schedule-steps", train->schedule_steps, usual->schedule_steps);
}

/* Only the strategy's own options: the engine rejects others. */
void
urbarium_run_options_add_strategy (GStrvBuilder *args, const UrbTrainOptions *train)
{
  g_auto(UrbTrainOptions) usual = { 0 };
  g_autofree char *strategy = NULL;
  urb_train_options_init (&usual);
  strategy = g_strdup_printf ("%s:%d", urb_strategy_get_name (train->strategy), train->n_ranks);
  if (train->strategy == URB_STRATEGY_SINGLE)
    return;
  g_strv_builder_add_many (args, "--strategy", strategy, NULL);
  if (train->strategy == URB_STRATEGY_HOGWILD)
    add_text (args, "--sharing", train->sharing, usual.sharing);
  if (train->strategy == URB_STRATEGY_DDP)
    {
      add_text (args, "--communicator", train->communicator, usual.communicator);
      add_double (args, "--bucket-mib", train->bucket_mib, usual.bucket_mib);
    }
  if (urb_strategy_is_synchronous (train->strategy))
    {
      if (!train->sync_batch_norm)
        g_strv_builder_add (args, "--no-sync-batch-norm");
      return;
    }
  add_int (args, "--staleness", train->staleness, usual.staleness);
  if (train->local_moments)
    g_strv_builder_add (args, "--local-moments");
  if (!train->stale_lr)
    g_strv_builder_add (args, "--full-lr");
}

char **
urbarium_run_options_to_args (const UrbRunConfig *config, const char *folder,
                              const char *const *after)
{
  g_autoptr(GStrvBuilder) args = g_strv_builder_new ();
  g_auto(UrbRunConfig) usual = { 0 };
  urb_run_config_init (&usual);
  g_strv_builder_add_many (args, "train", "--detach", "--run", folder, NULL);
  add_text (args, "--name", config->name, NULL);
  add_text (args, "--dataset", config->train.dataset, NULL);
  for (; after != NULL && *after != NULL; after++)
    add_text (args, "--after", *after, NULL);
  add_int (args, "--sample-every", config->sample_every, usual.sample_every);
  add_int (args, "--checkpoint-every", config->checkpoint_every, usual.checkpoint_every);
  add_int (args, "--keep-checkpoints", config->keep_checkpoints, usual.keep_checkpoints);
  add_networks (args, &config->train, &usual.train);
  add_recipe (args, &config->train, &usual.train);
  urbarium_run_options_add_strategy (args, &config->train);
  return g_strv_builder_end (args);
}

/* A name that is valid on any file system and not hidden. */
static char *
make_file_name (const char *name)
{
  enum { MAX_CHARS = 60 };
  g_autoptr(GString) safe = g_string_new (NULL);
  int n = 0;
  for (const char *c = name; *c != '\0' && n < MAX_CHARS; c = g_utf8_next_char (c), n++)
    {
      gunichar letter = g_utf8_get_char (c);
      gboolean good = g_unichar_isalnum (letter) || letter == '-' || letter == '_'
                      || (letter == '.' && n > 0) || g_unichar_ismark (letter);
      if (good)
        g_string_append_unichar (safe, letter);
      else if (safe->len > 0 && safe->str[safe->len - 1] != '-')
        g_string_append_c (safe, '-');
    }
  while (safe->len > 0 && (safe->str[safe->len - 1] == '-' || safe->str[safe->len - 1] == '.'))
    g_string_truncate (safe, safe->len - 1);
  return g_strdup (safe->len > 0 ? safe->str : "run");
}

char *
urbarium_run_options_choose_folder (const char *parent, const char *name)
{
  g_autofree char *file_name = make_file_name (name != NULL ? name : "");
  char *path = g_build_filename (parent, file_name, NULL);
  for (int i = 2; g_file_test (path, G_FILE_TEST_EXISTS); i++)
    {
      g_free (path);
      path = g_strdup_printf ("%s/%s-%d", parent, file_name, i);
    }
  return path;
}
