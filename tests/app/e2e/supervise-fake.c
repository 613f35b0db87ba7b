/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervise-fake.c - supervises a run with a fake worker: supervise-fake FOLDER SCRIPT [PATIENCE].
 *
 * See fake-job.h for the script.  With a patience, every 20th step is scored: see fake-scorer.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fake-job.h"
#include "fake-scorer.h"
#include "run/supervisor/supervisor.h"

enum { N_STEPS = 100000, GPU_INTERVAL_MS = 200, SCORE_EVERY = 20 };

static gboolean
supervise (UrbRunFolder *folder, const char *script, int patience, GError **error)
{
  static const char *const worker_argv[] = { "/proc/self/exe", "worker", NULL };
  const UrbSupervisorOptions options = { .worker_argv = worker_argv, .stays_paused = TRUE,
                                         .gpu_interval_ms = GPU_INTERVAL_MS,
                                         .scorer_argv = patience > 0 ? fake_scorer_argv : NULL };
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(UrbSupervisor) supervisor = NULL;
  UrbRunEnd end;
  urb_run_config_init (&config);
  config.name = g_strdup ("Pretended");
  config.created = g_get_real_time () / G_USEC_PER_SEC;
  config.sample_every = N_STEPS;
  if (patience > 0)
    config.checkpoint_every = config.score_every = SCORE_EVERY;
  config.patience = patience;
  config.train.n_steps = N_STEPS;
  config.train.dataset = g_strdup (urb_run_folder_get_path (folder));
  g_free (config.train.preset);
  config.train.preset = g_strdup (script);
  if (!urb_run_folder_save_config (folder, &config, error))
    return FALSE;
  supervisor = urb_supervisor_new (folder, &config, &options, error);
  return supervisor != NULL && urb_supervisor_run (supervisor, &end, error);
}

int
main (int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunFolder) folder = NULL;
  int code = fake_job_main (argc, argv, &fake_job);
  if (code >= 0)
    return code;
  if (fake_scorer_is_meant (argc, argv))
    return fake_scorer_main ();
  if (argc != 3 && argc != 4)
    return 2;
  folder = urb_run_folder_create (argv[1], URB_RUN_FOLDER_NEW, &error);
  if (folder != NULL && supervise (folder, argv[2], argc == 4 ? atoi (argv[3]) : 0, &error))
    return 0;
  fprintf (stderr, "%s: %s\n", argv[0], error->message);
  return 1;
}
