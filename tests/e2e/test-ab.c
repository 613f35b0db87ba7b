/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-ab.c - `bench --ab`, from the first trial to the result, at the smallest
 * scale that gives a result.
 */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <string.h>

#include "engine-run.h"
#include "flat-folder.h"
#include "city/race-file.h"
#include "small-dataset.h"

static void
remove_folder (const char *folder)
{
  g_autoptr(GError) error = NULL;

  g_spawn_sync (NULL, (char *[]){ "rm", "-rf", (char *) folder, NULL }, NULL, G_SPAWN_SEARCH_PATH,
                NULL, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

static guint
count_lines (const char *path)
{
  g_autofree char *text = NULL;
  g_auto(GStrv) lines = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  return g_strv_length (lines) - 1;
}

/* As if it had been stopped while the last training was scored. */
static void
interrupt_scoring (const char *out)
{
  g_auto(UrbRaceProgress) progress = { 0 };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbQualityRace) race = urb_race_file_load (out, &progress, &error);
  UrbQualityCurve *last;

  g_assert_no_error (error);
  progress.state = URB_RACE_STOPPED;
  last = race->curves->pdata[1];
  last->complete = FALSE;
  g_array_set_size (last->points, 1);
  g_assert_true (urb_race_file_save (out, &progress, race, &error));
}

static gint64
get_change (const char *path)
{
  GStatBuf status;

  g_assert_cmpint (g_stat (path, &status), ==, 0);
  return status.st_ctim.tv_sec * G_GINT64_CONSTANT (1000000000) + status.st_ctim.tv_nsec;
}

/* The last training is made again, and nothing else. */
static void
check_continued (const char *out, const UrbQualityRace *before)
{
  g_autofree char *arguments = g_strdup_printf ("bench --continue %s", out);
  g_autofree char *wrong = g_strdup_printf ("%s --minutes 5", arguments);
  g_autofree char *tuned = g_build_filename (out, "b-tune-9001-lr-2", "run.ini", NULL);
  const UrbQualityCurve *first = before->curves->pdata[0], *again;
  gint64 tuned_at = get_change (tuned);
  g_auto(UrbRaceProgress) progress = { 0 };
  g_autoptr(UrbQualityRace) race = NULL;
  g_auto(EngineResult) done = engine_run (arguments), mistake = engine_run (wrong), result = { 0 };

  g_assert_cmpint (done.code, ==, 2);
  g_assert_nonnull (strstr (done.err, "has finished"));
  g_assert_cmpint (mistake.code, ==, 2);
  g_assert_nonnull (strstr (mistake.err, "with the settings in its folder"));
  interrupt_scoring (out);
  result = engine_run (arguments);
  g_test_message ("%s\n%s", arguments, result.err);
  g_assert_cmpint (result.code, ==, 0);
  race = urb_race_file_load (out, &progress, NULL);
  g_assert_nonnull (race);
  g_assert_cmpint (progress.state, ==, URB_RACE_FINISHED);
  g_assert_cmpfloat (progress.trained_s, ==, progress.planned_s);
  g_assert_cmpuint (race->curves->len, ==, 2);
  again = race->curves->pdata[0];
  g_assert_cmpmem (again->points->data, again->points->len * sizeof (UrbQualityPoint), first->points->data,
                   first->points->len * sizeof (UrbQualityPoint));
  g_assert_cmpuint (((UrbQualityCurve *) race->curves->pdata[1])->points->len, ==, 3);
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    g_assert_cmpfloat (race->lr_factor[arm], ==, before->lr_factor[arm]);
  g_assert_cmpint (get_change (tuned), ==, tuned_at);
}

static void
test_race (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-ab-XXXXXX", NULL);
  g_autofree char *arguments
    = g_strdup_printf ("bench --ab single single --dataset %s/areas.gpkg --preset %s/mini.preset "
                       "--out %s/ab --threads 1 --minutes 0.01 --seeds 1 --evaluations 3 --count 8 "
                       "--json", folder, folder, folder);
  g_autofree char *out = g_build_filename (folder, "ab", NULL);
  g_autofree char *csv = g_build_filename (out, "ab.csv", NULL);
  g_autofree char *svg = g_build_filename (folder, "ab", "ab.svg", NULL);
  g_autofree char *ini = g_build_filename (folder, "ab", "b-tune-9001-lr-0.5", "run.ini", NULL);
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_autoptr(GKeyFile) config = g_key_file_new ();
  g_autoptr(GError) error = NULL;
  g_auto(EngineResult) result = { 0 };
  g_autoptr(UrbQualityRace) race = NULL;
  g_auto(UrbRaceProgress) progress = { 0 };
  JsonObject *answer;
  JsonArray *arms;

  small_dataset_write (folder);
  result = engine_run (arguments);
  g_test_message ("%s\n%s", arguments, result.err);
  g_assert_cmpint (result.code, ==, 0);
  json_parser_load_from_data (parser, result.out, -1, &error);
  g_assert_no_error (error);
  answer = json_node_get_object (json_parser_get_root (parser));
  g_assert_cmpstr (json_object_get_string_member (answer, "answer"), !=, "");
  g_assert_cmpfloat (json_object_get_double_member (answer, "threshold"), >, 0);
  g_assert_cmpint (json_object_get_int_member (answer, "seeds"), ==, 1);
  arms = json_object_get_array_member (answer, "arms");
  g_assert_cmpuint (json_array_get_length (arms), ==, 2);
  g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (arms, 1), "arm"),
                   ==, "single (again)");
  g_assert_cmpuint (count_lines (csv), ==, 1 + 2 * 3);
  g_assert_true (g_file_test (svg, G_FILE_TEST_IS_REGULAR));
  race = urb_race_file_load (out, &progress, &error);
  g_assert_no_error (error);
  g_assert_cmpint (progress.state, ==, URB_RACE_FINISHED);
  g_assert_cmpfloat (progress.trained_s, ==, progress.planned_s);
  g_assert_cmpuint (race->curves->len, ==, 2);
  g_assert_cmpuint (((UrbQualityCurve *) race->curves->pdata[1])->points->len, ==, 3);
  /* Of each training, the last checkpoint is left. */
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    {
      g_autofree char *checkpoints
        = g_strdup_printf ("%s/%c-race-1-lr-%g/checkpoints", out, 'a' + arm, race->lr_factor[arm]);

      g_assert_cmpint (flat_folder_count (checkpoints), ==, 1);
    }
  /* What an attempt changes is in its configuration. */
  g_key_file_load_from_file (config, ini, G_KEY_FILE_NONE, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (g_key_file_get_double (config, "train", "lr-g", NULL), ==, 0.5 * 0.001);
  g_assert_cmpfloat (g_key_file_get_double (config, "train", "lr-d", NULL), ==, 0.5 * 0.001);
  g_assert_cmpint (g_key_file_get_integer (config, "train", "seed", NULL), ==, 9001);
  g_assert_cmpint (g_key_file_get_integer (config, "train", "steps", NULL), ==,
                   g_key_file_get_integer (config, "run", "sample_every", NULL));
  check_continued (out, race);
  remove_folder (folder);
}

/* The multiples are those of the arm's own recipe; a rate that the arm names is kept. */
static void
test_rates (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-ab-XXXXXX", NULL);
  g_autofree char *arguments
    = g_strdup_printf ("bench --ab single\t--recipe\tdcgan\t--lr-d\t0.25 single "
                       "--dataset %s/areas.gpkg --preset %s/mini.preset --out %s/ab --threads 1 "
                       "--minutes 0.01 --seeds 1 --evaluations 3 --count 8", folder, folder, folder);
  g_autofree char *ini = g_build_filename (folder, "ab", "a-tune-9001-lr-0.5", "run.ini", NULL);
  g_autoptr(GKeyFile) config = g_key_file_new ();
  g_autoptr(GError) error = NULL;
  g_auto(EngineResult) result = { 0 };

  small_dataset_write (folder);
  result = engine_run (arguments);
  g_test_message ("%s\n%s", arguments, result.err);
  g_key_file_load_from_file (config, ini, G_KEY_FILE_NONE, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (g_key_file_get_double (config, "train", "lr-g", NULL), ==, 0.5 * 2e-4);
  g_assert_cmpfloat (g_key_file_get_double (config, "train", "lr-d", NULL), ==, 0.25);
  remove_folder (folder);
}

/* Detached, it goes on alone; another one cannot use its folder; a signal stops it, and the file says so. */
static void
test_detached (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-ab-XXXXXX", NULL);
  g_autofree char *out = g_build_filename (folder, "ab", NULL);
  g_autofree char *arguments
    = g_strdup_printf ("bench --ab single single --dataset %s/areas.gpkg --preset %s/mini.preset "
                       "--out %s --threads 1 --minutes 60 --seeds 1 --detach", folder, folder, out);
  g_autoptr(UrbQualityRace) race = NULL;
  g_auto(UrbRaceProgress) progress = { 0 };
  g_autoptr(GError) error = NULL;
  pid_t holder;

  small_dataset_write (folder);
  for (int i = 0; i < 2; i++)
    {
      g_auto(EngineResult) result = engine_run (arguments);

      g_test_message ("%s\n%s%s", arguments, result.out, result.err);
      g_assert_cmpint (result.code, ==, i == 0 ? 0 : 1);
      if (i == 1)
        g_assert_nonnull (strstr (result.err, "used by another comparison"));
    }
  holder = urb_race_file_find_holder (out);
  g_assert_cmpint (holder, >, 0);
  g_assert_cmpint (kill (holder, SIGINT), ==, 0);
  while (urb_race_file_find_holder (out) != 0)
    g_usleep (20000);
  race = urb_race_file_load (out, &progress, &error);
  g_assert_no_error (error);
  g_assert_cmpint (progress.state, ==, URB_RACE_STOPPED);
  remove_folder (folder);
}

/* An arm that cannot train ends the comparison, with the reason. */
static void
test_failure (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-ab-XXXXXX", NULL);
  g_autofree char *arguments
    = g_strdup_printf ("bench --ab single single --dataset %s/areas.gpkg --preset tiny --out %s/ab",
                       folder, folder);
  g_autofree char *out = g_build_filename (folder, "ab", NULL);
  g_auto(EngineResult) result = { 0 };
  g_autoptr(UrbQualityRace) race = NULL;
  g_auto(UrbRaceProgress) progress = { 0 };

  small_dataset_write (folder); /* 16 pixels; tiny needs 64 */
  result = engine_run (arguments);
  g_assert_cmpint (result.code, ==, 1);
  g_assert_nonnull (strstr (result.err, "64 px"));
  race = urb_race_file_load (out, &progress, NULL);
  g_assert_nonnull (race);
  g_assert_cmpint (progress.state, ==, URB_RACE_FAILED);
  g_assert_nonnull (strstr (progress.problem, "64 px"));
  remove_folder (folder);
}

/* Mistakes in either arm are found before anything is trained. */
static void
test_arms (void)
{
  static const struct { const char *arms, *message; int code; } mistakes[] = {
    { "single single\t--staleness\t3", "--staleness is an option of hogwild and streams", 2 },
    { "single single\t--minutes\t3", "Unknown option --minutes", 2 },
    { "single\tsingle single", "“single” in “single single” is no option", 2 },
    { "single\t--seed\t9 single", "leave out --seed", 2 },
    { "single single\t--config\ta.ini", "write --config outside", 2 },
    { "single ddp:3", "cannot be split equally among 3 ranks", 2 },
  };
  g_autofree char *folder = g_dir_make_tmp ("urbarium-ab-XXXXXX", NULL);
  g_autofree char *out = g_build_filename (folder, "ab", NULL);

  small_dataset_write (folder);
  for (gsize i = 0; i < G_N_ELEMENTS (mistakes); i++)
    {
      g_autofree char *arguments
        = g_strdup_printf ("bench --ab %s --dataset %s/areas.gpkg --preset %s/mini.preset --out %s",
                           mistakes[i].arms, folder, folder, out);
      g_auto(EngineResult) result = engine_run (arguments);

      g_test_message ("%s\n%s", arguments, result.err);
      g_assert_cmpint (result.code, ==, mistakes[i].code);
      g_assert_nonnull (strstr (result.err, mistakes[i].message));
      g_assert_false (g_file_test (out, G_FILE_TEST_EXISTS));
    }
  remove_folder (folder);
}

/* The ranks of hogwild are processes, which a short run measures; it leaves nothing behind. */
static void
test_hogwild (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-ab-XXXXXX", NULL);
  g_autofree char *parts = g_build_filename (folder, "parts", NULL);
  g_autofree char *arguments
    = g_strdup_printf ("bench --strategy hogwild:2 --dataset %s/areas.gpkg --preset %s/mini.preset --threads 2 "
                       "--steps 40 --json", folder, folder);
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_autoptr(GError) error = NULL;
  g_autoptr(GDir) left = NULL;
  g_auto(EngineResult) result = { 0 };
  JsonObject *answer;

  small_dataset_write (folder);
  g_assert_cmpint (g_mkdir (parts, 0700), ==, 0);
  g_setenv ("TMPDIR", parts, TRUE);
  result = engine_run (arguments);
  g_unsetenv ("TMPDIR");
  g_test_message ("%s\n%s", arguments, result.err);
  g_assert_cmpint (result.code, ==, 0);
  json_parser_load_from_data (parser, result.out, -1, &error);
  g_assert_no_error (error);
  answer = json_node_get_object (json_parser_get_root (parser));
  g_assert_cmpfloat (json_object_get_double_member (answer, "images_per_second"), >, 0);
  g_assert_cmpstr (json_object_get_string_member (answer, "strategy"), ==, "hogwild");
  left = g_dir_open (parts, 0, NULL);
  g_assert_null (g_dir_read_name (left));
  remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ab/race", test_race);
  g_test_add_func ("/ab/rates", test_rates);
  g_test_add_func ("/ab/detached", test_detached);
  g_test_add_func ("/ab/failure", test_failure);
  g_test_add_func ("/ab/arms", test_arms);
  g_test_add_func ("/ab/hogwild", test_hogwild);
  return g_test_run ();
}
