/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp-rank.c - see tcp-rank.h.
 */
#include "run/worker/tcp-rank.h"

#include <signal.h>
#include <stdio.h>

#include "parallel/comm-tcp.h"
#include "parallel/tcp-token.h"
#include "run/worker/worker.h"

static void
tell_cb (const char *text, gpointer user_data)
{
  fprintf (stderr, "urbarium-engine: %s (Ctrl+C: give up)\n", text);
}

gboolean
urb_tcp_rank_run (const char *address, int rank, int n_ranks, const char *token_file, const char *dataset,
                  gboolean quiet, const UrbWorkerJob *job, GError **error)
{
  const UrbTcpPatience patience = { URB_TCP_PATIENCE_S, quiet ? NULL : tell_cb, NULL };
  g_autofree char *token = urb_tcp_token_load (token_file, address, error);
  g_autoptr(UrbComm) comm = NULL;
  UrbRank context;

  if (token == NULL)
    return FALSE;
  signal (SIGINT, SIG_DFL); /* which a shell ignores for a program in the background */
  comm = urb_comm_new_tcp (address, rank, n_ranks, token, &patience, error);
  if (comm == NULL
      || !urb_comm_run (comm, &(UrbCollective) { .kind = URB_COLLECTIVE_BARRIER }, NULL, NULL, error))
    return FALSE;
  /* Rank 0 decides how the run ends. */
  urb_worker_ignore_signals ();
  context = urb_rank_from_comm (comm, NULL);
  context.dataset = dataset;
  return job->follow (&context, error);
}
