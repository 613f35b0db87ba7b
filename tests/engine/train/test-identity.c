/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-identity.c - a run trains on what it says: tiles that change under it are noticed.
 */
#include <string.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "made-up-tiles.h"
#include "train/trainer.h"

/* Small enough that a test runs a hundred steps in a second. */
static const char preset_text[] =
  "[preset]\nimage-size=16\nlatent=8\nbatch=4\nsteps=100\nlr=0.001\ngamma=5\n"
  "[generator]\n1=dense 16 4 bias lrelu\n2=tconv 16 bias lrelu\n3=tconv image bias head\n"
  "[discriminator]\n1=conv4 16 bias lrelu\n2=conv4 16 norm lrelu\n3=logit bias\n";

typedef struct
{
  char *folder, *preset, *dataset, *checkpoint;
} Fixture;

static void
write_dataset (const char *path, int first)
{
  g_autoptr(GError) error = NULL;
  UrbDatasetInfo info = { .encoding = URB_ENCODING_RGB, .resolution_px = 16, .area_size_m = 250 };
  g_autoptr(UrbDatasetWriter) writer = urb_dataset_writer_new (path, &info, NULL, &error);
  guint8 levels[16 * 16 * 3];

  g_assert_no_error (error);
  for (int i = 0; i < 10; i++)
    {
      UrbArea area = { .center_x = 1000.0 * i, .share = { 0.5, 0.25, 0.25 }, .variance = 0.5,
                       .coverage = 1, .split = i % 5 == 4 ? URB_SPLIT_TEST : URB_SPLIT_TRAIN };

      memset (levels, 0, sizeof levels);
      for (int p = 0; p < 16 * 16; p++)
        levels[3 * p + (p / (i + first + 2)) % 3] = 255;
      made_up_tile_add (writer, &info, &area, NULL, levels, &error);
      g_assert_no_error (error);
    }
  urb_dataset_writer_finish (writer, &error);
  g_assert_no_error (error);
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("urbarium-XXXXXX", NULL);
  self->preset = g_build_filename (self->folder, "mini.preset", NULL);
  self->dataset = g_build_filename (self->folder, "areas.gpkg", NULL);
  self->checkpoint = g_build_filename (self->folder, "saved.safetensors", NULL);
  g_assert_true (g_file_set_contents (self->preset, preset_text, -1, NULL));
  write_dataset (self->dataset, 0);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_autoptr(GDir) dir = g_dir_open (self->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (self->folder, name, NULL);

      g_assert_cmpint (g_unlink (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
  g_free (self->preset);
  g_free (self->dataset);
  g_free (self->checkpoint);
}

static UrbTrainer *
open_trainer (const Fixture *self, GError **error)
{
  g_auto(UrbTrainOptions) options = { 0 };

  urb_train_options_init (&options);
  g_free (options.preset);
  options.preset = g_strdup (self->preset);
  options.dataset = g_strdup (self->dataset);
  options.n_steps = 100;
  options.n_threads = 1;
  return urb_trainer_new (&options, NULL, error);
}

static void
swap_tiles (const Fixture *self)
{
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open (self->dataset, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, "UPDATE area_tiles SET tile = (SELECT tile FROM area_tiles"
                                     " WHERE fid = 1) WHERE fid = 2", NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
}

/* No checkpoint claims a dataset that is no longer the one that is read. */
static void
test_changed_tiles (Fixture *self, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbTrainer) trainer = open_trainer (self, &error);
  UrbStepMetrics metrics;

  g_assert_no_error (error);
  g_assert_true (urb_trainer_step (trainer, &metrics, &error));
  g_assert_true (urb_trainer_save (trainer, self->checkpoint, &error));
  g_assert_no_error (error);
  g_assert_cmpint (g_unlink (self->checkpoint), ==, 0);
  swap_tiles (self);
  g_assert_false (urb_trainer_save (trainer, self->checkpoint, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "areas.gpkg"));
  g_assert_nonnull (strstr (error->message, "Bring the old file back"));
  g_clear_error (&error);
  g_assert_false (g_file_test (self->checkpoint, G_FILE_TEST_EXISTS));
  g_assert_false (urb_trainer_step (trainer, &metrics, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED);
  g_clear_error (&error);
  g_assert_null (open_trainer (self, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED);
}

/* A file that was replaced stays as it was for a run that has it open. */
static void
test_replaced_file (Fixture *self, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbTrainer) trainer = open_trainer (self, &error);
  UrbStepMetrics metrics;

  write_dataset (self->dataset, 1); /* atomically, hence as a new file */
  g_assert_true (urb_trainer_step (trainer, &metrics, &error));
  g_assert_true (urb_trainer_save (trainer, self->checkpoint, &error));
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/identity/changed-tiles", Fixture, NULL, set_up, test_changed_tiles, tear_down);
  g_test_add ("/identity/replaced-file", Fixture, NULL, set_up, test_replaced_file, tear_down);
  return g_test_run ();
}
