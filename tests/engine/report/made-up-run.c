/* SPDX-License-Identifier: Apache-2.0 */
#include "made-up-run.h"

#include <math.h>
#include <sqlite3.h>

#include "dataset/png.h"
#include "run/store/run-db.h"
#include "settings/recipe.h"
#include "small-dataset.h"

static void
write_samples (RunTest *t, UrbRunDb *db)
{
  const guint32 pixels[4] = { 0x3a3f4b, 0xc9bfae, 0xf1ede2, 0x3a3f4b };
  g_autoptr(GByteArray) png = urb_png_encode (pixels, 2, 2, 2);

  for (gint64 step = 0; step <= 400; step += 200)
    {
      g_autofree char *name = urb_run_sample_name (step), *path = g_build_filename (t->run, name, NULL);

      g_assert_true (g_file_set_contents (path, (const char *) png->data, png->len, NULL));
      g_assert_true (urb_run_db_add_sample (db, step, name, NULL));
    }
}

static void
write_history (UrbRunDb *db, const UrbRunConfig *config)
{
  g_autofree char *text = urb_run_config_to_text (config);
  const UrbGpu gpu = { .index = 0, .name = "GPU & co", .pci = "0000:17:00.0",
                       .load = { .power_w = 200, .utilization_percent = 90, .temperature_c = NAN } };

  g_assert_true (urb_run_db_add_session (db, text, 1, 400, NULL));
  g_assert_true (urb_run_db_add_event (db, "info", "state", 0, "running", NULL));
  g_assert_true (urb_run_db_add_event (db, "info", "device", 0, "Trains on Abacus (cpu), fp32", NULL));
  g_assert_true (urb_run_db_add_details (db, "{\"device\":\"Abacus (cpu), fp32\"}", NULL));
  for (int step = 1; step <= 400; step++)
    {
      UrbStepMetrics metrics = { .step = step, .images = 16 * step, .seconds = 0.1 };

      for (int i = 0; i < URB_N_METRICS; i++)
        metrics.values[i] = (i + 1) / 3.0 + sin (step / 30.0);
      if (step == 17)
        metrics.values[URB_METRIC_LOSS_G] = NAN;
      g_assert_true (urb_run_db_add_step (db, &metrics, NULL));
    }
  for (int step = 100; step <= 400; step += 300)
    {
      UrbScores scores = { .step = step, .seconds = 2.5, .values = { step == 100 ? 0.8 : 1.25, 1.5, 2, NAN, 3, 4, 5, 0.25, 0.75 } };

      g_assert_true (urb_run_db_add_score (db, &scores, NULL));
    }
  for (int i = 0; i < 2; i++)
    g_assert_true (urb_run_db_add_gpu (db, &gpu, NULL));
  g_assert_true (urb_run_db_add_event (db, "info", "state", 400, "finished", NULL));
  g_assert_true (urb_run_db_commit (db, NULL));
}

void
made_up_run_write (RunTest *t, void (*change) (UrbRunConfig *config))
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(UrbPreset) preset = urb_preset_load ("tiny", NULL);
  g_autoptr(UrbRunFolder) folder = NULL;
  g_autoptr(UrbRunDb) db = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = NULL;

  small_dataset_write (t->base);
  urb_run_config_init (&config);
  config.train.dataset = g_build_filename (t->base, "areas.gpkg", NULL);
  config.train.n_steps = 400;
  if (change != NULL)
    change (&config);
  g_assert_true (urb_recipe_resolve (&config.train, preset, 3, &error));
  folder = urb_run_folder_begin (t->run, URB_RUN_FOLDER_NEW, &config, &error);
  g_assert_no_error (error);
  path = urb_run_folder_dup_file (folder, "run.db");
  db = urb_run_db_open (path, &error);
  g_assert_no_error (error);
  write_history (db, &config);
  write_samples (t, db);
  g_assert_true (urb_run_db_commit (db, NULL));
  made_up_run_sql (t, "UPDATE gpu SET time = 1764219000 + 5 * (seq - (SELECT min(seq) FROM gpu))");
}

void
made_up_run_sql (RunTest *t, const char *sql)
{
  g_autofree char *path = g_build_filename (t->run, "run.db", NULL);
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
}
