/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-doctor.c - status boards of stalled runs, and their diagnoses.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/supervisor/doctor.h"

#define NOW_US (G_GINT64_CONSTANT (1000) * G_USEC_PER_SEC)

static const UrbCollective big = { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, 65536, 0 };
static const UrbCollective small = { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, 1, 0 };
static const UrbCollective spread = { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_F32, 1, 0 };
static const UrbCollective sum = { URB_COLLECTIVE_REDUCE, URB_ELEMENT_F32, 7, 0 };
static const UrbCollective doors = { URB_COLLECTIVE_BARRIER, URB_ELEMENT_U8, 0, 0 };

/* Ranks 0 … n-1, processes 100 …, in step 40, waiting for nothing. */
static UrbDoctorView *
make_view (int n_ranks)
{
  UrbDoctorView *view = g_new0 (UrbDoctorView, 1);
  view->n_ranks = n_ranks;
  view->now_us = NOW_US;
  view->ranks = g_new0 (UrbDoctorRank, n_ranks);
  for (int i = 0; i < n_ranks; i++)
    {
      view->ranks[i].process = 'S';
      view->ranks[i].board = (UrbBoardRank){
        .pid = 100 + i, .state = URB_RANK_STEPPING, .step = 40, .instruction = -1,
        .changed_us = NOW_US - 10 * G_USEC_PER_SEC,
      };
    }
  return view;
}

static void
add (UrbDoctorView *view, int rank, gint64 number, const UrbCollective *what, gboolean finished)
{
  UrbBoardRank *board = &view->ranks[rank].board;
  g_assert_cmpint (board->n_collectives, <, URB_BOARD_RING);
  board->collectives[board->n_collectives++]
    = (UrbBoardCollective){ .number = number, .what = *what, .finished = finished };
}

static void
add_in_step (UrbDoctorView *view, int rank, gint64 step, gint64 number, const UrbCollective *what, gboolean finished)
{
  UrbBoardRank *board = &view->ranks[rank].board;
  add (view, rank, number, what, finished);
  board->collectives[board->n_collectives - 1].step = step;
}

static void
assert_said (UrbDoctorView *view, int guilty, const char *said)
{
  int found;
  g_autofree char *text = urb_doctor_diagnose (view, &found);
  g_assert_cmpstr (text, ==, said);
  g_assert_cmpint (found, ==, guilty);
}

static void
test_process (void)
{
  g_autoptr(UrbDoctorView) view = make_view (4);
  add (view, 0, 812, &big, FALSE);
  add (view, 2, 812, &big, FALSE);
  view->ranks[3].process = 'T';
  assert_said (view, 3,
               "rank 3 (process 103) is stopped (state T), and ranks 0 and 2 wait for it in "
               "all-reduce no. 812 (65,536 floats)");
  view->ranks[3].process = 'S';
  view->ranks[1].process = 'X';
  add (view, 3, 812, &big, FALSE);
  assert_said (view, 1,
               "rank 1 (process 101) is gone, and ranks 0, 2 and 3 wait for it in "
               "all-reduce no. 812 (65,536 floats)");
  view->ranks[1].process = 'Z';
  view->ranks[0].board.state = view->ranks[2].board.state = URB_RANK_ABSENT;
  assert_said (view, 1,
               "rank 1 (process 101) is gone, and rank 3 waits for it in "
               "all-reduce no. 812 (65,536 floats)");
}

/* Of two ranks that differ, neither can be blamed; of three, the one that differs from the other
 * two. */
static void
test_mismatch (void)
{
  g_autoptr(UrbDoctorView) two = make_view (2), three = make_view (3);
  add (two, 0, 812, &spread, FALSE);
  add (two, 1, 812, &big, FALSE);
  assert_said (two, -1,
               "rank 0 (process 100) waits in broadcast no. 812 (1 float), rank 1 (process 101) "
               "waits in all-reduce no. 812 (65,536 floats): they do not match");
  add (three, 0, 812, &spread, TRUE);
  add (three, 1, 812, &spread, FALSE);
  add (three, 2, 812, &big, FALSE);
  assert_said (three, 2,
               "rank 2 (process 102) waits in all-reduce no. 812 (65,536 floats), rank 0 (process "
               "100) was in broadcast no. 812 (1 float): they do not match, and rank 2 differs from "
               "the others");
}

/* The same with the smallest difference, and in other groups. */
static void
test_mismatch_kinds (void)
{
  static const UrbCollective others[] = {
    { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, 65535, 0 },
    { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_BF16, 65536, 0 },
    { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, 65536, 1 },
    { URB_COLLECTIVE_REDUCE, URB_ELEMENT_F32, 65536, 0 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autoptr(UrbDoctorView) view = make_view (3);
      g_autofree char *text = NULL;
      int guilty;
      add (view, 0, 5, &big, FALSE);
      add (view, 1, 5, &others[i], FALSE);
      add (view, 2, 5, &big, FALSE);
      text = urb_doctor_diagnose (view, &guilty);
      g_assert_cmpint (guilty, ==, 1);
      g_assert_nonnull (strstr (text, "do not match"));
      /* Operations of different communicators do not match. */
      view->ranks[1].board.collectives[0].group = 1;
      g_clear_pointer (&text, g_free);
      text = urb_doctor_diagnose (view, &guilty);
      g_assert_null (strstr (text, "do not match"));
    }
}

/* Of two ranks, the one that skipped a collective is wrong, because all steps are alike. */
static void
test_skipped (void)
{
  static const UrbCollective *const what_of[] = { &spread, &big, &small, &sum };
  for (int wrong = 0; wrong < 2; wrong++)
    {
      g_autoptr(UrbDoctorView) view = make_view (2);
      g_autofree char *text = NULL;
      int guilty;
      for (gint64 i = 1; i <= 17; i++)
        for (int rank = 0; rank < 2; rank++)
          add_in_step (view, rank, 36 + (i - 1) / 4, i, what_of[i % 4], TRUE);
      /* Collective 18 would be a small one. */
      add_in_step (view, !wrong, 40, 18, &small, FALSE);
      add_in_step (view, wrong, 40, 18, &sum, FALSE);
      text = urb_doctor_diagnose (view, &guilty);
      g_assert_cmpint (guilty, ==, wrong);
      g_assert_nonnull (strstr (text, "differs from the steps before"));
      g_assert_nonnull (strstr (text, "waits in reduce no. 18 (7 floats), rank"));
    }
}

static void
test_behind (void)
{
  g_autoptr(UrbDoctorView) view = make_view (2);
  add (view, 0, 811, &spread, TRUE);
  add (view, 1, 811, &spread, TRUE);
  add (view, 0, 812, &big, FALSE);
  view->ranks[1].board.instruction = 17;
  view->ranks[1].label = g_strdup ("d.3 conv-wgrad");
  assert_said (view, 1,
               "rank 1 (process 101) has not moved since step 40, instruction 17 (d.3 conv-wgrad), "
               "for 10 s, and rank 0 waits for it in all-reduce no. 812 (65,536 floats)");
  /* A process on another host cannot be inspected. */
  view->ranks[1].process = '?';
  strcpy (view->ranks[1].board.host, "node7");
  view->ranks[1].board.state = URB_RANK_SAVING;
  assert_said (view, 1,
               "rank 1 (process 101 on node7) is busy with a checkpoint after step 40, for 10 s, and "
               "rank 0 waits for it in all-reduce no. 812 (65,536 floats)");
  view->ranks[1].board.state = URB_RANK_ABSENT;
  view->ranks[1].board.pid = 0;
  assert_said (view, 1,
               "rank 1 has not started, or has ended, and rank 0 waits for it in all-reduce no. "
               "812 "
               "(65,536 floats)");
}

/* Rank 2 waits for 1, and 1 for 0: 0 is blamed. */
static void
test_messages (void)
{
  g_autoptr(UrbDoctorView) view = make_view (3);
  const UrbCollective from_0 = { URB_COLLECTIVE_RECV, URB_ELEMENT_BF16, 1000, 0 };
  const UrbCollective from_1 = { URB_COLLECTIVE_RECV, URB_ELEMENT_BF16, 1000, 1 };
  add (view, 1, 3, &from_0, FALSE);
  add (view, 2, 3, &from_1, FALSE);
  assert_said (view, 0,
               "rank 0 (process 100) has not moved since step 40, for 10 s, and ranks 1 and 2 wait "
               "for it in receive from rank 0 (1,000 bf16 numbers)");
}

/* A rank leaves out a message: the next one is taken for it, until each rank waits for the other.  The one
 * whose step is unlike the last is wrong, also if what it does after its failure is on the board. */
static void
test_skipped_message (void)
{
  const UrbCollective to_1 = { URB_COLLECTIVE_SEND, URB_ELEMENT_F32, 100, 1 };
  const UrbCollective from_1 = { URB_COLLECTIVE_RECV, URB_ELEMENT_F32, 50, 1 };
  const UrbCollective from_0 = { URB_COLLECTIVE_RECV, URB_ELEMENT_F32, 100, 0 };
  const UrbCollective to_0 = { URB_COLLECTIVE_SEND, URB_ELEMENT_F32, 50, 0 };
  const UrbCollective command = { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_U8, 16, 0 };
  g_autoptr(UrbDoctorView) view = make_view (2);
  double still_s;
  for (gint64 i = 1; i <= 3; i++)
    {
      add_in_step (view, 0, 36 + i, i, &to_1, TRUE);
      add_in_step (view, 1, 36 + i, i, &from_0, TRUE);
      add_in_step (view, 0, 36 + i, i, &from_1, TRUE);
      add_in_step (view, 1, 36 + i, i, &to_0, TRUE);
    }
  add_in_step (view, 0, 40, 4, &to_1, FALSE);
  g_assert_false (urb_doctor_is_certain (view, &still_s)); /* rank 1 may still come … */
  add_in_step (view, 1, 40, 4, &to_0, FALSE);
  g_assert_true (urb_doctor_is_certain (view, &still_s)); /* … but is elsewhere */
  g_assert_cmpfloat (still_s, ==, 10);
  add_in_step (view, 0, 40, 12, &command, FALSE);
  assert_said (view, 1,
               "rank 0 (process 100) waits in send to rank 1 (100 floats), rank 1 (process 101) waits in send to "
               "rank 0 (50 floats): they wait for each other, and rank 1 differs from the steps before");
  /* Had rank 1 come, data would only be slow. */
  view->ranks[1].board.collectives[view->ranks[1].board.n_collectives - 1].what = from_0;
  g_assert_false (urb_doctor_is_certain (view, &still_s));
}

static void
add_to_group (UrbDoctorView *view, int rank, int least, gint64 number, const UrbCollective *what)
{
  UrbBoardRank *board = &view->ranks[rank].board;
  board->groups[1] = (UrbBoardGroup) { .least = least, .name = "data" };
  if (what == NULL)
    return;
  add (view, rank, number, what, FALSE);
  board->collectives[board->n_collectives - 1].group = 1;
}

/* Along different axes, exchanges do not wait for each other: only their order within a group is that of the steps
 * before. */
static void
test_order_of_groups (void)
{
  const UrbCollective to_1 = { URB_COLLECTIVE_SEND, URB_ELEMENT_F32, 100, 1 };
  g_autoptr(UrbDoctorView) view = make_view (2);
  UrbBoardRank *board = &view->ranks[0].board;
  g_autofree char *none = NULL, *said = NULL;
  const char *from;
  int guilty;
  for (gint64 step = 37; step <= 40; step++)
    for (int i = 0; i < 3; i++)
      {
        int turn = (int) (i + step) % 3; /* in another order each time */
        add_in_step (view, 0, step, step, turn == 0 ? &big : &to_1, TRUE);
        board->collectives[board->n_collectives - 1].group = turn;
      }
  none = urb_doctor_compare (view, &guilty, &from);
  g_assert_null (none);
  board->collectives[board->n_collectives - 1].what.count--;
  said = urb_doctor_compare (view, &guilty, &from);
  g_assert_cmpstr (said, ==, "rank 0 differs from the steps before");
}

/* Ranks of other groups are not waited for, and their collectives need not match. */
static void
test_groups (void)
{
  g_autoptr(UrbDoctorView) behind = make_view (4), differ = make_view (4);
  add_to_group (behind, 0, 0, 7, &big);
  add_to_group (behind, 1, 1, 0, NULL);
  add_to_group (behind, 2, 0, 0, NULL);
  add_to_group (behind, 3, 1, 0, NULL);
  behind->ranks[1].board.changed_us -= G_USEC_PER_SEC; /* has not moved for longer, but nobody waits for it */
  assert_said (behind, 2,
               "rank 2 (process 102) has not moved since step 40, for 10 s, and rank 0 waits for it in "
               "all-reduce no. 7 (65,536 floats) among ranks 0 and 2 (data)");
  add_to_group (differ, 0, 0, 7, &big);
  add_to_group (differ, 1, 1, 7, &small);
  add_to_group (differ, 2, 0, 7, &big);
  add_to_group (differ, 3, 1, 7, &spread);
  assert_said (differ, -1,
               "rank 1 (process 101) waits in all-reduce no. 7 (1 float) among ranks 1 and 3 (data), rank 3 "
               "(process 103) waits in broadcast no. 7 (1 float) among ranks 1 and 3 (data): they do not "
               "match");
}

static void
test_nobody_waits (void)
{
  g_autoptr(UrbDoctorView) view = make_view (3), none = make_view (2), all = make_view (70);
  view->ranks[1].board.changed_us = NOW_US - 31 * G_USEC_PER_SEC;
  view->ranks[1].board.state = URB_RANK_SAMPLING;
  assert_said (view, 1, "rank 1 (process 101) is drawing a sample after step 40, for 31 s");
  none->ranks[0].board.state = none->ranks[1].board.state = URB_RANK_ABSENT;
  assert_said (none, -1, "no rank has started");
  for (int i = 0; i < 70; i++)
    add (all, i, 9, &doors, FALSE);
  assert_said (all, -1, "all ranks wait in barrier no. 9: the connection between them does not "
                        "respond");
  all->ranks[69].process = 'T';
  assert_said (all, 69,
               "rank 69 (process 169) is stopped (state T), and ranks 0, 1, 2 and 66 more wait for "
               "it in barrier no. 9");
}

/* A rank that is behind may still arrive; one that cannot arrive is not waited for. */
static void
test_certain (void)
{
  g_autoptr(UrbDoctorView) view = make_view (3);
  double still_s;
  add (view, 0, 811, &spread, TRUE);
  add (view, 0, 812, &big, FALSE);
  g_assert_false (urb_doctor_is_certain (view, &still_s));
  view->ranks[2].process = 't';
  g_assert_false (urb_doctor_is_certain (view, &still_s));
  view->ranks[2].process = 'T';
  view->ranks[0].board.changed_us = NOW_US;
  g_assert_true (urb_doctor_is_certain (view, &still_s));
  g_assert_cmpfloat (still_s, ==, 10);
  view->ranks[2].process = 'S';
  add (view, 1, 812, &small, FALSE);
  g_assert_true (urb_doctor_is_certain (view, &still_s));
  g_assert_cmpfloat (still_s, ==, 0); /* rank 0 still makes progress */
  view->ranks[0].board.changed_us = NOW_US - 7 * G_USEC_PER_SEC;
  g_assert_true (urb_doctor_is_certain (view, &still_s));
  g_assert_cmpfloat (still_s, ==, 7);
}

/* A real one. */
static void
test_look (void)
{
  g_autoptr(UrbBoard) board = urb_board_new (2, NULL);
  g_autofree char *described = NULL;
  pid_t pid = fork ();
  int status;
  urb_board_set_label (board, 0, 2, "d adam"); /* another program */
  if (pid == 0)
    {
      urb_board_enter (board, 1);
      urb_board_set_state (board, 1, URB_RANK_STEPPING, 3);
      urb_board_set_instruction (board, 1, 2);
      urb_board_set_label (board, 1, 2, "g.1 dense");
      raise (SIGSTOP);
      _exit (0);
    }
  g_assert_cmpint (waitpid (pid, &status, WUNTRACED), ==, pid);
  g_assert_true (WIFSTOPPED (status));
  {
    g_autoptr(UrbDoctorView) view = urb_doctor_read (board);
    g_autofree char *said = g_strdup_printf ("rank 1 (process %d) is stopped (state T)", pid);
    assert_said (view, 1, said);
    g_assert_cmpstr (view->ranks[1].label, ==, "g.1 dense");
    described = urb_doctor_describe (view, 1);
    g_assert_nonnull (strstr (described, "step 3, instruction 2 (g.1 dense)"));
  }
  kill (pid, SIGKILL);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  {
    g_autoptr(UrbDoctorView) view = urb_doctor_read (board);
    g_autofree char *said = g_strdup_printf ("rank 1 (process %d) is gone", pid);
    assert_said (view, 1, said);
  }
  g_assert_cmpint (urb_doctor_read_process (getpid ()), ==, 'R');
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/doctor/process", test_process);
  g_test_add_func ("/doctor/mismatch", test_mismatch);
  g_test_add_func ("/doctor/mismatch-kinds", test_mismatch_kinds);
  g_test_add_func ("/doctor/skipped", test_skipped);
  g_test_add_func ("/doctor/behind", test_behind);
  g_test_add_func ("/doctor/messages", test_messages);
  g_test_add_func ("/doctor/skipped-message", test_skipped_message);
  g_test_add_func ("/doctor/groups", test_groups);
  g_test_add_func ("/doctor/order-of-groups", test_order_of_groups);
  g_test_add_func ("/doctor/nobody-waits", test_nobody_waits);
  g_test_add_func ("/doctor/certain", test_certain);
  g_test_add_func ("/doctor/look", test_look);
  return g_test_run ();
}
