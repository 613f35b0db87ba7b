/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor.c - the life of a run.
 */
#include "run/supervisor/supervisor-private.h"

enum
{
  TICK_MS = 500,
  FLUSH_MS = 1000,
  SUSPENDED_S = 5 /* after a tick this late, the supervisor itself was stopped */
};

/* ------------------------------------------------------------------------ */
/* The clock, limits and failures                                            */

static gboolean
tick_cb (gpointer user_data)
{
  UrbSupervisor *self = user_data;
  gint64 now_us = g_get_monotonic_time ();
  double pause_s = (double) (now_us - self->last_tick_us) / G_USEC_PER_SEC;
  gboolean suspended = pause_s > SUSPENDED_S;
  self->last_tick_us = now_us;
  urb_supervisor_watch_folder (self);
  for (int i = 0; suspended && i < self->n_slots; i++)
    if (self->slots[i].worker != NULL)
      urb_worker_process_reset_silence (self->slots[i].worker);
  if (suspended)
    urb_supervisor_report (self, "warning", "suspended",
                         "The run was not supervised for %.0f seconds: its supervisor or the "
                         "machine was suspended", pause_s);
  else
    urb_supervisor_watch_workers (self);
  return G_SOURCE_CONTINUE;
}

/* The training does not depend on it. */
static void
follow_tensorboard (UrbSupervisor *self)
{
  g_autoptr(GError) error = NULL;
  if (self->tensorboard == NULL || self->is_lost || urb_tensorboard_follow (self->tensorboard, &error))
    return;
  g_clear_pointer (&self->tensorboard, urb_tensorboard_free);
  urb_supervisor_report (self, "warning", "tensorboard", "Nothing more is written for TensorBoard: %s", error->message);
}

static gboolean
open_tensorboard (UrbSupervisor *self, GError **error)
{
  const char *path = urb_run_folder_get_path (self->folder);
  g_autofree char *events = urb_run_folder_dup_file (self->folder, URB_RUN_TENSORBOARD_FOLDER);
  if (!self->config.tensorboard)
    return TRUE;
  self->tensorboard = urb_tensorboard_new (path, events, error);
  return self->tensorboard != NULL;
}

static void
committed_cb (gpointer user_data)
{
  UrbSupervisor *self = user_data;
  follow_tensorboard (self);
  if (self->control != NULL)
    urb_control_notify (self->control);
  if (self->observer->committed != NULL)
    self->observer->committed (self->options.user_data);
}

static void
recorder_failed_cb (const GError *error, gpointer user_data)
{
  urb_supervisor_give_up (user_data, g_error_copy (error));
}

static void
event_cb (const char *level, const char *text, gpointer user_data)
{
  UrbSupervisor *self = user_data;
  if (self->observer->event != NULL)
    self->observer->event (level, text, self->options.user_data);
}

static const UrbRecorderOps recorder_ops = {
  .committed = committed_cb,
  .failed = recorder_failed_cb,
  .event = event_cb,
};

/* ------------------------------------------------------------------------ */
/* Public                                                                    */

/* A new run has no checkpoints. */
static void
report_lost_history (UrbSupervisor *self)
{
  if (!urb_recorder_is_new (self->recorder)
      || urb_run_folder_get_newest_checkpoint (urb_run_folder_get_path (self->folder)) < 0)
    return;
  urb_recorder_rebuild (self->recorder, self->folder);
  urb_supervisor_report (self, "warning", "history-lost",
                         "run.db is missing: it was made again from the checkpoints and the log. The losses of "
                         "the steps so far are lost");
}

UrbSupervisor *
urb_supervisor_new (UrbRunFolder *folder, const UrbRunConfig *config,
                    const UrbSupervisorOptions *options, GError **error)
{
  static const UrbSupervisorObserver no_observer = { NULL };
  g_autoptr(UrbSupervisor) self = NULL;
  g_return_val_if_fail (folder != NULL && config != NULL && options != NULL, NULL);
  self = g_new0 (UrbSupervisor, 1);
  self->folder = folder;
  self->options = *options;
  self->options.max_restarts = options->max_restarts > 0 ? options->max_restarts : 5;
  self->options.max_silence_s = options->max_silence_s > 0 ? options->max_silence_s : 30;
  self->options.max_step_s = options->max_step_s > 0 ? options->max_step_s : 300;
  self->options.gpu_interval_ms = options->gpu_interval_ms > 0 ? options->gpu_interval_ms : 5000;
  self->observer = options->observer != NULL ? options->observer : &no_observer;
  self->worker_ops = &urb_supervisor_worker_ops;
  self->state = URB_RUN_STOPPED;
  self->loop = g_main_loop_new (NULL, FALSE);
  self->machine = urb_machine_dup_id ();
  urb_run_config_copy (&self->config, config);
  self->before = urb_predecessors_new (options->after, urb_run_folder_get_path (folder), error);
  if (self->before == NULL)
    return NULL;
  urb_run_folder_claim (folder);
  self->recorder = urb_recorder_new (folder, &recorder_ops, self, error);
  if (self->recorder == NULL)
    return NULL;
  report_lost_history (self);
  if (!urb_supervisor_rewind (self, error) || !urb_supervisor_open_hooks (self, error)
      || !open_tensorboard (self, error))
    return NULL;
  urb_recorder_commit (self->recorder);
  self->control = urb_control_new (folder, &urb_supervisor_control_ops, self, error);
  if (self->control == NULL)
    return NULL;
  if (options->max_idle_s > 0)
    urb_control_set_max_idle (self->control, options->max_idle_s);
  return g_steal_pointer (&self);
}

void
urb_supervisor_free (UrbSupervisor *self)
{
  if (self == NULL)
    return;
  for (int i = 0; i < self->n_slots; i++)
    urb_supervisor_clear_slot (&self->slots[i]);
  g_free (self->slots);
  urb_supervisor_stop_scoring (self);
  g_free (self->device);
  g_free (self->machine);
  g_clear_pointer (&self->gpus, urb_gpu_monitor_free);
  g_clear_handle_id (&self->energy_id, g_source_remove);
  g_clear_pointer (&self->rapl, urb_rapl_close);
  urb_hooks_free (self->hooks);
  urb_launch_free (self->launch);
  urb_board_free (self->board);
  urb_shared_params_free (self->shared);
  urb_step_order_free (self->order);
  g_clear_handle_id (&self->restart_id, g_source_remove);
  urb_control_free (self->control);
  urb_tensorboard_free (self->tensorboard);
  urb_recorder_free (self->recorder);
  urb_supervisor_forget_predecessors (self);
  g_main_loop_unref (self->loop);
  urb_run_config_clear (&self->config);
  g_clear_error (&self->worker_error);
  g_clear_error (&self->error);
  g_free (self);
}

gboolean
urb_supervisor_run (UrbSupervisor *self, UrbRunEnd *end, GError **error)
{
  const char *last = urb_predecessors_get_last (self->before);
  g_autoptr(GError) cause = NULL;
  urb_supervisor_heed_signals (self);
  self->tick_id = g_timeout_add (TICK_MS, tick_cb, self);
  self->last_tick_us = g_get_monotonic_time ();
  if (last != NULL || urb_supervisor_is_quiet (self))
    urb_supervisor_enter_queue (self, last);
  else
    urb_supervisor_leave_queue (self);
  if (self->error == NULL)
    g_main_loop_run (self->loop);
  urb_supervisor_disregard_signals (self);
  g_clear_handle_id (&self->tick_id, g_source_remove);
  g_clear_handle_id (&self->limit_id, g_source_remove);
  g_clear_handle_id (&self->restart_id, g_source_remove);
  g_clear_handle_id (&self->queue_id, g_source_remove);
  urb_supervisor_stop_scoring (self);
  /* No worker runs from here on: its temporary files can be removed. */
  for (int i = 0; i < self->n_slots; i++)
    urb_supervisor_clear_slot (&self->slots[i]);
  g_clear_pointer (&self->launch, urb_launch_free);
  if (!self->is_lost)
    {
      urb_supervisor_end_trace (self);
      urb_run_folder_sweep (self->folder);
    }
  urb_recorder_sync (self->recorder);
  urb_control_flush (self->control, FLUSH_MS);
  /* The run is over: nobody can command it while the hook is told. */
  g_clear_pointer (&self->control, urb_control_free);
  urb_supervisor_finish_hooks (self);
  urb_recorder_commit (self->recorder);
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
