/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake-job.c - see fake-job.h.
 */
#include "fake-job.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out-of-memory.h"
#include "parallel/comm-watched.h"
#include "run/worker/mpi-rank.h"
#include "run/worker/worker.h"
#include "train/safetensors.h"

typedef struct
{
  UrbTrainOptions options;
  gint64          step;
  guint64         state;    /* after the last step that has begun */
  gboolean        may_go_ahead, is_ahead;
  const UrbRank *rank; /* borrowed */
  UrbComm        *comm; /* owned, nullable */
} Fake;

enum { TEXT_BYTES = 512, N_FLOATS = 1000, SLOW_STEP_MS = 200 };

static guint64
next_state (guint64 state, gint64 step)
{
  return state * G_GUINT64_CONSTANT (6364136223846793005) + (guint64) step;
}

guint64
fake_job_state_at (gint64 step)
{
  guint64 state = 1;
  for (gint64 i = 1; i <= step; i++)
    state = next_state (state, i);
  return state;
}

/* The number after @key in the script; -1 without it. */
static gint64
script (Fake *self, const char *key)
{
  g_auto(GStrv) parts = g_strsplit (self->options.preset, ",", -1);
  for (int i = 0; parts[i] != NULL; i++)
    {
      gsize n = strlen (key);
      if (strncmp (parts[i], key, n) == 0 && parts[i][n] == '=')
        return g_ascii_strtoll (parts[i] + n + 1, NULL, 10);
    }
  return -1;
}

/* One of several workers may never get a certain step, so the next one counts, too. */
static gboolean
is_at (Fake *self, const char *key, gint64 step)
{
  gint64 at = script (self, key);
  return at >= 0 && (self->rank->shared != NULL ? step >= at : step == at);
}

static gboolean
has_happened (Fake *self, const char *key)
{
  g_autofree char *mark = g_build_filename (self->options.dataset, key, NULL);
  return g_file_test (mark, G_FILE_TEST_EXISTS);
}

static gboolean
mark_as_happened (Fake *self, const char *key)
{
  g_autofree char *mark = g_build_filename (self->options.dataset, key, NULL);
  return g_file_set_contents (mark, "", 0, NULL);
}

static gboolean
happens_once (Fake *self, const char *key, gint64 step)
{
  return is_at (self, key, step) && !has_happened (self, key) && mark_as_happened (self, key);
}

static gboolean
is_meant (Fake *self)
{
  return script (self, "rank") < 0 || script (self, "rank") == self->rank->rank;
}

/* Of workers that take steps as they come, one may start late on a busy machine.  The others are slow until
 * it has misbehaved, so that it gets a step. */
static gboolean
is_to_wait (Fake *self)
{
  static const char *const keys[] = { "kill", "abort", "exit", "hang", "freeze", "device", "diverge" };
  if (self->rank->shared == NULL || is_meant (self))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (script (self, keys[i]) >= 0)
      return !has_happened (self, keys[i]);
  return FALSE;
}

/* The memory files that this process shares with others. */
static void
write_down_shared (Fake *self)
{
  g_autofree char *path = g_build_filename (self->options.dataset, "maps", NULL), *text = NULL;
  if (g_file_get_contents ("/proc/self/maps", &text, NULL, NULL))
    g_file_set_contents (path, text, -1, NULL);
}

static void
misbehave (Fake *self, gint64 step)
{
  if (!is_meant (self))
    return;
  if (is_at (self, "kill-always", step) || happens_once (self, "kill", step))
    kill (getpid (), SIGKILL);
  if (happens_once (self, "kill-launcher", step))
    {
      write_down_shared (self);
      kill (getppid (), SIGKILL);
    }
  if (happens_once (self, "abort", step))
    kill (getpid (), SIGABRT);
  if (happens_once (self, "exit", step))
    _exit (3);
  if (happens_once (self, "memory", step))
    {
      g_printerr ("a library: there is no memory\n\n");
      _exit (URB_OUT_OF_MEMORY_EXIT_CODE);
    }
  if (happens_once (self, "freeze", step))
    kill (getpid (), SIGSTOP);
  if (happens_once (self, "hang", step))
    for (;;)
      g_usleep (G_USEC_PER_SEC);
}

/* ------------------------------------------------------------------------ */
/* Ranks that talk                                                           */

static gboolean
broadcast (UrbComm *comm, void *bytes, gint64 n_bytes, GError **error)
{
  const UrbCollective what = { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_U8, n_bytes, 0 };
  return urb_comm_run (comm, &what, bytes, bytes, error);
}

static gboolean
share_script (UrbComm *comm, UrbTrainOptions *options, GError **error)
{
  char preset[TEXT_BYTES] = "", dataset[TEXT_BYTES] = "";
  g_strlcpy (preset, options->preset, sizeof preset);
  g_strlcpy (dataset, options->dataset != NULL ? options->dataset : "", sizeof dataset);
  if (!broadcast (comm, preset, sizeof preset, error)
      || !broadcast (comm, dataset, sizeof dataset, error))
    return FALSE;
  g_free (options->preset);
  g_free (options->dataset);
  options->preset = g_strdup (preset);
  options->dataset = g_strdup (dataset);
  return TRUE;
}

/* The part of a step that all ranks do. */
static gboolean
step_together (Fake *self, gint64 step, GError **error)
{
  const UrbCollective sum = { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, N_FLOATS, 0 };
  const UrbCollective spread = { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_F32, N_FLOATS, 1 };
  float values[N_FLOATS] = { 1 };
  if (is_meant (self) && happens_once (self, "wrong-count", step))
    urb_comm_watched_inject (self->comm, URB_FAULT_COUNT);
  if (is_meant (self) && happens_once (self, "skip", step))
    urb_comm_watched_inject (self->comm, URB_FAULT_SKIP);
  return urb_comm_run (self->comm, &sum, values, values, error)
         && urb_comm_run (self->comm, &spread, values, values, error);
}

static gboolean
fake_follow (const UrbRank *rank, GError **error)
{
  UrbComm *comm = rank->comm;
  Fake self = { .rank = rank, .comm = comm };
  gint64 step = 0;
  gboolean good;
  urb_train_options_init (&self.options);
  good = share_script (comm, &self.options, error);
  while (good && (good = broadcast (comm, &step, sizeof step, error)) && step > 0)
    {
      urb_rank_show (rank, URB_RANK_STEPPING, step);
      misbehave (&self, step);
      if (script (&self, "device") == step && is_meant (&self))
        {
          g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DEVICE, "the device is on fire");
          good = FALSE;
        }
      good = good && step_together (&self, step, error);
    }
  urb_train_options_clear (&self.options);
  return good;
}

/* Other ranks, simulated as threads of this one. */
static void
enter_others (Fake *self)
{
  for (int i = 1; i <= script (self, "others"); i++)
    {
      urb_board_enter (self->rank->board, i);
      urb_board_set_state (self->rank->board, i, i == 1 ? URB_RANK_STEPPING : URB_RANK_IDLE,
                           100 + i);
    }
}

static gpointer
fake_open (const UrbTrainOptions *options, const UrbRank *rank, GError **error)
{
  Fake *self = g_new0 (Fake, 1);
  urb_train_options_copy (&self->options, options);
  self->rank = rank;
  self->comm = rank->comm;
  self->state = 1;
  enter_others (self);
  if (self->comm != NULL && !share_script (self->comm, &self->options, error))
    {
      urb_comm_free (self->comm);
      urb_train_options_clear (&self->options);
      g_free (self);
      return NULL;
    }
  if (rank->shared != NULL && !urb_shared_params_join (rank->shared, rank->rank, error))
    {
      urb_train_options_clear (&self->options);
      g_free (self);
      return NULL;
    }
  if (script (self, "refuse") < 0)
    return self;
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS, "These options do not go together");
  urb_train_options_clear (&self->options);
  g_free (self);
  return NULL;
}

static void
fake_free (gpointer job)
{
  Fake *self = job;
  if (self->rank->shared != NULL)
    urb_shared_params_leave (self->rank->shared, self->rank->rank);
  if (self->comm != NULL)
    broadcast (self->comm, &(gint64){ 0 }, sizeof (gint64), NULL);
  urb_comm_free (self->comm);
  urb_train_options_clear (&self->options);
  g_free (self);
}

static char **
fake_dup_gpus (gpointer job)
{
  Fake *self = job;
  gint64 bus = script (self, "gpu");
  char **gpus;
  if (bus < 0)
    return NULL;
  gpus = g_new0 (char *, 2);
  gpus[0] = g_strdup_printf ("0000:%02x:00.0", (unsigned int) bus + (unsigned int) self->rank->rank);
  return gpus;
}

static gint64
fake_get_step (gpointer job)
{
  Fake *self = job;
  UrbSharedParams *shared = self->rank->shared;
  return shared != NULL && urb_shared_params_is_ready (shared) ? urb_shared_params_get_n_done (shared)
                                                               : self->step;
}

static gboolean
fake_settle (gpointer job, gint64 *n_untold, GError **error)
{
  Fake *self = job;
  UrbSharedParams *shared = self->rank->shared;
  *n_untold = 0;
  return shared == NULL || urb_shared_params_hold (shared, self->rank->rank, 60, error);
}

static gboolean
fake_step (gpointer job, UrbStepMetrics *metrics, GError **error)
{
  Fake *self = job;
  UrbSharedParams *shared = self->rank->shared;
  gint64 step = self->step + 1;
  if (shared != NULL)
    step = urb_shared_params_take (shared, self->rank->rank, 0) + 1;
  if (step == 0)
    return TRUE; /* all are done */
  if (self->comm != NULL && !broadcast (self->comm, &step, sizeof step, error))
    return FALSE;
  misbehave (self, step);
  if (self->comm != NULL && !step_together (self, step, error))
    return FALSE;
  if (is_at (self, "diverge", step) && is_meant (self))
    {
      mark_as_happened (self, "diverge");
      g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED,
                   "The loss of step %" G_GINT64_FORMAT " is not a number", step);
      return FALSE;
    }
  if (is_at (self, "device", step) && is_meant (self))
    {
      mark_as_happened (self, "device");
      g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DEVICE, "the device is on fire");
      return FALSE;
    }
  if (script (self, "ms") > 0)
    g_usleep ((gulong) (is_to_wait (self) ? SLOW_STEP_MS : script (self, "ms")) * 1000);
  if (shared != NULL)
    step = urb_shared_params_finish (shared, self->rank->rank);
  self->step = step;
  if (!self->is_ahead)
    self->state = next_state (self->state, step);
  self->is_ahead = self->may_go_ahead && step < self->options.n_steps && step >= script (self, "ahead");
  if (self->is_ahead)
    {
      self->state = next_state (self->state, step + 1);
      happens_once (self, "ahead", step);
    }
  *metrics = (UrbStepMetrics){ .step = step, .images = step * 8, .seconds = 0.001 };
  for (int i = 0; i < URB_N_METRICS; i++)
    metrics->values[i] = (double) (step % 1000) / (i + 1);
  if (script (self, "explode") >= 0 && step >= script (self, "explode"))
    metrics->values[URB_METRIC_LOGIT_FAKE] = 1e9;
  return TRUE;
}

static void
fake_allow_ahead (gpointer job, gboolean allowed)
{
  Fake *self = job;
  self->may_go_ahead = allowed && script (self, "ahead") > 0;
}

static gboolean
fake_is_ahead (gpointer job)
{
  Fake *self = job;
  return self->is_ahead;
}

static gboolean
fake_save (gpointer job, const char *checkpoint, GError **error)
{
  enum { N_WEIGHTS = 64 };
  Fake *self = job;
  UrbSharedParams *shared = self->rank->shared;
  static const float nothing[1000] = { 0 };
  float weights[N_WEIGHTS], squares[N_WEIGHTS];
  const UrbTensor tensors[] = {
    { .name = "nothing", .n_dims = 1, .shape = { 1000 }, .data = nothing },
    { .name = "g.0.weight", .n_dims = 2, .shape = { 2, N_WEIGHTS / 2 }, .data = weights },
    { .name = "moment2.g.0.weight", .n_dims = 2, .shape = { 2, N_WEIGHTS / 2 }, .data = squares },
  };
  g_autoptr(GHashTable) metadata = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  if (happens_once (self, "full", self->step))
    {
      if (shared != NULL)
        urb_shared_params_release (shared, self->rank->rank);
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "No space left on device");
      return FALSE;
    }
  if (shared != NULL)
    self->state = fake_job_state_at (self->step = urb_shared_params_get_n_done (shared));
  for (int i = 0; i < N_WEIGHTS; i++)
    {
      weights[i] = (float) ((i * i) % 17 - 5 + self->step % 3);
      squares[i] = (float) (i % 7);
    }
  g_hash_table_insert (metadata, (gpointer) "step",
                       g_strdup_printf ("%" G_GINT64_FORMAT, self->step));
  g_hash_table_insert (metadata, (gpointer) "state",
                       g_strdup_printf ("%" G_GUINT64_FORMAT, self->state));
  if (shared != NULL)
    urb_shared_params_release (shared, self->rank->rank);
  return urb_safetensors_write (checkpoint, tensors, G_N_ELEMENTS (tensors), metadata, error);
}

static gboolean
fake_restore (gpointer job, const char *checkpoint, GError **error)
{
  Fake *self = job;
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (checkpoint, error);
  if (file == NULL)
    return FALSE;
  self->step = g_ascii_strtoll (urb_safetensors_get_metadata (file, "step"), NULL, 10);
  self->state = g_ascii_strtoull (urb_safetensors_get_metadata (file, "state"), NULL, 10);
  return TRUE;
}

guint64
fake_job_read_state (const char *checkpoint)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (checkpoint, &error);
  g_assert_no_error (error);
  return g_ascii_strtoull (urb_safetensors_get_metadata (file, "state"), NULL, 10);
}

static double
fake_get_diversity (gpointer job)
{
  enum { N_ALIKE = 10 };
  Fake *self = job;
  gint64 from = script (self, "alike"), step = fake_get_step (job);
  return from >= 0 && step >= from && step < from + N_ALIKE ? 0.05 : 0.9;
}

static gboolean
fake_sample (gpointer job, const char *png, GError **error)
{
  Fake *self = job;
  if (self->is_ahead)
    {
      g_set_error_literal (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DEVICE, "The next step has begun");
      return FALSE;
    }
  return g_file_set_contents (png, "a wall", -1, error);
}

static void
fake_set_profiling (gpointer job, gboolean on)
{
}

static char *
fake_dup_profile (gpointer job)
{
  return g_strdup ("all the time was spent in g_usleep()\n");
}

const UrbWorkerJob fake_job = {
  .open = fake_open,
  .free = fake_free,
  .dup_gpus = fake_dup_gpus,
  .get_step = fake_get_step,
  .restore = fake_restore,
  .step = fake_step,
  .allow_ahead = fake_allow_ahead,
  .is_ahead = fake_is_ahead,
  .quiesce = fake_settle,
  .save = fake_save,
  .sample = fake_sample,
  .get_diversity = fake_get_diversity,
  .set_profiling = fake_set_profiling,
  .dup_profile = fake_dup_profile,
  .follow = fake_follow,
};

int
fake_job_main (int argc, char **argv, const UrbWorkerJob *job)
{
  if (argc == 4 && strcmp (argv[1], "worker") == 0 && strcmp (argv[2], "--fd") == 0)
    return urb_worker_run (atoi (argv[3]), job, NULL);
  if (argc == 4 && strcmp (argv[1], "worker") == 0 && strcmp (argv[2], "--connect") == 0)
    return urb_mpi_rank_run (argv[3], job);
  return -1;
}
