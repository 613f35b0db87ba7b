/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-run.c - see bench-run.h.
 */
#include "cli/bench-run.h"

#include <math.h>

#include "base/temporary.h"
#include "cli/child-run.h"
#include "cli/cli.h"
#include "run/store/folder.h"
#include "train/trainer.h"

enum { MORE_STEPS = 8, MAX_STEPS = 1000000 }; /* if a run is too short to be measured */

/* @images_per_s: (out): 0 if the run was too short
 * Returns: FALSE if it did not end well, or was cancelled */
static gboolean
train (const char *folder, const UrbRunConfig *config, GCancellable *cancellable, double *images_per_s,
       GError **error)
{
  const char *const arguments[] = { "resume", folder, NULL };
  g_auto(UrbRunConfig) copy = { 0 }; /* it gets the name of the copy of its preset */
  g_autoptr(UrbRunFolder) made = NULL;
  g_autoptr(UrbChildRun) child = NULL;
  const UrbChildState *state;

  urb_run_config_copy (&copy, config);
  made = urb_run_folder_begin (folder, URB_RUN_FOLDER_REPLACE, &copy, error);
  if (made == NULL)
    return FALSE;
  g_clear_pointer (&made, urb_run_folder_free); /* the child locks it */
  child = urb_child_run_new ("bench", arguments, NULL, NULL, error);
  if (child == NULL)
    return FALSE;
  urb_child_run_wait (child, cancellable);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  state = urb_child_run_get_state (child);
  *images_per_s = state->images_per_s;
  if (state->code == URB_EXIT_OK)
    return TRUE;
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS, "The run that measures failed: %s",
               state->complaint != NULL ? state->complaint : "no reason was given");
  return FALSE;
}

static void
delete_run (const char *parent, const char *folder)
{
  static const char *const inside[] = { "checkpoints", "samples", NULL };

  for (gsize i = 0; inside[i] != NULL; i++)
    {
      g_autofree char *path = g_build_filename (folder, inside[i], NULL);

      urb_temporary_remove_folder (path);
    }
  urb_temporary_remove_folder (folder);
  urb_temporary_remove_folder (parent);
}

gboolean
urb_cli_bench_run (const UrbRunConfig *config, int n_steps, GCancellable *cancellable, UrbBench *out, GError **error)
{
  g_autofree char *parent = g_dir_make_tmp ("urbarium-bench-XXXXXX", error);
  g_autofree char *folder = parent != NULL ? g_build_filename (parent, "run", NULL) : NULL;
  g_auto(UrbRunConfig) run = { 0 };
  gboolean done;

  if (parent == NULL)
    return FALSE;
  urb_run_config_copy (&run, config);
  run.score = FALSE;
  *out = (UrbBench){ .n_steps = n_steps, .seconds_median = NAN, .seconds_min = NAN, .seconds_max = NAN,
                     .flops_per_second = NAN, .peak_flops = NAN, .peak_copy = NAN };
  out->n_threads = run.train.n_threads > 0 ? run.train.n_threads : (int) g_get_num_processors ();
  urb_train_options_copy (&out->options, &run.train);
  do
    {
      /* No more checkpoints and samples than a run cannot do without. */
      run.train.n_steps = run.sample_every = run.checkpoint_every = (gint64) out->n_steps * run.train.n_ranks;
      done = train (folder, &run, cancellable, &out->images_per_second, error);
      out->n_steps *= out->images_per_second > 0 ? 1 : MORE_STEPS;
    }
  while (done && out->images_per_second <= 0 && out->n_steps < MAX_STEPS);
  delete_run (parent, folder);
  return done;
}
