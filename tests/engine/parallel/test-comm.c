/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-comm.c - the tests of comm-table.c with one to four threads, and errors that only threads
 * can make.
 */
#include <string.h>

#include "comm-table.h"

enum { MAX_RANKS = 4 };

typedef struct
{
  CommTableFunc func;
  UrbComm      *comm; /* owned by the thread */
} Rank;

static gpointer
rank_main (gpointer data)
{
  Rank *self = data;

  self->func (self->comm);
  urb_comm_free (self->comm);
  return NULL;
}

static void
run_ranks (int n_ranks, CommTableFunc func)
{
  UrbComm *comms[MAX_RANKS];
  Rank ranks[MAX_RANKS];
  GThread *threads[MAX_RANKS];

  urb_comm_new_threads (n_ranks, comms);
  for (int r = 0; r < n_ranks; r++)
    {
      g_assert_cmpint (urb_comm_get_rank (comms[r]), ==, r);
      g_assert_cmpint (urb_comm_get_n_ranks (comms[r]), ==, n_ranks);
      ranks[r] = (Rank) { func, comms[r] };
      threads[r] = g_thread_new ("rank", rank_main, &ranks[r]);
    }
  for (int r = 0; r < n_ranks; r++)
    g_thread_join (threads[r]);
}

static void
test_threads (gconstpointer data)
{
  const CommTableRow *row = data;

  for (int n_ranks = row->fails ? 2 : 1; n_ranks <= MAX_RANKS; n_ranks++)
    run_ranks (n_ranks, row->func);
}

/* Rank 0 waits for a message from rank 1, which is in a barrier: a deadlock. */
static void
knot (UrbComm *comm)
{
  UrbCollective receive = { URB_COLLECTIVE_RECV, URB_ELEMENT_F32, 1, 1 };
  UrbCollective barrier = { URB_COLLECTIVE_BARRIER, URB_ELEMENT_F32, 0, 0 };
  g_autoptr(GError) error = NULL;
  float x;

  g_assert_false (urb_comm_run (comm, urb_comm_get_rank (comm) == 0 ? &receive : &barrier, NULL,
                                &x, &error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_MISMATCH);
  g_assert_nonnull (strstr (error->message, "rank 0 is in receive of 1 float from rank 1"));
  g_assert_nonnull (strstr (error->message, "rank 1 is in barrier"));
}

static void
test_deadlock (void)
{
  run_ranks (3, knot);
}

/* The last rank skips one collective and ends its thread. */
static void
leave (UrbComm *comm)
{
  UrbCollective barrier = { URB_COLLECTIVE_BARRIER, URB_ELEMENT_F32, 0, 0 };
  g_autoptr(GError) error = NULL;

  g_assert_true (urb_comm_run (comm, &barrier, NULL, NULL, &error));
  if (urb_comm_get_rank (comm) == 2)
    return;
  g_assert_false (urb_comm_run (comm, &barrier, NULL, NULL, &error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_ABORTED);
  g_assert_nonnull (strstr (error->message, "Rank 2 has left while rank "));
}

static void
test_leave (void)
{
  run_ranks (3, leave);
}

/* Aborting a communicator wakes ranks that wait in one created from it. */
static void
abort_kin (UrbComm *comm)
{
  UrbCollective barrier = { URB_COLLECTIVE_BARRIER, URB_ELEMENT_F32, 0, 0 };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbComm) other = urb_comm_dup (comm, &error);

  g_assert_no_error (error);
  if (urb_comm_get_rank (comm) == 0)
    urb_comm_abort (comm, "enough");
  g_assert_false (urb_comm_run (other, &barrier, NULL, NULL, &error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_ABORTED);
  g_assert_cmpstr (error->message, ==, "Rank 0 gave up: enough");
  g_clear_error (&error);
  g_assert_null (urb_comm_dup (comm, &error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_ABORTED);
}

static void
test_abort_kin (void)
{
  run_ranks (3, abort_kin);
}

/* Buffers may be freed as soon as wait() has returned, whatever other ranks do: sanitizers check
 * it. */
static void
abort_at_work (UrbComm *comm)
{
  UrbCollective what = { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, 1 << 20, 0 };
  gboolean ok = TRUE;

  for (int i = 0; ok && i < 20; i++)
    {
      g_autofree float *x = g_new0 (float, 1 << 20);
      UrbRequest *request = urb_comm_start (comm, &what, x, x, NULL);
      if (i == 10 && urb_comm_get_rank (comm) == 1)
        urb_comm_abort (comm, "enough");
      ok = request != NULL && urb_comm_wait (comm, request, NULL);
    }
  g_assert_false (ok);
}

static void
test_abort_at_work (void)
{
  for (int i = 0; i < 10; i++)
    run_ranks (3, abort_at_work);
}

/* When a rank leaves with operations in flight, those of the others fail unless they are complete.
 * Its buffer may be freed right after. */
static gpointer
leave_at_work (gpointer comm)
{
  UrbCollective what = { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, 1 << 20, 0 };
  g_autofree float *x = g_new0 (float, 1 << 20);
  UrbRequest *request = urb_comm_start (comm, &what, x, x, NULL);

  if (request != NULL && urb_comm_get_rank (comm) != 1)
    urb_comm_wait (comm, request, NULL);
  urb_comm_free (comm);
  return NULL;
}

static void
test_leave_at_work (void)
{
  for (int i = 0; i < 10; i++)
    {
      UrbComm *comms[3];
      GThread *threads[3];

      urb_comm_new_threads (3, comms);
      for (int r = 0; r < 3; r++)
        threads[r] = g_thread_new ("rank", leave_at_work, comms[r]);
      for (int r = 0; r < 3; r++)
        g_thread_join (threads[r]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < comm_table_length; i++)
    {
      const CommTableRow *row = &comm_table[i];
      g_autofree char *threads = g_strconcat ("/comm/threads/", row->name, NULL);
      g_test_add_data_func (threads, row, test_threads);
    }
  g_test_add_func ("/comm/threads/knot", test_deadlock);
  g_test_add_func ("/comm/threads/leave", test_leave);
  g_test_add_func ("/comm/threads/leave-at-work", test_leave_at_work);
  g_test_add_func ("/comm/threads/abort-kin", test_abort_kin);
  g_test_add_func ("/comm/threads/abort-at-work", test_abort_at_work);
  return g_test_run ();
}
