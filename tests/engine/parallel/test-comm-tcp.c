/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-comm-tcp.c - the tests of comm-table.c with two to four ranks over loopback, ranks that do not fit
 * together, ranks that are killed or stopped, and connections that send other bytes than ranks do.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "comm-table.h"
#include "parallel/tcp-private.h"

enum { MAX_RANKS = 4, NOTICED_S = 10, REFUSED_S = URB_TCP_SILENCE_S - 1 };

static const UrbTcpPatience patience = { .seconds = 20 }, no_patience = { .seconds = 1 };

/* Of a port that nobody uses at the moment. */
static char *
dup_address (void)
{
  struct sockaddr_in where = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  socklen_t length = sizeof where;
  int fd = socket (AF_INET, SOCK_STREAM, 0);

  g_assert_cmpint (bind (fd, (struct sockaddr *) &where, sizeof where), ==, 0);
  g_assert_cmpint (getsockname (fd, (struct sockaddr *) &where, &length), ==, 0);
  close (fd);
  return g_strdup_printf ("127.0.0.1:%d", ntohs (where.sin_port));
}

/* ------------------------------------------------------------------------ */
/* What every communicator must do                                           */

typedef struct
{
  CommTableFunc func;
  const char   *address; /* borrowed */
  int           rank, n_ranks;
} Rank;

static gpointer
rank_main (gpointer data)
{
  Rank *self = data;
  g_autoptr(UrbTcpHub) hub = NULL;
  g_autoptr(GError) error = NULL;
  UrbComm *comm;

  if (self->rank == 0)
    hub = urb_tcp_hub_new (self->address, self->n_ranks, "", &patience, NULL, &comm, &error);
  else
    comm = urb_comm_new_tcp (self->address, self->rank, self->n_ranks, "", &patience, &error);
  g_assert_no_error (error);
  g_assert_cmpint (urb_comm_get_rank (comm), ==, self->rank);
  g_assert_cmpint (urb_comm_get_n_ranks (comm), ==, self->n_ranks);
  self->func (comm);
  urb_comm_free (comm);
  return NULL;
}

static void
test_table (gconstpointer data)
{
  const CommTableRow *row = data;

  for (int n_ranks = 2; n_ranks <= MAX_RANKS; n_ranks++)
    {
      g_autofree char *address = dup_address ();
      Rank ranks[MAX_RANKS];
      GThread *threads[MAX_RANKS];

      for (int r = n_ranks - 1; r >= 0; r--) /* rank 0 comes last */
        {
          ranks[r] = (Rank) { row->func, address, r, n_ranks };
          threads[r] = g_thread_new ("rank", rank_main, &ranks[r]);
        }
      for (int r = 0; r < n_ranks; r++)
        g_thread_join (threads[r]);
    }
}

/* ------------------------------------------------------------------------ */
/* Ranks that do not come together                                           */

static void
assert_unavailable (GError **error, const char *said)
{
  g_assert_error (*error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE);
  if (strstr ((*error)->message, said) == NULL)
    g_error ("“%s” does not say “%s”", (*error)->message, said);
  g_clear_error (error);
}

static void
test_nobody (void)
{
  g_autofree char *address = dup_address ();
  g_autoptr(GError) error = NULL;
  UrbComm *comm = NULL;

  g_assert_null (urb_comm_new_tcp (address, 1, 2, "", &no_patience, &error));
  assert_unavailable (&error, address);
  g_assert_null (urb_tcp_hub_new (address, 3, "", &no_patience, NULL, &comm, &error));
  assert_unavailable (&error, "have not come to");
}

/* Of rank 0, which waits for rank 2. */
typedef struct
{
  GCancellable *stop;
  char         *said;
} Wait;

static void
stop_cb (const char *text, gpointer data)
{
  Wait *self = data;

  g_assert_null (self->said);
  self->said = g_strdup (text);
  g_cancellable_cancel (self->stop);
}

static gpointer
connect_as_first_of_three (gpointer address)
{
  GError *error = NULL;
  UrbComm *comm = urb_comm_new_tcp (address, 1, 3, "", &patience, &error);

  g_assert_no_error (error);
  g_assert_false (urb_comm_run (comm, &(UrbCollective) { .kind = URB_COLLECTIVE_BARRIER }, NULL, NULL, &error));
  urb_comm_free (comm);
  return error;
}

/* Rank 0 names whom it waits for, and whoever has come learns that it does so no longer. */
static void
test_stopped_wait (void)
{
  g_autofree char *address = dup_address (), *said = g_strdup_printf ("Rank 0 waits at %s for rank 2", address);
  g_autoptr(GCancellable) stop = g_cancellable_new ();
  g_autoptr(GError) error = NULL, other = NULL;
  Wait wait = { stop, NULL };
  const UrbTcpPatience told = { 20, stop_cb, &wait };
  GThread *thread = g_thread_new ("rank", connect_as_first_of_three, address);
  gint64 begin_us = g_get_monotonic_time ();
  UrbComm *comm = NULL;

  g_assert_null (urb_tcp_hub_new (address, 3, "", &told, stop, &comm, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint (g_get_monotonic_time () - begin_us, <, NOTICED_S * G_USEC_PER_SEC);
  g_assert_cmpstr (wait.said, ==, said);
  other = g_thread_join (thread);
  g_assert_error (other, URB_COMM_ERROR, URB_COMM_ERROR_ABORTED);
  g_assert_nonnull (strstr (other->message, "was stopped before all ranks had come"));
  g_free (wait.said);
}

static void
test_busy_port (void)
{
  g_autofree char *address = dup_address ();
  g_autoptr(GError) error = NULL;
  struct sockaddr_in where = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK),
                               .sin_port = htons ((guint16) atoi (strchr (address, ':') + 1)) };
  int fd = socket (AF_INET, SOCK_STREAM, 0);
  UrbComm *comm = NULL;

  g_assert_cmpint (bind (fd, (struct sockaddr *) &where, sizeof where), ==, 0);
  g_assert_cmpint (listen (fd, 1), ==, 0);
  g_assert_null (urb_tcp_hub_new (address, 2, "", &no_patience, NULL, &comm, &error));
  g_assert_nonnull (strstr (error->message, address));
  assert_unavailable (&error, "Address already in use");
  close (fd);
}

static gpointer
connect_as_one_of_three (gpointer address)
{
  GError *error = NULL;

  g_assert_null (urb_comm_new_tcp (address, 1, 3, "", &patience, &error));
  return error;
}

/* Both are told. */
static void
test_world_size (void)
{
  g_autofree char *address = dup_address ();
  g_autoptr(GError) error = NULL, other = NULL;
  GThread *thread = g_thread_new ("rank", connect_as_one_of_three, address);
  UrbComm *comm = NULL;

  g_assert_null (urb_tcp_hub_new (address, 2, "", &patience, NULL, &comm, &error));
  other = g_thread_join (thread);
  assert_unavailable (&error, "Rank 1 was started as one of 3 ranks, and rank 0 as one of 2");
  assert_unavailable (&other, "Rank 1 was started as one of 3 ranks, and rank 0 as one of 2");
}

static void
test_address (void)
{
  static const char *const wrong[] = { "", "here", "10.0.0.1", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:x", ":29500" };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_false (urb_tcp_check_address (wrong[i], &error));
      g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_INVALID);
    }
  g_assert_true (urb_tcp_check_address ("[::1]:29500", NULL));
}

/* 127.1 stands for a name: it is looked up, and is 127.0.0.1 on every host. */
static void
test_loopback_name (void)
{
  g_autoptr(GError) error = NULL, other = NULL;
  UrbComm *comm = NULL;

  g_assert_null (urb_tcp_hub_new ("127.1:29500", 2, "", &no_patience, NULL, &comm, &error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_INVALID);
  g_assert_cmpstr (error->message, ==, "127.1 is 127.0.0.1 here, which other hosts cannot reach; write the address");
  g_assert_null (urb_comm_new_tcp ("127.1:29500", 1, 2, "", &patience, &other)); /* at once */
  g_assert_cmpstr (other->message, ==, error->message);
}

/* A loopback name that is not refused, unlike those above. */
static void
test_localhost (void)
{
  g_autofree char *address = dup_address (), *local = g_strconcat ("localhost", strchr (address, ':'), NULL);
  g_autoptr(GError) error = NULL;
  struct addrinfo *found = NULL;
  UrbComm *comm = NULL;

  if (getaddrinfo ("localhost", NULL, NULL, &found) != 0)
    {
      g_test_skip ("this system does not know the name localhost");
      return;
    }
  freeaddrinfo (found);
  g_assert_null (urb_tcp_hub_new (local, 2, "", &no_patience, NULL, &comm, &error));
  assert_unavailable (&error, "have not come to");
}

/* ------------------------------------------------------------------------ */
/* Ranks that are lost                                                       */

static const UrbCollective barrier = { URB_COLLECTIVE_BARRIER, URB_ELEMENT_U8, 0, 0 };

/* @signal strikes rank 1 of 2 while rank 0 waits for it. */
static void
test_lost (gconstpointer signal)
{
  g_autofree char *address = dup_address ();
  g_autoptr(UrbTcpHub) hub = NULL;
  g_autoptr(GError) error = NULL;
  pid_t pid = fork ();
  gint64 begin_us;
  UrbComm *comm = NULL;

  if (pid == 0)
    {
      comm = urb_comm_new_tcp (address, 1, 2, "", &patience, NULL);
      urb_comm_run (comm, &barrier, NULL, NULL, NULL);
      raise (GPOINTER_TO_INT (signal));
      _exit (0);
    }
  hub = urb_tcp_hub_new (address, 2, "", &patience, NULL, &comm, &error);
  g_assert_no_error (error);
  g_assert_true (urb_comm_run (comm, &barrier, NULL, NULL, &error));
  begin_us = g_get_monotonic_time ();
  g_assert_false (urb_comm_run (comm, &barrier, NULL, NULL, &error));
  g_assert_cmpint (g_get_monotonic_time () - begin_us, <, NOTICED_S * G_USEC_PER_SEC);
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_ABORTED);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "Rank 1 gave up: it"));
  g_assert_nonnull (strstr (error->message, "(127.0.0.1)"));
  urb_comm_free (comm);
  kill (pid, SIGKILL);
  g_assert_cmpint (waitpid (pid, NULL, 0), ==, pid);
}

/* … and rank 0. */
static void
test_lost_hub (gconstpointer signal)
{
  g_autofree char *address = dup_address ();
  g_autoptr(GError) error = NULL;
  pid_t pid = fork ();
  gint64 begin_us;
  UrbComm *comm = NULL;

  if (pid == 0)
    {
      urb_tcp_hub_new (address, 2, "", &patience, NULL, &comm, NULL);
      urb_comm_run (comm, &barrier, NULL, NULL, NULL);
      g_usleep (200000); /* its answer is on the way */
      raise (GPOINTER_TO_INT (signal));
      _exit (0);
    }
  comm = urb_comm_new_tcp (address, 1, 2, "", &patience, &error);
  g_assert_no_error (error);
  g_assert_true (urb_comm_run (comm, &barrier, NULL, NULL, &error));
  begin_us = g_get_monotonic_time ();
  g_assert_false (urb_comm_run (comm, &barrier, NULL, NULL, &error));
  g_assert_cmpint (g_get_monotonic_time () - begin_us, <, NOTICED_S * G_USEC_PER_SEC);
  g_assert_nonnull (strstr (error->message, address));
  urb_comm_free (comm);
  kill (pid, SIGKILL);
  g_assert_cmpint (waitpid (pid, NULL, 0), ==, pid);
}

/* ------------------------------------------------------------------------ */
/* Raw bytes                                                                 */

static int
connect_raw (const char *address)
{
  g_autoptr(GError) error = NULL;
  gint64 until = g_get_monotonic_time () + patience.seconds * G_USEC_PER_SEC;
  int fd;

  while ((fd = urb_tcp_connect (address, &error)) < 0 && g_get_monotonic_time () < until)
    {
      g_clear_error (&error);
      g_usleep (20000);
    }
  g_assert_no_error (error);
  urb_tcp_set_timeout (fd, patience.seconds);
  return fd;
}

/* Receives the greeting. */
static void
prove (int fd, const char *token, UrbTcpHandshake *said)
{
  UrbTcpGreeting greeting;

  g_assert_true (urb_tcp_receive (fd, &greeting, sizeof greeting));
  g_assert_cmphex (greeting.magic, ==, URB_TCP_MAGIC);
  urb_tcp_prove (token, URB_TCP_RANK, &greeting, said, said->proof);
}

/* A connection with an answered handshake.  @error: (out): the refusal, when -1 is returned */
static int
shake_hands (const char *address, int rank, int n_ranks, gint64 ticket, GError **error)
{
  UrbTcpHandshake said = { .magic = URB_TCP_MAGIC, .version = URBARIUM_VERSION, .rank = rank,
                           .n_ranks = n_ranks, .ticket = ticket };
  UrbTcpWelcome welcome;
  int fd = connect_raw (address);

  prove (fd, "", &said);
  g_assert_true (urb_tcp_send (fd, &said, sizeof said));
  g_assert_true (urb_tcp_receive (fd, &welcome, sizeof welcome));
  if (urb_tcp_news_check (&welcome.news, error))
    return fd;
  close (fd);
  return -1;
}

/* A rank of which the test writes every byte. */
typedef struct
{
  int news_fd, fd;
} Raw;

static Raw
raw_new (const char *address, int rank, int n_ranks)
{
  g_autoptr(GError) error = NULL;
  Raw self = { .news_fd = shake_hands (address, rank, n_ranks, URB_TCP_NEWS, &error) };

  g_assert_no_error (error);
  self.fd = shake_hands (address, rank, n_ranks, 0, &error);
  g_assert_no_error (error);
  return self;
}

static void
raw_close (Raw *self)
{
  close (self->fd);
  close (self->news_fd);
}

/* Rank 0, in a thread. */
typedef struct
{
  const char *address; /* borrowed */
  int         n_ranks;
  const char *token;   /* NULL: none */
  int         n_splits; /* first */
  int         goes_on;  /* atomic; until an error, at the latest */
  GError     *error;
  int         is_over; /* atomic */
} Hub;

static gpointer
hub_main (gpointer data)
{
  Hub *self = data;
  UrbComm *comm = NULL;
  UrbTcpHub *hub = urb_tcp_hub_new (self->address, self->n_ranks, self->token != NULL ? self->token : "", &patience, NULL,
                                    &comm, &self->error);
  g_autoptr(UrbComm) group = NULL;

  if (hub == NULL)
    return NULL;
  for (int i = 0; i < self->n_splits && self->error == NULL; i++)
    {
      g_clear_pointer (&group, urb_comm_free);
      group = urb_comm_split (comm, "data", 0, 0, &self->error);
    }
  do
    if (self->error == NULL)
      urb_comm_run (group != NULL ? group : comm, &barrier, NULL, NULL, &self->error);
  while (self->error == NULL && g_atomic_int_get (&self->goes_on));
  g_atomic_int_set (&self->is_over, TRUE);
  urb_comm_free (g_steal_pointer (&group));
  urb_comm_free (comm);
  urb_tcp_hub_free (hub);
  return NULL;
}

static const UrbTcpOrder start_gather = { .verb = URB_TCP_START, .kind = URB_COLLECTIVE_ALL_GATHER,
                                          .element = URB_ELEMENT_U8, .count = 8 };

typedef struct
{
  const char *name;
  gboolean    splits; /* rank 0 does, and the peer brings color and key by hand */
  UrbTcpOrder order;
  gsize       n_bytes; /* of @order; then follow as many zeros: */
  gsize       n_zeros;
  const char *said;   /* by rank 0 */
  gboolean    ends;   /* nothing follows, else silence */
} RawRow;

static const RawRow raw_rows[] = {
  { "unknown-verb", FALSE, { .verb = 99 }, sizeof (UrbTcpOrder), 0, "gave up" },
  { "negative-verb", FALSE, { .verb = -1 }, sizeof (UrbTcpOrder), 0, "gave up" },
  { "slot", FALSE, { .verb = URB_TCP_START, .slot = 64 }, sizeof (UrbTcpOrder), 0, "gave up" },
  { "slot-of-wait", FALSE, { .verb = URB_TCP_WAIT, .slot = -1 }, sizeof (UrbTcpOrder), 0, "gave up" },
  { "nothing-to-wait-for", FALSE, { .verb = URB_TCP_WAIT }, sizeof (UrbTcpOrder), 0, "gave up" },
  { "kind", FALSE, { .verb = URB_TCP_START, .kind = 1000 }, sizeof (UrbTcpOrder), 0, "gave up" },
  { "element", FALSE, { .verb = URB_TCP_START, .element = -5 }, sizeof (UrbTcpOrder), 0, "gave up" },
  { "count", FALSE, { .verb = URB_TCP_START, .kind = URB_COLLECTIVE_ALL_REDUCE, .element = URB_ELEMENT_F32,
                      .count = G_GINT64_CONSTANT (1) << 56 }, sizeof (UrbTcpOrder), 0, "gave up" },
  { "output", FALSE, { .verb = URB_TCP_START, .kind = URB_COLLECTIVE_RECV, .element = URB_ELEMENT_F64,
                       .count = G_GINT64_CONSTANT (1) << 56 }, sizeof (UrbTcpOrder), 0, "gave up" },
  { "negative-count", FALSE, { .verb = URB_TCP_START, .count = -1 }, sizeof (UrbTcpOrder), 0, "gave up" },
  { "part-of-order", FALSE, { .verb = URB_TCP_START }, 7, 0, "gave up", TRUE },
  { "part-of-input", FALSE, { .verb = URB_TCP_START, .kind = URB_COLLECTIVE_ALL_GATHER,
                              .element = URB_ELEMENT_F32, .count = 5 << 20 },
    sizeof (UrbTcpOrder), 3 << 20, "gave up", TRUE },
  { "other-operation", FALSE, { .verb = URB_TCP_START, .kind = URB_COLLECTIVE_ALL_GATHER,
                                .element = URB_ELEMENT_U8, .count = 8 }, sizeof (UrbTcpOrder), 8,
    "The ranks do different things" },
  { "leaves", FALSE, { .verb = URB_TCP_LEAVE }, sizeof (UrbTcpOrder), 0, "Rank 1 has left" },
  /* Bytes where a split once passed pointers, and a group of which the peer never becomes a member. */
  { "pointer", TRUE, { .verb = URB_TCP_START, .slot = 1, .kind = URB_COLLECTIVE_ALL_GATHER,
                       .element = URB_ELEMENT_U8, .count = 8 }, sizeof (UrbTcpOrder), 8,
    "The ranks do different things" },
  { "split-by-hand", TRUE, { .verb = URB_TCP_START, .slot = 1, .kind = URB_COLLECTIVE_BARRIER },
    sizeof (UrbTcpOrder), 0, "gave up", TRUE },
};

/* … and says why. */
static void
hub_assert_over (Hub *self, gint64 since_us)
{
  while (!g_atomic_int_get (&self->is_over) && g_get_monotonic_time () - since_us < REFUSED_S * G_USEC_PER_SEC)
    g_usleep (10000);
  g_assert_true (g_atomic_int_get (&self->is_over));
}

static void
hub_assert_said (Hub *self, const char *said)
{
  g_assert_nonnull (self->error);
  g_test_message ("%s", self->error->message);
  if (strstr (self->error->message, said) == NULL)
    g_error ("“%s” does not say “%s”", self->error->message, said);
  g_clear_error (&self->error);
}

/* A peer sends what no rank does. */
static void
test_raw (gconstpointer data)
{
  const RawRow *row = data;
  g_autofree char *address = dup_address ();
  g_autofree char *zeros = g_malloc0 (row->n_zeros + 1);
  Hub hub = { .address = address, .n_ranks = 2, .n_splits = row->splits, .goes_on = TRUE };
  GThread *thread = g_thread_new ("hub", hub_main, &hub);
  Raw peer = raw_new (address, 1, 2);

  if (row->splits)
    {
      g_assert_true (urb_tcp_send (peer.fd, &start_gather, sizeof start_gather));
      g_assert_true (urb_tcp_send (peer.fd, "\0\0\0\0\0\0\0", 8));
    }
  urb_tcp_send (peer.fd, &row->order, row->n_bytes);
  urb_tcp_send (peer.fd, zeros, row->n_zeros); /* it may have been closed already */
  if (row->ends)
    shutdown (peer.fd, SHUT_WR);
  hub_assert_over (&hub, g_get_monotonic_time ());
  raw_close (&peer);
  g_thread_join (thread);
  hub_assert_said (&hub, row->said);
}

/* Half of a rank's news do not keep rank 0 from those of the next rank. */
static void
test_half_news (void)
{
  g_autofree char *address = dup_address ();
  const UrbTcpNews news = { .kind = URB_TCP_WELL };
  g_autoptr(GError) failure = g_error_new_literal (URB_COMM_ERROR, URB_COMM_ERROR_ABORTED, "the disk is full");
  Hub hub = { .address = address, .n_ranks = 3, .goes_on = TRUE };
  GThread *thread = g_thread_new ("hub", hub_main, &hub);
  Raw first = raw_new (address, 1, 3), second = raw_new (address, 2, 3);

  g_assert_true (urb_tcp_send (first.news_fd, &news, sizeof news / 2));
  g_usleep (500000);
  g_assert_true (urb_tcp_send_news (second.news_fd, failure));
  hub_assert_over (&hub, g_get_monotonic_time ());
  raw_close (&first);
  raw_close (&second);
  g_thread_join (thread);
  hub_assert_said (&hub, "Rank 2 gave up: the disk is full");
}

static gpointer
run_until (gpointer data)
{
  Hub *self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbComm) comm = urb_comm_new_tcp (self->address, 1, 2, "", &patience, &error);

  g_assert_no_error (error);
  while (urb_comm_run (comm, &barrier, NULL, NULL, &error))
    continue;
  return NULL;
}

/* Whatever others send, and however slowly, the run goes on, for longer than a silence that ends it. */
static void
test_strangers (void)
{
  enum { N_SILENT = 200, DRIPS = URB_TCP_SILENCE_S + 3 };
  const UrbTcpHandshake said[] = {
    { URB_TCP_MAGIC + 1, URBARIUM_VERSION, 1, 2, URB_TCP_NEWS },
    { URB_TCP_MAGIC, "0.0", 1, 2, URB_TCP_NEWS },
    { URB_TCP_MAGIC, URBARIUM_VERSION, 1, 3, URB_TCP_NEWS },
    { URB_TCP_MAGIC, URBARIUM_VERSION, 1, 2, URB_TCP_NEWS },
    { URB_TCP_MAGIC, URBARIUM_VERSION, 1, 2, 0 },
    { URB_TCP_MAGIC, URBARIUM_VERSION, 1, 2, 1 },
    { URB_TCP_MAGIC, URBARIUM_VERSION, 1, 2, -7 },
    { URB_TCP_MAGIC, URBARIUM_VERSION, 0, 2, 1 },
    { URB_TCP_MAGIC, URBARIUM_VERSION, -1, 2, 0 },
    { URB_TCP_MAGIC, URBARIUM_VERSION, G_MAXINT32, 2, 0 },
  };
  g_autofree char *address = dup_address ();
  Hub hub = { .address = address, .n_ranks = 2, .goes_on = TRUE };
  GThread *thread = g_thread_new ("hub", hub_main, &hub);
  GThread *other = g_thread_new ("rank", run_until, &hub);
  int silent[N_SILENT], slow;
  char byte;

  g_usleep (G_USEC_PER_SEC); /* they have begun */
  for (int i = 0; i < N_SILENT; i++)
    silent[i] = connect_raw (address);
  for (gsize i = 0; i < G_N_ELEMENTS (said); i++)
    {
      int fd = connect_raw (address);
      UrbTcpHandshake one = said[i];
      UrbTcpWelcome welcome = { .news.kind = URB_TCP_FAILED };

      prove (fd, "", &one);
      g_assert_true (urb_tcp_send (fd, &one, sizeof one));
      g_assert_true (!urb_tcp_receive (fd, &welcome, sizeof welcome) || welcome.news.kind == URB_TCP_FAILED);
      close (fd);
    }
  slow = connect_raw (address);
  for (int i = 0; i < DRIPS; i++)
    {
      urb_tcp_send (slow, "x", 1);
      g_usleep (G_USEC_PER_SEC);
    }
  g_assert_true (recv (slow, &byte, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET || errno == EPIPE);
  g_assert_false (g_atomic_int_get (&hub.is_over));
  g_atomic_int_set (&hub.goes_on, FALSE);
  g_thread_join (thread);
  g_thread_join (other);
  g_assert_no_error (hub.error);
  close (slow);
  for (int i = 0; i < N_SILENT; i++)
    close (silent[i]);
}

static void
run_barrier (UrbComm *comm)
{
  g_autoptr(GError) error = NULL;

  urb_comm_run (comm, &barrier, NULL, NULL, &error);
  g_assert_no_error (error);
}

/* Before all ranks are there. */
static void
test_restarted (void)
{
  g_autofree char *address = dup_address ();
  g_autoptr(GError) failure = g_error_new_literal (URB_COMM_ERROR, URB_COMM_ERROR_ABORTED, "the disk is full");
  Hub hub = { .address = address, .n_ranks = 3 };
  GThread *thread = g_thread_new ("hub", hub_main, &hub);
  Raw lost = raw_new (address, 1, 3);
  Rank ranks[2];
  GThread *threads[2];

  g_assert_true (urb_tcp_send_news (lost.news_fd, failure));
  raw_close (&lost);
  for (int i = 0; i < 2; i++)
    {
      ranks[i] = (Rank) { run_barrier, address, i + 1, 3 };
      threads[i] = g_thread_new ("rank", rank_main, &ranks[i]);
      g_usleep (300000);
      g_assert_true (i == 1 || !g_atomic_int_get (&hub.is_over));
    }
  g_thread_join (thread);
  for (int i = 0; i < 2; i++)
    g_thread_join (threads[i]);
  g_assert_no_error (hub.error);
}

static UrbTcpGroup
receive_group (int fd)
{
  UrbTcpGroup group;
  UrbTcpNews news;
  gint32 numbers[3];

  g_assert_true (urb_tcp_receive (fd, &news, sizeof news));
  g_assert_cmpint (news.kind, ==, URB_TCP_WELL);
  g_assert_true (urb_tcp_receive (fd, &group, sizeof group));
  g_assert_cmpint (group.n_ranks, ==, 3);
  g_assert_true (urb_tcp_receive (fd, numbers, sizeof numbers));
  return group;
}

/* A ticket is for one connection of its rank. */
static void
test_tickets (void)
{
  const UrbTcpOrder split = { .verb = URB_TCP_SPLIT, .name = "data" };
  g_autofree char *address = dup_address ();
  Hub hub = { .address = address, .n_ranks = 3, .n_splits = 1, .goes_on = TRUE };
  GThread *thread = g_thread_new ("hub", hub_main, &hub);
  Raw peers[2] = { raw_new (address, 1, 3), raw_new (address, 2, 3) };
  UrbTcpGroup groups[2];
  g_autoptr(GError) error = NULL;
  int fd;

  for (int i = 0; i < 2; i++)
    g_assert_true (urb_tcp_send (peers[i].fd, &split, sizeof split));
  for (int i = 0; i < 2; i++)
    groups[i] = receive_group (peers[i].fd);
  g_assert_cmpint (ABS (groups[0].ticket - groups[1].ticket), >, 1 << 20);
  g_assert_cmpint (shake_hands (address, 2, 3, groups[0].ticket, &error), ==, -1);
  assert_unavailable (&error, "asks for what is not there");
  fd = shake_hands (address, 1, 3, groups[0].ticket, &error);
  g_assert_no_error (error);
  g_assert_cmpint (shake_hands (address, 1, 3, groups[0].ticket, &error), ==, -1);
  assert_unavailable (&error, "asks for what is not there");
  g_assert_false (g_atomic_int_get (&hub.is_over));
  close (fd);
  hub_assert_over (&hub, g_get_monotonic_time ());
  for (int i = 0; i < 2; i++)
    raw_close (&peers[i]);
  g_thread_join (thread);
  hub_assert_said (&hub, "Rank 1 gave up");
}

/* A rank that splits without end takes no more threads and memory of rank 0 than it needs. */
static void
test_too_many_tickets (void)
{
  enum { N_SPLITS = 100 };
  const UrbTcpOrder split = { .verb = URB_TCP_SPLIT, .name = "data" };
  g_autofree char *address = dup_address ();
  Hub hub = { .address = address, .n_ranks = 2, .n_splits = N_SPLITS, .goes_on = TRUE };
  GThread *thread = g_thread_new ("hub", hub_main, &hub);
  Raw peer = raw_new (address, 1, 2);
  UrbTcpGroup group;
  UrbTcpNews news;
  gint32 numbers[2];
  int n = 0;

  while (n < N_SPLITS && urb_tcp_send (peer.fd, &split, sizeof split) && urb_tcp_receive (peer.fd, &news, sizeof news)
         && news.kind == URB_TCP_WELL && urb_tcp_receive (peer.fd, &group, sizeof group)
         && urb_tcp_receive (peer.fd, numbers, sizeof numbers))
    n++;
  g_assert_cmpint (n, >=, 16);
  g_assert_cmpint (n, <, N_SPLITS);
  hub_assert_over (&hub, g_get_monotonic_time ());
  raw_close (&peer);
  g_thread_join (thread);
  hub_assert_said (&hub, "Rank 1 gave up");
}

/* ------------------------------------------------------------------------ */
/* Tokens                                                                    */

static const char token[] = "0123456789abcdef0123456789abcdef", other_token[] = "0123456789abcdef0123456789abcdeF";

/* A wrong one neither ends the wait of rank 0 nor takes a place. */
static void
test_token (void)
{
  g_autofree char *address = dup_address ();
  Hub hub = { .address = address, .n_ranks = 2, .token = token };
  GThread *thread = g_thread_new ("hub", hub_main, &hub);
  const char *const wrong[] = { other_token, "", "0123456789abcdef" };
  UrbTcpHandshake said = { URB_TCP_MAGIC, "0.0", 1, 5, URB_TCP_NEWS };
  g_autoptr(UrbComm) comm = NULL;
  g_autoptr(GError) error = NULL;
  UrbTcpWelcome welcome;
  int fd;

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_null (urb_comm_new_tcp (address, 1, 2, wrong[i], &patience, &error));
      assert_unavailable (&error, "another token");
    }
  /* Another version and world size would end the wait, from a rank that knows the token. */
  fd = connect_raw (address);
  prove (fd, other_token, &said);
  g_assert_true (urb_tcp_send (fd, &said, sizeof said));
  g_assert_true (urb_tcp_receive (fd, &welcome, sizeof welcome));
  g_assert_false (urb_tcp_news_check (&welcome.news, &error));
  assert_unavailable (&error, "another token");
  close (fd);
  g_assert_false (g_atomic_int_get (&hub.is_over));
  comm = urb_comm_new_tcp (address, 1, 2, token, &patience, &error);
  g_assert_no_error (error);
  run_barrier (comm);
  g_clear_pointer (&comm, urb_comm_free);
  g_thread_join (thread);
  g_assert_no_error (hub.error);
}

/* What was overheard of one connection is of no use for another. */
static void
test_replay (void)
{
  g_autofree char *address = dup_address ();
  Hub hub = { .address = address, .n_ranks = 2, .token = token };
  GThread *thread = g_thread_new ("hub", hub_main, &hub);
  UrbTcpHandshake said = { URB_TCP_MAGIC, URBARIUM_VERSION, 1, 2, URB_TCP_NEWS };
  g_autoptr(GError) error = NULL;
  UrbTcpWelcome welcome;

  for (int i = 0; i < 2; i++)
    {
      int fd = connect_raw (address);
      UrbTcpHandshake again = said;

      prove (fd, token, i == 0 ? &said : &again);
      g_assert_true (urb_tcp_send (fd, &said, sizeof said));
      g_assert_true (urb_tcp_receive (fd, &welcome, sizeof welcome));
      g_assert_true (urb_tcp_news_check (&welcome.news, i == 0 ? NULL : &error) == (i == 0));
      close (fd);
      if (i == 0)
        g_usleep (200000); /* the place is free again */
    }
  assert_unavailable (&error, "another token");
  {
    g_autoptr(UrbComm) comm = urb_comm_new_tcp (address, 1, 2, token, &patience, &error);

    g_assert_no_error (error);
    run_barrier (comm);
  }
  g_thread_join (thread);
}

static gpointer
impostor_main (gpointer data)
{
  int listener = GPOINTER_TO_INT (data), fd = accept (listener, NULL, NULL);
  const UrbTcpGreeting greeting = { .magic = URB_TCP_MAGIC };
  const UrbTcpWelcome welcome = { .news.kind = URB_TCP_WELL };
  UrbTcpHandshake said;

  g_assert_true (urb_tcp_send (fd, &greeting, sizeof greeting));
  g_assert_true (urb_tcp_receive (fd, &said, sizeof said));
  g_assert_true (urb_tcp_send (fd, &welcome, sizeof welcome));
  urb_tcp_receive (fd, &said, sizeof said);
  close (fd);
  return NULL;
}

/* A rank gives its gradients to nobody who does not know the token. */
static void
test_impostor (void)
{
  g_autofree char *address = dup_address ();
  g_autoptr(GError) error = NULL;
  int listener = urb_tcp_listen (address, &error);
  GThread *thread = g_thread_new ("impostor", impostor_main, GINT_TO_POINTER (listener));

  g_assert_null (urb_comm_new_tcp (address, 1, 2, token, &patience, &error));
  assert_unavailable (&error, "does not know the token");
  g_thread_join (thread);
  close (listener);
}

static void
assert_no_token (const char *file, const char *address, const char *said)
{
  g_autoptr(GError) error = NULL;

  g_assert_null (urb_tcp_token_load (file, address, &error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_INVALID);
  if (strstr (error->message, said) == NULL)
    g_error ("“%s” does not say “%s”", error->message, said);
}

static void
assert_token (const char *file, const char *address, const char *expected)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *loaded = urb_tcp_token_load (file, address, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (loaded, ==, expected);
}

static void
test_load_token (void)
{
  static const char far[] = "10.1.2.3:29500", *const near[] = { "127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1" };
  g_autofree char *file = NULL;
  int fd = g_file_open_tmp ("token-XXXXXX", &file, NULL);

  g_unsetenv (URB_TCP_TOKEN_VARIABLE);
  for (gsize i = 0; i < G_N_ELEMENTS (near); i++)
    assert_token (NULL, near[i], "");
  assert_no_token (NULL, far, "--token-file");
  assert_no_token (NULL, "0.0.0.0:1", "--token-file");
  assert_no_token (NULL, "node7:1", "--token-file");
  assert_no_token (file, near[0], "could be guessed"); /* it is empty */
  g_assert_cmpint (write (fd, token, strlen (token)), ==, strlen (token));
  g_assert_cmpint (write (fd, "\n", 1), ==, 1);
  assert_token (file, far, token);
  g_assert_cmpint (fchmod (fd, 0640), ==, 0);
  assert_no_token (file, far, "chmod 600");
  assert_no_token ("/nowhere/token", far, "/nowhere/token");
  assert_no_token ("/dev/zero", far, "/dev/zero");
  g_setenv (URB_TCP_TOKEN_VARIABLE, "short", TRUE);
  assert_no_token (NULL, near[0], "could be guessed");
  g_setenv (URB_TCP_TOKEN_VARIABLE, other_token, TRUE);
  assert_token (NULL, near[0], other_token);
  assert_token (NULL, far, other_token);
  g_unsetenv (URB_TCP_TOKEN_VARIABLE);
  close (fd);
  unlink (file);
}

/* ------------------------------------------------------------------------ */
/* Connections that cannot be made                                           */

/* A queue that is full drops what comes, as a firewall does. */
static void
test_dropped (void)
{
  enum { N = 8 };
  struct sockaddr_in where = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  socklen_t length = sizeof where;
  int listener = socket (AF_INET, SOCK_STREAM, 0), filling[N];
  g_autofree char *address = NULL, *within = g_strdup_printf ("within %d s", URB_TCP_CONNECT_S);
  g_autoptr(GError) error = NULL;
  gint64 begin_us;

  g_assert_cmpint (bind (listener, (struct sockaddr *) &where, sizeof where), ==, 0);
  g_assert_cmpint (listen (listener, 0), ==, 0);
  g_assert_cmpint (getsockname (listener, (struct sockaddr *) &where, &length), ==, 0);
  for (int i = 0; i < N; i++)
    {
      filling[i] = socket (AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      connect (filling[i], (struct sockaddr *) &where, sizeof where);
    }
  g_usleep (100000);
  address = g_strdup_printf ("127.0.0.1:%d", ntohs (where.sin_port));
  begin_us = g_get_monotonic_time ();
  g_assert_null (urb_comm_new_tcp (address, 1, 2, "", &no_patience, &error));
  g_assert_cmpint (g_get_monotonic_time () - begin_us, <, (URB_TCP_CONNECT_S + 5) * G_USEC_PER_SEC);
  assert_unavailable (&error, within);
  for (int i = 0; i < N; i++)
    close (filling[i]);
  close (listener);
}

static double
get_cpu_s (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

/* Rank 0 waits for a free descriptor without a loop, and goes on then. */
static void
test_no_descriptors (void)
{
  g_autofree char *address = dup_address ();
  Hub hub = { .address = address, .n_ranks = 2 };
  g_autoptr(GArray) held = g_array_new (FALSE, FALSE, sizeof (int));
  struct sockaddr_in where = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK),
                               .sin_port = htons ((guint16) atoi (strchr (address, ':') + 1)) };
  struct rlimit before, few;
  GThread *thread;
  UrbTcpGreeting greeting;
  g_autoptr(GError) error = NULL;
  double cpu_s;
  int first, late = socket (AF_INET, SOCK_STREAM, 0), fd;

  thread = g_thread_new ("hub", hub_main, &hub);
  first = connect_raw (address); /* it listens */
  g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &before), ==, 0);
  few = (struct rlimit) { 200, before.rlim_max };
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &few), ==, 0);
  while ((fd = dup (first)) >= 0)
    g_array_append_val (held, fd);
  g_assert_cmpint (errno, ==, EMFILE);
  g_assert_cmpint (connect (late, (struct sockaddr *) &where, sizeof where), ==, 0);
  cpu_s = get_cpu_s ();
  g_usleep (2 * G_USEC_PER_SEC);
  g_assert_cmpfloat (get_cpu_s () - cpu_s, <, 0.5);
  for (guint i = 0; i < held->len; i++)
    close (g_array_index (held, int, i));
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &before), ==, 0);
  urb_tcp_set_timeout (late, 5);
  g_assert_true (urb_tcp_receive (late, &greeting, sizeof greeting));
  close (late);
  close (first);
  {
    g_autoptr(UrbComm) comm = urb_comm_new_tcp (address, 1, 2, "", &patience, &error);

    g_assert_no_error (error);
    run_barrier (comm);
  }
  g_thread_join (thread);
}

/* A rank that never leaves is lost after rank 0 gave up waiting for it, and its thread still needs the hub. */
static void
test_stays (void)
{
  g_autofree char *address = dup_address ();
  Hub hub = { .address = address, .n_ranks = 2 };
  GThread *thread = g_thread_new ("hub", hub_main, &hub);
  Raw peer = raw_new (address, 1, 2);
  const UrbTcpOrder start_barrier = { .verb = URB_TCP_START, .kind = URB_COLLECTIVE_BARRIER };

  g_assert_true (urb_tcp_send (peer.fd, &start_barrier, sizeof start_barrier));
  g_thread_join (thread);
  g_assert_no_error (hub.error);
  raw_close (&peer);
  g_usleep (500000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < comm_table_length; i++)
    {
      g_autofree char *name = g_strconcat ("/comm/tcp/", comm_table[i].name, NULL);

      g_test_add_data_func (name, &comm_table[i], test_table);
    }
  g_test_add_func ("/comm/tcp/nobody", test_nobody);
  g_test_add_func ("/comm/tcp/stopped-wait", test_stopped_wait);
  g_test_add_func ("/comm/tcp/busy-port", test_busy_port);
  g_test_add_func ("/comm/tcp/world-size", test_world_size);
  g_test_add_func ("/comm/tcp/address", test_address);
  g_test_add_func ("/comm/tcp/loopback-name", test_loopback_name);
  g_test_add_func ("/comm/tcp/localhost", test_localhost);
  g_test_add_data_func ("/comm/tcp/killed", GINT_TO_POINTER (SIGKILL), test_lost);
  g_test_add_data_func ("/comm/tcp/stopped", GINT_TO_POINTER (SIGSTOP), test_lost);
  g_test_add_data_func ("/comm/tcp/killed-hub", GINT_TO_POINTER (SIGKILL), test_lost_hub);
  g_test_add_data_func ("/comm/tcp/stopped-hub", GINT_TO_POINTER (SIGSTOP), test_lost_hub);
  for (gsize i = 0; i < G_N_ELEMENTS (raw_rows); i++)
    {
      g_autofree char *name = g_strconcat ("/comm/tcp/raw/", raw_rows[i].name, NULL);

      g_test_add_data_func (name, &raw_rows[i], test_raw);
    }
  g_test_add_func ("/comm/tcp/half-news", test_half_news);
  g_test_add_func ("/comm/tcp/strangers", test_strangers);
  g_test_add_func ("/comm/tcp/restarted", test_restarted);
  g_test_add_func ("/comm/tcp/tickets", test_tickets);
  g_test_add_func ("/comm/tcp/too-many-tickets", test_too_many_tickets);
  g_test_add_func ("/comm/tcp/token", test_token);
  g_test_add_func ("/comm/tcp/replay", test_replay);
  g_test_add_func ("/comm/tcp/impostor", test_impostor);
  g_test_add_func ("/comm/tcp/load-token", test_load_token);
  g_test_add_func ("/comm/tcp/dropped", test_dropped);
  g_test_add_func ("/comm/tcp/no-descriptors", test_no_descriptors);
  g_test_add_func ("/comm/tcp/stays", test_stays);
  return g_test_run ();
}
