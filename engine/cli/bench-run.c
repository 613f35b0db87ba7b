/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-run.c - see bench-run.h.
 */
#include "cli/bench-run.h"

#include <math.h>

#include "cli/temporary-run.h"

enum { MORE_STEPS = 8, MAX_STEPS = 1000000 }; /* if a run is too short to be measured */

gboolean
urb_cli_bench_run (const UrbRunConfig *config, int n_steps, GCancellable *cancellable, UrbBench *out, GError **error)
{
  g_autofree char *folder = urb_temporary_run_make (error);
  g_auto(UrbRunConfig) run = { 0 };
  gboolean done;

  if (folder == NULL)
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
      done = urb_temporary_run_train (folder, &run, "bench", cancellable, &out->images_per_second, error);
      out->n_steps *= out->images_per_second > 0 ? 1 : MORE_STEPS;
    }
  while (done && out->images_per_second <= 0 && out->n_steps < MAX_STEPS);
  urb_temporary_run_delete (folder);
  return done;
}
