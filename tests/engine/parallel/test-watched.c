/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-watched.c - the board shows collectives, and all ranks notice an error
 * that one of them makes on purpose.
 */
#include "parallel/comm-watched.h"

enum { N_RANKS = 3, N = 1000 };

typedef struct
{
  UrbComm     *comm; /* owned */
  UrbFault fault;
  float        values[N];
  GError      *error;
} Rank;

static gpointer
rank_thread (gpointer data)
{
  Rank *self = data;
  const UrbCollective sum = { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, N, 0 };
  const UrbCollective spread = { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_F32, N, 1 };
  const UrbCollective doors = { URB_COLLECTIVE_BARRIER, URB_ELEMENT_U8, 0, 0 };
  float total[N];

  if (!urb_comm_run (self->comm, &doors, NULL, NULL, &self->error))
    return NULL;
  if (self->fault != URB_FAULT_NONE)
    urb_comm_watched_inject (self->comm, self->fault);
  if (urb_comm_run (self->comm, &sum, self->values, total, &self->error)
      && urb_comm_run (self->comm, &spread, total, total, &self->error)
      && self->fault == URB_FAULT_NONE)
    for (int i = 0; i < N; i++)
      g_assert_cmpfloat (total[i], ==, 3 * i + 3);
  return NULL;
}

static void
run (UrbBoard *board, Rank *ranks, UrbFault fault_of_1)
{
  UrbComm *comms[N_RANKS];
  GThread *threads[N_RANKS];

  urb_comm_new_threads (N_RANKS, comms);
  for (int i = 0; i < N_RANKS; i++)
    {
      ranks[i] = (Rank) { .comm = urb_comm_new_watched (comms[i], board, 0),
                          .fault = i == 1 ? fault_of_1 : URB_FAULT_NONE };
      for (int k = 0; k < N; k++)
        ranks[i].values[k] = (float) (k + i);
    }
  for (int i = 0; i < N_RANKS; i++)
    threads[i] = g_thread_new ("rank", rank_thread, &ranks[i]);
  for (int i = 0; i < N_RANKS; i++)
    g_thread_join (threads[i]);
  for (int i = 0; i < N_RANKS; i++)
    urb_comm_free (ranks[i].comm);
}

static void
test_seen (void)
{
  g_autoptr(UrbBoard) board = urb_board_new (N_RANKS, NULL);
  g_autofree UrbBoardRank *read = g_new (UrbBoardRank, 1);
  g_autofree Rank *ranks = g_new0 (Rank, N_RANKS);

  run (board, ranks, URB_FAULT_NONE);
  for (int i = 0; i < N_RANKS; i++)
    {
      g_assert_no_error (ranks[i].error);
      urb_board_read (board, i, read);
      g_assert_cmpint (read->n_collectives, ==, 3);
      for (int k = 0; k < 3; k++)
        {
          g_assert_cmpint (read->collectives[k].number, ==, k + 1);
          g_assert_true (read->collectives[k].finished);
        }
      g_assert_cmpint (read->collectives[1].what.kind, ==, URB_COLLECTIVE_ALL_REDUCE);
      g_assert_cmpint (read->collectives[1].what.count, ==, N);
      g_assert_cmpint (read->collectives[2].what.peer, ==, 1);
    }
}

static void
test_fault (gconstpointer data)
{
  UrbFault fault = (UrbFault) GPOINTER_TO_INT (data);
  g_autoptr(UrbBoard) board = urb_board_new (N_RANKS, NULL);
  g_autofree UrbBoardRank *read = g_new (UrbBoardRank, 1);
  g_autofree Rank *ranks = g_new0 (Rank, N_RANKS);

  run (board, ranks, fault);
  for (int i = 0; i < N_RANKS; i++)
    {
      g_assert_nonnull (ranks[i].error);
      g_assert_true (ranks[i].error->domain == URB_COMM_ERROR);
      g_clear_error (&ranks[i].error);
      urb_board_read (board, i, read);
      /* The board shows afterwards which collective failed. */
      g_assert_cmpint (read->n_collectives, ==, 2);
      g_assert_false (read->collectives[1].finished);
      g_assert_cmpint (read->collectives[1].number, ==, 2);
      g_assert_cmpint (read->collectives[1].what.count, ==,
                       i == 1 && fault == URB_FAULT_COUNT ? N - 1 : N);
      g_assert_cmpint (read->collectives[1].what.kind, ==,
                       i == 1 && fault == URB_FAULT_SKIP ? URB_COLLECTIVE_BROADCAST
                                                              : URB_COLLECTIVE_ALL_REDUCE);
    }
}

/* Another communicator of the same ranks has its own group number. */
static void
test_dup (void)
{
  g_autoptr(UrbBoard) board = urb_board_new (1, NULL);
  g_autofree UrbBoardRank *read = g_new (UrbBoardRank, 1);
  g_autoptr(UrbComm) comm = NULL, other = NULL;
  UrbComm *inner;
  const UrbCollective doors = { URB_COLLECTIVE_BARRIER, URB_ELEMENT_U8, 0, 0 };

  urb_comm_new_threads (1, &inner);
  comm = urb_comm_new_watched (inner, board, 4);
  other = urb_comm_dup (comm, NULL);
  g_assert_nonnull (other);
  g_assert_true (urb_comm_run (other, &doors, NULL, NULL, NULL));
  g_assert_true (urb_comm_run (comm, &doors, NULL, NULL, NULL));
  urb_board_read (board, 0, read);
  g_assert_cmpint (read->n_collectives, ==, 2);
  g_assert_cmpint (read->collectives[0].group, ==, 5);
  g_assert_cmpint (read->collectives[0].number, ==, 1);
  g_assert_cmpint (read->collectives[1].group, ==, 4);
  g_assert_cmpint (read->collectives[1].number, ==, 1);
}

/* The board has the ranks' numbers in the first communicator, and says which group a collective is of. */
static gpointer
split_thread (gpointer comm)
{
  g_autoptr(UrbComm) group = NULL;
  const UrbCollective what = { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_F32, 2, 0 };
  float x[2] = { 0 };

  group = urb_comm_split (comm, "data", urb_comm_get_rank (comm) == 1, 0, NULL);
  g_assert_nonnull (group);
  g_assert_true (urb_comm_run (group, &what, x, x, NULL));
  return NULL;
}

static void
test_split (void)
{
  static const int least[N_RANKS] = { 0, 1, 0 };
  g_autoptr(UrbBoard) board = urb_board_new (N_RANKS, NULL);
  g_autofree UrbBoardRank *read = g_new (UrbBoardRank, 1);
  UrbComm *comms[N_RANKS];
  GThread *threads[N_RANKS];

  urb_comm_new_threads (N_RANKS, comms);
  for (int i = 0; i < N_RANKS; i++)
    {
      comms[i] = urb_comm_new_watched (comms[i], board, 0);
      threads[i] = g_thread_new ("rank", split_thread, comms[i]);
    }
  for (int i = 0; i < N_RANKS; i++)
    g_thread_join (threads[i]);
  for (int i = 0; i < N_RANKS; i++)
    {
      urb_board_read (board, i, read);
      g_assert_cmpint (read->n_collectives, ==, 1);
      g_assert_cmpint (read->collectives[0].group, ==, 1);
      g_assert_cmpint (read->collectives[0].what.peer, ==, least[i]); /* the root */
      g_assert_cmpint (read->groups[1].least, ==, least[i]);
      g_assert_cmpstr (read->groups[1].name, ==, "data");
      g_assert_cmpstr (read->groups[0].name, ==, "");
      urb_comm_free (comms[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/watched/seen", test_seen);
  g_test_add_data_func ("/watched/count", GINT_TO_POINTER (URB_FAULT_COUNT), test_fault);
  g_test_add_data_func ("/watched/skip", GINT_TO_POINTER (URB_FAULT_SKIP), test_fault);
  g_test_add_func ("/watched/dup", test_dup);
  g_test_add_func ("/watched/split", test_split);
  return g_test_run ();
}
