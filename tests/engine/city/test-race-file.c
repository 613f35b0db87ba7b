/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-race-file.c - what is written is read back; damaged files are errors; the lock names its holder.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "city/race-file.h"
#include "flat-folder.h"

static const UrbRaceProgress progress = {
  .state = URB_RACE_FAILED, .stage = URB_RACE_SCORE, .arm = 1, .seed = 3, .trained_s = 12.5, .planned_s = 100,
  .started = 1764230400, .n_seeds = 3, .dataset = (char *) "/maps/a;b\n\\[x].gpkg", .problem = (char *) "no “space”",
};

static UrbQualityRace *
make_race (void)
{
  const UrbQualityPoint points[] = { { 1.25, 10, 80, 3.5 }, { 2.5, 20, 160, NAN }, { 0.1 + 0.2, 30, 240, 1e-17 } };
  UrbQualityRace *race = urb_quality_race_new ("hogwild:2 --full-lr", "single");
  UrbQualityCurve *curve = urb_quality_race_add (race, 1, G_MAXUINT64);

  race->is_single[1] = TRUE;
  race->lr_factor[0] = 0.5;
  race->budget_s = 600;
  curve->images_per_s = 99.5;
  g_array_append_vals (curve->points, points, G_N_ELEMENTS (points));
  urb_quality_race_add (race, 0, 2);
  return race;
}

static void
test_same (FlatFolderFixture *fixture, gconstpointer data)
{
  g_autoptr(UrbQualityRace) race = make_race ();
  g_autoptr(UrbQualityRace) read = NULL;
  g_auto(UrbRaceProgress) got = { 0 };
  g_autoptr(GError) error = NULL;
  const UrbQualityCurve *curve;

  g_assert_true (urb_race_file_save (fixture->folder, &progress, race, &error));
  read = urb_race_file_load (fixture->folder, &got, &error);
  g_assert_no_error (error);
  g_assert_cmpint (got.state, ==, progress.state);
  g_assert_cmpint (got.stage, ==, progress.stage);
  g_assert_cmpint (got.arm, ==, 1);
  g_assert_cmpuint (got.seed, ==, 3);
  g_assert_cmpfloat (got.trained_s, ==, 12.5);
  g_assert_cmpfloat (got.planned_s, ==, 100);
  g_assert_cmpint (got.started, ==, progress.started);
  g_assert_cmpint (got.n_seeds, ==, 3);
  g_assert_cmpstr (got.dataset, ==, progress.dataset);
  g_assert_cmpstr (got.problem, ==, progress.problem);
  g_assert_cmpstr (read->arms[0], ==, race->arms[0]);
  g_assert_cmpstr (read->arms[1], ==, race->arms[1]);
  g_assert_false (read->is_single[0]);
  g_assert_true (read->is_single[1]);
  g_assert_cmpfloat (read->lr_factor[0], ==, 0.5);
  g_assert_cmpfloat (read->budget_s, ==, 600);
  g_assert_cmpuint (read->curves->len, ==, 2);
  curve = read->curves->pdata[0];
  g_assert_cmpint (curve->arm, ==, 1);
  g_assert_cmpuint (curve->seed, ==, G_MAXUINT64);
  g_assert_cmpfloat (curve->images_per_s, ==, 99.5);
  g_assert_cmpuint (curve->points->len, ==, 3);
  g_assert_true (isnan (g_array_index (curve->points, UrbQualityPoint, 1).score));
  g_assert_cmpfloat (g_array_index (curve->points, UrbQualityPoint, 2).seconds, ==, 0.1 + 0.2);
  g_assert_cmpfloat (g_array_index (curve->points, UrbQualityPoint, 2).score, ==, 1e-17);
  g_assert_cmpint (g_array_index (curve->points, UrbQualityPoint, 2).step, ==, 30);
  curve = read->curves->pdata[1];
  g_assert_cmpuint (curve->points->len, ==, 0);
}

/* Cut anywhere, or with one value replaced: read well or refused, with the file's name. */
static void
test_damaged (FlatFolderFixture *fixture, gconstpointer data)
{
  static const struct { const char *line, *instead; } changes[] = {
    { "state=failed", "state=won" }, { "stage=score", "" }, { "arm=1", "arm=2" }, { "arm=1", "arm=-1" },
    { "steps=10;20;30;", "steps=10;20;" }, { "scores=", "points=" }, { "name=single", "name=\xff" },
  };
  g_autoptr(UrbQualityRace) race = make_race ();
  g_autofree char *path = g_build_filename (fixture->folder, "ab.ini", NULL);
  g_autofree char *text = NULL;
  gsize length;

  g_assert_true (urb_race_file_save (fixture->folder, &progress, race, NULL));
  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autoptr(GString) changed = g_string_new (text);
      g_autoptr(UrbQualityRace) read = NULL;
      g_auto(UrbRaceProgress) got = { 0 };
      g_autoptr(GError) error = NULL;

      g_assert_cmpuint (g_string_replace (changed, changes[i].line, changes[i].instead, 1), ==, 1);
      g_assert_true (g_file_set_contents (path, changed->str, (gssize) changed->len, NULL));
      read = urb_race_file_load (fixture->folder, &got, &error);
      g_assert_null (read);
      g_assert_true (error->domain == G_KEY_FILE_ERROR);
      g_assert_nonnull (strstr (error->message, "ab.ini"));
    }
  for (gsize n = 0; n < length; n++)
    {
      g_autoptr(UrbQualityRace) read = NULL;
      g_auto(UrbRaceProgress) got = { 0 };
      g_autoptr(GError) error = NULL;

      g_assert_true (g_file_set_contents (path, text, (gssize) n, NULL));
      read = urb_race_file_load (fixture->folder, &got, &error);
      g_assert_true ((read == NULL) == (error != NULL));
    }
}

static void
test_lock (FlatFolderFixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  int ready[2], end[2], status;
  char byte = 0;
  pid_t child;

  g_assert_cmpint (urb_race_file_find_holder (fixture->folder), ==, 0);
  g_assert_cmpint (pipe (ready) + pipe (end), ==, 0);
  child = fork ();
  if (child == 0)
    {
      byte = (char) urb_race_file_lock (fixture->folder, NULL);
      if (write (ready[1], &byte, 1) == 1 && read (end[0], &byte, 1) == 1)
        _exit (0);
      _exit (1);
    }
  g_assert_cmpint (read (ready[0], &byte, 1), ==, 1);
  g_assert_true (byte);
  g_assert_cmpint (urb_race_file_find_holder (fixture->folder), ==, child);
  g_assert_false (urb_race_file_lock (fixture->folder, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BUSY);
  g_assert_cmpint (write (end[1], &byte, 1), ==, 1);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  g_assert_cmpint (urb_race_file_find_holder (fixture->folder), ==, 0);
  for (int i = 0; i < 2; i++)
    close (ready[i]), close (end[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/race-file/same", FlatFolderFixture, NULL, flat_folder_set_up, test_same, flat_folder_tear_down);
  g_test_add ("/race-file/damaged", FlatFolderFixture, NULL, flat_folder_set_up, test_damaged, flat_folder_tear_down);
  g_test_add ("/race-file/lock", FlatFolderFixture, NULL, flat_folder_set_up, test_lock, flat_folder_tear_down);
  return g_test_run ();
}
