/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resume.c - `urbarium-engine resume`: goes on with a run.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/preflight.h"
#include "cli/run-session.h"
#include "cli/strategy-options.h"
#include "run/client.h"

enum { TIMEOUT_MS = 10000, LOOK_MS = 20 };

#define AS_BEFORE (-G_MAXDOUBLE)

typedef struct
{
  UrbCliSession session;
  UrbCliStrategyOptions strategy;
  char         *dataset, *device, *precision; /* owned; NULL: as before */
  gint64        from_step;                               /* -1: the newest checkpoint */
  gint64        n_steps, sample_every, checkpoint_every; /* -1: as before */
  int           keep_checkpoints, n_threads;             /* -1: as before */
  double        lr_g, lr_d, gamma;                       /* AS_BEFORE */
} ResumeOptions;

static void
resume_options_clear (ResumeOptions *self)
{
  g_clear_pointer (&self->dataset, g_free);
  g_clear_pointer (&self->device, g_free);
  g_clear_pointer (&self->precision, g_free);
  urb_cli_session_clear (&self->session);
  urb_cli_strategy_options_clear (&self->strategy);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ResumeOptions, resume_options_clear)

static GArray *
get_entries (ResumeOptions *self)
{
  const GOptionEntry own[] = {
    { "dataset", 0, 0, G_OPTION_ARG_FILENAME, &self->dataset,
      "Where the dataset is now (as before)", "FILE" },
    { "steps", 0, 0, G_OPTION_ARG_INT64, &self->n_steps,
      "Steps in all: 10 done, --steps 20 runs 10 more (as before)", "N" },
    { "from-step", 0, 0, G_OPTION_ARG_INT64, &self->from_step,
      "Roll back: go on from the checkpoint of step N, forget all later ones", "N" },
    { "device", 0, 0, G_OPTION_ARG_STRING, &self->device,
      "cpu, cuda, or one of several GPUs as in cuda:1 (as before)", "NAME" },
    { "precision", 0, 0, G_OPTION_ARG_STRING, &self->precision,
      "fp32, bf16, or tf32 on a GPU (as before)", "NAME" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &self->n_threads, "Processor threads (as before)", "N" },
    { "lr-g", 0, 0, G_OPTION_ARG_DOUBLE, &self->lr_g, "Generator's learning rate (as before)",
      "X" },
    { "lr-d", 0, 0, G_OPTION_ARG_DOUBLE, &self->lr_d, "Discriminator's learning rate (as before)",
      "X" },
    { "gamma", 0, 0, G_OPTION_ARG_DOUBLE, &self->gamma,
      "Weight of the gradient penalty (as before)", "X" },
    { "sample-every", 0, 0, G_OPTION_ARG_INT64, &self->sample_every,
      "Steps between sample walls (as before)", "N" },
    { "checkpoint-every", 0, 0, G_OPTION_ARG_INT64, &self->checkpoint_every,
      "Steps between checkpoints (as before)", "N" },
    { "keep-checkpoints", 0, 0, G_OPTION_ARG_INT, &self->keep_checkpoints,
      "Newest checkpoints that are kept; 0: all (as before)", "N" },
  };
  GArray *strategy = urb_cli_strategy_options_get_entries (
    &self->strategy,
    URB_CLI_STRATEGY_HOSTS | URB_CLI_STRATEGY_HOGWILD | URB_CLI_STRATEGY_RESUMED);
  GArray *entries = urb_cli_session_get_entries (&self->session);
  g_array_append_vals (entries, own, G_N_ELEMENTS (own));
  g_array_append_vals (entries, strategy->data, strategy->len);
  g_array_unref (strategy);
  return entries;
}

static gboolean
apply (const ResumeOptions *self, UrbRunConfig *config, GError **error)
{
  UrbTrainOptions *train = &config->train;
  if (self->dataset != NULL)
    {
      g_free (train->dataset);
      train->dataset = g_canonicalize_filename (self->dataset, NULL);
    }
  if (self->device != NULL)
    {
      g_free (train->backend);
      train->backend = g_strdup (self->device);
    }
  if (self->precision != NULL && !urb_precision_parse (self->precision, &train->precision, error))
    return FALSE;
  if (self->n_steps >= 0)
    train->n_steps = self->n_steps;
  if (self->n_threads >= 0)
    train->n_threads = self->n_threads;
  if (self->lr_g != AS_BEFORE)
    train->lr_g = self->lr_g;
  if (self->lr_d != AS_BEFORE)
    train->lr_d = self->lr_d;
  if (self->gamma != AS_BEFORE)
    train->gamma = self->gamma;
  if (self->sample_every >= 0)
    config->sample_every = self->sample_every;
  if (self->checkpoint_every >= 0)
    config->checkpoint_every = self->checkpoint_every;
  if (self->keep_checkpoints >= 0)
    config->keep_checkpoints = self->keep_checkpoints;
  return urb_cli_strategy_options_apply (&self->strategy, train, error)
         && urb_cli_strategy_options_apply_hosts (&self->strategy, train, &config->hosts, error);
}

/* Whether something is wanted of which a supervisor that is there already would not hear. */
static gboolean
has_changes (const ResumeOptions *self)
{
  return self->dataset != NULL || self->device != NULL || self->precision != NULL
         || self->from_step >= 0 || self->n_threads >= 0 || self->lr_g != AS_BEFORE
         || self->lr_d != AS_BEFORE || self->gamma != AS_BEFORE
         || self->sample_every >= 0 || self->checkpoint_every >= 0
         || self->keep_checkpoints >= 0
         || urb_cli_strategy_options_are_given (&self->strategy)
         || urb_cli_session_wants_own (&self->session);
}

/* A paused run has nothing to lose: its supervisor ends, and another one begins.
 * Returns: NULL with @error if the run is not paused, or does not let go */
static UrbRunFolder *
take_over (const char *path, GError **error)
{
  g_autoptr(GError) busy = NULL;
  g_autoptr(UrbRunClient) client = urb_run_client_new (path, NULL, NULL, error);
  g_autoptr(JsonObject) status = NULL;
  g_autoptr(JsonObject) reply = NULL;
  UrbRunFolder *folder = NULL;
  if (client != NULL)
    status = urb_run_client_call (client, "status", NULL, 0, TIMEOUT_MS, error);
  if (status == NULL)
    return NULL;
  if (strcmp (urb_json_get_string (status, "state", ""), "paused") != 0)
    return urb_run_folder_open (path, error); /* which says who has it */
  reply = urb_run_client_call (client, "stop", NULL, 0, TIMEOUT_MS, error);
  for (int i = 0; reply != NULL && folder == NULL && i < TIMEOUT_MS / LOOK_MS; i++)
    {
      g_clear_error (&busy);
      folder = urb_run_folder_open (path, &busy);
      if (folder == NULL && !g_error_matches (busy, URB_RUN_ERROR, URB_RUN_ERROR_BUSY))
        break;
      if (folder == NULL)
        g_usleep (LOOK_MS * 1000);
    }
  if (folder == NULL && busy != NULL)
    g_propagate_error (error, g_steal_pointer (&busy));
  return folder;
}

/* Somebody has the run already.  If it waits, paused or queued, it is asked to go on. */
static int
wake_up (const ResumeOptions *self, const char *path, const GError *busy)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunClient) client = urb_run_client_new (path, NULL, NULL, &error);
  g_autoptr(JsonObject) status = NULL;
  g_autoptr(JsonObject) reply = NULL;
  const char *state;
  if (self->session.after != NULL)
    return urb_cli_session_fail ("resume", busy);
  if (client != NULL)
    status = urb_run_client_call (client, "status", NULL, 0, TIMEOUT_MS, &error);
  state = status != NULL ? urb_json_get_string (status, "state", "") : "";
  if (strcmp (state, "paused") != 0 && strcmp (state, "queued") != 0)
    return urb_cli_session_fail ("resume", busy);
  reply = urb_run_client_call (client, "resume", self->n_steps >= 0 ? "steps" : NULL, self->n_steps,
                               TIMEOUT_MS, &error);
  if (reply == NULL)
    return urb_cli_session_fail ("resume", error);
  if (!self->session.quiet)
    printf ("The run '%s' was %s and goes on in process %" G_GINT64_FORMAT ".\n", path, state,
            urb_json_get_int (status, "pid", 0));
  return URB_EXIT_OK;
}

/* Returns: -1 if there is something to do, else the exit code */
static int
check_steps (const ResumeOptions *self, const UrbRunConfig *config, const char *path)
{
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (path);
  gint64 newest = steps->len > 0 ? g_array_index (steps, gint64, steps->len - 1) : 0;
  gint64 done = self->from_step >= 0 ? self->from_step : newest;
  if (config->train.n_steps > done)
    return -1;
  if (config->train.n_steps < done)
    return urb_cli_fail_usage ("resume",
                               "the run is at step %" G_GINT64_FORMAT
                               " already, and --steps counts from "
                               "the beginning",
                               done);
  if (!self->session.quiet)
    fprintf (stderr, "urbarium-engine resume: all %" G_GINT64_FORMAT " steps are done; "
                     "--steps with a larger number goes on\n", done);
  return URB_EXIT_OK;
}

/* @is_held: by a supervisor that has to let go first
 * Returns: -1 if the run can begin, else the exit code */
static int
check (const ResumeOptions *self, const char *path, gboolean is_held, const UrbRunConfig *config)
{
  int code = URB_EXIT_OK;
  if (self->device != NULL) /* also where there is nothing left to do on it */
    code = urb_cli_preflight_check_device ("resume", self->device);
  if (code != URB_EXIT_OK)
    return code;
  code = check_steps (self, config, path);
  if (code >= 0)
    return code;
  code = urb_cli_session_check_run (&self->session, "resume", path,
                                    self->from_step >= 0 ? self->from_step : G_MAXINT64,
                                    is_held || self->session.after != NULL, config);
  return code == URB_EXIT_OK ? -1 : code;
}

static int
resume (const ResumeOptions *self, const char *path)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(GError) busy = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunFolder) folder = urb_run_folder_open (path, &busy);
  gboolean is_held = g_error_matches (busy, URB_RUN_ERROR, URB_RUN_ERROR_BUSY);
  int code;
  if (!urb_cli_session_check_after (&self->session, path, &error))
    return urb_cli_session_fail ("resume", error);
  if (folder == NULL && !is_held)
    return urb_cli_session_fail ("resume", busy);
  if (is_held && !has_changes (self))
    return wake_up (self, path, busy);
  urb_run_config_init (&config);
  if (!urb_run_folder_load_config (path, &config, &error) || !apply (self, &config, &error))
    return urb_cli_session_fail ("resume", error);
  code = check (self, path, is_held, &config);
  if (code >= 0)
    return code;
  if (is_held)
    {
      folder = take_over (path, &error);
      if (folder == NULL)
        return urb_cli_session_fail ("resume", error);
      code = check (self, path, FALSE, &config);
      if (code >= 0)
        return code;
    }
  if (self->from_step >= 0 && !urb_run_folder_roll_back (folder, self->from_step, &error))
    return urb_cli_session_fail ("resume", error);
  return urb_cli_session_run (&self->session, "resume", folder, &config);
}

int
urb_cli_resume (int argc, char **argv)
{
  g_auto(ResumeOptions) self = {
    .from_step = -1,
    .n_steps = -1,
    .sample_every = -1,
    .checkpoint_every = -1,
    .keep_checkpoints = -1,
    .n_threads = -1,
    .lr_g = AS_BEFORE,
    .lr_d = AS_BEFORE,
    .gamma = AS_BEFORE,
  };
  g_autoptr(GArray) entries = get_entries (&self);
  if (!urb_cli_parse (
        &argc, &argv, (const GOptionEntry *) (gpointer) entries->data, "DIR",
        "Goes on with a run from its newest checkpoint, bit for bit as if it had never "
        "stopped; not so under hogwild and streams, whose ranks race, or with another strategy, "
        "number of ranks or threads, device or precision than before."))
    return URB_EXIT_USAGE;
  if (argc != 2)
    return urb_cli_fail_usage ("resume", "it needs the folder of one run");
  if (self.gamma != AS_BEFORE && !(isfinite (self.gamma) && self.gamma >= 0))
    return urb_cli_fail_usage ("resume", "--gamma must be finite and not negative, and is %g",
                               self.gamma);
  if (!urb_cli_session_check (&self.session, "resume"))
    return URB_EXIT_USAGE;
  return resume (&self, argv[1]);
}
