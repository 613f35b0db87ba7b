/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-several.c - `train --several`: every run behaves as if it were alone,
 * whatever happens to the others.
 */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "engine-run.h"
#include "small-dataset.h"

typedef struct
{
  char *folder;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("urbarium-several-XXXXXX", NULL);
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

static EngineResult
run (Fixture *self, const char *arguments)
{
  return engine_run_in (self->folder, arguments);
}

#define TRAIN "train --dataset @/areas.gpkg --preset @/mini.preset "

/* Values are scaled after each run has its own. */
static void
test_scaling (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) result
    = run (self, TRAIN "--run @/sweep --several batch=4,8 --name Town --strategy ddp:2 "
                       "--communicator threads --scale-batch --scale-lr --steps 1 --at-once 1");
  g_autofree char *small = engine_read_setting (self->folder, "sweep/batch-4", "train", "batch");
  g_autofree char *large = engine_read_setting (self->folder, "sweep/batch-8", "train", "batch");
  g_autofree char *rate = engine_read_setting (self->folder, "sweep/batch-8", "train", "lr-g");
  g_autofree char *name = engine_read_setting (self->folder, "sweep/batch-8", "run", "name");

  g_assert_cmpint (result.code, ==, 0);
  g_assert_cmpstr (small, ==, "8");
  g_assert_cmpstr (large, ==, "16");
  g_assert_cmpstr (rate, ==, "0.002");
  g_assert_cmpstr (name, ==, "Town batch-8");
}

static JsonArray *
get_runs (JsonParser *parser, const EngineResult *result)
{
  g_autoptr(GError) error = NULL;

  json_parser_load_from_data (parser, result->out, -1, &error);
  g_assert_no_error (error);
  return json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "runs");
}

static double
get_last_loss (const char *records)
{
  const char *last = g_strrstr (records, "\"loss_g\":");

  g_assert_nonnull (last);
  return g_ascii_strtod (last + strlen ("\"loss_g\":"), NULL);
}

/* Ways to train are varied as any setting is, also beside what only one of them knows. */
static void
test_strategies (Fixture *self, gconstpointer data)
{
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_auto(EngineResult) all
    = run (self, TRAIN "--run @/sweep --several bucket-mib=1 --several strategy=ddp:2,tensor:2 --at-once 1 "
                       "--threads 2 --steps 2 --json");
  g_auto(EngineResult) lacks = run (self, TRAIN "--run @/lacks --several strategy=single,ddp --steps 2");
  JsonArray *runs;

  g_assert_cmpint (all.code, ==, 0);
  runs = get_runs (parser, &all);
  g_assert_cmpuint (json_array_get_length (runs), ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      JsonObject *one = json_array_get_object_element (runs, i);
      g_autofree char *ini = g_build_filename (json_object_get_string_member (one, "run"), "run.ini", NULL);
      g_autoptr(GKeyFile) config = g_key_file_new ();
      g_autofree char *strategy = NULL;

      g_assert_true (g_key_file_load_from_file (config, ini, G_KEY_FILE_NONE, NULL));
      strategy = g_key_file_get_string (config, "train", "strategy", NULL);
      g_assert_cmpstr (strategy, ==, i == 0 ? "ddp" : "tensor");
      g_assert_cmpfloat (g_key_file_get_double (config, "train", "bucket-mib", NULL), ==, 1);
      g_assert_cmpstr (json_object_get_string_member (one, "state"), ==, "finished");
    }
  g_assert_cmpint (lacks.code, ==, 2);
  g_assert_nonnull (strstr (lacks.err, "--several: strategy needs a number of ranks, as in ddp:2."));
}

/* Four runs, two at a time; each gives the same result as if run alone. */
static void
test_grid (Fixture *self, gconstpointer data)
{
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_auto(EngineResult) all
    = run (self, TRAIN "--run @/sweep --several seed=1,2 --several=lr-g=0.001,0.01 --at-once 2 "
                       "--threads 2 --steps 6 --json");
  g_auto(EngineResult) alone
    = run (self, TRAIN "--run @/alone --seed 2 --lr-g 0.01 --threads 1 --steps 6 --json");
  g_autofree char *csv_path = g_build_filename (self->folder, "sweep", "summary.csv", NULL);
  g_autofree char *csv = NULL;
  g_auto(GStrv) lines = NULL;
  JsonArray *runs;
  JsonObject *last;

  g_assert_cmpint (all.code, ==, 0);
  g_assert_cmpint (alone.code, ==, 0);
  runs = get_runs (parser, &all);
  g_assert_cmpuint (json_array_get_length (runs), ==, 4);
  for (guint i = 0; i < 4; i++)
    {
      JsonObject *one = json_array_get_object_element (runs, i);
      g_autofree char *checkpoint
        = g_build_filename (json_object_get_string_member (one, "run"), "checkpoints",
                            "step-000000006.safetensors", NULL);

      g_assert_cmpstr (json_object_get_string_member (one, "state"), ==, "finished");
      g_assert_cmpint (json_object_get_int_member (one, "step"), ==, 6);
      g_assert_cmpint (json_object_get_int_member (one, "images"), ==, 24);
      g_assert_true (g_file_test (checkpoint, G_FILE_TEST_IS_REGULAR));
    }
  last = json_array_get_object_element (runs, 3);
  g_assert_true (g_str_has_suffix (json_object_get_string_member (last, "run"),
                                   "/sweep/seed-2_lr-g-0.01"));
  /* A float, of which records have 15 digits. */
  g_assert_cmpfloat ((float) json_object_get_double_member (last, "loss_g"), ==,
                     (float) get_last_loss (alone.out));

  g_assert_true (g_file_get_contents (csv_path, &csv, NULL, NULL));
  lines = g_strsplit (csv, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 6);
  g_assert_cmpstr (lines[0], ==, "run,seed,lr-g,state,step,images,loss_d,loss_g,images_per_s");
  g_assert_true (g_str_has_prefix (lines[2], "seed-1_lr-g-0.01,1,0.01,finished,6,24,"));
  g_assert_cmpstr (lines[5], ==, "");
}

/* A failing run is reported and determines the exit code; the others train. */
static void
test_failure (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) result
    = run (self, TRAIN "--run @/sweep --several recipe=r3,nope,dcgan --at-once 1 --steps 3");
  g_autofree char *csv_path = g_build_filename (self->folder, "sweep", "summary.csv", NULL);
  g_autofree char *csv = NULL;

  g_assert_cmpint (result.code, ==, 2);
  g_assert_nonnull (strstr (result.err, "recipe-nope: recipe cannot be “nope”"));
  g_assert_true (g_file_get_contents (csv_path, &csv, NULL, NULL));
  g_assert_nonnull (strstr (csv, "\nrecipe-r3,r3,finished,3,12,"));
  g_assert_nonnull (strstr (csv, "\nrecipe-nope,nope,failed,0,0,,,\n"));
  g_assert_nonnull (strstr (csv, "\nrecipe-dcgan,dcgan,finished,3,12,"));
}

/* Ctrl+C stops all running trainings, starts no other, and leaves runs that can be resumed. */
static void
test_interrupt (Fixture *self, gconstpointer data)
{
  g_autofree char *line
    = fill_in (self, TRAIN "--run @/sweep --several seed=1,2,3 --at-once 2 --steps 1000000");
  g_auto(GStrv) words = g_strsplit (line, " ", -1);
  g_autoptr(GPtrArray) argv = g_ptr_array_new ();
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocess) process = NULL;
  g_autofree char *out = NULL, *err = NULL, *third = NULL;
  g_autoptr(GString) said = g_string_new (NULL);
  g_auto(EngineResult) resumed = { 0 };

  g_ptr_array_add (argv, (gpointer) g_getenv ("URBARIUM_ENGINE"));
  for (guint i = 0; words[i] != NULL; i++)
    g_ptr_array_add (argv, words[i]);
  g_ptr_array_add (argv, NULL);
  process = g_subprocess_newv ((const char *const *) argv->pdata,
                               G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
                               &error);
  g_assert_no_error (error);
  while (strstr (said->str, "seed-1: begins") == NULL || strstr (said->str, "seed-2: begins") == NULL)
    {
      char byte;

      g_assert_cmpint (g_input_stream_read (g_subprocess_get_stderr_pipe (process), &byte, 1, NULL,
                                            &error), ==, 1);
      g_string_append_c (said, byte);
    }
  g_subprocess_send_signal (process, SIGINT);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &out, &err, &error));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 130);
  g_assert_nonnull (strstr (err, "seed-1: stopped"));
  g_assert_nonnull (strstr (err, "seed-2: stopped"));
  g_assert_nonnull (strstr (out, "not started"));
  third = g_build_filename (self->folder, "sweep", "seed-3", NULL);
  g_assert_false (g_file_test (third, G_FILE_TEST_EXISTS));

  /* They have no supervisor any more, and have a checkpoint. */
  resumed = run (self, "resume @/sweep/seed-1 --max-minutes 0.0001");
  g_assert_cmpint (resumed.code, ==, 0);
}

/* A run folder cannot contain the runs of a sweep. */
static void
test_in_a_run (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) one = run (self, TRAIN "--run @/one --steps 2");
  g_auto(EngineResult) several = run (self, TRAIN "--run @/one --several seed=1,2 --steps 2");

  g_assert_cmpint (one.code, ==, 0);
  g_assert_cmpint (several.code, ==, 2);
  g_assert_nonnull (strstr (several.err, "is a run"));
}

static char *
read_summary (Fixture *self)
{
  g_autofree char *path = g_build_filename (self->folder, "sweep", "summary.csv", NULL);
  char *csv = NULL;

  g_assert_true (g_file_get_contents (path, &csv, NULL, NULL));
  return csv;
}

/* Repeating the command keeps finished runs, resumes stopped ones and starts the
 * rest; all results equal those of an uninterrupted sweep. */
static void
test_again (Fixture *self, gconstpointer data)
{
  const char *command = TRAIN "--run @/sweep --several seed=1,2,3 --at-once 1 --steps 6";
  g_auto(EngineResult) first
    = run (self, TRAIN "--run @/sweep --several seed=1,2,3 --at-once 1 --steps 6 --json");
  g_autofree char *before = read_summary (self);
  g_autofree char *rest = fill_in (self, "@/sweep/seed-3");
  g_autofree char *after = NULL, *half = NULL, *last = NULL;
  g_auto(EngineResult) again = { 0 }, other = { 0 }, more = { 0 }, done = { 0 };
  g_auto(GStrv) lines = NULL, lines_before = NULL;

  g_assert_cmpint (first.code, ==, 0);
  g_spawn_sync (NULL, (char *[]){ "rm", "-rf", rest, NULL }, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                NULL, NULL, NULL, NULL);
  last = fill_in (self, "@/sweep/seed-2/checkpoints/step-000000006.safetensors");
  g_assert_cmpint (g_unlink (last), ==, 0); /* as if killed before that */

  /* Different lists: nothing is changed. */
  other = run (self, TRAIN "--run @/sweep --several seed=1,2 --steps 6");
  g_assert_cmpint (other.code, ==, 2);
  g_assert_nonnull (strstr (other.err, "of other runs"));
  half = read_summary (self);
  g_assert_cmpstr (half, ==, before);

  again = run (self, command);
  g_assert_cmpint (again.code, ==, 0);
  g_assert_nonnull (strstr (again.err, "seed-1: is finished already"));
  g_assert_null (strstr (again.err, "seed-1: begins"));
  g_assert_nonnull (strstr (again.err, "seed-2: begins"));
  g_assert_nonnull (strstr (again.err, "seed-3: begins"));
  after = read_summary (self);
  lines_before = g_strsplit (before, "\n", -1);
  lines = g_strsplit (after, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 5);
  for (guint i = 1; i < 4; i++) /* the last field is the speed */
    g_assert_cmpint (strncmp (lines[i], lines_before[i],
                              (gsize) (strrchr (lines_before[i], ',') - lines_before[i])), ==, 0);

  /* More steps: all runs continue. */
  more = run (self, TRAIN "--run @/sweep --several seed=1,2,3 --at-once 1 --steps 8");
  g_assert_cmpint (more.code, ==, 0);
  g_free (after);
  after = read_summary (self);
  g_assert_nonnull (strstr (after, "\nseed-1,1,finished,8,32,"));
  g_assert_nonnull (strstr (after, "\nseed-3,3,finished,8,32,"));

  /* Nothing is left to do. */
  done = run (self, TRAIN "--run @/sweep --several seed=1,2,3 --at-once 1 --steps 8");
  g_assert_cmpint (done.code, ==, 0);
  g_assert_nonnull (strstr (done.err, "seed-3: is finished already"));
}

/* Predictable errors are reported before the first run starts. */
static void
test_bad_preset (Fixture *self, gconstpointer data)
{
  g_autofree char *sweep = g_build_filename (self->folder, "sweep", NULL);
  g_auto(EngineResult) listed = run (self, TRAIN "--run @/sweep --several preset=tiny,nope --steps 2");
  g_auto(EngineResult) common = run (self, "train --dataset @/areas.gpkg --preset nope "
                                           "--run @/sweep --several seed=1,2 --steps 2");

  g_assert_cmpint (listed.code, !=, 0);
  g_assert_nonnull (strstr (listed.err, "nope"));
  g_assert_cmpint (common.code, !=, 0);
  g_assert_nonnull (strstr (common.err, "nope"));
  g_assert_false (g_file_test (sweep, G_FILE_TEST_EXISTS));
}

/* Memory of one run of test_memory(). */
static gint64
read_needed (const EngineResult *plan)
{
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_autoptr(GError) error = NULL;
  JsonObject *preflight, *memory;

  json_parser_load_from_data (parser, plan->out, -1, &error);
  g_assert_no_error (error);
  preflight = json_object_get_object_member (
    json_node_get_object (json_parser_get_root (parser)), "preflight");
  memory = json_object_get_object_member (preflight, "memory");
  return json_object_get_int_member (memory, "needed");
}

/* Simulates this much memory for all runs. */
static EngineResult
run_in (Fixture *self, gint64 n_bytes, const char *arguments)
{
  struct rlimit before, limit;
  EngineResult result;

  g_assert_cmpint (getrlimit (RLIMIT_AS, &before), ==, 0);
  limit = before;
  limit.rlim_cur = (rlim_t) n_bytes;
  g_assert_cmpint (setrlimit (RLIMIT_AS, &limit), ==, 0);
  result = run (self, arguments);
  g_assert_cmpint (setrlimit (RLIMIT_AS, &before), ==, 0);
  return result;
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define IS_LIMITED 0 /* sanitizers reserve the whole address space */
#else
#define IS_LIMITED 1
#endif

#define BATCH "--batch 20000"

/* The limit of a process holds for each run, however many train at once. */
static void
test_memory (Fixture *self, gconstpointer data)
{
  g_autofree char *sweep = g_build_filename (self->folder, "sweep", NULL);
  g_auto(EngineResult) plan = run (self, "plan --preset @/mini.preset --threads 1 --json " BATCH);
  gint64 needed = read_needed (&plan);
  g_auto(EngineResult) none = { 0 };

  if (!IS_LIMITED)
    {
      g_test_skip ("the addresses of a program under test cannot be limited");
      return;
    }
  /* The program itself takes part of the limit. */
  none = run_in (self, needed - needed / 4,
                 TRAIN "--run @/sweep --several seed=1,2 --at-once 1 --threads 1 " BATCH);
  g_assert_cmpint (none.code, ==, 4);
  g_assert_nonnull (strstr (none.err, "(fits if --accumulate "));
  g_assert_false (g_file_test (sweep, G_FILE_TEST_EXISTS));
}

/* After an invalid option, the same command with a valid one works. */
static void
test_corrected (Fixture *self, gconstpointer data)
{
  g_autofree char *folder = fill_in (self, "@/sweep/seed-1");
  g_autofree char *ini = g_build_filename (folder, "run.ini", NULL);
  g_autofree char *csv = NULL;
  g_auto(EngineResult) wrong
    = run (self, TRAIN "--run @/sweep --several seed=1,2 --steps 2 --batch 4 --accumulate 3");
  g_auto(EngineResult) right = { 0 };

  g_assert_cmpint (wrong.code, ==, 2);
  g_assert_nonnull (strstr (wrong.err, "multiple of the number of microbatches"));
  /* Killed before its first record: there is a configuration, but no history. */
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (ini, "[run]\nname=x\n", -1, NULL));
  right = run (self, TRAIN "--run @/sweep --several seed=1,2 --steps 2 --batch 4 --accumulate 2");
  g_assert_cmpint (right.code, ==, 0);
  csv = read_summary (self);
  g_assert_nonnull (strstr (csv, "\nseed-1,1,finished,2,8,"));
  g_assert_nonnull (strstr (csv, "\nseed-2,2,finished,2,8,"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/several/strategies", Fixture, NULL, set_up, test_strategies, tear_down);
  g_test_add ("/several/grid", Fixture, NULL, set_up, test_grid, tear_down);
  g_test_add ("/several/failure", Fixture, NULL, set_up, test_failure, tear_down);
  g_test_add ("/several/scaling", Fixture, NULL, set_up, test_scaling, tear_down);
  g_test_add ("/several/interrupt", Fixture, NULL, set_up, test_interrupt, tear_down);
  g_test_add ("/several/again", Fixture, NULL, set_up, test_again, tear_down);
  g_test_add ("/several/corrected", Fixture, NULL, set_up, test_corrected, tear_down);
  g_test_add ("/several/bad-preset", Fixture, NULL, set_up, test_bad_preset, tear_down);
  g_test_add ("/several/memory", Fixture, NULL, set_up, test_memory, tear_down);
  g_test_add ("/several/in-a-run", Fixture, NULL, set_up, test_in_a_run, tear_down);
  return g_test_run ();
}
