/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.c - `urbarium-engine worker`: internal; what a supervisor starts.
 */
#include "cli/cli.h"
#include "run/worker.h"

int
urb_cli_worker (int argc, char **argv)
{
  int fd = -1;
  const GOptionEntry entries[] = {
    { "fd", 0, 0, G_OPTION_ARG_INT, &fd, "Socket to the supervisor", "N" },
    G_OPTION_ENTRY_NULL,
  };
  if (!urb_cli_parse (&argc, &argv, entries, "", "Started by train and resume; not for people."))
    return URB_EXIT_USAGE;
  if (fd < 0)
    return urb_cli_fail_usage ("worker", "it is started by train and resume");
  return urb_worker_run (fd, &urb_trainer_job);
}
