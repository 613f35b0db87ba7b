/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-kill.c - the real program, killed at 50 random moments.
 *
 * A run of a very small network is killed again and again, its worker or its
 * supervisor, while it starts, trains, saves or draws.  Whatever the moment: no
 * process is left, no torn file, `resume` goes on, and in the end the weights
 * are bit for bit those of a run that was never interrupted.
 *
 * The program is named by URBARIUM_ENGINE.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "dataset/dataset-writer.h"
#include "run-test.h"
#include "train/safetensors.h"

enum { N_KILLS = 50, STEPS_PER_ROUND = 3, N_STEPS = (N_KILLS + 1) * STEPS_PER_ROUND };
enum { N_AREAS = 24, TILE_PX = 16 };

typedef struct
{
  RunTest *test;
  char    *dataset; /* owned */
  char    *preset;  /* owned */
} Fixture;

static void
fixture_clear (Fixture *f)
{
  g_free (f->dataset);
  g_free (f->preset);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

/* ------------------------------------------------------------------------ */
/* What it trains                                                            */

static const char preset[] =
  "[preset]\ntitle=for a "
  "test\nimage-size=16\nlatent=8\nbatch=4\nsteps=100\nlr=0.001\ngamma=1\nema-kimg=1\n"
  "[generator]\n1=dense 8 4 bias lrelu\n2=tconv 8 bias lrelu\n3=tconv image bias head\n"
  "[discriminator]\n1=conv4 8 bias lrelu\n2=conv4 8 bias lrelu\n3=logit bias\n";

static void
draw_tile (guint8 *levels, int which)
{
  for (int y = 0; y < TILE_PX; y++)
    for (int x = 0; x < TILE_PX; x++)
      {
        int class = (x * (which % 5 + 1) + y * (which % 7 + 1)) / 12 % 3;
        for (int c = 0; c < 3; c++)
          levels[(y * TILE_PX + x) * 3 + c] = c == class ? 255 : 0;
      }
}

static void
write_dataset (const char *path)
{
  const UrbDatasetInfo info = { .encoding = URB_ENCODING_RGB,
                                .resolution_px = TILE_PX,
                                .area_size_m = 100 };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDatasetWriter) writer = urb_dataset_writer_new (path, &info, NULL, &error);
  guint8 levels[TILE_PX * TILE_PX * 3];
  g_assert_no_error (error);
  for (int i = 0; i < N_AREAS; i++)
    {
      UrbArea area = {
        .center_x = 1000 * i, .variance = 0.8, .share = { 0.3, 0.3, 0.4 }, .coverage = 1
      };
      draw_tile (levels, i);
      urb_dataset_writer_add_levels (writer, &area, NULL, levels, &error);
      g_assert_no_error (error);
    }
  urb_dataset_writer_finish (writer, &error);
  g_assert_no_error (error);
}

static void
fixture_init (Fixture *f, RunTest *t)
{
  f->test = t;
  f->dataset = g_build_filename (t->base, "areas.gpkg", NULL);
  f->preset = g_build_filename (t->base, "test.preset", NULL);
  write_dataset (f->dataset);
  g_assert_true (g_file_set_contents (f->preset, preset, -1, NULL));
}

/* ------------------------------------------------------------------------ */
/* Processes                                                                 */

/* Its own program: nothing of this process is inherited but stderr. */
static pid_t
spawn (const char *const *argv)
{
  pid_t pid = fork ();
  if (pid == 0)
    {
      execv (argv[0], (char *const *) argv);
      _exit (127);
    }
  g_assert_cmpint (pid, >, 0);
  return pid;
}

static pid_t
start (Fixture *f, const char *run, int round, int n_steps)
{
  const char *engine = g_getenv ("URBARIUM_ENGINE");
  g_autofree char *steps = g_strdup_printf ("%d", n_steps);
  g_autofree char *all = g_strdup_printf ("%d", N_STEPS);
  g_autofree char *config = g_build_filename (run, "run.ini", NULL);
  const char *const train[] = { engine,
                                "train",
                                "--dataset",
                                f->dataset,
                                "--run",
                                run,
                                "--preset",
                                f->preset,
                                "--steps",
                                steps,
                                "--schedule-steps",
                                all,
                                "--threads",
                                "1",
                                "--quiet",
                                "--checkpoint-every",
                                "2",
                                "--sample-every",
                                "3",
                                NULL };
  const char *const resume[] = { engine, "resume", run, "--steps", steps, "--quiet", NULL };
  /* Killed before it was a run: begun again, as a person would. */
  return spawn (g_file_test (config, G_FILE_TEST_EXISTS) ? resume : train);
}

static int
wait_for (pid_t pid)
{
  int status;
  while (waitpid (pid, &status, 0) < 0)
    g_assert_cmpint (errno, ==, EINTR);
  return WIFEXITED (status) ? WEXITSTATUS (status) : -WTERMSIG (status);
}

/* The worker of @supervisor; 0 if it has none now.  (Its one other child is
 * what a sanitizer looks for leaks with, at the very end.) */
static pid_t
find_worker (pid_t supervisor)
{
  g_autofree char *children = g_strdup_printf ("/proc/%d/task/%d/children", (int) supervisor,
                                               (int) supervisor);
  g_autofree char *text = NULL;
  g_autofree char *path = NULL;
  g_autofree char *command = NULL;
  pid_t child;
  gsize n;
  if (!g_file_get_contents (children, &text, NULL, NULL))
    return 0;
  child = (pid_t) g_ascii_strtoll (text, NULL, 10);
  path = g_strdup_printf ("/proc/%d/cmdline", (int) child);
  if (child == 0 || !g_file_get_contents (path, &command, &n, NULL))
    return 0;
  return memmem (command, n, "worker", sizeof "worker") != NULL ? child : 0;
}

/* We are the reaper of orphans: whatever the killed left becomes our child,
 * and must be gone at once. */
static void
assert_no_process_left (void)
{
  gint64 until = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;
  pid_t pid;
  while ((pid = waitpid (-1, NULL, WNOHANG)) >= 0)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      if (pid == 0)
        g_usleep (2000);
    }
  g_assert_cmpint (errno, ==, ECHILD);
}

/* ------------------------------------------------------------------------ */
/* What is left                                                              */

static void
assert_whole_picture (const char *path)
{
  static const guint8 end[] = { 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82 };
  g_autofree char *bytes = NULL;
  gsize n;
  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  g_assert_cmpuint (n, >, sizeof end);
  g_assert_cmpmem (bytes + n - sizeof end, sizeof end, end, sizeof end);
}

static void
assert_whole_checkpoint (const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (path, &error);
  g_assert_no_error (error);
}

static void
assert_whole_files (const char *run, const char *folder, const char *suffix,
                    void (*check) (const char *))
{
  g_autofree char *path = g_build_filename (run, folder, NULL);
  g_autoptr(GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      if (!g_str_has_prefix (name, "step-") || !g_str_has_suffix (name, suffix))
        g_error ("'%s' was left behind", file);
      check (file);
    }
}

static void
assert_nothing_torn (const char *run)
{
  assert_whole_files (run, "checkpoints", ".safetensors", assert_whole_checkpoint);
  assert_whole_files (run, "samples", ".png", assert_whole_picture);
}

static void
assert_no_shared_memory (void)
{
  g_autoptr(GDir) dir = g_dir_open ("/dev/shm", 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_assert_null (strstr (name, "urbarium"));
}

static void
assert_same_tensors (const char *run, const char *other, int step)
{
  g_autofree char *name = urb_run_checkpoint_name (step);
  g_autofree char *path = g_build_filename (run, name, NULL);
  g_autofree char *other_path = g_build_filename (other, name, NULL);
  g_autoptr(UrbSafetensors) a = urb_safetensors_open (path, NULL);
  g_autoptr(UrbSafetensors) b = urb_safetensors_open (other_path, NULL);
  g_assert_nonnull (a);
  g_assert_nonnull (b);
  g_assert_cmpuint (urb_safetensors_get_n_tensors (a), ==, urb_safetensors_get_n_tensors (b));
  g_assert_cmpuint (urb_safetensors_get_n_tensors (a), >, 20);
  for (gsize i = 0; i < urb_safetensors_get_n_tensors (a); i++)
    {
      const UrbTensor *x = urb_safetensors_get_tensor (a, i);
      const UrbTensor *y = urb_safetensors_lookup (b, x->name);
      gsize n = x->type == URB_TENSOR_F64 ? 8 : 4;
      g_assert_nonnull (y);
      for (int d = 0; d < x->n_dims; d++)
        n *= (gsize) x->shape[d];
      g_assert_cmpmem (x->data, n, y->data, n);
    }
}

static gint64
query (const char *run, const char *sql)
{
  g_autofree char *path = g_build_filename (run, "run.db", NULL);
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

/* Every step once, with the same numbers as in the run that was left alone. */
static void
assert_same_history (const char *run, const char *other)
{
  static const char sum[] =
    "SELECT cast(1e9 * sum(step * (loss_d + 3 * loss_g)) AS INTEGER) FROM step";
  g_assert_cmpint (query (run, "SELECT count(*) FROM step"), ==, N_STEPS);
  g_assert_cmpint (query (run, "SELECT count(DISTINCT step) FROM step"), ==, N_STEPS);
  g_assert_cmpint (query (run, "SELECT count(*) FROM sample WHERE step % 3 = 0"), ==,
                   N_STEPS / 3 + 1);
  g_assert_cmpint (query (run, sum), ==, query (other, sum));
}

/* ------------------------------------------------------------------------ */
/* The test                                                                  */

/* One round: starts or resumes, and kills the one or the other on the way. */
static void
kill_once (Fixture *f, GRand *rand, int round, double round_s)
{
  const char *run = f->test->run;
  pid_t supervisor = start (f, run, round, (round + 1) * STEPS_PER_ROUND);
  gulong moment_us = (gulong) (g_rand_double (rand) * round_s * G_USEC_PER_SEC);
  pid_t worker;
  g_usleep (moment_us);
  worker = find_worker (supervisor);
  if (round % 2 == 0 && worker > 0)
    {
      /* The run goes on by itself, to the end of this round. */
      kill (worker, SIGKILL);
      g_assert_cmpint (wait_for (supervisor), ==, 0);
    }
  else
    {
      kill (supervisor, SIGKILL);
      wait_for (supervisor);
    }
  assert_no_process_left ();
  assert_nothing_torn (run);
}

static void
test_kill (RunTest *t, gconstpointer data)
{
  g_auto(Fixture) f = { 0 };
  g_autoptr(GRand) rand = g_rand_new_with_seed (1);
  g_autofree char *reference = g_build_filename (t->base, "reference", NULL);
  g_autofree char *first = g_build_filename (t->base, "first", NULL);
  gint64 begin_us;
  double round_s;
  if (g_getenv ("URBARIUM_ENGINE") == NULL)
    {
      g_test_skip ("URBARIUM_ENGINE does not name the program");
      return;
    }
  g_assert_cmpint (prctl (PR_SET_CHILD_SUBREAPER, 1), ==, 0);
  fixture_init (&f, t);
  g_assert_cmpint (wait_for (start (&f, reference, 0, N_STEPS)), ==, 0);
  begin_us = g_get_monotonic_time ();
  g_assert_cmpint (wait_for (start (&f, first, 0, STEPS_PER_ROUND)), ==, 0);
  round_s = (double) (g_get_monotonic_time () - begin_us) / G_USEC_PER_SEC;
  g_test_message ("a round takes %.3f s", round_s);
  for (int round = 0; round < N_KILLS; round++)
    kill_once (&f, rand, round, round_s);
  g_assert_cmpint (wait_for (start (&f, t->run, N_KILLS, N_STEPS)), ==, 0);
  assert_no_process_left ();
  assert_nothing_torn (t->run);
  assert_no_shared_memory ();
  assert_same_tensors (t->run, reference, N_STEPS);
  assert_same_history (t->run, reference);
}

/* Nobody waits for a detached run; it still dies whole. */
static void
test_detached (RunTest *t, gconstpointer data)
{
  g_auto(Fixture) f = { 0 };
  g_autofree char *lock = g_build_filename (t->run, "lock", NULL);
  g_autofree char *holder = NULL;
  pid_t supervisor, worker;
  if (g_getenv ("URBARIUM_ENGINE") == NULL)
    {
      g_test_skip ("URBARIUM_ENGINE does not name the program");
      return;
    }
  g_assert_cmpint (prctl (PR_SET_CHILD_SUBREAPER, 1), ==, 0);
  fixture_init (&f, t);
  {
    const char *const argv[] = { g_getenv ("URBARIUM_ENGINE"),
                                 "train",
                                 "--dataset",
                                 f.dataset,
                                 "--run",
                                 t->run,
                                 "--preset",
                                 f.preset,
                                 "--steps",
                                 "100000000",
                                 "--threads",
                                 "1",
                                 "--detach",
                                 "--quiet",
                                 NULL };
    g_assert_cmpint (wait_for (spawn (argv)), ==, 0);
  }
  /* It is up already, or the command would not have returned. */
  g_assert_true (g_file_get_contents (lock, &holder, NULL, NULL));
  supervisor = (pid_t) g_ascii_strtoll (holder, NULL, 10);
  worker = find_worker (supervisor);
  g_assert_cmpint (worker, >, 0);
  g_assert_cmpint (kill (supervisor, SIGKILL), ==, 0);
  assert_no_process_left ();
  g_assert_cmpint (kill (worker, 0), ==, -1);
  assert_nothing_torn (t->run);
  /* And what cannot start says so before it leaves. */
  {
    const char *const argv[] = { g_getenv ("URBARIUM_ENGINE"),
                                 "train",
                                 "--dataset",
                                 f.dataset,
                                 "--run",
                                 t->run,
                                 "--preset",
                                 f.preset,
                                 "--batch",
                                 "1000000000",
                                 "--force",
                                 "--detach",
                                 "--quiet",
                                 NULL };
    g_assert_cmpint (wait_for (spawn (argv)), >, 0);
  }
  assert_no_process_left ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/kill/random-moments", test_kill);
  run_test_add ("/kill/detached", test_detached);
  return g_test_run ();
}
