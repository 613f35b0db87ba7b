/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-same-run.c - a run that is resumed is the one that was stopped: its settings, its preset and its
 * dataset are compared, and what differs is refused with a remedy, or recorded.  A run that has gone wrong
 * can be taken back to when it had not.
 */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "engine-run.h"
#include "small-dataset.h"

typedef struct
{
  char *folder, *ini, *preset, *dataset;
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

/* @said: what the message has */
static void
refuse (const Fixture *self, const char *arguments, const char *said)
{
  g_auto(EngineResult) result = run (self, arguments);

  g_assert_cmpint (result.code, >, 0);
  g_assert_nonnull (strstr (result.err, said));
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("urbarium-same-XXXXXX", NULL);
  self->ini = g_build_filename (self->folder, "run", "run.ini", NULL);
  self->preset = g_build_filename (self->folder, "run", "mini.preset", NULL);
  self->dataset = g_build_filename (self->folder, "areas.gpkg", NULL);
  small_dataset_write (self->folder);
  run_well (self, "train --dataset @/areas.gpkg --preset @/mini.preset --threads 1 --run @/run --steps 4 "
                  "--no-score --quiet");
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_spawn_sync (NULL, (char *[]){ "rm", "-rf", self->folder, NULL }, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                NULL, NULL, NULL, NULL);
  g_free (self->folder);
  g_free (self->ini);
  g_free (self->preset);
  g_free (self->dataset);
}

/* Replaces @old in the file @path. */
static void
edit (const char *path, const char *old, const char *now)
{
  g_autofree char *text = NULL, *edited = NULL;
  g_auto(GStrv) parts = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  parts = g_strsplit (text, old, 2);
  g_assert_nonnull (parts[1]);
  edited = g_strjoinv (now, parts);
  g_assert_true (g_file_set_contents (path, edited, -1, NULL));
}

static void
run_sql (const char *path, const char *sql)
{
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
}

/* Whether the run.db of @name has an event of @code with @text. */
static gboolean
has_event_in (const Fixture *self, const char *name, const char *code, const char *text)
{
  g_autofree char *path = g_build_filename (self->folder, name, "run.db", NULL);
  sqlite3_stmt *statement = NULL;
  sqlite3 *db = NULL;
  gboolean found = FALSE;

  g_assert_cmpint (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
  sqlite3_prepare_v2 (db, "SELECT text FROM event WHERE code = ?", -1, &statement, NULL);
  sqlite3_bind_text (statement, 1, code, -1, SQLITE_STATIC);
  while (sqlite3_step (statement) == SQLITE_ROW)
    found = found || strstr ((const char *) sqlite3_column_text (statement, 0), text) != NULL;
  sqlite3_finalize (statement);
  sqlite3_close (db);
  return found;
}

static gboolean
has_event (const Fixture *self, const char *code, const char *text)
{
  return has_event_in (self, "run", code, text);
}

static void
test_settings (Fixture *self, gconstpointer data)
{
  edit (self->ini, "[train]\n", "[train]\nlr_g=0.5\n");
  refuse (self, "resume @/run --steps 6", "There is no setting [train] lr_g; write [train] lr-g.");
  edit (self->ini, "lr_g=0.5\n", "");
  edit (self->ini, "format=1\n", "format=2\n");
  refuse (self, "resume @/run --steps 6", "format 2");
  edit (self->ini, "format=2\n", "format=1\n");
  edit (self->ini, "batch=", "batch=1"); /* from 4 to 14 */
  run_well (self, "resume @/run --steps 6 --lr-g 0.004 --quiet");
  g_assert_true (has_event (self, "setting", " -> 0.004 by resume"));
  g_assert_true (has_event (self, "setting", "steps 4 -> 6 by resume"));
  g_assert_true (has_event (self, "setting", "batch "));
  g_assert_true (has_event (self, "setting", " in run.ini"));
  g_assert_false (has_event (self, "setting", "lr-d "));
}

static void
test_preset (Fixture *self, gconstpointer data)
{
  g_autofree char *before = NULL, *after = NULL;

  g_assert_true (g_file_get_contents (self->preset, &before, NULL, NULL));
  edit (self->preset, "lrelu", "relu");
  refuse (self, "resume @/run --steps 6 --quiet", "mini.preset was edited since the checkpoint of step 4");
  g_assert_cmpint (g_unlink (self->preset), ==, 0);
  run_well (self, "resume @/run --steps 6 --quiet");
  g_assert_true (g_file_get_contents (self->preset, &after, NULL, NULL));
  g_assert_cmpstr (before, ==, after);
}

static void
test_dataset (Fixture *self, gconstpointer data)
{
  run_sql (self->dataset, "CREATE TABLE old AS SELECT tile FROM area_tiles WHERE fid = 2;"
                          "UPDATE area_tiles SET tile = (SELECT tile FROM area_tiles WHERE fid = 1) WHERE fid = 2");
  refuse (self, "resume @/run --steps 6", "its tiles are not those that were written");
  run_sql (self->dataset, "UPDATE area_tiles SET tile = (SELECT tile FROM old) WHERE fid = 2; DROP TABLE old");
  run_well (self, "resume @/run --steps 6 --quiet");
}

/* With absurd rates from step 4 on: told, not called a success, and taken back. */
static void
test_exploded (Fixture *self, gconstpointer data)
{
  const char *bad = "resume @/run --steps 70 --checkpoint-every 10 --keep-checkpoints 2 --lr-g 1 --lr-d 1 --quiet";
  g_autofree char *link = g_build_filename (self->folder, "run", "last-good.safetensors", NULL);
  g_autofree char *target = NULL;

  run_well (self, "train --dataset @/areas.gpkg --preset @/mini.preset --recipe dcgan --threads 1 --run @/run "
                  "--steps 4 --force --no-score --quiet");
  refuse (self, "resume @/run --steps 60 --from-good", "no checkpoint of the run is marked as good");
  refuse (self, bad, "“resume --from-good” goes back to the checkpoint of step 4");
  g_assert_true (has_event (self, "explosion", "with half the learning rates (--lr-g 0.5 --lr-d 0.5)"));
  g_assert_true (has_event (self, "failed", "All steps are done, and the cities are worthless"));
  target = g_file_read_link (link, NULL);
  g_assert_cmpstr (target, ==, "checkpoints/step-000000004.safetensors");
  run_well (self, "resume @/run --steps 7 --from-good --lr-g 0.002 --quiet");
  g_assert_true (has_event (self, "setting", "lr-g 1 -> 0.002 by resume"));
  g_assert_true (has_event (self, "setting", "lr-d 1 -> 0.5 by resume"));
}

/* A scale at which even 32 bits do not hold the gradients, and the same settings without. */
static void
test_overflows (Fixture *self, gconstpointer data)
{
  run_well (self, "train --dataset @/areas.gpkg --preset @/mini.preset --threads 1 --run @/run --steps 4 --force "
                  "--no-score --quiet --loss-scale 1237940039285380274899124224");
  g_assert_true (has_event (self, "overflow", "gradient of the discriminator overflowed, and its update was skipped; the "
                                              "loss scale is now 6.1897e+26"));
  g_assert_true (has_event (self, "overflow", "gradient of the generator overflowed"));
  g_assert_false (has_event (self, "explosion", ""));
  run_well (self, "resume @/run --steps 50 --quiet");
  g_assert_true (has_event (self, "overflow", "the loss scale is now 3.86856e+25")); /* of step 5: 2^85 */
  g_assert_false (has_event (self, "overflow", "the loss scale is now 1 "));
  refuse (self, "train --dataset @/areas.gpkg --preset @/mini.preset --run @/other --loss-scale 1000",
          "set loss-scale to 1024");
}

/* Weights of the generator alone show in nothing else. */
static void
test_huge_weights (Fixture *self, gconstpointer data)
{
  refuse (self, "train --dataset @/areas.gpkg --preset @/mini.preset --recipe dcgan --threads 1 --run @/wild "
                "--steps 110 --lr-g 1 --no-score --quiet", "weights have grown to");
}

/* A tensor of one number that is none. */
static void
write_nan (const char *path)
{
  static const char header[] = "{\"g.1.weight\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}   ";
  guint64 length = GUINT64_TO_LE (sizeof header - 1);
  g_autoptr(GByteArray) file = g_byte_array_new ();

  g_byte_array_append (file, (const guint8 *) &length, sizeof length);
  g_byte_array_append (file, (const guint8 *) header, sizeof header - 1);
  g_byte_array_append (file, (const guint8 *) "\0\0\xc0\x7f", 4);
  g_assert_true (g_file_set_contents (path, (const char *) file->data, file->len, NULL));
}

/* No command uses it; the run goes back to an older one. */
static void
test_not_finite (Fixture *self, gconstpointer data)
{
  static const char *const commands[] = {
    "generate @/run --count 1 --out @/cities", "evaluate @/run", "resume @/run --steps 9 --from-step 6",
  };
  g_autofree char *newest = g_build_filename (self->folder, "run/checkpoints/step-000000006.safetensors", NULL);

  run_well (self, "resume @/run --steps 6 --quiet");
  write_nan (newest);
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    refuse (self, commands[i], "not finite");
  run_well (self, "resume @/run --steps 8 --quiet");
  g_assert_true (has_event (self, "checkpoint-damaged", "not finite"));
  g_assert_false (g_file_test (newest, G_FILE_TEST_EXISTS));
}

static int
count_rows_in (const Fixture *self, const char *name, const char *sql)
{
  g_autofree char *path = g_build_filename (self->folder, name, "run.db", NULL);
  sqlite3_stmt *statement = NULL;
  sqlite3 *db = NULL;
  int n;

  g_assert_cmpint (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
  n = sqlite3_column_int (statement, 0);
  sqlite3_finalize (statement);
  sqlite3_close (db);
  return n;
}

static int
count_rows (const Fixture *self, const char *sql)
{
  return count_rows_in (self, "run", sql);
}

static void
assert_same_files (const Fixture *self, const char *a, const char *b, gboolean same)
{
  g_autofree char *path_a = g_build_filename (self->folder, a, NULL), *path_b = g_build_filename (self->folder, b, NULL);
  g_autofree char *data_a = NULL, *data_b = NULL;
  gsize n_a, n_b;

  g_assert_true (g_file_get_contents (path_a, &data_a, &n_a, NULL));
  g_assert_true (g_file_get_contents (path_b, &data_b, &n_b, NULL));
  g_assert_cmpint (n_a == n_b && memcmp (data_a, data_b, n_a) == 0, ==, same);
}

/* A branch goes on as the run did, or otherwise, and the run stays as it is. */
static void
test_branch (Fixture *self, gconstpointer data)
{
  static const char last[] = "checkpoints/step-000000008.safetensors";
  g_autofree char *run_last = g_build_filename ("run", last, NULL), *same = g_build_filename ("same", last, NULL);
  g_autofree char *faster = g_build_filename ("faster", last, NULL);
  g_autofree char *made = g_build_filename (self->folder, "none", NULL), *ini = NULL, *text = NULL;
  int n_events;

  run_well (self, "resume @/run --steps 8 --quiet");
  n_events = count_rows (self, "SELECT count(*) FROM event");
  run_well (self, "resume @/run --branch @/same --from-step 4 --quiet");
  assert_same_files (self, run_last, same, TRUE);
  g_assert_true (has_event_in (self, "same", "branch", "Branched from step 4 of "));
  ini = g_build_filename (self->folder, "same", "run.ini", NULL);
  g_assert_true (g_file_get_contents (ini, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\nname=same\n"));
  g_assert_nonnull (strstr (text, "\npreset=mini.preset\n"));
  g_assert_cmpint (count_rows_in (self, "same", "SELECT count(*) FROM step"), ==, 8);
  g_assert_cmpint (count_rows_in (self, "same", "SELECT count(*) FROM checkpoint WHERE kept"), ==, 2);
  run_well (self, "resume @/run --branch @/faster --from-step 4 --lr-g 0.01 --quiet");
  assert_same_files (self, run_last, faster, FALSE);
  g_assert_true (has_event_in (self, "faster", "setting", " -> 0.01 by resume"));
  g_assert_cmpint (count_rows (self, "SELECT count(*) FROM event"), ==, n_events);

  refuse (self, "resume @/run --branch @/same --from-step 4", "There is a run in");
  refuse (self, "resume @/run --branch @/none --from-step 4 --after @/nobody", "nobody");
  refuse (self, "resume @/run --branch @/none --from-step 5", "there are those of the steps 4, 8");
  g_assert_false (g_file_test (made, G_FILE_TEST_EXISTS));
  run_well (self, "resume @/run --branch @/longer --steps 10 --quiet"); /* from the newest checkpoint */
  g_assert_cmpint (count_rows_in (self, "longer", "SELECT max(step) FROM step"), ==, 10);
}

/* Without run.db, or with a hostile one, the run goes on from its checkpoint. */
static void
test_history (Fixture *self, gconstpointer data)
{
  static const char *const hostile[] = {
    "CREATE VIEW v AS WITH RECURSIVE a (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT n FROM a",
    "DROP TABLE gpu; CREATE VIEW gpu AS WITH RECURSIVE a (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) "
    "SELECT n AS seq FROM a",
    "CREATE TRIGGER t AFTER INSERT ON event BEGIN INSERT INTO event SELECT NULL, 0, 'x', 'x', 0, 'x' FROM step; END",
  };
  g_autofree char *path = g_build_filename (self->folder, "run", "run.db", NULL), *copy = NULL, *at = NULL;
  gsize n_bytes, n_checkpoint;

  g_assert_cmpint (g_unlink (path), ==, 0);
  run_well (self, "resume @/run --steps 6 --quiet");
  g_assert_true (has_event (self, "history-lost", "run.db is missing"));
  g_assert_true (has_event (self, "log", "Trains on"));
  g_assert_cmpint (count_rows (self, "SELECT count(*) FROM checkpoint WHERE kept"), ==, 2);
  g_assert_cmpint (count_rows (self, "SELECT min(step) FROM step"), ==, 5);

  g_assert_true (g_file_get_contents (path, &copy, &n_bytes, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (hostile); i++)
    {
      g_assert_true (g_file_set_contents (path, copy, (gssize) n_bytes, NULL));
      run_sql (path, hostile[i]);
      refuse (self, "resume @/run --steps 8 --quiet", "has views or triggers");
    }
  g_assert_true (g_file_set_contents (path, copy, (gssize) n_bytes, NULL));

  /* A copy of step 6 under another name. */
  g_clear_pointer (&copy, g_free);
  at = g_build_filename (self->folder, "run/checkpoints/step-000000006.safetensors", NULL);
  g_assert_true (g_file_get_contents (at, &copy, &n_checkpoint, NULL));
  g_free (at);
  at = g_build_filename (self->folder, "run/checkpoints/step-000000007.safetensors", NULL);
  g_assert_true (g_file_set_contents (at, copy, (gssize) n_checkpoint, NULL));
  run_well (self, "resume @/run --steps 8 --quiet");
  g_assert_true (has_event (self, "checkpoint-damaged", "is of another step than its name: 6"));
  g_assert_cmpint (count_rows (self, "SELECT count(*) FROM step"), ==, 4);
}

/* Half a cosine from @start to @end. */
static double
cosine (double start, double end, double t)
{
  return end + (start - end) * (1 + cos (G_PI * t)) / 2;
}

static void
train_one_cycle (const Fixture *self, const char *name, int n_steps, const char *strategy)
{
  g_autofree char *train = g_strdup_printf (
    "train --dataset @/areas.gpkg --preset @/mini.preset --threads 2 --run @/%s --force --steps %d --lr-g 0.004 "
    "--lr-schedule one-cycle --schedule-steps 10 --strategy %s --no-score --quiet", name, n_steps, strategy);

  run_well (self, train);
}

/* The rates in run.db follow the schedule at every step, also after a resume and of several ranks. */
static void
test_lr_schedule (Fixture *self, gconstpointer data)
{
  static const char last[] = "checkpoints/step-000000010.safetensors";
  static const char *const strategies[] = { "single", "ddp:2", "streams:2" };

  for (gsize i = 0; i < G_N_ELEMENTS (strategies); i++)
    {
      double rate = i < 2 ? 0.004 : 0.002; /* divided by the ranks */

      train_one_cycle (self, "run", 6, strategies[i]);
      run_well (self, "resume @/run --steps 10 --quiet");
      for (int step = 0; step < 10; step++)
        {
          double t = step / 10.0;
          double share = t < 0.3 ? cosine (0.04, 1, t / 0.3) : cosine (1, 0.25, (t - 0.3) / 0.7);
          g_autofree char *count = g_strdup_printf ("SELECT count(*) FROM step WHERE abs(lr_g - %.17g) < 1e-12",
                                                    rate * share);

          g_assert_cmpint (count_rows (self, count), ==, 1);
        }
      if (i == 0)
        {
          g_autofree char *resumed = g_build_filename ("run", last, NULL);
          g_autofree char *straight = g_build_filename ("straight", last, NULL);

          train_one_cycle (self, "straight", 10, strategies[i]);
          assert_same_files (self, resumed, straight, TRUE);
        }
    }
}

/* A run goes on with the other average, and back; what was a setting of the former is left. */
static void
test_average (Fixture *self, gconstpointer data)
{
  refuse (self, "resume @/run --steps 6 --average-from 5", "average-from is a setting of the average equal");
  run_well (self, "resume @/run --steps 6 --average equal --average-from 5 --quiet");
  g_assert_true (has_event (self, "setting", "average ema -> equal by resume"));
  g_assert_true (has_event (self, "setting", "average-from "));
  run_well (self, "resume @/run --steps 8 --quiet");
  run_well (self, "resume @/run --steps 10 --average ema --ema-ramp 0 --quiet");
  run_well (self, "resume @/run --steps 12 --quiet");
  run_well (self, "resume @/run --steps 14 --average equal --quiet");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/same-run/settings", Fixture, NULL, set_up, test_settings, tear_down);
  g_test_add ("/same-run/preset", Fixture, NULL, set_up, test_preset, tear_down);
  g_test_add ("/same-run/dataset", Fixture, NULL, set_up, test_dataset, tear_down);
  g_test_add ("/same-run/branch", Fixture, NULL, set_up, test_branch, tear_down);
  g_test_add ("/same-run/history", Fixture, NULL, set_up, test_history, tear_down);
  g_test_add ("/same-run/exploded", Fixture, NULL, set_up, test_exploded, tear_down);
  g_test_add ("/same-run/overflows", Fixture, NULL, set_up, test_overflows, tear_down);
  g_test_add ("/same-run/huge-weights", Fixture, NULL, set_up, test_huge_weights, tear_down);
  g_test_add ("/same-run/lr-schedule", Fixture, NULL, set_up, test_lr_schedule, tear_down);
  g_test_add ("/same-run/average", Fixture, NULL, set_up, test_average, tear_down);
  g_test_add ("/same-run/not-finite", Fixture, NULL, set_up, test_not_finite, tear_down);
  return g_test_run ();
}
