/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp-hub.c - see comm-tcp.h: rank 0.
 *
 * One thread accepts connections and exchanges news with all ranks.  It waits for no single one of them: what has
 * come of a handshake or of news is kept until the rest comes.  Each communicator of another rank has a thread,
 * which does what that rank orders (tcp-serve.c).  A thread that waits for other ranks does not see that its own is
 * gone; then news do, and abort all of them.
 */
#include "parallel/tcp-private.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <glib-unix.h>

/* Ranks have at most one handshake each under way; the rest is for others. */
enum { HANDSHAKE_S = 2, MAX_OTHER_HANDSHAKES = 64, LEAVING_S = 5, LOOK_MS = 100 };

/* Of a rank; strategies split into one for each axis and a few copies. */
enum { MAX_COMMUNICATORS = 64 };

/* When no descriptor is free, a connection that waits would wake the thread at once, for ever. */
enum { REST_MS = 250 };

static const char lost[] = "its process has ended or cannot be reached";

/* Another rank. */
typedef struct
{
  int        news_fd, first_fd; /* -1: none */
  char      *host;              /* owned: "10.0.0.2" */
  UrbTcpNews news;              /* what has come of the next ones */
  gsize      n_news;            /* bytes of them */
  gint64     heard_us;
  gboolean   has_left;          /* no news follow */
  GError    *early;             /* owned: why it gave up before all ranks were there */
  UrbComm   *member;            /* borrowed from its thread; NULL before it began and after it left */
} Peer;

/* A connection that is not yet known to be of a rank. */
typedef struct
{
  int             fd;
  char            host[NI_MAXHOST];
  UrbTcpGreeting  greeting;
  UrbTcpHandshake said; /* what has come of it */
  gsize           n_said;
  gint64          until_us;
} Handshake;

/* Of a communicator. */
typedef struct
{
  UrbTcpHub *hub;  /* borrowed */
  UrbComm   *comm; /* owned; its thread frees it */
  int        rank, fd;
} Connection;

struct _UrbTcpHub
{
  char       *address, *token; /* owned */
  int         n_ranks, listen_fd;
  gint64      rests_until_us; /* accepts nothing until then; of the thread */
  GThread    *thread;
  GArray     *handshakes; /* of Handshake, owned, the oldest first; of the thread */
  GMutex      lock;       /* of all that follows */
  GCond       changed;
  Peer       *peers;      /* (n_ranks), owned; the first is not used */
  GHashTable *tickets;    /* gint64 -> UrbComm*, both owned: that wait for their connection */
  int         n_here;
  gboolean    has_begun;
  GPtrArray  *connections; /* of Connection, borrowed from their threads */
  GError     *failure; /* owned: why the ranks cannot begin */
  char       *trouble; /* (nullable) owned: the last with a connection, which may be why a rank is missing */
  gboolean    ends;
  gboolean    is_left; /* to the last connection, which frees it */
};

/* ------------------------------------------------------------------------ */
/* Connections of communicators                                              */

static int
get_number (const UrbComm *comm)
{
  return urb_roster_get_number (&comm->roster, comm->rank);
}

/* Including those that wait for their connection.  Under the lock. */
static int
count_communicators (UrbTcpHub *self, int rank)
{
  GHashTableIter iter;
  gpointer comm;
  int n = 0;

  for (guint i = 0; i < self->connections->len; i++)
    n += ((const Connection *) self->connections->pdata[i])->rank == rank;
  g_hash_table_iter_init (&iter, self->tickets);
  while (g_hash_table_iter_next (&iter, NULL, &comm))
    n += get_number (comm) == rank;
  return n;
}

gint64
urb_tcp_hub_add_ticket (UrbTcpHub *self, UrbComm *made)
{
  gint64 *ticket;

  g_mutex_lock (&self->lock);
  if (count_communicators (self, get_number (made)) >= MAX_COMMUNICATORS)
    {
      g_mutex_unlock (&self->lock);
      urb_comm_free (made);
      return 0;
    }
  ticket = g_new0 (gint64, 1);
  while (*ticket <= 0 || g_hash_table_contains (self->tickets, ticket))
    if (getrandom (ticket, sizeof *ticket, 0) != sizeof *ticket)
      *ticket = 0;
  g_hash_table_insert (self->tickets, ticket, made);
  g_mutex_unlock (&self->lock);
  return *ticket;
}

/* Under the lock. */
static void
abort_peer (Peer *peer, const char *what)
{
  g_autofree char *why = g_strdup_printf ("%s (%s)", what, peer->host);

  if (peer->member != NULL)
    urb_comm_abort (peer->member, why);
}

void
urb_tcp_hub_leave (UrbTcpHub *self, UrbComm *comm, gboolean is_lost)
{
  Peer *peer = &self->peers[get_number (comm)];

  g_mutex_lock (&self->lock);
  if (is_lost)
    abort_peer (peer, lost);
  if (peer->member == comm)
    peer->member = NULL;
  g_mutex_unlock (&self->lock);
}

static void
free_memory (UrbTcpHub *self)
{
  for (int r = 1; r < self->n_ranks; r++)
    {
      g_free (self->peers[r].host);
      g_clear_error (&self->peers[r].early);
    }
  g_hash_table_unref (self->tickets);
  g_ptr_array_unref (self->connections);
  g_array_unref (self->handshakes);
  g_clear_error (&self->failure);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self->peers);
  g_free (self->address);
  g_free (self->token);
  g_free (self->trouble);
  g_free (self);
}

static gpointer
connection_thread (gpointer data)
{
  Connection *self = data;
  UrbTcpHub *hub = self->hub;
  gboolean is_last;

  urb_tcp_serve (hub, self->comm, self->fd);
  g_mutex_lock (&hub->lock);
  g_ptr_array_remove_fast (hub->connections, self);
  close (self->fd);
  g_free (self);
  is_last = hub->is_left && hub->connections->len == 0;
  g_cond_broadcast (&hub->changed);
  g_mutex_unlock (&hub->lock);
  if (is_last)
    free_memory (hub);
  return NULL;
}

/* Takes @comm and @fd.  Under the lock. */
static void
start_connection (UrbTcpHub *self, UrbComm *comm, int fd)
{
  Connection *made = g_new0 (Connection, 1);

  g_unix_set_fd_nonblocking (fd, FALSE, NULL);
  *made = (Connection) { self, comm, get_number (comm), fd };
  g_ptr_array_add (self->connections, made);
  g_thread_unref (g_thread_new ("connection", connection_thread, made));
}

/* ------------------------------------------------------------------------ */
/* Handshakes, under the lock                                                */

static gboolean
refuse (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
refuse (GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  *error = g_error_new_valist (URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE, format, args);
  va_end (args);
  return FALSE;
}

/* Takes @text. */
static void
note_trouble (UrbTcpHub *self, char *text)
{
  g_free (self->trouble);
  self->trouble = text;
}

/* Strangers cannot do more than that. */
static gboolean
check_proof (UrbTcpHub *self, const Handshake *from, GError **failure)
{
  guint8 expected[URB_TCP_PROOF_BYTES];

  urb_tcp_prove (self->token, URB_TCP_RANK, &from->greeting, &from->said, expected);
  if (urb_tcp_is_proof (from->said.proof, expected))
    return TRUE;
  note_trouble (self, g_strdup_printf ("a process at %s does not know the token", from->host));
  return refuse (failure, "Rank 0 at %s has another token than this rank, or only one of them has one: give all ranks "
                          "the same --token-file", self->address);
}

/* @failure: (out): also why the others cannot begin */
static gboolean
check_handshake (UrbTcpHub *self, UrbTcpHandshake *said, gboolean *is_fatal, GError **failure)
{
  Peer *peer = &self->peers[said->rank > 0 && said->rank < self->n_ranks ? said->rank : 0];
  const UrbComm *comm = said->ticket > 0 ? g_hash_table_lookup (self->tickets, &said->ticket) : NULL;

  *is_fatal = !self->has_begun;
  said->version[sizeof said->version - 1] = '\0';
  if (strcmp (said->version, URBARIUM_VERSION) != 0)
    return refuse (failure, "Rank %d is of version %s of Urbarium, and rank 0 of version " URBARIUM_VERSION,
                   said->rank, said->version);
  if (said->n_ranks != self->n_ranks)
    return refuse (failure, "Rank %d was started as one of %d ranks, and rank 0 as one of %d: give all the same "
                            "--world-size", said->rank, said->n_ranks, self->n_ranks);
  *is_fatal = FALSE;
  if (said->rank < 1 || said->rank >= self->n_ranks)
    return refuse (failure, "There is no rank %d among %d other than 0", said->rank, self->n_ranks);
  if (said->ticket == URB_TCP_NEWS && peer->news_fd >= 0)
    return refuse (failure, "Another process is rank %d already: give each its own --rank", said->rank);
  if (said->ticket <= 0 && self->has_begun)
    return refuse (failure, "The ranks have begun already, without this rank %d", said->rank);
  if (said->ticket == 0 && (peer->first_fd >= 0 || peer->news_fd < 0))
    return refuse (failure, "Rank %d has come already", said->rank);
  if (said->ticket < URB_TCP_NEWS || (said->ticket > 0 && (comm == NULL || get_number (comm) != said->rank)))
    return refuse (failure, "Rank %d asks for what is not there", said->rank);
  return TRUE;
}

/* @refusal: (nullable) */
static void
send_welcome (UrbTcpHub *self, const Handshake *from, const GError *refusal)
{
  UrbTcpWelcome welcome = { 0 };

  if (refusal == NULL)
    urb_tcp_prove (self->token, URB_TCP_HUB, &from->greeting, &from->said, welcome.proof);
  urb_tcp_news_init (&welcome.news, refusal);
  urb_tcp_send (from->fd, &welcome, sizeof welcome);
}

/* Takes its descriptor. */
static void
admit (UrbTcpHub *self, const Handshake *from)
{
  Peer *peer = &self->peers[from->said.rank];
  gpointer ticket, comm;

  send_welcome (self, from, NULL);
  if (from->said.ticket == URB_TCP_NEWS)
    {
      peer->news_fd = from->fd;
      peer->n_news = 0;
      peer->host = g_strdup (from->host);
      peer->heard_us = g_get_monotonic_time ();
    }
  else if (from->said.ticket == 0)
    {
      peer->first_fd = from->fd;
      self->n_here++;
    }
  else if (g_hash_table_steal_extended (self->tickets, &from->said.ticket, &ticket, &comm))
    {
      g_free (ticket);
      start_connection (self, comm, from->fd);
    }
  g_cond_broadcast (&self->changed);
}

/* Takes its descriptor. */
static void
answer (UrbTcpHub *self, Handshake *from)
{
  g_autoptr(GError) failure = NULL;
  gboolean is_fatal = FALSE;

  if (check_proof (self, from, &failure) && check_handshake (self, &from->said, &is_fatal, &failure))
    {
      admit (self, from);
      return;
    }
  send_welcome (self, from, failure);
  close (from->fd);
  if (is_fatal && self->failure == NULL)
    self->failure = g_steal_pointer (&failure);
  g_cond_broadcast (&self->changed);
}

/* FALSE: it is over.  What is not Urbarium is told nothing. */
static gboolean
go_on (UrbTcpHub *self, Handshake *from)
{
  UrbTcpArrival came = urb_tcp_receive_part (from->fd, &from->said, sizeof from->said, &from->n_said);

  if (came == URB_TCP_PART && g_get_monotonic_time () < from->until_us)
    return TRUE;
  if (came == URB_TCP_WHOLE && from->said.magic == URB_TCP_MAGIC)
    answer (self, from);
  else
    close (from->fd);
  return FALSE;
}

static void
receive_handshakes (UrbTcpHub *self)
{
  for (guint i = self->handshakes->len; i-- > 0;)
    if (!go_on (self, &g_array_index (self->handshakes, Handshake, i)))
      g_array_remove_index (self->handshakes, i);
}

/* If there are too many, the oldest one is dropped: ranks say at once what they are. */
static void
accept_connection (UrbTcpHub *self)
{
  const int one = 1;
  struct sockaddr_storage from;
  socklen_t length = sizeof from;
  Handshake made = { .host = "?", .until_us = g_get_monotonic_time () + HANDSHAKE_S * G_USEC_PER_SEC };

  made.fd = accept4 (self->listen_fd, (struct sockaddr *) &from, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (made.fd < 0)
    {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
        {
          note_trouble (self, g_strdup_printf ("a connection could not be accepted: %s", g_strerror (errno)));
          self->rests_until_us = g_get_monotonic_time () + REST_MS * 1000;
        }
      return;
    }
  setsockopt (made.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  getnameinfo ((struct sockaddr *) &from, length, made.host, sizeof made.host, NULL, 0, NI_NUMERICHOST);
  if (self->handshakes->len == (guint) self->n_ranks + MAX_OTHER_HANDSHAKES)
    {
      close (g_array_index (self->handshakes, Handshake, 0).fd);
      g_array_remove_index (self->handshakes, 0);
    }
  /* It fits into the buffer of a new connection; if not, the handshake fails. */
  made.greeting.magic = URB_TCP_MAGIC;
  if (!urb_tcp_draw_nonce (made.greeting.nonce) || !urb_tcp_send (made.fd, &made.greeting, sizeof made.greeting))
    {
      close (made.fd);
      return;
    }
  g_array_append_val (self->handshakes, made);
}

/* ------------------------------------------------------------------------ */
/* News, under the lock                                                      */

/* Before all ranks are there, it can be started again. */
static void
forget (UrbTcpHub *self, Peer *peer)
{
  if (peer->first_fd >= 0)
    {
      close (peer->first_fd);
      self->n_here--;
    }
  g_free (peer->host);
  g_clear_error (&peer->early);
  *peer = (Peer) { .news_fd = -1, .first_fd = -1 };
}

/* The threads of its connections need not wait for its orders. */
static void
lose_peer (UrbTcpHub *self, int rank, const char *what)
{
  Peer *peer = &self->peers[rank];

  if (!peer->has_left)
    abort_peer (peer, what);
  for (guint i = 0; i < self->connections->len && !peer->has_left; i++)
    {
      const Connection *one = self->connections->pdata[i];

      if (one->rank == rank)
        shutdown (one->fd, SHUT_RDWR);
    }
  shutdown (peer->news_fd, SHUT_RDWR);
  close (peer->news_fd);
  peer->news_fd = -1;
  if (!self->has_begun)
    forget (self, peer);
}

/* The rank waits for the answer, so that it does not leave before the others know why. */
static void
give_up (Peer *peer, const char *why)
{
  g_autoptr(GError) told = NULL;

  urb_comm_abort (peer->member, why);
  if (!urb_comm_check (peer->member, &told))
    urb_tcp_send_news (peer->news_fd, told);
}

static void
hear (UrbTcpHub *self, int rank)
{
  Peer *peer = &self->peers[rank];
  g_autoptr(GError) failure = NULL;
  UrbTcpArrival came = urb_tcp_receive_part (peer->news_fd, &peer->news, sizeof peer->news, &peer->n_news);

  if (came == URB_TCP_LOST)
    lose_peer (self, rank, lost);
  if (came != URB_TCP_WHOLE)
    return;
  peer->heard_us = g_get_monotonic_time ();
  peer->has_left = peer->has_left || peer->news.kind == URB_TCP_LEFT;
  if (urb_tcp_news_check (&peer->news, &failure))
    return;
  if (peer->member != NULL)
    give_up (peer, failure->message);
  else if (peer->early == NULL)
    peer->early = g_steal_pointer (&failure);
}

/* A rank that does not read its news does not answer either. */
static void
tell (UrbTcpHub *self)
{
  for (int r = 1; r < self->n_ranks; r++)
    {
      Peer *peer = &self->peers[r];

      if (peer->news_fd >= 0
          && (g_get_monotonic_time () - peer->heard_us > URB_TCP_SILENCE_S * G_USEC_PER_SEC
              || !urb_tcp_send_news (peer->news_fd, NULL)))
        lose_peer (self, r, "it does not answer any more");
    }
}

/* ------------------------------------------------------------------------ */
/* The thread                                                                */

/* The descriptors to wait for: of the listening socket, the ranks' news, the handshakes.
 * (element-type struct pollfd) (transfer full) */
static GArray *
list_wanted (UrbTcpHub *self)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (struct pollfd));

  for (int r = 0; r < self->n_ranks; r++)
    {
      gboolean rests = g_get_monotonic_time () < self->rests_until_us;
      struct pollfd one = { r > 0 ? self->peers[r].news_fd : rests ? -1 : self->listen_fd, POLLIN, 0 };

      g_array_append_val (list, one);
    }
  for (guint i = 0; i < self->handshakes->len; i++)
    {
      struct pollfd one = { g_array_index (self->handshakes, Handshake, i).fd, POLLIN, 0 };

      g_array_append_val (list, one);
    }
  return list;
}

/* News come first: a rank that was started again finds its place free.  Under the lock. */
static void
receive_all (UrbTcpHub *self, const struct pollfd *wanted)
{
  for (int r = 1; r < self->n_ranks; r++)
    if (wanted[r].revents != 0 && self->peers[r].news_fd == wanted[r].fd)
      hear (self, r);
  receive_handshakes (self);
  if (wanted[0].revents != 0)
    accept_connection (self);
}

static gpointer
hub_thread (gpointer data)
{
  UrbTcpHub *self = data;
  gint64 told_us = 0;

  g_mutex_lock (&self->lock);
  while (!self->ends)
    {
      g_autoptr(GArray) wanted = list_wanted (self);

      g_mutex_unlock (&self->lock);
      poll ((struct pollfd *) (void *) wanted->data, wanted->len, URB_TCP_BEAT_MS / 4);
      g_mutex_lock (&self->lock);
      receive_all (self, (const struct pollfd *) (void *) wanted->data);
      if (g_get_monotonic_time () - told_us > URB_TCP_BEAT_MS * 1000)
        {
          tell (self);
          told_us = g_get_monotonic_time ();
        }
    }
  g_mutex_unlock (&self->lock);
  return NULL;
}

/* ------------------------------------------------------------------------ */
/* The beginning and the end                                                 */

/* "1, 2".  Under the lock. (transfer full) */
static char *
dup_missing (UrbTcpHub *self)
{
  GString *missing = g_string_new (NULL);

  for (int r = 1; r < self->n_ranks; r++)
    if (self->peers[r].first_fd < 0)
      g_string_append_printf (missing, "%s%d", missing->len > 0 ? ", " : "", r);
  return g_string_free (missing, FALSE);
}

static void
tell_missing (UrbTcpHub *self, const UrbTcpPatience *patience)
{
  g_autofree char *missing = dup_missing (self);
  g_autofree char *text = g_strdup_printf ("Rank 0 waits at %s for %s %s", self->address,
                                           self->n_here == self->n_ranks - 2 ? "rank" : "ranks", missing);

  patience->tell (text, patience->user_data);
}

/* Under the lock. */
static gboolean
wait_for_peers (UrbTcpHub *self, const UrbTcpPatience *patience, GCancellable *stop, GError **error)
{
  gint64 begin_us = g_get_monotonic_time (), waited_us = 0;
  g_autofree char *missing = NULL;
  gboolean told = patience->tell == NULL;

  while (self->n_here < self->n_ranks - 1 && self->failure == NULL && !g_cancellable_is_cancelled (stop)
         && waited_us < patience->seconds * G_USEC_PER_SEC)
    {
      g_cond_wait_until (&self->changed, &self->lock, g_get_monotonic_time () + LOOK_MS * 1000);
      waited_us = g_get_monotonic_time () - begin_us;
      if (!told && waited_us > URB_TCP_TELL_MS * 1000 && self->n_here < self->n_ranks - 1)
        {
          tell_missing (self, patience);
          told = TRUE;
        }
    }
  if (self->failure != NULL)
    {
      g_propagate_error (error, g_error_copy (self->failure));
      return FALSE;
    }
  if (self->n_here == self->n_ranks - 1)
    return TRUE;
  if (g_cancellable_set_error_if_cancelled (stop, error))
    {
      self->failure = g_error_new (URB_COMM_ERROR, URB_COMM_ERROR_ABORTED,
                                   "Rank 0 at %s was stopped before all ranks had come", self->address);
      return FALSE;
    }
  missing = dup_missing (self);
  self->failure = g_error_new (URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE,
                               "Of %d ranks, these have not come to %s within %d s: %s%s%s%s", self->n_ranks,
                               self->address, patience->seconds, missing, self->trouble != NULL ? " (" : "",
                               self->trouble != NULL ? self->trouble : "", self->trouble != NULL ? ")" : "");
  g_propagate_error (error, g_error_copy (self->failure));
  return FALSE;
}

/* Takes the contents of @comms.  Under the lock. */
static void
begin (UrbTcpHub *self, UrbComm **comms)
{
  self->has_begun = TRUE;
  for (int r = 1; r < self->n_ranks; r++)
    {
      Peer *peer = &self->peers[r];

      peer->member = comms[r];
      if (peer->early != NULL)
        give_up (peer, peer->early->message);
      start_connection (self, comms[r], peer->first_fd);
      peer->first_fd = -1; /* the connection's */
    }
}

UrbTcpHub *
urb_tcp_hub_new (const char *address, int n_ranks, const char *token, const UrbTcpPatience *patience,
                 GCancellable *stop, UrbComm **comm, GError **error)
{
  g_autofree UrbComm **comms = g_new0 (UrbComm *, (gsize) n_ranks);
  int fd = urb_tcp_listen (address, error);
  UrbTcpHub *self;
  gboolean ok;

  if (fd < 0)
    return NULL;
  self = g_new0 (UrbTcpHub, 1);
  self->address = g_strdup (address);
  self->token = g_strdup (token);
  self->n_ranks = n_ranks;
  self->listen_fd = fd;
  g_unix_set_fd_nonblocking (fd, TRUE, NULL); /* a connection that is gone again */
  self->handshakes = g_array_new (FALSE, FALSE, sizeof (Handshake));
  self->peers = g_new0 (Peer, (gsize) n_ranks);
  for (int r = 0; r < n_ranks; r++)
    self->peers[r].news_fd = self->peers[r].first_fd = -1;
  self->tickets = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify) urb_comm_free);
  self->connections = g_ptr_array_new ();
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->thread = g_thread_new ("hub", hub_thread, self);
  g_mutex_lock (&self->lock);
  ok = wait_for_peers (self, patience, stop, error);
  if (ok)
    {
      urb_comm_new_threads (n_ranks, comms);
      begin (self, comms);
      *comm = comms[0];
    }
  g_mutex_unlock (&self->lock);
  if (!ok)
    g_clear_pointer (&self, urb_tcp_hub_free);
  return self;
}

/* Closing a connection with unread data would discard what the other end has not read yet. */
static void
close_news (int fd)
{
  char unread[512];

  shutdown (fd, SHUT_WR);
  while (recv (fd, unread, sizeof unread, MSG_DONTWAIT) > 0)
    continue;
  close (fd);
}

static void
close_all (UrbTcpHub *self)
{
  close (self->listen_fd);
  for (guint i = 0; i < self->handshakes->len; i++)
    close (g_array_index (self->handshakes, Handshake, i).fd);
  for (int r = 1; r < self->n_ranks; r++)
    {
      if (self->peers[r].news_fd >= 0)
        close_news (self->peers[r].news_fd);
      if (self->peers[r].first_fd >= 0)
        close (self->peers[r].first_fd);
    }
}

void
urb_tcp_hub_free (UrbTcpHub *self)
{
  gint64 until = g_get_monotonic_time () + LEAVING_S * G_USEC_PER_SEC;
  gboolean is_used;

  if (self == NULL)
    return;
  g_mutex_lock (&self->lock);
  while (self->connections->len > 0 && g_cond_wait_until (&self->changed, &self->lock, until))
    continue;
  self->ends = TRUE;
  g_hash_table_remove_all (self->tickets); /* so no connection is added */
  for (int r = 1; r < self->n_ranks; r++)
    if (self->peers[r].news_fd >= 0 && self->failure != NULL)
      urb_tcp_send_news (self->peers[r].news_fd, self->failure);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
  g_mutex_lock (&self->lock);
  close_all (self);
  self->is_left = is_used = self->connections->len > 0;
  g_mutex_unlock (&self->lock);
  if (!is_used)
    free_memory (self);
}
