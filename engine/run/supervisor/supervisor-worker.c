/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-worker.c - the end of a worker.
 *
 * A worker may end at any moment, for any reason, and whatever the goal of the run.  The
 * consequences are decided in one place, on_worker_ended().
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "dataset/dataset.h"
#include "run/supervisor/doctor.h"
#include "run/supervisor/supervisor-private.h"
#include "train/safetensors.h"

enum
{
  RESTART_BASE_MS = 100,
  RESTART_MAX_MS = 10000
};

static char *
describe_checkpoint (UrbSupervisor *self)
{
  if (self->checkpoint_step < 0)
    return g_strdup ("the beginning, since there is no checkpoint yet");
  return g_strdup_printf ("the checkpoint of step %" G_GINT64_FORMAT, self->checkpoint_step);
}

static gboolean
restart_cb (gpointer user_data)
{
  UrbSupervisor *self = user_data;
  self->restart_id = 0;
  if (urb_supervisor_rewind_or_give_up (self))
    urb_supervisor_start_workers (self);
  return G_SOURCE_REMOVE;
}

/* ------------------------------------------------------------------------ */
/* The end of a worker                                                       */

/* For domains of rooms whose headers this one does not include. */
static gboolean
is_of_domain (const GError *error, const char *domain)
{
  return error != NULL && g_str_equal (g_quark_to_string (error->domain), domain);
}

/* Whether a restart would fail in the same way. */
static gboolean
is_permanent (const GError *error)
{
  return g_error_matches (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS)
         || g_error_matches (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DATASET)
         || g_error_matches (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY)
         || g_error_matches (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_NO_DEVICE)
         || g_error_matches (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_CHECKPOINT)
         || g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC)
         || g_error_matches (error, URB_SAFETENSORS_ERROR, URB_SAFETENSORS_ERROR_WRITE)
         || is_of_domain (error, "urb-model-error-quark")
         || is_of_domain (error, "urb-step-error-quark")
         || (error != NULL && error->domain == URB_RUN_ERROR)
         || (error != NULL && error->domain == URB_DATASET_ERROR);
}

static void
pause_diverged (UrbSupervisor *self)
{
  g_autofree char *where = NULL, *remedy = NULL;
  GError *error;
  if (!urb_supervisor_rewind_or_give_up (self))
    return;
  where = describe_checkpoint (self);
  remedy = urb_supervisor_dup_remedy (self, self->checkpoint_step + 1);
  error = g_error_new (URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED,
                       "The training diverged. %s. The run is paused at %s. %s",
                       self->worker_error->message, where, remedy);
  urb_supervisor_report (self, "error", "diverged", "%s", error->message);
  self->end = URB_RUN_END_STOPPED;
  urb_supervisor_set_state (self, URB_RUN_PAUSED);
  if (self->options.stays_paused)
    {
      urb_supervisor_call_hook (self, URB_HOOK_FAILURE, self->step, NULL, error->message);
      g_error_free (error);
      return;
    }
  self->error = error;
  g_main_loop_quit (self->loop);
}

void
urb_supervisor_schedule_restart (UrbSupervisor *self, const char *dead)
{
  int max = self->options.max_restarts;
  g_autofree char *where = NULL;
  /* Ranks that were started one by one have ended, too; only who started them can do so again. */
  if (self->config.master != NULL && self->config.train.n_ranks > 1)
    {
      urb_supervisor_give_up (self, g_error_new (URB_RUN_ERROR, URB_RUN_ERROR_WORKER,
                                                 "%s. All ranks have ended: start them again, rank 0 with resume "
                                                 "(on this host alone: resume --master none)",
                                                 self->worker_error != NULL ? self->worker_error->message : dead));
      return;
    }
  if (self->n_restarts >= max)
    {
      GError *error = self->worker_error != NULL
                        ? g_error_copy (self->worker_error)
                        : g_error_new_literal (URB_RUN_ERROR, URB_RUN_ERROR_WORKER, dead);
      g_prefix_error (
        &error,
        "The run was restarted %d times without reaching a new checkpoint. The last error: ", max);
      urb_supervisor_give_up (self, error);
      return;
    }
  urb_supervisor_set_state (self, URB_RUN_STARTING);
  where = describe_checkpoint (self);
  urb_supervisor_report (self, "warning", "restart", "The run continues from %s", where);
  self->restart_id = g_timeout_add (
    (guint) MIN (RESTART_BASE_MS << self->n_restarts, RESTART_MAX_MS), restart_cb, self);
  self->n_restarts++;
}

/* It died while pausing or stopping: the last checkpoint counts. */
static void
stay_without_worker (UrbSupervisor *self)
{
  g_autofree char *where = NULL;
  if (!urb_supervisor_rewind_or_give_up (self))
    return;
  where = describe_checkpoint (self);
  urb_supervisor_report (self, "warning", "rewound-to", "The run stays at %s", where);
  if (self->goal == GOAL_PAUSE)
    urb_supervisor_set_state (self, URB_RUN_PAUSED);
  else
    urb_supervisor_finish_stopped (self);
}

/* The other workers of a team continue; but if none makes progress, the shared memory may be the
 * reason. */
static void
on_member_died (UrbWorkerSlot *slot, const char *dead)
{
  UrbSupervisor *self = slot->supervisor;
  if (self->goal != GOAL_RUN)
    {
      urb_supervisor_wind_down (self); /* rank 0 may have waited for this one */
      return;
    }
  if (++self->n_deaths <= self->options.max_restarts * self->n_slots)
    {
      urb_supervisor_schedule_replacement (slot);
      return;
    }
  urb_supervisor_kill_workers (self);
  urb_supervisor_schedule_restart (self, dead);
}

/* A GPU's memory goes with the process that allocated it. */
static gboolean
owned_parameters (UrbSupervisor *self, int rank)
{
  return rank == 0 && self->shared != NULL && urb_shared_params_has_owner (self->shared);
}

/* Whether the others can continue without it, and with its successor. */
static gboolean
can_be_replaced (UrbSupervisor *self, int rank)
{
  return self->shared != NULL && urb_shared_params_is_ready (self->shared)
         && !owned_parameters (self, rank)
         && (rank != 0 || self->goal == GOAL_RUN) && (self->is_lost || !is_permanent (self->worker_error))
         && !g_error_matches (self->worker_error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED);
}

void
urb_supervisor_end_work (UrbSupervisor *self)
{
  if (self->step >= self->config.train.n_steps)
    {
      if (urb_supervisor_fail_exploded (self))
        return;
      if (self->goal != GOAL_RUN || !urb_supervisor_score_last (self))
        urb_supervisor_finish (self, URB_RUN_FINISHED, URB_RUN_END_FINISHED);
    }
  else if (self->goal == GOAL_PAUSE)
    urb_supervisor_set_state (self, URB_RUN_PAUSED);
  else if (self->goal == GOAL_STOP)
    urb_supervisor_finish_stopped (self);
  else
    {
      /* It did all the steps it knew of; meanwhile the run was extended. */
      if (urb_supervisor_rewind_or_give_up (self))
        urb_supervisor_start_workers (self);
    }
}

static void
on_first_finished (UrbSupervisor *self)
{
  urb_supervisor_record_steps (self, TRUE);
  urb_supervisor_kill_workers (self); /* no steps are left for the others */
  urb_supervisor_end_work (self);
}

static void
on_worker_ended (UrbWorkerSlot *slot, gboolean good, const char *dead)
{
  UrbSupervisor *self = slot->supervisor;
  if (self->error != NULL || self->state == URB_RUN_FAILED)
    return; /* it has failed already */
  if (good && slot->rank == 0)
    {
      on_first_finished (self);
      return;
    }
  if (good)
    {
      if (self->goal != GOAL_RUN)
        urb_supervisor_wind_down (self);
      return;
    }
  urb_supervisor_report (self, is_permanent (self->worker_error) ? "error" : "warning", "worker-died",
                       "%s%s%s", dead, self->worker_error != NULL ? ": " : "",
                       self->worker_error != NULL ? self->worker_error->message : "");
  /* It may have read what took the place of the run's folder. */
  urb_supervisor_watch_folder (self);
  if (self->error != NULL || self->state == URB_RUN_FAILED)
    return;
  if (can_be_replaced (self, slot->rank))
    {
      on_member_died (slot, dead);
      return;
    }
  urb_supervisor_kill_workers (self);
  if (g_error_matches (self->worker_error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED))
    pause_diverged (self);
  else if (is_permanent (self->worker_error))
    urb_supervisor_give_up (self, g_error_copy (self->worker_error));
  else if (self->goal == GOAL_RUN)
    {
      if (owned_parameters (self, slot->rank))
        urb_supervisor_report (self, "warning", "parameters-lost",
                             "The parameters were in the GPU memory of rank 0's process and are "
                             "lost: the other ranks cannot continue");
      urb_supervisor_schedule_restart (self, dead);
    }
  else if (self->worker_error != NULL)
    urb_supervisor_give_up (self, g_error_copy (self->worker_error));
  else
    stay_without_worker (self);
}

static void
message_cb (UrbWorkerProcess *worker, JsonObject *message, gpointer user_data)
{
  urb_supervisor_handle_message (user_data, message);
}

/* The end of what workers, mpirun and the supervisor have printed since the workers were
 * started. */
static char *
read_log (UrbSupervisor *self)
{
  enum { MAX_BYTES = 64 * 1024 };
  g_autofree char *path = urb_run_folder_dup_file (self->folder, "log");
  g_autofree char *output = g_malloc0 (MAX_BYTES + 1);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  gint64 end = fd >= 0 ? (gint64) lseek (fd, 0, SEEK_END) : 0;
  gssize n = fd >= 0 ? pread (fd, output, MAX_BYTES, MAX (self->log_begin, end - MAX_BYTES)) : -1;
  if (fd >= 0)
    close (fd);
  return n < 0 ? g_strdup ("") : g_steal_pointer (&output);
}

/* The last line that a worker printed, since libraries print their errors; NULL: none. */
static char *
dup_last_output (UrbSupervisor *self)
{
  enum { MAX_CHARS = 300 };
  g_autofree char *output = read_log (self), *text = g_utf8_make_valid (output, -1);
  g_autoptr(GRegex) own = g_regex_new ("^[0-9]+-[0-9-]+ [0-9:]+ [a-z]+: ", 0, 0, NULL);
  g_auto(GStrv) lines = g_strsplit (text, "\n", -1);
  g_assert (own != NULL);
  for (guint i = g_strv_length (lines); i-- > 0;)
    if (*g_strstrip (lines[i]) != '\0' && !g_regex_match (own, lines[i], 0, NULL))
      return g_utf8_substring (lines[i], 0, MIN (g_utf8_strlen (lines[i], -1), MAX_CHARS));
  return NULL;
}

/* mpirun names the rank that failed first. */
static char *
dup_culprit (UrbSupervisor *self, const char *output)
{
  g_autofree char *how = NULL, *host = NULL, *lost = urb_launch_find_lost_host (output);
  int rank;
  UrbBoardRank read;
  if (lost != NULL)
    return g_strdup_printf ("The host %s and its ranks cannot be reached any more", lost);
  if (!urb_launch_find_culprit (output, &rank, &how, &host)
      || rank >= urb_board_get_n_ranks (self->board))
    return NULL;
  urb_board_read (self->board, rank, &read);
  /* Ranks of other hosts are not on the board. */
  if (read.pid == 0 || (self->config.hosts != NULL && host != NULL))
    return g_strdup_printf ("Worker rank %d%s%s %s", rank, host != NULL ? " on " : "",
                            host != NULL ? host : "", how);
  return g_strdup_printf ("Worker rank %d (process %" G_GINT64_FORMAT ") %s", rank, read.pid, how);
}

/* Names the rank that differed from the others; the worker's error only says that they differ. */
static void
add_difference (UrbSupervisor *self)
{
  g_autoptr(UrbDoctorView) view = NULL;
  g_autofree char *text = NULL;
  const char *from;
  int guilty;
  if (!is_of_domain (self->worker_error, "urb-comm-error-quark"))
    return;
  view = urb_doctor_read (self->board);
  text = urb_doctor_compare (view, &guilty, &from);
  if (guilty >= 0)
    g_prefix_error (&self->worker_error, "Rank %d differs from %s. ", guilty, from);
}

static gboolean
has_any_rank_started (UrbSupervisor *self)
{
  UrbBoardRank read;
  for (int i = 0; i < urb_board_get_n_ranks (self->board); i++)
    {
      urb_board_read (self->board, i, &read);
      if (read.pid != 0)
        return TRUE;
    }
  return FALSE;
}

/* If a host cannot be reached or a program is missing, only mpirun reports it.  Once may be
 * chance. */
static char *
describe_failed_launch (UrbWorkerSlot *slot, const char *how)
{
  UrbSupervisor *self = slot->supervisor;
  g_autofree char *log = urb_run_folder_dup_file (self->folder, "log");
  if (++self->n_absences >= 2 && slot->error == NULL)
    slot->error = g_error_new (URB_RUN_ERROR, URB_RUN_ERROR_WORKER,
                               "mpirun %s before any rank started, twice in a row. Its messages "
                               "are in '%s'%s", how, log,
                               self->config.hosts != NULL
                                 ? "; can every host of the hosts file be reached with ssh?" : "");
  return g_strdup_printf ("mpirun (process %d) %s before any rank started (see '%s')",
                          urb_worker_process_get_pid (slot->worker), how, log);
}

/* "Worker rank 1 (process 4711) was killed by signal 9" */
static char *
describe_dead (UrbWorkerSlot *slot, gboolean good, const char *how)
{
  UrbSupervisor *self = slot->supervisor;
  int pid = urb_worker_process_get_pid (slot->worker);
  g_autofree char *dead = NULL, *last_output = NULL;
  /* Then no rank is at fault, whatever mpirun printed about them. */
  if (self->launch != NULL && urb_worker_process_was_killed (slot->worker))
    return g_strdup_printf ("mpirun (process %d) %s", pid, how);
  if (self->launch != NULL && !good && self->error == NULL)
    {
      g_autofree char *output = read_log (self);
      dead = dup_culprit (self, output);
      if (slot->error == NULL)
        urb_launch_is_elsewhere (output, &slot->error);
      if (dead == NULL && !has_any_rank_started (self))
        return describe_failed_launch (slot, how);
    }
  self->n_absences = 0;
  if (dead == NULL)
    dead = g_strdup_printf ("Worker rank %d (process %d) %s", slot->rank, pid, how);
  if (self->launch == NULL && !good && slot->error == NULL
      && urb_worker_process_may_have_printed_why (slot->worker))
    last_output = dup_last_output (self);
  if (last_output == NULL)
    return g_steal_pointer (&dead);
  return g_strdup_printf ("%s; its last output was “%s”", dead, last_output);
}

static void
ended_cb (UrbWorkerProcess *worker, gboolean success, const char *how, gpointer user_data)
{
  UrbWorkerSlot *slot = user_data;
  UrbSupervisor *self = slot->supervisor;
  int pid = urb_worker_process_get_pid (worker);
  gboolean good = success && slot->finished;
  g_autofree char *dead = describe_dead (slot, good, how);
  self->log_begin = lseek (urb_recorder_get_log_fd (self->recorder), 0, SEEK_END);
  urb_recorder_worker (self->recorder, slot->rank, pid, "ended", how);
  g_clear_error (&self->worker_error);
  self->worker_error = g_steal_pointer (&slot->error);
  add_difference (self);
  urb_supervisor_clear_slot (slot);
  /* Threads end with their process. */
  for (int i = 0; i < urb_board_get_n_ranks (self->board); i++)
    if (self->n_slots == 1 || i == slot->rank)
      urb_board_clear_rank (self->board, i);
  if (self->shared != NULL)
    urb_shared_params_reap (self->shared, pid);
  /* A step that it did and did not report stays missing. */
  if (self->order != NULL)
    urb_step_order_remove_rank (self->order, slot->rank);
  urb_supervisor_record_steps (self, FALSE);
  on_worker_ended (slot, good, dead);
}

const UrbWorkerProcessOps urb_supervisor_worker_ops = { .message = message_cb, .ended = ended_cb };
