/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-identity.c - a run trains on what it says, on all of its ranks.
 */
#include <string.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "flat-folder.h"
#include "made-up-tiles.h"
#include "settings/preset.h"
#include "train/agreement.h"
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
  flat_folder_remove (self->folder);
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

/* With the same shapes and another activation; what does not matter may change. */
static void
test_edited_preset (Fixture *self, gconstpointer data)
{
  g_auto(GStrv) parts = g_strsplit (preset_text, "2=conv4 16 norm lrelu", 2);
  g_autofree char *edited = g_strjoinv ("2=conv4 16 norm relu", parts);
  g_autofree char *fewer = g_strjoinv ("", parts);
  g_auto(GStrv) steps = g_strsplit (preset_text, "steps=100", 2);
  g_autofree char *same = g_strjoinv ("steps=7\ntitle=Other\n# A comment", steps);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbTrainer) trainer = open_trainer (self, &error);
  g_autoptr(UrbTrainer) other = NULL, alike = NULL;
  g_autoptr(UrbPreset) before = urb_preset_load_text ("mini", preset_text, NULL);
  g_autoptr(UrbPreset) after = urb_preset_load_text ("mini", fewer, NULL);
  g_autofree char *missing = urb_preset_dup_difference (after, before);

  g_assert_cmpstr (missing, ==, "[discriminator] 2 is “”, and was “conv4 16 norm lrelu”");
  g_assert_true (urb_trainer_save (trainer, self->checkpoint, &error));
  g_assert_true (g_file_set_contents (self->preset, same, -1, NULL));
  alike = open_trainer (self, &error);
  g_assert_true (urb_trainer_restore (alike, self->checkpoint, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (self->preset, edited, -1, NULL));
  other = open_trainer (self, &error);
  g_assert_no_error (error);
  g_assert_false (urb_trainer_restore (other, self->checkpoint, &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_CHECKPOINT);
  g_assert_nonnull (strstr (error->message, "[discriminator] 2 is “conv4 16 norm relu”, and was “conv4 16 norm lrelu”"));
  g_assert_nonnull (strstr (error->message, "mini.preset was edited since the checkpoint of step 0"));
  g_assert_nonnull (strstr (error->message, "delete the file"));
}

/* ------------------------------------------------------------------------ */
/* Several ranks                                                             */

typedef struct
{
  UrbComm    *comm;
  UrbRankCard card;
  GError     *error;
} Rank;

static gpointer
reach (gpointer data)
{
  Rank *self = data;

  urb_agreement_reach (self->comm, &self->card, &self->error);
  urb_comm_free (self->comm);
  return NULL;
}

/* Ranks whose cards are those of @options, except for what @change does to some.
 * Returns: (nullable): what all of them were told */
static GError *
compare (const UrbTrainOptions *options, void (*change) (int rank, UrbRankCard *card))
{
  enum { N_RANKS = 7 };
  UrbComm *comms[N_RANKS];
  GThread *threads[N_RANKS];
  Rank ranks[N_RANKS];

  urb_comm_new_threads (N_RANKS, comms);
  for (int r = 0; r < N_RANKS; r++)
    {
      ranks[r] = (Rank) { .comm = comms[r] };
      urb_rank_card_fill (&ranks[r].card, options, options->dataset, preset_text, NULL);
      g_snprintf (ranks[r].card.host, sizeof ranks[r].card.host, "host-%c", 'a' + r);
      change (r, &ranks[r].card);
    }
  for (int r = 0; r < N_RANKS; r++)
    threads[r] = g_thread_new ("rank", reach, &ranks[r]);
  for (int r = 0; r < N_RANKS; r++)
    g_thread_join (threads[r]);
  for (int r = 1; r < N_RANKS; r++)
    {
      g_assert_cmpstr (ranks[r].error != NULL ? ranks[r].error->message : "", ==,
                       ranks[0].error != NULL ? ranks[0].error->message : "");
      g_clear_error (&ranks[r].error);
    }
  return ranks[0].error;
}

static void
change_nothing (int rank, UrbRankCard *card)
{
}

static void
change_program (int rank, UrbRankCard *card)
{
  if (rank == 2)
    g_strlcpy (card->program, "Urbarium 0.0.9", sizeof card->program);
  if (rank == 1) /* does not matter then */
    g_strlcpy (card->problem, "no file", sizeof card->problem);
}

static void
change_options (int rank, UrbRankCard *card)
{
  if (rank == 6)
    card->options[0] ^= 1;
}

static void
change_preset (int rank, UrbRankCard *card)
{
  if (rank > 0)
    card->preset[0] ^= 1;
}

static void
change_id (int rank, UrbRankCard *card)
{
  if (rank == 3)
    memset (card->dataset, '7', 64);
}

static void
change_tiles (int rank, UrbRankCard *card)
{
  change_id (rank, card);
  if (rank == 3)
    g_strlcpy (card->tiles, "5 areas of 250 m, 32 px, rgb", sizeof card->tiles);
}

static void
cause_problem (int rank, UrbRankCard *card)
{
  if (rank == 4)
    memset (card->problem, '?', sizeof card->problem); /* without an end */
}

/* All ranks get the same sentence, which names rank and host and what differs. */
static void
test_agreement (Fixture *self, gconstpointer data)
{
  static const struct
  {
    void (*change) (int rank, UrbRankCard *card);
    UrbTrainError code;
    const char   *who, *what;
  } cases[] = {
    { change_program, URB_TRAIN_ERROR_OPTIONS, ". Rank 2 on host-c: ", "Urbarium 0.0.9 instead of" },
    { change_options, URB_TRAIN_ERROR_OPTIONS, ". Rank 6 on host-g: ", "other options" },
    { change_preset, URB_TRAIN_ERROR_OPTIONS,
      ". Rank 1 on host-b, rank 2 on host-c, rank 3 on host-d, rank 4 on host-e and 2 more: ",
      "another preset than rank 0 on host-a" },
    { change_id, URB_TRAIN_ERROR_DATASET, ". Rank 3 on host-d: ", "10 areas of 250 m, 16 px, rgb: the id is "
                                                                  "777777777777" },
    { change_tiles, URB_TRAIN_ERROR_DATASET, ". Rank 3 on host-d: ", "of 5 areas of 250 m, 32 px, rgb, than rank 0 "
                                                                    "on host-a, of 10 areas of 250 m, 16 px" },
    { cause_problem, URB_TRAIN_ERROR_DATASET, ". Rank 4 on host-e cannot take part: ", "???" },
  };
  g_auto(UrbTrainOptions) options = { 0 };
  UrbRankCard missing;

  urb_train_options_init (&options);
  options.dataset = g_strdup (self->dataset);
  g_assert_null (compare (&options, change_nothing));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(GError) error = compare (&options, cases[i].change);

      g_assert_error (error, URB_TRAIN_ERROR, (int) cases[i].code);
      g_assert_nonnull (strstr (error->message, cases[i].who));
      g_assert_nonnull (strstr (error->message, cases[i].what));
    }
  swap_tiles (self);
  urb_rank_card_fill (&missing, &options, options.dataset, preset_text, NULL);
  g_assert_nonnull (strstr (missing.problem, "areas.gpkg"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/identity/changed-tiles", Fixture, NULL, set_up, test_changed_tiles, tear_down);
  g_test_add ("/identity/replaced-file", Fixture, NULL, set_up, test_replaced_file, tear_down);
  g_test_add ("/identity/edited-preset", Fixture, NULL, set_up, test_edited_preset, tear_down);
  g_test_add ("/identity/agreement", Fixture, NULL, set_up, test_agreement, tear_down);
  return g_test_run ();
}
