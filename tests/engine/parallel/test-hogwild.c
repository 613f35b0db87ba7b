/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-hogwild.c - asynchronous training: one rank gives the result of a single process, and
 * several do exactly the steps of the run, even if some are killed.
 *
 * Called with arguments this program is a worker process: see worker_main().
 *
 * With URBARIUM_TEST_DEVICE set, to "cuda", processes train there: fewer steps, since the emulated
 * GPU is slow.
 */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>


#include <json-glib/json-glib.h>

#include "../train/trace-file.h"
#include "flat-folder.h"
#include "train/async.h"
#include "train/group.h"
#include "train/safetensors.h"

/* Small enough that a step takes some milliseconds; large enough that an update has
 * several slices. */
static const char preset_text[] =
  "[preset]\nimage-size=16\nlatent=8\nbatch=4\nsteps=100\nlr=0.001\ngamma=5\n"
  "[generator]\n1=dense 16 4 NORM lrelu\n2=tconv 32 bias lrelu\n3=tconv image bias head\n"
  "[discriminator]\n1=conv4 32 bias lrelu\n2=conv4 32 NORM lrelu\n3=logit bias\n";

enum { N_STEPS = 60 };

static const char *device; /* (nullable) */

typedef struct
{
  char *folder, *preset;
} Fixture;

static void
write_preset (const char *path, const char *recipe)
{
  g_auto(GStrv) parts = g_strsplit (preset_text, "NORM", -1);
  g_autofree char *text = g_strjoinv (g_str_equal (recipe, "dcgan") ? "bn" : "bias", parts);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("urbarium-XXXXXX", NULL);
  self->preset = g_build_filename (self->folder, "mini.preset", NULL);
  write_preset (self->preset, "r3");
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  flat_folder_remove (self->folder);
  g_free (self->preset);
}

static void
set_text (char **text, const char *value)
{
  g_free (*text);
  *text = g_strdup (value);
}

static void
fill_options (UrbTrainOptions *options, const char *preset, const char *recipe, const char *strategy)
{
  urb_train_options_init (options);
  set_text (&options->preset, preset);
  set_text (&options->recipe, recipe);
  if (device != NULL)
    set_text (&options->backend, device);
  options->n_steps = N_STEPS;
  options->n_threads = 1;
  g_assert_true (urb_strategy_parse (strategy, &options->strategy, &options->n_ranks, NULL));
}

static UrbGroup *
open_group (const UrbTrainOptions *options, UrbSharedParams *shared)
{
  UrbRank rank = { .n_ranks = options->n_ranks, .n_local = options->n_ranks, .shared = shared };
  g_autoptr(GError) error = NULL;
  UrbGroup *group = urb_group_new (options, shared != NULL ? &rank : NULL, &error);

  g_assert_no_error (error);
  return group;
}

static gint64
get_step (UrbGroup *group)
{
  return urb_trainer_get_step (urb_group_get_trainer (group));
}

static void
step (UrbGroup *group, UrbStepMetrics *metrics)
{
  g_autoptr(GError) error = NULL;

  urb_group_step (group, metrics, &error);
  g_assert_no_error (error);
}

static char *
save (const Fixture *self, UrbGroup *group, const char *name)
{
  char *path = g_build_filename (self->folder, name, NULL);
  g_autoptr(GError) error = NULL;

  urb_group_save (group, path, &error);
  g_assert_no_error (error);
  return path;
}

static void
restore (UrbGroup *group, const char *path)
{
  g_autoptr(GError) error = NULL;

  urb_group_restore (group, path, &error);
  g_assert_no_error (error);
}

/* Compares every tensor, bit for bit.  The metadata differ, as they contain the strategy. */
static void
assert_same_tensors (const char *a, const char *b)
{
  g_autoptr(UrbSafetensors) x = urb_safetensors_open (a, NULL), y = urb_safetensors_open (b, NULL);

  g_assert_cmpuint (urb_safetensors_get_n_tensors (x), ==, urb_safetensors_get_n_tensors (y));
  g_assert_cmpuint (urb_safetensors_get_n_tensors (x), >, 10);
  for (gsize i = 0; i < urb_safetensors_get_n_tensors (x); i++)
    {
      const UrbTensor *tensor = urb_safetensors_get_tensor (x, i);
      const UrbTensor *other = urb_safetensors_lookup (y, tensor->name);
      gsize n_bytes = sizeof (float);

      g_assert_nonnull (other);
      for (int d = 0; d < tensor->n_dims; d++)
        n_bytes *= (gsize) tensor->shape[d];
      g_assert_cmpmem (tensor->data, n_bytes, other->data, n_bytes);
    }
  g_assert_cmpstr (urb_safetensors_get_metadata (x, "step"), ==,
                   urb_safetensors_get_metadata (y, "step"));
}

/* ------------------------------------------------------------------------ */
/* Alone                                                                     */

typedef struct
{
  const char *recipe, *strategy;
  gboolean    local_moments;
  int         n_d_steps; /* 0: 1 */
  gboolean    averages_equally;
} Alone;

static void
test_alone (Fixture *self, gconstpointer data)
{
  const Alone *how = data;
  g_auto(UrbTrainOptions) options = { 0 }, other = { 0 };
  g_autoptr(UrbSharedParams) shared = NULL;
  g_autoptr(UrbGroup) single = NULL, group = NULL;
  g_autofree char *path = NULL, *expected = NULL;

  write_preset (self->preset, how->recipe);
  fill_options (&options, self->preset, how->recipe, "single");
  fill_options (&other, self->preset, how->recipe, how->strategy);
  other.local_moments = how->local_moments;
  options.n_d_steps = other.n_d_steps = MAX (how->n_d_steps, 1);
  if (how->averages_equally)
    {
      options.averaging = other.averaging = URB_AVERAGING_EQUAL;
      options.average_from = other.average_from = 2;
    }
  if (other.strategy == URB_STRATEGY_HOGWILD)
    shared = urb_shared_params_new_memfd (1, NULL);
  single = open_group (&options, NULL);
  group = open_group (&other, shared);
  for (int i = 0; i < (device != NULL ? 4 : 20); i++)
    {
      UrbStepMetrics a, b;

      step (single, &a);
      step (group, &b);
      g_assert_cmpint (b.step, ==, i + 1);
      g_assert_cmpint (b.images, ==, a.images);
      g_assert_cmpmem (a.values, sizeof a.values, b.values, sizeof b.values);
    }
  expected = save (self, single, "single.safetensors");
  path = save (self, group, "alone.safetensors");
  assert_same_tensors (path, expected);
  /* Also after restoring. */
  restore (group, path);
  for (int i = 0; i < 3; i++)
    {
      UrbStepMetrics a, b;

      step (single, &a);
      step (group, &b);
      g_assert_cmpmem (a.values, sizeof a.values, b.values, sizeof b.values);
    }
}

/* ------------------------------------------------------------------------ */
/* Several ranks, as threads */

static void
check_finite (const UrbStepMetrics *metrics)
{
  for (int i = 0; i < URB_N_METRICS; i++)
    g_assert_true (isfinite (metrics->values[i]));
}

/* Every update of D is in a worker's histogram. */
static void
check_histograms (UrbGroup *group, gint64 n_expected, gint64 *max_lead)
{
  g_autofree char *text = urb_shared_params_dup_json (
    urb_trainer_get_async (urb_group_get_trainer (group))->shared);
  g_autoptr(JsonParser) parser = json_parser_new ();
  gint64 sum = 0;
  JsonObject *root;
  JsonArray *workers;

  g_assert_true (json_parser_load_from_data (parser, text, -1, NULL));
  root = json_node_get_object (json_parser_get_root (parser));
  workers = json_object_get_array_member (root, "workers");
  for (guint i = 0; i < json_array_get_length (workers); i++)
    {
      JsonObject *d = json_object_get_object_member (json_array_get_object_element (workers, i), "d");
      JsonArray *lags = json_object_get_array_member (d, "staleness");
      gint64 n = 0;

      for (guint k = 0; k < json_array_get_length (lags); k++)
        n += json_array_get_int_element (lags, k);
      g_assert_cmpint (n, ==, json_object_get_int_member (d, "publishes"));
      sum += n;
    }
  g_assert_cmpint (sum, ==, n_expected);
  *max_lead = json_object_get_int_member (root, "max_lead");
}

typedef struct
{
  const char *strategy, *recipe;
  int         staleness;
  gboolean    local_moments;
} Together;

static void
test_together (Fixture *self, gconstpointer data)
{
  const Together *how = data;
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbGroup) group = NULL;
  UrbStepMetrics metrics;
  gint64 max_lead;
  double first = 0, last = 0;

  write_preset (self->preset, how->recipe);
  fill_options (&options, self->preset, how->recipe, how->strategy);
  options.staleness = how->staleness;
  options.local_moments = how->local_moments;
  group = open_group (&options, NULL);
  for (int i = 1; i <= N_STEPS; i++)
    {
      step (group, &metrics);
      g_assert_cmpint (metrics.step, ==, i);
      g_assert_cmpint (metrics.images, ==, 4 * i);
      check_finite (&metrics);
      if (i <= 10)
        first += metrics.values[URB_METRIC_LOSS_D];
      if (i > N_STEPS - 10)
        last += metrics.values[URB_METRIC_LOSS_D];
    }
  g_test_message ("D's loss: %.3f at first, %.3f at last", first / 10, last / 10);
  g_assert_cmpfloat (last, <, first);
  step (group, &metrics); /* none left */
  g_assert_cmpint (metrics.step, ==, 0);
  g_assert_cmpint (get_step (group), ==, N_STEPS);
  check_histograms (group, N_STEPS, &max_lead);
  if (how->staleness > 0)
    g_assert_cmpint (max_lead, <=, how->staleness);
}

/* ------------------------------------------------------------------------ */
/* Checkpoints                                                               */

static gint64
read_step (const char *path)
{
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (path, NULL);

  return g_ascii_strtoll (urb_safetensors_get_metadata (file, "step"), NULL, 10);
}

/* Held ranks are between two steps: the checkpoint has the number of steps done, and the next calls
 * report those steps without doing any. */
static void
test_settle (Fixture *self, gconstpointer data)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbGroup) group = NULL;
  g_autofree char *path = NULL;
  UrbStepMetrics metrics = { 0 };
  gint64 n_unreported, step_held;

  fill_options (&options, self->preset, "r3", "streams:3");
  group = open_group (&options, NULL);
  g_assert_true (urb_group_quiesce (group, &n_unreported, NULL)); /* nothing has begun */
  g_assert_cmpint (n_unreported, ==, 0);
  for (int i = 0; i < 10; i++)
    step (group, &metrics);
  g_assert_true (urb_group_quiesce (group, &n_unreported, NULL));
  step_held = get_step (group);
  g_assert_cmpint (step_held, ==, 10 + n_unreported);
  g_usleep (20000);
  for (gint64 i = 0; i < n_unreported; i++)
    step (group, &metrics);
  g_assert_cmpint (metrics.step, ==, step_held);
  g_assert_cmpint (get_step (group), ==, step_held);
  path = save (self, group, "held.safetensors");
  g_assert_cmpint (read_step (path), ==, step_held);
  while (metrics.step < N_STEPS) /* and on */
    step (group, &metrics);
  step (group, &metrics);
  g_assert_cmpint (metrics.step, ==, 0);
}

/* The timeline contains every rank, and the steps of a rank do not overlap. */
static void
test_trace (Fixture *self, gconstpointer data)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbGroup) group = NULL;
  g_autofree char *path = g_build_filename (self->folder, "trace.json", NULL);
  g_autoptr(GError) error = NULL;
  UrbStepMetrics metrics = { 0 };
  UrbTraceSummary summary;
  gint64 n_done = 0;
  int n_events[3][2];

  fill_options (&options, self->preset, "r3", "streams:3");
  options.n_steps = 100 * N_STEPS; /* enough steps that the ranks are not done before this thread */
  group = urb_group_new (&options, NULL, &error);
  g_assert_no_error (error);
  for (int i = 0; i < N_STEPS; i++)
    {
      g_assert_true (urb_group_step (group, &metrics, NULL));
      if (i == 9)
        g_assert_true (urb_group_start_trace (group, NULL));
      if (i == 39)
        {
          g_assert_true (urb_group_end_trace (group, path, &summary, NULL));
          n_done = get_step (group);
        }
    }
  g_assert_cmpint (metrics.step, ==, N_STEPS);
  /* Not the steps reported meanwhile, of which some were done before. */
  g_assert_cmpint (summary.n_steps, >=, 3);
  g_assert_cmpint (summary.n_steps, <=, n_done - 10);
  g_assert_cmpint (summary.n_ranks, ==, 3); /* each did at least one */
  g_assert_cmpint (summary.first_step, >, 10);
  g_assert_cmpfloat (summary.step_s, >, 0);
  g_assert_cmpfloat (summary.comm_share, ==, 0);
  trace_file_check (path, 3, n_events);
  for (int r = 0; r < 3; r++)
    {
      g_assert_cmpint (n_events[r][0], >, 0);
      g_assert_cmpint (n_events[r][1], ==, 0);
    }
}

/* Starting or ending a timeline during a checkpoint does not release the ranks. */
static void
test_trace_held (Fixture *self, gconstpointer data)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbGroup) group = NULL;
  g_autofree char *path = g_build_filename (self->folder, "trace.json", NULL);
  UrbStepMetrics metrics = { 0 };
  UrbTraceSummary summary;
  gint64 n_unreported, step_held;

  fill_options (&options, self->preset, "r3", "streams:3");
  group = urb_group_new (&options, NULL, NULL);
  g_assert_nonnull (group);
  for (int i = 0; i < 10; i++)
    g_assert_true (urb_group_step (group, &metrics, NULL));
  g_assert_true (urb_group_quiesce (group, &n_unreported, NULL));
  step_held = get_step (group);
  g_assert_true (urb_group_start_trace (group, NULL));
  g_assert_true (urb_group_end_trace (group, path, &summary, NULL));
  g_usleep (50000);
  g_assert_cmpint (get_step (group), ==, step_held);
  g_assert_cmpint (summary.n_steps, ==, 0);
  g_assert_cmpint (summary.n_ranks, ==, 0);
  while (metrics.step < N_STEPS)
    g_assert_true (urb_group_step (group, &metrics, NULL));
}

static void
run_to_end (UrbGroup *group, gint64 first)
{
  UrbStepMetrics metrics;

  for (gint64 i = first; i < N_STEPS; i++)
    {
      step (group, &metrics);
      g_assert_cmpint (metrics.step, ==, i + 1);
      check_finite (&metrics);
    }
}

/* Saved under one strategy, resumed under another and saved at once: the tensors are the same. */
static void
test_resume (Fixture *self, gconstpointer data)
{
  const char *const *strategies = data;
  g_auto(UrbTrainOptions) options = { 0 }, other = { 0 };
  g_autoptr(UrbGroup) from = NULL, to = NULL;
  g_autofree char *path = NULL, *again = NULL;
  UrbStepMetrics metrics;
  gint64 n_done;

  fill_options (&options, self->preset, "r3", strategies[0]);
  fill_options (&other, self->preset, "r3", strategies[1]);
  from = open_group (&options, NULL);
  to = open_group (&other, NULL);
  for (int i = 0; i < 15; i++)
    step (from, &metrics);
  path = save (self, from, "from.safetensors");
  n_done = read_step (path);
  g_assert_cmpint (n_done, >=, 15);
  restore (to, path);
  g_assert_cmpint (get_step (to), ==, n_done);
  again = save (self, to, "again.safetensors");
  assert_same_tensors (path, again);
  run_to_end (to, n_done);
  restore (to, path); /* back, in the same group */
  g_assert_cmpint (get_step (to), ==, n_done);
  run_to_end (to, n_done);
}

/* When one rank fails, the group fails with an error. */
static void
test_diverged (Fixture *self, gconstpointer data)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbGroup) group = NULL;
  g_autoptr(GError) error = NULL;
  UrbStepMetrics metrics;

  fill_options (&options, self->preset, "r3", "streams:3");
  options.gamma = 1e30;
  options.lr_g = options.lr_d = 1;
  options.n_warmup = 0;
  group = open_group (&options, NULL);
  while (urb_group_step (group, &metrics, &error))
    g_assert_cmpint (metrics.step, >, 0); /* it must fail */
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED);
}

/* ------------------------------------------------------------------------ */
/* Several ranks, as processes */

enum { N_PROCESSES = 3, N_KILLS = 4, N_PROCESS_STEPS = 150, N_DEVICE_STEPS = 30 };

/* A worker's exit code. */
enum { OWNER_ENDED = 7 };

static int
count_process_steps (void)
{
  return device != NULL ? N_DEVICE_STEPS : N_PROCESS_STEPS;
}

static UrbSharedParams *
open_shared (const char *how)
{
  return g_str_has_prefix (how, "fd:") ? urb_shared_params_open_fd (atoi (how + 3), NULL)
                                       : urb_shared_params_open_name (how, NULL);
}

/* test-hogwild PRESET SHARED RANK: does steps until none is left, and prints their numbers. */
static int
worker_main (char **arguments)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbSharedParams) shared = open_shared (arguments[1]);
  UrbRank rank = { .rank = atoi (arguments[2]), .n_ranks = N_PROCESSES, .n_local = N_PROCESSES,
                     .shared = shared };
  g_autoptr(UrbGroup) group = NULL;
  g_autoptr(GError) error = NULL;
  UrbStepMetrics metrics = { .step = 1 };

  fill_options (&options, arguments[0], "r3", "hogwild:3");
  options.n_steps = count_process_steps ();
  options.staleness = 8;
  group = shared != NULL ? urb_group_new (&options, &rank, &error) : NULL;
  while (group != NULL && metrics.step > 0)
    {
      g_autofree char *line = NULL;

      if (!urb_group_step (group, &metrics, &error))
        break;
      check_finite (&metrics);
      line = g_strdup_printf ("%d\n", (int) metrics.step);
      if (metrics.step > 0 && write (STDOUT_FILENO, line, strlen (line)) < 0)
        return 1;
    }
  if (g_error_matches (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DEVICE)
      && strstr (error->message, "rank 0 has ended") != NULL)
    return OWNER_ENDED;
  if (group == NULL || error != NULL)
    g_printerr ("worker %s: %s\n", arguments[2], error != NULL ? error->message : "no segment");
  return group == NULL || error != NULL;
}

static GPid
start_worker (const Fixture *self, UrbSharedParams *shared, int rank, int out)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *how = urb_shared_params_get_name (shared) != NULL
                           ? g_strdup (urb_shared_params_get_name (shared))
                           : g_strdup ("fd:3");
  g_autofree char *number = g_strdup_printf ("%d", rank);
  const char *arguments[] = { program, self->preset, how, number, NULL };
  int fd = urb_shared_params_get_fd (shared), target = 3;
  gboolean is_memfd = urb_shared_params_get_name (shared) == NULL;
  g_autoptr(GError) error = NULL;
  GPid pid;

  g_spawn_async_with_pipes_and_fds (NULL, arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, -1,
                                    out, -1, &fd, &target, is_memfd ? 1 : 0, &pid, NULL, NULL, NULL,
                                    &error);
  g_assert_no_error (error);
  return pid;
}

static int
wait_for (GPid pid)
{
  int status;

  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  return status;
}

static void
wait_until_done (UrbSharedParams *shared, gint64 n)
{
  while (urb_shared_params_get_n_done (shared) < n)
    g_usleep (500);
}

/* Kills it at a random moment, nearly always within a step. */
static int
kill_and_reap (UrbSharedParams *shared, GPid pid)
{
  int n_lost;

  g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
  g_assert_true (WIFSIGNALED (wait_for (pid)));
  n_lost = urb_shared_params_reap (shared, pid);
  g_assert_cmpint (n_lost, <=, 1);
  return n_lost;
}

/* Every step was reported once, except those of workers killed before they could report. */
static void
check_told (int fd)
{
  g_autoptr(GString) text = g_string_new (NULL);
  g_auto(GStrv) lines = NULL;
  int told[N_PROCESS_STEPS + 1] = { 0 }, n_told = 0;
  char bytes[4096];
  gssize n;

  while ((n = read (fd, bytes, sizeof bytes)) > 0)
    g_string_append_len (text, bytes, n);
  lines = g_strsplit (text->str, "\n", -1);
  for (char **line = lines; **line != '\0'; line++, n_told++)
    {
      int number = atoi (*line);

      g_assert_cmpint (number, >=, 1);
      g_assert_cmpint (number, <=, count_process_steps ());
      g_assert_cmpint (told[number]++, ==, 0);
    }
  g_assert_cmpint (n_told, >=, count_process_steps () - N_KILLS);
}

static void
test_killed (Fixture *self, gconstpointer sharing)
{
  g_autoptr(UrbSharedParams) shared = g_str_equal (sharing, "memfd")
                                        ? urb_shared_params_new_memfd (N_PROCESSES, NULL)
                                        : urb_shared_params_new_named (N_PROCESSES, NULL);
  g_autofree char *name = g_strdup (urb_shared_params_get_name (shared));
  GPid pids[N_PROCESSES];
  int ends[2], n_lost = 0;

  g_assert_cmpint (pipe (ends), ==, 0);
  for (int rank = 0; rank < N_PROCESSES; rank++)
    pids[rank] = start_worker (self, shared, rank, ends[1]);
  for (int i = 0; i < N_KILLS; i++)
    {
      /* Also rank 0, which can be replaced like any other rank unless it owns the parameters. */
      int rank = device != NULL ? 1 + i % (N_PROCESSES - 1) : i % N_PROCESSES;

      wait_until_done (shared, device != NULL ? 2 + i * 5 : 10 + i * 25);
      n_lost += kill_and_reap (shared, pids[rank]);
      pids[rank] = start_worker (self, shared, rank, ends[1]);
    }
  for (int rank = 0; rank < N_PROCESSES; rank++)
    g_assert_cmpint (wait_for (pids[rank]), ==, 0);
  close (ends[1]);
  g_assert_cmpint (urb_shared_params_get_n_done (shared), ==, count_process_steps ());
  g_assert_cmpint (n_lost, >, 0);
  g_assert_cmpint (urb_shared_params_get_n_lost (shared), ==, n_lost);
  check_told (ends[0]);
  close (ends[0]);
  g_clear_pointer (&shared, urb_shared_params_free);
  if (name != NULL)
    {
      g_autofree char *path = g_build_filename ("/dev/shm", name, NULL);

      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
    }
}

/* The others end with an error that gives the cause, however they notice. */
static void
test_owner_killed (Fixture *self, gconstpointer data)
{
  g_autoptr(UrbSharedParams) shared = urb_shared_params_new_memfd (N_PROCESSES, NULL);
  GPid pids[N_PROCESSES];
  int ends[2];

  g_assert_cmpint (pipe (ends), ==, 0);
  for (int rank = 0; rank < N_PROCESSES; rank++)
    pids[rank] = start_worker (self, shared, rank, ends[1]);
  wait_until_done (shared, 2);
  g_assert_true (urb_shared_params_has_owner (shared));
  kill_and_reap (shared, pids[0]);
  for (int rank = 1; rank < N_PROCESSES; rank++)
    g_assert_cmpint (WEXITSTATUS (wait_for (pids[rank])), ==, OWNER_ENDED);
  g_assert_cmpint (urb_shared_params_get_n_done (shared), <, N_DEVICE_STEPS);
  close (ends[0]);
  close (ends[1]);
}

/* A worker with another network is refused. */
static void
test_other_network (Fixture *self, gconstpointer data)
{
  g_autoptr(UrbSharedParams) shared = urb_shared_params_new_memfd (2, NULL), view = NULL;
  g_auto(UrbTrainOptions) options = { 0 };
  UrbRank rank = { .rank = 1, .n_ranks = 2, .n_local = 2 };
  g_autoptr(UrbGroup) group = NULL;
  g_autoptr(GError) error = NULL;

  fill_options (&options, self->preset, "r3", "hogwild:2");
  group = open_group (&options, shared);
  view = urb_shared_params_open_fd (urb_shared_params_get_fd (shared), NULL);
  rank.shared = view;
  options.seed = 2; /* the same networks, but another order of images */
  g_assert_null (urb_group_new (&options, &rank, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
}

static void
add_alone (const Alone *how)
{
  g_autofree char *path = g_strdup_printf ("/hogwild/alone/%s/%s%s%s%s", how->recipe, how->strategy,
                                           how->local_moments ? "/local-moments" : "",
                                           how->n_d_steps > 0 ? "/d-steps" : "",
                                           how->averages_equally ? "/equal-average" : "");

  g_test_add (path, Fixture, how, set_up, test_alone, tear_down);
}

int
main (int argc, char **argv)
{
  static const Alone alone[] = {
    { "r3", "hogwild:1", FALSE }, { "r3", "streams:1", FALSE }, { "dcgan", "hogwild:1", FALSE },
    { "dcgan", "streams:1", TRUE }, { "r3", "hogwild:1", TRUE }, { "dcgan", "hogwild:1", TRUE, 3 },
    { "r3", "streams:1", FALSE, 2 },  { "r3", "hogwild:1", FALSE, 0, TRUE },
  };
  static const Together together[] = {
    { "streams:2", "r3", 0, FALSE }, { "streams:3", "dcgan", 0, TRUE },
    { "streams:4", "r3", 1, FALSE },
    { "streams:2", "dcgan", 2, FALSE },
  };

  static const char *const resumes[][2] = {
    { "streams:2", "single" }, { "single", "streams:2" }, { "streams:3", "streams:2" },
  };

  device = g_getenv ("URBARIUM_TEST_DEVICE");
  if (argc == 4)
    return worker_main (argv + 1);
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (alone); i++)
    if (device == NULL || g_str_has_prefix (alone[i].strategy, "hogwild"))
      add_alone (&alone[i]);
  g_test_add ("/hogwild/killed/memfd", Fixture, "memfd", set_up, test_killed, tear_down);
  g_test_add ("/hogwild/killed/named", Fixture, "named", set_up, test_killed, tear_down);
  g_test_add ("/hogwild/other-network", Fixture, NULL, set_up, test_other_network, tear_down);
  if (device != NULL)
    {
      g_test_add ("/hogwild/owner-killed", Fixture, NULL, set_up, test_owner_killed, tear_down);
      return g_test_run ();
    }
  for (gsize i = 0; i < G_N_ELEMENTS (together); i++)
    {
      g_autofree char *path = g_strdup_printf ("/hogwild/together/%s/%s", together[i].recipe,
                                               together[i].strategy);

      g_test_add (path, Fixture, &together[i], set_up, test_together, tear_down);
    }
  g_test_add ("/hogwild/settle", Fixture, NULL, set_up, test_settle, tear_down);
  g_test_add ("/hogwild/trace", Fixture, NULL, set_up, test_trace, tear_down);
  g_test_add ("/hogwild/trace-held", Fixture, NULL, set_up, test_trace_held, tear_down);
  for (gsize i = 0; i < G_N_ELEMENTS (resumes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/hogwild/resume/%s/%s", resumes[i][0], resumes[i][1]);

      g_test_add (path, Fixture, resumes[i], set_up, test_resume, tear_down);
    }
  g_test_add ("/hogwild/diverged", Fixture, NULL, set_up, test_diverged, tear_down);
  return g_test_run ();
}
