/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resume.c - `urbarium-engine resume`: continues a run.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/preflight.h"
#include "cli/resume-interrupted.h"
#include "cli/run-args.h"
#include "cli/run-session.h"
#include "run/store/client.h"
#include "run/supervisor/supervisor.h"

enum { TIMEOUT_MS = 10000, LOOK_MS = 20 };

typedef struct
{
  UrbCliRunArgs settings;
  UrbCliSession session;
  gint64        from_step; /* -1: the newest checkpoint */
  gboolean      from_best, from_good, interrupted;
  char         *branch; /* (nullable) owned: a new folder */
} ResumeOptions;

static void
resume_options_clear (ResumeOptions *self)
{
  urb_cli_run_args_clear (&self->settings);
  urb_cli_session_clear (&self->session);
  g_free (self->branch);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ResumeOptions, resume_options_clear)

/* Whether something was asked for that a supervisor already running cannot be told. */
static gboolean
has_changes (const ResumeOptions *self)
{
  const UrbCliSession *session = &self->session;
  return self->from_step >= 0 || urb_cli_run_args_change_run (&self->settings)
         || session->max_minutes > 0 || session->profile || session->trace != NULL || session->json;
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

/* Asks the supervisor of a paused or queued run to continue. */
static int
wake_up (const ResumeOptions *self, const char *path, const GError *busy)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunClient) client = NULL;
  g_autoptr(JsonObject) status = NULL;
  g_autoptr(JsonObject) reply = NULL;
  UrbRunConfig wanted = { 0 }; /* its number of steps alone */
  const char *state;
  if (self->session.after != NULL)
    return urb_cli_fail (busy);
  if (!urb_setting_args_apply_one (self->settings.args, "steps", &wanted, &error))
    return urb_cli_fail (error);
  client = urb_run_client_new (path, NULL, NULL, &error);
  if (client != NULL)
    status = urb_run_client_call (client, "status", NULL, 0, TIMEOUT_MS, &error);
  state = status != NULL ? urb_json_get_string (status, "state", "") : "";
  if (strcmp (state, "paused") != 0 && strcmp (state, "queued") != 0)
    return urb_cli_fail (busy);
  reply = urb_run_client_call (client, "resume", wanted.train.n_steps > 0 ? "steps" : NULL,
                               wanted.train.n_steps, TIMEOUT_MS, &error);
  if (reply == NULL)
    return urb_cli_fail (error);
  if (!self->session.quiet)
    printf ("The run '%s' was %s and goes on in process %" G_GINT64_FORMAT ".\n", path, state,
            urb_json_get_int (status, "pid", 0));
  return URB_EXIT_OK;
}

/* Returns: -1 if there is something to do, else the exit code */
static int
check_steps (const ResumeOptions *self, const UrbRunConfig *config, const char *path)
{
  gint64 done = self->from_step >= 0 ? self->from_step
                                     : MAX (urb_run_folder_get_newest_checkpoint (path), 0);
  if (config->train.n_steps > done)
    return -1;
  if (config->train.n_steps < done)
    return urb_cli_fail_usage ("the run is at step %" G_GINT64_FORMAT " already, and --steps counts "
                               "from the beginning", done);
  if (!self->session.quiet)
    fprintf (stderr, "urbarium-engine resume: all %" G_GINT64_FORMAT " steps are done; "
                     "--steps with a larger number goes on\n", done);
  return URB_EXIT_OK;
}

/* @is_held: by a supervisor that has to let go first
 * @config: (inout): resolved, since runs of older versions may lack values
 * Returns: -1 if the run can begin, else the exit code */
static int
check (const ResumeOptions *self, const char *path, gboolean is_held, UrbRunConfig *config)
{
  g_autoptr(GError) error = NULL;
  int code = URB_EXIT_OK;
  if (urb_setting_args_given (self->settings.args, "device")) /* even if all steps are done */
    code = urb_cli_preflight_check_device (config->train.backend);
  if (code != URB_EXIT_OK)
    return code;
  code = check_steps (self, config, path);
  if (code >= 0)
    return code;
  if (!urb_run_folder_restore_preset (path, config->train.preset, &error))
    return urb_cli_fail (error);
  if (!urb_cli_run_args_resolve (&self->settings, config, path, NULL, &error))
    return urb_cli_fail (error);
  code = urb_cli_session_check_run (&self->session, path,
                                    self->from_step >= 0 && self->branch == NULL ? self->from_step : G_MAXINT64,
                                    is_held || self->session.after != NULL, config);
  return code == URB_EXIT_OK ? -1 : code;
}

/* Those that were not given. */
static void
halve_rates (const ResumeOptions *self, UrbTrainOptions *train)
{
  if (!urb_setting_args_given (self->settings.args, "lr-g"))
    train->lr_g /= 2;
  if (!urb_setting_args_given (self->settings.args, "lr-d"))
    train->lr_d /= 2;
}

/* @config: (out caller-allocates): of the run in @path, as it goes on */
static gboolean
read_config (const ResumeOptions *self, const char *path, UrbRunConfig *config, GError **error)
{
  urb_run_config_init (config);
  if (!urb_run_folder_load_config (path, config, error)
      || !urb_cli_run_args_apply (&self->settings, config, error))
    return FALSE;
  if (self->from_good)
    halve_rates (self, &config->train);
  return TRUE;
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
    return urb_cli_fail (error);
  if (folder == NULL && !is_held)
    return urb_cli_fail (busy);
  if (folder != NULL)
    urb_supervisor_sweep (); /* even if all steps are done */
  if (is_held && !has_changes (self))
    return wake_up (self, path, busy);
  if (!read_config (self, path, &config, &error))
    return urb_cli_fail (error);
  code = check (self, path, is_held, &config);
  if (code >= 0)
    return code;
  if (is_held)
    {
      folder = take_over (path, &error);
      if (folder == NULL)
        return urb_cli_fail (error);
      code = check (self, path, FALSE, &config);
      if (code >= 0)
        return code;
    }
  if (self->from_step >= 0 && !urb_run_folder_roll_back (folder, self->from_step, &error))
    return urb_cli_fail (error);
  return urb_cli_session_run (&self->session, folder, &config);
}

/* Goes on in a new folder. */
static int
resume_branch (const ResumeOptions *self, const char *from)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(UrbRunFolder) folder = NULL;
  g_autoptr(GError) error = NULL;
  gint64 step = self->from_step >= 0 ? self->from_step : urb_run_folder_get_newest_checkpoint (from);
  int code;
  if (!urb_cli_session_check_after (&self->session, self->branch, &error)
      || !urb_run_folder_check_unused (self->branch, &error)
      || !read_config (self, from, &config, &error))
    return urb_cli_fail (error);
  if (step < 0)
    return urb_cli_fail_usage ("the run has no checkpoint yet from which to branch");
  code = check (self, from, FALSE, &config);
  if (code >= 0)
    return code;
  folder = urb_run_folder_branch (from, step, self->branch, &config, &error);
  if (folder == NULL)
    return urb_cli_fail (error);
  return urb_cli_session_run (&self->session, folder, &config);
}

/* Without a folder, those in the usual place. */
static int
resume_interrupted (const ResumeOptions *self, int argc, char **argv)
{
  g_autofree char *usual = urb_run_dup_usual_place ();
  gboolean lone = argc <= 2 && !has_changes (self) && !self->from_best && !self->from_good && self->branch == NULL && self->session.after == NULL;
  if (!lone)
    return urb_cli_fail_usage ("--interrupted goes on with runs as they are; leave out all but a folder of runs");
  if (argc < 2 && !g_file_test (usual, G_FILE_TEST_EXISTS))
    return URB_EXIT_OK; /* there was no run yet */
  return urb_cli_resume_interrupted (argc == 2 ? argv[1] : usual, self->session.quiet);
}

int
urb_cli_resume (int argc, char **argv)
{
  g_auto(ResumeOptions) self = { .from_step = -1 };
  const GOptionEntry entries[] = {
    { "from-step", 0, 0, G_OPTION_ARG_INT64, &self.from_step,
      "Roll back to the checkpoint of step N; delete everything after it", "N" },
    { "from-best", 0, 0, G_OPTION_ARG_NONE, &self.from_best,
      "Roll back to the checkpoint of the best score; delete everything after it", NULL },
    { "from-good", 0, 0, G_OPTION_ARG_NONE, &self.from_good,
      "Roll back to the last good checkpoint of a run that went wrong, and halve the learning rates", NULL },
    { "interrupted", 0, 0, G_OPTION_ARG_NONE, &self.interrupted,
      "DIR is a folder of runs: go on, in the background, with those that a restart of the machine interrupted", NULL },
    { "branch", 0, 0, G_OPTION_ARG_FILENAME, &self.branch,
      "Go on in the new folder DIR instead, and leave the run as it is", "DIR" },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    "DIR",
    "Goes on with a run from its newest checkpoint, bit for bit as if it had never "
    "stopped; not so under hogwild and streams, whose ranks race, or with another strategy, "
    "number of ranks or threads, device or precision than before.", entries);
  const char *mistake;

  urb_cli_run_args_init (&self.settings, URB_SETTING_RESUME);
  urb_cli_run_args_add (&self.settings, context);
  urb_cli_session_add (&self.session, context);
  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (self.interrupted)
    return resume_interrupted (&self, argc, argv);
  mistake = argc != 2 ? "it needs the folder of one run"
                      : urb_cli_session_find_mistake (&self.session);
  if (mistake != NULL)
    return urb_cli_fail_usage ("%s", mistake);
  urb_cli_session_make_absolute (&self.session);
  if (self.from_best + self.from_good + (self.from_step >= 0) > 1)
    return urb_cli_fail_usage ("--from-best, --from-good and --from-step exclude each other");
  if (self.from_best && (self.from_step = urb_run_folder_get_mark (argv[1], URB_RUN_BEST)) < 0)
    return urb_cli_fail_usage ("the run has no best checkpoint: no score was measured yet");
  if (self.from_good && (self.from_step = urb_run_folder_get_mark (argv[1], URB_RUN_GOOD)) < 0)
    return urb_cli_fail_usage ("no checkpoint of the run is marked as good: it has not gone wrong, or went wrong "
                               "before the first checkpoint");
  return self.branch != NULL ? resume_branch (&self, argv[1]) : resume (&self, argv[1]);
}
