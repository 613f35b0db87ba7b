/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-comm.c - measures the throughput of communicators relative to a memory copy.
 *
 * Every cell is the median of many runs, in GB/s of the larger of a rank's two
 * buffers (1 GB = 10^9 bytes).  Between the runs all ranks concurrently time a copy
 * of the same size.  Not a test: it only measures.
 *
 *   bench-comm --ranks 2                    threads of one process
 *   mpirun -n 2 bench-comm --mpi            processes
 *   bench-comm --master 127.0.0.1:29500 --rank 1 & bench-comm --master 127.0.0.1:29500
 *                                           processes that rank 0 connects by TCP
 */
#include <string.h>

#include "parallel/comm-tcp.h"
#include "seconds.h"

enum { MIN_RUNS = 7, MAX_RUNS = 300, N_COLUMNS = URB_COLLECTIVE_SEND + 2 };

typedef struct
{
  UrbComm *comm;  /* owned */
  gsize    n_bytes_all; /* size of both in and out */
  char    *in, *out;
  double  *times; /* (MAX_RUNS) */
  double  *copies;
} Bench;

/* Each rank sends to the next while it receives from the previous one. */
static gboolean
exchange (Bench *self, gint64 count, GError **error)
{
  int rank = urb_comm_get_rank (self->comm), n = urb_comm_get_n_ranks (self->comm);
  UrbCollective send = { URB_COLLECTIVE_SEND, URB_ELEMENT_F32, count, (rank + 1) % n };
  UrbCollective receive = { URB_COLLECTIVE_RECV, URB_ELEMENT_F32, count, (rank + n - 1) % n };
  UrbRequest *a = urb_comm_start (self->comm, &send, self->in, NULL, error);
  UrbRequest *b = a != NULL ? urb_comm_start (self->comm, &receive, NULL, self->out, error) : NULL;

  return b != NULL && urb_comm_wait (self->comm, a, error) && urb_comm_wait (self->comm, b, error);
}

/* Elements per part such that the larger buffer has @n_bytes. */
static gint64
count_for (UrbCollectiveKind kind, gsize n_bytes, int n_ranks)
{
  gboolean has_parts = kind == URB_COLLECTIVE_SCATTER || kind == URB_COLLECTIVE_GATHER
                       || kind == URB_COLLECTIVE_ALL_GATHER
                       || kind == URB_COLLECTIVE_REDUCE_SCATTER;

  return (gint64) (n_bytes / sizeof (float)) / (has_parts ? n_ranks : 1);
}

/* Bytes per second; for a barrier, seconds.  @copy: (out) bytes per second of a copy. */
static double
measure (Bench *self, UrbCollectiveKind kind, gsize n_bytes, double *copy)
{
  int n_ranks = urb_comm_get_n_ranks (self->comm);
  UrbCollective what = { kind, URB_ELEMENT_F32, count_for (kind, n_bytes, n_ranks), 0 };
  UrbCollective barrier = { URB_COLLECTIVE_BARRIER, URB_ELEMENT_F32, 0, 0 };
  int n_runs = CLAMP ((int) ((256 << 20) / n_bytes), MIN_RUNS, MAX_RUNS);
  g_autoptr(GError) error = NULL;
  double middle;

  for (int i = -2; i < n_runs; i++) /* two warm-up runs */
    {
      double t0, t1, t2;
      gboolean ok = urb_comm_run (self->comm, &barrier, NULL, NULL, &error);
      t0 = clock_s (CLOCK_MONOTONIC);
      if (ok && kind == URB_COLLECTIVE_SEND)
        ok = exchange (self, what.count, &error);
      else if (ok)
        ok = urb_comm_run (self->comm, &what, self->in, self->out, &error);
      t1 = clock_s (CLOCK_MONOTONIC);
      if (!ok)
        g_error ("%s", error->message);
      memcpy (self->out, self->in, n_bytes);
      t2 = clock_s (CLOCK_MONOTONIC);
      if (i >= 0)
        {
          self->times[i] = t1 - t0;
          self->copies[i] = t2 - t1;
        }
    }
  middle = MAX (median (self->copies, n_runs), 1e-9);
  *copy = (double) n_bytes / middle;
  middle = MAX (median (self->times, n_runs), 1e-9);
  return kind == URB_COLLECTIVE_BARRIER ? middle : (double) n_bytes / middle;
}

static void
print_size (gsize n_bytes)
{
  if (n_bytes >= 1 << 20)
    g_print ("| %" G_GSIZE_FORMAT " MiB ", n_bytes >> 20);
  else
    g_print ("| %" G_GSIZE_FORMAT " KiB ", n_bytes >> 10);
}

static gpointer
run_rank (gpointer data)
{
  Bench *self = data;
  gboolean first = urb_comm_get_rank (self->comm) == 0;
  double copy = 0, seconds;

  self->n_bytes_all = 64 << 20;
  self->in = g_malloc (self->n_bytes_all);
  self->out = g_malloc (self->n_bytes_all);
  memset (self->in, 0, self->n_bytes_all);
  memset (self->out, 0, self->n_bytes_all);
  self->times = g_new (double, MAX_RUNS);
  self->copies = g_new (double, MAX_RUNS);
  seconds = measure (self, URB_COLLECTIVE_BARRIER, 1 << 20, &copy);
  if (first)
    {
      g_print ("%s, %d ranks; a barrier takes %.1f us\n\n| GB/s ", urb_comm_get_name (self->comm),
               urb_comm_get_n_ranks (self->comm), seconds * 1e6);
      for (UrbCollectiveKind kind = URB_COLLECTIVE_BROADCAST; kind < URB_COLLECTIVE_SEND; kind++)
        g_print ("| %s ", urb_collective_get_name (kind));
      g_print ("| send and receive | copy |\n|");
      for (int i = 0; i < N_COLUMNS; i++)
        g_print ("---|");
      g_print ("\n");
    }
  for (gsize n_bytes = 1 << 10; n_bytes <= self->n_bytes_all; n_bytes *= 4)
    {
      if (first)
        print_size (n_bytes);
      for (UrbCollectiveKind kind = URB_COLLECTIVE_BROADCAST; kind <= URB_COLLECTIVE_SEND; kind++)
        {
          double rate = 0;
          if (kind != URB_COLLECTIVE_SEND || urb_comm_get_n_ranks (self->comm) > 1)
            rate = measure (self, kind, n_bytes, &copy);
          if (first)
            g_print ("| %.2f ", rate * 1e-9);
        }
      if (first)
        g_print ("| %.2f |\n", copy * 1e-9);
    }
  urb_comm_free (self->comm);
  g_free (self->in);
  g_free (self->out);
  g_free (self->times);
  g_free (self->copies);
  return NULL;
}

static void
run_threads (int n_ranks)
{
  g_autofree UrbComm **comms = g_new0 (UrbComm *, (gsize) n_ranks);
  g_autofree Bench *benches = g_new0 (Bench, (gsize) n_ranks);
  g_autofree GThread **threads = g_new0 (GThread *, (gsize) n_ranks);

  urb_comm_new_threads (n_ranks, comms);
  for (int r = 0; r < n_ranks; r++)
    {
      benches[r].comm = comms[r];
      threads[r] = g_thread_new ("rank", run_rank, &benches[r]);
    }
  for (int r = 0; r < n_ranks; r++)
    g_thread_join (threads[r]);
}

/* FALSE: the other ranks do not come, or rank 0 cannot be reached. */
static gboolean
run_tcp (const char *address, int rank, int n_ranks, GError **error)
{
  const UrbTcpPatience patience = { .seconds = 30 };
  g_autoptr(UrbTcpHub) hub = NULL;
  Bench bench = { 0 };

  if (rank == 0)
    hub = urb_tcp_hub_new (address, n_ranks, "", &patience, NULL, &bench.comm, error);
  else
    bench.comm = urb_comm_new_tcp (address, rank, n_ranks, "", &patience, error);
  if (bench.comm == NULL)
    return FALSE;
  run_rank (&bench);
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autofree char *master = NULL;
  gboolean mpi = FALSE;
  int n_ranks = 2, rank = 0;
  const GOptionEntry entries[] = {
    { "ranks", 0, 0, G_OPTION_ARG_INT, &n_ranks, "Threads, or processes with --master", "N" },
    { "mpi", 0, 0, G_OPTION_ARG_NONE, &mpi, "Use the ranks started by mpirun", NULL },
    { "master", 0, 0, G_OPTION_ARG_STRING, &master, "Where rank 0 listens, for ranks started one by one", "ADDRESS:PORT" },
    { "rank", 0, 0, G_OPTION_ARG_INT, &rank, "The number of this one of them", "R" },
    { NULL }
  };
  g_autoptr(GOptionContext) context = g_option_context_new (NULL);
  g_autoptr(GError) error = NULL;
  Bench bench = { 0 };

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)
      || (mpi && (bench.comm = urb_comm_new_mpi (&error)) == NULL)
      || (master != NULL && !run_tcp (master, rank, CLAMP (n_ranks, 2, 64), &error)))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  if (mpi)
    run_rank (&bench);
  else if (master == NULL)
    run_threads (CLAMP (n_ranks, 1, 64));
  return 0;
}
