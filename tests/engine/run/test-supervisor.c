/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-supervisor.c - a supervisor with a scripted worker that finishes, dies,
 * hangs, freezes or diverges.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "supervised.h"

static void
test_finishes (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(History) h = { 0 };
  g_autoptr(GArray) checkpoints = NULL;
  g_assert_true (supervised_run (f, "", 42));
  g_assert_cmpint (f->end, ==, URB_RUN_END_FINISHED);
  supervised_assert_complete (t, 42);
  supervised_read_history (t, &h);
  g_assert_cmpint (h.n_samples, ==, 1 + 8 + 1); /* untrained, every 5 steps, the last */
  g_assert_cmpint (h.n_checkpoints, ==, 5);
  g_assert_cmpint (h.n_sessions, ==, 1);
  checkpoints = urb_run_folder_list_checkpoints (t->run);
  g_assert_cmpuint (checkpoints->len, ==, 3);
  g_assert_cmpint (g_array_index (checkpoints, gint64, 0), ==, 30);
  g_assert_cmpint (g_array_index (checkpoints, gint64, 2), ==, 42);
}

static void
test_extended (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_assert_true (supervised_run (f, "", 10));
  supervised_assert_complete (t, 10);
  g_assert_true (supervised_run (f, "", 25));
  g_assert_cmpint (f->end, ==, URB_RUN_END_FINISHED);
  supervised_assert_complete (t, 25);
}

/* Each way of dying is reported, and the run continues to the same result. */
static void
test_survives (RunTest *t, gconstpointer data)
{
  static const struct { const char *script, *says; } deaths[] = {
    { "kill=17", "was killed by signal 9, probably out of memory" },
    { "abort=17", "was killed by signal 6 (Aborted)" },
    { "exit=17", "exited with code 3\n" },
    { "memory=17", "ran out of memory; its last output was “a library: there is no memory”" },
    { "kill=3", "The run continues from the beginning" },
    { "full=20", "No space left on device" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (deaths); i++)
    {
      g_autoptr(Supervised) f = supervised_new (t);
      g_assert_true (supervised_run (f, deaths[i].script, 32));
      g_assert_cmpint (f->end, ==, URB_RUN_END_FINISHED);
      supervised_assert_said (f, deaths[i].says);
      if (strstr (deaths[i].script, "full") == NULL)
        supervised_assert_said (f, "Worker rank 0 (process ");
      supervised_assert_complete (t, 32);
      g_clear_pointer (&t->folder, urb_run_folder_free);
      run_test_delete (t->run);
      run_test_delete (t->base);
      g_assert_cmpint (g_mkdir (t->base, 0700), ==, 0);
    }
}

static void
test_gives_up (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(GArray) checkpoints = NULL;
  g_assert_false (supervised_run (f, "kill-always=15", 32));
  g_assert_error (f->error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER);
  g_assert_nonnull (strstr (f->error->message, "restarted 3 times"));
  g_assert_nonnull (strstr (f->error->message, "killed by signal 9"));
  checkpoints = urb_run_folder_list_checkpoints (t->run);
  g_assert_cmpuint (checkpoints->len, ==, 1);
  /* What was saved before is still there. */
  g_assert_true (supervised_run (f, "", 32));
  supervised_assert_complete (t, 32);
}

static void
test_device_error (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_assert_false (supervised_run (f, "device=5", 32));
  g_assert_error (f->error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DEVICE);
  g_assert_nonnull (strstr (f->error->message, "the device is on fire"));
}

static void
test_refused (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_assert_false (supervised_run (f, "refuse=1", 32));
  g_assert_error (f->error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
  g_assert_null (strstr (f->events->str, "restart"));
}

/* A failed save is not tried again. */
static void
test_full_at_the_end (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_assert_false (supervised_run (f, "full=32", 32));
  g_assert_error (f->error, G_FILE_ERROR, G_FILE_ERROR_NOSPC);
  g_assert_null (strstr (f->events->str, "restart"));
  g_assert_null (strstr (f->events->str, "continues from"));
  g_assert_true (supervised_run (f, "", 32));
  supervised_assert_complete (t, 32);
}

static void
test_diverged (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_assert_false (supervised_run (f, "diverge=27", 32));
  g_assert_error (f->error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED);
  g_assert_nonnull (strstr (f->error->message, "The loss of step 27 is not a number. The run is "
                                               "paused at the checkpoint of step 20. “resume "
                                               "--from-good” goes back to the checkpoint of step 20"));
  g_assert_true (supervised_run (f, "", 32));
  supervised_assert_complete (t, 32);
}

/* The records of thinned grids go with their files. */
static void
test_thins_samples (RunTest *t, gconstpointer data)
{
  enum { N_STEPS = 300 };
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(UrbRunConfig) config = { 0 };
  g_auto(History) h = { 0 };
  UrbSupervisorOptions options = supervised_make_options (f);
  int n_files = 0;
  supervised_fill_config (t, &config, "", N_STEPS);
  config.sample_every = 1;
  supervised_prepare (f, &config, &options);
  supervised_finish (f);
  supervised_read_history (t, &h);
  for (gint64 step = 0; step <= N_STEPS; step++)
    {
      g_autofree char *name = urb_run_sample_name (step), *path = g_build_filename (t->run, name, NULL);
      n_files += g_file_test (path, G_FILE_TEST_EXISTS);
    }
  g_assert_cmpint (n_files, ==, h.n_samples);
  g_assert_cmpint (n_files, <=, urb_run_count_kept_samples (N_STEPS + 1));
  g_assert_cmpint (n_files, >, 60);
  g_assert_null (strstr (f->events->str, "sample grid"));
}

/* Told once, and the checkpoint from before is kept, also by later sessions that begin with an exploded
 * one; such a run does not end with success. */
static void
test_explodes (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(GArray) steps = NULL;
  for (int session = 0; session < 2; session++)
    {
      const char *said;
      g_assert_false (supervised_run (f, "explode=27", 72 + 20 * session));
      g_assert_error (f->error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED);
      g_assert_nonnull (strstr (f->error->message, "All steps are done, and the cities are worthless. "));
      g_assert_nonnull (strstr (f->error->message, "goes back to the checkpoint of step 20, which is kept"));
      g_clear_error (&f->error);
      said = strstr (f->events->str, "warning: The training explodes: the discriminator's logits have grown to 1e+09");
      g_assert_nonnull (said);
      g_assert_null (strstr (said + 1, "warning: The training explodes"));
      g_assert_cmpint (urb_run_folder_get_mark (t->run, URB_RUN_GOOD), ==, 20);
      g_string_truncate (f->events, 0);
    }
  steps = urb_run_folder_list_checkpoints (t->run);
  g_assert_cmpint (g_array_index (steps, gint64, 0), ==, 20);
  g_assert_cmpint (g_array_index (steps, gint64, 1), >, 60);
}

/* One warning, and one event when it is over; training continues. */
static void
test_alike (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  const char *warning, *over;
  g_assert_true (supervised_run (f, "alike=20", 42));
  warning = strstr (f->events->str, "warning: The samples have become too similar: they differ "
                                    "from each other 0.05 times as much as real areas do. ");
  g_assert_nonnull (warning);
  over = strstr (warning, "info: The samples differ from each other again, 0.90 times as much as real "
                          "areas do\n");
  g_assert_nonnull (over);
  g_assert_null (strstr (over, "alike"));
  supervised_assert_complete (t, 42);
}

static void
run_with_limits (RunTest *t, const char *script, const char *says)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = supervised_make_options (f);
  options.max_silence_s = 2.5;
  options.max_step_s = 1.5;
  supervised_fill_config (t, &config, script, 22);
  supervised_prepare (f, &config, &options);
  supervised_finish (f);
  supervised_assert_said (f, says);
  supervised_assert_complete (t, 22);
}

static void
test_hangs (RunTest *t, gconstpointer data)
{
  run_with_limits (t, "hang=12", "because it has been busy with 'step' at step 12 for");
}

static void
test_freezes (RunTest *t, gconstpointer data)
{
  run_with_limits (t, "freeze=12", "because it has been silent for");
}

/* With the default limits. */
static void
test_stopped (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_assert_true (supervised_run (f, "freeze=12", 22));
  supervised_assert_said (f, "because it has been stopped (state T) for 5 seconds");
  supervised_assert_complete (t, 22);
}

/* A worker that has sent nothing yet is given more time: this one starts more slowly than the limit
 * for silence. */
static void
test_starts_slowly (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(UrbRunConfig) config = { 0 };
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  const char *worker_argv[] = { "/bin/sh", "-c", "sleep 4; exec \"$0\" \"$@\"", self, "worker", NULL };
  UrbSupervisorOptions options = supervised_make_options (f);

  options.worker_argv = worker_argv;
  options.max_silence_s = 2.5;
  supervised_fill_config (t, &config, "", 12);
  supervised_prepare (f, &config, &options);
  supervised_finish (f);
  g_assert_null (strstr (f->events->str, "because it has been silent"));
  supervised_assert_complete (t, 12);
}

static void
test_time_limit (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = supervised_make_options (f);
  g_autofree char *sample = NULL;
  g_autoptr(GArray) checkpoints = NULL;
  gint64 step;
  options.max_minutes = 0.5 / 60;
  options.profile = TRUE;
  supervised_fill_config (t, &config, "ms=5", 100000);
  supervised_prepare (f, &config, &options);
  supervised_finish (f);
  g_assert_cmpint (f->end, ==, URB_RUN_END_STOPPED);
  supervised_assert_said (f, " minutes is reached");
  /* It ends with a checkpoint, a sample grid and the profile. */
  checkpoints = urb_run_folder_list_checkpoints (t->run);
  step = g_array_index (checkpoints, gint64, checkpoints->len - 1);
  supervised_assert_complete (t, step);
  {
    g_autofree char *name = urb_run_sample_name (step);
    sample = g_build_filename (t->run, name, NULL);
  }
  g_assert_true (g_file_test (sample, G_FILE_TEST_EXISTS));
  g_assert_nonnull (strstr (f->profile->str, "g_usleep"));
}

/* A damaged checkpoint is set aside, and the one before it is used. */
static void
test_damaged_checkpoint (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autofree char *path = g_build_filename (t->run, "checkpoints/step-000000030.safetensors", NULL);
  g_assert_true (supervised_run (f, "", 30));
  g_assert_cmpint (truncate (path, 1000), ==, 0);
  g_assert_true (supervised_run (f, "", 40));
  supervised_assert_said (f, "it was set aside");
  supervised_assert_complete (t, 40);
}

static void
test_interrupted (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(GArray) checkpoints = NULL;
  f->interrupt_step = 25;
  g_assert_true (supervised_run (f, "ms=5", 100000));
  g_assert_cmpint (f->end, ==, URB_RUN_END_INTERRUPTED);
  checkpoints = urb_run_folder_list_checkpoints (t->run);
  supervised_assert_complete (t, g_array_index (checkpoints, gint64, checkpoints->len - 1));
}

/* A worker that begins steps early begins none before a checkpoint, a sample or the end, whether they were foreseen or
 * ordered. */
static void
test_ahead (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autofree char *mark = g_build_filename (t->base, "ahead", NULL);
  g_autoptr(GArray) checkpoints = NULL;
  g_auto(History) h = { 0 };

  f->interrupt_step = 27;
  g_assert_true (supervised_run (f, "ms=5,ahead=7", 100000));
  g_assert_cmpint (f->end, ==, URB_RUN_END_INTERRUPTED);
  g_assert_true (g_file_test (mark, G_FILE_TEST_EXISTS)); /* one did begin early */
  checkpoints = urb_run_folder_list_checkpoints (t->run);
  for (guint i = 0; i < checkpoints->len; i++)
    {
      gint64 step = g_array_index (checkpoints, gint64, i);
      g_autofree char *name = urb_run_checkpoint_name (step);
      g_autofree char *path = g_build_filename (t->run, name, NULL);

      g_assert_cmpuint (fake_job_read_state (path), ==, fake_job_state_at (step));
    }
  g_assert_cmpint (g_array_index (checkpoints, gint64, 0), ==, 10);
  g_assert_cmpint (g_array_index (checkpoints, gint64, 1), ==, 20);
  supervised_assert_complete (t, g_array_index (checkpoints, gint64, checkpoints->len - 1));
  supervised_read_history (t, &h);
  g_assert_cmpint (h.n_samples, >=, 6); /* of steps 0, 5, … 25, and perhaps later ones */
  g_assert_null (strstr (f->events->str, "The next step has begun"));
}

/* The second Ctrl+C does not wait for a step that never ends. */
static void
test_interrupted_twice (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  supervised_interrupt_hung (f);
  g_assert_true (supervised_run (f, "hang=12", 32));
  g_assert_cmpint (f->end, ==, URB_RUN_END_KILLED);
  g_assert_true (supervised_run (f, "", 32));
  supervised_assert_complete (t, 32);
}

int
main (int argc, char **argv)
{
  int code = fake_job_main (argc, argv, &fake_job);
  if (code >= 0)
    return code;
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/supervisor/finishes", test_finishes);
  run_test_add ("/supervisor/extended", test_extended);
  run_test_add ("/supervisor/survives", test_survives);
  run_test_add ("/supervisor/gives-up", test_gives_up);
  run_test_add ("/supervisor/device-error", test_device_error);
  run_test_add ("/supervisor/refused", test_refused);
  run_test_add ("/supervisor/alike", test_alike);
  run_test_add ("/supervisor/explodes", test_explodes);
  run_test_add ("/supervisor/thins-samples", test_thins_samples);
  run_test_add ("/supervisor/diverged", test_diverged);
  run_test_add ("/supervisor/starts-slowly", test_starts_slowly);
  run_test_add ("/supervisor/hangs", test_hangs);
  run_test_add ("/supervisor/freezes", test_freezes);
  run_test_add ("/supervisor/full-at-the-end", test_full_at_the_end);
  run_test_add ("/supervisor/stopped", test_stopped);
  run_test_add ("/supervisor/ahead", test_ahead);
  run_test_add ("/supervisor/time-limit", test_time_limit);
  run_test_add ("/supervisor/damaged-checkpoint", test_damaged_checkpoint);
  run_test_add ("/supervisor/interrupted", test_interrupted);
  run_test_add ("/supervisor/interrupted-twice", test_interrupted_twice);
  return g_test_run ();
}
