/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpi-rank.c - see mpi-rank.h.
 *
 * mpirun kills all ranks as soon as one exits with an error.  A rank that fails therefore tells the
 * others first (urb_comm_abort) and waits a moment before it exits, so that rank 0 can report the
 * cause to the supervisor.
 */
#include "run/worker/mpi-rank.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "run/store/control-socket.h"
#include "run/worker/worker-link.h"
#include "run/worker/worker.h"

enum { EXIT_DELAY_MS = 1500, MEMORY_MS = 1000 };

/* ------------------------------------------------------------------------ */
/* The memory monitor of a rank without a link to the supervisor             */

typedef struct
{
  const UrbRank *rank; /* borrowed */
  GAsyncQueue   *stop; /* owned; an item ends the thread */
} MemoryMonitor;

static gpointer
monitor_thread (gpointer data)
{
  MemoryMonitor *self = data;
  do
    urb_board_set_memory (self->rank->board, self->rank->rank, urb_worker_link_read_memory_bytes ());
  while (g_async_queue_timeout_pop (self->stop, MEMORY_MS * G_TIME_SPAN_MILLISECOND) == NULL);
  return NULL;
}

/* ------------------------------------------------------------------------ */
/* The way to the supervisor                                                 */

/* Returns: (nullable): NULL if the supervisor cannot be reached */
static UrbBoard *
fetch_board (const char *folder)
{
  int fd = urb_control_socket_connect (folder, URB_BOARD_SOCKET_NAME, NULL);
  int passed = fd >= 0 ? urb_control_socket_receive_fd (fd) : -1;
  UrbBoard *board = passed >= 0 ? urb_board_open (passed, NULL) : NULL;
  if (passed >= 0)
    close (passed);
  return board;
}

/* ------------------------------------------------------------------------ */

/* Takes what @rank points to. */
static int
lead (const char *folder, const UrbWorkerJob *job, const UrbRank *rank, GError **error)
{
  int fd = urb_control_socket_connect (folder, URB_WORKER_SOCKET_NAME, error);
  if (fd >= 0)
    return urb_worker_run (fd, job, rank);
  g_prefix_error (error, "%s. ", URB_RANK_ELSEWHERE);
  urb_comm_abort (rank->comm, (*error)->message);
  urb_comm_free (rank->comm);
  urb_board_free (rank->board);
  return 1;
}

/* Takes what @rank points to. */
static int
follow (const UrbWorkerJob *job, const UrbRank *rank, GError **error)
{
  MemoryMonitor monitor = { rank, g_async_queue_new () };
  GThread *thread = rank->board != NULL ? g_thread_new ("memory", monitor_thread, &monitor) : NULL;
  gboolean good = FALSE;
  if (job->follow != NULL)
    good = job->follow (rank, error); /* tells the others if it fails */
  else
    {
      g_set_error_literal (error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER,
                           "This worker cannot be one of several ranks");
      urb_comm_abort (rank->comm, (*error)->message);
    }
  g_async_queue_push (monitor.stop, &monitor);
  g_clear_pointer (&thread, g_thread_join);
  g_async_queue_unref (monitor.stop);
  if (!good)
    g_usleep (EXIT_DELAY_MS * 1000);
  urb_comm_free (rank->comm);
  urb_board_free (rank->board);
  return good ? 0 : 1;
}

int
urb_mpi_rank_run (const char *folder, const UrbWorkerJob *job)
{
  g_autoptr(GError) error = NULL;
  UrbComm *comm;
  UrbBoard *board;
  UrbRank rank;
  int code;
  /* Our parent is mpirun or its daemon, which we must not outlive. */
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () == 1)
    return 1;
  urb_worker_ignore_signals ();
  comm = urb_comm_new_mpi (&error);
  if (comm == NULL)
    {
      fprintf (stderr, "A rank cannot join the others: %s\n", error->message);
      return 1;
    }
  /* The ranks of other machines have no board: the supervisor does not see what they do. */
  board = fetch_board (folder);
  rank = urb_rank_from_comm (comm, board);
  if (rank.board == NULL)
    urb_board_free (board);
  code = rank.rank == 0 ? lead (folder, job, &rank, &error) : follow (job, &rank, &error);
  if (error != NULL)
    fprintf (stderr, "Rank %d: %s\n", rank.rank, error->message);
  return code;
}
