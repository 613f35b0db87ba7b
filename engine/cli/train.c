/* SPDX-License-Identifier: Apache-2.0 */
/*
 * train.c - `urbarium-engine train`: a new run.
 */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/dry-run.h"
#include "cli/find-batch.h"
#include "cli/find-rates.h"
#include "cli/run-args.h"
#include "cli/run-session.h"
#include "cli/several.h"
#include "run/worker/tcp-rank.h"

typedef struct
{
  UrbCliRunArgs settings;
  UrbCliSession session;
  UrbCliSeveral several;
  char         *run, *name; /* owned */
  gboolean      force, dry_run, find_rates, find_batch;
  int           rank, world_size; /* with --master; 0 else */
} TrainOptions;

static void
train_options_clear (TrainOptions *self)
{
  urb_cli_run_args_clear (&self->settings);
  urb_cli_session_clear (&self->session);
  urb_cli_several_clear (&self->several);
  g_free (self->run);
  g_free (self->name);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TrainOptions, train_options_clear)

static gboolean
is_trial (const TrainOptions *self)
{
  return self->dry_run || self->find_rates || self->find_batch;
}

/* (nullable) */
static const char *
find_mistake_of_trial (const TrainOptions *self)
{
  const UrbCliSession *session = &self->session;

  if (!urb_setting_args_given (self->settings.args, "dataset") && self->settings.config == NULL)
    return "it needs --dataset FILE";
  if (self->several.lists != NULL || session->detach || session->profile || session->trace != NULL
      || session->after != NULL || urb_setting_args_given (self->settings.args, "master"))
    return "--dry-run, --find-rates and --find-batch train a few steps at once, and keep nothing: leave out --several, "
           "--detach, --profile, --trace, --after and --master";
  if (self->dry_run + self->find_rates + self->find_batch > 1)
    return "--dry-run, --find-rates and --find-batch are different things: choose one of them";
  return NULL;
}

/* (nullable): what is wrong with the options */
static const char *
find_mistake (const TrainOptions *self)
{
  const UrbCliSession *session = &self->session;

  if (is_trial (self))
    return find_mistake_of_trial (self);
  if (self->world_size > 0 && !urb_setting_args_given (self->settings.args, "master"))
    return "--rank and --world-size are for ranks that are started one by one; add --master ADDRESS:PORT";
  if (self->rank > 0 && self->world_size < 2)
    return "--rank R needs --world-size N, with N of at least 2";
  if (self->rank < 0 || (self->rank > 0 && self->rank >= self->world_size))
    return "--rank is from 0 to --world-size N less one";
  if (self->rank > 0)
    return NULL;
  if ((!urb_setting_args_given (self->settings.args, "dataset") && self->settings.config == NULL)
      || self->run == NULL)
    return "it needs --dataset FILE and --run DIR";
  if (self->several.n_at_once < 0 || (self->several.n_at_once > 0 && self->several.lists == NULL))
    return "--at-once K says how many of --several run at the same time";
  if (self->several.lists != NULL && (session->detach || session->profile || session->trace != NULL))
    return "--several stays in the foreground, and profiles and traces nothing";
  return urb_cli_session_find_mistake (session);
}

/* Another rank than 0: all it needs comes from there, except the dataset. */
static int
follow (const TrainOptions *self)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(GError) error = NULL;
  g_autofree char *dataset = NULL;
  static const char *const own[] = { "master", "token-file", "dataset" };

  urb_run_config_init (&config);
  for (gsize i = 0; i < G_N_ELEMENTS (own); i++)
    if (!urb_setting_args_apply_one (self->settings.args, own[i], &config, &error))
      return urb_cli_fail (error);
  if (config.train.dataset != NULL) /* rank 0 may name another folder to work in */
    dataset = g_canonicalize_filename (config.train.dataset, NULL);
  if (!urb_cli_run_args_check_master (&config, &error)
      || !urb_tcp_rank_run (config.master, self->rank, self->world_size, config.token_file, dataset, self->session.quiet,
                            &urb_trainer_job, &error))
    return urb_cli_fail (error);
  return URB_EXIT_OK;
}

static gboolean
check_world_size (const TrainOptions *self, const UrbRunConfig *config, GError **error)
{
  return self->world_size == 0 || self->world_size == config->train.n_ranks
         || urb_options_fail (error, "--world-size says %d, but the strategy has %d ranks.", self->world_size,
                              config->train.n_ranks);
}

/* All that can be checked before a folder is made.
 * @config: (out): resolved, unless it is of several runs */
static gboolean
prepare (const TrainOptions *self, UrbRunConfig *config, GString *notes, GError **error)
{
  urb_run_config_init (config);
  if (!urb_cli_run_args_apply (&self->settings, config, error))
    return FALSE;
  if (self->name != NULL)
    {
      g_free (config->name);
      config->name = g_strdup (self->name);
    }
  if (config->train.dataset == NULL)
    return urb_options_fail (error, "The configuration names no dataset; add --dataset FILE.");
  if (self->several.lists == NULL
      && !urb_cli_run_args_resolve (&self->settings, config, NULL, notes, error))
    return FALSE;
  return check_world_size (self, config, error)
         && (self->name == NULL || urb_run_check_name (self->name, error))
         && (is_trial (self) || urb_cli_session_check_after (&self->session, self->run, error));
}

static int
train (const TrainOptions *self)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(UrbSweep) sweep = NULL;
  g_autoptr(UrbRunFolder) folder = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GString) notes = g_string_new (NULL);
  int code;

  if (self->several.lists != NULL)
    sweep = urb_sweep_parse ((const char *const *) self->several.lists, &error);
  g_prefix_error (&error, "--several: ");
  if (error != NULL || !prepare (self, &config, notes, &error))
    return urb_cli_fail (error);
  if (sweep != NULL)
    return urb_cli_several_run (&self->several, sweep, &self->session, &self->settings, &config,
                                self->run, self->force);
  if (self->dry_run)
    return urb_cli_dry_run (&config, &self->session, self->run);
  if (self->find_rates)
    return urb_cli_find_rates (&config, &self->session);
  if (self->find_batch)
    return urb_cli_find_batch (&config, &self->session);
  if (!self->force && !urb_run_folder_check_unused (self->run, &error))
    return urb_cli_fail (error);
  code = urb_cli_session_check_run (&self->session, self->run, -1, self->session.after != NULL,
                                    &config);
  if (code != URB_EXIT_OK)
    return code;
  folder = urb_run_folder_begin (self->run, self->force ? URB_RUN_FOLDER_REPLACE : URB_RUN_FOLDER_NEW,
                                 &config, &error);
  if (folder == NULL)
    return urb_cli_fail (error);
  if (!self->session.quiet && !self->session.json)
    fputs (notes->str, stderr);
  return urb_cli_session_run (&self->session, folder, &config);
}

int
urb_cli_train (int argc, char **argv)
{
  g_auto(TrainOptions) self = { 0 };
  const GOptionEntry entries[] = {
    { "run", 0, 0, G_OPTION_ARG_FILENAME, &self.run, "Folder of the new run", "DIR" },
    { "name", 0, 0, G_OPTION_ARG_STRING, &self.name, "Name of the run (its folder's)", "NAME" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &self.force, "Delete a run that is in the folder already",
      NULL },
    { "dry-run", 0, 0, G_OPTION_ARG_NONE, &self.dry_run,
      "Try out a few steps, a sample grid, a checkpoint and a score in a temporary folder", NULL },
    { "find-rates", 0, 0, G_OPTION_ARG_NONE, &self.find_rates,
      "Find a learning rate for each network in some hundred steps", NULL },
    { "find-batch", 0, 0, G_OPTION_ARG_NONE, &self.find_batch,
      "Find the fastest batch, and the largest that fits, in at most some minutes", NULL },
    { "rank", 0, 0, G_OPTION_ARG_INT, &self.rank,
      "With --master: which rank this is, from 0; others than 0 ignore most options", "R" },
    { "world-size", 0, 0, G_OPTION_ARG_INT, &self.world_size, "With --master: how many ranks there are", "N" },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    "--dataset FILE --run DIR",
    "Trains a generator on a dataset. However a run ends, it saves a checkpoint and a sample "
    "grid. Ctrl+C finishes the step and saves; a second Ctrl+C ends the run at once.", entries);
  const char *mistake;

  urb_cli_run_args_init (&self.settings, URB_SETTING_TRAIN);
  urb_cli_run_args_add (&self.settings, context);
  urb_cli_several_add (&self.several, context);
  urb_cli_session_add (&self.session, context);
  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc > 1)
    return urb_cli_fail_usage ("unexpected argument “%s”", argv[1]);
  self.settings.seeks_batch = self.find_batch;
  mistake = find_mistake (&self);
  if (mistake != NULL)
    return urb_cli_fail_usage ("%s", mistake);
  if (self.rank > 0)
    return follow (&self);
  urb_cli_session_make_absolute (&self.session);
  return train (&self);
}
