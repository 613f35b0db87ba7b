/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-faults.c - real training with two ranks, under every strategy, and more in a mesh.  One rank is killed,
 * stopped, fails, calls a wrong collective or message or skips one: this is noticed, the right rank is named, all steps
 * are done, and nothing is left behind.  Or one rank computes a NaN: the tensor is named, and the
 * run pauses at a checkpoint without NaN.
 *
 * URBARIUM_ENGINE names the program.  A mesh of processes is only killed, since one of threads has the
 * other faults.  With -m slow it has all of them, too; each fault is injected 20 times, at different
 * steps, and must be noticed within 10 seconds.
 */
#include <math.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "parallel/comm.h"
#include "parallel/fault.h"
#include "run/supervisor/launch.h"
#include "supervised.h"
#include "train/safetensors.h"

enum { N_SLOW = 20, NOTICED_S = 10 };

static const char preset[] =
  "[preset]\ntitle=for a "
  "test\nimage-size=16\nlatent=8\nbatch=4\nsteps=100\nlr=0.001\ngamma=1\nema-kimg=1\n"
  "[generator]\n1=dense 8 4 bias lrelu\n2=tconv 8 bias lrelu\n3=tconv image bias head\n"
  "[discriminator]\n1=conv4 8 bias lrelu\n2=conv4 8 bias lrelu\n3=logit bias\n";

typedef struct
{
  UrbStrategy strategy;
  const char *communicator, *sharing;
  gboolean    one_process; /* killing one thread kills all of them */
  gboolean    talks;       /* it has collectives */
  int         n_steps;     /* long enough that all ranks join before the end */
  int         n_kinds;     /* the first of all */
  const char *device;      /* (nullable): a device whose memory is freed with rank 0's process */
  const char *mesh;        /* (nullable): else there are 2 ranks */
} Way;

static const char *const kinds[] = { "kill", "stop", "error", "count", "skip" };

static int
count_ranks (const Way *way)
{
  UrbMesh mesh = { 1, 2, 1 };
  if (way->mesh != NULL)
    g_assert_true (urb_mesh_parse (way->mesh, &mesh, NULL));
  return urb_mesh_count (&mesh, URB_ALL_AXES);
}

/* What a run has outside its folder. */
typedef struct
{
  RunTest   *test;     /* borrowed */
  GPtrArray *sessions; /* owned; mpirun's folders, from the link in the run's folder */
  GPtrArray *memories; /* owned; files in /dev/shm with the pid of this process in their name */
} Traces;

static gint64
query (RunTest *t, const char *sql)
{
  g_autofree char *path = g_build_filename (t->run, "run.db", NULL);
  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL;
  gint64 value;
  g_assert_cmpint (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
  value = sqlite3_column_int64 (statement, 0);
  sqlite3_finalize (statement);
  sqlite3_close (db);
  return value;
}

static void
traces_clear (Traces *self)
{
  g_ptr_array_unref (self->sessions);
  g_ptr_array_unref (self->memories);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Traces, traces_clear)

static void
add_once (GPtrArray *names, char *name)
{
  if (g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
    g_free (name);
  else
    g_ptr_array_add (names, name);
}

/* Other programs have files there, too. */
static void
find_memories (GPtrArray *names)
{
  g_autofree char *own = g_strdup_printf ("urbarium-%d-", getpid ());
  g_autoptr(GDir) dir = g_dir_open ("/dev/shm", 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, own))
      add_once (names, g_strdup (name));
}

static gboolean
look_cb (gpointer user_data)
{
  Traces *traces = user_data;
  g_autofree char *link = g_build_filename (traces->test->run, "mpi-session", NULL);
  char *session = g_file_read_link (link, NULL);
  if (session != NULL)
    add_once (traces->sessions, session);
  find_memories (traces->memories);
  return G_SOURCE_CONTINUE;
}

/* Returns: FALSE with f->error if it had to give up */
static gboolean
run (Supervised *f, const Way *way, Traces *traces)
{
  enum { LOOK_MS = 20 };
  const char *worker_argv[] = { g_getenv ("URBARIUM_ENGINE"), "worker", NULL };
  g_autofree char *path = g_build_filename (f->test->base, "test.preset", NULL);
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = supervised_make_options (f);
  gboolean good;
  guint look_id;
  options.worker_argv = worker_argv;
  /* The limits of every run: a stopped rank is noticed long before. */
  options.max_silence_s = options.max_step_s = 0;
  g_assert_true (g_file_set_contents (path, preset, -1, NULL));
  supervised_fill_config (f->test, &config, path, way->n_steps);
  config.checkpoint_every = way->n_steps / 5;
  config.sample_every = way->n_steps;
  config.train.strategy = way->strategy;
  config.train.n_ranks = config.train.n_threads = count_ranks (way);
  config.train.mesh = g_strdup (way->mesh);
  g_free (config.train.split);
  config.train.split = g_strdup ("all"); /* small layers, too */
  if (way->device != NULL)
    {
      g_free (config.train.backend);
      config.train.backend = g_strdup (way->device);
    }
  g_clear_pointer (&config.train.dataset, g_free); /* random tiles */
  g_free (config.train.communicator);
  config.train.communicator = g_strdup (way->communicator);
  g_free (config.train.sharing);
  config.train.sharing = g_strdup (way->sharing);
  supervised_prepare (f, &config, &options);
  look_id = g_timeout_add (LOOK_MS, look_cb, traces);
  good = supervised_end (f);
  g_source_remove (look_id);
  return good;
}

static void
assert_complete (RunTest *t, int n_steps)
{
  g_autofree char *name = urb_run_checkpoint_name (n_steps);
  g_autofree char *path = g_build_filename (t->run, name, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (path, &error);
  g_assert_no_error (error);
  g_assert_cmpint (query (t, "SELECT count(*) FROM step"), ==, n_steps);
  g_assert_cmpint (query (t, "SELECT max(step) FROM step"), ==, n_steps);
}

static void
assert_nothing_left (RunTest *t, const Way *way, const Traces *traces)
{
  static const char *const names[] = { "control.sock", URB_WORKER_SOCKET_NAME,
                                       URB_BOARD_SOCKET_NAME, "mpi-session" };
  g_autoptr(GPtrArray) memories = g_ptr_array_new_with_free_func (g_free);
  run_test_assert_no_process ();
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (t->run, names[i], NULL);
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS)
                      || g_file_test (path, G_FILE_TEST_IS_SYMLINK));
    }
  /* There were some, so their absence means something. */
  if (strcmp (way->communicator, "mpi") == 0)
    g_assert_cmpuint (traces->sessions->len, >=, 2); /* before the fault and after */
  for (guint i = 0; i < traces->sessions->len; i++)
    g_assert_false (g_file_test (traces->sessions->pdata[i], G_FILE_TEST_EXISTS));
  if (strcmp (way->sharing, "file_system") == 0)
    g_assert_cmpuint (traces->memories->len, >=, 1);
  find_memories (memories);
  g_assert_cmpuint (memories->len, ==, 0);
}

/* The expected diagnosis.  A process of several ranks is named by the first of them; which MPI rank
 * ends first is random. */
static char *
dup_blame (const Way *way, const char *kind, int rank, int step)
{
  int worker = way->one_process ? 0 : rank;
  gboolean mpi = strcmp (way->communicator, "mpi") == 0;
  if (strcmp (kind, "kill") == 0)
    return g_strdup_printf ("Worker rank %d was killed by signal 9%s\n", worker,
                            mpi ? "" : ", probably out of memory");
  if (way->mesh != NULL && strcmp (kind, "stop") == 0 && mpi)
    return g_strdup_printf ("stands still: rank %d is stopped (state T), and rank", rank);
  if (strcmp (kind, "stop") == 0 && mpi)
    return g_strdup_printf ("stands still: rank %d is stopped (state T), and rank %d waits for it "
                            "in ", rank, 1 - rank);
  if (strcmp (kind, "stop") == 0)
    return g_strdup_printf ("Worker rank %d was killed by its supervisor, because it stands still: "
                            "rank %d is stopped (state T)", worker, worker);
  if (strcmp (kind, "error") == 0 && way->talks && rank == 0) /* it may report that itself */
    return g_strdup_printf (": Rank 0 failed on purpose in step %d\n", step);
  if (strcmp (kind, "error") == 0 && way->talks)
    return g_strdup_printf ("exited with code 1: Rank %d gave up: Rank %d failed on purpose in "
                            "step %d\n", rank, rank, step);
  if (strcmp (kind, "error") == 0) /* in its first step after that */
    return g_strdup_printf ("Worker rank %d exited with code 1: Rank %d failed on purpose in step ",
                            worker, rank);
  return g_strdup_printf ("ank %d differs from the steps before", rank);
}

/* Their step numbers are not known in advance. */
static void
drop_processes (GString *events)
{
  g_autoptr(GRegex) number = g_regex_new (" \\(process [0-9]+\\)", 0, 0, NULL);
  g_autofree char *text = g_regex_replace_literal (number, events->str, -1, 0, "", 0, NULL);
  g_string_assign (events, text);
}

/* For ranks that share a GPU's memory: the other rank may notice and report it before the
 * supervisor does. */
static void
assert_lost (RunTest *t, int rank)
{
  gint64 n = rank == 0;
  g_assert_cmpint (query (t, "SELECT count(*) FROM event WHERE code = 'parameters-lost'"), ==, n);
  g_assert_cmpint (query (t, "SELECT count(*) FROM event WHERE code = 'restart'"), ==, n);
  g_assert_cmpint (query (t, "SELECT count(*) FROM event WHERE code = 'worker-died' AND text NOT "
                             "LIKE '%rank 0 has ended%'"), ==, 1);
}

static void
strike (RunTest *t, const Way *way, const char *kind, int rank, int step)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autofree char *fault = g_strdup_printf ("%d:%d:%s", rank, step, kind);
  g_autofree char *blame = dup_blame (way, kind, rank, step);
  g_auto(Traces) traces = { t, g_ptr_array_new_with_free_func (g_free),
                            g_ptr_array_new_with_free_func (g_free) };
  g_setenv ("URBARIUM_FAULT", fault, TRUE);
  if (!run (f, way, &traces))
    g_error ("%s\n%s", f->error->message, f->events->str);
  g_unsetenv ("URBARIUM_FAULT");
  if (way->device != NULL)
    assert_lost (t, rank);
  else if (query (t, "SELECT count(*) FROM event WHERE code = 'worker-died'") != 1)
    g_error ("%s was not noticed, or more than once:\n%s", fault, f->events->str);
  g_test_message ("%s: noticed within %.1f s\n%s", fault,
                  (double) f->longest_pause_us / G_USEC_PER_SEC, f->events->str);
  drop_processes (f->events);
  supervised_assert_said (f, blame);
  if (g_test_slow ())
    g_assert_cmpint (f->longest_pause_us, <, NOTICED_S * G_USEC_PER_SEC);
  assert_complete (t, way->n_steps);
  assert_nothing_left (t, way, &traces);
  g_clear_pointer (&t->folder, urb_run_folder_free);
  run_test_delete (t->run);
}

/* ------------------------------------------------------------------------ */
/* A NaN                                                                     */

static void
assert_file_is_finite (const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (urb_safetensors_get_n_tensors (file), >, 10);
  for (gsize i = 0; i < urb_safetensors_get_n_tensors (file); i++)
    {
      const UrbTensor *tensor = urb_safetensors_get_tensor (file, i);
      const float *values = tensor->data;
      gint64 count = 1;
      g_assert_cmpint (tensor->type, ==, URB_TENSOR_F32);
      for (int d = 0; d < tensor->n_dims; d++)
        count *= tensor->shape[d];
      for (gint64 e = 0; e < count; e++)
        g_assert_true (isfinite (values[e]));
    }
}

/* Returns: its step; 0 if there is none, as when an asynchronous rank runs ahead of the one that
 * saves */
static gint64
assert_checkpoint_is_finite (RunTest *t, const Way *way)
{
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (t->run);
  gint64 newest = steps->len > 0 ? g_array_index (steps, gint64, steps->len - 1) : 0;
  g_autofree char *name = urb_run_checkpoint_name (newest);
  g_autofree char *path = g_build_filename (t->run, name, NULL);
  if (newest == 0 && !way->talks)
    return 0;
  assert_file_is_finite (path);
  return newest;
}

/* The run pauses at its last good checkpoint, names the tensor, and can be resumed to the end. */
static void
strike_with_nan (RunTest *t, const Way *way, int rank, int step)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(Supervised) again = supervised_new (t);
  g_autofree char *fault = g_strdup_printf ("%d:%d:nan", rank, step);
  gboolean alone = way->strategy == URB_STRATEGY_HOGWILD || way->strategy == URB_STRATEGY_STREAMS;
  g_autofree char *who = alone
                           ? g_strdup_printf (" of rank %d, first in ", rank)
                           : g_strdup_printf ("Non-finite values in step %d, first in ", step);
  g_auto(Traces) traces = { t, g_ptr_array_new_with_free_func (g_free),
                            g_ptr_array_new_with_free_func (g_free) };
  gint64 newest;
  g_setenv ("URBARIUM_FAULT", fault, TRUE);
  g_assert_false (run (f, way, &traces));
  g_unsetenv ("URBARIUM_FAULT");
  g_assert_error (f->error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED);
  supervised_assert_said (f, who);
  /* A rank that waits for others cannot recompute the step to find where the NaN began, and what ranks
   * divide is gone. */
  supervised_assert_said (f, alone ? "the output dlogits of “loss-pair-d” in loss ("
                             : way->mesh != NULL || urb_strategy_is_pipeline (way->strategy) ? "first in "
                             : urb_strategy_get_zero_level (way->strategy) > 0
                               ? "first in loss_d" : "the gradient of d.2.bias (1 of 1 values)");
  supervised_assert_said (f, "info: paused\n");
  g_assert_cmpint (query (t, "SELECT count(*) FROM event WHERE code = 'diverged' AND level = 'error'"),
                   ==, 1);
  newest = assert_checkpoint_is_finite (t, way);
  g_assert_cmpint (query (t, "SELECT max(step) FROM step"), ==, newest);
  if (!run (again, way, &traces))
    g_error ("%s\n%s", again->error->message, again->events->str);
  assert_complete (t, way->n_steps);
  assert_nothing_left (t, way, &traces);
  g_clear_pointer (&t->folder, urb_run_folder_free);
  run_test_delete (t->run);
}

/* ------------------------------------------------------------------------ */

static void
test_strategy (RunTest *t, gconstpointer data)
{
  const Way *way = data;
  int n = g_test_slow () ? N_SLOW : 1;
  int n_kinds = way->mesh != NULL && strcmp (way->communicator, "mpi") == 0 && !g_test_slow () ? 1 : way->n_kinds;
  g_autofree char *mpirun = g_find_program_in_path ("mpirun");
  if (g_getenv ("URBARIUM_ENGINE") == NULL)
    {
      g_test_skip ("URBARIUM_ENGINE does not name the program");
      return;
    }
  if (strcmp (way->communicator, "mpi") == 0 && (mpirun == NULL || !urb_comm_has_mpi ()))
    {
      g_test_skip ("MPI is not available");
      return;
    }
  /* Each rank in turn, so that none is named by chance.  With streams, only the first one injects
   * faults. */
  for (int i = 0; i < n_kinds; i++)
    for (int k = 0; k < n; k++)
      strike (t, way, kinds[i],
              way->one_process && !way->talks ? 0 : count_ranks (way) - 1 - (i + k) % count_ranks (way),
              7 + k % 15);
  for (int k = 0; k < n; k++) /* after a checkpoint; the last two ranks have logits under each strategy */
    strike_with_nan (t, way, count_ranks (way) - 1 - k % 2, way->n_steps / 4 + k % 15);
}

/* Without rank 0 all restart from a checkpoint; without another rank they continue. */
static void
test_device (RunTest *t, gconstpointer data)
{
  const Way *way = data;
  if (g_getenv ("URBARIUM_ENGINE") == NULL || uk_backend_cuda () == NULL)
    {
      g_test_skip ("URBARIUM_ENGINE is not set, or there is no GPU, real or emulated");
      return;
    }
  for (int i = 0; i < (g_test_slow () ? way->n_kinds : 1); i++)
    for (int rank = 1; rank >= 0; rank--)
      strike (t, way, kinds[i], rank, way->n_steps / 2);
  strike_with_nan (t, way, 1, way->n_steps / 2);
}

/* An invalid fault description has no effect. */
static void
test_parse (void)
{
  static const char *const wrong[] = { "", "1", "1:2", "1:2:", "1:2:fly", "1:2:kill:3", "-1:2:kill",
                                       "1:-2:kill", "x:2:kill", "1::kill", "9999999999:1:kill" };
  int rank;
  gint64 step;
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_cmpint (urb_fault_parse (wrong[i], &rank, &step), ==, URB_FAULT_NONE);
  g_assert_cmpint (urb_fault_parse ("0:7:nan", &rank, &step), ==, URB_FAULT_NAN);
  g_assert_cmpint (urb_fault_parse ("3:812:skip", &rank, &step), ==, URB_FAULT_SKIP);
  g_assert_cmpint (rank, ==, 3);
  g_assert_cmpint (step, ==, 812);
}

int
main (int argc, char **argv)
{
  enum { N_ALL = G_N_ELEMENTS (kinds), N_SILENT = 3, N_KILL = 1 };
  static const char memfd[] = "file_descriptor", named[] = "file_system";
  static const Way hogwild
    = { URB_STRATEGY_HOGWILD, "auto", memfd, FALSE, FALSE, 6000, N_SILENT, NULL };
  static const Way by_name = { URB_STRATEGY_HOGWILD, "auto", named, FALSE, FALSE, 6000, N_KILL, NULL };
  static const Way device
    = { URB_STRATEGY_HOGWILD, "auto", memfd, FALSE, FALSE, 30, N_SILENT, "cuda" };
  static const Way streams = { URB_STRATEGY_STREAMS, "auto", memfd, TRUE, FALSE, 200, N_SILENT, NULL };
  static const Way dp = { URB_STRATEGY_DP, "auto", memfd, TRUE, TRUE, 24, N_ALL, NULL };
  static const Way threads = { URB_STRATEGY_DDP, "threads", memfd, TRUE, TRUE, 24, N_ALL, NULL };
  static const Way mpi = { URB_STRATEGY_DDP, "mpi", memfd, FALSE, TRUE, 24, N_ALL, NULL };
  static const Way zero3 = { URB_STRATEGY_ZERO3, "mpi", memfd, FALSE, TRUE, 24, N_ALL, NULL };
  static const Way pipeline = { URB_STRATEGY_1F1B, "threads", memfd, TRUE, TRUE, 24, N_ALL, NULL };
  static const Way pipeline_mpi = { URB_STRATEGY_1F1B, "mpi", memfd, FALSE, TRUE, 24, N_ALL, NULL };
  static const Way tensor = { URB_STRATEGY_TENSOR, "threads", memfd, TRUE, TRUE, 24, N_ALL, NULL };
  static const Way tensor_mpi = { URB_STRATEGY_TENSOR, "mpi", memfd, FALSE, TRUE, 24, N_ALL, NULL };
  static const Way mesh
    = { URB_STRATEGY_MESH, "threads", memfd, TRUE, TRUE, 24, N_ALL, NULL, "data=2,pipe=2" };
  static const Way mesh_mpi
    = { URB_STRATEGY_MESH, "mpi", memfd, FALSE, TRUE, 24, N_ALL, NULL, "data=2,pipe=2" };
  static const Way cube
    = { URB_STRATEGY_MESH, "threads", memfd, TRUE, TRUE, 24, N_ALL, NULL, "data=2,tensor=2,pipe=2" };
  static const Way cube_mpi
    = { URB_STRATEGY_MESH, "mpi", memfd, FALSE, TRUE, 24, N_ALL, NULL, "data=2,tensor=2,pipe=2" };
  static const Way zero3_threads = { URB_STRATEGY_ZERO3, "threads", memfd, TRUE, TRUE, 24, N_ALL, NULL };
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (prctl (PR_SET_CHILD_SUBREAPER, 1), ==, 0);
  g_test_add_func ("/faults/parse", test_parse);
  run_test_add_with ("/faults/hogwild", test_strategy, &hogwild);
  run_test_add_with ("/faults/hogwild-by-name", test_strategy, &by_name);
  run_test_add_with ("/faults/hogwild-device", test_device, &device);
  run_test_add_with ("/faults/streams", test_strategy, &streams);
  run_test_add_with ("/faults/dp", test_strategy, &dp);
  run_test_add_with ("/faults/ddp/threads", test_strategy, &threads);
  run_test_add_with ("/faults/ddp/mpi", test_strategy, &mpi);
  run_test_add_with ("/faults/zero3/threads", test_strategy, &zero3_threads);
  run_test_add_with ("/faults/zero3/mpi", test_strategy, &zero3);
  run_test_add_with ("/faults/1f1b/threads", test_strategy, &pipeline);
  run_test_add_with ("/faults/1f1b/mpi", test_strategy, &pipeline_mpi);
  run_test_add_with ("/faults/tensor/threads", test_strategy, &tensor);
  run_test_add_with ("/faults/tensor/mpi", test_strategy, &tensor_mpi);
  run_test_add_with ("/faults/mesh/threads", test_strategy, &mesh);
  run_test_add_with ("/faults/mesh/mpi", test_strategy, &mesh_mpi);
  run_test_add_with ("/faults/cube/threads", test_strategy, &cube);
  run_test_add_with ("/faults/cube/mpi", test_strategy, &cube_mpi);
  return g_test_run ();
}
