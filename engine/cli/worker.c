/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.c - `urbarium-engine worker`: internal; what a supervisor starts.
 */
#include "cli/cli.h"

#include <malloc.h>

#include "run/worker/mpi-rank.h"
#include "run/worker/worker.h"

/* Blocks of this size are mapped by themselves, so their memory goes back to the system when they are freed.
 * By default glibc raises the limit to the largest block freed, up to 32 MiB, and ranks keep 10 to 20 MiB more. */
enum { MAPPED_BYTES = 1 << 20 };

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
  mallopt (M_MMAP_THRESHOLD, MAPPED_BYTES);
  if (folder != NULL)
    return urb_mpi_rank_run (folder, &urb_trainer_job);
  if (fd < 0)
    return urb_cli_fail_usage ("it is started by train and resume");
  return urb_worker_run (fd, &urb_trainer_job, NULL);
}
