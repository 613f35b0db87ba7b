/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-args.c - see run-args.h.
 */
#include "cli/run-args.h"

#include <string.h>

#include "base/small-file.h"
#include "dataset/dataset.h"
#include "parallel/comm-tcp.h"
#include "parallel/tcp-token.h"
#include "run/store/config-file.h"
#include "run/store/folder.h"
#include "run/store/known-hooks.h"
#include "settings/hook.h"
#include "settings/hosts.h"
#include "settings/note.h"
#include "settings/preset.h"
#include "settings/recipe.h"
#include "train/checkpoint.h"
#include "train/network-pair.h"

void
urb_cli_run_args_init (UrbCliRunArgs *self, UrbSettingFlags command)
{
  *self = (UrbCliRunArgs) { .command = command,
                            .args = urb_setting_args_new (&urb_run_settings, command) };
}

void
urb_cli_run_args_clear (UrbCliRunArgs *self)
{
  g_clear_pointer (&self->args, urb_setting_args_free);
  g_clear_pointer (&self->config, g_free);
}

void
urb_cli_run_args_add (UrbCliRunArgs *self, GOptionContext *options)
{
  const GOptionEntry fresh[] = {
    { "config", 0, 0, G_OPTION_ARG_FILENAME, &self->config,
      "Read settings from a file like run.ini, or from standard input (-)", "FILE" },
    { "scale-lr", 0, 0, G_OPTION_ARG_NONE, &self->scale_lr,
      "dp, ddp: learning rates x ranks, to go with --scale-batch", NULL },
    { "scale-batch", 0, 0, G_OPTION_ARG_NONE, &self->scale_batch,
      "dp, ddp: images per step x ranks", NULL },
    G_OPTION_ENTRY_NULL
  };

  urb_setting_args_add (self->args, options);
  /* A resumed run has its configuration, and has been scaled already. */
  if (self->command != URB_SETTING_RESUME)
    g_option_context_add_main_entries (options, fresh, NULL);
}

gboolean
urb_cli_run_args_change_run (const UrbCliRunArgs *self)
{
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const char *key = urb_run_settings.rows[i].key;

      if (strcmp (key, "steps") != 0 && urb_setting_args_given (self->args, key))
        return TRUE;
    }
  return FALSE;
}

/* Makes the paths of files and folders absolute; relative ones are in @folder. */
static void
make_paths_absolute (UrbRunConfig *config, const char *folder)
{
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *row = &urb_run_settings.rows[i];
      g_autofree char *path = NULL, *absolute = NULL;

      if (row->type != URB_SETTING_FILE
          && !(strcmp (row->key, "offload") == 0 && urb_train_options_offload_to_folder (&config->train)))
        continue;
      path = urb_setting_dup_text (row, config);
      if (path == NULL)
        continue;
      absolute = g_canonicalize_filename (path, folder);
      urb_setting_set_text (&urb_run_settings, row, config, absolute, NULL);
    }
}

/* A run's own preset is next to its run.ini.
 * @folder: (nullable): NULL: the current one
 * Returns: (transfer full): its path, or @preset */
static char *
dup_preset (const char *preset, const char *folder)
{
  g_autofree char *absolute = folder != NULL ? g_canonicalize_filename (folder, NULL) : NULL;
  g_autofree char *path = g_canonicalize_filename (preset, absolute);

  if (urb_preset_is_built_in (preset) || !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return g_strdup (preset);
  return g_steal_pointer (&path);
}

/* Settings that were written down, for a run that starts now.  The window writes them to standard
 * input, with the name of the run; the name in a file is that of another run.
 *
 * A run's file has every value; what came from its preset, recipe or length follows other options. */
static gboolean
read_config (const char *path, UrbRunConfig *config, GError **error)
{
  g_autofree char *text = NULL, *absolute = NULL, *folder = NULL, *preset = NULL;
  g_autoptr(UrbPreset) networks = NULL;
  int n_channels;

  if (strcmp (path, "-") == 0)
    {
      text = urb_small_file_read_input (error);
      if (text == NULL || !urb_run_config_from_written_text (config, text, error))
        {
          g_prefix_error (error, "--config -: ");
          return FALSE;
        }
      folder = g_get_current_dir ();
    }
  else
    {
      if (!urb_run_config_read_written_file (path, config, error))
        return FALSE;
      g_clear_pointer (&config->name, g_free);
      absolute = g_canonicalize_filename (path, NULL);
      folder = g_path_get_dirname (absolute);
    }
  make_paths_absolute (config, folder);
  preset = dup_preset (config->train.preset, folder);
  g_free (config->train.preset);
  config->train.preset = g_steal_pointer (&preset);
  networks = urb_preset_load (config->train.preset, NULL); /* options may name another */
  n_channels = config->train.n_channels;
  if (networks != NULL)
    urb_recipe_unresolve (config, networks);
  config->train.n_channels = n_channels; /* no dataset was asked */
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* The strategy                                                              */

/* --mesh alone is a strategy with its ranks. */
static gboolean
apply_mesh (const UrbCliRunArgs *self, UrbRunConfig *config, GError **error)
{
  const char *text = urb_setting_args_get (self->args, "mesh");
  UrbMesh mesh;

  if (text == NULL)
    return TRUE;
  if (!urb_mesh_parse (text, &mesh, error))
    {
      g_prefix_error (error, "--mesh: ");
      return FALSE;
    }
  if (urb_setting_args_get (self->args, "strategy") == NULL && config->train.strategy != URB_STRATEGY_MESH)
    urb_run_config_set_strategy (config, URB_STRATEGY_MESH, 0);
  if (config->train.strategy == URB_STRATEGY_MESH)
    config->train.n_ranks = urb_mesh_count (&mesh, URB_ALL_AXES);
  return TRUE;
}

/* urb_run_config_check() follows. */
static gboolean
apply_strategy (const UrbCliRunArgs *self, UrbRunConfig *config, GError **error)
{
  const char *text = urb_setting_args_get (self->args, "strategy");
  UrbRunConfig ranks = { 0 };
  int n_ranks = 0;

  if (!urb_setting_args_apply_one (self->args, "ranks", &ranks, error))
    return FALSE;
  if (text != NULL)
    {
      UrbStrategy strategy;

      if (!urb_strategy_parse (text, &strategy, &n_ranks, error))
        return FALSE;
      urb_run_config_set_strategy (config, strategy, strategy == URB_STRATEGY_SINGLE ? 1 : 0);
      if (n_ranks > 0 && ranks.train.n_ranks > 0 && n_ranks != ranks.train.n_ranks)
        return urb_options_fail (error, "--strategy says %d ranks and --ranks %d; leave one of them "
                                 "out.", n_ranks, ranks.train.n_ranks);
    }
  if (!apply_mesh (self, config, error))
    return FALSE;
  if (n_ranks == 0)
    n_ranks = ranks.train.n_ranks;
  if (n_ranks > 0)
    config->train.n_ranks = n_ranks;
  return TRUE;
}

static gboolean
check_known (const char *option, guint strategies, UrbStrategy strategy, GError **error)
{
  g_autofree char *names = urb_strategies_join (strategies, " and ");

  return strategies & 1u << strategy
         || urb_options_fail (error, "--%s is an option of %s; the strategy is %s.", option, names,
                              urb_strategy_names[strategy]);
}

static gboolean
apply_settings (const UrbCliRunArgs *self, UrbRunConfig *config, GError **error)
{
  UrbStrategy strategy = config->train.strategy;

  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *row = &urb_run_settings.rows[i];

      if (!urb_setting_args_given (self->args, row->key) || strcmp (row->key, "strategy") == 0
          || strcmp (row->key, "ranks") == 0)
        continue;
      if (!urb_setting_args_apply_one (self->args, row->key, config, error)
          || (row->strategies != 0
              && !check_known (urb_setting_get_option (row), row->strategies, strategy, error)))
        return FALSE;
    }
  return (!self->scale_lr || check_known ("scale-lr", URB_STRATEGIES_DATA, strategy, error))
         && (!self->scale_batch
             || check_known ("scale-batch", URB_STRATEGIES_DATA, strategy, error));
}

/* ------------------------------------------------------------------------ */

static gboolean
apply_hosts (UrbRunConfig *config, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr(GPtrArray) hosts = NULL;

  if (strcmp (config->train.communicator, "threads") == 0)
    return urb_options_fail (error, "Threads are of one host; leave out the hosts, or choose another "
                             "communicator.");
  text = urb_small_file_read (config->hosts, NULL, error);
  if (text == NULL)
    {
      g_prefix_error (error, "--hosts '%s' cannot be read; it has one host a line, as “name slots=2”, "
                             "this machine first: ", config->hosts);
      return FALSE;
    }
  hosts = urb_hosts_parse (text, error);
  if (hosts == NULL)
    {
      g_prefix_error (error, "--hosts '%s': ", config->hosts);
      return FALSE;
    }
  /* Ranks on GPUs may communicate otherwise; their processes are started by MPI all the same. */
  if (strcmp (config->train.communicator, "auto") == 0 && urb_device_is_host (config->train.backend))
    {
      g_free (config->train.communicator);
      config->train.communicator = g_strdup ("mpi");
    }
  return TRUE;
}

static gboolean
needs_no_master (const char *communicator)
{
  return g_strcmp0 (communicator, "threads") == 0 || g_strcmp0 (communicator, "mpi") == 0;
}

/* A run does not need the address of its rank 0 any more, or another way to connect ranks was chosen. */
static void
leave_master (const UrbCliRunArgs *self, UrbRunConfig *config)
{
  gboolean is_left = !urb_setting_args_given (self->args, "master")
                     && (needs_no_master (urb_setting_args_get (self->args, "communicator"))
                         || urb_setting_args_given (self->args, "hosts"));

  if (is_left || g_strcmp0 (config->master, "") == 0 || g_strcmp0 (config->master, "none") == 0)
    g_clear_pointer (&config->master, g_free);
  if (config->master == NULL)
    g_clear_pointer (&config->token_file, g_free);
}

/* An address is given to a run whose ranks were connected otherwise. */
static void
leave_mpi (const UrbCliRunArgs *self, UrbRunConfig *config)
{
  if (config->master == NULL || !urb_setting_args_given (self->args, "master"))
    return;
  if (!urb_setting_args_given (self->args, "hosts"))
    g_clear_pointer (&config->hosts, g_free);
  if (!urb_setting_args_given (self->args, "communicator") && needs_no_master (config->train.communicator))
    {
      g_free (config->train.communicator);
      config->train.communicator = g_strdup ("auto");
    }
}

gboolean
urb_cli_run_args_check_master (const UrbRunConfig *config, GError **error)
{
  g_autofree char *token = NULL;
  g_autoptr(GError) cause = NULL;

  if (needs_no_master (config->train.communicator) || config->hosts != NULL)
    return urb_options_fail (error, "Ranks that are started one by one (--master %s) exchange data through rank 0; "
                             "leave out --communicator and --hosts, or give --master none.", config->master);
  if (!urb_tcp_check_address (config->master, &cause))
    return urb_options_fail (error, "--master: %s.", cause->message);
  token = urb_tcp_token_load (config->token_file, config->master, &cause);
  return token != NULL || urb_options_fail (error, "%s.", cause->message);
}

/* A setting of the average that was @before does nothing for another one. */
static void
leave_average (const UrbCliRunArgs *self, UrbAveraging before, UrbRunConfig *config)
{
  const char *key = before == URB_AVERAGING_EQUAL ? "average-from" : "ema-ramp";

  if (config->train.averaging != before && !urb_setting_args_given (self->args, key))
    urb_setting_reset (urb_settings_find (&urb_run_settings, key), config);
}

gboolean
urb_cli_run_args_apply (const UrbCliRunArgs *self, UrbRunConfig *config, GError **error)
{
  g_autofree char *folder = g_get_current_dir ();
  gboolean is_new = self->command != URB_SETTING_RESUME;
  gboolean has_strategy = urb_setting_args_given (self->args, "strategy")
                          || urb_setting_args_given (self->args, "ranks")
                          || urb_setting_args_given (self->args, "mesh");
  gboolean has_lone_token;
  UrbAveraging averaging;

  if (self->config != NULL && !read_config (self->config, config, error))
    return FALSE;
  averaging = config->train.averaging;
  if (!apply_strategy (self, config, error) || !apply_settings (self, config, error))
    return FALSE;
  leave_average (self, averaging, config);
  has_lone_token = config->master == NULL && config->token_file != NULL;
  leave_master (self, config);
  leave_mpi (self, config);
  if (has_lone_token || (config->master == NULL && urb_setting_args_given (self->args, "token-file")))
    return urb_options_fail (error, "%s is for ranks that are started one by one; add --master ADDRESS:PORT, "
                             "or leave it out.", urb_setting_args_given (self->args, "token-file")
                                                   ? "--token-file" : "token-file in the configuration");
  make_paths_absolute (config, folder);
  if (self->seeks_batch)
    config->train.batch = 0;
  /* A run that another version started is resumed as it is. */
  if (is_new || has_strategy ? !urb_run_config_check (config, error)
                             : !urb_train_options_check_communicator (&config->train, error))
    return FALSE;
  if (config->master != NULL && !urb_cli_run_args_check_master (config, error))
    return FALSE;
  if (urb_setting_args_given (self->args, "note") && !urb_note_check (config->note, error))
    return FALSE;
  if (urb_setting_args_given (self->args, "hook") && urb_hook_is_given (config->hook)
      && !urb_known_hooks_add (config->hook, error))
    return FALSE;
  return config->hosts == NULL || (!is_new && !urb_setting_args_given (self->args, "hosts"))
         || apply_hosts (config, error);
}

/* Whether the run in @folder has no refiner, of an older version.  The newest checkpoint that can be
 * read tells: the supervisor will set damaged ones aside. */
static gboolean
lacks_refiner (const char *folder)
{
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (folder);
  gboolean found = FALSE, has_refiner = TRUE;

  for (guint i = steps->len; i > 0 && !found; i--)
    {
      g_autofree char *name = urb_run_checkpoint_name (g_array_index (steps, gint64, i - 1));
      g_autofree char *checkpoint = g_build_filename (folder, name, NULL);

      found = urb_checkpoint_find_refiner (checkpoint, &has_refiner);
    }
  return !has_refiner;
}

/* Ranks and microbatches get equal parts of the preset's batch. */
static void
choose_batch (UrbTrainOptions *train, const UrbPreset *preset)
{
  int parts = urb_train_options_count_parts (train) * train->accumulate;

  train->batch = MAX (preset->batch / parts, 1) * parts;
}

gboolean
urb_cli_run_args_resolve (const UrbCliRunArgs *self, UrbRunConfig *config, const char *folder,
                          GString *notes, GError **error)
{
  UrbTrainOptions *train = &config->train;
  g_autofree char *source = dup_preset (train->preset, folder);
  g_autoptr(UrbPreset) preset = urb_preset_load (source, error);
  g_autoptr(UrbDataset) dataset = NULL;
  int n_channels = train->n_channels > 0 ? train->n_channels : 3;
  UrbTrainOptions fitted; /* borrows everything */

  if (preset == NULL)
    return FALSE;
  if (train->dataset != NULL)
    {
      dataset = urb_dataset_open (train->dataset, error);
      if (dataset == NULL)
        return FALSE;
      n_channels = urb_encoding_get_n_channels (urb_dataset_get_info (dataset)->encoding);
    }
  if (self->seeks_batch)
    choose_batch (train, preset);
  if (!urb_recipe_resolve (train, preset, n_channels, error))
    return FALSE;
  if (self->scale_batch || self->scale_lr)
    {
      g_autofree char *text = urb_recipe_scale (train, preset, self->scale_batch, self->scale_lr);

      if (notes != NULL)
        g_string_append_printf (notes, "%s\n", text);
    }
  fitted = *train;
  urb_train_options_fit_dataset (&fitted, preset, dataset);
  if (folder != NULL && fitted.refine && lacks_refiner (folder))
    train->refine = FALSE;
  if (notes != NULL && train->refine && !fitted.refine && preset->refined_px > 0)
    g_string_append_printf (notes, "Training without a refiner: it needs tiles of %d px, and the dataset "
                            "has %d px. Curate with --resolution %d for sharper cities.\n",
                            preset->refined_px, urb_dataset_get_info (dataset)->resolution_px,
                            preset->refined_px);
  return TRUE;
}
