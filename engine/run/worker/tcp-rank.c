/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp-rank.c - see tcp-rank.h.
 */
#include "run/worker/tcp-rank.h"

#include "parallel/comm-tcp.h"
#include "run/worker/worker.h"

gboolean
urb_tcp_rank_run (const char *address, int rank, int n_ranks, const char *dataset, const UrbWorkerJob *job,
                  GError **error)
{
  g_autoptr(UrbComm) comm = urb_comm_new_tcp (address, rank, n_ranks, URB_TCP_PATIENCE_S, error);
  UrbRank context;

  if (comm == NULL)
    return FALSE;
  /* Rank 0 decides how the run ends. */
  urb_worker_ignore_signals ();
  context = urb_rank_from_comm (comm, NULL);
  context.dataset = dataset;
  return job->follow (&context, error);
}
