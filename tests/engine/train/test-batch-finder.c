/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-batch-finder.c - the search for a batch size, with made-up speeds and limits of memory.
 */
#include "train/batch-finder.h"

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "made-up-tiles.h"

static const UrbKeeping keeping = { .keep_checkpoints = 3 };

/* Images per second by the batch: rises until @fastest, then falls. */
typedef struct
{
  int fastest, n_measured, largest, fails_at;
} Machine;

static double
measure (const UrbTrainOptions *options, int n_steps, gpointer user_data, GError **error)
{
  Machine *self = user_data;

  g_assert_cmpint (n_steps, >=, 3);
  g_assert_cmpint (n_steps, <=, 1000);
  g_assert_cmpint (options->n_steps, >, n_steps);
  self->n_measured++;
  self->largest = MAX (self->largest, options->batch);
  if (options->batch == self->fails_at)
    {
      g_set_error_literal (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DEVICE, "broken");
      return 0;
    }
  return options->batch <= self->fastest ? 10 * options->batch : 10 * self->fastest - 1e-3 * options->batch;
}

static void
set_up (UrbTrainOptions *resolved, UrbStrategy strategy, int n_ranks, int accumulate)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(GError) error = NULL;

  urb_train_options_init (&options);
  options.n_threads = 1;
  options.strategy = strategy;
  options.n_ranks = n_ranks;
  options.accumulate = accumulate;
  options.batch = 48;
  urb_plan_resolve (&options, resolved, &error);
  g_assert_no_error (error);
}

static gint64
count_bytes (const UrbTrainOptions *options, int batch)
{
  g_auto(UrbPreflight) preflight = { 0 };
  g_autoptr(GError) error = NULL;
  UrbTrainOptions tried = *options;
  UrbLimits plenty;

  for (int i = 0; i < URB_N_RESOURCES; i++)
    plenty.available[i] = i == URB_RESOURCE_CORES ? 64 : G_MAXINT64;
  tried.batch = batch;
  urb_preflight_make (&tried, &keeping, &plenty, &preflight, &error);
  g_assert_no_error (error);
  return preflight.findings[URB_RESOURCE_MEMORY].needed;
}

static gboolean
find (const UrbTrainOptions *options, gint64 available, double seconds, Machine *machine, UrbBatchSearch *out,
      GError **error)
{
  UrbLimits limits;

  for (int i = 0; i < URB_N_RESOURCES; i++)
    limits.available[i] = G_MAXINT64;
  limits.available[URB_RESOURCE_MEMORY] = available;
  return urb_batches_find (options, &keeping, &limits, seconds, measure, machine, NULL, out, error);
}

/* The fastest is found without measuring all, and the largest without measuring it. */
static void
test_fastest (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbBatchSearch) search = { 0 };
  g_autoptr(GError) error = NULL;
  Machine machine = { .fastest = 16 };
  const UrbBatchTrial *last;
  gint64 available;

  set_up (&options, URB_STRATEGY_SINGLE, 1, 1);
  available = count_bytes (&options, 300);
  g_assert_true (find (&options, available, 1e9, &machine, &search, &error));
  g_assert_no_error (error);
  g_assert_cmpint (urb_batch_search_get_trial (&search, 0)->batch, ==, 4);
  g_assert_cmpint (urb_batch_search_get_trial (&search, search.fastest)->batch, ==, 16);
  g_assert_cmpint (machine.n_measured, ==, 6); /* 4 twice, 8, 16, and two that are not faster */
  g_assert_cmpint (machine.largest, ==, 64);
  last = urb_batch_search_get_trial (&search, search.trials->len - 1);
  g_assert_cmpint (last->batch, <=, 300);
  g_assert_cmpint (last->batch, >=, 290);
  g_assert_true (isnan (last->images_per_second));
  g_assert_cmpint (last->bytes, ==, count_bytes (&options, last->batch));
  g_assert_cmpint (last->bytes, <=, available);
  g_assert_false (search.is_bound);
  g_assert_false (search.is_short);
}

/* The largest may be the fastest; the limit of a rank counts, too. */
static void
test_largest (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbBatchSearch) search = { 0 };
  g_autoptr(GError) error = NULL;
  Machine machine = { .fastest = 1000 };

  set_up (&options, URB_STRATEGY_SINGLE, 1, 1);
  options.rank_memory = ((double) count_bytes (&options, 24) + 1) / 1e9;
  g_assert_true (find (&options, G_MAXINT64, 1e9, &machine, &search, &error));
  g_assert_no_error (error);
  g_assert_cmpint (search.fastest, ==, search.trials->len - 1);
  g_assert_cmpint (urb_batch_search_get_trial (&search, search.fastest)->batch, ==, 24);
  g_assert_cmpint (machine.largest, ==, 24);
}

/* Ranks and microbatches divide each batch. */
static void
test_units (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbBatchSearch) search = { 0 };
  g_autoptr(GError) error = NULL;
  Machine machine = { .fastest = 24 };

  set_up (&options, URB_STRATEGY_DDP, 3, 2);
  g_assert_true (find (&options, count_bytes (&options, 120), 1e9, &machine, &search, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < search.trials->len; i++)
    g_assert_cmpint (urb_batch_search_get_trial (&search, i)->batch % 6, ==, 0);
  g_assert_cmpint (urb_batch_search_get_trial (&search, 0)->batch, ==, 6);
  g_assert_cmpint (urb_batch_search_get_trial (&search, search.fastest)->batch, ==, 24);
  g_assert_cmpint (urb_batch_search_get_trial (&search, search.trials->len - 1)->batch, ==, 120);
}

/* Without time, the first trial is made, and the rest is planned. */
static void
test_short (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbBatchSearch) search = { 0 };
  g_autoptr(GError) error = NULL;
  Machine machine = { .fastest = 1000 };

  set_up (&options, URB_STRATEGY_SINGLE, 1, 1);
  g_assert_true (find (&options, count_bytes (&options, 64), 0, &machine, &search, &error));
  g_assert_no_error (error);
  g_assert_cmpint (machine.n_measured, ==, 2);
  g_assert_true (search.is_short);
  g_assert_cmpint (search.fastest, ==, 0);
  g_assert_cmpint (urb_batch_search_get_trial (&search, search.trials->len - 1)->batch, ==, 64);
}

static void
test_failures (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbBatchSearch) search = { 0 };
  g_autoptr(GError) none = NULL, broken = NULL;
  Machine machine = { .fastest = 1000, .fails_at = 8 };
  gint64 available;

  set_up (&options, URB_STRATEGY_SINGLE, 1, 1);
  g_assert_false (find (&options, 1000, 1e9, &machine, &search, &none));
  g_assert_error (none, URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY);
  g_assert_cmpint (machine.n_measured, ==, 0);
  available = count_bytes (&options, 16);
  machine.fails_at = 4;
  g_assert_false (find (&options, available, 1e9, &machine, &search, &broken));
  g_assert_error (broken, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DEVICE);
  g_assert_null (search.trials);
}

/* What was measured before a trial failed is told; larger ones are not proposed. */
static void
test_failed_trial (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbBatchSearch) search = { 0 };
  g_autoptr(GError) error = NULL;
  Machine machine = { .fastest = 1000, .fails_at = 16 };

  set_up (&options, URB_STRATEGY_SINGLE, 1, 1);
  g_assert_true (find (&options, count_bytes (&options, 100), 1e9, &machine, &search, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (search.failure, ==, "broken");
  g_assert_cmpint (machine.largest, ==, 16);
  g_assert_cmpuint (search.trials->len, ==, 3);
  g_assert_true (urb_batch_search_get_trial (&search, 2)->has_failed);
  g_assert_true (isnan (urb_batch_search_get_trial (&search, 2)->images_per_second));
  g_assert_false (urb_batch_search_get_trial (&search, 1)->has_failed);
  g_assert_cmpint (urb_batch_search_get_trial (&search, search.largest)->batch, ==, 8);
  g_assert_cmpint (urb_batch_search_get_trial (&search, search.fastest)->batch, ==, 8);
}

/* Of @n_train areas for training, and one to test with. */
static void
write_dataset (const char *path, int n_train)
{
  g_autoptr(GError) error = NULL;
  UrbDatasetInfo info = { .encoding = URB_ENCODING_RGB, .resolution_px = 64, .area_size_m = 250 };
  g_autoptr(UrbDatasetWriter) writer = urb_dataset_writer_new (path, &info, NULL, &error);
  gsize n_levels = 64 * 64 * 3;
  g_autofree guint8 *levels = g_malloc0 (n_levels);

  g_assert_no_error (error);
  for (int i = 0; i <= n_train; i++)
    {
      UrbArea area = { .center_x = 1000.0 * i, .share = { 0.5, 0.25, 0.25 }, .variance = 0.5, .coverage = 1,
                       .split = i == n_train ? URB_SPLIT_TEST : URB_SPLIT_TRAIN };

      for (int p = 0; p < 64 * 64; p++)
        for (int k = 0; k < 3; k++)
          levels[3 * p + k] = p / (i + 2) % 3 == k ? 255 : 0;
      made_up_tile_add (writer, &info, &area, NULL, levels, &error);
      g_assert_no_error (error);
    }
  urb_dataset_writer_finish (writer, &error);
  g_assert_no_error (error);
}

/* No batch has an area of the dataset twice, unless the ranks need it. */
static void
test_areas (void)
{
  static const struct { UrbStrategy strategy; int n_ranks, n_train, largest; } cases[] = {
    { URB_STRATEGY_SINGLE, 1, 21, 21 },
    { URB_STRATEGY_DDP, 2, 21, 20 },
    { URB_STRATEGY_SINGLE, 1, 3, 3 },
    { URB_STRATEGY_DDP, 4, 3, 4 },
  };
  g_autofree char *folder = g_dir_make_tmp ("urbarium-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "areas.gpkg", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto(UrbTrainOptions) options = { 0 };
      g_auto(UrbBatchSearch) search = { 0 };
      g_autoptr(GError) error = NULL;
      Machine machine = { .fastest = 1000 };

      write_dataset (path, cases[i].n_train);
      set_up (&options, cases[i].strategy, cases[i].n_ranks, 1);
      options.dataset = g_strdup (path);
      g_assert_true (find (&options, G_MAXINT64, 1e9, &machine, &search, &error));
      g_assert_no_error (error);
      g_assert_true (search.is_bound);
      g_assert_cmpint (search.n_areas, ==, cases[i].n_train);
      g_assert_cmpint (urb_batch_search_get_trial (&search, search.largest)->batch, ==, cases[i].largest);
      g_assert_cmpint (machine.largest, ==, cases[i].largest);
      g_assert_cmpint (g_remove (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/batch-finder/fastest", test_fastest);
  g_test_add_func ("/batch-finder/largest", test_largest);
  g_test_add_func ("/batch-finder/units", test_units);
  g_test_add_func ("/batch-finder/short", test_short);
  g_test_add_func ("/batch-finder/failures", test_failures);
  g_test_add_func ("/batch-finder/failed-trial", test_failed_trial);
  g_test_add_func ("/batch-finder/areas", test_areas);
  return g_test_run ();
}
