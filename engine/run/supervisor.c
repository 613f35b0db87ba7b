/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor.c - the life of a run: which state it is in, and what a message,
 * a command, a signal or a death does to it.
 *
 * What is hard: every combination of them can happen.  So a command only says
 * where the run shall go (`goal`), and what the worker's end means is decided
 * in one place, on_worker_ended().
 */
#include "run/supervisor.h"

#include <signal.h>
#include <string.h>

#include <glib-unix.h>

#include "run/control.h"
#include "run/recorder.h"
#include "run/worker-process.h"

enum
{
  TICK_MS = 500,
  RESTART_BASE_MS = 100,
  RESTART_MAX_MS = 10000,
  FLUSH_MS = 1000,
  DEFAULT_RESTARTS = 5,
  DEFAULT_SILENCE_S = 30,
  DEFAULT_STEP_S = 300,
  SLOW_STEPS = 20,      /* a step that takes so many times the slowest one hangs */
  SLOW_OTHER_S = 1800,  /* so does anything else that takes so long */
  SUSPENDED_S = 5       /* a tick that comes so late: we were stopped ourselves */
};

typedef enum
{
  GOAL_RUN,
  GOAL_PAUSE,
  GOAL_STOP
} Goal;

struct _UrbSupervisor
{
  UrbRunFolder        *folder; /* borrowed */
  UrbRunConfig         config;
  UrbSupervisorOptions options;
  UrbRecorder         *recorder; /* owned */
  UrbControl          *control;  /* owned */
  UrbWorkerProcess    *worker;   /* owned, nullable */
  GMainLoop           *loop;     /* owned */

  UrbRunState state;
  Goal        goal;
  gboolean    interrupted;     /* by a signal: says why it stops */
  gint64      checkpoint_step; /* newest; -1: none */
  gint64      step;            /* newest done */
  gint64      images;
  double      images_per_s;    /* smoothed; 0: not known yet */
  int         n_restarts;      /* since the newest checkpoint */
  double      slowest_step_s;  /* of this worker, its first step apart */
  gint64      n_worker_steps;
  gint64      last_tick_us;
  char       *doing;           /* owned, nullable; the worker's last heartbeat */
  double      doing_s;
  gint64      memory_bytes;
  gboolean    worker_finished; /* it said "ended" */
  GError     *worker_error;    /* owned, nullable; what it said before it ended */
  char       *dead;            /* owned, nullable; how the last one died */

  guint       tick_id, restart_id, limit_id, signal_ids[3];
  UrbRunEnd   end;
  GError     *error; /* owned, nullable; why the run failed */
};

static void start_worker (UrbSupervisor *self);

/* ------------------------------------------------------------------------ */
/* Telling                                                                   */

static void
tell (UrbSupervisor *self, const char *level, const char *code, const char *format, ...)
  G_GNUC_PRINTF (4, 5);

static void
tell (UrbSupervisor *self, const char *level, const char *code, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  urb_recorder_event (self->recorder, level, code, self->step, text);
}

static void
set_state (UrbSupervisor *self, UrbRunState state)
{
  const UrbSupervisorObserver *observer = self->options.observer;
  if (self->state == state)
    return;
  self->state = state;
  urb_recorder_event (self->recorder, "info", "state", self->step, urb_run_state_name (state));
  urb_recorder_commit (self->recorder);
  if (observer != NULL && observer->state != NULL)
    observer->state (state, self->options.user_data);
}

static char *
describe_checkpoint (UrbSupervisor *self)
{
  if (self->checkpoint_step < 0)
    return g_strdup ("the beginning, since there is no checkpoint yet");
  return g_strdup_printf ("the checkpoint of step %" G_GINT64_FORMAT, self->checkpoint_step);
}

/* ------------------------------------------------------------------------ */
/* The end                                                                   */

static void
finish (UrbSupervisor *self, UrbRunState state, UrbRunEnd end)
{
  self->end = end;
  set_state (self, state);
  g_main_loop_quit (self->loop);
}

/* Takes @error. */
static void
give_up (UrbSupervisor *self, GError *error)
{
  if (self->error == NULL)
    self->error = error;
  else
    g_error_free (error);
  tell (self, "error", "failed", "%s", self->error->message);
  finish (self, URB_RUN_FAILED, URB_RUN_END_STOPPED);
}

static void
finish_stopped (UrbSupervisor *self)
{
  finish (self, URB_RUN_STOPPED, self->interrupted ? URB_RUN_END_INTERRUPTED : URB_RUN_END_STOPPED);
}

/* ------------------------------------------------------------------------ */
/* Messages of the worker                                                    */

static void
send_order (UrbSupervisor *self, const char *cmd)
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
  if (g_key_file_load_from_data (file, text, (gsize) -1, G_KEY_FILE_NONE, error)
      && urb_train_options_from_key_file (&self->config.train, file, error))
    urb_run_folder_save_config (self->folder, &self->config, error);
}

static void
on_ready (UrbSupervisor *self, JsonObject *message)
{
  g_autofree char *config = NULL;
  GError *error = NULL;
  keep_options (self, message, &error);
  if (error != NULL)
    {
      give_up (self, error);
      return;
    }
  config = urb_run_config_to_text (&self->config);
  urb_recorder_session (self->recorder, config, self->step, self->config.train.n_steps);
  if (self->state == URB_RUN_STARTING)
    set_state (self, URB_RUN_RUNNING);
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
    tell (self, "warning", urb_json_get_string (message, "code", "warning"), "%s",
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
      send_order (self, "synced");
    }
}

/* ------------------------------------------------------------------------ */
/* Starting a worker                                                         */

/* Folder, database and our own counters agree with the newest checkpoint. */
static void
rewind_to_checkpoint (UrbSupervisor *self)
{
  g_autofree char *damaged = NULL;
  urb_run_folder_sweep (self->folder);
  self->checkpoint_step = urb_run_folder_find_checkpoint (self->folder, &damaged);
  self->step = MAX (self->checkpoint_step, 0);
  self->images = 0;
  if (damaged != NULL)
    tell (self, "warning", "checkpoint-damaged", "%s", damaged);
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

static void ended_cb (UrbWorkerProcess *worker, gboolean success, const char *how, gpointer user_data);

static const UrbWorkerProcessOps worker_ops = { .message = message_cb, .ended = ended_cb };

static void
start_worker (UrbSupervisor *self)
{
  static const char *const own_argv[] = { "/proc/self/exe", "worker", NULL };
  const char *const *argv = self->options.worker_argv != NULL ? self->options.worker_argv : own_argv;
  g_autofree char *text = NULL;
  GError *error = NULL;
  self->goal = GOAL_RUN;
  self->worker_finished = FALSE;
  self->slowest_step_s = 0;
  self->n_worker_steps = 0;
  g_clear_error (&self->worker_error);
  set_state (self, URB_RUN_STARTING);
  /* Commit: between here and the worker's first word much time may pass. */
  urb_recorder_commit (self->recorder);
  self->worker = urb_worker_process_spawn (argv, 0, urb_recorder_get_log_fd (self->recorder),
                                           &worker_ops, self, &error);
  if (self->worker == NULL)
    {
      give_up (self, error);
      return;
    }
  text = g_strdup_printf ("at step %" G_GINT64_FORMAT, self->step);
  urb_recorder_worker (self->recorder, 0, urb_worker_process_get_pid (self->worker), "started", text);
  send_start (self);
}

static gboolean
restart_cb (gpointer user_data)
{
  UrbSupervisor *self = user_data;
  self->restart_id = 0;
  rewind_to_checkpoint (self);
  start_worker (self);
  return G_SOURCE_REMOVE;
}

/* ------------------------------------------------------------------------ */
/* The end of a worker                                                       */

/* Trying again would fail in the same way. */
static gboolean
is_hopeless (const GError *error)
{
  return g_error_matches (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS)
         || g_error_matches (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DATASET)
         || g_error_matches (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY)
         || g_error_matches (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_CHECKPOINT)
         || (error != NULL && error->domain == URB_RUN_ERROR)
         || (error != NULL && strstr (g_quark_to_string (error->domain), "dataset") != NULL);
}

static void
pause_diverged (UrbSupervisor *self)
{
  g_autofree char *where = NULL;
  GError *error;
  gint64 diverged_at = self->step + 1;
  rewind_to_checkpoint (self);
  where = describe_checkpoint (self);
  error = g_error_new (URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED,
                       "The training diverged at step %" G_GINT64_FORMAT
                       " (%s). The run is paused at %s: resume it with a lower learning rate "
                       "(--lr-g, --lr-d) or a larger --gamma",
                       diverged_at, self->worker_error->message, where);
  tell (self, "error", "diverged", "%s", error->message);
  self->end = URB_RUN_END_STOPPED;
  set_state (self, URB_RUN_PAUSED);
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
      GError *error = self->worker_error != NULL ? g_error_copy (self->worker_error)
                                                 : g_error_new_literal (URB_RUN_ERROR, URB_RUN_ERROR_WORKER, dead);
      g_prefix_error (&error, "The run was restarted %d times without getting to a new checkpoint. The last time: ",
                      max);
      give_up (self, error);
      return;
    }
  set_state (self, URB_RUN_STARTING);
  where = describe_checkpoint (self);
  tell (self, "warning", "restart", "The run goes on from %s", where);
  self->restart_id = g_timeout_add ((guint) MIN (RESTART_BASE_MS << self->n_restarts, RESTART_MAX_MS),
                                    restart_cb, self);
  self->n_restarts++;
}

/* It died on the way to a pause or an end: what was saved last counts. */
static void
settle_without_worker (UrbSupervisor *self)
{
  g_autofree char *where = NULL;
  rewind_to_checkpoint (self);
  where = describe_checkpoint (self);
  tell (self, "warning", "rewound-to", "The run stays at %s", where);
  if (self->goal == GOAL_PAUSE)
    set_state (self, URB_RUN_PAUSED);
  else
    finish_stopped (self);
}

static void
on_worker_ended (UrbSupervisor *self, gboolean success, const char *dead)
{
  if (self->error != NULL || self->state == URB_RUN_FAILED)
    return; /* given up already */
  if (success && self->worker_finished)
    {
      if (self->step >= self->config.train.n_steps)
        finish (self, URB_RUN_FINISHED, URB_RUN_END_FINISHED);
      else if (self->goal == GOAL_PAUSE)
        set_state (self, URB_RUN_PAUSED);
      else
        finish_stopped (self);
      return;
    }
  tell (self, is_hopeless (self->worker_error) ? "error" : "warning", "worker-died", "%s%s%s", dead,
        self->worker_error != NULL ? ": " : "",
        self->worker_error != NULL ? self->worker_error->message : "");
  if (g_error_matches (self->worker_error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED))
    pause_diverged (self);
  else if (is_hopeless (self->worker_error))
    give_up (self, g_error_copy (self->worker_error));
  else if (self->goal == GOAL_RUN)
    restart_later (self, dead);
  else if (self->worker_error != NULL)
    give_up (self, g_error_copy (self->worker_error));
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

static void
watch_worker (UrbSupervisor *self)
{
  double silence_s = urb_worker_process_get_silence_s (self->worker);
  double max_silence_s = self->options.max_silence_s > 0 ? self->options.max_silence_s : DEFAULT_SILENCE_S;
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

static gboolean
tick_cb (gpointer user_data)
{
  UrbSupervisor *self = user_data;
  gint64 now_us = g_get_monotonic_time ();
  gboolean suspended = now_us - self->last_tick_us > SUSPENDED_S * (gint64) G_USEC_PER_SEC;
  self->last_tick_us = now_us;
  if (self->worker != NULL && suspended)
    urb_worker_process_forgive (self->worker);
  else if (self->worker != NULL)
    watch_worker (self);
  return G_SOURCE_CONTINUE;
}

/* ------------------------------------------------------------------------ */
/* Commands                                                                  */

static void
stop_run (UrbSupervisor *self)
{
  if (self->goal == GOAL_STOP)
    return;
  self->goal = GOAL_STOP;
  if (self->worker != NULL)
    {
      set_state (self, URB_RUN_STOPPING);
      send_order (self, "stop");
      return;
    }
  /* Paused, or waiting to be restarted: nothing to save. */
  g_clear_handle_id (&self->restart_id, g_source_remove);
  finish_stopped (self);
}

static gboolean
refuse (UrbSupervisor *self, const char *cmd, GError **error)
{
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_STATE, "The run cannot do '%s' while it is %s", cmd,
               urb_run_state_name (self->state));
  return FALSE;
}

static gboolean
pause_run (UrbSupervisor *self, GError **error)
{
  if (self->state == URB_RUN_PAUSED || self->state == URB_RUN_PAUSING)
    return TRUE;
  if (self->worker == NULL || self->goal == GOAL_STOP)
    return refuse (self, "pause", error);
  self->goal = GOAL_PAUSE;
  set_state (self, URB_RUN_PAUSING);
  send_order (self, "pause");
  return TRUE;
}

static gboolean
resume_run (UrbSupervisor *self, JsonObject *request, GError **error)
{
  gint64 n_steps = urb_json_get_int (request, "steps", self->config.train.n_steps);
  if (self->state == URB_RUN_RUNNING || self->state == URB_RUN_STARTING)
    return TRUE;
  if (self->state != URB_RUN_PAUSED)
    return refuse (self, "resume", error);
  if (n_steps < self->step)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_STATE,
                   "The run is at step %" G_GINT64_FORMAT " already; steps are counted from the beginning",
                   self->step);
      return FALSE;
    }
  self->config.train.n_steps = n_steps;
  self->n_restarts = 0;
  rewind_to_checkpoint (self);
  start_worker (self);
  return TRUE;
}

static gboolean
order (UrbSupervisor *self, const char *cmd, GError **error)
{
  if (self->worker == NULL || self->goal != GOAL_RUN)
    return refuse (self, cmd, error);
  send_order (self, cmd);
  return TRUE;
}

static gboolean
command_cb (const char *cmd, JsonObject *request, GString *reply, gpointer user_data, GError **error)
{
  UrbSupervisor *self = user_data;
  if (strcmp (cmd, "pause") == 0)
    return pause_run (self, error);
  if (strcmp (cmd, "resume") == 0)
    return resume_run (self, request, error);
  if (strcmp (cmd, "checkpoint") == 0 || strcmp (cmd, "sample") == 0)
    return order (self, cmd, error);
  if (strcmp (cmd, "stop") == 0)
    {
      stop_run (self);
      return TRUE;
    }
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_PROTOCOL, "There is no command '%s'", cmd);
  return FALSE;
}

static void
add_worker_status (UrbSupervisor *self, GString *json)
{
  GString *worker;
  g_autofree char *text = NULL;
  if (self->worker == NULL)
    return;
  worker = urb_json_new ();
  urb_json_add_int (worker, "rank", urb_worker_process_get_rank (self->worker));
  urb_json_add_int (worker, "pid", urb_worker_process_get_pid (self->worker));
  urb_json_add_string (worker, "doing", self->doing);
  urb_json_add_double (worker, "seconds", self->doing_s);
  urb_json_add_double (worker, "silence_s", urb_worker_process_get_silence_s (self->worker));
  urb_json_add_int (worker, "memory_bytes", self->memory_bytes);
  text = g_strdup_printf ("[%s", worker->str);
  g_string_free (worker, TRUE);
  worker = g_string_new (text);
  g_string_append (worker, "}]");
  urb_json_add_raw (json, "workers", worker->str);
  g_string_free (worker, TRUE);
}

static void
status_cb (GString *json, gpointer user_data)
{
  UrbSupervisor *self = user_data;
  urb_json_add_string (json, "run", urb_run_folder_get_path (self->folder));
  urb_json_add_string (json, "name", self->config.name);
  urb_json_add_int (json, "pid", getpid ());
  urb_json_add_string (json, "state", urb_run_state_name (self->state));
  urb_json_add_int (json, "step", self->step);
  urb_json_add_int (json, "n_steps", self->config.train.n_steps);
  urb_json_add_int (json, "images", self->images);
  urb_json_add_double (json, "images_per_s", self->images_per_s);
  urb_json_add_int (json, "checkpoint_step", self->checkpoint_step);
  add_worker_status (self, json);
}

static const UrbControlOps control_ops = { .command = command_cb, .status = status_cb };

/* ------------------------------------------------------------------------ */
/* Signals, limits and failures                                              */

static gboolean
signal_cb (gpointer user_data)
{
  UrbSupervisor *self = user_data;
  if (self->interrupted)
    {
      /* The second one: at once.  Freeing the worker kills it. */
      tell (self, "warning", "killed", "Interrupted twice: the run ends without a checkpoint");
      finish (self, URB_RUN_STOPPED, URB_RUN_END_KILLED);
      return G_SOURCE_CONTINUE;
    }
  self->interrupted = TRUE;
  tell (self, "info", "interrupted", "Interrupted: saving a checkpoint (once more: end at once)");
  stop_run (self);
  return G_SOURCE_CONTINUE;
}

static gboolean
limit_cb (gpointer user_data)
{
  UrbSupervisor *self = user_data;
  self->limit_id = 0;
  tell (self, "info", "time-limit", "The time limit of %g minutes is reached", self->options.max_minutes);
  stop_run (self);
  return G_SOURCE_REMOVE;
}

static void
committed_cb (gpointer user_data)
{
  UrbSupervisor *self = user_data;
  const UrbSupervisorObserver *observer = self->options.observer;
  if (self->control != NULL)
    urb_control_notify (self->control);
  if (observer != NULL && observer->committed != NULL)
    observer->committed (self->options.user_data);
}

static void
recorder_failed_cb (const GError *error, gpointer user_data)
{
  give_up (user_data, g_error_copy (error));
}

static void
event_cb (const char *level, const char *text, gpointer user_data)
{
  UrbSupervisor *self = user_data;
  const UrbSupervisorObserver *observer = self->options.observer;
  if (observer != NULL && observer->event != NULL)
    observer->event (level, text, self->options.user_data);
}

static const UrbRecorderOps recorder_ops = {
  .committed = committed_cb,
  .failed = recorder_failed_cb,
  .event = event_cb,
};

/* ------------------------------------------------------------------------ */
/* Public                                                                    */

UrbSupervisor *
urb_supervisor_new (UrbRunFolder *folder, const UrbRunConfig *config, const UrbSupervisorOptions *options,
                    GError **error)
{
  g_autoptr(UrbSupervisor) self = NULL;
  g_autofree char *text = NULL;
  g_return_val_if_fail (folder != NULL && config != NULL && options != NULL, NULL);
  self = g_new0 (UrbSupervisor, 1);
  self->folder = folder;
  self->options = *options;
  self->state = URB_RUN_STOPPED;
  self->loop = g_main_loop_new (NULL, FALSE);
  urb_run_config_init (&self->config);
  text = urb_run_config_to_text (config);
  if (!urb_run_config_from_text (&self->config, text, error)
      || !urb_run_folder_save_config (folder, &self->config, error))
    return NULL;
  urb_run_folder_claim (folder);
  self->recorder = urb_recorder_new (folder, &recorder_ops, self, error);
  if (self->recorder == NULL)
    return NULL;
  rewind_to_checkpoint (self);
  urb_recorder_commit (self->recorder);
  self->control = urb_control_new (folder, &control_ops, self, error);
  return self->control != NULL ? g_steal_pointer (&self) : NULL;
}

void
urb_supervisor_free (UrbSupervisor *self)
{
  if (self == NULL)
    return;
  urb_worker_process_free (self->worker);
  g_clear_handle_id (&self->restart_id, g_source_remove);
  urb_control_free (self->control);
  urb_recorder_free (self->recorder);
  g_main_loop_unref (self->loop);
  urb_run_config_clear (&self->config);
  g_clear_error (&self->worker_error);
  g_clear_error (&self->error);
  g_free (self->doing);
  g_free (self);
}

static void
add_sources (UrbSupervisor *self)
{
  static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    self->signal_ids[i] = g_unix_signal_add (signals[i], signal_cb, self);
  self->tick_id = g_timeout_add (TICK_MS, tick_cb, self);
  self->last_tick_us = g_get_monotonic_time ();
  if (self->options.max_minutes > 0)
    self->limit_id = g_timeout_add ((guint) MIN (self->options.max_minutes * 60000, (double) G_MAXUINT),
                                    limit_cb, self);
}

static void
remove_sources (UrbSupervisor *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (self->signal_ids); i++)
    g_clear_handle_id (&self->signal_ids[i], g_source_remove);
  g_clear_handle_id (&self->tick_id, g_source_remove);
  g_clear_handle_id (&self->limit_id, g_source_remove);
  g_clear_handle_id (&self->restart_id, g_source_remove);
}

gboolean
urb_supervisor_run (UrbSupervisor *self, UrbRunEnd *end, GError **error)
{
  add_sources (self);
  start_worker (self);
  if (self->error == NULL)
    g_main_loop_run (self->loop);
  remove_sources (self);
  /* No worker from here on, so that what it was writing can be swept. */
  g_clear_pointer (&self->worker, urb_worker_process_free);
  urb_run_folder_sweep (self->folder);
  urb_recorder_sync (self->recorder);
  urb_control_flush (self->control, FLUSH_MS);
  *end = self->end;
  if (self->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&self->error));
  return FALSE;
}

gint64
urb_supervisor_get_n_steps (UrbSupervisor *self)
{
  return self->config.train.n_steps;
}

gint64
urb_supervisor_get_step (UrbSupervisor *self)
{
  return self->step;
}
