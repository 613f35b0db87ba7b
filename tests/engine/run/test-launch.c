/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-launch.c - ranks started by mpirun: they join, work, leave, and die in
 * every way, which is noticed, reported and survived.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/network.h"
#include "parallel/comm.h"
#include "run/store/launch-session.h"
#include "run/supervisor/launch.h"
#include "run/supervisor/supervisor-private.h"
#include "supervised.h"

static gboolean
can_run (void)
{
  g_autofree char *mpirun = g_find_program_in_path ("mpirun");
  if (mpirun != NULL && urb_comm_has_mpi ())
    return TRUE;
  g_test_skip ("MPI is not available");
  return FALSE;
}

static gboolean
run (Supervised *f, int n_ranks, const char *script, gint64 n_steps)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = supervised_make_options (f);
  options.max_silence_s = 4;
  options.max_step_s = 2;
  supervised_fill_config (f->test, &config, script, n_steps);
  config.train.strategy = URB_STRATEGY_DDP;
  config.train.n_ranks = n_ranks;
  g_free (config.train.communicator);
  config.train.communicator = g_strdup ("mpi");
  supervised_prepare (f, &config, &options);
  return supervised_end (f);
}

/* This process adopts its orphans, which must end at once. */
static void
assert_nothing_left (RunTest *t)
{
  g_autofree char *worker = g_build_filename (t->run, URB_WORKER_SOCKET_NAME, NULL);
  g_autofree char *board = g_build_filename (t->run, URB_BOARD_SOCKET_NAME, NULL);
  run_test_assert_no_process ();
  g_assert_false (g_file_test (worker, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (board, G_FILE_TEST_EXISTS));
}

static void
start_over (RunTest *t)
{
  g_clear_pointer (&t->folder, urb_run_folder_free);
  run_test_delete (t->run);
  run_test_delete (t->base);
  g_assert_cmpint (g_mkdir (t->base, 0700), ==, 0);
}

/* The status of ranks without a link to the supervisor. */
static gboolean
look_cb (gpointer data)
{
  Supervised *f = data;
  g_autoptr(GString) ranks = g_string_new ("[");
  if (f->supervisor == NULL || f->supervisor->board == NULL)
    return G_SOURCE_CONTINUE;
  urb_supervisor_add_ranks (f->supervisor, ranks, NULL, ',');
  if (strstr (ranks->str, "\"memory_bytes\":") != NULL)
    g_string_assign (f->profile, ranks->str);
  return G_SOURCE_CONTINUE;
}

static void
test_memory (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  const char *found;
  guint id;
  if (!can_run ())
    return;
  id = g_timeout_add (2, look_cb, f);
  g_assert_true (run (f, 2, "ms=10", 100));
  g_source_remove (id);
  g_test_message ("%s", f->profile->str);
  found = strstr (f->profile->str, "\"memory_bytes\":");
  g_assert_nonnull (found);
  g_assert_cmpint (g_ascii_strtoll (strchr (found, ':') + 1, NULL, 10), >, 1 << 20);
}

static void
test_finishes (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  if (!can_run ())
    return;
  g_assert_true (run (f, 3, "", 42));
  g_assert_no_error (f->error);
  g_assert_cmpint (f->end, ==, URB_RUN_END_FINISHED);
  supervised_assert_complete (t, 42);
  assert_nothing_left (t);
  g_assert_true (run (f, 2, "", 50));
  supervised_assert_complete (t, 50);
  assert_nothing_left (t);
}

static void
test_survives (RunTest *t, gconstpointer data)
{
  static const struct { const char *script, *says; } deaths[] = {
    { "kill=17,rank=1", "Worker rank 1 (process " },
    { "kill=17,rank=0", "Worker rank 0 (process " },
    { "exit=17,rank=1", "Worker rank 1 (process " },
    { "freeze=17,rank=1", "rank 1 (process " },
    { "freeze=17,rank=0", "because rank 0 " },
    { "kill-launcher=17,rank=1", " was killed by signal 9" },
    { "hang=17,rank=1", "rank 1 (process " },
    { "wrong-count=17,rank=1", "Rank 1 differs from the steps before" },
    { "wrong-count=17,rank=0", "Rank 0 differs from the steps before" },
    { "skip=17,rank=1", "Rank 1 differs from the steps before" },
  };
  if (!can_run ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (deaths); i++)
    {
      g_autoptr(Supervised) f = supervised_new (t);
      gint64 begin_us = g_get_monotonic_time ();
      g_assert_true (run (f, 2, deaths[i].script, 32));
      g_test_message ("%s: %.1f s\n%s", deaths[i].script,
                      (double) (g_get_monotonic_time () - begin_us) / G_USEC_PER_SEC, f->events->str);
      g_assert_cmpint (f->end, ==, URB_RUN_END_FINISHED);
      supervised_assert_said (f, deaths[i].says);
      /* A rank's own end is reported as such; mpirun's end is not reported as rank 0's. */
      if (g_str_has_prefix (deaths[i].script, "freeze")
          || g_str_has_prefix (deaths[i].script, "kill-launcher"))
        {
          supervised_assert_said (f, "mpirun (process ");
          g_assert_null (strstr (f->events->str, "Worker rank"));
        }
      /* Usually 10; stopped ranks continue for a moment while mpirun ends them. */
      supervised_assert_said (f, "The run continues from the checkpoint of step ");
      supervised_assert_complete (t, 32);
      assert_nothing_left (t);
      start_over (t);
    }
}

/* All files shared by ranks were in the folder of their launch, and are deleted with it, although
 * all processes that could have cleaned up were killed. */
static void
test_killed_launcher (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autofree char *path = g_build_filename (t->base, "maps", NULL), *maps = NULL;
  g_autofree char *link = g_build_filename (t->run, "mpi-session", NULL);
  g_auto(GStrv) lines = NULL;
  int n = 0;
  if (!can_run ())
    return;
  if (!run (f, 2, "kill-launcher=17,rank=1", 32))
    g_error ("%s\n%s", f->error->message, f->events->str);
  supervised_assert_said (f, "mpirun (process ");
  supervised_assert_complete (t, 32);
  assert_nothing_left (t);
  g_assert_true (g_file_get_contents (path, &maps, NULL, NULL));
  lines = g_strsplit (maps, "\n", -1);
  for (int i = 0; lines[i] != NULL; i++)
    {
      const char *file = strchr (lines[i], '/');
      if (file == NULL || strstr (file, ".so") != NULL
          || (strstr (file, "ompi") == NULL && strstr (file, "_segment") == NULL
              && strstr (file, "/urb-ranks-") == NULL))
        continue;
      g_test_message ("%s", file);
      g_assert_nonnull (strstr (file, "/urb-ranks-"));
      g_assert_false (g_file_test (file, G_FILE_TEST_EXISTS));
      n++;
    }
  g_assert_cmpint (n, >, 0);
  g_assert_false (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
}

/* The next supervisor removes what a killed one left, and nothing else, whatever the link points
 * to. */
static void
test_session (RunTest *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *first = NULL, *second = NULL, *third = NULL, *last = NULL;
  g_autofree char *deep = NULL, *file = NULL;
  g_autofree char *link = g_build_filename (t->run, "mpi-session", NULL);
  g_autofree char *other = g_build_filename (t->base, "urb-ranks-other", NULL);
  int lock = -1;
  g_auto(GStrv) environment = NULL;
  t->folder = urb_run_folder_create (t->run, URB_RUN_FOLDER_NEW, &error);
  g_assert_no_error (error);
  first = urb_launch_session_new (urb_run_folder_get_fd (t->folder), 2, &lock, &error);
  close (lock);
  g_assert_nonnull (first);
  deep = g_build_filename (first, "ompi.ada.0", "pid.4711", NULL);
  file = g_build_filename (deep, "segment", NULL);
  g_assert_cmpint (g_mkdir_with_parents (deep, 0700), ==, 0);
  g_assert_cmpint (symlink (t->base, file), ==, 0);
  second = urb_launch_session_new (urb_run_folder_get_fd (t->folder), 2, &lock, &error);
  close (lock);
  g_assert_cmpstr (first, !=, second);
  g_assert_false (g_file_test (first, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (second, G_FILE_TEST_IS_DIR));
  urb_launch_session_sweep (urb_run_folder_get_fd (t->folder));
  g_assert_false (g_file_test (second, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  g_assert_true (g_file_test (t->base, G_FILE_TEST_IS_DIR));
  /* More ranks than any machine supports. */
  g_assert_null (urb_launch_session_new (urb_run_folder_get_fd (t->folder), G_MAXINT, &lock, &error));
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER);
  g_clear_error (&error);
  g_assert_false (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  third = urb_launch_session_new (urb_run_folder_get_fd (t->folder), 2, &lock, &error);
  close (lock);
  urb_launch_session_sweep_path (t->run);
  g_assert_false (g_file_test (third, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  g_assert_cmpint (g_mkdir (other, 0755), ==, 0);
  g_assert_cmpint (g_chmod (other, 0755), ==, 0); /* not private, so not ours */
  g_assert_cmpint (symlink (other, link), ==, 0);
  urb_launch_session_sweep (urb_run_folder_get_fd (t->folder));
  g_assert_true (g_file_test (other, G_FILE_TEST_IS_DIR));
  g_assert_cmpint (g_rmdir (other), ==, 0);
  /* A new run is not refused because of it, nor is the old run's kept. */
  last = urb_launch_session_new (urb_run_folder_get_fd (t->folder), 2, &lock, &error);
  close (lock);
  g_clear_pointer (&t->folder, urb_run_folder_free);
  t->folder = urb_run_folder_create (t->run, URB_RUN_FOLDER_NEW, &error);
  g_assert_no_error (error);
  g_assert_false (g_file_test (last, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  environment = g_environ_setenv (g_new0 (char *, 1), "PRTE_MCA_prte_tmpdir_base", "/own", TRUE);
  environment = urb_launch_session_add (environment, "/s");
  g_assert_cmpstr (g_environ_getenv (environment, "OMPI_MCA_orte_tmpdir_base"), ==, "/s");
  g_assert_cmpstr (g_environ_getenv (environment, "PRTE_MCA_prte_tmpdir_base"), ==, "/own");
}

/* ------------------------------------------------------------------------ */
/* What others could reach                                                   */

/* The inodes of sockets that listen where another machine may connect. */
static GHashTable *
list_open_ports (void)
{
  static const char *const files[] = { "/proc/net/tcp", "/proc/net/tcp6" };
  GHashTable *inodes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *text = NULL;
      g_auto(GStrv) lines = NULL;
      g_assert_true (g_file_get_contents (files[i], &text, NULL, NULL));
      lines = g_strsplit (text, "\n", -1);
      for (int l = 1; lines[l] != NULL; l++)
        {
          char local[64], state[8], inode[32];
          if (sscanf (lines[l], "%*s %63s %*s %7s %*s %*s %*s %*s %*s %31s", local, state, inode) == 3
              && strcmp (state, "0A") == 0 && !g_str_has_prefix (local, "0100007F:"))
            g_hash_table_add (inodes, g_strdup_printf ("socket:[%s]", inode));
        }
    }
  return inodes;
}

static gboolean
is_below (pid_t pid, pid_t ancestor)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int) pid), *text = NULL;
  int parent = 0;
  if (pid == ancestor)
    return TRUE;
  if (pid <= 1 || !g_file_get_contents (path, &text, NULL, NULL)
      || sscanf (strrchr (text, ')'), ") %*c %d", &parent) != 1)
    return FALSE;
  return is_below (parent, ancestor);
}

typedef struct
{
  int n_processes, n_open; /* processes of the run; their sockets that others can reach */
} Exposure;

static void
look_at_process (Exposure *self, const char *name, GHashTable *inodes)
{
  g_autofree char *folder = g_build_filename ("/proc", name, "fd", NULL);
  g_autoptr(GDir) dir = NULL;
  const char *file;
  if (!g_ascii_isdigit (*name) || atoi (name) == getpid () || !is_below (atoi (name), getpid ()))
    return;
  self->n_processes++;
  dir = g_dir_open (folder, 0, NULL);
  while (dir != NULL && (file = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, file, NULL);
      g_autofree char *target = g_file_read_link (path, NULL);
      self->n_open += target != NULL && g_hash_table_contains (inodes, target);
    }
}

static gboolean
look_at_ports_cb (gpointer data)
{
  Exposure *self = data, now = { 0 };
  g_autoptr(GHashTable) inodes = list_open_ports ();
  g_autoptr(GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;
  while ((name = g_dir_read_name (dir)) != NULL)
    look_at_process (&now, name, inodes);
  self->n_processes = MAX (self->n_processes, now.n_processes);
  self->n_open = MAX (self->n_open, now.n_open);
  return G_SOURCE_CONTINUE;
}

/* Ranks of one machine listen where nobody else can connect, even if the user has chosen an interface. */
static void
test_ports (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  Exposure exposure = { 0 };
  guint id;
  if (!can_run ())
    return;
  if (!urb_loopback_is_available ())
    {
      g_test_skip ("the kernel gives no network namespace");
      return;
    }
  g_setenv ("OMPI_MCA_oob_tcp_if_include", "no-such-interface", TRUE);
  id = g_timeout_add (20, look_at_ports_cb, &exposure);
  g_assert_true (run (f, 2, "ms=10", 100));
  g_source_remove (id);
  g_unsetenv ("OMPI_MCA_oob_tcp_if_include");
  g_assert_cmpint (exposure.n_processes, >=, 3);
  g_assert_cmpint (exposure.n_open, ==, 0);
}

/* What the caller was going to read is still there. */
static void
test_input (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  int before = dup (STDIN_FILENO), fds[2];
  char text[16] = "";
  if (!can_run ())
    return;
  g_assert_cmpint (pipe (fds), ==, 0);
  g_assert_cmpint (write (fds[1], "next command", 12), ==, 12);
  g_assert_cmpint (dup2 (fds[0], STDIN_FILENO), ==, STDIN_FILENO);
  g_assert_true (run (f, 2, "ms=5", 40));
  g_assert_cmpint (read (STDIN_FILENO, text, sizeof text), ==, 12);
  g_assert_cmpstr (text, ==, "next command");
  dup2 (before, STDIN_FILENO);
  close (before);
  close (fds[0]);
  close (fds[1]);
}

/* The run folder was deleted, and with it the link: what a dead supervisor left is removed by any other
 * run, what a living one uses is not. */
static void
test_orphans (RunTest *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *session = NULL, *file = NULL;
  int lock;
  t->folder = urb_run_folder_create (t->run, URB_RUN_FOLDER_NEW, &error);
  g_assert_no_error (error);
  session = urb_launch_session_new (urb_run_folder_get_fd (t->folder), 2, &lock, &error);
  g_assert_no_error (error);
  file = g_build_filename (session, "segment", NULL);
  g_assert_true (g_file_set_contents (file, "x", 1, NULL));
  run_test_delete (t->run);
  urb_launch_session_sweep_all ();
  g_assert_true (g_file_test (file, G_FILE_TEST_EXISTS));
  close (lock);
  urb_launch_session_sweep_all ();
  g_assert_false (g_file_test (session, G_FILE_TEST_EXISTS));
}

static void
test_interrupted (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(GArray) checkpoints = NULL;
  if (!can_run ())
    return;
  f->interrupt_step = 25;
  g_assert_true (run (f, 2, "ms=5", 100000));
  g_assert_cmpint (f->end, ==, URB_RUN_END_INTERRUPTED);
  assert_nothing_left (t);
  checkpoints = urb_run_folder_list_checkpoints (t->run);
  g_assert_cmpuint (checkpoints->len, >, 0);
  supervised_assert_complete (t, g_array_index (checkpoints, gint64, checkpoints->len - 1));
}

/* In the middle of the training. */
static void
test_interrupted_twice (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  if (!can_run ())
    return;
  supervised_interrupt_hung (f);
  g_assert_true (run (f, 2, "hang=12,rank=1", 32));
  g_assert_cmpint (f->end, ==, URB_RUN_END_KILLED);
  assert_nothing_left (t);
}

static void
test_no_mpirun (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autofree char *path = g_strdup (g_getenv ("PATH"));
  g_setenv ("PATH", t->base, TRUE);
  g_assert_false (run (f, 2, "", 32));
  g_setenv ("PATH", path, TRUE);
  g_assert_error (f->error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER);
  g_assert_nonnull (strstr (f->error->message, "openmpi-bin"));
}

/* A fake mpirun that only does this. */
static void
set_mpirun (RunTest *t, const char *script)
{
  g_autofree char *program = g_build_filename (t->base, "mpirun", NULL);
  g_autofree char *text = g_strdup_printf ("#!/bin/sh\n%s\n", script);
  g_autofree char *path = g_strdup_printf ("%s:%s", t->base, g_getenv ("PATH"));
  g_assert_true (g_file_set_contents (program, text, -1, NULL));
  g_assert_cmpint (g_chmod (program, 0700), ==, 0);
  g_setenv ("PATH", path, TRUE);
}

/* An unreachable host: only mpirun knows why; the run is restarted once, not five times. */
static void
test_nobody_comes (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autofree char *path = g_strdup (g_getenv ("PATH"));
  g_autofree char *log = g_build_filename (t->run, "log", NULL), *said = NULL;
  g_auto(GStrv) restarts = NULL;
  set_mpirun (t, "echo 'ssh: Could not resolve hostname there.example'; exit 255");
  g_assert_false (run (f, 2, "", 32));
  g_setenv ("PATH", path, TRUE);
  g_test_message ("%s", f->events->str);
  g_assert_error (f->error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER);
  g_assert_nonnull (strstr (f->error->message, "mpirun exited with code 255 before any rank "
                                               "started"));
  g_assert_nonnull (strstr (f->error->message, log));
  g_assert_null (strstr (f->events->str, "Worker rank"));
  supervised_assert_said (f, log);
  restarts = g_strsplit (f->events->str, "The run continues from", -1);
  g_assert_cmpuint (g_strv_length (restarts), ==, 2);
  g_assert_true (g_file_get_contents (log, &said, NULL, NULL));
  g_assert_nonnull (strstr (said, "ssh: Could not resolve"));
}

/* "here.example" in the hosts file is this machine only by its full name, and an X server that ends ends nothing. */
static void
test_environment (RunTest *t, gconstpointer data)
{
  static const char *const argv[] = { "/proc/self/exe", "worker", NULL };
  static const struct { const char *key, *value; } habits[] = {
    { "OMPI_MCA_orte_keep_fqdn_hostnames", "1" }, { "PRTE_MCA_prte_keep_fqdn_hostnames", "1" },
    { "HWLOC_COMPONENTS", "-gl" },
  };
  g_autofree char *path = g_strdup (g_getenv ("PATH"));
  g_autoptr(UrbBoard) board = urb_board_new (2, NULL);
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(GError) error = NULL;
  t->folder = urb_run_folder_create (t->run, URB_RUN_FOLDER_NEW, &error);
  g_assert_no_error (error);
  supervised_fill_config (t, &config, "", 1);
  config.train.n_ranks = 2;
  set_mpirun (t, "exit 0");
  for (int own = 0; own < 2; own++)
    for (gsize i = 0; i < G_N_ELEMENTS (habits); i++)
      {
        g_autoptr(UrbLaunch) launch = NULL;
        char **environment;
        if (own)
          g_setenv (habits[i].key, "0", TRUE);
        else
          g_unsetenv (habits[i].key);
        launch = urb_launch_new (t->folder, &config, board, argv, NULL, NULL, &error);
        g_assert_no_error (error);
        environment = (char **) urb_launch_get_environment (launch);
        g_assert_cmpstr (g_environ_getenv (environment, habits[i].key), ==, own ? "0" : habits[i].value);
        g_unsetenv (habits[i].key);
      }
  g_setenv ("PATH", path, TRUE);
}

/* As Open MPI 4.1 and 5 print it. */
static void
test_culprit (void)
{
  static const struct { const char *said; int rank; const char *how, *host; } cases[] = {
    { "--------\nmpirun noticed that process rank 1 with PID 0 on node ada exited on signal 9 "
      "(Killed).\n---", 1, "was killed by signal 9", "ada" },
    { "prterun noticed that process rank 12 with PID 4711 on node ada-7 exited on\nsignal 11 "
      "(Segmentation fault).\n", 12, "was killed by signal 11", "ada-7" },
    { "mpirun detected that one or more processes exited with non-zero status, thus causing\n"
      "the job to be terminated. The first process to do so was:\n\n"
      "  Process name: [[8212,1],3]\n  Exit code:    7\n", 3, "exited with code 7", NULL },
    { "   Process name: [prterun-ada-4711@1,2] Exit code:    1\n", 2, "exited with code 1", NULL },
    { "nothing of the kind, rank 3 \xff\xfe", -1, NULL, NULL },
    { "", -1, NULL, NULL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *how = NULL, *host = NULL;
      int rank = -1;
      g_assert_cmpint (urb_launch_find_culprit (cases[i].said, &rank, &how, &host), ==,
                       cases[i].how != NULL);
      g_assert_cmpint (rank, ==, cases[i].rank);
      g_assert_cmpstr (how, ==, cases[i].how);
      g_assert_cmpstr (host, ==, cases[i].host);
    }
}

static void
test_lost_host (void)
{
  g_autofree char *lost = urb_launch_find_lost_host (
    "ORTE has lost communication with a remote daemon.\n\n"
    "  HNP daemon   : [[54277,0],0] on node ada\n"
    "  Remote daemon: [[54277,0],1] on node 10.0.0.2\n\nThis is usually due to");
  g_autofree char *none = urb_launch_find_lost_host ("Remote daemon: [[1,0],1] on node ada");
  g_assert_cmpstr (lost, ==, "10.0.0.2");
  g_assert_null (none);
}

static void
test_elsewhere (void)
{
  g_autoptr(GError) error = NULL;
  g_assert_false (urb_launch_is_elsewhere ("Rank 0: No run is active in 'x'", &error));
  g_assert_no_error (error);
  g_assert_true (urb_launch_is_elsewhere (
    "Rank 0: The first rank must run where the run was started. No run is active in 'x'\n", &error));
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER);
}

static void
test_wanted (void)
{
  static const struct { UrbStrategy strategy; int n; const char *communicator, *hosts; gboolean is; }
  cases[] = {
    { URB_STRATEGY_DDP, 2, "mpi", NULL, TRUE },      { URB_STRATEGY_DDP, 1, "mpi", NULL, FALSE },
    { URB_STRATEGY_DDP, 2, "auto", NULL, FALSE },    { URB_STRATEGY_DDP, 2, "auto", "/hosts", TRUE },
    { URB_STRATEGY_DDP, 2, "threads", "/h", FALSE }, { URB_STRATEGY_DP, 2, "mpi", NULL, FALSE },
    { URB_STRATEGY_SINGLE, 1, "auto", "/h", FALSE },
  };
  g_unsetenv ("SLURM_JOB_ID");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      UrbRunConfig config = { .hosts = (char *) cases[i].hosts };
      config.train.strategy = cases[i].strategy;
      config.train.n_ranks = cases[i].n;
      config.train.communicator = (char *) cases[i].communicator;
      g_assert_cmpint (urb_launch_is_wanted (&config), ==, cases[i].is);
    }
  {
    UrbRunConfig config = { .train = { .strategy = URB_STRATEGY_DDP, .n_ranks = 2,
                                       .communicator = (char *) "auto" } };
    g_setenv ("SLURM_JOB_ID", "17", TRUE);
    g_assert_true (urb_launch_is_wanted (&config));
    g_unsetenv ("SLURM_JOB_ID");
  }
}

int
main (int argc, char **argv)
{
  int code = fake_job_main (argc, argv, &fake_job);
  if (code >= 0)
    return code;
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (prctl (PR_SET_CHILD_SUBREAPER, 1), ==, 0);
  g_test_add_func ("/launch/culprit", test_culprit);
  g_test_add_func ("/launch/elsewhere", test_elsewhere);
  g_test_add_func ("/launch/lost-host", test_lost_host);
  g_test_add_func ("/launch/wanted", test_wanted);
  run_test_add ("/launch/no-mpirun", test_no_mpirun);
  run_test_add ("/launch/nobody-comes", test_nobody_comes);
  run_test_add ("/launch/environment", test_environment);
  run_test_add ("/launch/memory", test_memory);
  run_test_add ("/launch/finishes", test_finishes);
  run_test_add ("/launch/survives", test_survives);
  run_test_add ("/launch/killed-launcher", test_killed_launcher);
  run_test_add ("/launch/session", test_session);
  run_test_add ("/launch/orphans", test_orphans);
  run_test_add ("/launch/ports", test_ports);
  run_test_add ("/launch/input", test_input);
  run_test_add ("/launch/interrupted", test_interrupted);
  run_test_add ("/launch/interrupted-twice", test_interrupted_twice);
  return g_test_run ();
}
