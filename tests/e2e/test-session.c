/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-session.c - the messages of `train` in a terminal.
 */
#include <glib/gstdio.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "engine-run.h"
#include "base/machine.h"
#include "small-dataset.h"

typedef struct
{
  char *folder;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("urbarium-session-XXXXXX", NULL);
  small_dataset_write (self->folder);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  g_spawn_sync (NULL, (char *[]){ "rm", "-rf", self->folder, NULL }, NULL, G_SPAWN_SEARCH_PATH,
                NULL, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_free (self->folder);
}

/* Replaces each "@" by the folder. */
static char *
fill_in (Fixture *self, const char *arguments)
{
  g_auto(GStrv) parts = g_strsplit (arguments, "@", -1);

  return g_strjoinv (self->folder, parts);
}

#define TRAIN "train --dataset @/areas.gpkg --preset @/mini.preset --run @/run --threads 1 "

/* ------------------------------------------------------------------------ */
/* Stopping immediately                                                      */

static GSubprocess *
start (Fixture *self, const char *arguments)
{
  g_autofree char *filled = fill_in (self, arguments);
  g_autofree char *line = g_strdup_printf ("%s %s", g_getenv ("URBARIUM_ENGINE"), filled);
  g_auto(GStrv) argv = g_strsplit (line, " ", -1);
  g_autoptr(GError) error = NULL;
  GSubprocess *process
    = g_subprocess_newv ((const char *const *) argv,
                         G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error);

  g_assert_no_error (error);
  return process;
}

static void
wait_for_file (Fixture *self, const char *name)
{
  g_autofree char *path = g_build_filename (self->folder, "run", name, NULL);

  while (!g_file_test (path, G_FILE_TEST_EXISTS))
    g_usleep (10000);
}

/* The worker is stopped, so that it cannot save a checkpoint between two signals. */
static char *
stop_at_once (GSubprocess *process)
{
  const char *pid = g_subprocess_get_identifier (process);
  g_autofree char *path = g_strdup_printf ("/proc/%s/task/%s/children", pid, pid);
  g_autofree char *children = NULL;
  g_autoptr(GError) error = NULL;
  char *said = NULL;

  g_assert_true (g_file_get_contents (path, &children, NULL, NULL));
  g_assert_cmpint (atoi (children), >, 0);
  g_assert_cmpint (kill (atoi (children), SIGSTOP), ==, 0);
  for (int i = 0; i < 2; i++)
    {
      g_subprocess_send_signal (process, SIGINT);
      g_usleep (300000);
    }
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, NULL, &said, &error));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 130);
  return said;
}

static void
test_no_checkpoint (Fixture *self, gconstpointer data)
{
  g_autoptr(GSubprocess) process
    = start (self, TRAIN "--steps 1000000 --sample-every 2 --checkpoint-every 1000000");
  g_autofree char *said = NULL;

  wait_for_file (self, "samples/step-000000002.png");
  said = stop_at_once (process);
  g_assert_nonnull (strstr (said, "there is no checkpoint. Begin again with: urbarium-engine resume"));
}

static void
test_older_checkpoint (Fixture *self, gconstpointer data)
{
  g_autoptr(GSubprocess) process
    = start (self, TRAIN "--steps 1000000 --sample-every 30 --checkpoint-every 20");
  g_autofree char *said = NULL, *expected = NULL, *newest = NULL;
  const char *stopped;
  gint64 step;

  wait_for_file (self, "samples/step-000000030.png");
  said = stop_at_once (process);
  stopped = strstr (said, "Stopped at step ");
  g_assert_nonnull (stopped);
  step = g_ascii_strtoll (stopped + strlen ("Stopped at step "), NULL, 10);
  g_assert_cmpint (step, >=, 20);
  for (gint64 i = step; i > 0 && newest == NULL; i--)
    {
      g_autofree char *path = g_strdup_printf (
        "%s/run/checkpoints/step-%09" G_GINT64_FORMAT ".safetensors", self->folder, i);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        newest = g_strdup_printf ("%" G_GINT64_FORMAT, i);
    }
  g_assert_nonnull (newest);
  expected = g_ascii_strtoll (newest, NULL, 10) == step
               ? g_strdup_printf ("of 1000000. Go on with")
               : g_strdup_printf ("the newest checkpoint is of step %s. Go on from there", newest);
  g_assert_nonnull (strstr (said, expected));
}

/* ------------------------------------------------------------------------ */

static EngineResult
run (Fixture *self, const char *arguments)
{
  g_autofree char *line = fill_in (self, arguments);
  EngineResult result = engine_run (line);

  g_test_message ("%s\n%s", line, result.err);
  return result;
}

/* Options that change the result are always reported. */
static void
test_scaling (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) scaled
    = run (self, TRAIN "--recipe dcgan --lr-g 0.001 --lr-d 0.002 --strategy ddp:2 "
                       "--communicator threads --scale-batch --scale-lr --steps 2");
  g_auto(EngineResult) plain = run (self, TRAIN "--force --steps 2");

  g_assert_cmpint (scaled.code, ==, 0);
  g_assert_nonnull (strstr (scaled.err, "Scaled by 2 ranks: batch 4 → 8; learning rates 0.001 "
                                        "(generator) and 0.002 (discriminator) → 0.002 and 0.004."));
  g_assert_cmpint (plain.code, ==, 0);
  g_assert_null (strstr (plain.err, "Scaled"));
}

static void
write_config (Fixture *self, const char *text)
{
  g_autofree char *path = fill_in (self, "@/own.ini");

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* Paths are relative to the file; its name is that of another run. */
static void
test_config (Fixture *self, gconstpointer data)
{
  g_autofree char *no_run = fill_in (self, "@/none"), *areas = fill_in (self, "@/areas.gpkg");
  g_autofree char *name = NULL, *dataset = NULL, *again = NULL, *first = NULL, *second = NULL;
  g_autofree char *length = NULL, *rate = NULL, *gamma = NULL, *batch = NULL;
  g_auto(EngineResult) missing = { 0 }, one = { 0 }, like_it = { 0 }, other = { 0 }, several = { 0 };

  write_config (self, "[train]\ndataset=nowhere.gpkg\npreset=mini.preset\n");
  missing = run (self, "train --config @/own.ini --run @/none");
  g_assert_cmpint (missing.code, ==, 3);
  g_assert_false (g_file_test (no_run, G_FILE_TEST_EXISTS));

  write_config (self, "[run]\nname=Other\ncreated=5\n[train]\ndataset=areas.gpkg\n"
                      "preset=mini.preset\nsteps=2\nthreads=1\nbatch=8\n");
  one = run (self, "train --config @/own.ini --run @/one");
  g_assert_cmpint (one.code, ==, 0);
  name = engine_read_setting (self->folder, "one", "run", "name");
  g_assert_cmpstr (name, ==, "one");
  dataset = engine_read_setting (self->folder, "one", "train", "dataset");
  g_assert_cmpstr (dataset, ==, areas);

  /* The run has a copy of the preset. */
  like_it = run (self, "train --config @/one/run.ini --run @/like-it");
  g_assert_cmpint (like_it.code, ==, 0);
  again = engine_read_setting (self->folder, "like-it", "run", "name");
  g_assert_cmpstr (again, ==, "like-it");

  /* What it took from its recipe and its length follows the options; what was set does not. */
  other = run (self, "train --config @/one/run.ini --run @/other --recipe dcgan --steps 3");
  g_assert_cmpint (other.code, ==, 0);
  length = engine_read_setting (self->folder, "other", "train", "schedule-steps");
  rate = engine_read_setting (self->folder, "other", "train", "lr-g");
  gamma = engine_read_setting (self->folder, "other", "train", "gamma");
  batch = engine_read_setting (self->folder, "other", "train", "batch");
  g_assert_cmpstr (length, ==, "3");
  g_assert_cmpfloat (g_ascii_strtod (rate, NULL), ==, 2e-4);
  g_assert_cmpstr (gamma, ==, "0");
  g_assert_cmpstr (batch, ==, "8");

  several = run (self, "train --config @/own.ini --run @/sweep --several seed=1,2 --at-once 1");
  g_assert_cmpint (several.code, ==, 0);
  first = engine_read_setting (self->folder, "sweep/seed-1", "run", "name");
  second = engine_read_setting (self->folder, "sweep/seed-2", "run", "name");
  g_assert_cmpstr (first, ==, "seed-1");
  g_assert_cmpstr (second, ==, "seed-2");
}

/* The run keeps the whole preset: a later version may have another base. */
static void
test_preset_base (Fixture *self, gconstpointer data)
{
  static const char text[] = "[preset]\nbase=tiny\nrefined-size=8\nimage-size=4\n";
  static const char good[] = "[preset]\nbase=tiny\nimage-size=16\nrefined-size=64\n[generator]\n"
                             "1=dense 8 16 bias lrelu\n2=conv3 8\n3=conv3 8\n4=conv3 8\n5=conv3 image head\n";
  g_autofree char *mine = fill_in (self, "@/mini.preset"), *kept = fill_in (self, "@/run/mini.preset"), *now = NULL;
  g_auto(EngineResult) bad = { 0 }, one = { 0 }, more = { 0 };

  g_assert_true (g_file_set_contents (mine, text, -1, NULL));
  bad = run (self, TRAIN "--steps 1");
  g_assert_cmpint (bad.code, ==, 2);
  g_assert_nonnull (strstr (bad.err, "image-size"));
  g_assert_true (g_file_set_contents (mine, good, -1, NULL));
  one = run (self, TRAIN "--steps 1");
  g_assert_cmpint (one.code, ==, 0);
  g_assert_true (g_file_get_contents (kept, &now, NULL, NULL));
  g_assert_null (strstr (now, "base"));
  g_assert_nonnull (strstr (now, "dense 8 16"));
  g_assert_nonnull (strstr (now, "[discriminator]"));
  g_remove (mine);
  more = run (self, "resume @/run --steps 2");
  g_assert_cmpint (more.code, ==, 0);
}

/* The window names its runs. */
static void
test_config_from_stdin (Fixture *self, gconstpointer data)
{
  g_autofree char *folder = fill_in (self, "@/run"), *name = NULL;
  g_autofree char *config = fill_in (self, "[run]\nname=Old town\n[train]\ndataset=@/areas.gpkg\n"
                                           "preset=@/mini.preset\nsteps=1\nthreads=1\n");
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocess) process
    = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE, &error, g_getenv ("URBARIUM_ENGINE"), "train",
                        "--run", folder, "--config", "-", "--quiet", NULL);

  g_assert_no_error (error);
  g_assert_true (g_subprocess_communicate_utf8 (process, config, NULL, NULL, NULL, &error));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 0);
  name = engine_read_setting (self->folder, "run", "run", "name");
  g_assert_cmpstr (name, ==, "Old town");
}

static void
get_config_file (Fixture *self, GStatBuf *info)
{
  g_autofree char *path = fill_in (self, "@/run/run.ini");

  g_assert_cmpint (g_stat (path, info), ==, 0);
}

/* A run in which a rank would need more memory than it may have is not begun, and none is resumed so. */
static void
test_rank_memory (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) refused = run (self, TRAIN "--steps 2 --rank-memory 0.0001");
  g_autofree char *folder = fill_in (self, "@/run");
  gboolean was_made = g_file_test (folder, G_FILE_TEST_EXISTS);
  g_auto(EngineResult) good = run (self, TRAIN "--steps 2 --rank-memory 4.5");
  g_autofree char *kept = engine_read_setting (self->folder, "run", "train", "rank-memory");
  g_auto(EngineResult) less = run (self, "resume @/run --steps 4 --rank-memory 0.0001");
  g_auto(EngineResult) any = run (self, "resume @/run --steps 4 --rank-memory 0");

  g_assert_cmpint (refused.code, ==, 4);
  g_assert_nonnull (strstr (refused.err, "Does not fit: rank-memory, "));
  g_assert_false (was_made);
  g_assert_cmpint (good.code, ==, 0);
  g_assert_cmpstr (kept, ==, "4.5");
  g_assert_cmpint (less.code, ==, 4);
  g_assert_cmpint (any.code, ==, 0);
}

static const char *const strategies[] = { "single", "hogwild:2", "streams:2", "dp:2", "ddp:2" };

/* With as much as is asked for, to a tenth of a MiB, a run trains under each strategy: what is checked before is what is
 * checked when a rank begins. */
static void
test_enough_rank_memory (Fixture *self, gconstpointer strategy)
{
  static const char preset[]
    = "[preset]\nimage-size=16\nlatent=64\nbatch=4\nsteps=2\nlr=0.001\ngamma=1\n"
      "[generator]\n1=dense 256 4 bias lrelu\n2=tconv 64 bias lrelu\n3=tconv image bias head\n"
      "[discriminator]\n1=conv4 64 bias lrelu\n2=conv4 256 bias lrelu\n3=logit bias\n";
  g_autofree char *path = fill_in (self, "@/heavy.preset");
  g_autofree char *base = g_strdup_printf ("train --dataset @/areas.gpkg --preset @/heavy.preset --run @/run --threads 2 "
                                           "--steps 2 --no-score --strategy %s --rank-memory ", (const char *) strategy);
  g_autofree char *little = g_strconcat (base, "0.0001", NULL);
  g_autofree char *enough = NULL;

  g_assert_true (g_file_set_contents (path, preset, -1, NULL));
  g_auto(EngineResult) refused = run (self, little);
  const char *asked = strstr (refused.err, "rank-memory, ");

  g_assert_nonnull (asked);
  enough = g_strdup_printf ("%s%.7f", base, (g_ascii_strtod (asked + strlen ("rank-memory, "), NULL) + 0.1) * 1.048576e-3);
  g_auto(EngineResult) trained = run (self, enough);

  g_assert_cmpint (trained.code, ==, 0);
}

/* A note is shown and changed whether the run trains or not; control characters are refused everywhere. */
static void
test_note (Fixture *self, gconstpointer data)
{
  static const char *const refused[] = { TRAIN "--force --steps 4 --note a\tb", "resume @/run --steps 3 --note a\x01", "note @/run a\nb",
                                         "note @/run a\u202eb" };
  g_auto(EngineResult) first = run (self, TRAIN "--steps 2 --note #first");
  g_auto(EngineResult) shown = run (self, "note @/run"), changed = run (self, "note @/run Höhe,#alps");
  g_auto(EngineResult) again = run (self, "note @/run"), none = run (self, "note @/run none"), after = run (self, "note @/run");
  g_auto(EngineResult) nowhere = run (self, "note @/nowhere x"), usage = run (self, "note @/run a b");
  g_autoptr(GSubprocess) process = NULL;
  g_autofree char *said = NULL;

  g_assert_cmpint (first.code, ==, 0);
  g_assert_cmpstr (shown.out, ==, "#first\n");
  g_assert_cmpint (changed.code, ==, 0);
  g_assert_cmpstr (again.out, ==, "Höhe,#alps\n");
  g_assert_cmpint (none.code, ==, 0);
  g_assert_cmpstr (after.out, ==, "");
  g_assert_cmpint (nowhere.code, !=, 0);
  g_assert_cmpint (usage.code, ==, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_auto(EngineResult) result = run (self, refused[i]);

      g_assert_cmpint (result.code, ==, 2);
      g_assert_nonnull (strstr (result.err, ": a note is one line of at most 1000 bytes of UTF-8"));
    }

  process = start (self, TRAIN "--force --steps 1000000 --sample-every 2 --checkpoint-every 1000000");
  wait_for_file (self, "samples/step-000000004.png"); /* which the first run has not */
  {
    g_auto(EngineResult) live = run (self, "note @/run #live"), kept = run (self, "note @/run");
    g_auto(EngineResult) wrong = run (self, "note @/run a\tb");

    g_assert_cmpint (live.code, ==, 0);
    g_assert_cmpstr (kept.out, ==, "#live\n");
    g_assert_cmpint (wrong.code, ==, 2);
  }
  said = stop_at_once (process);
}

/* `train` writes run.ini with the values that are used; without changes nobody writes it again. */
static void
test_config_is_written_once (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) one = run (self, TRAIN "--steps 1000000 --max-minutes 0.0001");
  g_autofree char *rate = engine_read_setting (self->folder, "run", "train", "lr-g");
  g_autofree char *channels = engine_read_setting (self->folder, "run", "train", "channels");
  g_autofree char *changed = NULL;
  g_auto(EngineResult) same = { 0 }, other = { 0 };
  GStatBuf before, after;

  g_assert_cmpint (one.code, ==, 0);
  g_assert_cmpstr (rate, ==, "0.001"); /* the preset's */
  g_assert_cmpstr (channels, ==, "3"); /* the dataset's */
  get_config_file (self, &before);
  same = run (self, "resume @/run --max-minutes 0.0001");
  g_assert_cmpint (same.code, ==, 0);
  get_config_file (self, &after);
  g_assert_cmpuint (after.st_ino, ==, before.st_ino);

  other = run (self, "resume @/run --max-minutes 0.0001 --lr-g 0.002");
  g_assert_cmpint (other.code, ==, 0);
  get_config_file (self, &after);
  g_assert_cmpuint (after.st_ino, !=, before.st_ino);
  changed = engine_read_setting (self->folder, "run", "train", "lr-g");
  g_assert_cmpstr (changed, ==, "0.002");
}

/* A folder of a version that left the values to the worker, and what a killed supervisor left there.
 * The run's own preset is found from any folder. */
static void
test_old_config (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) one = run (self, TRAIN "--steps 2");
  g_autofree char *pending = fill_in (self, "@/run/pending.ini"), *ini = fill_in (self, "@/run/run.ini");
  g_autofree char *before = g_get_current_dir (), *rate = NULL, *batch = NULL, *preset = NULL;
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autoptr(GError) error = NULL;
  g_auto(EngineResult) more = { 0 };

  g_assert_cmpint (one.code, ==, 0);
  g_key_file_load_from_file (file, ini, G_KEY_FILE_NONE, &error);
  g_assert_no_error (error);
  g_assert_true (g_key_file_remove_key (file, "train", "lr-g", NULL));
  g_assert_true (g_key_file_remove_key (file, "train", "batch", NULL));
  g_assert_true (g_key_file_save_to_file (file, ini, &error));
  g_assert_true (g_file_set_contents (pending, "[run]\n[train]\nlr-g=0.7\n", -1, NULL));

  g_assert_cmpint (g_chdir (self->folder), ==, 0);
  more = run (self, "resume run --steps 3");
  g_assert_cmpint (g_chdir (before), ==, 0);
  g_assert_cmpint (more.code, ==, 0);
  rate = engine_read_setting (self->folder, "run", "train", "lr-g");
  batch = engine_read_setting (self->folder, "run", "train", "batch");
  preset = engine_read_setting (self->folder, "run", "train", "preset");
  g_assert_cmpstr (rate, ==, "0.001");
  g_assert_cmpstr (batch, ==, "4");
  g_assert_cmpstr (preset, ==, "mini.preset");
  g_assert_false (g_file_test (pending, G_FILE_TEST_EXISTS));
}

/* A damaged checkpoint is set aside; the run goes on from the one before it with the same networks. */
static void
test_damaged_refined (Fixture *self, gconstpointer data)
{
  static const char text[] =
    "[preset]\nimage-size=8\nrefined-size=16\nlatent=8\nbatch=4\nsteps=100\n"
    "[generator]\n1=dense 16 4 bias lrelu\n2=tconv image bias head\n"
    "[refiner]\n1=tconv image bias head\n"
    "[discriminator]\n1=conv4 16 bias lrelu\n2=logit bias\n";
  g_autofree char *networks = fill_in (self, "@/mini.preset"), *refine = NULL;
  g_autofree char *newest = fill_in (self, "@/run/checkpoints/step-000000004.safetensors");
  g_auto(EngineResult) one = { 0 }, more = { 0 };

  g_assert_true (g_file_set_contents (networks, text, -1, NULL));
  one = run (self, TRAIN "--steps 4 --checkpoint-every 2");
  g_assert_cmpint (one.code, ==, 0);
  g_assert_cmpint (truncate (newest, 100), ==, 0);
  more = run (self, "resume @/run --steps 6");
  g_assert_cmpint (more.code, ==, 0);
  g_assert_nonnull (strstr (more.err, "it was set aside"));
  refine = engine_read_setting (self->folder, "run", "train", "refine");
  g_assert_cmpstr (refine, ==, "true");
}

/* Only a worker finds out that these are other areas; run.ini keeps the right ones. */
static void
test_wrong_resume (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) one = run (self, TRAIN "--steps 2");
  g_autofree char *other = fill_in (self, "@/other.gpkg"), *areas = fill_in (self, "@/areas.gpkg");
  g_autofree char *dataset = NULL, *rate = NULL;
  g_auto(EngineResult) wrong = { 0 }, right = { 0 };

  g_assert_cmpint (one.code, ==, 0);
  small_dataset_write_areas (other, 30);
  wrong = run (self, "resume @/run --steps 4 --dataset @/other.gpkg --lr-g 0.002");
  g_assert_cmpint (wrong.code, ==, 3);
  g_assert_nonnull (strstr (wrong.err, "is not the one that the checkpoint was trained on"));
  dataset = engine_read_setting (self->folder, "run", "train", "dataset");
  rate = engine_read_setting (self->folder, "run", "train", "lr-g");
  g_assert_cmpstr (dataset, ==, areas);
  g_assert_cmpstr (rate, ==, "0.001");
  right = run (self, "resume @/run --steps 4");
  g_assert_cmpint (right.code, ==, 0);
  g_free (rate);
  rate = engine_read_setting (self->folder, "run", "train", "lr-g");
  g_assert_cmpstr (rate, ==, "0.001");
}

/* A wrong number of steps does not start a queued run. */
static void
test_resume_queued (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) first = run (
    self, "train --dataset @/areas.gpkg --preset @/mini.preset --run @/first --steps 1000000 --detach");
  g_autoptr(GSubprocess) queued = start (self, TRAIN "--steps 3 --after @/first");
  g_auto(EngineResult) wrong = { 0 };
  g_autofree char *socket = fill_in (self, "@/first/control.sock");
  const char *pid = strstr (first.out, "kill -INT ");

  g_assert_cmpint (first.code, ==, 0);
  g_assert_nonnull (pid);
  wait_for_file (self, "control.sock");
  wrong = run (self, "resume @/run --steps abc");
  g_assert_cmpint (wrong.code, ==, 2);
  g_assert_nonnull (strstr (wrong.err, "--steps needs a whole number, not “abc”."));
  g_subprocess_send_signal (queued, SIGINT);
  g_subprocess_wait (queued, NULL, NULL);
  kill (atoi (pid + strlen ("kill -INT ")), SIGINT);
  while (g_file_test (socket, G_FILE_TEST_EXISTS)) /* before its folder is deleted */
    g_usleep (10000);
}

static guint
count_checkpoints (Fixture *self)
{
  g_autofree char *path = fill_in (self, "@/run/checkpoints");
  g_autoptr(GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* A run that cannot start deletes nothing and leaves no files. */
static void
test_refused (Fixture *self, gconstpointer data)
{
  static const char *const attempts[] = {
    TRAIN "--force --strategy ddp:2 --batch 63",
    TRAIN "--force --strategy ddp:2 --batch 63 --after @/other",
    TRAIN "--force --trace @/nowhere/trace.json",
    TRAIN "--force --strategy hogwild:300 --after @/other",
    "resume @/run --from-step 10 --strategy ddp:3",
    "resume @/run --from-step 10 --strategy ddp:3 --after @/other",
    "resume @/run --from-step 10 --steps 40 --trace @/nowhere/trace.json",
    "resume @/run --from-step 10 --lr-g nan",
    "resume @/run --from-step 10 --gamma -1",
    "resume @/run --from-step 10 --gamma inf",
  };
  g_autofree char *folder = fill_in (self, "@/run");
  g_auto(EngineResult) fresh = run (self, TRAIN "--strategy ddp:2 --batch 63");
  g_auto(EngineResult) trained = { 0 }, other = { 0 }, back = { 0 };

  g_assert_cmpint (fresh.code, ==, 2);
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
  other = run (self, "train --dataset @/areas.gpkg --preset @/mini.preset --run @/other --steps 1");
  g_assert_cmpint (other.code, ==, 0);
  trained = run (self, TRAIN "--steps 30 --checkpoint-every 10");
  g_assert_cmpint (trained.code, ==, 0);
  g_assert_cmpuint (count_checkpoints (self), ==, 3);
  for (gsize i = 0; i < G_N_ELEMENTS (attempts); i++)
    {
      g_auto(EngineResult) refused = run (self, attempts[i]);

      g_assert_cmpint (refused.code, >, 0);
      g_assert_cmpuint (count_checkpoints (self), ==, 3);
    }
  back = run (self, "resume @/run --from-step 10 --max-minutes 0.0001");
  g_assert_cmpint (back.code, ==, 0);
  g_assert_nonnull (strstr (back.err, " steps after step 10 will be done again"));
}

/* --trace: the file is checked before training; the summary is printed at the end. */
static void
test_trace (Fixture *self, gconstpointer data)
{
  g_autofree char *path = fill_in (self, "@/trace.json");
  g_autofree char *checkpoint = fill_in (self, "@/run/checkpoints/step-000000010.safetensors");
  g_autofree char *text = NULL;
  g_auto(EngineResult) refused = run (self, TRAIN "--steps 10 --trace @/nowhere/trace.json");
  g_autofree char *late = fill_in (self, "@/late.json");
  g_auto(EngineResult) traced = { 0 }, stopped = { 0 }, quiet = { 0 };

  g_assert_cmpint (refused.code, !=, 0);
  g_assert_nonnull (strstr (refused.err, "nowhere/trace.json' cannot be written"));
  g_assert_false (g_file_test (checkpoint, G_FILE_TEST_EXISTS));

  traced = run (self, TRAIN "--strategy ddp:2 --communicator threads --steps 10 --trace @/trace.json");
  g_assert_cmpint (traced.code, ==, 0);
  g_assert_nonnull (strstr (traced.err, "of it a collective ran, and"));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "traceEvents"));

  /* The timeline of the first session is not attributed to a session without one. */
  stopped = run (self, "resume @/run --steps 1000000 --max-minutes 0.0000001 --trace @/late.json");
  g_assert_cmpint (stopped.code, ==, 0);
  g_assert_nonnull (strstr (stopped.err, "before the steps that are traced"));
  g_assert_false (g_file_test (late, G_FILE_TEST_EXISTS));

  quiet = run (self, "resume @/run --steps 20 --quiet --trace @/run/trace.json");
  g_assert_cmpint (quiet.code, ==, 0);
  g_assert_cmpstr (quiet.err, ==, "");
}

/* Asynchronous workers start one after the other; all of them are in the timeline. */
static void
test_trace_of_all (Fixture *self, gconstpointer data)
{
  g_autofree char *path = fill_in (self, "@/trace.json");
  g_autofree char *folder = fill_in (self, "@/run");
  g_autofree char *text = NULL;
  g_autoptr(GDir) dir = NULL;
  const char *name;
  g_auto(EngineResult) traced
    = run (self, TRAIN "--strategy hogwild:2 --steps 6000 --trace @/trace.json");

  g_assert_cmpint (traced.code, ==, 0);
  g_assert_nonnull (strstr (traced.err, "the ranks exchanged nothing"));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\"ranks\":2"));
  g_assert_nonnull (strstr (text, "\"rank 0\""));
  g_assert_nonnull (strstr (text, "\"rank 1\""));
  dir = g_dir_open (folder, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    g_assert_false (name[0] == '.' && strstr (name, "trace") != NULL);
}

/* A run that ends before all ranks have started still has a timeline. */
static void
test_trace_of_few (Fixture *self, gconstpointer data)
{
  g_autofree char *path = fill_in (self, "@/trace.json");
  g_autofree char *text = NULL;
  g_auto(EngineResult) traced
    = run (self, TRAIN "--strategy hogwild:4 --steps 1 --trace @/trace.json");

  g_assert_cmpint (traced.code, ==, 0);
  g_assert_nonnull (strstr (traced.err, "the ranks exchanged nothing"));
  g_assert_null (strstr (traced.err, "A step took 0.0 ms"));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\"first_step\":1,\"steps\":1,\"ranks\":1"));
}

/* Zombies do not count: process 1 may not reap orphaned background processes. */
static gboolean
is_there (pid_t pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int) pid);
  g_autofree char *stat = NULL;

  return g_file_get_contents (path, &stat, NULL, NULL) && strstr (stat, ") Z ") == NULL;
}

/* A background run prints how to stop it, and that command works. */
static void
test_detach (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) away
    = run (self, TRAIN "--steps 1000000 --checkpoint-every 1000000 --sample-every 2 --detach");
  const char *said = strstr (away.out, "kill -INT ");
  g_autofree char *checkpoints = fill_in (self, "@/run/checkpoints");
  pid_t pid;
  g_autoptr(GDir) dir = NULL;

  g_assert_cmpint (away.code, ==, 0);
  g_assert_nonnull (said);
  pid = atoi (said + strlen ("kill -INT "));
  g_assert_cmpint (pid, >, 1);
  wait_for_file (self, "samples/step-000000002.png");
  g_assert_cmpint (kill (pid, SIGINT), ==, 0);
  while (is_there (pid))
    g_usleep (10000);
  dir = g_dir_open (checkpoints, 0, NULL);
  g_assert_nonnull (dir);
  g_assert_nonnull (g_dir_read_name (dir));
}

typedef struct
{
  const char *path, *options;
  const char *kept; /* an expected line of run.ini */
  const char *printed;
} Change;

static const Change changes[] = {
  { "/session/diverged/learning-rate", "--lr-g 0.0078125", "lr-g=0.0078125\n", "" },
  { "/session/diverged/strategy", "--from-step 5 --strategy streams:2", "strategy=streams\n", "" },
  { "/session/diverged/records", "--json", "steps=20\n", "\"step\":20," },
};

/* A background run with non-finite values pauses, and resuming it applies the given options. */
static void
test_diverged (Fixture *self, gconstpointer data)
{
  const Change *change = data;
  g_autofree char *command = g_strdup_printf ("resume @/run %s --quiet", change->options);
  g_autofree char *log = fill_in (self, "@/run/log");
  g_autofree char *ini = fill_in (self, "@/run/run.ini");
  g_autofree char *said = NULL, *options = NULL;

  g_setenv ("URBARIUM_FAULT", "0:7:nan", TRUE);
  {
    g_auto(EngineResult) away = run (self, TRAIN "--steps 20 --checkpoint-every 5 --detach");

    g_assert_cmpint (away.code, ==, 0);
  }
  g_unsetenv ("URBARIUM_FAULT");
  while (said == NULL || strstr (said, " info: paused\n") == NULL)
    {
      g_usleep (10000);
      g_free (said);
      g_assert_true (g_file_get_contents (log, &said, NULL, NULL));
    }
  g_test_message ("%s", said);
  g_assert_nonnull (strstr (said, "Non-finite values in step 7, first in the "
                                  "output dlogits of “loss-pair-d” in loss ("));
  g_assert_nonnull (strstr (said, "The run is paused at the checkpoint of step 5"));
  {
    g_auto(EngineResult) refused = run (self, "resume @/run --lr-g 3");

    g_assert_cmpint (refused.code, ==, 2);
    g_assert_nonnull (strstr (refused.err, "--lr-g must be above 0 and at most 1, and is 3."));
    g_free (said);
    g_assert_true (g_file_get_contents (log, &said, NULL, NULL));
    g_assert_null (strstr (said, " info: stop")); /* it is still paused */
  }
  {
    g_auto(EngineResult) back = run (self, command);

    g_assert_cmpint (back.code, ==, 0);
    g_assert_nonnull (strstr (back.out, change->printed));
  }
  wait_for_file (self, "checkpoints/step-000000020.safetensors");
  g_assert_true (g_file_get_contents (ini, &options, NULL, NULL));
  g_assert_nonnull (strstr (options, change->kept));
}

/* ------------------------------------------------------------------------ */
/* Scores                                                                    */

static void
test_scores (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) first = run (self, TRAIN "--steps 2 --score-every 2");
  g_auto(EngineResult) quiet = run (self, "resume @/run --steps 3 --no-score --quiet");
  g_auto(EngineResult) later = run (self, "resume @/run --steps 4 --no-score");

  g_assert_cmpint (first.code, ==, 0);
  g_assert_true (g_regex_match_simple ("^score [0-9]+\\.[0-9]{2} at step 2, the best so far$", first.err,
                                       G_REGEX_MULTILINE, 0));
  g_assert_true (g_regex_match_simple ("^The best score is [0-9.]+, at step 2; generate uses it\\.$",
                                       first.err, G_REGEX_MULTILINE, 0));
  g_assert_cmpint (quiet.code, ==, 0);
  g_assert_cmpstr (quiet.err, ==, "");
  g_assert_cmpstr (quiet.out, ==, "");
  g_assert_cmpint (later.code, ==, 0);
  g_assert_nonnull (strstr (later.err, "at step 2; generate uses it."));
}

/* ------------------------------------------------------------------------ */
/* Films                                                                     */

/* The way from city to city as images, whose ends are the cities; a shorter film leaves nothing of a longer one. */
static void
test_film (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) trained = run (self, TRAIN "--steps 2 --no-score");
  g_auto(EngineResult) cities = run (self, "generate @/run --out @/cities --count 3 --format png");
  g_auto(EngineResult) film = run (self, "generate @/run --out @/film --film 4 --count 3 --json");
  g_auto(EngineResult) taken = run (self, "generate @/run --out @/film --film 4");
  static const struct { const char *frame, *city; } same[] = { { "0001", "0001" }, { "0005", "0002" }, { "0009", "0003" } };
  g_autofree char *last = fill_in (self, "@/film/frame-0009.png"), *beyond = fill_in (self, "@/film/frame-0010.png");

  g_assert_cmpint (trained.code, ==, 0);
  g_assert_cmpint (cities.code, ==, 0);
  g_assert_cmpint (film.code, ==, 0);
  g_assert_nonnull (strstr (film.out, "\"frames\":9"));
  g_assert_cmpint (taken.code, ==, 1);
  g_assert_nonnull (strstr (taken.err, "replace its film with --force"));
  for (guint i = 0; i < G_N_ELEMENTS (same); i++)
    {
      g_autofree char *frame = g_strdup_printf ("%s/film/frame-%s.png", self->folder, same[i].frame);
      g_autofree char *city = g_strdup_printf ("%s/cities/city-%s.png", self->folder, same[i].city);
      g_autofree char *a = NULL, *b = NULL;
      gsize n_a, n_b;

      g_assert_true (g_file_get_contents (frame, &a, &n_a, NULL));
      g_assert_true (g_file_get_contents (city, &b, &n_b, NULL));
      g_assert_cmpmem (a, n_a, b, n_b);
    }
  g_assert_false (g_file_test (beyond, G_FILE_TEST_EXISTS));
  {
    g_auto(EngineResult) shorter = run (self, "generate @/run --out @/film --film 4 --force");

    g_assert_cmpint (shorter.code, ==, 0);
    g_assert_nonnull (strstr (shorter.out, "A film of 5 images through 2 cities"));
    g_assert_false (g_file_test (last, G_FILE_TEST_EXISTS));
    g_assert_nonnull (strstr (shorter.out, "4 images of an earlier film deleted"));
  }
}

/* Nothing else of a folder is deleted, and what prevents a film is told before it is drawn. */
static void
test_film_place (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) trained = run (self, TRAIN "--steps 2 --no-score");
  g_autofree char *folder = fill_in (self, "@/film"), *own = fill_in (self, "@/film/frame-border.png");
  g_autofree char *fifth = fill_in (self, "@/film/frame-0005.png");

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (own, "own", -1, NULL));
  g_assert_true (g_file_set_contents (fifth, "of an earlier film", -1, NULL));
  {
    g_auto(EngineResult) taken = run (self, "generate @/run --out @/film --film 2");
    g_auto(EngineResult) nowhere = run (self, "generate @/run --out @/nowhere/film.webm --film 2");
    g_assert_cmpint (taken.code, ==, 1);
    g_assert_nonnull (strstr (taken.err, "frame-0005.png' already exists"));
    g_assert_cmpint (nowhere.code, !=, 0);
    g_assert_nonnull (strstr (nowhere.err, "film.webm'"));
  }
  {
    g_auto(EngineResult) forced = run (self, "generate @/run --out @/film --film 2 --force");
    g_assert_cmpint (forced.code, ==, 0);
    g_assert_false (g_file_test (fifth, G_FILE_TEST_EXISTS));
    g_assert_true (g_file_test (own, G_FILE_TEST_EXISTS));
  }
}

/* ------------------------------------------------------------------------ */
/* Dry runs                                                                  */

#define DRY_RUN TRAIN "--dry-run"

/* It leaves nothing, neither where temporary files are nor where the run would be. */
static EngineResult
run_dry (Fixture *self, const char *arguments)
{
  EngineResult result = run (self, arguments);
  g_autofree char *folder = fill_in (self, "@/run");
  g_autoptr(GDir) dir = g_dir_open (g_getenv ("TMPDIR"), 0, NULL);

  g_test_message ("%s", result.out);
  g_assert_nonnull (dir);
  g_assert_cmpstr (g_dir_read_name (dir), ==, NULL);
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
  return result;
}

/* A run that works, one whose ranks are processes, one that explodes, and none. */
static void
test_dry_run (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) works = { 0 }, json = { 0 }, explodes = { 0 }, wrong = { 0 };
  g_autofree char *temporary = fill_in (self, "@/temporary");
  static const char *const lines[] = {
    "^start +[0-9.]+ s  ", "^steps +[0-9.]+ s  6 steps, [0-9.]+ images/s$", "^sample +[0-9.]+ s  a sample grid$",
    "^checkpoint +[0-9.]+ s  [0-9.]+.KiB, written$", "^score +[0-9.]+ s  a few cities compared with a few areas$",
    "^All of it works here. The 100 steps of the run take about ",
  };

  g_mkdir (temporary, 0700);
  g_setenv ("TMPDIR", temporary, TRUE);
  works = run_dry (self, DRY_RUN);
  json = run_dry (self, DRY_RUN " --no-score --strategy hogwild:2 --json");
  explodes = run_dry (self, DRY_RUN " --recipe dcgan --lr-g 1 --lr-d 1");
  wrong = run_dry (self, DRY_RUN " --detach");
  g_unsetenv ("TMPDIR");
  g_assert_cmpint (works.code, ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    g_assert_true (g_regex_match_simple (lines[i], works.out, G_REGEX_MULTILINE, 0));
  g_assert_cmpint (json.code, ==, 0);
  g_assert_nonnull (strstr (json.out, "\"works\" : true"));
  g_assert_nonnull (strstr (json.out, "\"steps\" : 12"));
  g_assert_cmpint (explodes.code, >, 0);
  g_assert_true (g_regex_match_simple ("^score +-  not reached$", explodes.out, G_REGEX_MULTILINE, 0));
  g_assert_null (strstr (explodes.out, "works here"));
  g_assert_nonnull (strstr (explodes.err, "half the learning rates"));
  g_assert_cmpint (wrong.code, ==, 2);
  g_assert_nonnull (strstr (wrong.err, "leave out --several, --detach"));
}

static void
test_find_rates (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) found = run (self, TRAIN "--find-rates");
  g_auto(EngineResult) json = run (self, TRAIN "--find-rates --json --strategy ddp:2");
  g_auto(EngineResult) wrong = run (self, TRAIN "--find-rates --strategy hogwild:2");
  g_autofree char *folder = fill_in (self, "@/run");

  g_test_message ("%s", found.out);
  g_assert_cmpint (found.code, ==, 0);
  g_assert_true (g_regex_match_simple ("^generator +loss falls fastest at [0-9.e-]+, is lowest at [0-9.e-]+.*; --lr-g is 0.001$", found.out,
                                       G_REGEX_MULTILINE, 0));
  g_assert_true (g_regex_match_simple ("^discriminator +loss falls fastest at [0-9.e-]+, is lowest at [0-9.e-]+.*; --lr-d is 0.001$", found.out,
                                       G_REGEX_MULTILINE, 0));
  g_assert_cmpint (json.code, ==, 0);
  g_assert_nonnull (strstr (json.out, "\"steepest\""));
  g_assert_nonnull (strstr (json.out, "\"proposed\""));
  g_assert_true (g_regex_match_simple ("^To try: --lr-g [0-9.e-]+ --lr-d [0-9.e-]+, ", found.out, G_REGEX_MULTILINE, 0));
  g_assert_cmpint (wrong.code, ==, 2);
  g_assert_nonnull (strstr (wrong.err, "those of hogwild differ"));
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
}

/* Batches under a strategy, of which one is fastest, and the largest that fits; and mistakes. */
static void
test_find_batch (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) found = run (self, TRAIN "--find-batch --rank-memory 0.002 --strategy ddp:2");
  g_auto(EngineResult) json = run (self, TRAIN "--find-batch --rank-memory 0.05 --json --strategy hogwild:2");
  g_auto(EngineResult) three = run (self, TRAIN "--find-batch --strategy ddp:3 --communicator threads --batch 16");
  g_auto(EngineResult) small = run (self, TRAIN "--find-batch --rank-memory 0.0001");
  g_auto(EngineResult) both = run (self, TRAIN "--find-batch --find-rates");
  g_autofree char *folder = fill_in (self, "@/run");

  g_test_message ("%s%s", found.out, found.err);
  g_assert_cmpint (found.code, ==, 0);
  g_assert_true (g_regex_match_simple ("^batch +4 +[0-9.]+.[kM]iB +[0-9.]+ images/s$", found.out, G_REGEX_MULTILINE, 0));
  g_assert_true (g_regex_match_simple ("^Fastest per image: --batch [0-9]*[02468], [0-9.]+ images/s", found.out, G_REGEX_MULTILINE, 0));
  g_assert_true (g_regex_match_simple ("^Largest that fits: --batch [0-9]*[02468].$", found.out, G_REGEX_MULTILINE, 0));
  g_assert_cmpint (json.code, ==, 0);
  g_assert_nonnull (strstr (json.out, "\"fastest\" : "));
  g_assert_nonnull (strstr (json.out, "\"largest\" : "));
  g_test_message ("%s%s", three.out, three.err);
  g_assert_cmpint (three.code, ==, 0); /* a batch of 16 is no mistake here */
  g_assert_true (g_regex_match_simple ("^batch +6 ", three.out, G_REGEX_MULTILINE, 0));
  g_assert_nonnull (strstr (three.out, "Largest: --batch 30.  A larger one would have areas twice: the dataset has 32 for "
                                       "training.\n"));
  g_assert_cmpint (small.code, ==, 4);
  g_assert_nonnull (strstr (small.err, "Not even a batch of 1 fits"));
  g_assert_cmpint (both.code, ==, 2);
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
}

/* ------------------------------------------------------------------------ */
/* What a run tells others                                                   */

/* The metrics of each step, without time and duration. */
static char *
dup_metrics (Fixture *self, const char *run)
{
  g_autofree char *command = g_strdup_printf ("figures @/%s", run);
  g_auto(EngineResult) result = engine_run_in (self->folder, command);
  g_auto(GStrv) lines = g_strsplit (result.out, "\n", -1);
  g_autoptr(GString) metrics = g_string_new (NULL);

  g_assert_cmpint (result.code, ==, 0);
  for (char **line = lines; **line != '\0'; line++)
    {
      g_auto(GStrv) values = g_strsplit (*line, ",", -1);

      g_assert_cmpuint (g_strv_length (values), >, 14);
      for (int i = 0; i < 14; i++)
        if (i != 1 && i != 3)
          g_string_append_printf (metrics, "%s ", values[i]);
      g_string_append_c (metrics, '\n');
    }
  g_assert_true (g_str_has_prefix (metrics->str, "step images loss_d loss_g "));
  return g_string_free (g_steal_pointer (&metrics), FALSE);
}

/* The command in a report, for another run of the same folder. */
static char *
dup_command (Fixture *self)
{
  g_autofree char *page = g_build_filename (self->folder, "run.html", NULL), *html = NULL, *begin = NULL;
  g_autoptr(GString) command = NULL;
  const char *from, *to;

  g_assert_true (g_file_get_contents (page, &html, NULL, NULL));
  from = strstr (html, "<pre>urbarium-engine ");
  g_assert_nonnull (from);
  from += strlen ("<pre>urbarium-engine ");
  to = strstr (from, "</pre>");
  begin = g_strndup (from, (gsize) (to - from));
  command = g_string_new (begin);
  g_assert_cmpuint (g_string_replace (command, "--dataset areas", "--dataset @/areas", 0), ==, 1);
  g_assert_cmpuint (g_string_replace (command, "--preset mini", "--preset @/mini", 0), ==, 1);
  g_assert_cmpuint (g_string_replace (command, "--run run", "--run @/again", 0), ==, 1);
  return g_string_free (g_steal_pointer (&command), FALSE);
}

/* A report is not written over another file, and its command trains the same networks. */
static void
test_told (Fixture *self, gconstpointer data)
{
  static const struct
  {
    const char *arguments;
    int         code;
    const char *says;
  } cases[] = {
    { "report @/run --output @/run.html", 0, "run.html" },
    { "report @/run --output @/run.html", 1, "replace it with --force" },
    { "report @/run --output @/run.html --force", 0, "run.html" },
    { "report @", 3, "is not a run folder" },
    { "report", 2, "specify the folder of a run" },
    { "report @/run --price-kwh 0", 2, "The price of a kilowatt-hour has to be above 0." },
    { "report @/run --currency CHF", 2, "--currency needs --price-kwh" },
    { "report @/run --price-kwh 0.3 --currency=", 2, "write it as CHF or €" },
    { "figures @/run --output @/run.csv", 0, "run.csv" },
    { "figures @/run --output @/no/run.csv", 3, "Cannot open the folder" },
    { "figures @", 3, "is not a run folder" },
    { "mlflow @/run", 2, "specify the MLflow server" },
    { "mlflow @ --server http://127.0.0.1:1", 3, "is not a run folder" },
    { "debug-report @/run --output @/run.tar.gz", 0, "run.tar.gz" },
    { "debug-report @ --output @/none.tar.gz", 3, "is not a run folder" },
    { "debug-report @/run @/run", 2, "one run, or none" },
  };
  g_autofree char *command = NULL, *metrics = NULL, *again = NULL;

  engine_run_well_in (self->folder, TRAIN "--steps 6 --seed 7 --batch 8 --lr-g 0.003 --no-score");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto(EngineResult) result = engine_run_in (self->folder, cases[i].arguments);

      g_assert_cmpint (result.code, ==, cases[i].code);
      g_assert_nonnull (strstr (result.code == 0 ? result.out : result.err, cases[i].says));
    }
  command = dup_command (self);
  engine_run_well_in (self->folder, command);
  metrics = dup_metrics (self, "run");
  again = dup_metrics (self, "again");
  g_assert_cmpstr (metrics, ==, again);
}

/* As if the machine had stopped before the run was done, @seconds before it was started again. */
static void
set_back (const char *folder, const char *run, double seconds)
{
  static const char *const tables[] = { "session", "step", "sample", "checkpoint", "event", "worker" };
  g_autofree char *path = g_build_filename (folder, "runs", run, "run.db", NULL);
  g_autofree char *ini = g_build_filename (folder, "runs", run, "run.ini", NULL);
  g_autoptr(GString) sql = g_string_new ("DELETE FROM detail WHERE seq IN (SELECT seq FROM event WHERE text = 'finished');"
                                        "DELETE FROM event WHERE text = 'finished';");
  g_autoptr(GKeyFile) config = g_key_file_new ();
  sqlite3 *db = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    g_string_append_printf (sql, "UPDATE %s SET time = %.0f;", tables[i], urb_machine_get_boot_time () - seconds);
  if (g_str_equal (run, "second"))
    g_string_append (sql, "UPDATE event SET text = 'queued' WHERE text = 'running';");
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql->str, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
  g_assert_true (g_key_file_load_from_file (config, ini, G_KEY_FILE_KEEP_COMMENTS, NULL));
  g_key_file_set_integer (config, "train", "steps", 12);
  g_assert_true (g_key_file_save_to_file (config, ini, NULL));
}

/* Makes the folder of runs with runs of these names, six steps each. */
static void
make_runs (Fixture *self, const char *const *runs, gsize n)
{
  g_autofree char *place = g_build_filename (self->folder, "runs", NULL);

  g_assert_cmpint (g_mkdir (place, 0700), ==, 0);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *train
        = g_strdup_printf ("train --dataset @/areas.gpkg --preset @/mini.preset --run @/runs/%s --threads 1 --steps 6", runs[i]);

      engine_run_well_in (self->folder, train);
    }
}

/* Waits for step 12, and then for the end of the supervisor. */
static void
wait_for_end (Fixture *self, const char *run)
{
  g_autofree char *last = g_build_filename (self->folder, "runs", run, "checkpoints", "step-000000012.safetensors", NULL);
  g_autofree char *path = g_build_filename (self->folder, "runs", run, "lock", NULL);
  int lock = open (path, O_RDWR | O_CLOEXEC);

  g_assert_cmpint (lock, >=, 0);
  while (!g_file_test (last, G_FILE_TEST_EXISTS))
    g_usleep (20000);
  g_assert_cmpint (flock (lock, LOCK_SH), ==, 0);
  close (lock);
}

static void
test_nothing_interrupted (Fixture *self)
{
  g_auto(EngineResult) early = engine_run_in (self->folder, "resume --interrupted @/runs");
  g_auto(EngineResult) wrong = engine_run_in (self->folder, "resume --interrupted @/runs --steps 20 --lr-g 0.1");
  g_auto(EngineResult) nowhere = engine_run_in (self->folder, "resume --interrupted @/nowhere");

  g_assert_cmpint (early.code, ==, 0);
  g_assert_cmpstr (early.out, ==, "");
  g_assert_cmpint (wrong.code, ==, 2);
  g_assert_cmpint (nowhere.code, ==, 3);
  g_assert_nonnull (strstr (nowhere.err, "/nowhere"));
}

/* Two go on in the background, once; one of long ago is left out. */
static void
test_restart (Fixture *self, gconstpointer data)
{
  static const char *const runs[] = { "first", "second", "third" };
  const double hour = 3600, year = 365 * 24 * hour;
  g_auto(EngineResult) result = { 0 };

  make_runs (self, runs, G_N_ELEMENTS (runs));
  test_nothing_interrupted (self);
  set_back (self->folder, "first", hour);
  set_back (self->folder, "second", hour);
  set_back (self->folder, "third", year);
  result = engine_run_in (self->folder, "resume --interrupted @/runs");
  g_assert_cmpint (result.code, ==, 0);
  g_assert_nonnull (strstr (strstr (result.out, "runs/first\n"), "runs/second\n"));
  g_assert_null (strstr (result.out, "third"));
  g_assert_nonnull (strstr (result.err, "runs/third' ended more than 30 days before"));
  wait_for_end (self, "first");
  wait_for_end (self, "second");
}

/* A service of the system and the window may do so at the same time: no failure, and each run goes on once. */
static void
test_restart_twice (Fixture *self, gconstpointer data)
{
  static const char *const runs[] = { "first", "second" };
  g_autofree char *place = g_build_filename (self->folder, "runs", NULL);
  GSubprocess *both[2];

  make_runs (self, runs, G_N_ELEMENTS (runs));
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    set_back (self->folder, runs[i], 60);
  for (gsize i = 0; i < G_N_ELEMENTS (both); i++)
    both[i] = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, NULL, g_getenv ("URBARIUM_ENGINE"), "resume", "--interrupted", place, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (both); i++)
    {
      g_assert_true (g_subprocess_wait_check (both[i], NULL, NULL));
      g_object_unref (both[i]);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    wait_for_end (self, runs[i]);
}

/* A run that cannot go on has failed: it is not tried again after the next restart.  The others go on. */
static void
test_restart_fails (Fixture *self, gconstpointer data)
{
  static const char *const runs[] = { "first", "second" };
  g_autofree char *ini = g_build_filename (self->folder, "runs", "first", "run.ini", NULL);
  g_autofree char *missing = g_build_filename (self->folder, "gone.gpkg", NULL);
  g_autoptr(GKeyFile) config = g_key_file_new ();
  g_auto(EngineResult) result = { 0 }, again = { 0 };

  make_runs (self, runs, G_N_ELEMENTS (runs));
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    set_back (self->folder, runs[i], 60);
  g_assert_true (g_key_file_load_from_file (config, ini, G_KEY_FILE_KEEP_COMMENTS, NULL));
  g_key_file_set_string (config, "train", "dataset", missing);
  g_assert_true (g_key_file_save_to_file (config, ini, NULL));
  result = engine_run_in (self->folder, "resume --interrupted @/runs");
  g_assert_cmpint (result.code, ==, 3);
  g_assert_nonnull (strstr (result.err, "first: "));
  g_assert_nonnull (strstr (result.err, "gone.gpkg"));
  g_assert_nonnull (strstr (result.out, "runs/second\n"));
  wait_for_end (self, "second");
  again = engine_run_in (self->folder, "resume --interrupted @/runs");
  g_assert_cmpint (again.code, ==, 0);
  g_assert_cmpstr (again.err, ==, "");
}

static void
set_device (Fixture *self, const char *run, const char *device)
{
  g_autofree char *ini = g_build_filename (self->folder, "runs", run, "run.ini", NULL);
  g_autoptr(GKeyFile) config = g_key_file_new ();

  g_assert_true (g_key_file_load_from_file (config, ini, G_KEY_FILE_KEEP_COMMENTS, NULL));
  g_assert_true (g_key_file_has_key (config, "train", "backend", NULL));
  g_key_file_set_string (config, "train", "backend", device);
  g_assert_true (g_key_file_save_to_file (config, ini, NULL));
}

/* A run whose GPU is not there stays interrupted, and goes on when it is. */
static void
test_restart_later (Fixture *self, gconstpointer data)
{
  static const char *const runs[] = { "first" };

  make_runs (self, runs, G_N_ELEMENTS (runs));
  set_back (self->folder, "first", 60);
  set_device (self, "first", "cuda:99");
  for (int i = 0; i < 2; i++)
    {
      g_auto(EngineResult) result = engine_run_in (self->folder, "resume --interrupted @/runs");

      g_assert_cmpint (result.code, ==, 4);
      g_assert_nonnull (strstr (result.err, "first: "));
    }
  set_device (self, "first", "cpu");
  engine_run_well_in (self->folder, "resume --interrupted @/runs");
  wait_for_end (self, "first");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    g_test_add (changes[i].path, Fixture, &changes[i], set_up, test_diverged, tear_down);
  g_test_add ("/session/no-checkpoint", Fixture, NULL, set_up, test_no_checkpoint, tear_down);
  g_test_add ("/session/older-checkpoint", Fixture, NULL, set_up, test_older_checkpoint, tear_down);
  g_test_add ("/session/scaling", Fixture, NULL, set_up, test_scaling, tear_down);
  g_test_add ("/session/note", Fixture, NULL, set_up, test_note, tear_down);
  g_test_add ("/session/rank-memory", Fixture, NULL, set_up, test_rank_memory, tear_down);
  for (gsize i = 0; i < G_N_ELEMENTS (strategies); i++)
    {
      g_autofree char *name = g_strdup_printf ("/session/enough-rank-memory/%s", strategies[i]);

      g_test_add (name, Fixture, strategies[i], set_up, test_enough_rank_memory, tear_down);
    }
  g_test_add ("/session/config", Fixture, NULL, set_up, test_config, tear_down);
  g_test_add ("/session/preset-base", Fixture, NULL, set_up, test_preset_base, tear_down);
  g_test_add ("/session/config-from-stdin", Fixture, NULL, set_up, test_config_from_stdin, tear_down);
  g_test_add ("/session/config-is-written-once", Fixture, NULL, set_up, test_config_is_written_once,
              tear_down);
  g_test_add ("/session/old-config", Fixture, NULL, set_up, test_old_config, tear_down);
  g_test_add ("/session/damaged-refined", Fixture, NULL, set_up, test_damaged_refined, tear_down);
  g_test_add ("/session/wrong-resume", Fixture, NULL, set_up, test_wrong_resume, tear_down);
  g_test_add ("/session/resume-queued", Fixture, NULL, set_up, test_resume_queued, tear_down);
  g_test_add ("/session/restart", Fixture, NULL, set_up, test_restart, tear_down);
  g_test_add ("/session/restart-twice", Fixture, NULL, set_up, test_restart_twice, tear_down);
  g_test_add ("/session/restart-later", Fixture, NULL, set_up, test_restart_later, tear_down);
  g_test_add ("/session/restart-fails", Fixture, NULL, set_up, test_restart_fails, tear_down);
  g_test_add ("/session/refused", Fixture, NULL, set_up, test_refused, tear_down);
  g_test_add ("/session/trace", Fixture, NULL, set_up, test_trace, tear_down);
  g_test_add ("/session/trace-of-all", Fixture, NULL, set_up, test_trace_of_all, tear_down);
  g_test_add ("/session/trace-of-few", Fixture, NULL, set_up, test_trace_of_few, tear_down);
  g_test_add ("/session/scores", Fixture, NULL, set_up, test_scores, tear_down);
  g_test_add ("/session/film", Fixture, NULL, set_up, test_film, tear_down);
  g_test_add ("/session/film-place", Fixture, NULL, set_up, test_film_place, tear_down);
  g_test_add ("/session/dry-run", Fixture, NULL, set_up, test_dry_run, tear_down);
  g_test_add ("/session/find-batch", Fixture, NULL, set_up, test_find_batch, tear_down);
  g_test_add ("/session/find-rates", Fixture, NULL, set_up, test_find_rates, tear_down);
  g_test_add ("/session/told", Fixture, NULL, set_up, test_told, tear_down);
  g_test_add ("/session/detach", Fixture, NULL, set_up, test_detach, tear_down);
  return g_test_run ();
}
