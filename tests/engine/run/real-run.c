/* SPDX-License-Identifier: Apache-2.0 */
/*
 * real-run.c - see real-run.h.
 */
#include "real-run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "made-up-tiles.h"
#include "train/safetensors.h"

enum { N_AREAS = 24, TILE_PX = 16, TOLD_WITHIN_S = 10 };

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
      made_up_tile_add (writer, &info, &area, NULL, levels, &error);
      g_assert_no_error (error);
    }
  urb_dataset_writer_finish (writer, &error);
  g_assert_no_error (error);
}

gboolean
real_run_init (RealRun *self, RunTest *t, int n_steps)
{
  if (g_getenv ("URBARIUM_ENGINE") == NULL)
    {
      g_test_skip ("URBARIUM_ENGINE does not name the program");
      return FALSE;
    }
  g_assert_cmpint (prctl (PR_SET_CHILD_SUBREAPER, 1), ==, 0);
  self->dataset = g_build_filename (t->base, "areas.gpkg", NULL);
  self->preset = g_build_filename (t->base, "test.preset", NULL);
  self->said = g_build_filename (t->base, "said", NULL);
  self->n_steps = n_steps;
  write_dataset (self->dataset);
  g_assert_true (g_file_set_contents (self->preset, preset, -1, NULL));
  return TRUE;
}

gboolean
real_run_init_beside (RealRun *self, RunTest *t, int n_steps)
{
  if (!real_run_init (self, t, n_steps))
    return FALSE;
  self->reference = g_build_filename (t->base, "reference", NULL);
  real_run_finish (self, self->reference, n_steps);
  return TRUE;
}

void
real_run_clear (RealRun *self)
{
  g_free (self->reference);
  g_free (self->dataset);
  g_free (self->preset);
  g_free (self->said);
}

/* ------------------------------------------------------------------------ */
/* Processes                                                                 */

/* Inherits nothing from this process, and its output is not TAP. */
pid_t
real_run_spawn (RealRun *self, const char *const *argv)
{
  pid_t pid = fork ();
  if (pid == 0)
    {
      int fd = open (self->said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
      int nowhere = open ("/dev/null", O_WRONLY | O_CLOEXEC);
      dup2 (fd, STDERR_FILENO);
      dup2 (nowhere, STDOUT_FILENO);
      if (self->prepare != NULL)
        self->prepare (self->value);
      execv (argv[0], (char *const *) argv);
      _exit (127);
    }
  g_assert_cmpint (pid, >, 0);
  return pid;
}

pid_t
real_run_start (RealRun *self, const char *run, int n_steps)
{
  const char *engine = g_getenv ("URBARIUM_ENGINE");
  g_autofree char *steps = g_strdup_printf ("%d", n_steps);
  g_autofree char *all = g_strdup_printf ("%d", self->n_steps);
  g_autofree char *config = g_build_filename (run, "run.ini", NULL);
  const char *const train[] = {
    engine, "train", "--dataset", self->dataset, "--run", run, "--preset", self->preset, "--steps",
    steps, "--schedule-steps", all, "--threads", "1", "--quiet", "--checkpoint-every", "2",
    "--sample-every", "3", NULL,
  };
  const char *const resume[] = { engine, "resume", run, "--steps", steps, "--quiet", NULL };
  g_autoptr(GPtrArray) argv = g_ptr_array_new ();
  /* Killed before the run existed: started again, as a user would. */
  if (g_file_test (config, G_FILE_TEST_EXISTS))
    return real_run_spawn (self, resume);
  for (int i = 0; train[i] != NULL; i++)
    g_ptr_array_add (argv, (gpointer) train[i]);
  for (int i = 0; self->more != NULL && self->more[i] != NULL; i++)
    g_ptr_array_add (argv, (gpointer) self->more[i]);
  g_ptr_array_add (argv, NULL);
  return real_run_spawn (self, (const char *const *) argv->pdata);
}

/* The database is whole once the run is in this state. */
static gboolean
has_steps (const char *run)
{
  g_autofree char *log = g_build_filename (run, "log", NULL);
  g_autofree char *said = NULL, *newest = NULL;
  if (g_file_get_contents (log, &said, NULL, NULL) && strstr (said, "info: running") != NULL)
    newest = real_run_query_text (run, "SELECT max(step) FROM step");
  return newest != NULL;
}

void
real_run_wait_for_steps (const char *run)
{
  enum { WAIT_S = 30 };
  gint64 until = g_get_monotonic_time () + WAIT_S * G_USEC_PER_SEC;
  while (!has_steps (run))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      g_usleep (5000);
    }
}

int
real_run_wait (pid_t pid)
{
  int status;
  while (waitpid (pid, &status, 0) < 0)
    g_assert_cmpint (errno, ==, EINTR);
  return WIFEXITED (status) ? WEXITSTATUS (status) : -WTERMSIG (status);
}

static char *
read_said (RealRun *self)
{
  char *said = NULL;
  g_assert_true (g_file_get_contents (self->said, &said, NULL, NULL));
  return said;
}

void
real_run_finish (RealRun *self, const char *run, int n_steps)
{
  int code = real_run_wait (real_run_start (self, run, n_steps));
  g_autofree char *said = read_said (self);
  if (code != 0)
    g_error ("the run ended with %d: %s", code, said);
}

char *
real_run_fail (RealRun *self, pid_t pid)
{
  gint64 begin_us = g_get_monotonic_time ();
  int code = real_run_wait (pid);
  char *said = read_said (self);
  double took_s = (double) (g_get_monotonic_time () - begin_us) / G_USEC_PER_SEC;
  g_test_message ("%d after %.1f s: %s", code, took_s, g_strstrip (said));
  /* A library may start, and end the process, before main () can name the program. */
  if (code < 0 && strstr (said, "std::bad_alloc") == NULL)
    g_error ("signal %d ended it: %s", -code, said);
  g_assert_cmpfloat (took_s, <, TOLD_WITHIN_S);
  if (code != 0)
    g_assert_cmpstr (said, !=, "");
  return said;
}

/* (Its other child is the leak checker of a sanitizer, at the very end.) */
pid_t
real_run_find_worker (pid_t supervisor)
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

void
real_run_assert_nothing_torn (const char *run)
{
  assert_whole_files (run, "checkpoints", ".safetensors", assert_whole_checkpoint);
  assert_whole_files (run, "samples", ".png", assert_whole_picture);
}

void
real_run_assert_nothing_left (const char *run)
{
  static const char *const sockets[] = { "control.sock", "worker.sock", "board.sock", "mpi-session" };
  g_autoptr(GDir) dir = g_dir_open (run, 0, NULL);
  const char *name;
  for (gsize i = 0; i < G_N_ELEMENTS (sockets); i++)
    {
      g_autofree char *path = g_build_filename (run, sockets[i], NULL);
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS)
                      || g_file_test (path, G_FILE_TEST_IS_SYMLINK));
    }
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_assert_false (name[0] == '.');
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

char *
real_run_query_text (const char *run, const char *sql)
{
  g_autofree char *path = g_build_filename (run, "run.db", NULL);
  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL;
  char *text;
  g_assert_cmpint (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL), ==, SQLITE_OK);
  text = sqlite3_step (statement) == SQLITE_ROW
           ? g_strdup ((const char *) sqlite3_column_text (statement, 0)) : NULL;
  sqlite3_finalize (statement);
  sqlite3_close (db);
  return text;
}

gint64
real_run_query (const char *run, const char *sql)
{
  g_autofree char *text = real_run_query_text (run, sql);
  g_assert_nonnull (text);
  return g_ascii_strtoll (text, NULL, 10);
}

/* Every step once, with the same metrics as in the undisturbed run. */
static void
assert_same_history (RealRun *self, const char *run)
{
  static const char sum[] =
    "SELECT cast(1e9 * sum(step * (loss_d + 3 * loss_g)) AS INTEGER) FROM step";
  g_assert_cmpint (real_run_query (run, "SELECT count(*) FROM step"), ==, self->n_steps);
  g_assert_cmpint (real_run_query (run, "SELECT count(DISTINCT step) FROM step"), ==, self->n_steps);
  g_assert_cmpint (real_run_query (run, sum), ==, real_run_query (self->reference, sum));
}

void
real_run_assert_undisturbed (RealRun *self, const char *run)
{
  run_test_assert_no_process ();
  real_run_assert_nothing_torn (run);
  real_run_assert_nothing_left (run);
  assert_same_tensors (run, self->reference, self->n_steps);
  assert_same_history (self, run);
}
