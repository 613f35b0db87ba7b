/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.c - see doctor.h.
 *
 * The difficulty is to name the right rank.  Many ranks wait, and a waiting rank is not at fault.
 * At fault is, in the order in which the code looks: a rank that cannot come (stopped or dead), a
 * rank in another collective or message than the others or than in the steps before, or a rank that is
 * behind without waiting.
 */
#include "run/supervisor/doctor.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------ */
/* Looking                                                                   */

char
urb_doctor_read_process (gint64 pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%" G_GINT64_FORMAT "/stat", pid);
  g_autofree char *text = NULL;
  const char *end;
  if (pid <= 0 || !g_file_get_contents (path, &text, NULL, NULL))
    return 'X';
  /* The program's name is in parentheses, and may contain some. */
  end = strrchr (text, ')');
  return end != NULL && end[1] == ' ' && g_ascii_isalpha (end[2]) ? end[2] : '?';
}

UrbDoctorView *
urb_doctor_read (UrbBoard *board)
{
  UrbDoctorView *view = g_new0 (UrbDoctorView, 1);
  view->n_ranks = urb_board_get_n_ranks (board);
  view->ranks = g_new0 (UrbDoctorRank, view->n_ranks);
  for (int i = 0; i < view->n_ranks; i++)
    {
      UrbDoctorRank *rank = &view->ranks[i];
      urb_board_read (board, i, &rank->board);
      rank->label = urb_board_dup_label (board, i, rank->board.instruction);
      rank->process = '?';
      if (rank->board.pid > 0 && strcmp (rank->board.host, g_get_host_name ()) == 0)
        rank->process = urb_doctor_read_process (rank->board.pid);
    }
  view->now_us = g_get_monotonic_time ();
  return view;
}

void
urb_doctor_view_free (UrbDoctorView *view)
{
  if (view == NULL)
    return;
  for (int i = 0; i < view->n_ranks; i++)
    g_free (view->ranks[i].label);
  g_free (view->ranks);
  g_free (view);
}

/* ------------------------------------------------------------------------ */
/* Words                                                                     */

static void
append_count (GString *text, gint64 count)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GINT64_FORMAT, count);
  gsize n = strlen (digits);
  for (gsize i = 0; i < n; i++)
    {
      if (i > 0 && (n - i) % 3 == 0)
        g_string_append_c (text, ',');
      g_string_append_c (text, digits[i]);
    }
}

/* "0", "0 and 2", "0, 2 and 3", "0, 2, 3 and 60 more" */
static void
append_list (GString *text, const gboolean *chosen, int n_ranks)
{
  enum { MAX_NAMED = 4 };
  int n = 0, done = 0;
  for (int i = 0; i < n_ranks; i++)
    n += chosen[i] != 0;
  g_string_append (text, n == 1 ? "rank " : "ranks ");
  for (int i = 0; i < n_ranks; i++)
    {
      if (!chosen[i])
        continue;
      if (done == MAX_NAMED - 1 && n > MAX_NAMED)
        {
          g_string_append_printf (text, " and %d more", n - done);
          return;
        }
      g_string_append (text, done == 0 ? "" : done == n - 1 ? " and " : ", ");
      g_string_append_printf (text, "%d", i);
      done++;
    }
}

/* Whether two ranks have one communicator as their @group. */
static gboolean
share_group (const UrbDoctorView *view, int a, int b, int group)
{
  const UrbBoardGroup *x = &view->ranks[a].board.groups[group], *y = &view->ranks[b].board.groups[group];
  return x->least == y->least && strcmp (x->name, y->name) == 0;
}

/* " among ranks 1 and 3 (data)"; nothing if all ranks are in @group of @rank */
static void
append_group (GString *text, const UrbDoctorView *view, int rank, int group)
{
  const char *name = view->ranks[rank].board.groups[group].name;
  g_autofree gboolean *members = g_new0 (gboolean, view->n_ranks);
  if (*name == '\0')
    return;
  for (int i = 0; i < view->n_ranks; i++)
    members[i] = share_group (view, rank, i, group);
  g_string_append (text, " among ");
  append_list (text, members, view->n_ranks);
  g_string_append_printf (text, " (%s)", name);
}

/* "all-reduce no. 812 (65,536 floats)": of @rank */
static void
append_collective (GString *text, const UrbDoctorView *view, int rank, const UrbBoardCollective *one)
{
  g_string_append (text, urb_collective_get_name (one->what.kind));
  if (urb_collective_is_message (one->what.kind))
    g_string_append_printf (text, " %s rank %d",
                            one->what.kind == URB_COLLECTIVE_SEND ? "to" : "from", one->what.peer);
  else
    g_string_append_printf (text, " no. %" G_GINT64_FORMAT, one->number);
  if (one->what.kind != URB_COLLECTIVE_BARRIER)
    {
      g_string_append (text, " (");
      append_count (text, one->what.count);
      g_string_append_printf (text, " %s)", urb_element_get_name (one->what.element, one->what.count));
    }
  if (!urb_collective_is_message (one->what.kind))
    append_group (text, view, rank, one->group);
}

static void
append_name (GString *text, const UrbDoctorView *view, int rank)
{
  const UrbBoardRank *board = &view->ranks[rank].board;
  g_string_append_printf (text, "rank %d", rank);
  if (board->pid > 0)
    g_string_append_printf (text, " (process %" G_GINT64_FORMAT "%s%s)", board->pid,
                            view->ranks[rank].process == '?' ? " on " : "",
                            view->ranks[rank].process == '?' ? board->host : "");
}

/* ------------------------------------------------------------------------ */
/* Facts about one rank                                                      */

/* The oldest unfinished collective; NULL if the rank does not wait. */
static const UrbBoardCollective *
find_pending (const UrbBoardRank *rank)
{
  for (int i = 0; i < rank->n_collectives; i++)
    if (!rank->collectives[i].finished)
      return &rank->collectives[i];
  return NULL;
}

static const UrbBoardCollective *
find_number (const UrbBoardRank *rank, int group, gint64 number)
{
  for (int i = rank->n_collectives - 1; i >= 0; i--)
    if (rank->collectives[i].group == group && rank->collectives[i].number == number
        && !urb_collective_is_message (rank->collectives[i].what.kind))
      return &rank->collectives[i];
  return NULL;
}

/* Whether @rank started what @waiter waits for, of which it is a part. */
static gboolean
has_come (const UrbDoctorView *view, int rank, int waiter, const UrbBoardCollective *wanted)
{
  const UrbBoardRank *board = &view->ranks[rank].board;
  gboolean is_message = urb_collective_is_message (wanted->what.kind);
  for (int i = 0; i < board->n_collectives; i++)
    {
      const UrbBoardCollective *one = &board->collectives[i];
      gboolean answers = one->what.kind != wanted->what.kind && one->what.peer == waiter;
      if (one->group == wanted->group && one->number >= wanted->number
          && urb_collective_is_message (one->what.kind) == is_message && (answers || !is_message))
        return TRUE;
    }
  return FALSE;
}

/* Whether @waiter needs @rank for @wanted. */
static gboolean
needs (const UrbDoctorView *view, int waiter, int rank, const UrbBoardCollective *wanted)
{
  if (urb_collective_is_message (wanted->what.kind))
    return rank == wanted->what.peer;
  return share_group (view, rank, waiter, wanted->group);
}

static gboolean
is_active (const UrbDoctorView *view, int rank)
{
  return view->ranks[rank].board.state != URB_RANK_ABSENT;
}

static gboolean
is_same (const UrbCollective *a, const UrbCollective *b)
{
  return a->kind == b->kind && a->element == b->element && a->count == b->count
         && a->peer == b->peer;
}

/* "rank 1 (process 4711) waits in all-reduce no. 812 (65,536 floats)" */
static void
append_rank (GString *text, const UrbDoctorView *view, int rank)
{
  const UrbBoardRank *board = &view->ranks[rank].board;
  const UrbBoardCollective *pending = find_pending (board);
  append_name (text, view, rank);
  g_string_append_c (text, ' ');
  if (board->state == URB_RANK_ABSENT)
    {
      g_string_append (text, "has not started, or has ended");
      return;
    }
  if (pending != NULL)
    {
      g_string_append (text, "waits in ");
      append_collective (text, view, rank, pending);
      return;
    }
  switch (board->state)
    {
    case URB_RANK_STARTING:
      g_string_append (text, "is still starting");
      break;
    case URB_RANK_SAVING:
      g_string_append_printf (text, "is busy with a checkpoint after step %" G_GINT64_FORMAT,
                              board->step);
      break;
    case URB_RANK_SAMPLING:
      g_string_append_printf (text, "is drawing a sample after step %" G_GINT64_FORMAT, board->step);
      break;
    case URB_RANK_IDLE:
      g_string_append_printf (text, "has not begun the next step after step %" G_GINT64_FORMAT,
                              board->step);
      break;
    default:
      g_string_append_printf (text, "has not moved since step %" G_GINT64_FORMAT, board->step);
      if (board->instruction >= 0)
        g_string_append_printf (text, ", instruction %d", board->instruction);
      if (board->instruction >= 0 && view->ranks[rank].label != NULL)
        g_string_append_printf (text, " (%s)", view->ranks[rank].label);
      break;
    }
  if (view->now_us - board->changed_us >= G_USEC_PER_SEC)
    g_string_append_printf (text, ", for %" G_GINT64_FORMAT " s",
                            (view->now_us - board->changed_us) / G_USEC_PER_SEC);
}

char *
urb_doctor_describe (const UrbDoctorView *view, int rank)
{
  GString *text = g_string_new (NULL);
  append_rank (text, view, rank);
  return g_string_free (text, FALSE);
}

/* ", and ranks 0 and 2 wait for it in all-reduce no. 812 (65,536 floats)" */
static void
append_waiters (GString *text, const UrbDoctorView *view, int guilty)
{
  g_autofree gboolean *waits = g_new0 (gboolean, view->n_ranks);
  const UrbBoardCollective *first = NULL;
  int n = 0, first_waiter = 0;
  for (int i = 0; i < view->n_ranks; i++)
    {
      const UrbBoardCollective *pending = find_pending (&view->ranks[i].board);
      waits[i] = i != guilty && is_active (view, i) && pending != NULL;
      n += waits[i] != 0;
      if (waits[i] && first == NULL)
        {
          first = pending;
          first_waiter = i;
        }
    }
  if (first == NULL)
    return;
  g_string_append (text, ", and ");
  append_list (text, waits, view->n_ranks);
  g_string_append (text, n == 1 ? " waits for it in " : " wait for it in ");
  append_collective (text, view, first_waiter, first);
}

/* ------------------------------------------------------------------------ */
/* Ranks that cannot arrive                                                  */

/* The first rank in one of those states; -1: none. */
static int
find_process (const UrbDoctorView *view, const char *states)
{
  for (int i = 0; i < view->n_ranks; i++)
    if (is_active (view, i) && strchr (states, view->ranks[i].process) != NULL)
      return i;
  return -1;
}

static char *
blame_process (const UrbDoctorView *view, int *guilty)
{
  int rank = find_process (view, "TtXZ");
  GString *text;
  if (rank < 0)
    return NULL;
  text = g_string_new (NULL);
  *guilty = rank;
  append_name (text, view, rank);
  if (g_ascii_tolower (view->ranks[rank].process) == 't')
    g_string_append_printf (text, " is stopped (state %c)", view->ranks[rank].process);
  else
    g_string_append (text, " is gone");
  append_waiters (text, view, rank);
  return g_string_free (text, FALSE);
}

/* ------------------------------------------------------------------------ */
/* Ranks in another collective or message                                    */

/* Commands to the other ranks are bytes and barriers, and not of the step's program. */
static gboolean
is_of_step (const UrbBoardCollective *one, gint64 step)
{
  return one->step == step && one->what.element != URB_ELEMENT_U8 && one->what.kind != URB_COLLECTIVE_BARRIER;
}

/* The operations of one step with a group, in their order.  (element-type UrbBoardCollective*) (transfer full) */
static GPtrArray *
list_step (const UrbBoardRank *rank, gint64 step, int group)
{
  GPtrArray *list = g_ptr_array_new ();
  for (int i = 0; i < rank->n_collectives; i++)
    if (rank->collectives[i].group == group && is_of_step (&rank->collectives[i], step))
      g_ptr_array_add (list, (gpointer) &rank->collectives[i]);
  return list;
}

static gboolean
is_odd_in_group (const UrbBoardRank *rank, gint64 step, gboolean is_over, int group)
{
  g_autoptr(GPtrArray) now = list_step (rank, step, group), then = list_step (rank, step - 1, group);
  for (guint i = 0; i < MIN (now->len, then->len); i++)
    if (!is_same (&((const UrbBoardCollective *) now->pdata[i])->what,
                  &((const UrbBoardCollective *) then->pdata[i])->what))
      return TRUE;
  return is_over && then->len > 0 && now->len != then->len;
}

/* Whether @step differs from the one before, as far as it has come.  Steps repeat; but groups along different axes do
 * not wait for each other, so the order between them is by chance. */
static gboolean
is_odd_step (const UrbBoardRank *rank, gint64 step, gboolean is_over)
{
  for (int group = 0; group < URB_BOARD_MAX_GROUPS; group++)
    if (is_odd_in_group (rank, step, is_over, group))
      return TRUE;
  return FALSE;
}

/* Whether the rank did something else in one of the steps that the board remembers. */
static gboolean
is_odd (const UrbBoardRank *rank)
{
  /* The first one may be incomplete. */
  gint64 first = rank->n_collectives == URB_BOARD_RING ? rank->collectives[0].step : 0, newest = 0;
  for (int i = 0; i < rank->n_collectives; i++)
    newest = MAX (newest, rank->collectives[i].step);
  for (gint64 step = newest; step - 1 > MAX (first, newest - URB_BOARD_RING); step--)
    if (is_odd_step (rank, step, step < newest))
      return TRUE;
  return FALSE;
}

/* The only rank that did; -1: none, or several. */
static int
find_odd (const UrbDoctorView *view)
{
  int odd = -1;
  for (int i = 0; i < view->n_ranks; i++)
    if (is_odd (&view->ranks[i].board))
      {
        if (odd >= 0)
          return -1;
        odd = i;
      }
  return odd;
}

/* How many ranks started the same collective as @rank there. */
static int
count_same (const UrbDoctorView *view, int rank, int group, gint64 number)
{
  const UrbBoardCollective *own = find_number (&view->ranks[rank].board, group, number);
  int n = 0;
  for (int i = 0; i < view->n_ranks; i++)
    {
      const UrbBoardCollective *other = find_number (&view->ranks[i].board, group, number);
      n += is_active (view, i) && share_group (view, rank, i, group) && other != NULL
           && is_same (&own->what, &other->what);
    }
  return n;
}

static int
count_members (const UrbDoctorView *view, int rank, int group)
{
  int n = 0;
  for (int i = 0; i < view->n_ranks; i++)
    n += share_group (view, rank, i, group);
  return n;
}

/* Which of two different ranks is wrong; -1 if unknown. */
static int
judge (const UrbDoctorView *view, int a, int b, int group, gint64 number)
{
  int n_a = count_same (view, a, group, number), n_b = count_same (view, b, group, number), odd;
  if (n_a != n_b)
    return n_a < n_b ? a : b;
  odd = find_odd (view);
  return odd == a || odd == b ? odd : -1;
}

/* Finds the first number where two ranks differ. */
static gboolean
find_difference (const UrbDoctorView *view, int *a, int *b, int *group, gint64 *number)
{
  gboolean found = FALSE;
  for (int i = 0; i < view->n_ranks; i++)
    for (int k = 0; is_active (view, i) && k < view->ranks[i].board.n_collectives; k++)
      {
        const UrbBoardCollective *one = &view->ranks[i].board.collectives[k];
        if (urb_collective_is_message (one->what.kind) || (found && one->number >= *number))
          continue;
        for (int j = i + 1; j < view->n_ranks; j++)
          {
            const UrbBoardCollective *other
              = is_active (view, j) && share_group (view, i, j, one->group)
                  ? find_number (&view->ranks[j].board, one->group, one->number)
                  : NULL;
            if (other == NULL || is_same (&one->what, &other->what))
              continue;
            *a = i;
            *b = j;
            *group = one->group;
            *number = one->number;
            found = TRUE;
            break;
          }
      }
  return found;
}

static void
append_position (GString *text, const UrbDoctorView *view, int rank, int group, gint64 number)
{
  const UrbBoardCollective *one = find_number (&view->ranks[rank].board, group, number);
  append_name (text, view, rank);
  g_string_append (text, one->finished ? " was in " : " waits in ");
  append_collective (text, view, rank, one);
}

static char *
compare_numbers (const UrbDoctorView *view, int *guilty, const char **from)
{
  int a = 0, b = 0, group = 0;
  gint64 number = 0;
  GString *text;
  if (!find_difference (view, &a, &b, &group, &number))
    return NULL;
  *guilty = judge (view, a, b, group, number);
  if (*guilty >= 0
      && count_same (view, *guilty, group, number) * 2 < count_members (view, *guilty, group))
    *from = "the others";
  text = g_string_new (NULL);
  append_position (text, view, *guilty == b ? b : a, group, number);
  g_string_append (text, ", ");
  append_position (text, view, *guilty == b ? a : b, group, number);
  g_string_append (text, ": they do not match");
  return g_string_free (text, FALSE);
}

/* Whether all ranks wait, each for one that waits for something else: none will ever come. */
static gboolean
is_deadlock (const UrbDoctorView *view)
{
  for (int waiter = 0; waiter < view->n_ranks; waiter++)
    {
      const UrbBoardCollective *wanted = find_pending (&view->ranks[waiter].board);
      gboolean is_missing = FALSE;
      if (!is_active (view, waiter) || wanted == NULL)
        return FALSE;
      for (int i = 0; i < view->n_ranks; i++)
        is_missing = is_missing || (i != waiter && needs (view, waiter, i, wanted)
                                    && !has_come (view, i, waiter, wanted));
      if (!is_missing)
        return FALSE;
    }
  return view->n_ranks > 0;
}

static char *
describe_deadlock (const UrbDoctorView *view)
{
  enum { MAX_DESCRIBED = 4 };
  GString *text;
  if (!is_deadlock (view))
    return NULL;
  text = g_string_new (NULL);
  for (int i = 0; i < MIN (view->n_ranks, MAX_DESCRIBED); i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      append_rank (text, view, i);
    }
  if (view->n_ranks > MAX_DESCRIBED)
    g_string_append_printf (text, " and so on to rank %d", view->n_ranks - 1);
  g_string_append (text, ": they wait for each other");
  return g_string_free (text, FALSE);
}

char *
urb_doctor_compare (const UrbDoctorView *view, int *guilty, const char **from)
{
  g_autofree char *text = NULL;
  *guilty = -1;
  *from = "the steps before";
  text = compare_numbers (view, guilty, from);
  if (text == NULL)
    {
      *guilty = find_odd (view);
      text = describe_deadlock (view);
    }
  if (*guilty >= 0)
    return g_strdup_printf ("%s%srank %d differs from %s", text != NULL ? text : "", text != NULL ? ", and " : "",
                            *guilty, *from);
  return g_steal_pointer (&text);
}

/* ------------------------------------------------------------------------ */
/* Ranks that are behind                                                     */

/* Of the ranks that others wait for: one that does not wait itself, and stopped moving first. */
static int
find_missing (const UrbDoctorView *view)
{
  int missing = -1;
  for (int waiter = 0; waiter < view->n_ranks; waiter++)
    {
      const UrbBoardCollective *wanted = find_pending (&view->ranks[waiter].board);
      for (int i = 0; is_active (view, waiter) && wanted != NULL && i < view->n_ranks; i++)
        {
          gboolean waits = find_pending (&view->ranks[i].board) != NULL;
          gboolean best_waits
            = missing >= 0 && find_pending (&view->ranks[missing].board) != NULL;
          if (i == waiter || !needs (view, waiter, i, wanted) || has_come (view, i, waiter, wanted))
            continue;
          if (missing < 0 || waits < best_waits
              || (waits == best_waits
                  && view->ranks[i].board.changed_us < view->ranks[missing].board.changed_us))
            missing = i;
        }
    }
  return missing;
}

static int
find_oldest (const UrbDoctorView *view)
{
  int oldest = -1;
  for (int i = 0; i < view->n_ranks; i++)
    if (is_active (view, i)
        && (oldest < 0
            || view->ranks[i].board.changed_us < view->ranks[oldest].board.changed_us))
      oldest = i;
  return oldest;
}

char *
urb_doctor_diagnose (const UrbDoctorView *view, int *guilty)
{
  char *said;
  const char *from;
  GString *text;
  int oldest;
  *guilty = -1;
  if ((said = blame_process (view, guilty)) != NULL
      || (said = urb_doctor_compare (view, guilty, &from)) != NULL)
    return said;
  *guilty = find_missing (view);
  text = g_string_new (NULL);
  oldest = find_oldest (view);
  if (*guilty >= 0)
    {
      append_rank (text, view, *guilty);
      append_waiters (text, view, *guilty);
    }
  else if (oldest < 0)
    {
      g_string_append (text, "no rank has started");
    }
  else if (find_pending (&view->ranks[oldest].board) != NULL)
    {
      g_string_append (text, "all ranks wait in ");
      append_collective (text, view, oldest, find_pending (&view->ranks[oldest].board));
      g_string_append (text, ": the connection between them does not respond");
    }
  else
    {
      *guilty = oldest;
      append_rank (text, view, oldest);
    }
  return g_string_free (text, FALSE);
}

gboolean
urb_doctor_is_certain (const UrbDoctorView *view, double *still_s)
{
  int rank = find_process (view, "TXZ"); /* a rank in a debugger ("t") will continue */
  int a, b, group;
  gint64 number, changed_us = 0;
  if (rank >= 0)
    changed_us = view->ranks[rank].board.changed_us;
  else if (!find_difference (view, &a, &b, &group, &number) && !is_deadlock (view))
    return FALSE;
  for (int i = 0; rank < 0 && i < view->n_ranks; i++)
    if (is_active (view, i))
      changed_us = MAX (changed_us, view->ranks[i].board.changed_us);
  *still_s = (double) (view->now_us - changed_us) / G_USEC_PER_SEC;
  return TRUE;
}
