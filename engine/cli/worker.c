/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.c - `urbarium-engine worker`: internal; what a supervisor starts.
 */
#include "cli/cli.h"
#include "run/worker/mpi-rank.h"
#include "run/worker/worker.h"

int
urb_cli_worker (int argc, char **argv)
{
  int fd = -1;
  g_autofree char *folder = NULL;
  const GOptionEntry entries[] = {
    { "fd", 0, 0, G_OPTION_ARG_INT, &fd, "Socket to the supervisor", "N" },
    { "connect", 0, 0, G_OPTION_ARG_FILENAME, &folder,
      "The run whose supervisor started this through mpirun", "DIR" },
    G_OPTION_ENTRY_NULL,
  };
  GOptionContext *context
    = urb_cli_options_new (NULL, "Started by train and resume; not for people.", entries);

  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (folder != NULL)
    return urb_mpi_rank_run (folder, &urb_trainer_job);
  if (fd < 0)
    return urb_cli_fail_usage ("it is started by train and resume");
  return urb_worker_run (fd, &urb_trainer_job, NULL);
}
