/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-change-strategy.c - one run that changes its strategy repeatedly, through the
 * command line: the losses do not show it.
 */
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "engine-run.h"
#include "mpi-leaks.h"
#include "small-dataset.h"

enum { STEPS = 4 }; /* between two changes */

static void
remove_folder (const char *folder)
{
  g_autoptr(GError) error = NULL;

  g_spawn_sync (NULL, (char *[]){ "rm", "-rf", (char *) folder, NULL }, NULL, G_SPAWN_SEARCH_PATH,
                NULL, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

/* Returns: the loss of G in the last step record; replaces each "@" by @folder */
static double
run (const char *folder, const char *arguments, gint64 *step)
{
  g_auto(GStrv) parts = g_strsplit (arguments, "@", -1);
  g_autofree char *line = g_strjoinv (folder, parts);
  g_auto(EngineResult) result = engine_run (line);
  g_auto(GStrv) records = g_strsplit (result.out, "\n", -1);
  double loss = NAN;

  g_test_message ("%s\n%s", line, result.err);
  g_assert_cmpint (result.code, ==, 0);
  *step = 0;
  for (guint i = 0; records[i] != NULL; i++)
    if (strstr (records[i], "\"type\":\"step\"") != NULL)
      {
        g_autoptr(JsonParser) parser = json_parser_new ();
        JsonObject *record;

        g_assert_true (json_parser_load_from_data (parser, records[i], -1, NULL));
        record = json_node_get_object (json_parser_get_root (parser));
        g_assert_cmpint (json_object_get_int_member (record, "step"), ==,
                         *step > 0 ? *step + 1 : json_object_get_int_member (record, "step"));
        *step = json_object_get_int_member (record, "step");
        loss = json_object_get_double_member (record, "loss_g");
      }
  return loss;
}

static gboolean
can_run (const char *strategy)
{
  g_auto(EngineResult) devices = engine_run ("devices --json");
  g_autoptr(JsonParser) parser = json_parser_new ();
  JsonArray *names;

  g_assert_true (json_parser_load_from_data (parser, devices.out, -1, NULL));
  names = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)),
                                        "strategies");
  for (guint i = 0; i < json_array_get_length (names); i++)
    if (g_str_has_prefix (strategy, json_array_get_string_element (names, i)))
      return TRUE;
  return FALSE;
}

/* The processor's kernels for bf16 need it. */
static gboolean
has_avx512 (void)
{
  g_auto(EngineResult) devices = engine_run ("devices --json");
  g_autoptr(JsonParser) parser = json_parser_new ();
  JsonObject *processor;

  g_assert_true (json_parser_load_from_data (parser, devices.out, -1, NULL));
  processor = json_object_get_object_member (json_node_get_object (json_parser_get_root (parser)), "cpu");
  return g_str_has_prefix (json_object_get_string_member (processor, "isa"), "avx512");
}

static double
resume (const char *folder, const char *strategy, gint64 n_steps)
{
  g_autofree char *arguments
    = g_strdup_printf ("resume @/run --steps %" G_GINT64_FORMAT " --strategy %s --json", n_steps,
                       strategy);
  gint64 step;
  double loss = run (folder, arguments, &step);

  g_assert_cmpint (step, ==, n_steps);
  return loss;
}

#define TRAIN "train --dataset @/areas.gpkg --preset @/mini.preset --threads 2 --schedule-steps 100 " \
              "--json "

/* Synchronous strategies: the losses are those of one process, within the rounding errors of a dozen
 * steps. */
static void
test_synchronous (void)
{
  static const char *const strategies[] = { "ddp:2", "dp:2", "mesh:4 --mesh data=2,pipe=2", "ddp:4",
                                            "mesh --mesh tensor=2,pipe=2 --split all", "single" };
  g_autofree char *folder = g_dir_make_tmp ("urbarium-strategies-XXXXXX", NULL);
  gint64 n_steps = STEPS, step;

  small_dataset_write (folder);
  run (folder, TRAIN "--run @/run --steps 4", &step);
  for (gsize i = 0; i < G_N_ELEMENTS (strategies); i++)
    {
      g_autofree char *straight = NULL;
      double loss, expected;

      n_steps += STEPS;
      loss = resume (folder, strategies[i], n_steps);
      straight = g_strdup_printf (TRAIN "--run @/straight --force --steps %" G_GINT64_FORMAT,
                                  n_steps);
      expected = run (folder, straight, &step);
      g_assert_cmpfloat_with_epsilon (loss, expected, 1e-3 * fabs (expected));
    }
  remove_folder (folder);
}

/* The ranks of a mesh are threads or processes: the losses are the same, to the bit. */
static void
test_mesh_by_mpi (void)
{
  static const char *const meshes[] = { "--mesh data=2,pipe=2 --accumulate 2 --zero 1",
                                        "--mesh tensor=2,pipe=2 --split all" };
  g_autofree char *mpirun = g_find_program_in_path ("mpirun");
  g_autofree char *folder = NULL;

  if (mpirun == NULL)
    {
      g_test_skip ("mpirun is not installed");
      return;
    }
  allow_mpi_leaks ();
  folder = g_dir_make_tmp ("urbarium-strategies-XXXXXX", NULL);
  small_dataset_write (folder);
  for (gsize i = 0; i < G_N_ELEMENTS (meshes); i++)
    {
      g_autofree char *threads = g_strdup_printf (TRAIN "--run @/threads --force --steps 4 %s", meshes[i]);
      g_autofree char *processes = g_strdup_printf (TRAIN "--run @/mpi --force --steps 4 --communicator mpi %s",
                                                    meshes[i]);
      gint64 step;
      double expected = run (folder, threads, &step);

      g_assert_cmpfloat (run (folder, processes, &step), ==, expected);
      g_assert_cmpint (step, ==, STEPS);
    }
  remove_folder (folder);
}

/* A run whose device is missing reports that, and continues on another one. */
static void
test_device (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-strategies-XXXXXX", NULL);
  g_autofree char *refused_line = g_strdup_printf ("resume %s/run --steps 8 --device cuda:99",
                                                   folder);
  g_autofree char *wrong_line = g_strdup_printf ("resume %s/run --steps 8 --precision fp8", folder);
  g_auto(EngineResult) refused = { 0 }, wrong = { 0 };
  gint64 step;

  small_dataset_write (folder);
  run (folder, TRAIN "--run @/run --steps 4", &step);
  refused = engine_run (refused_line);
  g_assert_cmpint (refused.code, !=, 0);
  g_assert_true (strstr (refused.err, "No GPU can be used") != NULL
                 || strstr (refused.err, "There is no device “cuda:99”") != NULL);
  wrong = engine_run (wrong_line);
  g_assert_cmpint (wrong.code, !=, 0);
  g_assert_nonnull (strstr (wrong.err, "--precision cannot be “fp8”"));
  if (has_avx512 ())
    {
      g_assert_true (isfinite (run (folder, "resume @/run --json --steps 8 --device cpu "
                                            "--precision bf16", &step)));
      g_assert_cmpint (step, ==, 8);
    }
  else
    {
      g_autofree char *bf16_line = g_strdup_printf ("resume %s/run --steps 8 --precision bf16", folder);
      g_auto(EngineResult) bf16 = engine_run (bf16_line);

      g_assert_cmpint (bf16.code, !=, 0);
      g_assert_nonnull (strstr (bf16.err, "choose --precision fp32"));
    }
  remove_folder (folder);
}

/* Asynchronous strategies can continue a run, too, and hand it back. */
static void
test_asynchronous (void)
{
  static const char *const strategies[] = { "hogwild:2", "single", "streams:2", "ddp:2" };
  g_autofree char *folder = g_dir_make_tmp ("urbarium-strategies-XXXXXX", NULL);
  gint64 n_steps = STEPS, step;

  if (!can_run ("hogwild:2") || !can_run ("streams:2"))
    {
      g_test_skip ("this version has no asynchronous strategy");
      remove_folder (folder);
      return;
    }
  small_dataset_write (folder);
  run (folder, TRAIN "--run @/run --steps 4", &step);
  for (gsize i = 0; i < G_N_ELEMENTS (strategies); i++)
    {
      n_steps += STEPS;
      g_assert_true (isfinite (resume (folder, strategies[i], n_steps)));
    }
  remove_folder (folder);
}

/* --json and run.db report asynchrony per worker; the updates add up to the steps. */
static void
test_staleness (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-strategies-XXXXXX", NULL);
  g_autofree char *line = NULL;
  g_auto(EngineResult) result = { 0 };
  g_auto(GStrv) records = NULL;
  g_autoptr(JsonParser) parser = json_parser_new ();
  JsonArray *workers;
  const char *last = NULL;
  gint64 n_publishes = 0;

  small_dataset_write (folder);
  line = g_strdup_printf ("train --dataset %s/areas.gpkg --preset %s/mini.preset --threads 2 --run "
                          "%s/run --steps 6 --strategy hogwild:2 --json", folder, folder, folder);
  result = engine_run (line);
  g_assert_cmpint (result.code, ==, 0);
  records = g_strsplit (result.out, "\n", -1);
  for (guint i = 0; records[i] != NULL; i++)
    if (strstr (records[i], "\"code\":\"asynchrony\"") != NULL)
      last = records[i];
  g_assert_nonnull (last);
  g_test_message ("%s", last);
  g_assert_true (json_parser_load_from_data (parser, last, -1, NULL));
  workers = json_object_get_array_member (
    json_object_get_object_member (json_node_get_object (json_parser_get_root (parser)), "details"),
    "workers");
  g_assert_cmpuint (json_array_get_length (workers), ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      JsonObject *g = json_object_get_object_member (json_array_get_object_element (workers, i), "g");
      JsonArray *staleness = json_object_get_array_member (g, "staleness");
      gint64 sum = 0;

      for (guint lag = 0; lag < json_array_get_length (staleness); lag++)
        sum += json_array_get_int_element (staleness, lag);
      g_assert_cmpint (sum, ==, json_object_get_int_member (g, "publishes"));
      n_publishes += sum;
    }
  g_assert_cmpint (n_publishes, ==, 6);
  remove_folder (folder);
}

static char *
read_option (const char *folder, const char *key)
{
  g_autofree char *path = g_build_filename (folder, "run", "run.ini", NULL);
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autoptr(GError) error = NULL;
  char *value;

  g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, &error);
  g_assert_no_error (error);
  value = g_key_file_get_string (file, "train", key, &error);
  g_assert_no_error (error);
  return value;
}

/* Doubling the ranks doubles the batch and the learning rates.  A further strategy does not double
 * them again, and drops the options of the previous one. */
static void
test_scaling (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-strategies-XXXXXX", NULL);
  g_autofree char *rate = NULL, *batch = NULL, *bucket = NULL, *rate_after = NULL, *batch_after = NULL,
                  *bucket_after = NULL, *wrong = NULL;
  g_auto(EngineResult) refused = { 0 };
  gint64 step;

  small_dataset_write (folder); /* 4 images, 0.001 */
  run (folder, TRAIN "--run @/run --steps 2 --strategy ddp:2 --scale-batch --scale-lr --bucket-mib 3",
       &step);
  rate = read_option (folder, "lr-g");
  batch = read_option (folder, "batch");
  bucket = read_option (folder, "bucket-mib");
  g_assert_cmpfloat_with_epsilon (g_ascii_strtod (rate, NULL), 0.002, 1e-9);
  g_assert_cmpstr (batch, ==, "8");
  g_assert_cmpfloat (g_ascii_strtod (bucket, NULL), ==, 3);

  resume (folder, "dp:2", 4);
  rate_after = read_option (folder, "lr-g");
  batch_after = read_option (folder, "batch");
  bucket_after = read_option (folder, "bucket-mib");
  g_assert_cmpstr (rate_after, ==, rate);
  g_assert_cmpstr (batch_after, ==, batch);
  g_assert_cmpfloat (g_ascii_strtod (bucket_after, NULL), ==, 25);
  wrong = g_strdup_printf ("resume %s/run --strategy ddp:2 --communicator nccl", folder);
  refused = engine_run (wrong);
  g_assert_cmpint (refused.code, ==, 2);
  g_assert_nonnull (strstr (refused.err, "connects GPUs"));
  remove_folder (folder);
}

/* --trace: the timeline of both ranks, in the given file and in the run folder. */
static void
test_trace (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-trace-XXXXXX", NULL);
  g_autofree char *asked = g_build_filename (folder, "t.json", NULL);
  g_autofree char *kept = g_build_filename (folder, "run", "trace.json", NULL);
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_autoptr(GError) error = NULL;
  JsonObject *summary;
  gint64 step;

  small_dataset_write (folder);
  run (folder, "train --dataset @/areas.gpkg --preset @/mini.preset --run @/run --steps 7 "
               "--strategy ddp:2 --trace @/t.json --json", &step);
  g_assert_cmpint (step, ==, 7);
  g_assert_true (g_file_test (kept, G_FILE_TEST_IS_REGULAR));
  json_parser_load_from_file (parser, asked, &error);
  g_assert_no_error (error);
  summary = json_object_get_object_member (json_node_get_object (json_parser_get_root (parser)),
                                           "otherData");
  g_assert_cmpint (json_object_get_int_member (summary, "first_step"), ==, 3);
  g_assert_cmpint (json_object_get_int_member (summary, "steps"), ==, 5);
  g_assert_cmpint (json_object_get_int_member (summary, "ranks"), ==, 2);
  remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/change-strategy/synchronous", test_synchronous);
  g_test_add_func ("/change-strategy/mesh-by-mpi", test_mesh_by_mpi);
  g_test_add_func ("/change-strategy/device", test_device);
  g_test_add_func ("/change-strategy/asynchronous", test_asynchronous);
  g_test_add_func ("/change-strategy/staleness", test_staleness);
  g_test_add_func ("/change-strategy/scaling", test_scaling);
  g_test_add_func ("/change-strategy/trace", test_trace);
  return g_test_run ();
}
