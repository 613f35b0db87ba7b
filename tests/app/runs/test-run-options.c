/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-run-options.c - the command line that starts a run says all that is not as usual, and of a
 * strategy only what it knows.
 */
#include "app-test.h"
#include "app/runs/run-options.h"

typedef void (*Change) (UrbTrainOptions *train);

static void
keep (UrbTrainOptions *train)
{
}

static void
change_all (UrbTrainOptions *train)
{
  g_free (train->communicator);
  g_free (train->sharing);
  train->communicator = g_strdup ("mpi");
  train->sharing = g_strdup ("file_system");
  train->sync_batch_norm = FALSE;
  train->stale_lr = FALSE;
  train->local_moments = TRUE;
  train->staleness = 4;
  train->bucket_mib = 8;
}

static void
test_strategy (void)
{
  static const struct
  {
    UrbStrategy strategy;
    int         n_ranks;
    Change      change;
    const char *args;
  } cases[] = {
    { URB_STRATEGY_SINGLE, 1, keep, "" },
    { URB_STRATEGY_SINGLE, 1, change_all, "" },
    { URB_STRATEGY_HOGWILD, 2, keep, " --strategy hogwild:2" },
    { URB_STRATEGY_HOGWILD, 3, change_all,
      " --strategy hogwild:3 --sharing file_system --staleness 4 --local-moments --full-lr" },
    { URB_STRATEGY_STREAMS, 2, change_all,
      " --strategy streams:2 --staleness 4 --local-moments --full-lr" },
    { URB_STRATEGY_DP, 1, keep, " --strategy dp:1" },
    { URB_STRATEGY_DP, 4, change_all, " --strategy dp:4 --no-sync-batch-norm" },
    { URB_STRATEGY_DDP, 2, keep, " --strategy ddp:2" },
    { URB_STRATEGY_DDP, 2, change_all,
      " --strategy ddp:2 --communicator mpi --bucket-mib 8 --no-sync-batch-norm" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto(UrbRunConfig) config = { 0 };
      g_auto(GStrv) args = NULL;
      g_autofree char *text = NULL;
      g_autofree char *expected = g_strconcat ("train --detach --run /r", cases[i].args, NULL);
      urb_run_config_init (&config);
      config.train.strategy = cases[i].strategy;
      config.train.n_ranks = cases[i].n_ranks;
      cases[i].change (&config.train);
      args = urbarium_run_options_to_args (&config, "/r", NULL);
      text = g_strjoinv (" ", args);
      g_assert_cmpstr (text, ==, expected);
    }
}

static void
test_networks (void)
{
  static const char *const after[] = { "/a", "/b", NULL };
  g_auto(UrbRunConfig) config = { 0 };
  g_auto(GStrv) args = NULL;
  g_autofree char *text = NULL;
  urb_run_config_init (&config);
  config.name = g_strdup ("Two words");
  config.train.dataset = g_strdup ("/d.gpkg");
  config.train.batch = 24;
  config.train.precision = UK_BF16;
  config.train.lr_g = 0.25;
  args = urbarium_run_options_to_args (&config, "/r", after);
  text = g_strjoinv ("|", args);
  g_assert_cmpstr (text, ==,
                   "train|--detach|--run|/r|--name|Two words|--dataset|/d.gpkg|--after|/a|--after|"
                   "/b|--batch|24|--precision|bf16|--lr-g|0.25");
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/runs/run-options/strategy", test_strategy);
  g_test_add_func ("/app/runs/run-options/networks", test_networks);
  return g_test_run ();
}
