/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-threads.c - ranks that are threads of one process.
 *
 * The ranks of an operation *meet*: each brings its buffers, and once all are there, the waiting
 * threads take slices of the work until none is left.  A slice is done for all ranks at once
 * (urb_collective_move()), so that sums have the same order whichever thread computes them, nothing
 * is copied twice, and the waiting ranks share the work evenly.
 *
 * Failure needs care.  A rank that returns from wait may free its buffers, so it must not return
 * while another thread works on a slice; and a meeting is done either for all of its ranks or for
 * none.  Both hold because the last slice decides, under the lock, and none is started after a
 * failure.
 *
 * Communicators that were split from one another share one lock and one failure, a *world*.
 */
#include "parallel/comm-private.h"

#include <pthread.h>
#include <string.h>

enum { MIN_SLICE = 4096, MAX_SLICE = 64 * 1024 }; /* elements */

typedef struct
{
  pthread_mutex_t lock; /* not GLib's, which hides its order from ThreadSanitizer */
  pthread_cond_t  changed;
  GError         *failure; /* owned; NULL: none */
  int             n_groups;
} World;

typedef enum { ABSENT, PRESENT, LEFT } Presence;

typedef struct
{
  /* Its key: the n-th operation of all ranks, or the n-th message from one rank to another. */
  guint64       number;
  int           from, to; /* -1: all ranks */
  UrbCollective what;     /* as described by its first rank */
  int           first;    /* that rank */
  int           n_expected, n_present, n_left;
  gint64        slice, next, n_todo; /* elements of a slice; the next slice; slices not done yet */
  int           n_busy;   /* threads working on slices */
  gboolean      ready, done;
  UrbEnds      *ends;     /* owned; (n_ranks) */
  Presence     *presence; /* owned; (n_ranks) */
} Meeting;

typedef struct
{
  World     *world;
  UrbRoster  roster;
  int        n_ranks, n_members;
  guint64   *n_started;  /* owned; (n_ranks) collectives started by each rank */
  guint64   *n_messages; /* owned; (2, n_ranks, n_ranks): messages sent, received; from, to */
  gboolean  *gone;       /* owned; (n_ranks) */
  Meeting  **blocked;    /* owned; (n_ranks) the meeting in which each rank waits without work;
                          * NULL: none */
  GPtrArray *open;       /* owned; Meeting */
  GPtrArray *spare;      /* owned; Meeting */
  gboolean  *joined;     /* owned; (n_ranks): by a member */
  int        n_joined;
  GPtrArray *forming;    /* owned; Group, borrowed: split from this one, not joined by all of their ranks yet */
} Group;

typedef struct
{
  UrbComm base;
  Group  *group;
} Member;

typedef struct
{
  UrbRequest base;
  Meeting   *meeting; /* borrowed from the group until left */
} ThreadRequest;

static const UrbCommOps threads_ops;

/* ------------------------------------------------------------------------ */
/* Groups                                                                    */

static void
meeting_free (gpointer data)
{
  Meeting *self = data;

  g_free (self->ends);
  g_free (self->presence);
  g_free (self);
}

/* Adds it to @world, under the lock if other threads know the world. */
static Group *
group_new (World *world, const UrbRoster *roster)
{
  Group *self = g_new0 (Group, 1);
  gsize n = (gsize) roster->n_ranks;

  self->world = world;
  urb_roster_copy (&self->roster, roster);
  self->n_ranks = self->n_members = roster->n_ranks;
  self->n_started = g_new0 (guint64, n);
  self->n_messages = g_new0 (guint64, 2 * n * n);
  self->gone = g_new0 (gboolean, n);
  self->blocked = g_new0 (Meeting *, n);
  self->open = g_ptr_array_new_with_free_func (meeting_free);
  self->spare = g_ptr_array_new_with_free_func (meeting_free);
  self->joined = g_new0 (gboolean, n);
  self->forming = g_ptr_array_new ();
  world->n_groups++;
  return self;
}

static UrbComm *
member_new (Group *group, int rank)
{
  Member *self = g_new0 (Member, 1);
  UrbRoster roster;

  urb_roster_copy (&roster, &group->roster);
  urb_comm_init (&self->base, &threads_ops, rank, &roster);
  self->group = group;
  return &self->base;
}

/* Takes @failure.  The first one stays.  Call it under the lock. */
static void
world_fail (World *self, GError *failure)
{
  if (self->failure == NULL)
    self->failure = failure;
  else
    g_error_free (failure);
  pthread_cond_broadcast (&self->changed);
}

static gboolean
world_check (World *self, GError **error)
{
  if (self->failure == NULL)
    return TRUE;
  if (error != NULL)
    *error = g_error_copy (self->failure);
  return FALSE;
}

/* ------------------------------------------------------------------------ */
/* Meetings, all under the lock                                              */

static gboolean
meeting_expects (Meeting *self, int rank)
{
  return self->from < 0 || self->from == rank || self->to == rank;
}

/* As @rank sees it. */
static UrbCollective
meeting_describe (Meeting *self, int rank)
{
  UrbCollective what = self->what;

  if (self->from < 0)
    return what;
  what.kind = rank == self->from ? URB_COLLECTIVE_SEND : URB_COLLECTIVE_RECV;
  what.peer = rank == self->from ? self->to : self->from;
  return what;
}

static Meeting *
group_open_meeting (Group *self, guint64 number, int from, int to)
{
  Meeting *meeting;

  if (self->spare->len > 0)
    meeting = g_ptr_array_steal_index_fast (self->spare, self->spare->len - 1);
  else
    {
      meeting = g_new0 (Meeting, 1);
      meeting->ends = g_new0 (UrbEnds, (gsize) self->n_ranks);
      meeting->presence = g_new0 (Presence, (gsize) self->n_ranks);
    }
  meeting->number = number;
  meeting->from = from;
  meeting->to = to;
  meeting->n_expected = from < 0 ? self->n_ranks : 2;
  meeting->n_present = meeting->n_left = meeting->n_busy = 0;
  meeting->ready = meeting->done = FALSE;
  memset (meeting->presence, 0, (gsize) self->n_ranks * sizeof *meeting->presence);
  g_ptr_array_add (self->open, meeting);
  return meeting;
}

/* Finds or makes the meeting of @rank's operation @what, and counts it as started. */
static Meeting *
group_find_meeting (Group *self, int rank, const UrbCollective *what)
{
  int from = -1, to = -1;
  guint64 number;

  if (urb_collective_is_message (what->kind))
    {
      gboolean receives = what->kind == URB_COLLECTIVE_RECV;
      from = receives ? what->peer : rank;
      to = receives ? rank : what->peer;
      number = self->n_messages[(receives * self->n_ranks + from) * self->n_ranks + to]++;
    }
  else
    number = self->n_started[rank]++;
  for (guint i = 0; i < self->open->len; i++)
    {
      Meeting *meeting = self->open->pdata[i];
      if (meeting->number == number && meeting->from == from && meeting->to == to)
        return meeting;
    }
  return group_open_meeting (self, number, from, to);
}

static gboolean
meeting_agrees (Meeting *self, const UrbCollective *what)
{
  if (self->from >= 0)
    return self->what.element == what->element && self->what.count == what->count;
  return urb_collective_equal (&self->what, what);
}

/* All ranks are there. */
static void
meeting_begin (Meeting *self, int n_ranks)
{
  gint64 count = self->what.kind == URB_COLLECTIVE_BARRIER ? 0 : self->what.count;

  self->slice = CLAMP (count / (4 * n_ranks), MIN_SLICE, MAX_SLICE);
  self->n_todo = (count + self->slice - 1) / self->slice;
  self->next = 0;
  self->ready = TRUE;
  self->done = self->n_todo == 0;
}

static GError *
new_gone_error (const UrbRoster *roster, int rank, Meeting *meeting, int waiting)
{
  UrbCollective what = meeting_describe (meeting, waiting);
  g_autofree char *text = urb_roster_describe (roster, &what);

  return g_error_new (URB_COMM_ERROR, URB_COMM_ERROR_ABORTED, "Rank %d has left while rank %d is in %s",
                      urb_roster_get_number (roster, rank), urb_roster_get_number (roster, waiting), text);
}

static gboolean
meeting_can_happen (Group *group, Meeting *self, int rank)
{
  for (int r = 0; r < group->n_ranks; r++)
    if (group->gone[r] && meeting_expects (self, r) && self->presence[r] == ABSENT)
      {
        world_fail (group->world, new_gone_error (&group->roster, r, self, rank));
        return FALSE;
      }
  return TRUE;
}

/* If every rank waits for ranks that wait elsewhere, none will ever come. */
static void
group_check_deadlock (Group *self)
{
  GString *text;

  for (int r = 0; r < self->n_ranks; r++)
    if (!self->gone[r] && (self->blocked[r] == NULL || self->blocked[r]->ready))
      return;
  text = g_string_new ("The ranks wait for each other: ");
  for (int r = 0, n = 0; r < self->n_ranks; r++)
    if (!self->gone[r])
      {
        UrbCollective what = meeting_describe (self->blocked[r], r);
        g_autofree char *where = urb_roster_describe (&self->roster, &what);
        g_string_append_printf (text, "%srank %d is in %s", n++ > 0 ? ", " : "",
                                urb_roster_get_number (&self->roster, r), where);
      }
  world_fail (self->world, g_error_new_literal (URB_COMM_ERROR, URB_COMM_ERROR_MISMATCH,
                                                text->str));
  g_string_free (text, TRUE);
}

static void
group_leave_meeting (Group *self, Meeting *meeting, int rank)
{
  meeting->presence[rank] = LEFT;
  if (++meeting->n_left < meeting->n_expected)
    return;
  g_ptr_array_add (self->spare, meeting);
  for (guint i = 0; i < self->open->len; i++)
    if (self->open->pdata[i] == meeting)
      {
        g_ptr_array_steal_index_fast (self->open, i);
        return;
      }
}

/* ------------------------------------------------------------------------ */
/* Operations                                                                */

static gboolean
threads_start (UrbComm *comm, UrbRequest *request, GError **error)
{
  Group *group = ((Member *) comm)->group;
  World *world = group->world;
  int rank = comm->rank;
  Meeting *meeting;
  gboolean ok;

  pthread_mutex_lock (&world->lock);
  ok = world_check (world, error);
  if (ok)
    {
      meeting = group_find_meeting (group, rank, &request->what);
      if (meeting->n_present == 0)
        {
          meeting->what = request->what;
          meeting->first = rank;
        }
      if (meeting_agrees (meeting, &request->what))
        meeting_can_happen (group, meeting, rank);
      else
        {
          UrbCollective theirs = meeting_describe (meeting, meeting->first);
          GError *failure = NULL;
          urb_roster_set_mismatch (&group->roster, &failure, rank, &request->what, meeting->first, &theirs);
          world_fail (world, failure);
        }
      ok = world_check (world, error);
    }
  if (ok)
    {
      meeting->ends[rank] = (UrbEnds) { request->in, request->out };
      meeting->presence[rank] = PRESENT;
      ((ThreadRequest *) request)->meeting = meeting;
      if (++meeting->n_present == meeting->n_expected)
        {
          meeting_begin (meeting, group->n_ranks);
          pthread_cond_broadcast (&world->changed);
        }
    }
  pthread_mutex_unlock (&world->lock);
  return ok;
}

static void
move_slice (Meeting *self, int n_ranks, gint64 slice)
{
  gint64 begin = slice * self->slice, end = MIN (begin + self->slice, self->what.count);

  if (self->from >= 0)
    {
      gint64 size = (gint64) urb_element_get_size (self->what.element);
      memcpy ((char *) self->ends[self->to].out + begin * size,
              (const char *) self->ends[self->from].in + begin * size,
              (gsize) ((end - begin) * size));
    }
  else
    urb_collective_move (&self->what, n_ranks, self->ends, begin, end);
}

/* Does a slice, if there is one, without the lock meanwhile. */
static gboolean
work (Group *group, Meeting *meeting)
{
  World *world = group->world;
  gint64 slice;

  if (world->failure != NULL || !meeting->ready
      || meeting->next * meeting->slice >= meeting->what.count)
    return FALSE;
  slice = meeting->next++;
  meeting->n_busy++;
  pthread_mutex_unlock (&world->lock);
  move_slice (meeting, group->n_ranks, slice);
  pthread_mutex_lock (&world->lock);
  meeting->n_busy--;
  meeting->done = --meeting->n_todo == 0;
  if (meeting->done || world->failure != NULL)
    pthread_cond_broadcast (&world->changed);
  return TRUE;
}

static gboolean
threads_wait (UrbComm *comm, UrbRequest *request, GError **error)
{
  Group *group = ((Member *) comm)->group;
  Meeting *meeting = ((ThreadRequest *) request)->meeting;
  World *world = group->world;
  gboolean ok;

  pthread_mutex_lock (&world->lock);
  while (!meeting->done && (world->failure == NULL || meeting->n_busy > 0))
    if (!work (group, meeting))
      {
        group->blocked[comm->rank] = meeting;
        if (world->failure == NULL)
          group_check_deadlock (group);
        /* A deadlock found just now has woken the others, not this thread. */
        if (world->failure == NULL || meeting->n_busy > 0)
          pthread_cond_wait (&world->changed, &world->lock);
        group->blocked[comm->rank] = NULL;
      }
  ok = meeting->done || world_check (world, error);
  group_leave_meeting (group, meeting, comm->rank);
  pthread_mutex_unlock (&world->lock);
  return ok;
}

static gboolean
threads_check (UrbComm *comm, GError **error)
{
  World *world = ((Member *) comm)->group->world;
  gboolean ok;

  pthread_mutex_lock (&world->lock);
  ok = world_check (world, error);
  pthread_mutex_unlock (&world->lock);
  return ok;
}

static void
threads_abort (UrbComm *comm, const char *why)
{
  World *world = ((Member *) comm)->group->world;

  pthread_mutex_lock (&world->lock);
  world_fail (world, g_error_new (URB_COMM_ERROR, URB_COMM_ERROR_ABORTED, "Rank %d gave up: %s",
                                  urb_roster_get_number (&comm->roster, comm->rank), why));
  pthread_mutex_unlock (&world->lock);
}

static void
group_free (Group *self)
{
  g_ptr_array_unref (self->open);
  g_ptr_array_unref (self->spare);
  g_ptr_array_unref (self->forming);
  g_free (self->joined);
  urb_roster_clear (&self->roster);
  g_free (self->blocked);
  g_free (self->gone);
  g_free (self->n_messages);
  g_free (self->n_started);
  g_free (self);
}

/* The group of @roster that @rank has not joined yet: ranks split in the same order, so the oldest one.  Under the
 * lock. */
static Group *
group_find_forming (Group *self, const UrbRoster *roster, int rank)
{
  Group *made;

  for (guint i = 0; i < self->forming->len; i++)
    {
      made = self->forming->pdata[i];
      if (made->n_ranks == roster->n_ranks && !made->joined[rank]
          && memcmp (made->roster.numbers, roster->numbers, (gsize) roster->n_ranks * sizeof (int)) == 0)
        return made;
    }
  made = group_new (self->world, roster);
  g_ptr_array_add (self->forming, made);
  return made;
}

/* Under the lock. */
static void
group_join (Group *self, Group *made, int rank)
{
  made->joined[rank] = TRUE;
  if (++made->n_joined == made->n_ranks)
    g_ptr_array_remove (self->forming, made);
}

/* The barrier succeeds for all ranks or for none, and joining cannot fail.  No pointer goes through an operation:
 * what a rank of another process brings to one is not known to come from here. */
static UrbComm *
threads_split (UrbComm *comm, const UrbSplit *how, GError **error)
{
  const UrbCollective barrier = { .kind = URB_COLLECTIVE_BARRIER };
  Group *group = ((Member *) comm)->group, *made;
  g_auto(UrbRoster) roster = { 0 };
  int rank;

  if (!urb_comm_find_group (comm, how, &rank, &roster, error)
      || !urb_comm_run (comm, &barrier, NULL, NULL, error))
    return NULL;
  pthread_mutex_lock (&group->world->lock);
  made = group_find_forming (group, &roster, rank);
  group_join (group, made, rank);
  pthread_mutex_unlock (&group->world->lock);
  return member_new (made, rank);
}

/* ------------------------------------------------------------------------ */
/* The end                                                                   */

static Meeting *
group_find_presence (Group *self, int rank)
{
  for (guint i = 0; i < self->open->len; i++)
    {
      Meeting *meeting = self->open->pdata[i];
      if (meeting->presence[rank] == PRESENT)
        return meeting;
    }
  return NULL;
}

/* @rank has left: ranks that wait for it must know, and its buffers must not be used. */
static void
group_part_with (Group *self, int rank)
{
  Meeting *meeting;

  self->gone[rank] = TRUE;
  for (guint i = 0; i < self->open->len; i++)
    {
      meeting = self->open->pdata[i];
      if (meeting_expects (meeting, rank) && !meeting->done && meeting->presence[rank] != LEFT)
        world_fail (self->world, new_gone_error (&self->roster, rank, meeting, meeting->first));
    }
  while ((meeting = group_find_presence (self, rank)) != NULL)
    {
      while (meeting->n_busy > 0)
        pthread_cond_wait (&self->world->changed, &self->world->lock);
      group_leave_meeting (self, meeting, rank);
    }
}

/* A rank of another process may leave before it joined what it split.  Under the lock. */
static void
group_leave (Group *self, int rank)
{
  int number = urb_roster_get_number (&self->roster, rank);

  group_part_with (self, rank);
  for (guint i = self->forming->len; i-- > 0;)
    {
      Group *made = self->forming->pdata[i];

      for (int r = 0; r < made->n_ranks; r++)
        if (made->roster.numbers[r] == number && !made->joined[r])
          {
            group_join (self, made, r);
            group_leave (made, r);
            break;
          }
    }
  if (--self->n_members > 0)
    return;
  self->world->n_groups--;
  group_free (self);
}

static void
threads_free (UrbComm *comm)
{
  Group *group = ((Member *) comm)->group;
  World *world = group->world;
  gboolean is_last;

  pthread_mutex_lock (&world->lock);
  group_leave (group, comm->rank);
  is_last = world->n_groups == 0;
  pthread_mutex_unlock (&world->lock);
  if (is_last)
    {
      g_clear_error (&world->failure);
      pthread_mutex_destroy (&world->lock);
      pthread_cond_destroy (&world->changed);
      g_free (world);
    }
}

static const UrbCommOps threads_ops = {
  .name = "threads",
  .request_size = sizeof (ThreadRequest),
  .start = threads_start,
  .wait = threads_wait,
  .split = threads_split,
  .abort = threads_abort,
  .check = threads_check,
  .free = threads_free,
};

void
urb_comm_new_threads (int n_ranks, UrbComm **comms)
{
  World *world;
  Group *group;

  g_return_if_fail (n_ranks > 0 && comms != NULL);
  world = g_new0 (World, 1);
  pthread_mutex_init (&world->lock, NULL);
  pthread_cond_init (&world->changed, NULL);
  group = group_new (world, &(UrbRoster) { .n_ranks = n_ranks });
  for (int r = 0; r < n_ranks; r++)
    comms[r] = member_new (group, r);
}
