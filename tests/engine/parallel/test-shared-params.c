/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-shared-params.c - tickets, holds and records of asynchronous workers,
 * ways to share a segment, and invalid segments.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parallel/shared-params-private.h"

static UrbSharedLayout
small_layout (void)
{
  UrbSharedLayout layout = { 0 };

  layout.n_bytes[URB_SHARED_G][URB_SHARED_PARAMS] = 4000;
  layout.n_bytes[URB_SHARED_D][URB_SHARED_PARAMS] = 100;
  layout.n_bytes[URB_SHARED_D][URB_SHARED_MOMENT2] = 64;
  memset (layout.hash, 7, sizeof layout.hash);
  return layout;
}

static UrbSharedParams *
new_ready (int n_workers, gint64 n_done, gint64 n_steps)
{
  UrbSharedParams *self = urb_shared_params_new_heap (n_workers);

  for (int rank = 0; rank < n_workers; rank++)
    g_assert_true (urb_shared_params_join (self, rank, NULL));
  urb_shared_params_set_ready (self, n_done, n_steps);
  return self;
}

/* ------------------------------------------------------------------------ */

static void
test_tickets (void)
{
  g_autoptr(UrbSharedParams) self = new_ready (2, 5, 8);
  g_autoptr(GError) error = NULL;

  g_assert_cmpint (urb_shared_params_take (self, 0, 0), ==, 5);
  g_assert_cmpint (urb_shared_params_take (self, 1, 0), ==, 6);
  g_assert_cmpint (urb_shared_params_finish (self, 1), ==, 6);
  g_assert_cmpint (urb_shared_params_take (self, 1, 0), ==, 7);
  /* A returned ticket is given out again. */
  urb_shared_params_give_up (self, 0);
  g_assert_cmpint (urb_shared_params_get_n_lost (self), ==, 1);
  g_assert_cmpint (urb_shared_params_take (self, 0, 0), ==, 5);
  g_assert_cmpint (urb_shared_params_finish (self, 0), ==, 7);
  g_assert_cmpint (urb_shared_params_finish (self, 1), ==, 8);
  g_assert_cmpint (urb_shared_params_take (self, 0, 0), ==, -1);
  g_assert_cmpint (urb_shared_params_take (self, 1, 0), ==, -1);
  g_assert_cmpint (urb_shared_params_get_n_done (self), ==, 8);

  g_assert_false (urb_shared_params_join (self, 1, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  urb_shared_params_leave (self, 1);
  g_assert_true (urb_shared_params_join (self, 1, NULL));
}

/* Lost tickets are given out before new ones, to any worker. */
static void
test_lost_numbers (void)
{
  g_autoptr(UrbSharedParams) self = new_ready (3, 0, 5);

  for (int rank = 0; rank < 3; rank++)
    g_assert_cmpint (urb_shared_params_take (self, rank, 0), ==, rank);
  urb_shared_params_leave (self, 1);
  urb_shared_params_give_up (self, 2);
  g_assert_cmpint (urb_shared_params_finish (self, 0), ==, 1);
  g_assert_cmpint (urb_shared_params_take (self, 0, 0), ==, 1); /* of the worker that left */
  urb_shared_params_give_up (self, 0);
  g_assert_true (urb_shared_params_join (self, 1, NULL));
  g_assert_cmpint (urb_shared_params_take (self, 1, 0), ==, 2);
  g_assert_cmpint (urb_shared_params_take (self, 2, 0), ==, 1);
  g_assert_cmpint (urb_shared_params_take (self, 0, 0), ==, 3);
  g_assert_cmpint (urb_shared_params_get_n_lost (self), ==, 3);
  /* Tickets lost before a restart are given out after it. */
  for (int rank = 0; rank < 3; rank++)
    urb_shared_params_give_up (self, rank);
  urb_shared_params_set_ready (self, 3, 5);
  g_assert_cmpint (urb_shared_params_take (self, 2, 0), ==, 3);
  g_assert_cmpint (urb_shared_params_take (self, 1, 0), ==, 4);
}

/* Killed while counting a step: done or not done, but not lost, and the others finish. */
static void
test_killed_ending (gconstpointer was_counted)
{
  g_autoptr(UrbSharedParams) self = new_ready (2, 0, 4);
  UrbSharedEntry *dead = &self->entries[1];
  int n_more = 0;

  self->entries[0].pid = 1; /* two processes */
  g_assert_cmpint (urb_shared_params_take (self, 1, 0), ==, 0);
  dead->state = URB_SHARED_ENDING;
  if (was_counted != NULL)
    self->head->done += 1;
  g_assert_cmpint (urb_shared_params_reap (self, (gint64) dead->pid), ==, 0);
  g_assert_cmpint (urb_shared_params_get_n_lost (self), ==, 0);
  for (gint64 number; (number = urb_shared_params_take (self, 0, 0)) >= 0; n_more++)
    {
      g_assert_cmpint (number, ==, MIN (n_more + 1, 3)); /* never the dead worker's */
      urb_shared_params_finish (self, 0);
    }
  g_assert_cmpint (n_more, ==, was_counted != NULL ? 3 : 4);
  g_assert_cmpint (urb_shared_params_get_n_done (self), ==, 4);
}

/* Whatever another process writes there, a worker gets a number below n_steps, and does not
 * hang. */
static void
test_hostile_tickets (void)
{
  static const guint64 tickets[] = { 2, 3, 1, G_MAXUINT64, G_MAXUINT64 - 1, 1000 };
  g_autoptr(UrbSharedParams) self = new_ready (2, 0, 9);

  for (gsize i = 0; i < G_N_ELEMENTS (tickets); i++)
    {
      gint64 number;

      self->entries[0].ticket = self->entries[1].ticket = tickets[i];
      self->head->started = i % 2 == 0 ? 9 : G_MAXUINT64;
      number = urb_shared_params_take (self, 0, 0);
      g_assert_cmpint (number, >=, 0);
      g_assert_cmpint (number, <, 9);
      urb_shared_params_finish (self, 0);
    }
}

/* ------------------------------------------------------------------------ */
/* Many threads                                                              */

enum { N_THREADS = 6, N_STEPS = 3000 };

typedef struct
{
  UrbSharedParams *shared;
  int              rank, staleness;
  gint             *numbers; /* (N_STEPS + 1), atomic: how often each was returned */
  gint             *tickets; /* (N_STEPS), atomic: how often each was done */
  gint             *n_inside; /* atomic */
} Racer;

static gpointer
race (gpointer data)
{
  Racer *self = data;

  for (gint64 ticket, done;
       (ticket = urb_shared_params_take (self->shared, self->rank, self->staleness)) >= 0;)
    {
      g_assert_cmpint (ticket, <, N_STEPS);
      g_atomic_int_inc (&self->tickets[ticket]);

      g_atomic_int_inc (self->n_inside);
      urb_shared_params_begin_read (self->shared, self->rank, URB_SHARED_D);
      if (self->rank == 0)
        g_usleep (20); /* the slowest */
      urb_shared_params_begin_publish (self->shared, self->rank, URB_SHARED_D);
      for (int slice = 0; slice < URB_SHARED_MAX_SLICES; slice++)
        urb_shared_params_feed_canary (self->shared, self->rank, URB_SHARED_D, slice);
      urb_shared_params_end_publish (self->shared, self->rank, URB_SHARED_D);
      g_atomic_int_add (self->n_inside, -1);
      done = urb_shared_params_finish (self->shared, self->rank);
      g_assert_cmpint (done, >, 0);
      g_assert_cmpint (done, <=, N_STEPS);
      g_atomic_int_inc (&self->numbers[done]);
      if (done % 7 == 0) /* some steps fail; other workers do the last ones */
        {
          if (urb_shared_params_take (self->shared, self->rank, self->staleness) >= 0)
            urb_shared_params_give_up (self->shared, self->rank);
        }
    }
  urb_shared_params_leave (self->shared, self->rank);
  return NULL;
}

static void
check_records (UrbSharedParams *shared)
{
  gint64 publishes = 0;

  for (int rank = 0; rank < N_THREADS; rank++)
    {
      UrbSharedRecord record;
      gint64 sum = 0;

      urb_shared_params_get_record (shared, rank, URB_SHARED_D, &record);
      for (int i = 0; i <= URB_SHARED_MAX_LAG; i++)
        sum += record.lags[i];
      g_assert_cmpint (sum, ==, record.n_publishes);
      g_assert_cmpint (record.n_overlapped, <=, record.n_publishes);
      publishes += record.n_publishes;
    }
  g_assert_cmpint (publishes, ==, N_STEPS);
}

/* Exactly n_steps steps, each number once, whichever worker fails or overtakes another. */
static void
test_race (gconstpointer staleness)
{
  g_autoptr(UrbSharedParams) shared = new_ready (N_THREADS, 0, N_STEPS);
  g_autofree gint *numbers = g_new0 (gint, N_STEPS + 1), *tickets = g_new0 (gint, N_STEPS);
  Racer racers[N_THREADS];
  GThread *threads[N_THREADS];
  gint n_inside = 0;

  for (int i = 0; i < N_THREADS; i++)
    {
      racers[i] = (Racer) { shared, i, GPOINTER_TO_INT (staleness), numbers, tickets, &n_inside };
      threads[i] = g_thread_new ("racer", race, &racers[i]);
    }
  /* Held workers do no steps. */
  for (int i = 0; i < 20; i++)
    {
      gint64 done;

      /* Rank N_THREADS does no steps, but may hold the others. */
      g_assert_true (urb_shared_params_hold (shared, N_THREADS, 30, NULL));
      g_assert_cmpint (g_atomic_int_get (&n_inside), ==, 0);
      done = urb_shared_params_get_n_done (shared);
      g_usleep (2000);
      g_assert_cmpint (urb_shared_params_get_n_done (shared), ==, done);
      g_assert_cmpint (g_atomic_int_get (&n_inside), ==, 0);
      urb_shared_params_release (shared, N_THREADS);
    }
  for (int i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (urb_shared_params_get_n_done (shared), ==, N_STEPS);
  for (int i = 1; i <= N_STEPS; i++)
    {
      g_assert_cmpint (numbers[i], ==, 1);
      g_assert_cmpint (tickets[i - 1], ==, 1);
    }
  check_records (shared);
  g_assert_cmpfloat (urb_shared_params_get_lost_share (shared, URB_SHARED_D), >=, 0);
  g_assert_cmpfloat (urb_shared_params_get_lost_share (shared, URB_SHARED_D), <, 1);
  if (GPOINTER_TO_INT (staleness) > 0)
    g_assert_cmpint (urb_shared_params_get_max_lead (shared), <=, GPOINTER_TO_INT (staleness));
}

/* Without a bound, one worker does all steps while the other does none; with a bound it waits for
 * the other until that one is gone. */
static gpointer
run_ahead (gpointer shared)
{
  while (urb_shared_params_take (shared, 1, 3) >= 0)
    urb_shared_params_finish (shared, 1);
  return NULL;
}

static void
test_bound (void)
{
  g_autoptr(UrbSharedParams) shared = new_ready (2, 0, 50);
  GThread *thread = g_thread_new ("ahead", run_ahead, shared);

  while (urb_shared_params_get_n_done (shared) < 3)
    g_usleep (1000);
  g_usleep (20000);
  g_assert_cmpint (urb_shared_params_get_n_done (shared), ==, 3);
  g_assert_cmpint (urb_shared_params_take (shared, 0, 3), >=, 0);
  urb_shared_params_finish (shared, 0);
  while (urb_shared_params_get_n_done (shared) < 5)
    g_usleep (1000);
  g_assert_cmpint (urb_shared_params_get_max_lead (shared), ==, 3);
  urb_shared_params_leave (shared, 0);
  g_thread_join (thread);
  g_assert_cmpint (urb_shared_params_get_n_done (shared), ==, 50);
}

static void
test_close (void)
{
  g_autoptr(UrbSharedParams) shared = new_ready (2, 0, 1);
  GThread *thread;

  g_assert_cmpint (urb_shared_params_take (shared, 0, 0), ==, 0);
  thread = g_thread_new ("waiting", run_ahead, shared); /* the only step is rank 0's */
  g_usleep (10000);
  urb_shared_params_close (shared);
  g_thread_join (thread);
  g_assert_cmpint (urb_shared_params_get_n_done (shared), ==, 0);
}

static void
test_hold_times_out (void)
{
  g_autoptr(UrbSharedParams) shared = new_ready (2, 0, 9);
  g_autoptr(GError) error = NULL;

  g_assert_cmpint (urb_shared_params_take (shared, 1, 0), ==, 0);
  g_assert_false (urb_shared_params_hold (shared, 0, 0, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT);
  urb_shared_params_finish (shared, 1);
  g_assert_cmpint (urb_shared_params_take (shared, 1, 0), ==, 1); /* may go on */
  urb_shared_params_finish (shared, 1);
  g_clear_error (&error);
  g_assert_false (urb_shared_params_hold (shared, 0, 0, &error)); /* not reported yet */
  urb_shared_params_rest (shared, 1);
  g_assert_true (urb_shared_params_hold (shared, 0, 0, NULL));
}

static void
test_record (void)
{
  g_autoptr(UrbSharedParams) self = new_ready (2, 0, 9);
  g_autofree char *json = NULL, *none = urb_shared_params_dup_text (self), *text = NULL;
  UrbSharedRecord record;

  g_assert_nonnull (strstr (none, "none was made"));

  urb_shared_params_begin_read (self, 0, URB_SHARED_G);
  urb_shared_params_begin_read (self, 1, URB_SHARED_G);
  urb_shared_params_begin_publish (self, 1, URB_SHARED_G);
  urb_shared_params_feed_canary (self, 1, URB_SHARED_G, 0);
  urb_shared_params_end_publish (self, 1, URB_SHARED_G);
  urb_shared_params_begin_publish (self, 0, URB_SHARED_G); /* one late */
  urb_shared_params_begin_read (self, 1, URB_SHARED_G);
  urb_shared_params_begin_publish (self, 1, URB_SHARED_G); /* beside it */
  urb_shared_params_end_publish (self, 1, URB_SHARED_G);
  urb_shared_params_end_publish (self, 0, URB_SHARED_G);
  urb_shared_params_get_record (self, 0, URB_SHARED_G, &record);
  g_assert_cmpint (record.n_publishes, ==, 1);
  g_assert_cmpint (record.n_overlapped, ==, 1);
  g_assert_cmpint (record.lags[1], ==, 1);
  urb_shared_params_get_record (self, 1, URB_SHARED_G, &record);
  g_assert_cmpint (record.n_publishes, ==, 2);
  g_assert_cmpint (record.n_overlapped, ==, 1);
  g_assert_cmpint (record.lags[0], ==, 2);
  urb_shared_params_get_record (self, 1, URB_SHARED_D, &record);
  g_assert_cmpint (record.n_publishes, ==, 0);
  g_assert_cmpfloat (urb_shared_params_get_lost_share (self, URB_SHARED_G), ==, 0);
  json = urb_shared_params_dup_json (self);
  text = urb_shared_params_dup_text (self);
  g_assert_nonnull (strstr (text, "0: 66.7 %, 1: 33.3 %; 66.7 % of the updates overlapped "
                                  "another one"));
  g_assert_nonnull (strstr (json, "\"publishes\":2,\"overlapped\":1,\"staleness\":[2,0"));
}

/* ------------------------------------------------------------------------ */
/* Processes                                                                 */

static UrbSharedParams *
open_like (UrbSharedParams *maker, GError **error)
{
  const char *name = urb_shared_params_get_name (maker);

  return name != NULL ? urb_shared_params_open_name (name, error)
                      : urb_shared_params_open_fd (urb_shared_params_get_fd (maker), error);
}

static UrbSharedParams *
make (gconstpointer sharing, int n_workers)
{
  g_autoptr(GError) error = NULL;
  UrbSharedParams *self = g_str_equal (sharing, "memfd")
                            ? urb_shared_params_new_memfd (n_workers, &error)
                            : urb_shared_params_new_named (n_workers, &error);

  g_assert_no_error (error);
  return self;
}

/* The child takes a step, reports that, and hangs. */
static void
be_killed (UrbSharedParams *maker, int fd)
{
  UrbSharedLayout layout = small_layout ();
  UrbSharedParams *self = open_like (maker, NULL);
  float *g;

  if (self == NULL || !urb_shared_params_map (self, 1, &layout, NULL)
      || !urb_shared_params_join (self, 1, NULL)
      || !urb_shared_params_wait_until_ready (self, 30, NULL)
      || urb_shared_params_take (self, 1, 0) != 4)
    _exit (1);
  g = urb_shared_params_get_block (self, URB_SHARED_G, URB_SHARED_PARAMS);
  g[999] += 1;
  urb_shared_params_begin_publish (self, 1, URB_SHARED_G);
  if (write (fd, "x", 1) != 1)
    _exit (1);
  for (;;)
    pause ();
}

static void
do_steps (UrbSharedParams *self, int rank, gint64 first)
{
  for (gint64 number; (number = urb_shared_params_take (self, rank, 1)) >= 0; first++)
    {
      g_assert_cmpint (number, ==, first);
      urb_shared_params_begin_publish (self, rank, URB_SHARED_G);
      urb_shared_params_end_publish (self, rank, URB_SHARED_G);
      urb_shared_params_finish (self, rank);
    }
}

static void
test_killed_worker (gconstpointer sharing)
{
  g_autoptr(UrbSharedParams) maker = make (sharing, 2);
  g_autoptr(UrbSharedParams) first = open_like (maker, NULL);
  UrbSharedLayout layout = small_layout ();
  UrbSharedRecord record;
  int ends[2], status;
  char byte;
  float *g;
  pid_t pid;

  g_assert_cmpint (pipe (ends), ==, 0);
  pid = fork ();
  if (pid == 0)
    be_killed (maker, ends[1]);
  g_assert_true (urb_shared_params_map (first, 0, &layout, NULL));
  g_assert_true (urb_shared_params_join (first, 0, NULL));
  g = urb_shared_params_get_block (first, URB_SHARED_G, URB_SHARED_PARAMS);
  g[999] = 41;
  g_assert_false (urb_shared_params_is_ready (maker));
  urb_shared_params_set_ready (first, 4, 6);
  g_assert_cmpint (read (ends[0], &byte, 1), ==, 1);
  g_assert_cmpfloat (g[999], ==, 42); /* the same memory */

  g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFSIGNALED (status));
  g_assert_cmpint (urb_shared_params_reap (maker, pid), ==, 1);
  g_assert_cmpint (urb_shared_params_reap (maker, pid), ==, 0);
  g_assert_cmpint (urb_shared_params_get_n_lost (maker), ==, 1);
  /* The other worker continues: it waits for no one, even with a bound of one step, is not blocked
   * by an unfinished publish, and does the step of the dead one. */
  do_steps (first, 0, 4);
  g_assert_cmpint (urb_shared_params_get_n_done (maker), ==, 6);
  urb_shared_params_get_record (maker, 0, URB_SHARED_G, &record);
  g_assert_cmpint (record.n_publishes, ==, 2);
  g_assert_cmpint (record.n_overlapped, ==, 0);
  /* A successor takes its place. */
  g_assert_true (urb_shared_params_join (first, 1, NULL));
  g_assert_cmpint (urb_shared_params_take (first, 1, 1), ==, -1);
  close (ends[0]);
  close (ends[1]);
}

/* A restarted first worker finds what the dead one left. */
static void
test_first_again (gconstpointer sharing)
{
  g_autoptr(UrbSharedParams) maker = make (sharing, 2);
  UrbSharedParams *first = open_like (maker, NULL);
  UrbSharedLayout layout = small_layout (), other = small_layout ();
  g_autoptr(GError) error = NULL;
  float *m;

  g_assert_true (urb_shared_params_map (first, 0, &layout, NULL));
  m = urb_shared_params_get_block (first, URB_SHARED_D, URB_SHARED_MOMENT2);
  m[0] = 5;
  g_assert_null (urb_shared_params_get_block (first, URB_SHARED_G, URB_SHARED_EMA));
  urb_shared_params_free (first);

  first = open_like (maker, NULL); /* before the parameters were ready: it starts over */
  g_assert_true (urb_shared_params_map (first, 0, &layout, NULL));
  m = urb_shared_params_get_block (first, URB_SHARED_D, URB_SHARED_MOMENT2);
  g_assert_cmpfloat (m[0], ==, 0);
  m[0] = 6;
  urb_shared_params_set_ready (first, 0, 9);
  urb_shared_params_free (first);

  first = open_like (maker, NULL); /* after that: a worker like any other */
  g_assert_true (urb_shared_params_map (first, 0, &layout, NULL));
  m = urb_shared_params_get_block (first, URB_SHARED_D, URB_SHARED_MOMENT2);
  g_assert_cmpfloat (m[0], ==, 6);
  urb_shared_params_free (first);

  other.hash[31] ^= 1;
  first = open_like (maker, NULL);
  g_assert_false (urb_shared_params_map (first, 1, &other, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  urb_shared_params_free (first);
}

/* ------------------------------------------------------------------------ */
/* Invalid segments */

static int
memory_file (gsize n_bytes, gboolean sealed, const void *head, gsize n_head)
{
  int fd = memfd_create ("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  g_assert_cmpint (ftruncate (fd, (off_t) n_bytes), ==, 0);
  g_assert_cmpint (pwrite (fd, head, n_head, 0), ==, (gssize) n_head);
  if (sealed)
    g_assert_cmpint (fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK), ==, 0);
  return fd;
}

static void
assert_refused (int fd)
{
  g_autoptr(GError) error = NULL;

  g_assert_null (urb_shared_params_open_fd (fd, &error));
  g_assert_nonnull (error);
  g_assert_true (error->domain == G_FILE_ERROR);
  if (fd >= 0)
    close (fd);
}

static void
test_hostile (void)
{
  g_autoptr(UrbSharedParams) maker = make ("memfd", 2);
  guint64 head[2];
  gsize n_bytes;
  struct stat info;
  int ends[2];

  g_assert_cmpint (fstat (urb_shared_params_get_fd (maker), &info), ==, 0);
  n_bytes = (gsize) info.st_size;
  g_assert_cmpint (pread (urb_shared_params_get_fd (maker), head, sizeof head, 0), ==, sizeof head);

  g_assert_cmpint (pipe (ends), ==, 0);
  close (ends[0]);
  assert_refused (-1);
  assert_refused (ends[1]);
  assert_refused (open ("/dev/null", O_RDWR));
  assert_refused (memory_file (n_bytes, FALSE, head, sizeof head)); /* may be truncated later */
  assert_refused (memory_file (sizeof head, TRUE, head, sizeof head));
  assert_refused (memory_file (0, TRUE, head, 0));
  head[1] = 5000;
  assert_refused (memory_file (n_bytes, TRUE, head, sizeof head));
  head[1] = 0;
  assert_refused (memory_file (n_bytes, TRUE, head, sizeof head));
  head[1] = URB_SHARED_MAX_WORKERS; /* larger than the file */
  assert_refused (memory_file (n_bytes, TRUE, head, sizeof head));
  head[1] = 2;
  head[0]++;
  assert_refused (memory_file (n_bytes, TRUE, head, sizeof head));
  head[0]--;
  close (memory_file (n_bytes, TRUE, head, sizeof head)); /* a valid one: */
  {
    int fd = memory_file (n_bytes, TRUE, head, sizeof head);
    g_autoptr(UrbSharedParams) good = urb_shared_params_open_fd (fd, NULL);

    g_assert_nonnull (good);
    close (fd);
  }
}

/* Blocks that the header claims, but that do not exist. */
static void
test_cut_short (void)
{
  g_autoptr(UrbSharedParams) maker = make ("named", 2);
  g_autoptr(UrbSharedParams) first = open_like (maker, NULL), second = open_like (maker, NULL);
  UrbSharedLayout layout = small_layout ();
  g_autoptr(GError) error = NULL;
  struct stat info;

  g_assert_true (urb_shared_params_map (first, 0, &layout, NULL));
  g_assert_cmpint (fstat (urb_shared_params_get_fd (maker), &info), ==, 0);
  g_assert_cmpint (ftruncate (urb_shared_params_get_fd (maker), info.st_size - 64), ==, 0);
  g_assert_false (urb_shared_params_map (second, 1, &layout, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
}

static void
test_names (void)
{
  g_autoptr(UrbSharedParams) maker = make ("named", 2), other = NULL;
  g_autofree char *name = g_strdup (urb_shared_params_get_name (maker));
  g_autofree char *path = g_build_filename ("/dev/shm", name, NULL);
  g_autoptr(GError) error = NULL;

  g_assert_null (urb_shared_params_open_name ("urbarium-../etc", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_clear_error (&error);
  g_assert_null (urb_shared_params_open_name ("urbarium-none", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_clear_error (&error);
  /* Readable by others: refused. */
  g_assert_cmpint (chmod (path, 0660), ==, 0);
  g_assert_null (urb_shared_params_open_name (name, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  /* Another creator does not remove a segment in use; at the end nothing is left. */
  other = make ("named", 1);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  g_clear_pointer (&maker, urb_shared_params_free);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

/* A number from a run's configuration, which may contain anything. */
static void
test_too_many (void)
{
  static const int numbers[] = { 0, URB_SHARED_MAX_WORKERS + 1 };

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autoptr(GError) nameless = NULL, named = NULL;

      g_assert_null (urb_shared_params_new_memfd (numbers[i], &nameless));
      g_assert_error (nameless, G_FILE_ERROR, G_FILE_ERROR_INVAL);
      g_assert_null (urb_shared_params_new_named (numbers[i], &named));
      g_assert_error (named, G_FILE_ERROR, G_FILE_ERROR_INVAL);
    }
}

/* The next creator removes what a killed one left. */
static void
test_left_behind (void)
{
  int ends[2], status;
  char name[64] = "";
  g_autofree char *path = NULL;
  g_autoptr(UrbSharedParams) next = NULL;
  pid_t pid;

  g_assert_cmpint (pipe (ends), ==, 0);
  pid = fork ();
  if (pid == 0)
    {
      UrbSharedParams *maker = urb_shared_params_new_named (2, NULL);
      const char *own = urb_shared_params_get_name (maker);

      if (write (ends[1], own, strlen (own)) < 0)
        _exit (1);
      for (;;)
        pause ();
    }
  g_assert_cmpint (read (ends[0], name, sizeof name - 1), >, 0);
  path = g_build_filename ("/dev/shm", name, NULL);
  g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  next = make ("named", 1);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  close (ends[0]);
  close (ends[1]);
}

/* Waits for the first worker as long as it lives, however long it plans, and no longer. */
static void
test_planning (void)
{
  g_autoptr(UrbSharedParams) maker = make ("memfd", 2);
  g_autoptr(GError) error = NULL;
  UrbSharedLayout layout = small_layout ();
  int ends[2], status;
  char byte = 0;
  pid_t pid;

  maker->patience_s = 0;
  g_assert_false (urb_shared_params_map (maker, 1, &layout, &error));
  g_assert_nonnull (strstr (error->message, "the first worker did not create them"));
  g_clear_error (&error);
  g_assert_cmpint (pipe (ends), ==, 0);
  pid = fork ();
  if (pid == 0)
    {
      g_autoptr(UrbSharedParams) first = open_like (maker, NULL);

      urb_shared_params_plan (first);
      if (write (ends[1], &byte, 1) != 1)
        _exit (1);
      g_usleep (G_USEC_PER_SEC / 5);
      _exit (urb_shared_params_map (first, 0, &layout, NULL) ? 0 : 1);
    }
  g_assert_cmpint (read (ends[0], &byte, 1), ==, 1);
  g_assert_true (urb_shared_params_map (maker, 1, &layout, NULL));
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (status, ==, 0);
  close (ends[0]);
  close (ends[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/shared-params/tickets", test_tickets);
  g_test_add_func ("/shared-params/lost-numbers", test_lost_numbers);
  g_test_add_data_func ("/shared-params/killed-ending/uncounted", NULL, test_killed_ending);
  g_test_add_data_func ("/shared-params/killed-ending/counted", "counted", test_killed_ending);
  g_test_add_func ("/shared-params/hostile-tickets", test_hostile_tickets);
  g_test_add_data_func ("/shared-params/race/any-lead", GINT_TO_POINTER (0), test_race);
  g_test_add_data_func ("/shared-params/race/lead-2", GINT_TO_POINTER (2), test_race);
  g_test_add_func ("/shared-params/bound", test_bound);
  g_test_add_func ("/shared-params/planning", test_planning);
  g_test_add_func ("/shared-params/close", test_close);
  g_test_add_func ("/shared-params/hold-times-out", test_hold_times_out);
  g_test_add_func ("/shared-params/record", test_record);
  g_test_add_data_func ("/shared-params/killed-worker/memfd", "memfd", test_killed_worker);
  g_test_add_data_func ("/shared-params/killed-worker/named", "named", test_killed_worker);
  g_test_add_data_func ("/shared-params/first-again/memfd", "memfd", test_first_again);
  g_test_add_data_func ("/shared-params/first-again/named", "named", test_first_again);
  g_test_add_func ("/shared-params/hostile", test_hostile);
  g_test_add_func ("/shared-params/cut-short", test_cut_short);
  g_test_add_func ("/shared-params/names", test_names);
  g_test_add_func ("/shared-params/too-many", test_too_many);
  g_test_add_func ("/shared-params/left-behind", test_left_behind);
  return g_test_run ();
}
