/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-device.c - effects and messages of `--device`, on an emulated GPU and without one.
 */
#include <cairo.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "engine-run.h"
#include "small-dataset.h"

enum { SIZE_PX = 16, TILE = SIZE_PX * SIZE_PX * 3 };

typedef struct
{
  char *folder;
} Fixture;

static EngineResult
run (const Fixture *self, const char *arguments)
{
  return engine_run_in (self->folder, arguments);
}

static void
run_well (const Fixture *self, const char *arguments)
{
  engine_run_well_in (self->folder, arguments);
}

#define TRAIN "train --dataset @/areas.gpkg --preset @/mini.preset --threads 1 "

/* Trains a run on the processor. */
static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("urbarium-device-XXXXXX", NULL);
  small_dataset_write (self->folder);
  g_setenv ("URBARIUM_CUDA_MODULE", g_getenv ("URBARIUM_EMULATED_CUDA"), TRUE);
  g_setenv ("XDG_CACHE_HOME", self->folder, TRUE);
  run_well (self, TRAIN "--run @/run --steps 4 --quiet");
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

/* ------------------------------------------------------------------------ */
/* Drawing                                                                   */

static void
assert_near (const guint8 *a, const guint8 *b, gsize n, int most)
{
  for (gsize i = 0; i < n; i++)
    g_assert_cmpint (ABS (a[i] - b[i]), <=, most);
}

static cairo_surface_t *
read_wall (const Fixture *self, const char *name)
{
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  cairo_surface_t *wall = cairo_image_surface_create_from_png (path);

  g_assert_cmpint (cairo_surface_status (wall), ==, CAIRO_STATUS_SUCCESS);
  return wall;
}

static void
assert_near_walls (const Fixture *self, const char *a, const char *b, int most)
{
  cairo_surface_t *x = read_wall (self, a), *y = read_wall (self, b);
  gsize n = (gsize) cairo_image_surface_get_stride (x) * (gsize) cairo_image_surface_get_height (x);

  g_assert_cmpint (cairo_image_surface_get_width (x), ==, cairo_image_surface_get_width (y));
  g_assert_cmpint (cairo_image_surface_get_height (x), ==, cairo_image_surface_get_height (y));
  assert_near (cairo_image_surface_get_data (x), cairo_image_surface_get_data (y), n, most);
  cairo_surface_destroy (x);
  cairo_surface_destroy (y);
}

static void
test_generate (Fixture *self, gconstpointer data)
{
  run_well (self, "generate @/run --count 3 --out @/cpu.png");
  run_well (self, "generate @/run --count 3 --out @/cuda.png --device cuda");
  run_well (self, "generate @/run --count 3 --out @/bf16.png --device cuda:0 --precision bf16");
  assert_near_walls (self, "cpu.png", "cuda.png", 1);
  assert_near_walls (self, "cpu.png", "bf16.png", 12);
}

/* Returns: the last @n_bytes of the answer to one line. */
static GBytes *
draw (const Fixture *self, const char *options, const char *line, gsize n_bytes)
{
  g_auto(GStrv) parts = g_strsplit (line, "@", -1);
  g_autofree char *filled = g_strjoinv (self->folder, parts);
  g_autofree char *command = g_strdup_printf ("%s draw%s", g_getenv ("URBARIUM_ENGINE"), options);
  g_auto(GStrv) argv = g_strsplit (command, " ", -1);
  g_autoptr(GBytes) in = g_bytes_new (filled, strlen (filled)), out = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocess) process
    = g_subprocess_newv ((const char *const *) argv,
                         G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error);
  gsize size;

  g_assert_no_error (error);
  g_assert_true (g_subprocess_communicate (process, in, NULL, &out, NULL, &error));
  g_assert_true (g_subprocess_get_successful (process));
  size = g_bytes_get_size (out);
  g_assert_cmpuint (size, >=, n_bytes);
  return g_bytes_new_from_bytes (out, n_bytes > 0 ? size - n_bytes : 0, n_bytes > 0 ? n_bytes : size);
}

/* The device is given by an option, or by a request instead. */
static void
test_draw (Fixture *self, gconstpointer data)
{
  const char *cities = "{\"id\":1,\"cmd\":\"open\",\"checkpoint\":\"@/run\"%s}\n"
                       "{\"id\":2,\"cmd\":\"draw\",\"count\":2}\n";
  const char *end = "{\"type\":\"reply\",\"id\":2,\"ok\":true,\"count\":2}\n";
  static const struct { const char *options, *members; } ways[] = {
    { "", "" },
    { " --device cuda", "" },
    { "", ",\"device\":\"cuda:0\"" },
    { " --device cuda:7", ",\"device\":\"cuda\",\"precision\":\"fp32\"" },
  };
  g_autoptr(GBytes) first = NULL;
  gsize n = 2 * TILE + strlen (end);

  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_auto(GStrv) halves = g_strsplit (cities, "%s", 2);
      g_autofree char *lines = g_strjoinv (ways[i].members, halves);
      g_autoptr(GBytes) drawn = draw (self, ways[i].options, lines, n);
      const char *bytes = g_bytes_get_data (drawn, NULL);

      g_assert_cmpmem (bytes + 2 * TILE, strlen (end), end, strlen (end));
      if (first == NULL)
        first = g_bytes_ref (drawn);
      assert_near (g_bytes_get_data (first, NULL), g_bytes_get_data (drawn, NULL), 2 * TILE, 1);
    }
}

/* A request that fails does not end the program. */
static void
test_draw_refused (Fixture *self, gconstpointer data)
{
  g_autoptr(GBytes) answer
    = draw (self, "", "{\"id\":1,\"cmd\":\"open\",\"checkpoint\":\"@/run\",\"device\":\"cuda:7\"}\n"
                      "{\"id\":2,\"cmd\":\"open\",\"checkpoint\":\"@/run\",\"precision\":\"fp8\"}\n"
                      "{\"id\":3,\"cmd\":\"open\",\"checkpoint\":\"@/run\"}\n", 0);
  g_autofree char *text = g_strndup (g_bytes_get_data (answer, NULL), g_bytes_get_size (answer));

  g_assert_nonnull (strstr (text, "There is no device “cuda:7”"));
  g_assert_nonnull (strstr (text, "--precision cannot be “fp8”"));
  g_assert_nonnull (strstr (text, "\"id\":3,\"ok\":true"));
}

static void
test_evaluate (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) cpu = run (self, "evaluate @/run --count 8 --json");
  g_auto(EngineResult) cuda = run (self, "evaluate @/run --count 8 --json --device cuda");

  g_assert_cmpint (cpu.code, ==, 0);
  g_assert_cmpint (cuda.code, ==, 0);
  g_assert_nonnull (strstr (cuda.out, "\"generated\""));
}

/* ------------------------------------------------------------------------ */
/* Training                                                                  */

/* The device of a run is shown in the terminal, in its log and in its records. */
static void
test_told (Fixture *self, gconstpointer data)
{
  const char *gpu = "Training on Emulated GPU (cuda:0), bf16.\n";
  g_autofree char *log = g_build_filename (self->folder, "new", "log", NULL);
  g_autofree char *text = NULL;
  g_auto(EngineResult) there
    = run (self, TRAIN "--run @/new --device cuda --precision bf16 --steps 2");
  g_auto(EngineResult) here = run (self, "resume @/new --device cpu --precision fp32 --steps 4");
  g_auto(EngineResult) records
    = run (self, "resume @/new --device cuda --precision fp32 --steps 6 --json");
  g_auto(EngineResult) ranks
    = run (self, "resume @/new --device cpu --strategy streams:2 --steps 8");

  g_assert_cmpint (there.code, ==, 0);
  g_assert_nonnull (strstr (there.err, gpu));
  g_assert_cmpint (here.code, ==, 0);
  g_assert_true (g_regex_match_simple ("^Training on .* \\(cpu\\), fp32\\.$", here.err,
                                       G_REGEX_MULTILINE, 0));
  g_assert_cmpint (records.code, ==, 0);
  g_assert_nonnull (strstr (records.out, "Trains on Emulated GPU (cuda:0), fp32"));
  g_assert_null (strstr (records.err, "Training on"));
  g_assert_cmpint (ranks.code, ==, 0);
  g_assert_nonnull (strstr (ranks.err, " (cpu), fp32, streams with 2 ranks.\n"));
  g_assert_true (g_file_get_contents (log, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "Trains on Emulated GPU (cuda:0), bf16"));
  g_assert_nonnull (strstr (text, "Trains on Emulated GPU (cuda:0), fp32"));
}

/* Ranks take the GPUs in turn, and the communicator is reported. */
static void
test_several (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) one = run (self, TRAIN "--run @/one --device cuda --steps 1 --batch 4 "
                                              "--strategy ddp:2");

  g_setenv ("UK_EMULATED_DEVICES", "2", TRUE);
  {
    g_auto(EngineResult) two = run (self, TRAIN "--run @/two --device cuda --steps 1 --batch 4 "
                                                "--strategy ddp:2 --communicator nccl");
    g_auto(EngineResult) same = run (self, TRAIN "--run @/same --device cuda:1 --steps 1 --batch 4 "
                                                 "--strategy ddp:2 --communicator nccl");
    g_auto(EngineResult) plan = run (self, "plan --preset @/mini.preset --device cuda --batch 6 "
                                           "--strategy ddp:3");
    g_auto(EngineResult) apart = run (self, "plan --preset @/mini.preset --device cuda --batch 8 "
                                            "--strategy ddp:4 --communicator mpi");

    g_unsetenv ("UK_EMULATED_DEVICES");
    g_assert_cmpint (one.code, ==, 0);
    g_assert_nonnull (strstr (one.err, ", ddp with 2 ranks, connected through the host's memory"));
    g_assert_cmpint (two.code, ==, 0);
    g_assert_nonnull (strstr (two.err, ", ddp with 2 ranks, connected through NCCL"));
    g_assert_cmpint (same.code, ==, 4);
    g_assert_nonnull (strstr (same.err, "needs a GPU for each rank"));
    g_assert_null (strstr (same.err, "restarted"));
    g_assert_cmpint (plan.code, ==, 0);
    g_assert_nonnull (strstr (plan.out, " of the first GPU's memory: "));
    g_assert_nonnull (strstr (plan.out, " for each of 1 more there; "));
    g_assert_nonnull (strstr (plan.out, "3 ranks on 2 GPUs take turns"));
    g_assert_nonnull (strstr (plan.out, ": one rank for each GPU (--ranks 2) should be faster.\n"));
    g_assert_cmpint (apart.code, ==, 0);
    g_assert_nonnull (strstr (apart.out, " for each of 1 more there, 768.0\u00a0MiB (estimated) for "
                                         "CUDA itself in the other process; "));
  }
}

/* Ranks take the GPUs of a list in its order, and no others. */
static void
test_list (Fixture *self, gconstpointer data)
{
  static const struct { const char *command, *said; } refused[] = {
    { TRAIN "--run @/new --device cuda:0,2", "The strategy single trains on one GPU, and --device cuda:0,2 names 2" },
    { TRAIN "--run @/new --device cuda:0,2 --strategy streams:2", "choose --strategy ddp:2." },
    { TRAIN "--run @/new --device cuda:0,1,2 --batch 4 --strategy ddp:2", "There are 2 ranks for the 3 GPUs" },
    { TRAIN "--run @/new --device cuda:0,1,2 --batch 6 --mesh data=2", "or choose --mesh data=3." },
    { TRAIN "--run @/new --device cuda:0,3 --batch 4 --strategy ddp:2", "There is no device “cuda:3”: this machine has 3" },
    { "generate @/run --count 1 --out @/wall.png --device cuda:0,1", "One GPU is needed here, and “cuda:0,1” names several." },
  };

  g_setenv ("UK_EMULATED_DEVICES", "3", TRUE);
  {
    g_auto(EngineResult) list = run (self, TRAIN "--run @/list --device cuda:2,0 --steps 1 --batch 4 "
                                                 "--strategy ddp:2 --communicator nccl");
    g_auto(EngineResult) resumed = run (self, "resume @/list --device cuda:1,2 --steps 2");
    g_auto(EngineResult) plan = run (self, "plan --preset @/mini.preset --device cuda:0,2 --batch 6 "
                                           "--strategy ddp:3");

    g_assert_cmpint (list.code, ==, 0);
    g_assert_nonnull (strstr (list.err, "(cuda:2,0), fp32, ddp with 2 ranks, connected through NCCL"));
    g_assert_cmpint (resumed.code, ==, 0);
    g_assert_nonnull (strstr (resumed.err, "(cuda:1,2), fp32, ddp with 2 ranks, connected through NCCL"));
    g_assert_cmpint (plan.code, ==, 0);
    g_assert_nonnull (strstr (plan.out, "3 ranks on 2 GPUs take turns"));
  }
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_auto(EngineResult) result = run (self, refused[i].command);

      g_assert_cmpint (result.code, !=, 0);
      g_assert_nonnull (strstr (result.err, refused[i].said));
    }
  g_unsetenv ("UK_EMULATED_DEVICES");
}

/* Whichever rank finds the damaged tile, its message is reported, not that it died. */
static void
test_damaged (Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename (self->folder, "areas.gpkg", NULL);
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, "UPDATE area_tiles SET tile = x'00' WHERE fid = 3", NULL, NULL, NULL),
                   ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_changes (db), ==, 1);
  sqlite3_close (db);
  g_setenv ("UK_EMULATED_DEVICES", "2", TRUE);
  for (int i = 0; i < 3; i++)
    {
      g_autofree char *line = g_strdup_printf (TRAIN "--run @/new-%d --device cuda --steps 500 --batch 4 "
                                               "--strategy ddp:2 --communicator nccl", i);
      g_auto(EngineResult) result = run (self, line);

      g_assert_cmpint (result.code, !=, 0);
      g_assert_nonnull (strstr (result.err, "areas.gpkg"));
      g_assert_null (strstr (result.err, " has left"));
    }
  g_unsetenv ("UK_EMULATED_DEVICES");
}

/* ------------------------------------------------------------------------ */
/* Memory: the emulated GPU has 2 GiB                                        */

/* Four contexts exceed the memory; the refusal states what is available and what would fit. */
static void
test_memory (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) ranks = run (self, TRAIN "--run @/new --device cuda --strategy hogwild:4");
  g_auto(EngineResult) runs
    = run (self, TRAIN "--run @/new --device cuda --several seed=1,2,3,4 --at-once 4");
  g_auto(EngineResult) plan = run (self, "plan --preset @/mini.preset --device cuda "
                                         "--strategy hogwild:4");
  g_auto(EngineResult) json = run (self, "plan --preset @/mini.preset --device cuda:0 "
                                         "--precision bf16 --json");

  g_assert_cmpint (ranks.code, ==, 4);
  g_assert_nonnull (strstr (ranks.err, "Does not fit: memory, 2.3\u00a0GiB of the GPU's memory: "));
  g_assert_nonnull (strstr (ranks.err, ", 768.0\u00a0MiB (estimated) for CUDA itself in each of the other "
                                       "3 processes, and there is 2.0\u00a0GiB (fits if --ranks 3)"));
  g_assert_cmpint (runs.code, ==, 4);
  g_assert_nonnull (strstr (runs.err, " of the GPU's memory for 4 runs at once, with 768.0\u00a0MiB "
                                      "(estimated) for CUDA itself in each but the first, and there "
                                      "is 2.0\u00a0GiB (fits if --at-once 3)."));
  g_assert_cmpint (plan.code, ==, 4);
  g_assert_nonnull (strstr (plan.out, "; there is 2.0\u00a0GiB; fits if --ranks 3\n"));
  g_assert_cmpint (json.code, ==, 0);
  g_assert_nonnull (strstr (json.out, "\"device\" : \"cuda:0\""));
  g_assert_nonnull (strstr (json.out, "\"precision\" : \"bf16\""));
  g_assert_nonnull (strstr (json.out, "\"bytes_available\" : 2147483648"));
}

/* ------------------------------------------------------------------------ */
/* Missing devices                                                           */

/* All commands that compute refuse a missing device in the same way, before doing anything: 4 for a
 * device that another machine could have, 2 for an invalid name. */
static void
test_missing (Fixture *self, gconstpointer data)
{
  static const char *const commands[] = {
    TRAIN "--run @/new", "resume @/run --steps 8", "plan", "bench --steps 1 --warmup 0",
    "generate @/run --count 1 --out @/wall.png", "evaluate @/run --count 8", "draw @/run",
  };
  static const struct { const char *device; gboolean without_gpu; int code; const char *said; } rows[] = {
    { "cuda", TRUE, 4, "No GPU can be used: /nowhere, named by URBARIUM_CUDA_MODULE" },
    { "cuda:1", FALSE, 4, "There is no device “cuda:1”: this machine has 1 GPU, cuda:0." },
    { "cuda:one", FALSE, 2, "There is no device “cuda:one”: GPUs are numbered" },
    { "abacus", FALSE, 2, "There is no device “abacus”; choose cpu, cuda" },
    { "cuda:0,0", FALSE, 2, "The device “cuda:0,0” has GPU 0 twice." },
  };
  g_autofree char *fresh = g_build_filename (self->folder, "new", NULL);
  g_autofree char *wall = g_build_filename (self->folder, "wall.png", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (rows); k++)
      {
        g_autofree char *command = g_strdup_printf ("%s --device %s", commands[i], rows[k].device);

        if (rows[k].without_gpu)
          g_setenv ("URBARIUM_CUDA_MODULE", "/nowhere", TRUE);
        {
          g_auto(EngineResult) result = run (self, command);

          g_assert_cmpint (result.code, ==, rows[k].code);
          g_assert_nonnull (strstr (result.err, rows[k].said));
        }
        g_setenv ("URBARIUM_CUDA_MODULE", g_getenv ("URBARIUM_EMULATED_CUDA"), TRUE);
      }
  g_assert_false (g_file_test (fresh, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (wall, G_FILE_TEST_EXISTS));
}

/* An invalid name is reported even if there is nothing to do. */
static void
test_missing_when_finished (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) finished = run (self, "resume @/run --device cuda");
  g_auto(EngineResult) wrong = run (self, "resume @/run --device cuda:9");

  g_assert_cmpint (finished.code, ==, 0);
  g_assert_nonnull (strstr (finished.err, "all 4 steps are done"));
  g_assert_cmpint (wrong.code, ==, 4);
  g_assert_nonnull (strstr (wrong.err, "There is no device “cuda:9”"));
}

/* ------------------------------------------------------------------------ */
/* Problems that are not fatal                                               */

static int
count (const char *text, const char *part)
{
  int n = 0;

  for (const char *at = strstr (text, part); at != NULL; at = strstr (at + 1, part))
    n++;
  return n;
}

/* One warning line, and the command succeeds. */
static void
test_no_cache (Fixture *self, gconstpointer data)
{
  static const char *const commands[] = {
    TRAIN "--run @/new --steps 2 --device cuda", "plan --preset @/mini.preset --device cuda",
    "generate @/run --count 1 --out @/wall.png --device cuda",
    "evaluate @/run --count 8 --device cuda",
  };
  g_autofree char *no_folder = g_build_filename (self->folder, "areas.gpkg", "cache", NULL);

  g_setenv ("XDG_CACHE_HOME", no_folder, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_auto(EngineResult) result = run (self, commands[i]);

      g_assert_cmpint (result.code, ==, 0);
      g_assert_cmpint (count (result.err, "/areas.gpkg/cache/urbarium' cannot be written (Not a "
                                          "directory)"), ==, 1);
    }
}

/* Ranks on one GPU are not limited by the processor's cores, but a warning says that one is faster. */
static void
test_advice (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) many = run (self, "plan --preset @/mini.preset --device cuda "
                                         "--strategy streams:100");
  g_auto(EngineResult) in_step = run (self, TRAIN "--run @/new --steps 2 --device cuda "
                                                  "--strategy ddp:2 --communicator threads");
  g_auto(EngineResult) quiet = run (self, "resume @/new --steps 4 --quiet");

  g_assert_cmpint (many.code, ==, 0);
  g_assert_nonnull (strstr (many.out, "  cores          fits          a GPU computes; "));
  g_assert_true (g_str_has_suffix (many.out, "\nFits.\n"));
  g_assert_cmpint (in_step.code, ==, 0);
  g_assert_nonnull (strstr (in_step.err, "2 ranks on 1 GPU take turns, "));
  g_assert_nonnull (strstr (in_step.err, "(--strategy single) should be faster.\n"));
  g_assert_cmpint (quiet.code, ==, 0);
  g_assert_cmpstr (quiet.err, ==, "");
}

/* ------------------------------------------------------------------------ */
/* Plans                                                                     */

typedef struct
{
  int n_timed, n_finalized, n_compiled;
} Plans;

static void
add_plans (Plans *sum, const char *text)
{
  const char *line = text;

  while ((line = strstr (line, "convolutions timed: ")) != NULL)
    {
      Plans plans;

      g_assert_cmpint (sscanf (line, "convolutions timed: %d, plans finalized: %d, kernels compiled: %d",
                               &plans.n_timed, &plans.n_finalized, &plans.n_compiled),
                       ==, 3);
      sum->n_timed += plans.n_timed;
      sum->n_finalized += plans.n_finalized;
      sum->n_compiled += plans.n_compiled;
      line++;
    }
}

/* What all processes of a command did, its run's worker included. */
static Plans
count_plans (const Fixture *self, const char *arguments)
{
  g_auto(EngineResult) result = run (self, arguments);
  g_autofree char *path = g_build_filename (self->folder, "with-plans", "log", NULL), *log = NULL;
  Plans plans = { 0 };

  g_assert_cmpint (result.code, ==, 0);
  add_plans (&plans, result.out);
  add_plans (&plans, result.err);
  if (g_file_get_contents (path, &log, NULL, NULL))
    add_plans (&plans, log);
  g_test_message ("%s: %d convolutions timed, %d plans finalized", arguments, plans.n_timed,
                  plans.n_finalized);
  return plans;
}

static void
forget_plans (const Fixture *self)
{
  g_autofree char *folder = g_build_filename (self->folder, "urbarium", NULL);

  g_assert_true (g_spawn_sync (NULL, (char *[]){ "rm", "-rf", folder, NULL }, NULL, G_SPAWN_SEARCH_PATH, NULL,
                               NULL, NULL, NULL, NULL, NULL));
}

/* The first command times the convolutions; others find the results, and make only plans that they run, each
 * once. */
static void
test_plans (Fixture *self, gconstpointer data)
{
  static const char *const commands[] = {
    "plan --preset @/mini.preset --device cuda --precision bf16",
    "bench --preset @/mini.preset --device cuda --precision bf16 --steps 1 --warmup 1",
    TRAIN "--run @/with-plans --device cuda --precision bf16 --steps 2 --force",
  };

  g_setenv ("URBARIUM_CUDA_MODULE", g_getenv ("URBARIUM_EMULATED_LIBRARIES"), TRUE);
  g_setenv ("G_MESSAGES_DEBUG", "urbarium", TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      Plans cold, warm;

      forget_plans (self);
      cold = count_plans (self, commands[i]);
      warm = count_plans (self, commands[i]);
      g_assert_cmpint (cold.n_timed, >, 0);
      g_assert_cmpint (cold.n_finalized, >, warm.n_finalized);
      g_assert_cmpint (cold.n_compiled, ==, 0);
      g_assert_cmpint (warm.n_timed, ==, 0);
      g_assert_cmpint (warm.n_compiled, ==, 0);
      if (i == 0)
        g_assert_cmpint (warm.n_finalized, ==, 0);
      else
        {
          g_assert_cmpint (warm.n_finalized, >, 0);
          g_assert_cmpint (warm.n_finalized, <=, cold.n_timed);
        }
    }
  g_unsetenv ("G_MESSAGES_DEBUG");
}

/* The emulated cuDNN has no plan for images of three channels: the first and the last layer are slow, and the
 * commands say so. */
static void
test_slow (Fixture *self, gconstpointer data)
{
  static const char *const expected = " convolutions run on a slow kernel, not on cuDNN's: ";
  g_auto(EngineResult) plan = { 0 }, bench = { 0 }, train = { 0 };
  g_autofree char *path = g_build_filename (self->folder, "slow", "log", NULL), *log = NULL;

  g_setenv ("URBARIUM_CUDA_MODULE", g_getenv ("URBARIUM_EMULATED_LIBRARIES"), TRUE);
  plan = run (self, "plan --preset @/mini.preset --device cuda");
  bench = run (self, "bench --preset @/mini.preset --device cuda --steps 1 --warmup 1 --profile");
  train = run (self, TRAIN "--run @/slow --device cuda --steps 2");
  g_assert_nonnull (strstr (plan.out, expected));
  g_assert_nonnull (strstr (bench.out, expected));
  g_assert_nonnull (strstr (bench.out, "%  cuDNN engine "));
  g_assert_nonnull (strstr (bench.out, "%  plain kernel: the libraries have no plan for it"));
  g_assert_cmpint (train.code, ==, 0);
  g_assert_nonnull (strstr (train.err, expected));
  g_assert_true (g_file_get_contents (path, &log, NULL, NULL));
  g_assert_nonnull (strstr (log, expected));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/device/generate", Fixture, NULL, set_up, test_generate, tear_down);
  g_test_add ("/device/draw", Fixture, NULL, set_up, test_draw, tear_down);
  g_test_add ("/device/draw-refused", Fixture, NULL, set_up, test_draw_refused, tear_down);
  g_test_add ("/device/evaluate", Fixture, NULL, set_up, test_evaluate, tear_down);
  g_test_add ("/device/told", Fixture, NULL, set_up, test_told, tear_down);
  g_test_add ("/device/several", Fixture, NULL, set_up, test_several, tear_down);
  g_test_add ("/device/list", Fixture, NULL, set_up, test_list, tear_down);
  g_test_add ("/device/damaged", Fixture, NULL, set_up, test_damaged, tear_down);
  g_test_add ("/device/missing", Fixture, NULL, set_up, test_missing, tear_down);
  g_test_add ("/device/missing-when-finished", Fixture, NULL, set_up, test_missing_when_finished,
              tear_down);
  g_test_add ("/device/no-cache", Fixture, NULL, set_up, test_no_cache, tear_down);
  g_test_add ("/device/advice", Fixture, NULL, set_up, test_advice, tear_down);
  g_test_add ("/device/memory", Fixture, NULL, set_up, test_memory, tear_down);
  g_test_add ("/device/plans", Fixture, NULL, set_up, test_plans, tear_down);
  g_test_add ("/device/slow", Fixture, NULL, set_up, test_slow, tear_down);
  return g_test_run ();
}
