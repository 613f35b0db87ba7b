/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.c - see rank.h.
 *
 * What is hard: mpirun ends everybody as soon as one rank ends with an error.
 * A rank that fails therefore tells the others first (urb_comm_abort) and
 * stays a moment, so that rank 0 can tell the supervisor what happened.
 */
#include "run/rank.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "parallel/comm-watched.h"
#include "run/launch.h"
#include "run/worker-link.h"
#include "run/worker.h"

enum { LAST_WORDS_MS = 1500, MEMORY_MS = 1000 };

/* ------------------------------------------------------------------------ */
/* The memory of a rank that has no link to the supervisor to tell it         */

typedef struct
{
  UrbBoard *board; /* borrowed, nullable */
  int       rank;
  GThread  *thread; /* owned, nullable */
  GMutex    lock;
  GCond     changed;
  gboolean  over;
} Scale;

static gpointer
weigh_thread (gpointer data)
{
  Scale *self = data;
  g_mutex_lock (&self->lock);
  while (!self->over)
    {
      urb_board_set_memory (self->board, self->rank, urb_worker_link_read_memory_bytes ());
      g_cond_wait_until (&self->changed, &self->lock,
                         g_get_monotonic_time () + MEMORY_MS * G_TIME_SPAN_MILLISECOND);
    }
  g_mutex_unlock (&self->lock);
  return NULL;
}

static void
scale_start (Scale *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  if (self->board != NULL)
    self->thread = g_thread_new ("memory", weigh_thread, self);
}

static void
scale_end (Scale *self)
{
  g_mutex_lock (&self->lock);
  self->over = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&self->thread, g_thread_join);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
}

/* ------------------------------------------------------------------------ */

static int
lead (const char *folder, const UrbWorkerJob *job, UrbComm *comm, UrbBoard *board, GError **error)
{
  UrbWorkerPlace place = { .n_workers = 1, .comm = comm, .board = board };
  int fd = urb_launch_connect (folder, error);
  if (fd >= 0)
    return urb_worker_run_at (fd, job, &place);
  urb_comm_abort (comm, (*error)->message);
  urb_comm_free (comm);
  urb_board_free (board);
  return 1;
}

static int
follow (const UrbWorkerJob *job, UrbComm *comm, UrbBoard *board, GError **error)
{
  Scale scale = { .board = board, .rank = urb_comm_get_rank (comm) };
  gboolean good;
  scale_start (&scale);
  good = job->follow != NULL
           ? job->follow (comm, board, error)
           : (g_set_error_literal (error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER,
                                   "This worker cannot be one of several ranks"), FALSE);
  scale_end (&scale);
  if (!good)
    {
      urb_comm_abort (comm, (*error)->message);
      g_usleep (LAST_WORDS_MS * 1000);
    }
  urb_comm_free (comm);
  urb_board_free (board);
  return good ? 0 : 1;
}

int
urb_rank_run (const char *folder, const UrbWorkerJob *job)
{
  g_autoptr(GError) error = NULL;
  UrbComm *comm;
  UrbBoard *board;
  int rank, code;
  /* mpirun or its daemon is our parent, and nothing shall outlive it. */
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () == 1)
    return 1;
  signal (SIGINT, SIG_IGN);
  signal (SIGHUP, SIG_IGN);
  signal (SIGPIPE, SIG_IGN);
  comm = urb_comm_new_mpi (&error);
  if (comm == NULL)
    {
      fprintf (stderr, "A rank cannot join the others: %s\n", error->message);
      return 1;
    }
  rank = urb_comm_get_rank (comm);
  /* On another machine there is none; then its ranks are not seen. */
  board = urb_launch_fetch_board (folder, NULL);
  if (board != NULL && rank < urb_board_get_n_ranks (board))
    {
      urb_board_enter (board, rank);
      comm = urb_comm_new_watched (comm, board, 0);
    }
  else
    g_clear_pointer (&board, urb_board_free);
  code = rank == 0 ? lead (folder, job, comm, board, &error) : follow (job, comm, board, &error);
  if (error != NULL)
    fprintf (stderr, "Rank %d: %s\n", rank, error->message);
  return code;
}
