/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.c - the process that trains: steps, checkpoints, samples, in order.
 *
 * Once a checkpoint exists, run.db must have every step up to it, or resuming would leave a gap in
 * the history.  So the worker asks the supervisor to record all messages before it saves.
 */
#include "run/worker/worker.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "parallel/comm-tcp.h"
#include "parallel/tcp-token.h"
#include "parallel/fault.h"
#include "run/worker/collapse.h"
#include "run/store/config-file.h"
#include "run/store/folder.h"
#include "run/worker/worker-link.h"

/* Steps of a timeline; the first ones are left out, since they touch memory for the first time. */
enum { N_BEFORE_TRACE = 3, N_TRACED = 5 };

/* Used where the configuration gives no interval. */
enum { AUTO_SAMPLE_S = 60, AUTO_CHECKPOINT_S = 300, AUTO_SAMPLE_SHARE = 20 };

/* Between two measurements of the weights, steps. */
enum { WEIGHTS_EVERY = 50 };

typedef struct
{
  UrbWorkerLink      *link; /* owned */
  const UrbWorkerJob *job;
  gpointer            handle; /* owned by job */
  UrbRank             rank;   /* board and shared: owned; comm: until the job takes it */
  UrbTcpHub          *hub;    /* owned, nullable: of ranks that are started one by one */
  UrbRunConfig        config;
  gboolean            profile, can_trace, trace, tracing;
  int                 n_streams; /* threads that do steps by turns */
  gint64              n_before_trace, n_to_trace; /* steps */
  gboolean            was_asked;  /* the job, what is slow */
  gint64              step, n_steps;
  gint64              previous_step; /* the last step of this worker before `step` */
  gint64              checkpoint_step; /* of the last checkpoint saved or restored; -1: none */
  gint64              sample_step;     /* of the last sample grid; -1: none */
  gint64              checkpoint_us, sample_us; /* of the last checkpoint and sample grid */
  gint64              sample_took_us;
  UrbCollapse         collapse;
  gboolean            cpu_is_spent; /* the supervisor was told */
} Worker;

/* Of several workers, one draws and saves. */
static gboolean
is_first (Worker *self)
{
  return self->rank.rank == 0;
}

static JsonBuilder *
message_new (Worker *self, const char *type)
{
  JsonBuilder *line = urb_json_new ();
  urb_json_add_string (line, "type", type);
  urb_json_add_int (line, "step", self->step);
  return line;
}

static void
send_message (Worker *self, JsonBuilder *line)
{
  urb_worker_link_send (self->link, urb_json_end (line));
}

/* A message with one text. */
static void
send_text (Worker *self, const char *type, const char *key, const char *text)
{
  JsonBuilder *line = message_new (self, type);
  urb_json_add_string (line, key, text);
  send_message (self, line);
}

/* Reports a failure that does not stop the training. */
static void
send_warning (Worker *self, const char *code, const GError *error)
{
  JsonBuilder *line = message_new (self, "warning");
  urb_json_add_string (line, "code", code);
  urb_json_add_string (line, "text", error->message);
  send_message (self, line);
}

/* Once, after a step. */
static void
tell_what_is_slow (Worker *self)
{
  g_autofree char *slow = !self->was_asked && self->job->dup_slow != NULL ? self->job->dup_slow (self->handle) : NULL;

  self->was_asked = TRUE;
  if (slow != NULL)
    {
      JsonBuilder *line = message_new (self, "warning");
      urb_json_add_string (line, "code", "slow-kernels");
      urb_json_add_string (line, "text", slow);
      send_message (self, line);
    }
}

static void
tell_overflow (Worker *self, const char *network, gboolean overflowed, double scale)
{
  g_autofree char *text = NULL;
  JsonBuilder *line;
  if (!overflowed)
    return;
  text = g_strdup_printf ("The scaled gradient of the %s overflowed, and its update was skipped; the loss scale is now %g",
                          network, scale);
  line = message_new (self, "overflow");
  urb_json_add_string (line, "text", text);
  send_message (self, line);
}

/* ------------------------------------------------------------------------ */
/* Start                                                                     */

/* Shows in heartbeats and on the board what begins now. */
static void
set_doing (Worker *self, const char *doing, UrbRankState state, gint64 step)
{
  urb_worker_link_set_doing (self->link, doing, step);
  urb_rank_show (&self->rank, state, step);
}

/* The timeline of the next steps, after @n_before steps that warm up.  Synchronous ranks write one together, asynchronous
 * processes one each. */
static void
order_trace (Worker *self, gint64 n_before)
{
  if (self->tracing || !self->can_trace)
    return;
  self->trace = TRUE;
  self->n_before_trace = n_before;
  self->n_to_trace = N_TRACED * self->n_streams;
}

/* The context that the supervisor sends; mpirun's ranks have theirs already. */
static gboolean
read_rank (UrbRank *self, JsonObject *start, GError **error)
{
  int board = (int) urb_json_get_int (start, "board", -1);
  int shared = (int) urb_json_get_int (start, "shared", -1);
  const char *name = urb_json_get_string (start, "shared_name", NULL);
  if (self->comm != NULL)
    return TRUE;
  self->rank = (int) urb_json_get_int (start, "rank", 0);
  self->n_ranks = (int) urb_json_get_int (start, "workers", 1);
  self->n_local = 1; /* its number of threads is already its own share */
  if (board >= 0)
    {
      self->board = urb_board_open (board, error);
      close (board);
      if (self->board == NULL)
        return FALSE;
      urb_board_enter (self->board, self->rank);
    }
  if (shared >= 0)
    {
      self->shared = name != NULL ? urb_shared_params_open_name (name, error)
                                  : urb_shared_params_open_fd (shared, error);
      close (shared);
    }
  return shared < 0 || self->shared != NULL;
}

static gboolean
read_start (Worker *self, JsonObject *start, GError **error)
{
  const char *config = urb_json_get_string (start, "config", URB_RUN_CONFIG);
  const char *folder = urb_json_get_string (start, "folder", ".");
  self->profile = urb_json_get_bool (start, "profile", FALSE);
  self->trace = urb_json_get_bool (start, "trace", FALSE);
  /* The configuration names files relative to the folder; and what is written there follows the folder
   * when it is moved. */
  if (g_chdir (folder) != 0)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER, "Cannot change to the folder '%s': "
                                                               "%s",
                   folder, g_strerror (errno));
      return FALSE;
    }
  if (!urb_run_config_read_file (config, &self->config, error))
    return FALSE;
  /* This worker's share of the run's threads. */
  self->config.train.n_threads
    = (int) urb_json_get_int (start, "threads", self->config.train.n_threads);
  return read_rank (&self->rank, start, error);
}

static void
tell_cb (const char *text, gpointer user_data)
{
  send_text (user_data, "waiting", "text", text);
}

/* Blocks until the other ranks, which are started one by one, have come, or an order ends the wait with
 * %G_IO_ERROR_CANCELLED. */
static gboolean
meet_ranks (Worker *self, GError **error)
{
  const UrbRunConfig *config = &self->config;
  const UrbTcpPatience patience = { URB_TCP_PATIENCE_S, tell_cb, self };
  g_autofree char *token = NULL;
  UrbComm *comm;
  if (config->master == NULL || config->train.n_ranks < 2)
    return TRUE;
  token = urb_tcp_token_load (config->token_file, config->master, error);
  if (token == NULL)
    return FALSE;
  self->hub = urb_tcp_hub_new (config->master, config->train.n_ranks, token, &patience,
                               urb_worker_link_get_end (self->link), &comm, error);
  if (self->hub == NULL)
    return FALSE;
  self->rank = urb_rank_from_comm (comm, self->rank.board);
  return urb_comm_run (self->rank.comm, &(UrbCollective) { .kind = URB_COLLECTIVE_BARRIER }, NULL, NULL,
                       error);
}

static gboolean
open_job (Worker *self, const char *checkpoint, GError **error)
{
  const UrbTrainOptions *options = &self->config.train;
  int n_streams; /* ranks whose steps this worker reports */
  self->handle = self->job->open (options, &self->rank, error);
  self->rank.comm = NULL; /* taken */
  if (self->handle == NULL)
    return FALSE;
  if (checkpoint != NULL)
    {
      set_doing (self, "restore", URB_RANK_SAVING, 0);
      if (!self->job->restore (self->handle, checkpoint, error))
        return FALSE;
    }
  n_streams = options->strategy == URB_STRATEGY_STREAMS ? options->n_ranks : 1;
  self->step = self->previous_step = self->job->get_step (self->handle);
  self->n_steps = options->n_steps;
  self->checkpoint_step = self->sample_step = checkpoint != NULL ? self->step : -1;
  self->checkpoint_us = self->sample_us = g_get_monotonic_time ();
  self->job->set_profiling (self->handle, self->profile);
  self->can_trace = (is_first (self) || self->rank.shared != NULL) && self->job->start_trace != NULL;
  self->n_streams = n_streams;
  if (self->trace)
    order_trace (self, N_BEFORE_TRACE * n_streams);
  if (self->rank.shared != NULL && is_first (self)
      && !urb_shared_params_is_ready (self->rank.shared))
    urb_shared_params_set_ready (self->rank.shared, self->step, self->n_steps);
  return TRUE;
}

static void
send_ready (Worker *self)
{
  g_autofree char *device = NULL;
  g_auto(GStrv) gpus = self->job->dup_gpus != NULL ? self->job->dup_gpus (self->handle) : NULL;
  JsonBuilder *line = message_new (self, "ready");
  if (self->job->dup_device != NULL)
    {
      device = self->job->dup_device (self->handle);
      urb_json_add_string (line, "device", device);
    }
  if (gpus != NULL)
    urb_json_add_strings (line, "pci", (const char *const *) gpus);
  send_message (self, line);
}

/* ------------------------------------------------------------------------ */
/* Work                                                                      */

static void
check_collapse (Worker *self)
{
  double diversity = self->job->get_diversity != NULL ? self->job->get_diversity (self->handle) : NAN;
  gint64 images = self->step * urb_train_options_count_images (&self->config.train);
  UrbCollapseNews news = urb_collapse_update (&self->collapse, diversity, self->step, images);
  g_autofree char *text = NULL;
  JsonBuilder *line;
  if (news == URB_COLLAPSE_UNCHANGED)
    return;
  text = urb_collapse_dup_text (news, diversity);
  line = message_new (self, "diversity");
  urb_json_add_string (line, "level", news == URB_COLLAPSE_BEGUN ? "warning" : "info");
  urb_json_add_string (line, "text", text);
  urb_json_add_int (line, "diverse_step", self->collapse.has_learnt ? self->collapse.diverse_step : -1);
  send_message (self, line);
}

static void
check_weights (Worker *self)
{
  JsonBuilder *line;
  if (self->job->get_weights == NULL)
    return;
  line = message_new (self, "weights");
  urb_json_add_double (line, "size", self->job->get_weights (self->handle));
  send_message (self, line);
}

static void
draw_sample (Worker *self)
{
  g_autofree char *name = urb_run_sample_name (self->step);
  g_autoptr(GError) error = NULL;
  gint64 begin_us = g_get_monotonic_time ();
  set_doing (self, "sample", URB_RANK_SAMPLING, self->step);
  self->sample_step = self->step;
  if (!self->job->sample (self->handle, name, &error))
    send_warning (self, "sample-failed", error);
  else
    {
      send_text (self, "sample", "file", name);
      check_collapse (self);
    }
  self->sample_us = g_get_monotonic_time ();
  self->sample_took_us = self->sample_us - begin_us;
}

/* With each checkpoint. */
static void
send_asynchrony (Worker *self)
{
  g_autofree char *details = NULL;
  g_autofree char *text = self->job->dup_asynchrony != NULL
                            ? self->job->dup_asynchrony (self->handle, &details) : NULL;
  JsonBuilder *line;
  if (text == NULL)
    return;
  line = message_new (self, "asynchrony");
  urb_json_add_string (line, "text", text);
  urb_json_add_raw (line, "details", details);
  send_message (self, line);
}

static gboolean
write_checkpoint (Worker *self, GError **error)
{
  g_autofree char *name = urb_run_checkpoint_name (self->step);
  GStatBuf info;
  JsonBuilder *line;
  urb_worker_link_sync (self->link);
  self->checkpoint_us = g_get_monotonic_time ();
  if (!self->job->save (self->handle, name, error))
    return FALSE;
  self->checkpoint_step = self->step;
  line = message_new (self, "checkpoint");
  urb_json_add_string (line, "file", name);
  urb_json_add_int (line, "bytes", g_stat (name, &info) == 0 ? (gint64) info.st_size : 0);
  send_message (self, line);
  send_asynchrony (self);
  return TRUE;
}

static gboolean
do_step (Worker *self, gboolean *left, GError **error);

/* The other ranks pause meanwhile; all their steps were reported and are in the checkpoint. */
static gboolean
save_checkpoint (Worker *self, GError **error)
{
  gint64 n_unreported = 0, before = self->step;
  gboolean left = TRUE;
  set_doing (self, "checkpoint", URB_RANK_SAVING, self->step);
  if (self->job->quiesce == NULL)
    return write_checkpoint (self, error);
  if (!self->job->quiesce (self->handle, &n_unreported, error))
    return FALSE;
  for (gint64 i = 0; i < n_unreported && left; i++)
    if (!do_step (self, &left, error))
      return FALSE;
  set_doing (self, "checkpoint", URB_RANK_SAVING, self->step);
  self->step = self->job->get_step (self->handle);
  self->previous_step = before; /* a sample grid may have become due */
  return write_checkpoint (self, error);
}

/* Someone may free space on a full disk before the next try; only the last try must succeed.
 * Weights that are not finite stay so. */
static gboolean
try_checkpoint (Worker *self, GError **error)
{
  g_autoptr(GError) cause = NULL;
  if (save_checkpoint (self, &cause))
    return TRUE;
  if (g_error_matches (cause, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  send_warning (self, "checkpoint-failed", cause);
  return TRUE;
}

/* The last step done, and the one before it of this worker: of several workers, the first sees only some of the steps. */
typedef struct
{
  gint64 previous, step;
} Progress;

static Progress
get_progress (Worker *self)
{
  return (Progress) { self->previous_step, self->step };
}

static gboolean
has_passed (Progress at, gint64 every)
{
  return at.step / every > at.previous / every;
}

static gboolean
is_sample_due (Worker *self, Progress at)
{
  gint64 every_us = MAX (AUTO_SAMPLE_S * (gint64) G_USEC_PER_SEC,
                         AUTO_SAMPLE_SHARE * self->sample_took_us);
  if (!is_first (self) || self->sample_step == at.step)
    return FALSE;
  if (self->config.sample_every > 0)
    return has_passed (at, self->config.sample_every);
  return self->sample_step < 0 || g_get_monotonic_time () - self->sample_us >= every_us;
}

static gboolean
is_checkpoint_due (Worker *self, Progress at)
{
  if (!is_first (self) || self->checkpoint_step == at.step)
    return FALSE;
  if (self->config.score && self->config.score_every > 0 && has_passed (at, self->config.score_every))
    return TRUE;
  if (self->config.checkpoint_every > 0)
    return has_passed (at, self->config.checkpoint_every);
  return g_get_monotonic_time () - self->checkpoint_us
         >= AUTO_CHECKPOINT_S * (gint64) G_USEC_PER_SEC;
}

/* Nothing that needs the state between two steps, such as a checkpoint, can be done then. */
static gboolean
is_ahead (Worker *self)
{
  return self->job->is_ahead != NULL && self->job->is_ahead (self->handle);
}

/* Lets the step after the next one begin early, unless something is to be done between them. */
static void
allow_ahead (Worker *self, UrbOrders orders)
{
  Progress then = { self->step, self->step + 1 };
  if (self->job->allow_ahead != NULL)
    self->job->allow_ahead (self->handle, orders == 0 && !self->trace && !self->tracing && !is_sample_due (self, then)
                                            && !is_checkpoint_due (self, then) && !has_passed (then, WEIGHTS_EVERY));
}

/* Whether to start the timeline: once all workers are there and warmed up, or when only as many
 * steps are left as it needs. */
static gboolean
is_trace_due (Worker *self)
{
  int n_workers = self->rank.shared != NULL ? self->rank.n_ranks : 1;
  if (!self->trace || self->tracing)
    return FALSE;
  if (self->n_steps - self->step <= self->n_to_trace * n_workers)
    return TRUE;
  return (self->rank.shared == NULL || urb_shared_params_is_complete (self->rank.shared))
         && self->n_before_trace-- <= 0;
}

static void
write_trace (Worker *self)
{
  g_autofree char *name = self->rank.shared != NULL ? urb_run_trace_part_name (self->rank.rank)
                                                     : g_strdup (URB_RUN_TRACE_NAME);
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  self->trace = self->tracing = FALSE;
  if (!self->job->end_trace (self->handle, name, &text, &error))
    send_warning (self, "trace-failed", error);
  else
    send_text (self, self->rank.shared == NULL ? "trace" : "trace-part", "text", text);
}

/* @left: (out): whether a step was left to do */
static gboolean
do_step (Worker *self, gboolean *left, GError **error)
{
  UrbStepMetrics metrics = { 0 };
  JsonBuilder *line;
  set_doing (self, "step", URB_RANK_STEPPING, self->step + 1);
  if (is_trace_due (self))
    {
      g_autoptr(GError) cause = NULL;
      self->trace = self->tracing = self->job->start_trace (self->handle, &cause);
      if (!self->tracing)
        send_warning (self, "trace-failed", cause);
    }
  if (!urb_fault_strike (self->rank.board, self->rank.rank, self->step + 1, URB_FAULTS_OF_CALL,
                         NULL, error)
      || !self->job->step (self->handle, &metrics, error))
    return FALSE;
  *left = metrics.step > 0;
  if (!*left)
    {
      if (self->tracing)
        write_trace (self);
      return TRUE;
    }
  self->previous_step = self->step;
  self->step = metrics.step;
  line = message_new (self, "step");
  urb_json_add_int (line, "images", metrics.images);
  urb_json_add_double (line, "seconds", metrics.seconds);
  for (int i = 0; i < URB_N_METRICS; i++)
    urb_json_add_double (line, urb_step_metric_names[i], metrics.values[i]);
  send_message (self, line);
  tell_overflow (self, "discriminator", metrics.overflow_d, metrics.loss_scale_d);
  tell_overflow (self, "generator", metrics.overflow_g, metrics.loss_scale_g);
  tell_what_is_slow (self);
  if (self->tracing && (--self->n_to_trace == 0 || self->step >= self->n_steps))
    write_trace (self);
  if (self->rank.shared != NULL)
    urb_shared_params_rest (self->rank.shared, self->rank.rank);
  return TRUE;
}

/* The kernel warns the process that computes, every second.  The signal is blocked. */
static void
watch_cpu_limit (Worker *self)
{
  const struct timespec now = { 0 };
  sigset_t spent;
  sigemptyset (&spent);
  sigaddset (&spent, SIGXCPU);
  if (self->cpu_is_spent || sigtimedwait (&spent, NULL, &now) != SIGXCPU)
    return;
  self->cpu_is_spent = TRUE;
  send_message (self, message_new (self, "cpu-limit"));
}

/* Returns: the order that ended the work; 0 after the last step */
static UrbOrders
work (Worker *self, GError **error)
{
  gboolean left = TRUE;
  if (is_first (self) && self->step == 0 && self->sample_step < 0)
    draw_sample (self); /* of an untrained generator */
  else if (is_first (self) && self->step > 0)
    check_collapse (self); /* at the restored checkpoint */
  while (self->step < self->n_steps)
    {
      UrbOrders orders = urb_worker_link_take_orders (self->link);
      gboolean ends = (orders & (URB_ORDER_PAUSE | URB_ORDER_STOP)) != 0;
      if (ends && !is_ahead (self))
        return orders;
      allow_ahead (self, orders);
      if (!do_step (self, &left, error) || !left)
        break;
      if (ends)
        return orders;
      watch_cpu_limit (self);
      if (is_ahead (self))
        continue; /* what has become due meanwhile is done after the next step */
      if ((orders & URB_ORDER_TRACE) != 0)
        order_trace (self, 0);
      if (is_first (self) && has_passed (get_progress (self), WEIGHTS_EVERY))
        check_weights (self);
      /* The sample grid first: a checkpoint guarantees that everything before it is recorded. */
      if (is_sample_due (self, get_progress (self)) || (orders & URB_ORDER_SAMPLE) != 0)
        draw_sample (self);
      if (is_checkpoint_due (self, get_progress (self)) || (orders & URB_ORDER_CHECKPOINT) != 0)
        {
          if (!try_checkpoint (self, error))
            break;
          if (is_sample_due (self, get_progress (self)))
            draw_sample (self);
        }
    }
  return 0;
}

static gboolean
work_and_end (Worker *self, GError **error)
{
  g_autoptr(GError) cause = NULL;
  UrbOrders orders = work (self, &cause);
  gboolean paused = (orders & (URB_ORDER_STOP | URB_ORDER_PAUSE)) == URB_ORDER_PAUSE;
  g_autofree char *profile = NULL;
  const char *reason = (orders & URB_ORDER_STOP) != 0    ? "stopped"
                       : (orders & URB_ORDER_PAUSE) != 0 ? "paused"
                                                         : "finished";
  if (cause != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  if (is_first (self)) /* all other workers have ended */
    {
      self->step = self->job->get_step (self->handle);
      if (!paused && self->sample_step != self->step)
        draw_sample (self);
      if (self->checkpoint_step != self->step && !save_checkpoint (self, error))
        return FALSE;
      profile = self->profile ? self->job->dup_profile (self->handle) : NULL;
    }
  if (profile != NULL)
    send_text (self, "profile", "text", profile);
  send_text (self, "ended", "reason", reason);
  return TRUE;
}

static gboolean
run (Worker *self, GError **error)
{
  g_autoptr(JsonObject) start = urb_worker_link_wait_for_start (self->link);
  g_autoptr(GError) cause = NULL;
  if (!read_start (self, start, error))
    return FALSE;
  set_doing (self, "start", URB_RANK_STARTING, 0);
  if (!meet_ranks (self, &cause))
    {
      if (!g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return FALSE;
        }
      send_text (self, "ended", "reason", "stopped"); /* nothing was done */
      return TRUE;
    }
  if (!open_job (self, urb_json_get_string (start, "checkpoint", NULL), error))
    return FALSE;
  send_ready (self);
  return work_and_end (self, error);
}

void
urb_worker_ignore_signals (void)
{
  static const int signals[] = { SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE };
  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    signal (signals[i], SIG_IGN);
}

/* @is_launched: by mpirun, which ends its ranks by SIGTERM.  Before any other thread exists. */
static void
prepare_signals (gboolean is_launched)
{
  sigset_t spent;
  urb_worker_ignore_signals ();
  if (!is_launched)
    signal (SIGTERM, SIG_IGN);
  sigemptyset (&spent);
  sigaddset (&spent, SIGXCPU);
  pthread_sigmask (SIG_BLOCK, &spent, NULL);
}

int
urb_worker_run (int fd, const UrbWorkerJob *job, const UrbRank *rank)
{
  Worker self = { .job = job, .rank = rank != NULL ? *rank : URB_RANK_ALONE, .checkpoint_step = -1,
                  .sample_step = -1 };
  g_autoptr(GError) error = NULL;
  gboolean good;
  prepare_signals (rank != NULL);
  urb_run_config_init (&self.config);
  self.link = urb_worker_link_new (fd);
  good = run (&self, &error);
  if (!good)
    urb_worker_link_send_error (self.link, error);
  if (self.handle != NULL)
    job->free (self.handle);
  /* After a failure the board keeps its last state. */
  if (good)
    urb_rank_show (&self.rank, URB_RANK_ABSENT, self.step);
  urb_worker_link_free (self.link);
  urb_board_free (self.rank.board);
  urb_shared_params_free (self.rank.shared);
  urb_comm_free (self.rank.comm); /* unless the job took it */
  urb_tcp_hub_free (self.hub);
  urb_run_config_clear (&self.config);
  return good ? 0 : 1;
}
