/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpi-world.c - shared by all MPI communicators of a process: MPI's start and end, its lock, and
 * news of failed ranks.
 *
 * MPI has one world per process and can be started once, so this is the one place with global
 * state. News are small messages over a communicator of their own; waiting ranks listen for them.
 *
 * The end needs care.  MPI_Finalize() waits for all ranks, so it must not be called if one of them
 * may never come.  At exit a rank first waits until all others have left all communicators, too;
 * after a failure it waits for a few seconds only, and then ends without MPI_Finalize(), whereupon
 * mpirun ends the others.
 */
#include "parallel/mpi-private.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum
{
  PATIENCE_MS = 3000, /* for the others, at the end of a failed world */
  DRAIN_MS = 1000
};

/* A message. */
typedef struct
{
  gint64 code; /* UrbCommError */
  char   text[504];
} News;

typedef struct
{
  gpointer       comm;
  UrbMpiFarewell farewell;
} Known;

static struct
{
  GMutex       lock;
  gboolean     started, tainted;
  int          rank, n_ranks;
  MPI_Comm     control;
  GError      *failure; /* owned */
  gint64       drain_end; /* 0: no failure yet */
  News         news;    /* what this rank sends */
  MPI_Request *sends;    /* owned; (n_ranks) */
  GArray      *known;   /* owned; Known */
  guint        n_open;  /* of these, not freed */
} world;

void
urb_mpi_lock (void)
{
  g_mutex_lock (&world.lock);
}

void
urb_mpi_unlock (void)
{
  g_mutex_unlock (&world.lock);
}

GError *
urb_mpi_new_error (int code, const char *doing)
{
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;

  MPI_Error_string (code, text, &length);
  return g_error_new (URB_COMM_ERROR, URB_COMM_ERROR_TRANSPORT, "MPI failed on rank %d, %s: %s",
                      world.rank, doing, text);
}

/* ------------------------------------------------------------------------ */
/* News                                                                      */

gboolean
urb_mpi_check (GError **error)
{
  if (world.failure == NULL)
    return TRUE;
  if (error != NULL)
    *error = g_error_copy (world.failure);
  return FALSE;
}

void
urb_mpi_fail (GError *failure)
{
  if (world.failure != NULL)
    {
      g_error_free (failure);
      return;
    }
  world.failure = failure;
  world.news.code = failure->code;
  g_strlcpy (world.news.text, failure->message, sizeof world.news.text);
  /* Small enough to be sent at once, whether or not the other listens.  If even that fails, no rank
   * is left. */
  for (int r = 0; r < world.n_ranks; r++)
    if (r != world.rank)
      MPI_Isend (&world.news, sizeof world.news, MPI_BYTE, r, 0, world.control, &world.sends[r]);
}

void
urb_mpi_listen (void)
{
  MPI_Status status;
  int there = 0;
  News news;

  while (MPI_Iprobe (MPI_ANY_SOURCE, 0, world.control, &there, &status) == MPI_SUCCESS && there)
    {
      if (MPI_Recv (&news, sizeof news, MPI_BYTE, status.MPI_SOURCE, 0, world.control, &status)
          != MPI_SUCCESS)
        return;
      news.text[sizeof news.text - 1] = '\0';
      if (world.failure == NULL)
        world.failure = g_error_new_literal (URB_COMM_ERROR, (int) news.code, news.text);
    }
}

gint64
urb_mpi_get_drain_end (void)
{
  if (world.drain_end == 0)
    world.drain_end = g_get_monotonic_time () + DRAIN_MS * 1000;
  return world.drain_end;
}

void
urb_mpi_taint (void)
{
  world.tainted = TRUE;
}

/* At first the answer is a cache line away; then another rank may need this processor; later a
 * sleep of a tenth of a millisecond costs little. */
void
urb_mpi_rest (guint n_idle)
{
  if (n_idle > 2000)
    g_usleep (100);
  else if (n_idle > 50)
    sched_yield ();
}

/* ------------------------------------------------------------------------ */
/* The end                                                                   */

void
urb_mpi_add (gpointer comm, UrbMpiFarewell farewell)
{
  Known known = { comm, farewell };

  g_array_append_val (world.known, known);
  world.n_open++;
}

void
urb_mpi_part (void)
{
  world.n_open--;
}

/* Blocks until all ranks have left every communicator, or one gave up. */
static void
wait_for_others (void)
{
  for (guint i = 0, n_idle = 0; i < world.known->len && world.failure == NULL;)
    {
      Known *known = &g_array_index (world.known, Known, i);
      urb_mpi_listen ();
      if (known->farewell (known->comm))
        i++;
      else
        urb_mpi_rest (n_idle++);
    }
}

/* Whether all ranks reach the end: after a failure, soon.  A rank may have left everything without
 * having heard of the failure. */
static gboolean
all_end (void)
{
  gint64 until = 0;
  MPI_Request request;
  int there = 0;

  if (MPI_Ibarrier (world.control, &request) != MPI_SUCCESS)
    return FALSE;
  for (guint n_idle = 0; !there; n_idle++)
    {
      urb_mpi_listen ();
      if (MPI_Test (&request, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return FALSE;
      if (world.failure != NULL && until == 0)
        until = g_get_monotonic_time () + PATIENCE_MS * 1000;
      if (until > 0 && g_get_monotonic_time () > until)
        break;
      urb_mpi_rest (n_idle);
    }
  return there;
}

static void
end_world (void)
{
  int ended = 0;

  MPI_Finalized (&ended);
  if (ended)
    return;
  /* The process is exiting; another thread that never releases MPI must not block it. */
  if (!g_mutex_trylock (&world.lock))
    return;
  if (world.n_open > 0)
    urb_mpi_fail (g_error_new (URB_COMM_ERROR, URB_COMM_ERROR_ABORTED,
                               "Rank %d ended in the middle of its work", world.rank));
  else
    wait_for_others ();
  if (world.tainted || !all_end ())
    return;
  MPI_Finalize ();
}

/* ------------------------------------------------------------------------ */
/* The beginning                                                             */

static gboolean
start (GError **error)
{
  static const char *const marks[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PMI_FD" };
  gboolean was_launched = FALSE;
  int threads = 0, code;

  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    was_launched = was_launched || g_getenv (marks[i]) != NULL;
  /* Without a launcher MPI would start a world of its own. */
  if (!was_launched)
    {
      g_set_error_literal (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE,
                           "This process was not started by mpirun or srun");
      return FALSE;
    }
  /* Keeps MPI's hwloc from opening a connection to the X server, which would end the process when
   * it closes. */
  g_setenv ("HWLOC_COMPONENTS", "-gl", FALSE);
  code = MPI_Init_thread (NULL, NULL, MPI_THREAD_SERIALIZED, &threads);
  if (code == MPI_SUCCESS)
    code = MPI_Comm_set_errhandler (MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (code == MPI_SUCCESS)
    code = MPI_Comm_dup (MPI_COMM_WORLD, &world.control);
  if (code == MPI_SUCCESS)
    code = MPI_Comm_rank (MPI_COMM_WORLD, &world.rank);
  if (code == MPI_SUCCESS)
    code = MPI_Comm_size (MPI_COMM_WORLD, &world.n_ranks);
  if (code != MPI_SUCCESS)
    {
      g_propagate_error (error, urb_mpi_new_error (code, "starting"));
      return FALSE;
    }
  if (threads < MPI_THREAD_SERIALIZED)
    {
      g_set_error_literal (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE,
                           "This MPI does not support calls from several threads "
                           "(MPI_THREAD_SERIALIZED)");
      return FALSE;
    }
  world.sends = g_new0 (MPI_Request, (gsize) world.n_ranks);
  world.known = g_array_new (FALSE, FALSE, sizeof (Known));
  world.started = TRUE;
  atexit (end_world);
  return TRUE;
}

gboolean
urb_mpi_world_start (GError **error)
{
  gboolean ok;

  urb_mpi_lock ();
  ok = world.started || start (error);
  urb_mpi_unlock ();
  return ok;
}
