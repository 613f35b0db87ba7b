/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-tensorboard.c - what a run writes for TensorBoard, read back by TensorBoard.
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "run/store/event-file.h"
#include "run/store/tensorboard.h"
#include "supervised.h"

/* As TensorBoard's own RecordWriter writes it. */
static void
test_frame (RunTest *t, gconstpointer data)
{
  static const guint8 expected[] = { 0x09, 0, 0, 0, 0, 0, 0, 0, 0x37, 0xf9, 0x71, 0x39, '1', '2', '3', '4', '5', '6', '7', '8',
                                     '9', 0xe5, 0xb0, 0x8a, 0xc7 };
  g_autoptr(GByteArray) out = g_byte_array_new ();

  urb_event_file_frame ((const guint8 *) "123456789", 9, out);
  g_assert_cmpmem (out->data, out->len, expected, sizeof expected);
}

static guint
count_events (RunTest *t)
{
  g_autofree char *path = g_build_filename (t->run, "tensorboard", NULL);
  g_autoptr(GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* A worker dies, so that steps are done twice; the run is resumed.  One file then has all that run.db has. */
static void
test_read (RunTest *t, gconstpointer data)
{
  const char *python = g_getenv ("URBARIUM_TENSORBOARD_PYTHON");
  g_autofree char *script = g_test_build_filename (G_TEST_DIST, "engine", "run", "read-tensorboard.py", NULL);
  const char *argv[] = { python != NULL ? python : "python3", script, t->run, NULL };
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(GError) error = NULL;
  g_autofree char *said = NULL;
  int status;

  for (int n_steps = 30; n_steps <= 45; n_steps += 15)
    {
      g_auto(UrbRunConfig) config = { 0 };
      UrbSupervisorOptions options = supervised_make_options (f);
      g_autoptr(GError) failure = NULL;

      supervised_fill_config (t, &config, "kill=17", n_steps);
      config.train.batch = 4;
      config.tensorboard = TRUE;
      config.hook = g_strdup ("true s3cret");
      config.hook_on = g_strdup ("end");
      supervised_prepare (f, &config, &options);
      g_assert_true (urb_run_folder_save_config (t->folder, &config, &failure));
      supervised_finish (f);
      g_assert_cmpuint (count_events (t), ==, 1);
    }
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                               &said, &status, &error));
  g_assert_no_error (error);
  if (status == 77 << 8)
    g_test_skip ("there is no TensorBoard: URBARIUM_TENSORBOARD_PYTHON may name a Python that has it");
  else if (status != 0)
    g_error ("%s", said);
}

/* Fails at each call with the same reason, and does nothing worse. */
static void
assert_fails (UrbTensorboard *tensorboard, const char *why)
{
  for (int i = 0; i < 3; i++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_false (urb_tensorboard_follow (tensorboard, &error));
      g_assert_nonnull (strstr (error->message, why));
    }
}

static UrbTensorboard *
open_again (RunTest *t)
{
  g_autofree char *folder = g_build_filename (t->run, "tensorboard", NULL);
  g_autoptr(GError) error = NULL;
  UrbTensorboard *tensorboard = urb_tensorboard_new (t->run, folder, &error);

  g_assert_no_error (error);
  return tensorboard;
}

/* No more room for the events. */
static void
check_full (RunTest *t)
{
  g_autoptr(UrbTensorboard) tensorboard = open_again (t);
  struct rlimit before, small;

  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  small = (struct rlimit) { .rlim_cur = 100, .rlim_max = before.rlim_max };
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &small), ==, 0);
  assert_fails (tensorboard, "File too large");
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
}

/* A checkpoint that cannot be read is left out. */
static void
check_damaged_checkpoint (RunTest *t)
{
  g_autofree char *checkpoint = g_build_filename (t->run, "checkpoints", "step-000000012.safetensors", NULL);
  g_autofree char *noise = g_strnfill (1 << 16, '?');
  g_autoptr(UrbTensorboard) tensorboard = open_again (t);
  g_autoptr(GError) error = NULL;

  g_assert_true (g_file_test (checkpoint, G_FILE_TEST_IS_REGULAR));
  g_assert_true (g_file_set_contents (checkpoint, noise, -1, NULL));
  g_assert_true (urb_tensorboard_follow (tensorboard, &error));
  g_assert_no_error (error);
}

static void
check_damaged_database (RunTest *t)
{
  g_autofree char *db = g_build_filename (t->run, "run.db", NULL), *noise = g_strnfill (1 << 16, '?');
  g_autoptr(UrbTensorboard) tensorboard = open_again (t);

  /* In place, as by a failing disk. */
  g_assert_true (g_file_set_contents_full (db, noise, 1 << 16, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  assert_fails (tensorboard, "run.db");
}

static void
test_errors (RunTest *t, gconstpointer data)
{
  void (*before) (int) = signal (SIGXFSZ, SIG_IGN);
  g_autoptr(Supervised) f = supervised_new (t);

  g_assert_true (supervised_run (f, "", 12));
  check_full (t);
  check_damaged_checkpoint (t);
  check_damaged_database (t);
  signal (SIGXFSZ, before);
}

int
main (int argc, char **argv)
{
  int code = fake_job_main (argc, argv, &fake_job);

  if (code >= 0)
    return code;
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/tensorboard/frame", test_frame);
  run_test_add ("/tensorboard/read", test_read);
  run_test_add ("/tensorboard/errors", test_errors);
  return g_test_run ();
}
