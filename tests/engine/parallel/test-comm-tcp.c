/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-comm-tcp.c - the tests of comm-table.c with two to four ranks over loopback, ranks that do not fit
 * together, and ranks that are killed or stopped.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "comm-table.h"
#include "parallel/comm-tcp.h"

enum { MAX_RANKS = 4, NOTICED_S = 10 };

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
    hub = urb_tcp_hub_new (self->address, self->n_ranks, &patience, NULL, &comm, &error);
  else
    comm = urb_comm_new_tcp (self->address, self->rank, self->n_ranks, &patience, &error);
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

  g_assert_null (urb_comm_new_tcp (address, 1, 2, &no_patience, &error));
  assert_unavailable (&error, address);
  g_assert_null (urb_tcp_hub_new (address, 3, &no_patience, NULL, &comm, &error));
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
come_as_first_of_three (gpointer address)
{
  GError *error = NULL;
  UrbComm *comm = urb_comm_new_tcp (address, 1, 3, &patience, &error);

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
  GThread *thread = g_thread_new ("rank", come_as_first_of_three, address);
  gint64 begin_us = g_get_monotonic_time ();
  UrbComm *comm = NULL;

  g_assert_null (urb_tcp_hub_new (address, 3, &told, stop, &comm, &error));
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
  g_assert_null (urb_tcp_hub_new (address, 2, &no_patience, NULL, &comm, &error));
  g_assert_nonnull (strstr (error->message, address));
  assert_unavailable (&error, "Address already in use");
  close (fd);
}

static gpointer
come_as_one_of_three (gpointer address)
{
  GError *error = NULL;

  g_assert_null (urb_comm_new_tcp (address, 1, 3, &patience, &error));
  return error;
}

/* Both are told. */
static void
test_world_size (void)
{
  g_autofree char *address = dup_address ();
  g_autoptr(GError) error = NULL, other = NULL;
  GThread *thread = g_thread_new ("rank", come_as_one_of_three, address);
  UrbComm *comm = NULL;

  g_assert_null (urb_tcp_hub_new (address, 2, &patience, NULL, &comm, &error));
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

  g_assert_null (urb_tcp_hub_new ("127.1:29500", 2, &no_patience, NULL, &comm, &error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_INVALID);
  g_assert_cmpstr (error->message, ==, "127.1 is 127.0.0.1 here, which other hosts cannot reach; write the address");
  g_assert_null (urb_comm_new_tcp ("127.1:29500", 1, 2, &patience, &other)); /* at once */
  g_assert_cmpstr (other->message, ==, error->message);
}

static void
test_localhost (void)
{
  g_autofree char *address = dup_address (), *local = g_strconcat ("localhost", strchr (address, ':'), NULL);
  g_autoptr(GError) error = NULL;
  UrbComm *comm = NULL;

  g_assert_null (urb_tcp_hub_new (local, 2, &no_patience, NULL, &comm, &error));
  assert_unavailable (&error, "have not come to");
}

/* ------------------------------------------------------------------------ */
/* Ranks that are lost                                                       */

static const UrbCollective doors = { URB_COLLECTIVE_BARRIER, URB_ELEMENT_U8, 0, 0 };

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
      comm = urb_comm_new_tcp (address, 1, 2, &patience, NULL);
      urb_comm_run (comm, &doors, NULL, NULL, NULL);
      raise (GPOINTER_TO_INT (signal));
      _exit (0);
    }
  hub = urb_tcp_hub_new (address, 2, &patience, NULL, &comm, &error);
  g_assert_no_error (error);
  g_assert_true (urb_comm_run (comm, &doors, NULL, NULL, &error));
  begin_us = g_get_monotonic_time ();
  g_assert_false (urb_comm_run (comm, &doors, NULL, NULL, &error));
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
      urb_tcp_hub_new (address, 2, &patience, NULL, &comm, NULL);
      urb_comm_run (comm, &doors, NULL, NULL, NULL);
      g_usleep (200000); /* its answer is on the way */
      raise (GPOINTER_TO_INT (signal));
      _exit (0);
    }
  comm = urb_comm_new_tcp (address, 1, 2, &patience, &error);
  g_assert_no_error (error);
  g_assert_true (urb_comm_run (comm, &doors, NULL, NULL, &error));
  begin_us = g_get_monotonic_time ();
  g_assert_false (urb_comm_run (comm, &doors, NULL, NULL, &error));
  g_assert_cmpint (g_get_monotonic_time () - begin_us, <, NOTICED_S * G_USEC_PER_SEC);
  g_assert_nonnull (strstr (error->message, address));
  urb_comm_free (comm);
  kill (pid, SIGKILL);
  g_assert_cmpint (waitpid (pid, NULL, 0), ==, pid);
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
  return g_test_run ();
}
