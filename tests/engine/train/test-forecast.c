/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-forecast.c - costs and their cache, calibration, forecasts, and which strategy is recommended.
 *
 * How well forecasts agree with real runs is measured by tests/bench/bench-forecast.
 */
#include <string.h>

#include <glib/gstdio.h>

#include "train/calibrate.h"
#include "train/recommend.h"

static void
init_options (UrbTrainOptions *options, UrbStrategy strategy, int n_ranks)
{
  g_autoptr(GError) error = NULL;
  g_auto(UrbTrainOptions) asked = { 0 };

  urb_train_options_init (&asked);
  asked.batch = 4;
  asked.n_threads = 2;
  asked.strategy = strategy;
  asked.n_ranks = n_ranks;
  urb_plan_resolve (&asked, options, &error);
  g_assert_no_error (error);
}

static void
init_limits (UrbLimits *limits, gint64 memory)
{
  for (int i = 0; i < URB_N_RESOURCES; i++)
    limits->available[i] = G_MAXINT64;
  limits->available[URB_RESOURCE_MEMORY] = memory;
  limits->available[URB_RESOURCE_CORES] = 2;
}

static void
make_preflight (const UrbTrainOptions *options, UrbPreflight *out)
{
  const UrbKeeping keeping = { .keep_checkpoints = 1 };
  g_autoptr(GError) error = NULL;
  UrbLimits limits;

  init_limits (&limits, G_MAXINT64);
  urb_preflight_make (options, &keeping, &limits, out, &error);
  g_assert_no_error (error);
}

/* ------------------------------------------------------------------------ */
/* Costs                                                                     */

static double
get_seconds (UrbCosts *costs, gint64 n_floats)
{
  const UrbCollective what = { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, n_floats, 0 };
  UrbExchangeCost cost = urb_costs_get_exchange (costs, &what, 2, NULL);

  return cost.latency + cost.work;
}

static void
test_costs (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autofree char *key = urb_costs_dup_exchange_key (URB_COLLECTIVE_ALL_REDUCE, 2);
  g_autoptr(UrbCosts) costs = NULL, read = NULL, other = NULL;
  g_autoptr(GError) error = NULL;
  const UrbCollective gather = { URB_COLLECTIVE_ALL_GATHER, URB_ELEMENT_F32, 10, 0 };
  gboolean measured;

  init_options (&options, URB_STRATEGY_DDP, 2);
  costs = urb_costs_new (&options, 2);
  urb_costs_set (costs, "an operation", 0.5);
  urb_costs_set_exchange (costs, key, 8000, 0.003);
  urb_costs_set_exchange (costs, key, 4000, 0.002); /* sorted */
  urb_costs_set_exchange (costs, key, 4, 0.001);
  urb_costs_set_imbalance (costs, 1.25);
  urb_costs_set_imbalance (costs, 0.5); /* implausible: ignored */
  g_assert_true (urb_costs_save (costs, &error));
  g_assert_no_error (error);
  read = urb_costs_new (&options, 2);
  g_assert_true (urb_costs_knows (read, "an operation"));
  g_assert_false (urb_costs_knows (read, "another"));
  g_assert_cmpfloat_with_epsilon (get_seconds (read, 1), 0.001, 1e-9);
  g_assert_cmpfloat_with_epsilon (get_seconds (read, 1000), 0.002, 1e-9);
  g_assert_cmpfloat_with_epsilon (get_seconds (read, 1500), 0.0025, 1e-9); /* between two sizes */
  g_assert_cmpfloat_with_epsilon (get_seconds (read, 3000), 0.004, 1e-9);  /* beyond the last */
  urb_costs_get_exchange (read, &gather, 2, &measured);
  g_assert_false (measured);
  g_assert_cmpfloat (urb_costs_get_imbalance (read), ==, 1.25);
  other = urb_costs_new (&options, 1); /* more threads per rank: another situation */
  g_assert_false (urb_costs_knows (other, "an operation"));
  g_assert_cmpfloat (urb_costs_get_imbalance (other), ==, 1);
}

/* Overwrites what every cache file holds. */
static void
set_cache (const char *text)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "urbarium", "costs", NULL);
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_true (g_file_set_contents (path, text, -1, NULL));
    }
}

/* Whatever is in the cache, it is no more than not read. */
static void
test_damaged_cache (void)
{
  static const char *const texts[] = { "", "no key file", "[operations]\nan operation=nan\nx=-1\n[exchanges]\na=1;\n" };
  g_auto(UrbTrainOptions) options = { 0 };

  init_options (&options, URB_STRATEGY_DDP, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr(UrbCosts) costs = NULL;

      set_cache (texts[i]);
      costs = urb_costs_new (&options, 2);
      g_assert_false (urb_costs_knows (costs, "an operation"));
      g_assert_false (urb_costs_knows (costs, "x"));
    }
}

/* ------------------------------------------------------------------------ */
/* Calibration                                                               */

static void
test_calibrate (gconstpointer data)
{
  UrbStrategy strategy = (UrbStrategy) GPOINTER_TO_INT (data);
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) preflight = { 0 };
  g_auto(UrbForecast) before = { 0 }, measured = { 0 }, again = { 0 };
  g_autoptr(GError) error = NULL;

  init_options (&options, strategy, strategy == URB_STRATEGY_SINGLE ? 1 : 2);
  make_preflight (&options, &preflight);
  set_cache (""); /* forgets what an earlier case measured */
  g_assert_true (urb_forecast_run (&options, &preflight, URB_CALIBRATE_NEVER, NULL, &before, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (before.estimated, ==, 1);
  g_assert_cmpfloat (before.images_per_second, >, 0.1);
  urb_forecast_run (&options, &preflight, URB_CALIBRATE_MISSING, NULL, &measured, &error);
  g_assert_no_error (error);
  g_assert_true (urb_forecast_is_measured (&measured));
  g_assert_cmpfloat (measured.images_per_second, >, 0.01);
  g_assert_cmpfloat (measured.images_per_second, <, 1e5);
  /* From the cache: the same to the bit. */
  urb_forecast_run (&options, &preflight, URB_CALIBRATE_NEVER, NULL, &again, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (again.step_s, ==, measured.step_s);
}

/* Ranks that wait for each other take as long as the slowest; asynchronous ones do not wait. */
static void
test_imbalance (void)
{
  double steps[2][2];

  for (int waits = 0; waits < 2; waits++)
    for (int slow = 0; slow < 2; slow++)
      {
        g_auto(UrbTrainOptions) options = { 0 };
        g_auto(UrbPreflight) preflight = { 0 };
        g_auto(UrbForecast) forecast = { 0 };
        g_autoptr(UrbCosts) costs = NULL;
        g_autoptr(GError) error = NULL;

        init_options (&options, waits ? URB_STRATEGY_DDP : URB_STRATEGY_STREAMS, 2);
        make_preflight (&options, &preflight);
        costs = urb_costs_new (&options, 2);
        urb_costs_set_imbalance (costs, slow ? 3 : 1);
        g_assert_true (urb_forecast_make (&preflight, &options, costs, NULL, &forecast, &error));
        g_assert_no_error (error);
        steps[waits][slow] = forecast.step_s;
      }
  g_assert_cmpfloat (steps[0][1], ==, steps[0][0]);
  g_assert_cmpfloat (steps[1][1], >, 2 * steps[1][0]);
  g_assert_cmpfloat (steps[1][1], <, 3.01 * steps[1][0]);
}

static void
test_cancel (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) preflight = { 0 };
  g_auto(UrbForecast) forecast = { 0 };
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;

  init_options (&options, URB_STRATEGY_DP, 2);
  make_preflight (&options, &preflight);
  g_cancellable_cancel (cancellable);
  g_assert_false (urb_forecast_run (&options, &preflight, URB_CALIBRATE_MISSING, cancellable, &forecast,
                                    &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* ------------------------------------------------------------------------ */
/* Other machines                                                            */

static void
test_machine (void)
{
  static const char *const wrong[] = { "", "hosts", "hosts=", "hosts=0", "hosts=1.5", "hosts=x", "speed=3",
                                       "hosts=4096,gpus=2", "link=-1", "link=nan" };
  UrbMachine machine;

  g_assert_true (urb_machine_parse ("hosts=2,processes=4", &machine, NULL));
  g_assert_cmpint (machine.n_per_host, ==, 4);
  g_assert_false (machine.has_gpus);
  g_assert_true (urb_machine_parse ("hosts=64, gpus=8,tflops=2,link=80,latency=7,inner=3", &machine, NULL));
  g_assert_cmpint (machine.n_hosts, ==, 64);
  g_assert_cmpint (machine.n_per_host, ==, 8);
  g_assert_true (machine.has_gpus);
  g_assert_cmpfloat_with_epsilon (machine.flops, 2e12, 1);
  g_assert_cmpfloat_with_epsilon (machine.link, 1e10, 1);
  g_assert_cmpfloat_with_epsilon (machine.link_latency, 7e-6, 1e-12);
  g_assert_cmpfloat_with_epsilon (machine.inner, 3e9, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_false (urb_machine_parse (wrong[i], &machine, &error));
      g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
    }
}

/* Slow links: nearly all of a step is the exchange of the gradients, 2 (N - 1) / N x 4 P bytes, here of
 * two hosts. */
static void
test_slow_link (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) preflight = { 0 };
  g_auto(UrbForecast) forecast = { 0 };
  g_autoptr(UrbCosts) costs = NULL;
  g_autoptr(GError) error = NULL;
  UrbMachine machine;
  const UrbPlan *plan;
  double n_bytes;

  init_options (&options, URB_STRATEGY_DDP, 2);
  make_preflight (&options, &preflight);
  plan = preflight.plans->pdata[0];
  costs = urb_costs_new (&options, 1);
  g_assert_true (urb_machine_parse ("hosts=2,tflops=1000,link=0.001,latency=0.001", &machine, NULL));
  urb_forecast_make (&preflight, &options, costs, &machine, &forecast, &error);
  g_assert_no_error (error);
  n_bytes = 4.0 * (double) (plan->n_params_g + plan->n_params_refiner + plan->n_params_d);
  g_assert_cmpfloat_with_epsilon (forecast.step_s, n_bytes / machine.link, 0.02 * forecast.step_s);
  g_assert_cmpfloat (forecast.exchange, >, 0.9);
}

/* ------------------------------------------------------------------------ */
/* Recommendations                                                           */

static const UrbCandidate *
find_candidate (const UrbRecommendation *self, const char *text)
{
  for (guint i = 0; i < self->candidates->len; i++)
    if (strcmp (((const UrbCandidate *) self->candidates->pdata[i])->text, text) == 0)
      return self->candidates->pdata[i];
  return NULL;
}

static void
recommend (const char *preset, gint64 memory, int n_cores, UrbRecommendation *out)
{
  const UrbKeeping keeping = { .keep_checkpoints = 1 };
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(GError) error = NULL;
  UrbLimits limits;

  init_options (&options, URB_STRATEGY_SINGLE, 1);
  g_free (options.preset);
  options.preset = g_strdup (preset);
  options.n_threads = n_cores;
  init_limits (&limits, memory);
  limits.available[URB_RESOURCE_CORES] = n_cores;
  urb_recommend (&options, &keeping, &limits, URB_CALIBRATE_NEVER, NULL, NULL, NULL, out, &error);
  g_assert_no_error (error);
}

static void
test_recommend (void)
{
  g_auto(UrbRecommendation) fits = { 0 }, none = { 0 };
  const UrbCandidate *single;

  recommend ("tiny", G_MAXINT64, 2, &fits);
  g_assert_cmpint (fits.best, >=, 0);
  g_assert_nonnull (strstr (fits.sentence, "a model that fits needs no model parallelism"));
  single = fits.candidates->pdata[0];
  g_assert_cmpstr (single->text, ==, "single");
  g_assert_true (single->has_forecast);
  g_assert_nonnull (find_candidate (&fits, "ddp:2"));
  g_assert_nonnull (find_candidate (&fits, "1f1b:2 --accumulate 4"));
  g_assert_nonnull (find_candidate (&fits, "hogwild:2"));
  for (guint i = 0; i < fits.candidates->len; i++)
    {
      const UrbCandidate *candidate = fits.candidates->pdata[i];
      const UrbCandidate *best = fits.candidates->pdata[fits.best];

      if (!urb_strategy_is_asynchronous (candidate->options.strategy))
        g_assert_cmpfloat (candidate->forecast.images_per_second, <=,
                           1.03 * best->forecast.images_per_second);
    }
  recommend ("tiny", 1 << 20, 2, &none);
  g_assert_cmpint (none.best, ==, -1);
  g_assert_nonnull (strstr (none.sentence, "Nothing fits"));
}

/* Four ranks can be meshes of two axes; of a single axis, and with --zero beside tensor, there are none. */
static void
test_recommend_mesh (void)
{
  static const char *const expected[] = {
    "--mesh data=2,pipe=2", "--mesh data=2,pipe=2 --zero 1", "--mesh data=2,pipe=2 --zero 3",
    "--mesh tensor=2,pipe=2", "--mesh tensor=2,data=2",
  };
  g_auto(UrbRecommendation) four = { 0 };
  guint n_meshes = 0;

  recommend ("dcgan-32m", G_MAXINT64, 4, &four);
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      const UrbCandidate *candidate = find_candidate (&four, expected[i]);

      g_assert_nonnull (candidate);
      g_assert_true (candidate->has_forecast);
      g_assert_cmpint (candidate->options.n_ranks, ==, 4);
    }
  for (guint i = 0; i < four.candidates->len; i++)
    n_meshes += ((const UrbCandidate *) four.candidates->pdata[i])->options.strategy == URB_STRATEGY_MESH;
  g_assert_cmpuint (n_meshes, ==, G_N_ELEMENTS (expected));
}

/* Microbatches of networks with batch norm have statistics of their own: another result. */
static void
test_batch_norm (void)
{
  g_auto(UrbRecommendation) normed = { 0 };

  recommend ("dcgan-32m", G_MAXINT64, 2, &normed);
  for (guint i = 0; i < normed.candidates->len; i++)
    g_assert_cmpint (((const UrbCandidate *) normed.candidates->pdata[i])->options.accumulate, ==, 1);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-costs-XXXXXX", NULL);
  int status;

  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/forecast/costs", test_costs);
  g_test_add_func ("/forecast/damaged-cache", test_damaged_cache);
  g_test_add_func ("/forecast/machine", test_machine);
  g_test_add_func ("/forecast/slow-link", test_slow_link);
  g_test_add_func ("/forecast/recommend", test_recommend);
  g_test_add_func ("/forecast/recommend-mesh", test_recommend_mesh);
  g_test_add_func ("/forecast/batch-norm", test_batch_norm);
  g_test_add_func ("/forecast/imbalance", test_imbalance);
  g_test_add_data_func ("/forecast/calibrate/single", GINT_TO_POINTER (URB_STRATEGY_SINGLE), test_calibrate);
  g_test_add_data_func ("/forecast/calibrate/ddp", GINT_TO_POINTER (URB_STRATEGY_DDP), test_calibrate);
  g_test_add_data_func ("/forecast/calibrate/1f1b", GINT_TO_POINTER (URB_STRATEGY_1F1B), test_calibrate);
  g_test_add_func ("/forecast/cancel", test_cancel);
  status = g_test_run ();
  {
    g_autofree char *costs = g_build_filename (folder, "urbarium", "costs", NULL);
    g_autofree char *parent = g_build_filename (folder, "urbarium", NULL);
    g_autoptr(GDir) dir = g_dir_open (costs, 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
      {
        g_autofree char *path = g_build_filename (costs, name, NULL);

        g_unlink (path);
      }
    g_rmdir (costs);
    g_rmdir (parent);
    g_rmdir (folder);
  }
  return status;
}
