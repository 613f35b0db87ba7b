/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-board.c - the status board: values are read back, also by another
 * process, during writes, and with random bytes in it.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parallel/board.h"

static const UrbCollective all_reduce = { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, 65536, 0 };

static void
test_read_back (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbBoard) board = urb_board_new (3, &error);
  g_autofree UrbBoardRank *read = g_new (UrbBoardRank, 1);
  g_autofree char *label = NULL;
  const UrbCollective broadcast = { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_U8, 0, 2 };
  guint64 ticket;
  gint64 before_us = g_get_monotonic_time ();

  g_assert_no_error (error);
  urb_board_read (board, 2, read);
  g_assert_cmpint (read->state, ==, URB_RANK_ABSENT);
  g_assert_cmpint (read->pid, ==, 0);
  g_assert_cmpint (read->n_collectives, ==, 0);
  urb_board_enter (board, 2);
  urb_board_set_state (board, 2, URB_RANK_STEPPING, 41);
  urb_board_set_instruction (board, 2, 17);
  urb_board_set_memory (board, 2, G_GINT64_CONSTANT (5000000000));
  urb_board_set_label (board, 2, 17, "d.3 conv-wgrad");
  ticket = urb_board_begin_collective (board, 2, 1, 812, &all_reduce);
  urb_board_begin_collective (board, 2, 0, 5, &broadcast);
  urb_board_end_collective (board, 2, ticket);
  urb_board_read (board, 2, read);
  g_assert_cmpint (read->pid, ==, getpid ());
  g_assert_cmpstr (read->host, ==, g_get_host_name ());
  g_assert_cmpint (read->state, ==, URB_RANK_STEPPING);
  g_assert_cmpint (read->step, ==, 41);
  g_assert_cmpint (read->instruction, ==, 17);
  g_assert_cmpint (read->memory_bytes, ==, G_GINT64_CONSTANT (5000000000));
  g_assert_cmpint (read->changed_us, >=, before_us);
  g_assert_cmpint (read->n_collectives, ==, 2);
  g_assert_cmpint (read->collectives[0].number, ==, 812);
  g_assert_cmpint (read->collectives[0].group, ==, 1);
  g_assert_true (read->collectives[0].finished);
  g_assert_cmpint (read->collectives[0].what.kind, ==, URB_COLLECTIVE_ALL_REDUCE);
  g_assert_cmpint (read->collectives[0].what.count, ==, 65536);
  g_assert_false (read->collectives[1].finished);
  g_assert_cmpint (read->collectives[1].what.peer, ==, 2);
  g_assert_cmpint (read->collectives[1].what.element, ==, URB_ELEMENT_U8);
  label = urb_board_dup_label (board, 2, 17);
  g_assert_cmpstr (label, ==, "d.3 conv-wgrad");
  g_assert_null (urb_board_dup_label (board, 1, 17)); /* another rank's program */
  g_assert_null (urb_board_dup_label (board, 2, 18));
  g_assert_null (urb_board_dup_label (board, 2, -1));
  g_assert_null (urb_board_dup_label (board, 2, URB_BOARD_MAX_LABELS));
  /* Another step: no instruction yet. */
  urb_board_set_state (board, 2, URB_RANK_IDLE, 42);
  urb_board_read (board, 2, read);
  g_assert_cmpint (read->instruction, ==, -1);
  urb_board_read (board, 1, read);
  g_assert_cmpint (read->state, ==, URB_RANK_ABSENT);
}

/* The newest collectives, in order. */
static void
test_ring (void)
{
  g_autoptr(UrbBoard) board = urb_board_new (1, NULL);
  g_autofree UrbBoardRank *read = g_new (UrbBoardRank, 1);

  for (int i = 1; i <= 1000; i++)
    urb_board_end_collective (board, 0, urb_board_begin_collective (board, 0, 0, i, &all_reduce));
  urb_board_read (board, 0, read);
  g_assert_cmpint (read->n_collectives, ==, URB_BOARD_RING);
  for (int i = 0; i < URB_BOARD_RING; i++)
    g_assert_cmpint (read->collectives[i].number, ==, 1000 - URB_BOARD_RING + 1 + i);
  urb_board_clear_rank (board, 0);
  urb_board_read (board, 0, read);
  g_assert_cmpint (read->n_collectives, ==, 0);
}

static void
test_other_process (void)
{
  g_autoptr(UrbBoard) board = urb_board_new (2, NULL);
  g_autofree UrbBoardRank *read = g_new (UrbBoardRank, 1);
  pid_t pid = fork ();
  int status;

  if (pid == 0)
    {
      UrbBoard *other = urb_board_open (urb_board_get_fd (board), NULL);

      if (other == NULL || urb_board_get_n_ranks (other) != 2 || !urb_board_claim_fault (other))
        _exit (1);
      urb_board_enter (other, 1);
      urb_board_set_state (other, 1, URB_RANK_SAVING, 7);
      _exit (0);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (status, ==, 0);
  urb_board_read (board, 1, read);
  g_assert_cmpint (read->pid, ==, pid);
  g_assert_cmpint (read->state, ==, URB_RANK_SAVING);
  g_assert_cmpint (read->step, ==, 7);
  g_assert_false (urb_board_claim_fault (board));
}

/* The fields of a collective are consistent, however fast they change. */
static gpointer
write_thread (gpointer data)
{
  UrbBoard *board = data;

  for (int i = 1; i <= 200000; i++)
    {
      UrbCollective what = { (UrbCollectiveKind) (i % URB_N_COLLECTIVES), URB_ELEMENT_F32, i, i % 64 };

      urb_board_begin_collective (board, 0, 0, i, &what);
    }
  urb_board_set_state (board, 0, URB_RANK_IDLE, 1);
  return NULL;
}

static void
test_never_torn (void)
{
  g_autoptr(UrbBoard) board = urb_board_new (1, NULL);
  g_autofree UrbBoardRank *read = g_new (UrbBoardRank, 1);
  GThread *thread = g_thread_new ("writer", write_thread, board);

  do
    {
      urb_board_read (board, 0, read);
      for (int i = 0; i < read->n_collectives; i++)
        {
          const UrbBoardCollective *one = &read->collectives[i];

          g_assert_cmpint (one->what.count, ==, one->number);
          g_assert_cmpint (one->what.kind, ==, one->number % URB_N_COLLECTIVES);
          g_assert_cmpint (one->what.peer, ==, one->number % 64);
        }
    }
  while (read->step == 0);
  g_thread_join (thread);
}

/* Any bit pattern can be read safely. */
static void
test_nonsense (void)
{
  g_autoptr(UrbBoard) board = urb_board_new (2, NULL);
  g_autofree UrbBoardRank *read = g_new (UrbBoardRank, 1);
  g_autoptr(GRand) rand = g_rand_new_with_seed (1);
  struct stat info;
  guint8 *bytes;
  gint64 before_us = g_get_monotonic_time ();

  g_assert_cmpint (fstat (urb_board_get_fd (board), &info), ==, 0);
  bytes = mmap (NULL, (gsize) info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                urb_board_get_fd (board), 0);
  g_assert_true (bytes != MAP_FAILED);
  for (int round = 0; round < 30; round++)
    {
      for (off_t i = 0; i < info.st_size; i++)
        bytes[i] = round == 0 ? 0xff : (guint8) (g_rand_int (rand) & (round % 2 ? 0xff : 0x03));
      for (int rank = 0; rank < 2; rank++)
        {
          urb_board_read (board, rank, read);
          g_assert_cmpint (read->state, <, URB_N_RANK_STATES);
          g_assert_cmpint (read->pid, >=, 0);
          g_assert_cmpint (read->instruction, >=, -1);
          g_assert_cmpint (read->changed_us, >=, round == 0 ? before_us : 0); /* 0xff…: now */
          g_assert_cmpint (read->changed_us, <=, g_get_monotonic_time ());
          g_assert_cmpuint (strlen (read->host), <, sizeof read->host);
          g_assert_true (g_utf8_validate (read->host, -1, NULL));
          g_assert_cmpint (read->n_collectives, <=, URB_BOARD_RING);
          for (int i = 0; i < read->n_collectives; i++)
            {
              g_assert_cmpint (read->collectives[i].what.kind, <, URB_N_COLLECTIVES);
              g_assert_cmpint (read->collectives[i].what.element, <, URB_N_ELEMENTS);
              g_assert_cmpint (read->collectives[i].what.count, >=, 0);
              g_assert_cmpint (read->collectives[i].number, >=, 0);
            }
        }
      {
        g_autofree char *label = urb_board_dup_label (board, 1, 3);

        g_assert_true (label == NULL || g_utf8_validate (label, -1, NULL));
      }
    }
  munmap (bytes, (gsize) info.st_size);
}

static void
test_refuses (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbBoard) board = urb_board_new (1, NULL);
  int null = open ("/dev/null", O_RDWR | O_CLOEXEC);
  int other = memfd_create ("other", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  /* It cannot be truncated while a reader has it. */
  g_assert_cmpint (ftruncate (urb_board_get_fd (board), 0), ==, -1);
  g_assert_null (urb_board_open (null, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_clear_error (&error);
  g_assert_cmpint (ftruncate (other, 1 << 20), ==, 0);
  g_assert_null (urb_board_open (other, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_clear_error (&error);
  g_assert_null (urb_board_open (-1, &error));
  g_assert_nonnull (error);
  close (null);
  close (other);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/board/read-back", test_read_back);
  g_test_add_func ("/board/ring", test_ring);
  g_test_add_func ("/board/other-process", test_other_process);
  g_test_add_func ("/board/never-torn", test_never_torn);
  g_test_add_func ("/board/nonsense", test_nonsense);
  g_test_add_func ("/board/refuses", test_refuses);
  return g_test_run ();
}
