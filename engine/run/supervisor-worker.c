/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-worker.c - the supervisor and its worker.
 *
 * What is hard: a worker may end at any moment, for any reason, while the run
 * was going anywhere.  What its end means is decided in one place,
 * on_worker_ended().
 */
#include <string.h>

#include "dataset/dataset.h"
#include "run/supervisor-private.h"

enum
{
  RESTART_BASE_MS = 100,
  RESTART_MAX_MS = 10000,
  DEFAULT_RESTARTS = 5,
  DEFAULT_SILENCE_S = 30,
  DEFAULT_STEP_S = 300,
  SLOW_STEPS = 20,     /* a step that takes so many times the slowest one hangs */
  SLOW_OTHER_S = 1800  /* so does anything else that takes so long */
};

static char *
describe_checkpoint (UrbSupervisor *self)
{
  if (self->checkpoint_step < 0)
    return g_strdup ("the beginning, since there is no checkpoint yet");
  return g_strdup_printf ("the checkpoint of step %" G_GINT64_FORMAT, self->checkpoint_step);
}

/* ------------------------------------------------------------------------ */
/* Messages of the worker                                                    */

void
urb_supervisor_send_order (UrbSupervisor *self, const char *cmd)
{
  GString *line = urb_json_new ();
  urb_json_add_string (line, "cmd", cmd);
  urb_worker_process_send (self->worker, urb_json_end (line));
}

/* What the options' zeros became is kept, so that another version or machine
 * goes on with the same numbers. */
static void
keep_options (UrbSupervisor *self, JsonObject *message, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  const char *text = urb_json_get_string (message, "options", "");
  gint64 n_steps = self->config.train.n_steps;
  if (g_key_file_load_from_data (file, text, (gsize) -1, G_KEY_FILE_NONE, error)
      && urb_train_options_from_key_file (&self->config.train, file, error))
    {
      /* It may have been extended since this worker was started. */
      self->config.train.n_steps = MAX (self->config.train.n_steps, n_steps);
      urb_run_folder_save_config (self->folder, &self->config, error);
    }
}

static void
on_ready (UrbSupervisor *self, JsonObject *message)
{
  g_autofree char *config = NULL;
  GError *error = NULL;
  keep_options (self, message, &error);
  if (error != NULL)
    {
      urb_supervisor_give_up (self, error);
      return;
    }
  config = urb_run_config_to_text (&self->config);
  urb_recorder_session (self->recorder, config, self->step, self->config.train.n_steps);
  if (self->state == URB_RUN_STARTING)
    urb_supervisor_set_state (self, URB_RUN_RUNNING);
}

static void
on_step (UrbSupervisor *self, JsonObject *message)
{
  const UrbSupervisorObserver *observer = self->options.observer;
  UrbStepMetrics metrics = { 0 };
  gint64 n_images;
  metrics.step = urb_json_get_int (message, "step", 0);
  metrics.images = urb_json_get_int (message, "images", 0);
  metrics.seconds = urb_json_get_double (message, "seconds", 0);
  for (int i = 0; i < URB_N_METRICS; i++)
    metrics.values[i] = urb_json_get_double (message, urb_step_metric_names[i], 0);
  n_images = metrics.images - self->images;
  if (self->images > 0 && n_images > 0 && metrics.seconds > 0)
    {
      double now = (double) n_images / metrics.seconds;
      self->images_per_s += (self->images_per_s > 0 ? 0.1 : 1) * (now - self->images_per_s);
    }
  self->images = metrics.images;
  self->step = metrics.step;
  if (self->n_worker_steps++ > 0)
    self->slowest_step_s = MAX (self->slowest_step_s, metrics.seconds);
  urb_recorder_step (self->recorder, &metrics);
  if (observer != NULL && observer->step != NULL)
    observer->step (&metrics, self->options.user_data);
}

static void
on_checkpoint (UrbSupervisor *self, JsonObject *message)
{
  g_autoptr(GArray) deleted = NULL;
  self->checkpoint_step = urb_json_get_int (message, "step", 0);
  self->n_restarts = 0;
  urb_recorder_checkpoint (self->recorder, self->checkpoint_step,
                           urb_json_get_string (message, "file", ""),
                           urb_json_get_int (message, "bytes", 0));
  deleted = urb_run_folder_prune_checkpoints (self->folder, self->config.keep_checkpoints);
  for (guint i = 0; i < deleted->len; i++)
    urb_recorder_drop_checkpoint (self->recorder, g_array_index (deleted, gint64, i));
}

static void
on_heartbeat (UrbSupervisor *self, JsonObject *message)
{
  GString *line = urb_json_new ();
  g_autofree char *text = NULL;
  g_free (self->doing);
  self->doing = g_strdup (urb_json_get_string (message, "doing", "nothing"));
  self->doing_s = urb_json_get_double (message, "seconds", 0);
  self->memory_bytes = urb_json_get_int (message, "memory_bytes", 0);
  urb_json_add_string (line, "type", "heartbeat");
  urb_json_add_int (line, "rank", urb_worker_process_get_rank (self->worker));
  urb_json_add_int (line, "pid", urb_worker_process_get_pid (self->worker));
  urb_json_add_int (line, "step", urb_json_get_int (message, "step", 0));
  urb_json_add_string (line, "doing", self->doing);
  urb_json_add_double (line, "seconds", self->doing_s);
  urb_json_add_int (line, "memory_bytes", self->memory_bytes);
  text = urb_json_end (line);
  urb_control_broadcast (self->control, text);
}

static void
on_profile (UrbSupervisor *self, JsonObject *message)
{
  const UrbSupervisorObserver *observer = self->options.observer;
  if (observer != NULL && observer->profile != NULL)
    observer->profile (urb_json_get_string (message, "text", ""), self->options.user_data);
}

static void
on_worker_error (UrbSupervisor *self, JsonObject *message)
{
  JsonNode *node = json_object_get_member (message, "error");
  g_clear_error (&self->worker_error);
  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
    self->worker_error = urb_json_to_error (json_node_get_object (node));
}

static void
message_cb (UrbWorkerProcess *worker, JsonObject *message, gpointer user_data)
{
  UrbSupervisor *self = user_data;
  const char *type = urb_json_get_string (message, "type", "");
  if (strcmp (type, "heartbeat") == 0)
    on_heartbeat (self, message);
  else if (strcmp (type, "step") == 0)
    on_step (self, message);
  else if (strcmp (type, "ready") == 0)
    on_ready (self, message);
  else if (strcmp (type, "checkpoint") == 0)
    on_checkpoint (self, message);
  else if (strcmp (type, "sample") == 0)
    urb_recorder_sample (self->recorder, urb_json_get_int (message, "step", 0),
                         urb_json_get_string (message, "file", ""));
  else if (strcmp (type, "warning") == 0)
    urb_supervisor_tell (self, "warning", urb_json_get_string (message, "code", "warning"), "%s",
          urb_json_get_string (message, "text", ""));
  else if (strcmp (type, "profile") == 0)
    on_profile (self, message);
  else if (strcmp (type, "error") == 0)
    on_worker_error (self, message);
  else if (strcmp (type, "ended") == 0)
    self->worker_finished = TRUE;
  else if (strcmp (type, "sync") == 0)
    {
      urb_recorder_sync (self->recorder);
      urb_supervisor_send_order (self, "synced");
    }
}

/* ------------------------------------------------------------------------ */
/* Starting a worker                                                         */

/* Folder, database and our own counters agree with the newest checkpoint. */
void
urb_supervisor_rewind (UrbSupervisor *self)
{
  g_autofree char *damaged = NULL;
  urb_run_folder_sweep (self->folder);
  self->checkpoint_step = urb_run_folder_find_checkpoint (self->folder, &damaged);
  self->step = MAX (self->checkpoint_step, 0);
  self->images = 0;
  if (damaged != NULL)
    urb_supervisor_tell (self, "warning", "checkpoint-damaged", "%s", damaged);
  urb_recorder_rewind (self->recorder, self->checkpoint_step);
  urb_run_folder_rewind_samples (self->folder, self->checkpoint_step);
  if (self->checkpoint_step >= 0)
    {
      g_autofree char *name = urb_run_checkpoint_name (self->checkpoint_step);
      /* A kill between the file and its record: known already otherwise. */
      urb_recorder_checkpoint (self->recorder, self->checkpoint_step, name, 0);
    }
}

static void
send_start (UrbSupervisor *self)
{
  g_autofree char *config = urb_run_config_to_text (&self->config);
  g_autofree char *checkpoint
    = self->checkpoint_step >= 0 ? urb_run_checkpoint_name (self->checkpoint_step) : NULL;
  GString *line = urb_json_new ();
  urb_json_add_string (line, "cmd", "start");
  urb_json_add_string (line, "folder", urb_run_folder_get_path (self->folder));
  urb_json_add_string (line, "config", config);
  urb_json_add_string (line, "checkpoint", checkpoint);
  urb_json_add_bool (line, "profile", self->options.profile);
  urb_worker_process_send (self->worker, urb_json_end (line));
}

static void
ended_cb (UrbWorkerProcess *worker, gboolean success, const char *how, gpointer user_data);

static const UrbWorkerProcessOps worker_ops = { .message = message_cb, .ended = ended_cb };

void
urb_supervisor_start_worker (UrbSupervisor *self)
{
  static const char *const own_argv[] = { "/proc/self/exe", "worker", NULL };
  const char *const *argv = self->options.worker_argv != NULL ? self->options.worker_argv
                                                              : own_argv;
  g_autofree char *text = NULL;
  GError *error = NULL;
  self->goal = GOAL_RUN;
  self->worker_finished = FALSE;
  self->slowest_step_s = 0;
  self->n_worker_steps = 0;
  g_clear_error (&self->worker_error);
  urb_supervisor_set_state (self, URB_RUN_STARTING);
  /* Commit: between here and the worker's first word much time may pass. */
  urb_recorder_commit (self->recorder);
  self->worker = urb_worker_process_spawn (argv, 0, urb_recorder_get_log_fd (self->recorder),
                                           &worker_ops, self, &error);
  if (self->worker == NULL)
    {
      urb_supervisor_give_up (self, error);
      return;
    }
  text = g_strdup_printf ("at step %" G_GINT64_FORMAT, self->step);
  urb_recorder_worker (self->recorder, 0, urb_worker_process_get_pid (self->worker), "started",
                       text);
  send_start (self);
}

static gboolean
restart_cb (gpointer user_data)
{
  UrbSupervisor *self = user_data;
  self->restart_id = 0;
  urb_supervisor_rewind (self);
  urb_supervisor_start_worker (self);
  return G_SOURCE_REMOVE;
}

/* ------------------------------------------------------------------------ */
/* The end of a worker                                                       */

/* Of a room that this one does not know by more than its name. */
static gboolean
is_of_domain (const GError *error, const char *domain)
{
  return error != NULL && g_str_equal (g_quark_to_string (error->domain), domain);
}

/* Trying again would fail in the same way. */
static gboolean
is_hopeless (const GError *error)
{
  return g_error_matches (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS)
         || g_error_matches (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DATASET)
         || g_error_matches (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY)
         || g_error_matches (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_CHECKPOINT)
         || is_of_domain (error, "urb-model-error-quark")
         || is_of_domain (error, "urb-step-error-quark")
         || (error != NULL && error->domain == URB_RUN_ERROR)
         || (error != NULL && error->domain == URB_DATASET_ERROR);
}

static void
pause_diverged (UrbSupervisor *self)
{
  g_autofree char *where = NULL;
  GError *error;
  gint64 diverged_at = self->step + 1;
  urb_supervisor_rewind (self);
  where = describe_checkpoint (self);
  error = g_error_new (URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED,
                       "The training diverged at step %" G_GINT64_FORMAT
                       " (%s). The run is paused at %s: resume it with a lower learning rate "
                       "(--lr-g, --lr-d) or a larger --gamma",
                       diverged_at, self->worker_error->message, where);
  urb_supervisor_tell (self, "error", "diverged", "%s", error->message);
  self->end = URB_RUN_END_STOPPED;
  urb_supervisor_set_state (self, URB_RUN_PAUSED);
  if (self->options.stays_paused)
    {
      g_error_free (error);
      return;
    }
  self->error = error;
  g_main_loop_quit (self->loop);
}

static void
restart_later (UrbSupervisor *self, const char *dead)
{
  int max = self->options.max_restarts > 0 ? self->options.max_restarts : DEFAULT_RESTARTS;
  g_autofree char *where = NULL;
  if (self->n_restarts >= max)
    {
      GError *error = self->worker_error != NULL
                        ? g_error_copy (self->worker_error)
                        : g_error_new_literal (URB_RUN_ERROR, URB_RUN_ERROR_WORKER, dead);
      g_prefix_error (
        &error,
        "The run was restarted %d times without getting to a new checkpoint. The last time: ", max);
      urb_supervisor_give_up (self, error);
      return;
    }
  urb_supervisor_set_state (self, URB_RUN_STARTING);
  where = describe_checkpoint (self);
  urb_supervisor_tell (self, "warning", "restart", "The run goes on from %s", where);
  self->restart_id = g_timeout_add (
    (guint) MIN (RESTART_BASE_MS << self->n_restarts, RESTART_MAX_MS), restart_cb, self);
  self->n_restarts++;
}

/* It died on the way to a pause or an end: what was saved last counts. */
static void
settle_without_worker (UrbSupervisor *self)
{
  g_autofree char *where = NULL;
  urb_supervisor_rewind (self);
  where = describe_checkpoint (self);
  urb_supervisor_tell (self, "warning", "rewound-to", "The run stays at %s", where);
  if (self->goal == GOAL_PAUSE)
    urb_supervisor_set_state (self, URB_RUN_PAUSED);
  else
    urb_supervisor_finish_stopped (self);
}

static void
on_worker_ended (UrbSupervisor *self, gboolean success, const char *dead)
{
  if (self->error != NULL || self->state == URB_RUN_FAILED)
    return; /* given up already */
  if (success && self->worker_finished)
    {
      if (self->step >= self->config.train.n_steps)
        urb_supervisor_finish (self, URB_RUN_FINISHED, URB_RUN_END_FINISHED);
      else if (self->goal == GOAL_PAUSE)
        urb_supervisor_set_state (self, URB_RUN_PAUSED);
      else if (self->goal == GOAL_STOP)
        urb_supervisor_finish_stopped (self);
      else
        {
          /* All the steps it knew of: the run was extended meanwhile. */
          urb_supervisor_rewind (self);
          urb_supervisor_start_worker (self);
        }
      return;
    }
  urb_supervisor_tell (self, is_hopeless (self->worker_error) ? "error" : "warning", "worker-died",
                       "%s%s%s", dead, self->worker_error != NULL ? ": " : "",
                       self->worker_error != NULL ? self->worker_error->message : "");
  if (g_error_matches (self->worker_error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED))
    pause_diverged (self);
  else if (is_hopeless (self->worker_error))
    urb_supervisor_give_up (self, g_error_copy (self->worker_error));
  else if (self->goal == GOAL_RUN)
    restart_later (self, dead);
  else if (self->worker_error != NULL)
    urb_supervisor_give_up (self, g_error_copy (self->worker_error));
  else
    settle_without_worker (self);
}

static void
ended_cb (UrbWorkerProcess *worker, gboolean success, const char *how, gpointer user_data)
{
  UrbSupervisor *self = user_data;
  int pid = urb_worker_process_get_pid (worker), rank = urb_worker_process_get_rank (worker);
  g_autofree char *dead = g_strdup_printf ("Worker rank %d (process %d) %s", rank, pid, how);
  urb_recorder_worker (self->recorder, rank, pid, "ended", how);
  g_clear_pointer (&self->worker, urb_worker_process_free);
  g_clear_pointer (&self->doing, g_free);
  self->memory_bytes = 0;
  on_worker_ended (self, success, dead);
}

/* ------------------------------------------------------------------------ */
/* Watching                                                                  */

void
urb_supervisor_watch_worker (UrbSupervisor *self)
{
  double silence_s = urb_worker_process_get_silence_s (self->worker);
  double max_silence_s = self->options.max_silence_s > 0 ? self->options.max_silence_s
                                                         : DEFAULT_SILENCE_S;
  double max_step_s = self->options.max_step_s > 0 ? self->options.max_step_s : DEFAULT_STEP_S;
  gboolean stepping = self->doing != NULL && strcmp (self->doing, "step") == 0;
  double limit_s = stepping ? MAX (max_step_s, SLOW_STEPS * self->slowest_step_s) : SLOW_OTHER_S;
  g_autofree char *why = NULL;
  if (silence_s > max_silence_s)
    why = g_strdup_printf ("has been silent for %.0f seconds", silence_s);
  else if (self->doing != NULL && self->doing_s > limit_s)
    why = g_strdup_printf ("has been busy with '%s' at step %" G_GINT64_FORMAT
                           " for %.0f seconds, and %.0f were the limit",
                           self->doing, self->step + stepping, self->doing_s, limit_s);
  if (why != NULL)
    urb_worker_process_kill (self->worker, why);
}
