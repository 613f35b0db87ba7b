/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-command-line.c - the command line of urbarium-engine: help, exit codes,
 * JSON, Ctrl+C, and manual pages that document every option.
 *
 * The list of commands is read from `urbarium-engine --help`, so new ones are
 * tested automatically.  URBARIUM_ENGINE names the program, URBARIUM_MAN the
 * folder of the manual pages.
 */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>

#include "engine-run.h"
#include "fake-gpus.h"

static void
assert_exit (const char *arguments, int code, const char *said)
{
  g_auto(EngineResult) result = engine_run (arguments);

  if (result.code != code)
    g_test_message ("urbarium-engine %s: exit code %d, expected %d\n%s", arguments, result.code,
                    code, result.err);
  g_assert_cmpint (result.code, ==, code);
  if (code != 0)
    g_assert_cmpstr (result.err, !=, "");
  if (said != NULL && strstr (result.err, said) == NULL)
    {
      g_test_message ("urbarium-engine %s does not say '%s' but:\n%s", arguments, said, result.err);
      g_test_fail ();
    }
}

/* The commands that --help lists. */
static char **
list_commands (void)
{
  g_auto(EngineResult) result = engine_run ("--help");
  g_auto(GStrv) lines = g_strsplit (result.out, "\n", -1);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  g_assert_cmpint (result.code, ==, 0);
  for (guint i = 0; lines[i] != NULL; i++)
    if (g_regex_match_simple ("^  [a-z]+ +[A-Z]", lines[i], 0, 0))
      g_ptr_array_add (names, g_strndup (lines[i] + 2, strcspn (lines[i] + 2, " ")));
  g_assert_cmpuint (names->len, >=, 9);
  g_ptr_array_add (names, NULL);
  g_ptr_array_set_free_func (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

static void
test_help (void)
{
  g_auto(GStrv) commands = list_commands ();

  for (guint i = 0; commands[i] != NULL; i++)
    {
      g_autofree char *arguments = g_strdup_printf ("%s --help", commands[i]);
      g_autofree char *usage = g_strdup_printf ("urbarium-engine %s [OPTION", commands[i]);
      g_auto(EngineResult) result = engine_run (arguments);

      g_test_message ("%s", arguments);
      g_assert_cmpint (result.code, ==, 0);
      g_assert_nonnull (strstr (result.out, usage));
      g_assert_cmpstr (result.err, ==, "");
    }
}

static void
test_wrong_usage (void)
{
  g_auto(GStrv) commands = list_commands ();

  assert_exit ("", 2, "Usage:");
  assert_exit ("paint", 2, "no command 'paint'");
  for (guint i = 0; commands[i] != NULL; i++)
    {
      g_autofree char *arguments = g_strdup_printf ("%s --no-such-option", commands[i]);

      assert_exit (arguments, 2, "--no-such-option");
    }
  assert_exit ("sample", 2, "Specify the file to write");
  assert_exit ("sample --size-km 0.1 town.gpkg", 2, "--size-km");
  assert_exit ("sample --size-km nan town.gpkg", 2, "--size-km");
  assert_exit ("sample --size-km many town.gpkg", 2, "many");
  assert_exit ("devices all", 2, "all");
}

static void
test_missing_files (void)
{
  static const char *const cases[] = {
    "train --dataset /nowhere/areas.gpkg --run /nowhere/run",
    "resume /nowhere/run",
    "generate /nowhere/run --count 1 --out /nowhere/out",
    "evaluate /nowhere/run --dataset /nowhere/areas.gpkg",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_exit (cases[i], 3, "/nowhere/");
}

static void
test_missing_maps (void)
{
#if URBARIUM_HAVE_GEO
  assert_exit ("inspect /nowhere/map.gpkg", 3, "/nowhere/map.gpkg");
  assert_exit ("curate /nowhere/map.gpkg --out /nowhere/areas.gpkg", 3, "/nowhere/map.gpkg");
#else
  assert_exit ("inspect /nowhere/map.gpkg", 1, "-Dgeo=disabled");
  assert_exit ("curate /nowhere/map.gpkg --out /nowhere/areas.gpkg", 1, "-Dgeo=disabled");
  assert_exit ("sample /nowhere/town.gpkg", 1, "-Dgeo=disabled");
#endif
}

/* An image of one building, 16 pixels wide. */
static void
write_picture (const char *path)
{
  gsize n_bytes;
  g_autoptr(GError) error = NULL;
  g_autofree guchar *png
    = g_base64_decode (
      "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAAAAAA6mKC9AAAAFklEQVR42mNoQAMMZAr8h4KBFqDQ"
      "LwDj/J/BapvtygAAAABJRU5ErkJggg==",
      &n_bytes);

  g_file_set_contents (path, (const char *) png, (gssize) n_bytes, &error);
  g_assert_no_error (error);
}

/* The kind of error determines the exit code, whichever module detects it. */
static void
test_wrong_pictures (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-cli-XXXXXX", NULL);
  g_autofree char *picture = g_build_filename (folder, "a.png", NULL);
  g_autofree char *plan = g_build_filename (folder, "a.svg", NULL);
  g_autofree char *good = g_strdup_printf ("vectorize %s --out %s", picture, plan);
  g_autofree char *unknown = g_strdup_printf ("vectorize %s --out %s.txt", picture, plan);
  g_autofree char *no_picture = g_strdup_printf ("vectorize %s --out %s", plan, plan);

  write_picture (picture);
  assert_exit (good, 0, NULL);
  assert_exit (unknown, 2, ".geojson");
  assert_exit (no_picture, 3, "not a PNG");
  g_assert_cmpint (g_unlink (picture) + g_unlink (plan) + g_rmdir (folder), ==, 0);
}

static void
test_wrong_preset (void)
{
  g_autofree char *path = NULL, *arguments = NULL;
  g_autoptr(GError) error = NULL;
  int fd = g_file_open_tmp ("urbarium-XXXXXX.preset", &path, &error);

  g_assert_no_error (error);
  g_close (fd, NULL);
  arguments = g_strdup_printf ("plan --preset %s", path); /* empty */
  assert_exit (arguments, 2, "cannot be used");
  assert_exit ("plan --preset nowhere", 2, "no preset");
  assert_exit ("plan --preset /dev/zero", 2, "'/dev/zero' is not a regular file");
  assert_exit ("plan --preset /", 2, "'/' is not a regular file");
  g_unlink (path);
}

/* Contradictory options are refused with a reason. */
static void
test_wrong_strategy (void)
{
  static const struct { const char *arguments; int code; const char *said; } cases[] = {
    { "plan --strategy pipeline:2", 2, "There is no strategy" },
    { "plan --strategy hogwild:0", 2, "from 1 to" },
    { "plan --strategy ddp:3 --batch 16", 2,
      "ranks is 2 or 4, or, for a new run, the nearest --batch is 15 or 18" },
    { "plan --strategy ddp:4 --batch 3", 2, "ranks is 3, or" },
    { "plan --strategy ddp:-2", 2, "from 1 to" },
    { "plan --strategy ddp:2x", 2, "from 1 to" },
    { "plan --strategy ddp:", 2, "from 1 to" },
    { "plan --strategy ddp", 2, "ddp:2" },
    { "plan --strategy ddp:2 --ranks 3", 2, "leave one of them out" },
    { "plan --strategy single:2", 2, "one process" },
    { "plan --ranks 2", 2, "one process" },
    { "plan --ranks -1", 2, "--ranks" },
    { "plan --strategy ddp:2 --communicator pigeon", 2, "pigeon" },
    { "plan --strategy ddp:2 --communicator nccl", 2, "connects GPUs" },
    { "bench --strategy ddp:2 --communicator nccl", 2, "connects GPUs" },
    { "train --dataset a --run b --strategy ddp:2 --communicator nccl", 2, "connects GPUs" },
    { "plan --strategy dp:2 --communicator mpi", 2, "--communicator is an option of ddp" },
    { "plan --strategy hogwild:2 --sharing pipe", 2, "file_descriptor" },
    { "plan --strategy ddp:2 --staleness 2", 2, "hogwild and streams" },
    { "plan --strategy hogwild:2 --staleness -3", 2, "--staleness" },
    { "plan --strategy hogwild:2 --staleness -1", 2, "--staleness" },
    { "plan --strategy hogwild:2 --bucket-mib 4", 2, "--bucket-mib is an option of ddp" },
    { "plan --strategy ddp:2 --bucket-mib 0", 2, "--bucket-mib must be" },
    { "plan --strategy ddp:2 --bucket-mib -1", 2, "--bucket-mib must be" },
    { "plan --strategy ddp:2 --bucket-mib nan", 2, "--bucket-mib must be" },
    { "plan --strategy hogwild:2 --scale-lr", 2, "--scale-lr is an option of dp, ddp, zero1" },
    { "plan --strategy tensor:2 --no-sync-batch-norm", 2, "--no-sync-batch-norm is an option of dp, ddp, zero1" },
    { "plan --strategy tensor:2 --split thin", 2, "auto or all" },
    { "plan --mesh data=2,depth=2", 2, "“depth=2” is no axis of a mesh" },
    { "plan --mesh data=2,data=2", 2, "at most once" },
    { "plan --mesh data=0", 2, "no axis of a mesh" },
    { "plan --mesh data=2,pipe=2 --ranks 3", 2, "has 4 ranks, and not 3" },
    { "plan --strategy mesh:4", 2, "Which mesh?" },
    { "plan --strategy ddp:2 --mesh data=2", 2, "--mesh is an option of mesh" },
    { "plan --mesh tensor=2,pipe=4 --simulate hosts=2,gpus=2", 2, "has 8 ranks, and these machines have 4" },
    { "plan --roofline v100", 2, "“v100” describes no GPU; write h200, h100" },
    { "plan --roofline tflops=7", 2, "both of what yours reaches" },
    { "plan --roofline h200 --recommend", 2, "--roofline asks nothing of this machine" },
    { "plan --roofline h200 --memory 12GiB", 2, "--roofline asks nothing of this machine" },
    { "plan --mesh data=2,tensor=2 --zero 1", 2, "--zero divides layers that are not divided" },
    { "plan --mesh pipe=2 --zero 1", 2, "of which the mesh pipe=2 has one" },
    { "plan --mesh data=2,tensor=2 --no-sync-batch-norm", 2, "is not possible in a mesh with tensor" },
    { "plan --mesh data=3,pipe=2 --batch 16", 2, "the nearest --batch is 15 or 18" },
    { "plan --strategy zero2:2 --prefetch 3", 2, "--prefetch is an option of zero3" },
    { "plan --strategy fsdp:0", 2, "from 1 to" },
    { "train --dataset a --run b --several seed=1,2,1", 2, "seed-1" },
    { "train --dataset a --run b --several seed=", 2, "has no values" },
    { "train --dataset a --run b --several seed=one", 2, "seed needs a whole number, not “one”" },
    { "train --dataset a --run b --several lr-g=7", 2,
      "lr-g must be above 0 and at most 1, and is 7." },
    { "train --dataset a --run b --several recipe=r3,", 2, "recipe has an empty value" },
    { "train --dataset a --run b --several steps=1,2", 2, "cannot be varied" },
    { "train --dataset a --run b --lr-final 0", 2,
      "--lr-final must be above 0 and at most 1, and is 0." },
    { "train --dataset a --run b --several seed=1 --several seed=2", 2, "twice" },
    { "train --dataset a --run b --several seed=1,2 --at-once -1", 2, "--at-once" },
    { "train --dataset a --run b --at-once 2", 2, "--several" },
    { "train --dataset a --run b --several seed=1 --detach", 2, "foreground" },
    { "bench --strategy hogwild:2", 2, "measure streams" },
    { "bench --strategy ddp:2 --communicator mpi", 2, "measure --communicator threads" },
    { "bench --ab single", 2, "compares two" },
    { "bench --ab single single", 2, "--dataset FILE and --out DIR" },
    { "bench --ab single single --dataset a --out b --evaluations 2", 2, "--evaluations" },
    { "bench --ab single single --dataset a --out b --minutes 0", 2, "--minutes" },
    { "bench --ab single warp:2 --dataset a --out b", 2, "There is no strategy" },
    { "bench --ab single single --dataset a --out b --strategy single", 2, "--full-lr" },
    { "bench --local-moments", 2, "--local-moments is an option of" },
    { "train --dataset a --run b --strategy hogwild:2 --hosts /nowhere/hosts", 2,
      "--hosts is an option of ddp" },
    { "train --dataset a --run b --strategy ddp:2 --hosts /nowhere/hosts", 3,
      "--hosts '/nowhere/hosts' cannot be read; it has one host a line, as “name slots=2”" },
    { "train --dataset a --run b --strategy ddp:2 --master here", 2, "--master: “here” is no address with a port" },
    { "train --master here --rank 1 --world-size 2", 2, "write for example 10.0.0.1:29500" },
    { "train --master 10.0.0.1:29500 --rank 2 --world-size 2", 2, "--rank is from 0 to" },
    { "train --master 10.0.0.1:29500 --rank 1", 2, "--rank R needs --world-size N, with N of at least 2" },
    { "train --dataset a --run b --world-size 2", 2, "add --master" },
    { "train --dataset a --run b --strategy ddp:2 --communicator mpi --master 10.0.0.1:29500", 2,
      "exchange data through rank 0" },
    { "train --dataset a --run b --strategy ddp:2 --token-file c", 2, "add --master ADDRESS:PORT, or leave it out" },
    { "train --dataset a --run b --strategy ddp:2 --master none --token-file c", 2, "--token-file is for ranks" },
    { "train --dataset a --run b --master 10.0.0.1:29500", 2, "--master is an option of" },
    { "train --dataset a --run b --strategy ddp:2 --hosts /dev/null", 3, "'/dev/null' is not a regular file" },
  };
  g_autofree char *hosts = NULL, *none = NULL, *threads = NULL;
  int fd = g_file_open_tmp ("urbarium-hosts-XXXXXX", &hosts, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_exit (cases[i].arguments, cases[i].code, cases[i].said);
  g_assert_cmpint (fd, >=, 0);
  close (fd);
  none = g_strdup_printf ("train --dataset a --run b --strategy ddp:2 --hosts %s", hosts); /* empty */
  threads = g_strconcat (none, " --communicator threads", NULL);
  assert_exit (none, 2, "this machine first");
  assert_exit (threads, 2, "Threads are of one host");
  g_unlink (hosts);
}

/* A file of settings is checked as options are. */
static void
test_config (void)
{
  static const struct { const char *text; int code; const char *said; } cases[] = {
    { "[train]\nsteps=20\n", 0, NULL },
    { "[train]\nstrategy=ddp:2\n", 0, NULL },
    { "[run]\nsteps=20\n", 3, "There is no setting [run] steps; write [train] steps." },
    { "[train]\ndevice=reference\n", 3, "write [train] backend." },
    { "[train]\nranks=4\n", 2, "one process" },
    { "[train]\nstrategy=ddp\n", 2, "How many ranks" },
    { "[train]\nstaleness=3\n", 2, "the strategy is single" },
    { "[train]\nlr-g=3\n", 2, "[train] lr-g must be above 0 and at most 1, and is 3." },
    { "[train]\nstrategy=ddp:2\n[run]\nhosts=nowhere\n", 3, "/nowhere' cannot be read" },
  };
  g_autofree char *folder = g_dir_make_tmp ("urbarium-cli-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "own.ini", NULL);
  g_autofree char *plan = g_strdup_printf ("plan --config %s", path);
  g_autofree char *ranks = g_strconcat (plan, " --ranks 2", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_assert_true (g_file_set_contents (path, cases[i].text, -1, NULL));
      assert_exit (plan, cases[i].code, cases[i].said);
    }
  g_assert_true (g_file_set_contents (path, "[train]\nstrategy=ddp\n", -1, NULL));
  assert_exit (ranks, 0, NULL);
  g_assert_cmpint (g_unlink (path) + g_rmdir (folder), ==, 0);
}

/* A mesh grows along data, with the batch, up to the ranks of the machine. */
static void
test_simulate_mesh (void)
{
  g_auto(EngineResult) result = engine_run ("plan --json --preset tiny --batch 16 --accumulate 2 --mesh "
                                            "data=2,pipe=2 --simulate hosts=3,gpus=4,tflops=1");
  g_autoptr(JsonParser) parser = json_parser_new ();
  JsonArray *curve;

  g_assert_true (json_parser_load_from_data (parser, result.out, -1, NULL));
  curve = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "curve");
  g_assert_cmpuint (json_array_get_length (curve), ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      JsonObject *row = json_array_get_object_element (curve, i);
      gint64 n_ranks = json_object_get_int_member (row, "ranks");

      g_assert_cmpint (n_ranks, ==, i < 2 ? 4 << i : 12);
      g_assert_cmpint (json_object_get_int_member (row, "batch"), ==, 4 * n_ranks);
      g_assert_cmpfloat (json_object_get_double_member (row, "images_per_second"), >, 0);
    }
}

/* No GPU is needed, and none is used. */
static void
test_roofline (void)
{
  g_auto(EngineResult) result = engine_run ("plan --json --preset tiny --batch 16 --recipe dcgan --precision bf16 "
                                            "--device cuda --roofline tflops=1,tbytes=0.5");
  g_auto(EngineResult) text = engine_run ("plan --preset tiny --roofline h200 --batch 16 --strategy ddp:4");
  g_autoptr(JsonParser) parser = json_parser_new ();
  JsonObject *root;
  double seconds;

  g_assert_cmpint (text.code, ==, 0);
  g_assert_nonnull (strstr (text.out, "Least cost of a step of 4 images (the first rank of 4) in fp32 on an H200, at "));
  g_assert_nonnull (strstr (text.out, " images/s (the first rank of 4); "));
  g_assert_cmpint (result.code, ==, 0);
  g_assert_true (json_parser_load_from_data (parser, result.out, -1, NULL));
  root = json_node_get_object (json_parser_get_root (parser));
  seconds = json_object_get_double_member (root, "seconds");
  g_assert_cmpint (json_object_get_int_member (root, "images"), ==, 16);
  g_assert_cmpfloat (json_object_get_double_member (root, "flop_per_second"), ==, 1e12);
  g_assert_cmpfloat (seconds, >=, json_object_get_double_member (root, "convolution_flop") / 1e12);
  g_assert_cmpfloat_with_epsilon (16 / seconds, json_object_get_double_member (root, "images_per_second"), 1e-6);
}

/* `settings` names the keys of files. */
static void
test_settings (void)
{
  g_auto(EngineResult) text = engine_run ("settings"), json = engine_run ("settings --json");
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_autoptr(GHashTable) rows = g_hash_table_new (g_str_hash, g_str_equal);
  JsonArray *all;
  JsonObject *row;

  g_assert_nonnull (strstr (text.out, " [train] backend "));
  g_assert_nonnull (strstr (text.out, " [run] sample_every "));
  g_assert_nonnull (strstr (text.out, "above 0 and at most 1"));
  g_assert_true (json_parser_load_from_data (parser, json.out, -1, NULL));
  all = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "run");
  for (guint i = 0; i < json_array_get_length (all); i++)
    {
      row = json_array_get_object_element (all, i);
      g_hash_table_insert (rows, (gpointer) json_object_get_string_member (row, "key"), row);
    }
  row = g_hash_table_lookup (rows, "device");
  g_assert_cmpstr (json_object_get_string_member (row, "file_group"), ==, "train");
  g_assert_cmpstr (json_object_get_string_member (row, "file_key"), ==, "backend");
  g_assert_cmpstr (json_object_get_string_member (row, "default_value"), ==, "cpu");
  row = g_hash_table_lookup (rows, "sample-every");
  g_assert_cmpstr (json_object_get_string_member (row, "file_group"), ==, "run");
  g_assert_cmpstr (json_object_get_string_member (row, "file_key"), ==, "sample_every");
  row = g_hash_table_lookup (rows, "bucket-mib");
  g_assert_cmpfloat (json_object_get_double_member (row, "default_value"), ==, 25);
  row = g_hash_table_lookup (rows, "sync-batch-norm");
  g_assert_true (json_object_get_boolean_member (row, "default_value"));
  row = g_hash_table_lookup (rows, "lr-g");
  g_assert_true (json_object_get_null_member (row, "default_value"));
  g_assert_true (json_object_get_boolean_member (row, "above_min"));
}

/* `bench` prints what it measured; each rank has at least one thread, and the peak is that of all
 * threads. */
static void
test_bench (void)
{
  g_auto(EngineResult) text
    = engine_run ("bench --strategy streams:3 --threads 1 --batch 4 --warmup 0 --steps 1");
  g_auto(EngineResult) json
    = engine_run ("bench --strategy streams:3 --threads 1 --batch 4 --warmup 0 --steps 1 --json");

  g_assert_cmpint (text.code, ==, 0);
  g_assert_nonnull (strstr (text.out, ", streams:3 on 3 threads: "));
  g_assert_nonnull (strstr (json.out, "\"strategy\" : \"streams\""));
  g_assert_nonnull (strstr (json.out, "\"ranks\" : 3"));
  g_assert_nonnull (strstr (json.out, "\"threads\" : 3"));
}

/* The help of a command does not list options that it refuses. */
static void
test_offers (void)
{
  g_auto(EngineResult) bench = engine_run ("bench --help"), train = engine_run ("train --help");
  g_auto(EngineResult) resume = engine_run ("resume --help");

  g_assert_nonnull (strstr (bench.out, "single, streams, dp, ddp, zero1, zero2, zero3, layers, gpipe, 1f1b, interleaved, zb, tensor or mesh"));
  g_assert_null (strstr (bench.out, "--sharing"));
  g_assert_null (strstr (bench.out, "hogwild,"));
  g_assert_nonnull (strstr (train.out, "single, hogwild, streams, dp, ddp, zero1, zero2, zero3, layers, gpipe, 1f1b, interleaved, zb, tensor or mesh"));
  g_assert_nonnull (strstr (train.out, "--sharing"));
  g_assert_nonnull (strstr (train.out, "MiB of gradients per all-reduce (25)"));
  /* `resume` has no defaults: options stay as they are in the run. */
  g_assert_nonnull (strstr (resume.out, "ddp:2 (as before)"));
  g_assert_nonnull (strstr (resume.out, "MiB of gradients per all-reduce (as before)"));
  g_assert_false (g_regex_match_simple ("\\((single|auto|25|0|file_descriptor)\\)", resume.out, 0, 0));
}

static void
test_unwritable (void)
{
#if URBARIUM_HAVE_GEO
  assert_exit ("sample --size-km 0.25 /nowhere/town.gpkg", 1, "/nowhere/town.gpkg");
#else
  g_test_skip ("built without maps");
#endif
}

/* Plans are in meters: coordinates in degrees or feet, or outside the valid range, are refused. */
static void
test_wrong_place (void)
{
#define GENERATE "generate /nowhere/run --count 1 --out /nowhere/out --place "
  assert_exit (GENERATE "611000,224000", 2, "X,Y/EPSG");
  assert_exit (GENERATE "611000,224000/21781x", 2, "X,Y/EPSG");
  assert_exit (GENERATE "nan,224000/21781", 2, "X,Y/EPSG");
  assert_exit (GENERATE "1e9,224000/21781", 2, "X,Y/EPSG");
  assert_exit (GENERATE "611000,-1e9/21781", 2, "X,Y/EPSG");
  assert_exit (GENERATE "611000,224000/21781", 3, "/nowhere/run");
  assert_exit (GENERATE "611000,224000/21781 --rotate -12.5", 3, "/nowhere/run");
  assert_exit (GENERATE "611000,224000/21781 --rotate 361", 2, "--rotate must be an angle from -360 to 360");
  assert_exit (GENERATE "611000,224000/21781 --rotate nan", 2, "--rotate must be");
  assert_exit (GENERATE "611000,224000/21781 --keep site.gpkg --rotate 5", 2, "remove --rotate");
#if URBARIUM_HAVE_GEO
  assert_exit (GENERATE "7.5,47.2/4326", 2, "EPSG:4326 is in degrees; choose a projected system");
  assert_exit (GENERATE "980000,200000/2263", 2, "EPSG:2263 is in US survey foot");
#endif
#undef GENERATE
}

/* Plans of several areas have limits, and are no wall; numbers have limits, too. */
static void
test_wrong_areas (void)
{
#define GENERATE "generate /nowhere/run --out /nowhere/out"
  assert_exit (GENERATE " --areas 3", 2, "WIDTHxHEIGHT in areas, such as 3x2");
  assert_exit (GENERATE " --areas 0x3", 2, "--areas 0x3: A city has at least 1 x 1 areas");
  assert_exit (GENERATE " --areas 3x2m", 2, "such as 3x2");
  assert_exit (GENERATE " --areas 9x8", 2, "at most 32 along an edge, and at most 64 in all");
  assert_exit (GENERATE " --areas 33x1", 2, "at most 32 along an edge, and at most 64 in all");
  assert_exit (GENERATE " --areas 2000000000x2000000000", 2, "at most 64 in all");
  assert_exit (GENERATE " --areas 3x3 --wall", 2, "--wall shows cities of one area");
  assert_exit (GENERATE ".png --areas 3x3 --count 2", 2, "/nowhere/out.png' shows one city");
  assert_exit (GENERATE ".png --areas 3x3", 3, "/nowhere/run");
  assert_exit (GENERATE " --areas 32x2", 3, "/nowhere/run");
  assert_exit (GENERATE " --columns 0", 2, "--columns must be positive");
  assert_exit (GENERATE " --columns 3", 3, "/nowhere/run");
  assert_exit (GENERATE " --seed -1", 2, "--seed must not be negative");
#undef GENERATE
}

/* A film is one, or a folder, and shows whole areas. */
static void
test_wrong_films (void)
{
#define GENERATE "generate /nowhere/run --out /nowhere/out"
  assert_exit (GENERATE ".webm", 2, "such as --film 64");
  assert_exit (GENERATE ".mp4 --film 8", 2, "choose a name ending in .webm");
  assert_exit (GENERATE ".webm --film 0", 2, "--film must be 1 to 1000");
  assert_exit (GENERATE ".webm --film 8 --count 1", 2, "2 to 1000 cities");
  assert_exit (GENERATE ".webm --film 8 --areas 2x2", 2, "remove --areas");
  assert_exit (GENERATE " --film 8 --format svg", 2, "remove --areas, --keep, --wall, --format");
  assert_exit (GENERATE " --film 8", 3, "/nowhere/run");
#undef GENERATE
}

/* Shares are percentages. */
static void
test_wrong_shares (void)
{
#define GENERATE "generate /nowhere/run --out /nowhere/out"
  assert_exit (GENERATE " --built much", 2, "--built must be a percentage from 0 to 100, such as 20%");
  assert_exit (GENERATE " --roads -1", 2, "--roads must be");
  assert_exit (GENERATE " --halls 101%", 2, "--halls must be");
  assert_exit (GENERATE " --halls 1%%", 2, "--halls must be");
  assert_exit (GENERATE " --built nan", 2, "--built must be");
  assert_exit (GENERATE " --built 12.5% --roads 0", 3, "/nowhere/run");
#undef GENERATE
}

#if URBARIUM_HAVE_GEO
/* @members: paths and values of the recipe of first.gpkg, as SQLite's json_set() takes them */
static void
change_recipe (const char *folder, const char *members)
{
  g_autofree char *path = g_build_filename (folder, "first.gpkg", NULL);
  g_autofree char *sql = g_strdup_printf ("UPDATE gpkg_metadata SET metadata = json_set (metadata, %s) WHERE id = 1", members);
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  if (sqlite3_exec (db, sql, NULL, NULL, NULL) != SQLITE_OK)
    g_error ("%s: %s", sql, sqlite3_errmsg (db));
  g_assert_cmpint (sqlite3_close (db), ==, SQLITE_OK);
}
#endif

/* A part of a map is kept in the dataset, until another or all of it is chosen. */
static void
test_clip (void)
{
#if URBARIUM_HAVE_GEO
  static const char *const names[] = { "map.gpkg", "part.gpkg", "again.gpkg", "all.gpkg", NULL };
  g_autofree char *folder = g_dir_make_tmp ("urbarium-cli-XXXXXX", NULL);

  engine_run_well_in (folder, "sample --size-km 0.5 @/map.gpkg");
  {
    const char *part = "--clip 7.4386,46.9512,7.4431,46.9542";
    g_autofree char *curate
      = g_strconcat ("curate @/map.gpkg --out @/part.gpkg --area-size-m 80 --min-variance 0.05 --json ", part, NULL);
    g_autofree char *inspect = g_strconcat ("inspect @/map.gpkg ", part, NULL);
    g_auto(EngineResult) first = engine_run_in (folder, curate);
    g_auto(EngineResult) again = engine_run_in (folder, "curate @/map.gpkg --out @/again.gpkg --like @/part.gpkg --json");
    g_auto(EngineResult) all
      = engine_run_in (folder, "curate @/map.gpkg --out @/all.gpkg --like @/part.gpkg --clip all --json");
    g_auto(EngineResult) map = engine_run_in (folder, inspect);
    g_auto(EngineResult) bad = engine_run_in (folder, "inspect @/map.gpkg --clip 7,46,8");
    g_auto(EngineResult) elsewhere = engine_run_in (folder, "inspect @/map.gpkg --clip 8,46,8.1,46.1");

    g_assert_cmpint (first.code, ==, 0);
    g_assert_nonnull (strstr (first.out, "\"clip_by_hand\" : \"7.4386,46.9512,7.4431,46.9542\""));
    g_assert_cmpstr (again.out, ==, first.out);
    g_assert_cmpint (all.code, ==, 0);
    g_assert_null (strstr (all.out, "clip_by_hand"));
    g_assert_cmpint (map.code, ==, 0);
    g_assert_nonnull (strstr (map.out, " objects outside of the chosen part were left out."));
    g_assert_cmpint (bad.code, ==, 2);
    g_assert_nonnull (strstr (bad.err, "--clip must be WEST,SOUTH,EAST,NORTH"));
    g_assert_cmpint (elsewhere.code, ==, 3);
    g_assert_nonnull (strstr (elsewhere.err, "Its objects lie within 7.4386"));
  }
  for (const char *const *name = names; *name != NULL; name++)
    {
      g_autofree char *path = g_build_filename (folder, *name, NULL);
      g_assert_cmpint (g_remove (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
#else
  g_test_skip ("built without maps");
#endif
}

/* A dataset tells how it was made: made again, it has the same areas; what is given takes precedence. */
static void
test_like (void)
{
#if URBARIUM_HAVE_GEO
  static const char *const names[] = { "map.gpkg", "first.gpkg", "again.gpkg", "other.gpkg", NULL };
  g_autofree char *folder = g_dir_make_tmp ("urbarium-cli-XXXXXX", NULL);

  engine_run_well_in (folder, "sample --size-km 0.5 @/map.gpkg");
  {
    g_auto(EngineResult) first = engine_run_in (folder, "curate @/map.gpkg --out @/first.gpkg --area-size-m 80 --stride-m 30 "
                                                        "--min-variance 0.05 --max-overlap 0.25 --resolution 32 --seed 9 --profile urbarium "
                                                        "--road-width-m 5 --json");
    g_auto(EngineResult) again = engine_run_in (folder, "curate @/map.gpkg --out @/again.gpkg --like @/first.gpkg --json");
    g_auto(EngineResult) other
      = engine_run_in (folder, "curate @/map.gpkg --out @/other.gpkg --like @/again.gpkg --profile generic --top 3 --json");

    g_assert_cmpint (first.code, ==, 0);
    g_assert_cmpint (again.code, ==, 0);
    g_assert_nonnull (strstr (again.out, "\"profile_by_hand\" : \"urbarium\""));
    /* Both let the program decide on ground that is not covered. */
    g_assert_nonnull (strstr (again.out, "\"fill_uncovered\" : \"auto\""));
    g_assert_cmpstr (again.out, ==, first.out);
    g_assert_cmpint (other.code, ==, 0);
    g_assert_nonnull (strstr (other.out, "\"profile_by_hand\" : \"generic\""));
    g_assert_nonnull (strstr (other.out, "\"road_width_m_by_hand\" : 5.0"));
    g_assert_nonnull (strstr (other.out, "\"stride_m\" : 30.0"));
    g_assert_nonnull (strstr (other.out, "\"chosen\" : 3,"));
  }
  {
    g_auto(EngineResult) none = engine_run_in (folder, "curate @/map.gpkg --out @/none.gpkg --like @/map.gpkg");

    g_assert_cmpint (none.code, ==, 3);
    g_assert_nonnull (strstr (none.err, "map.gpkg"));
  }
  change_recipe (folder, "'$.profile_by_hand', 'mine.profile', '$.road_width_m_by_hand', 500, '$.by_hand', json ('{\"added\": 2}')");
  {
    g_auto(EngineResult) lost = engine_run_in (folder, "curate @/map.gpkg --out @/none.gpkg --like @/first.gpkg");
    g_auto(EngineResult) own
      = engine_run_in (folder, "curate @/map.gpkg --out @/none.gpkg --like @/first.gpkg --profile nosuch.profile");
    g_auto(EngineResult) chosen
      = engine_run_in (folder, "curate @/map.gpkg --out @/again.gpkg --like @/first.gpkg --profile urbarium");

    g_assert_cmpint (own.code, !=, 0);
    g_assert_nonnull (strstr (own.err, "nosuch"));
    g_assert_null (strstr (own.err, "was made with"));
    g_assert_cmpint (lost.code, ==, 3);
    g_assert_nonnull (strstr (lost.err, "first.gpkg' was made with the class profile 'mine.profile', which is not in this folder"));
    g_assert_cmpint (chosen.code, ==, 0);
    g_assert_nonnull (strstr (chosen.err, "first.gpkg' says that roads are 500 m wide, which cannot be"));
    g_assert_nonnull (strstr (chosen.err, "first.gpkg' has areas that were chosen or removed by hand, 2 in all"));
  }
  change_recipe (folder, "'$.layers_by_hand', json ('[{\"layer\": \"lake\", \"profile\": \"osm\"}]'),"
                         " '$.classes_by_hand', json ('[{\"layer\": \"lake\", \"value\": \"\", \"class\": \"road\"}]')");
  {
    g_auto(EngineResult) lacks = engine_run_in (folder, "curate @/map.gpkg --out @/again.gpkg --like @/first.gpkg "
                                                        "--profile urbarium --road-width-m 5");

    g_assert_cmpint (lacks.code, ==, 0);
    g_assert_nonnull (strstr (lacks.err, "first.gpkg', 1 of 1 layers with a profile or coordinate system of their own are not "
                                         "in this map: 'lake'"));
    g_assert_nonnull (strstr (lacks.err, "first.gpkg', 1 of 1 classes that were set by hand are for values that this map lacks: "
                                         "the layer 'lake'"));
    g_assert_null (strstr (lacks.err, "500 m wide"));
  }
  change_recipe (folder, "'$.source_crs_by_hand', json ('[\"\", \"EPSG:2056\"]')");
  {
    g_auto(EngineResult) fewer = engine_run_in (folder, "curate @/map.gpkg --out @/none.gpkg --like @/first.gpkg --profile urbarium");
    g_auto(EngineResult) all = engine_run_in (folder, "curate @/map.gpkg --out @/again.gpkg --like @/first.gpkg --profile urbarium "
                                                      "--crs EPSG:2056 --json");

    g_assert_cmpint (fewer.code, ==, 3);
    g_assert_nonnull (strstr (fewer.err, "first.gpkg' was made from 2 maps, for some of which a coordinate system was chosen"));
    g_assert_cmpint (all.code, ==, 0);
    g_assert_null (strstr (all.out, "source_crs_by_hand"));
  }
  for (const char *const *name = names; *name != NULL; name++)
    {
      g_autofree char *path = g_build_filename (folder, *name, NULL);
      g_unlink (path);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
#else
  g_test_skip ("built without maps");
#endif
}

/* An existing map is not replaced by accident. */
static void
test_taken (void)
{
#if URBARIUM_HAVE_GEO
  g_autofree char *folder = g_dir_make_tmp ("urbarium-cli-XXXXXX", NULL);
  g_autofree char *map = g_build_filename (folder, "map.gpkg", NULL);
  g_autofree char *force = g_strdup_printf ("sample --size-km 0.25 --force %s", map);
  g_autofree char *sample = g_strdup_printf ("sample --size-km 0.25 %s", map);
  g_autofree char *curate = g_strdup_printf ("curate %s --out %s", map, map);
  g_autofree char *text = NULL;

  g_assert_true (g_file_set_contents (map, "a map", -1, NULL));
  assert_exit (sample, 1, "map.gpkg' already exists; choose another name, or replace it with --force");
  assert_exit (curate, 1, "map.gpkg' already exists and is no dataset");
  g_assert_true (g_file_get_contents (map, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "a map");
  assert_exit (force, 0, NULL);
  assert_exit (sample, 1, "--force"); /* it may have been edited */
  g_assert_true (g_file_set_contents (map, "", 0, NULL));
  assert_exit (sample, 0, NULL);
  g_assert_cmpint (g_unlink (map) + g_rmdir (folder), ==, 0);
#else
  g_test_skip ("built without maps");
#endif
}

/* Roads with OpenStreetMap's values in a map of Urbarium's profile, which has no rule for lines. */
static void
test_layer_options (void)
{
#if URBARIUM_HAVE_GEO
#define FEATURE(properties, kind, points) \
  "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":{" properties "}," \
  "\"geometry\":{\"type\":\"" kind "\",\"coordinates\":[" points "]}}]}"
  g_autofree char *folder = g_dir_make_tmp ("urbarium-cli-XXXXXX", NULL);
  g_autofree char *plan = g_build_filename (folder, "plan.geojson", NULL);
  g_autofree char *roads = g_build_filename (folder, "lines.geojson", NULL);
  g_autofree char *in_zone_33 = g_strdup_printf ("inspect --json %s %s --profile urbarium --layer-profile lines=osm "
                                                 "--layer-crs plan=EPSG:32633 --layer-crs lines=EPSG:32633", plan, roads);
  g_autofree char *as_it_is = g_strdup_printf ("inspect --json %s %s --profile urbarium", plan, roads);
  g_autofree char *unknown = g_strdup_printf ("inspect %s --layer-profile streets=osm", roads);
  g_autofree char *no_profile = g_strdup_printf ("inspect %s --layer-profile lines=castle", roads);
  g_autofree char *no_crs
    = g_strdup_printf ("curate %s --out %s/areas.gpkg --layer-crs lines=EPSG:banana", roads, folder);

  g_assert_true (g_file_set_contents (plan, FEATURE ("\"class\":\"building\"", "Polygon",
                                                     "[[15,0],[16,0],[16,1],[15,0]]"), -1, NULL));
  g_assert_true (g_file_set_contents (roads, FEATURE ("\"highway\":\"service\"", "LineString", "[15,0],[16,0]"),
                                      -1, NULL));
  {
    g_auto(EngineResult) plain = engine_run (as_it_is), chosen = engine_run (in_zone_33);

    g_assert_cmpint (plain.code, ==, 0);
    g_assert_nonnull (strstr (plain.out, "\"polygons\" : 1,"));
    g_assert_nonnull (strstr (plain.out, "\"epsg\" : 32633")); /* of degrees */
    g_assert_cmpint (chosen.code, ==, 0);
    g_assert_nonnull (strstr (chosen.out, "\"polygons\" : 2,"));
    g_assert_nonnull (strstr (chosen.out, "\"min_x\" : 13.0")); /* the round end of a road of 4 m */
  }
  assert_exit (unknown, 3, "The map has no layer 'streets' to which --layer-profile or --layer-crs could apply. Its "
                           "layers: 'lines'.");
  assert_exit (no_profile, 3, "castle");
  assert_exit (no_crs, 3, "'EPSG:banana' is not a coordinate system");
  assert_exit ("inspect map.gpkg --layer-profile osm", 2, "--layer-profile must be LAYER=VALUE");
  assert_exit ("inspect map.gpkg --layer-crs =EPSG:2056", 2, "--layer-crs must be LAYER=VALUE");
  assert_exit ("curate map.gpkg --out areas.gpkg --layer-crs roads=", 2, "--layer-crs must be LAYER=VALUE");
  assert_exit ("curate map.gpkg --out areas.gpkg --road-width-m -1", 2, "--road-width-m must be 0 to 200");
  g_assert_cmpint (g_unlink (plan) + g_unlink (roads) + g_rmdir (folder), ==, 0);
#undef FEATURE
#else
  g_test_skip ("built without maps");
#endif
}

static void
test_json (void)
{
  static const char *const cases[] = { "devices --json", "plan --preset tiny --json" };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto(EngineResult) result = engine_run (cases[i]);
      g_autoptr(JsonParser) parser = json_parser_new ();
      g_autoptr(GError) error = NULL;

      g_test_message ("%s", cases[i]);
      g_assert_cmpint (result.code, ==, 0);
      g_assert_true (json_parser_load_from_data (parser, result.out, -1, &error));
      g_assert_no_error (error);
      g_assert_true (JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)));
      g_assert_cmpstr (result.err, ==, "");
    }
}

/* Each strategy is available, or the reason is given; the first is always available. */
static void
test_strategies (void)
{
  static const char *const names[] = { "single", "hogwild", "streams", "dp", "ddp", "zero1", "zero2", "zero3",
                                       "layers", "gpipe", "1f1b", "interleaved", "zb", "tensor", "mesh" };
  g_auto(EngineResult) result = engine_run ("devices --json");
  g_autoptr(JsonParser) parser = json_parser_new ();
  JsonObject *root, *why;
  JsonArray *there;

  g_assert_true (json_parser_load_from_data (parser, result.out, -1, NULL));
  root = json_node_get_object (json_parser_get_root (parser));
  there = json_object_get_array_member (root, "strategies");
  why = json_object_get_object_member (root, "strategies_why");
  g_assert_cmpuint (json_array_get_length (there) + json_object_get_size (why), ==,
                    G_N_ELEMENTS (names));
  g_assert_cmpstr (json_array_get_string_element (there, 0), ==, "single");
  for (guint i = 0, k = 0; i < G_N_ELEMENTS (names); i++)
    if (json_object_has_member (why, names[i]))
      g_assert_cmpstr (json_object_get_string_member (why, names[i]), !=, "");
    else
      g_assert_cmpstr (json_array_get_string_element (there, k++), ==, names[i]);
}

/* An invalid library comes before the one that this machine may have. */
static void
test_no_gpus (const char *folder)
{
  g_autofree char *library = g_build_filename (folder, "libnvidia-ml.so.1", NULL);
  g_auto(EngineResult) text = { 0 };

  g_assert_true (g_file_set_contents (library, "no library", -1, NULL));
  g_setenv ("LD_LIBRARY_PATH", folder, TRUE);
  text = engine_run ("devices");
  g_assert_cmpstr (text.err, ==, "");
  g_assert_cmpint (text.code, ==, 0);
  g_assert_nonnull (strstr (text.out, "\nGPUs        none"));
  g_assert_nonnull (strstr (text.out, "\nOthers      not supported: TPUs"));
  g_remove (library);
}

static void
test_two_gpus (const char *folder)
{
  g_auto(EngineResult) text = { 0 }, json = { 0 };
  g_autoptr(JsonParser) parser = json_parser_new ();
  JsonObject *root, *gpu;

  fake_gpus_init (folder, FAKE_GPU "gpu 0000:65:00.0 NVIDIA Fake 8\n");
  g_setenv ("LD_LIBRARY_PATH", g_getenv ("URBARIUM_FAKE_NVML"), TRUE);
  text = engine_run ("devices");
  g_assert_cmpint (text.code, ==, 0);
  g_assert_nonnull (strstr (text.out, "\nGPUs        NVIDIA Fake 9 at 0000:17:00.0\n"
                                      "            74.5 GiB, 69.8 GiB of it available\n"
                                      "            cannot be used: "));
  g_assert_nonnull (strstr (text.out, "\n            NVIDIA Fake 8 at 0000:65:00.0\n"
                                      "            cannot be used: "));
  g_assert_nonnull (strstr (text.out, "\n            driver 580.95.05\n"));

  json = engine_run ("devices --json");
  g_assert_true (json_parser_load_from_data (parser, json.out, -1, NULL));
  root = json_node_get_object (json_parser_get_root (parser));
  g_assert_cmpstr (json_object_get_string_member (root, "gpu_driver"), ==, "580.95.05");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (root, "gpus")), ==, 2);
  gpu = json_array_get_object_element (json_object_get_array_member (root, "gpus"), 0);
  g_assert_cmpstr (json_object_get_string_member (gpu, "name"), ==, "NVIDIA Fake 9");
  g_assert_cmpstr (json_object_get_string_member (gpu, "pci"), ==, FAKE_GPU_PCI);
  g_assert_cmpint (json_object_get_int_member (gpu, "memory_bytes"), ==, 80000000000);
  g_assert_cmpint (json_object_get_int_member (gpu, "memory_available_bytes"), ==, 75000000000);
  g_assert_cmpstr (json_object_get_string_member (gpu, "reason"), ==,
                   json_object_get_string_member (root, "gpus_why"));
  g_assert_false (json_object_has_member (gpu, "device"));
  gpu = json_array_get_object_element (json_object_get_array_member (root, "gpus"), 1);
  g_assert_false (json_object_has_member (gpu, "memory_bytes")); /* not reported */
  g_unlink (g_getenv ("FAKE_NVML"));
}

static void
assert_devices_say (const char *what)
{
  g_auto(EngineResult) text = engine_run ("devices"), train = engine_run ("plan --device cuda");
  g_autofree char *refused = g_strdup_printf ("No GPU can be used: %s", what);

  g_test_message ("%s%s", text.out, train.err);
  g_assert_cmpint (text.code, ==, 0);
  g_assert_cmpstr (text.err, ==, "");
  g_assert_nonnull (strstr (text.out, what));
  g_assert_nonnull (strstr (train.err, refused));
}

static char *
copy_part (const char *from, const char *folder, gsize divisor)
{
  char *path = g_build_filename (folder, "module.so", NULL);
  g_autofree char *bytes = NULL;
  gsize n_bytes;

  g_assert_true (g_file_get_contents (from, &bytes, &n_bytes, NULL));
  g_assert_true (g_file_set_contents (path, bytes, (gssize) (n_bytes / divisor), NULL));
  return path;
}

/* An unusable module is not fatal; the message says what is wrong and what to do. */
static void
test_odd_modules (const char *folder)
{
  g_autofree char *library
    = g_build_filename (g_getenv ("URBARIUM_FAKE_NVML"), "libnvidia-ml.so.1", NULL);
  g_autofree char *page = g_build_filename (g_getenv ("URBARIUM_MAN"), "urbarium-engine.1", NULL);
  const struct { const char *from; gsize divisor; const char *said; } cases[] = {
    { g_getenv ("URBARIUM_EMULATED_CUDA"), 2, " is truncated; build or install it again" },
    { g_getenv ("URBARIUM_MODULE_OTHER_VERSION"), 1,
      " was built for another version of Urbarium; build or install both again" },
    { g_getenv ("URBARIUM_MODULE_NEEDS_ABSENT"), 1,
      " needs liburbarium-absent.so, which is not found; install it, or name its folder in "
      "LD_LIBRARY_PATH" },
    { library, 1, " is not an Urbarium module" },
    { page, 1, " is not an Urbarium module" },
    { "/proc/self/exe", 1, " cannot be loaded (cannot dynamically load " },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = copy_part (cases[i].from, folder, cases[i].divisor);
      g_autofree char *said = g_strconcat (path, cases[i].said, NULL);

      g_setenv ("URBARIUM_CUDA_MODULE", path, TRUE);
      assert_devices_say (said);
      g_remove (path);
    }
  g_setenv ("URBARIUM_CUDA_MODULE", "/nowhere", TRUE);
  assert_devices_say ("/nowhere, named by URBARIUM_CUDA_MODULE, cannot be read");
#if !URBARIUM_HAVE_CUDA
  g_unsetenv ("URBARIUM_CUDA_MODULE");
  assert_devices_say ("this build has no CUDA support; build Urbarium on a machine with nvcc");
  g_setenv ("URBARIUM_CUDA_MODULE", "/nowhere", TRUE);
#endif
}

/* The data of the driver and of CUDA are combined. */
static void
test_usable_gpu (const char *folder)
{
  g_auto(EngineResult) json = { 0 }, plan = { 0 }, text = { 0 };
  g_autoptr(JsonParser) parser = json_parser_new ();
  JsonObject *gpu;
  JsonArray *gpus;

  fake_gpus_init (folder, FAKE_GPU "gpu 0000:01:00.0 Emulated GPU\nmemory 1000000000 3000000000\n");
  g_setenv ("URBARIUM_CUDA_MODULE", g_getenv ("URBARIUM_EMULATED_CUDA"), TRUE);
  json = engine_run ("devices --json");
  g_assert_true (json_parser_load_from_data (parser, json.out, -1, NULL));
  gpus = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "gpus");
  g_assert_cmpuint (json_array_get_length (gpus), ==, 2);
  gpu = json_array_get_object_element (gpus, 0);
  g_assert_cmpstr (json_object_get_string_member (gpu, "device"), ==, "cuda:0");
  g_assert_true (json_object_get_boolean_member (gpu, "bf16"));
  g_assert_true (json_object_get_boolean_member (gpu, "tf32"));
  g_assert_false (json_object_has_member (gpu, "cudnn")); /* the emulated GPU has none */
  g_assert_cmpint (json_object_get_int_member (gpu, "memory_available_bytes"), ==, 2000000000);
  g_assert_false (json_object_has_member (gpu, "reason"));
  gpu = json_array_get_object_element (gpus, 1);
  g_assert_cmpstr (json_object_get_string_member (gpu, "reason"), ==, "CUDA does not show it");
  text = engine_run ("devices");
  g_assert_nonnull (strstr (text.out, "--device cuda:0: compute capability 9.0, bf16, tf32 and fp16 in "
                                      "hardware\n"));
  g_assert_nonnull (strstr (text.out, ", without cuDNN: convolutions are slow\n"));
  plan = engine_run ("plan --preset tiny --device cuda");
  g_assert_cmpint (plan.code, ==, 0);
  g_assert_nonnull (strstr (plan.out, " of the GPU's memory; there is "));
  g_unlink (g_getenv ("FAKE_NVML"));
}

static void
test_gpus (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-gpus-XXXXXX", NULL);
  g_autofree char *before = g_strdup (g_getenv ("LD_LIBRARY_PATH"));

  g_setenv ("URBARIUM_CUDA_MODULE", "/nowhere", TRUE); /* nor a module of this machine */
  test_no_gpus (folder);
  test_two_gpus (folder);
  test_odd_modules (folder);
  test_usable_gpu (folder);
  g_unsetenv ("URBARIUM_CUDA_MODULE");
  if (before != NULL)
    g_setenv ("LD_LIBRARY_PATH", before, TRUE);
  else
    g_unsetenv ("LD_LIBRARY_PATH");
  g_rmdir (folder);
}

/* With URBARIUM_ERRORS=json, a JSON line precedes the message. */
static void
test_errors_for_programs (void)
{
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_auto(GStrv) lines = NULL;
  g_auto(EngineResult) told = { 0 };
  JsonObject *error;

  g_setenv ("URBARIUM_CUDA_MODULE", "/nowhere", TRUE);
  assert_exit ("plan --preset tiny --device cuda", 4, "urbarium-engine plan: No GPU can be used: ");
  g_setenv ("URBARIUM_ERRORS", "json", TRUE);
  told = engine_run ("plan --preset tiny --device cuda");
  g_unsetenv ("URBARIUM_ERRORS");
  g_unsetenv ("URBARIUM_CUDA_MODULE");
  lines = g_strsplit (told.err, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 3); /* the last is empty */
  g_assert_true (json_parser_load_from_data (parser, lines[0], -1, NULL));
  error = json_object_get_object_member (json_node_get_object (json_parser_get_root (parser)),
                                         "error");
  g_assert_cmpstr (json_object_get_string_member (error, "domain"), ==, "urb-train-error-quark");
  g_assert_true (g_str_has_suffix (lines[1], json_object_get_string_member (error, "text")));
}

/* The requirements of a run, and the first change that would make it fit. */
static void
test_preflight (void)
{
  g_auto(EngineResult) fits = engine_run ("plan --preset tiny --threads 1");
  g_auto(EngineResult) two = engine_run ("plan --preset tiny --strategy ddp:2 --threads 2");
  g_auto(EngineResult) three = engine_run ("plan --preset tiny --strategy ddp:3 --batch 6 --threads 3");
  g_auto(EngineResult) does_not = engine_run ("plan --preset dcgan-32m --recipe dcgan --batch 65536 --json");
  g_auto(EngineResult) in_words = engine_run ("plan --preset dcgan-32m --recipe dcgan --batch 65536");
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_autoptr(GError) error = NULL;
  JsonObject *preflight, *memory;

  g_assert_cmpint (fits.code, ==, 0);
  g_assert_nonnull (strstr (fits.out, "Pre-flight: single, 1 rank in 1 process"));
  g_assert_true (g_str_has_suffix (fits.out, "\nFits.\n"));

  /* One unit for all memory sizes, and grammatical numbers. */
  g_assert_cmpint (two.code, ==, 0);
  g_assert_nonnull (strstr (two.out, "MiB for the other; there is "));
  g_assert_true (g_regex_match_simple ("cores .* 2 ranks of 1 thread; there (is 1|are \\d+)\\b",
                                       two.out, 0, 0));
  g_assert_false (g_regex_match_simple ("\\d [kMG]B\\b", two.out, 0, 0));
  g_assert_nonnull (strstr (three.out, " for each of the other 2; there is "));

  g_assert_cmpint (in_words.code, ==, 4);
  g_assert_true (g_regex_match_simple ("\nDoes not fit: memory, .*, and there is [^(]* \\(fits ",
                                       in_words.out, 0, 0));
  g_assert_cmpint (does_not.code, ==, 0); /* the JSON says whether it fits */
  g_assert_true (json_parser_load_from_data (parser, does_not.out, -1, &error));
  g_assert_no_error (error);
  preflight = json_object_get_object_member (json_node_get_object (json_parser_get_root (parser)),
                                             "preflight");
  memory = json_object_get_object_member (preflight, "memory");
  g_assert_cmpstr (json_object_get_string_member (preflight, "fit"), ==, "does not fit");
  g_assert_cmpstr (json_object_get_string_member (memory, "fit"), ==, "does not fit");
  g_assert_true (g_str_has_prefix (json_object_get_string_member (memory, "remedy"), "fits "));
}

/* The most memory of a rank: of plans, and of runs on the processor or a GPU, which are not begun. */
static void
test_rank_memory (void)
{
  g_auto(EngineResult) fits = engine_run ("plan --preset tiny --strategy ddp:2 --rank-memory 40");
  g_auto(EngineResult) refused = engine_run ("plan --preset tiny --strategy ddp:2 --rank-memory 0.01");
  g_auto(EngineResult) best = engine_run ("plan --preset tiny --batch 8 --rank-memory 0.01 --recommend --estimate");
  g_auto(EngineResult) bench = engine_run ("bench --preset tiny --batch 8 --steps 1 --rank-memory 0.01");
  g_auto(EngineResult) negative = engine_run ("plan --preset tiny --rank-memory -1");

  g_assert_cmpint (fits.code, ==, 0);
  g_assert_nonnull (strstr (fits.out, " of the largest rank; the limit is 40 GB, 37.3"));
  g_assert_cmpint (refused.code, ==, 4);
  g_assert_true (g_regex_match_simple ("\nDoes not fit: rank-memory, .* of the largest rank, and the limit is 0.01 GB, "
                                       "9.5.MiB \\(fits ", refused.out, 0, 0));
  g_assert_nonnull (strstr (best.out, "Nothing fits on this machine"));
  g_assert_cmpint (bench.code, ==, 4);
  g_assert_nonnull (strstr (bench.err, " and --rank-memory leaves it 0.01 GB; raise it, "));
  g_assert_cmpint (negative.code, ==, 2);
}

static void
test_version (void)
{
  g_auto(EngineResult) result = engine_run ("--version");

  g_assert_cmpint (result.code, ==, 0);
  g_assert_true (g_regex_match_simple ("^urbarium-engine \\d+\\.\\d+\\.\\d+\n$", result.out, 0, 0));
}

/* Whether the process handles Ctrl+C already. */
static gboolean
is_listening (const char *pid)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "status", NULL);
  g_autofree char *text = NULL;
  const char *caught;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  caught = strstr (text, "SigCgt:");
  return caught != NULL
         && (g_ascii_strtoull (caught + strlen ("SigCgt:"), NULL, 16) & (1 << (SIGINT - 1))) != 0;
}

/* Ctrl+C during the work: it is reported, and no partial file remains. */
static void
test_interrupt (void)
{
#if URBARIUM_HAVE_GEO
  g_autofree char *folder = g_dir_make_tmp ("urbarium-cli-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "town.gpkg", NULL);
  g_autofree char *said = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocess) process
    = g_subprocess_new (G_SUBPROCESS_FLAGS_STDERR_PIPE, &error, g_getenv ("URBARIUM_ENGINE"),
                        "sample", "--size-km", "20", path, NULL);

  g_assert_no_error (error);
  while (!is_listening (g_subprocess_get_identifier (process)))
    g_usleep (10 * 1000);
  /* The command takes half a minute. */
  g_subprocess_send_signal (process, SIGINT);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, NULL, &said, &error));
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 130);
  g_assert_nonnull (strstr (said, "interrupted"));
  g_assert_cmpint (g_rmdir (folder), ==, 0); /* hence empty */
#else
  g_test_skip ("built without maps");
#endif
}

/* ---- manual pages ---- */

static char *
read_page (const char *name)
{
  g_autofree char *file = g_strdup_printf ("%s.1", name);
  g_autofree char *path = g_build_filename (g_getenv ("URBARIUM_MAN"), file, NULL);
  g_autoptr(GError) error = NULL;
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

/* Every "--option" of a help text is in the manual page as "Fl -option". */
static void
check_options (const char *command, const char *help, const char *page)
{
  g_autoptr(GRegex) option = g_regex_new ("^  (?:-., )? *--([a-z0-9-]+)", G_REGEX_MULTILINE, 0,
                                           NULL);
  g_autoptr(GMatchInfo) match = NULL;

  for (g_regex_match (option, help, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL))
    {
      g_autofree char *name = g_match_info_fetch (match, 1);
      g_autofree char *wanted = g_strdup_printf ("Fl -%s(\\s|$)", name);

      if (!g_regex_match_simple (wanted, page, G_REGEX_MULTILINE, 0))
        {
          g_test_message ("the manual page of %s says nothing of --%s", command, name);
          g_test_fail ();
        }
    }
}

static void
test_manual (void)
{
  g_auto(GStrv) commands = list_commands ();
  g_autofree char *overview = read_page ("urbarium-engine");

  for (guint i = 0; commands[i] != NULL; i++)
    {
      g_autofree char *arguments = g_strdup_printf ("%s --help", commands[i]);
      g_autofree char *name = g_strdup_printf ("urbarium-engine-%s", commands[i]);
      g_autofree char *page = read_page (name);
      g_auto(EngineResult) help = engine_run (arguments);

      g_assert_nonnull (strstr (overview, name));
      check_options (commands[i], help.out, page);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/command-line/help", test_help);
  g_test_add_func ("/command-line/wrong-usage", test_wrong_usage);
  g_test_add_func ("/command-line/missing-files", test_missing_files);
  g_test_add_func ("/command-line/missing-maps", test_missing_maps);
  g_test_add_func ("/command-line/wrong-pictures", test_wrong_pictures);
  g_test_add_func ("/command-line/wrong-preset", test_wrong_preset);
  g_test_add_func ("/command-line/wrong-strategy", test_wrong_strategy);
  g_test_add_func ("/command-line/config", test_config);
  g_test_add_func ("/command-line/simulate-mesh", test_simulate_mesh);
  g_test_add_func ("/command-line/roofline", test_roofline);
  g_test_add_func ("/command-line/settings", test_settings);
  g_test_add_func ("/command-line/bench", test_bench);
  g_test_add_func ("/command-line/offers", test_offers);
  g_test_add_func ("/command-line/unwritable", test_unwritable);
  g_test_add_func ("/command-line/wrong-areas", test_wrong_areas);
  g_test_add_func ("/command-line/wrong-films", test_wrong_films);
  g_test_add_func ("/command-line/wrong-shares", test_wrong_shares);
  g_test_add_func ("/command-line/wrong-place", test_wrong_place);
  g_test_add_func ("/command-line/taken", test_taken);
  g_test_add_func ("/command-line/clip", test_clip);
  g_test_add_func ("/command-line/like", test_like);
  g_test_add_func ("/command-line/layer-options", test_layer_options);
  g_test_add_func ("/command-line/json", test_json);
  g_test_add_func ("/command-line/strategies", test_strategies);
  g_test_add_func ("/command-line/gpus", test_gpus);
  g_test_add_func ("/command-line/errors-for-programs", test_errors_for_programs);
  g_test_add_func ("/command-line/preflight", test_preflight);
  g_test_add_func ("/command-line/rank-memory", test_rank_memory);
  g_test_add_func ("/command-line/version", test_version);
  g_test_add_func ("/command-line/interrupt", test_interrupt);
  g_test_add_func ("/command-line/manual", test_manual);
  return g_test_run ();
}
