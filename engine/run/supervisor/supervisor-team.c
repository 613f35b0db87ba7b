/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-team.c - starts one worker, or a team: several processes that train the same
 * parameters, in memory that the supervisor keeps.  The ways to do so are the rows of a table
 * (spawners); threads are started by their worker (train/group.h).
 *
 * A team needs none of its workers.  When one dies, only its step is lost; its successor finds
 * everything in the shared memory, and needs no checkpoint.  So a team starts with rank 0 alone,
 * which fills that memory, and ends with rank 0 alone, which saves it.
 */
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "run/store/config-file.h"
#include "run/store/launch-session.h"
#include "run/supervisor/supervisor-private.h"

enum
{
  REPLACE_BASE_MS = 100,
  REPLACE_MAX_MS = 10000
};

gboolean
urb_supervisor_has_workers (UrbSupervisor *self)
{
  for (int i = 0; i < self->n_slots; i++)
    if (self->slots[i].worker != NULL)
      return TRUE;
  return FALSE;
}

gboolean
urb_supervisor_can_order (UrbSupervisor *self)
{
  return self->n_slots > 0 && self->slots[0].worker != NULL && self->goal == GOAL_RUN;
}

void
urb_supervisor_send_order (UrbSupervisor *self, int rank, const char *cmd)
{
  JsonBuilder *line = urb_json_new ();
  urb_json_add_string (line, "cmd", cmd);
  urb_worker_process_send (self->slots[rank].worker, urb_json_end (line));
}

/* ------------------------------------------------------------------------ */
/* Threads and cores                                                         */

/* The share of each process; 0: its own choice. */
static int
get_n_threads (UrbSupervisor *self)
{
  int n = self->config.train.n_threads > 0 ? self->config.train.n_threads
                                           : (int) g_get_num_processors ();
  return self->n_slots > 1 ? MAX (n / self->n_slots, 1) : self->config.train.n_threads;
}

/* Assigns each worker of a team its own cores if the run may use the whole machine.  With fewer
 * cores than ranks, or if another run may use the machine, the kernel schedules better.
 * Returns: FALSE if @rank is not pinned */
static gboolean
choose_cpus (UrbSupervisor *self, int rank, cpu_set_t *cpus)
{
  cpu_set_t allowed;
  int n_allowed, each, seen = 0;
  if (self->n_slots < 2 || sched_getaffinity (0, sizeof allowed, &allowed) != 0)
    return FALSE;
  n_allowed = CPU_COUNT (&allowed);
  each = n_allowed / self->n_slots;
  if (each < 1 || (self->config.train.n_threads > 0 && self->config.train.n_threads < n_allowed))
    return FALSE;
  CPU_ZERO (cpus);
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET (i, &allowed) && seen++ / each == rank)
      CPU_SET (i, cpus);
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Ways to start the ranks                                                   */

/* How the processes of a run come into being. */
struct _UrbSpawner
{
  /* (nullable) Whether the configuration asks for it; NULL: if it asks for no other. */
  gboolean (*is_wanted) (const UrbRunConfig *config);
  gboolean   one_each; /* a process, and a slot, for each rank; else one for all */
  /* (nullable) Makes what the ranks need besides the status board. */
  gboolean (*prepare)   (UrbSupervisor *self, GError **error);
  /* Adds it to the command of a worker, and to its message "start". */
  void     (*add)       (UrbSupervisor *self, UrbWorkerSpawn *what, JsonBuilder *start);
};

static const char *const *
get_worker_argv (UrbSupervisor *self)
{
  static const char *const own_argv[] = { "/proc/self/exe", "worker", NULL };
  return self->options.worker_argv != NULL ? self->options.worker_argv : own_argv;
}

/* @key: how the worker learns its number there */
static void
add_descriptor (UrbWorkerSpawn *what, JsonBuilder *start, const char *key, int fd)
{
  urb_json_add_int (start, key, URB_WORKER_FIRST_FD + what->n_fds);
  what->fds[what->n_fds++] = fd;
}

static void
add_worker (UrbSupervisor *self, UrbWorkerSpawn *what, JsonBuilder *start)
{
  add_descriptor (what, start, "board", urb_board_get_fd (self->board));
}

static gboolean
is_team (const UrbRunConfig *config)
{
  return config->train.strategy == URB_STRATEGY_HOGWILD && config->train.n_ranks > 1;
}

static gboolean
prepare_team (UrbSupervisor *self, GError **error)
{
  self->order = urb_step_order_new (self->step, self->n_slots);
  self->shared = g_strcmp0 (self->config.train.sharing, "file_system") == 0
                   ? urb_shared_params_new_named (self->n_slots, error)
                   : urb_shared_params_new_memfd (self->n_slots, error);
  return self->shared != NULL;
}

static void
add_member (UrbSupervisor *self, UrbWorkerSpawn *what, JsonBuilder *start)
{
  add_worker (self, what, start);
  add_descriptor (what, start, "shared", urb_shared_params_get_fd (self->shared));
  urb_json_add_string (start, "shared_name", urb_shared_params_get_name (self->shared));
}

static void
rank_came_cb (int fd, gpointer user_data)
{
  UrbSupervisor *self = user_data;
  if (self->slots[0].worker != NULL)
    urb_worker_process_connect (self->slots[0].worker, fd);
  else
    close (fd);
}

static gboolean
prepare_launch (UrbSupervisor *self, GError **error)
{
  self->launch = urb_launch_new (self->folder, &self->config, self->board, get_worker_argv (self),
                                 rank_came_cb, self, error);
  return self->launch != NULL;
}

/* The ranks fetch the status board from its socket. */
static void
add_launcher (UrbSupervisor *self, UrbWorkerSpawn *what, JsonBuilder *start)
{
  what->argv = urb_launch_get_argv (self->launch);
  what->environment = urb_launch_get_environment (self->launch);
  what->is_launcher = TRUE;
  what->is_alone = urb_launch_is_alone (self->launch);
}

/* The first that is wanted. */
static const UrbSpawner spawners[] = {
  { urb_launch_is_wanted, FALSE, prepare_launch, add_launcher }, /* processes of mpirun */
  { is_team, TRUE, prepare_team, add_member },                   /* worker processes */
  { NULL, FALSE, NULL, add_worker },                             /* threads of one worker */
};

/* ------------------------------------------------------------------------ */
/* Starting                                                                  */

/* Where a worker reads the configuration: in run.ini, unless `resume` changes something.  That first
 * has a file of its own: run.ini must not keep a setting with which no worker comes up.
 * Returns: (nullable): its name */
static const char *
offer_config (UrbSupervisor *self, GError **error)
{
  g_autofree char *stored_path = urb_run_folder_dup_file (self->folder, URB_RUN_CONFIG);
  g_autofree char *pending_path = urb_run_folder_dup_file (self->folder, URB_RUN_PENDING_CONFIG);
  g_autofree char *text = urb_run_config_to_text (&self->config), *stored = NULL;
  if (g_file_get_contents (stored_path, &stored, NULL, NULL) && strcmp (stored, text) == 0)
    return URB_RUN_CONFIG;
  return urb_run_config_write_file (pending_path, &self->config, error) ? URB_RUN_PENDING_CONFIG
                                                                        : NULL;
}

/* @config: the name of its file */
static JsonBuilder *
make_start (UrbWorkerSlot *slot, const char *config)
{
  UrbSupervisor *self = slot->supervisor;
  g_autofree char *checkpoint = NULL;
  JsonBuilder *line = urb_json_new ();
  /* Shared memory that is ready is newer than the checkpoint. */
  if (slot->rank == 0 && self->checkpoint_step >= 0
      && (self->shared == NULL || !urb_shared_params_is_ready (self->shared)))
    checkpoint = urb_run_checkpoint_name (self->checkpoint_step);
  urb_json_add_string (line, "cmd", "start");
  urb_json_add_string (line, "folder", urb_run_folder_get_path (self->folder));
  urb_json_add_string (line, "config", config);
  urb_json_add_string (line, "checkpoint", checkpoint);
  urb_json_add_bool (line, "profile", self->options.profile);
  urb_json_add_bool (line, "trace", urb_supervisor_is_to_trace (slot));
  urb_json_add_int (line, "rank", slot->rank);
  urb_json_add_int (line, "workers", self->n_slots);
  urb_json_add_int (line, "threads", get_n_threads (self));
  return line;
}

static void
start_slot (UrbWorkerSlot *slot)
{
  UrbSupervisor *self = slot->supervisor;
  cpu_set_t cpus;
  UrbWorkerSpawn what = {
    .argv = get_worker_argv (self),
    .rank = slot->rank,
    .log_fd = urb_recorder_get_log_fd (self->recorder),
    .cpus = choose_cpus (self, slot->rank, &cpus) ? &cpus : NULL,
  };
  g_autofree char *text = g_strdup_printf ("at step %" G_GINT64_FORMAT, self->step);
  GError *error = NULL;
  const char *config = offer_config (self, &error);
  JsonBuilder *start = make_start (slot, config);
  g_autofree char *line = NULL;
  self->spawner->add (self, &what, start);
  line = urb_json_end (start);
  urb_supervisor_clear_slot (slot);
  if (config != NULL)
    slot->worker = urb_worker_process_spawn (&what, self->worker_ops, slot, &error);
  if (slot->worker == NULL)
    {
      urb_supervisor_give_up (self, error);
      return;
    }
  urb_recorder_worker (self->recorder, slot->rank, urb_worker_process_get_pid (slot->worker),
                       "started", text);
  if (self->order != NULL)
    urb_step_order_add_rank (self->order, slot->rank);
  urb_worker_process_send (slot->worker, g_steal_pointer (&line));
  /* It only saves the parameters of the others. */
  if (self->goal != GOAL_RUN)
    urb_supervisor_wind_down (self);
}

void
urb_supervisor_sweep (void)
{
  urb_launch_session_sweep_all ();
  urb_shared_params_sweep ();
}

/* Prepares memory and slots for the configured number of ranks. */
static gboolean
prepare_slots (UrbSupervisor *self, GError **error)
{
  const UrbTrainOptions *train = &self->config.train;
  gboolean had_fault = self->board != NULL && urb_board_has_fault (self->board);
  g_clear_pointer (&self->launch, urb_launch_free);
  urb_supervisor_sweep ();
  g_clear_pointer (&self->board, urb_board_free);
  g_clear_pointer (&self->shared, urb_shared_params_free);
  g_clear_pointer (&self->order, urb_step_order_free);
  g_free (self->slots);
  self->spawner = spawners;
  while (self->spawner->is_wanted != NULL && !self->spawner->is_wanted (&self->config))
    self->spawner++;
  self->n_slots = self->spawner->one_each ? train->n_ranks : 1;
  self->slots = g_new0 (UrbWorkerSlot, self->n_slots);
  for (int i = 0; i < self->n_slots; i++)
    {
      self->slots[i].supervisor = self;
      self->slots[i].rank = i;
    }
  self->board = urb_board_new (MAX (train->n_ranks, 1), error);
  if (self->board == NULL)
    return FALSE;
  if (had_fault)
    urb_board_claim_fault (self->board);
  self->log_begin = lseek (urb_recorder_get_log_fd (self->recorder), 0, SEEK_END);
  return self->spawner->prepare == NULL || self->spawner->prepare (self, error);
}

void
urb_supervisor_start_workers (UrbSupervisor *self)
{
  GError *error = NULL;
  self->goal = GOAL_RUN;
  self->n_deaths = 0;
  g_clear_error (&self->worker_error);
  urb_supervisor_set_state (self, URB_RUN_STARTING);
  /* Commit now: it may take long until the worker's first message. */
  urb_recorder_commit (self->recorder);
  if (prepare_slots (self, &error))
    start_slot (&self->slots[0]);
  else
    urb_supervisor_give_up (self, error);
}

void
urb_supervisor_start_others (UrbSupervisor *self)
{
  for (int i = 1; i < self->n_slots && self->goal == GOAL_RUN; i++)
    if (self->slots[i].worker == NULL && self->slots[i].replace_id == 0)
      start_slot (&self->slots[i]);
}

/* ------------------------------------------------------------------------ */
/* Ending                                                                    */

void
urb_supervisor_clear_slot (UrbWorkerSlot *slot)
{
  g_clear_handle_id (&slot->replace_id, g_source_remove);
  g_clear_pointer (&slot->worker, urb_worker_process_free);
  g_clear_pointer (&slot->doing, g_free);
  g_clear_error (&slot->error);
  slot->finished = FALSE;
  slot->stopped_us = 0;
  slot->memory_bytes = 0;
  slot->cores_busy = 0;
  slot->n_steps = 0;
  slot->slowest_step_s = 0;
}

void
urb_supervisor_kill_workers (UrbSupervisor *self)
{
  for (int i = 0; i < self->n_slots; i++)
    {
      UrbWorkerSlot *slot = &self->slots[i];
      if (slot->worker != NULL)
        {
          int pid = urb_worker_process_get_pid (slot->worker);
          g_clear_pointer (&slot->worker, urb_worker_process_free);
          urb_recorder_worker (self->recorder, slot->rank, pid, "ended",
                               "was ended by its supervisor");
          if (self->shared != NULL)
            urb_shared_params_reap (self->shared, pid);
        }
      urb_supervisor_clear_slot (slot);
    }
  /* Steps that were held back no longer count. */
  g_clear_pointer (&self->order, urb_step_order_free);
}

void
urb_supervisor_wind_down (UrbSupervisor *self)
{
  const char *cmd = self->goal == GOAL_PAUSE ? "pause" : "stop";
  gboolean alone = TRUE;
  for (int i = 1; i < self->n_slots; i++)
    {
      g_clear_handle_id (&self->slots[i].replace_id, g_source_remove);
      if (self->slots[i].worker == NULL)
        continue;
      alone = FALSE;
      urb_supervisor_send_order (self, i, cmd);
    }
  if (alone && self->slots[0].worker != NULL)
    urb_supervisor_send_order (self, 0, cmd);
}

static gboolean
replace_cb (gpointer user_data)
{
  UrbWorkerSlot *slot = user_data;
  slot->replace_id = 0;
  start_slot (slot);
  return G_SOURCE_REMOVE;
}

void
urb_supervisor_schedule_replacement (UrbWorkerSlot *slot)
{
  guint delay_ms = (guint) MIN (REPLACE_BASE_MS << MIN (slot->n_deaths, 10), REPLACE_MAX_MS);
  slot->n_deaths++;
  slot->replace_id = g_timeout_add (delay_ms, replace_cb, slot);
}
