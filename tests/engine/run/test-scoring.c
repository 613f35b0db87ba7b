/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-scoring.c - what a supervisor does with scores, from a stand-in for the process that measures.
 */
#include "fake-job.h"
#include "fake-scorer.h"
#include "run/store/known-hooks.h"
#include "run/store/run-db.h"
#include "run/supervisor/supervisor-private.h"
#include "supervised.h"

/* At most 2 % of a processor. */
static void
test_interval (RunTest *t, gconstpointer data)
{
  g_assert_cmpint (urb_score_find_interval (0), ==, 240 * G_USEC_PER_SEC);
  g_assert_cmpint (urb_score_find_interval (4.8), ==, 240 * G_USEC_PER_SEC);
  g_assert_cmpint (urb_score_find_interval (30), ==, 1500 * G_USEC_PER_SEC);
}

static UrbSupervisorOptions
make_options (Supervised *f, const char *const *scorer_argv)
{
  UrbSupervisorOptions options = supervised_make_options (f);

  options.scorer_argv = scorer_argv;
  return options;
}

static void
test_best (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = make_options (f, fake_scorer_argv);
  g_autofree char *path = g_build_filename (t->run, "run.db", NULL), *told = g_build_filename (t->run, "best", NULL);
  g_autofree char *best = NULL, *expected = NULL, *details = NULL;
  g_autoptr(UrbRunDb) db = NULL;
  g_autoptr(GArray) steps = NULL;
  UrbScoreSummary summary;

  supervised_fill_config (t, &config, "", 200);
  config.score_every = 20;
  config.keep_checkpoints = 1;
  config.hook = g_strdup ("echo $URBARIUM_STEP $URBARIUM_FILE >> $URBARIUM_RUN/best");
  config.hook_on = g_strdup ("best");
  g_assert_true (urb_known_hooks_add (config.hook, NULL));
  supervised_prepare (f, &config, &options);
  supervised_finish (f);
  supervised_assert_complete (t, 200);
  g_assert_true (g_file_get_contents (told, &best, NULL, NULL));
  expected = g_strdup_printf ("20 %s/checkpoints/step-000000020.safetensors\n", t->run);
  g_assert_cmpstr (best, ==, expected);
  steps = urb_run_folder_list_checkpoints (t->run);
  g_assert_cmpint (urb_run_folder_get_mark (t->run, URB_RUN_BEST), ==, 20);
  g_assert_cmpint (g_array_index (steps, gint64, 0), ==, 20);
  g_assert_cmpint (g_array_index (steps, gint64, steps->len - 1), ==, 200);
  g_assert_cmpuint (steps->len, <=, 3); /* and perhaps one that was being scored */
  supervised_assert_said (f, "The cities of step 20 score 20.00 (lower is better; 1: like real areas), the best so far");
  db = urb_run_db_open_reader (path, NULL);
  details = urb_run_db_dup_details (db, "score");
  g_assert_cmpstr (details, ==, "{\"step\":200,\"score\":200.0,\"best\":false}");
  g_assert_true (urb_run_db_summarize_scores (db, steps, &summary, NULL));
  g_assert_cmpint (summary.last_step, ==, 200); /* the end is waited for */
  g_assert_cmpint (summary.best_step, ==, 20);
  g_assert_cmpfloat (summary.best, ==, 20);
  g_assert_cmpint (summary.n_since_best, >=, 1);
}

static void
test_patience (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = make_options (f, fake_scorer_argv);

  supervised_fill_config (t, &config, "", 100000);
  config.score_every = 20;
  config.patience = 2;
  supervised_prepare (f, &config, &options);
  supervised_finish (f);
  g_assert_cmpint (f->end, ==, URB_RUN_END_STOPPED);
  supervised_assert_said (f, "The last 2 scores were no better than that of step 20");
}

/* A process that dies harms nothing. */
static void
test_dies (RunTest *t, gconstpointer data)
{
  static const char *const dead[] = { "/bin/false", NULL };
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = make_options (f, dead);

  supervised_fill_config (t, &config, "", 200);
  config.score_every = 10;
  supervised_prepare (f, &config, &options);
  supervised_finish (f);
  supervised_assert_complete (t, 200);
  supervised_assert_said (f, "The cities cannot be scored");
  g_assert_cmpint (urb_run_folder_get_mark (t->run, URB_RUN_BEST), ==, -1);
}

/* The run goes on from an earlier checkpoint: later scores are void, the best is another. */
static void
test_rolled_back (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = make_options (f, fake_scorer_argv);

  supervised_fill_config (t, &config, "", 100);
  config.score_every = 20;
  config.keep_checkpoints = 0;
  supervised_prepare (f, &config, &options);
  supervised_finish (f);
  g_assert_cmpint (urb_run_folder_get_mark (t->run, URB_RUN_BEST), ==, 20);
  g_assert_true (urb_run_folder_roll_back (t->folder, 10, NULL));
  options.scorer_argv = NULL;
  supervised_prepare (f, &config, &options);
  g_assert_cmpint (urb_run_folder_get_mark (t->run, URB_RUN_BEST), ==, -1);
  supervised_finish (f);
}

int
main (int argc, char **argv)
{
  int code = fake_job_main (argc, argv, &fake_job);

  if (code >= 0)
    return code;
  if (fake_scorer_is_meant (argc, argv))
    return fake_scorer_main ();
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/scoring/interval", test_interval);
  run_test_add ("/scoring/best", test_best);
  run_test_add ("/scoring/patience", test_patience);
  run_test_add ("/scoring/dies", test_dies);
  run_test_add ("/scoring/rolled-back", test_rolled_back);
  return run_test_run_with_own_data (); /* the hooks that the user chose */
}
