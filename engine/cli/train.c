/* SPDX-License-Identifier: Apache-2.0 */
/*
 * train.c - `urbarium-engine train`: a new run.
 */
#include <stdio.h>

#include "base/atomic-file.h"
#include "cli/cli.h"
#include "cli/run-args.h"
#include "cli/run-session.h"
#include "cli/several.h"
#include "cli/sweep.h"
#include "dataset/dataset.h"
#include "settings/preset.h"

typedef struct
{
  UrbCliRunArgs settings;
  UrbCliSession session;
  UrbCliSeveral several;
  char         *run, *name; /* owned */
  gboolean      force;
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

static GArray *
get_entries (TrainOptions *self)
{
  const GOptionEntry own[] = {
    { "run", 0, 0, G_OPTION_ARG_FILENAME, &self->run, "Folder of the new run", "DIR" },
    { "name", 0, 0, G_OPTION_ARG_STRING, &self->name, "Name of the run (its folder's)", "NAME" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &self->force, "Delete a run that is in the folder already",
      NULL },
  };
  GArray *entries = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));
  GArray *lists[] = { urb_cli_run_args_get_entries (&self->settings),
                      urb_cli_several_get_entries (&self->several),
                      urb_cli_session_get_entries (&self->session) };
  g_array_append_vals (entries, own, G_N_ELEMENTS (own));
  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      g_array_append_vals (entries, lists[i]->data, lists[i]->len);
      g_array_unref (lists[i]);
    }
  return entries;
}

static gboolean
complain (const char *what)
{
  urb_cli_fail_usage ("train", "%s", what);
  return FALSE;
}

static gboolean
check_usage (const TrainOptions *self)
{
  if ((!urb_setting_args_given (self->settings.args, "dataset") && self->settings.config == NULL)
      || self->run == NULL)
    return complain ("it needs --dataset FILE and --run DIR");
  if (self->several.lists != NULL && g_strcmp0 (self->settings.config, "-") == 0)
    return complain ("--several needs a file for --config");
  if (self->several.n_at_once < 0 || (self->several.n_at_once > 0 && self->several.lists == NULL))
    return complain ("--at-once K says how many of --several run at the same time");
  if (self->several.lists != NULL && (self->session.detach || self->session.profile || self->session.trace != NULL))
    return complain ("--several stays in the foreground, and profiles and traces nothing");
  return urb_cli_session_check (&self->session, "train");
}

/* A preset of one's own is found again from any folder; and it says how long to
 * train where the options don't. */
static gboolean
apply_preset (UrbTrainOptions *train, GError **error)
{
  g_autoptr(UrbPreset) preset = urb_preset_load (train->preset, error);
  if (preset == NULL)
    return FALSE;
  if (train->n_steps == 0)
    train->n_steps = preset->n_steps;
  return TRUE;
}

/* Before a folder is made: most mistakes are here. */
static gboolean
check_dataset (const char *path, GError **error)
{
  g_autoptr(UrbDataset) dataset = urb_dataset_open (path, error);
  return dataset != NULL;
}

/* A preset of one's own travels with its run: the file may change or go, and
 * the folder may move.  The worker reads it from the folder that it runs in. */
static gboolean
keep_preset (UrbTrainOptions *options, UrbRunFolder *folder, GError **error)
{
  g_auto(GStrv) built_in = urb_preset_list ();
  g_autofree char *text = NULL;
  g_autofree char *base = NULL;
  g_autofree char *name = NULL;
  g_autofree char *path = NULL;
  gsize n_bytes;
  if (g_strv_contains ((const char *const *) built_in, options->preset))
    return TRUE;
  base = g_path_get_basename (options->preset);
  name = g_str_has_suffix (base, ".preset") ? g_strdup (base) : g_strconcat (base, ".preset", NULL);
  path = urb_run_folder_dup_file (folder, name);
  if (!g_file_get_contents (options->preset, &text, &n_bytes, error)
      || !urb_atomic_file_set_contents (path, text, n_bytes, error))
    return FALSE;
  g_free (options->preset);
  options->preset = g_steal_pointer (&name);
  return TRUE;
}

/* All that can be said before a folder is made. */
static gboolean
prepare (const TrainOptions *self, UrbRunConfig *config, GError **error)
{
  urb_run_config_init (config);
  if (!urb_cli_run_args_apply (&self->settings, config, error))
    return FALSE;
  config->created = g_get_real_time () / G_USEC_PER_SEC;
  g_free (config->engine);
  config->engine = g_strdup (URBARIUM_VERSION);
  if (config->train.dataset == NULL)
    {
      g_set_error_literal (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
                           "The configuration names no dataset; add --dataset FILE.");
      return FALSE;
    }
  return apply_preset (&config->train, error) && check_dataset (config->train.dataset, error)
         && (self->name == NULL || urb_run_check_name (self->name, error))
         && urb_cli_session_check_after (&self->session, self->run, error);
}

static int
train_several (TrainOptions *self, int argc, char *const *argv)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSweep) sweep = urb_sweep_parse ((const char *const *) self->several.lists, &error);

  if (sweep == NULL || !prepare (self, &config, &error))
    return urb_cli_session_fail ("train", error);
  self->several.n_steps = urb_setting_args_given (self->settings.args, "steps") ? config.train.n_steps : -1;
  self->several.force = self->force;
  return urb_cli_several_run (&self->several, sweep, &self->session, argc, argv, self->run,
                              self->name, &config);
}

static int
train (const TrainOptions *self)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(UrbRunFolder) folder = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *scaling = NULL;
  int code;
  if (!prepare (self, &config, &error)
      || (!self->force && !urb_run_folder_check_unused (self->run, &error)))
    return urb_cli_session_fail ("train", error);
  code = urb_cli_session_check_run (&self->session, "train", self->run, -1,
                                    self->session.after != NULL, &config);
  if (code != URB_EXIT_OK)
    return code;
  folder = urb_run_folder_create (
    self->run, self->force ? URB_RUN_FOLDER_REPLACE : URB_RUN_FOLDER_NEW, &error);
  if (folder == NULL)
    return urb_cli_session_fail ("train", error);
  if (self->name != NULL || config.name == NULL || *config.name == '\0')
    {
      g_free (config.name);
      config.name = self->name != NULL ? g_strdup (self->name)
                                       : g_path_get_basename (urb_run_folder_get_path (folder));
    }
  if (!keep_preset (&config.train, folder, &error)
      || !urb_run_folder_save_config (folder, &config, &error))
    return urb_cli_session_fail ("train", error);
  scaling = urb_cli_run_args_dup_scaling (&self->settings, &config.train);
  if (scaling != NULL && !self->session.quiet && !self->session.json)
    fprintf (stderr, "%s\n", scaling);
  return urb_cli_session_run (&self->session, "train", folder, &config);
}

int
urb_cli_train (int argc, char **argv)
{
  g_auto(TrainOptions) self = { 0 };
  g_autoptr(GArray) entries = NULL;
  /* The parser takes argv apart. */
  int n_given = argc;
  g_autofree char **given = g_memdup2 (argv, ((gsize) argc + 1) * sizeof *argv);
  urb_cli_run_args_init (&self.settings, URB_SETTING_TRAIN);
  entries = get_entries (&self);
  if (!urb_cli_parse (
        &argc, &argv, (const GOptionEntry *) (gpointer) entries->data, "--dataset FILE --run DIR",
        "Trains a generator on a dataset. Ends with a checkpoint and a wall of samples, however "
        "it is stopped: Ctrl+C once stops cleanly, twice at once."))
    return URB_EXIT_USAGE;
  if (argc > 1)
    return urb_cli_fail_usage ("train", "there is nothing to do with “%s”", argv[1]);
  if (!check_usage (&self))
    return URB_EXIT_USAGE;
  if (self.several.lists != NULL)
    return train_several (&self, n_given, given);
  return train (&self);
}
