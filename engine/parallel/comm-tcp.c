/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-tcp.c - see comm-tcp.h: a rank other than 0.
 *
 * An operation is done by this rank's thread in rank 0's process (tcp-hub.c).  start() sends the order and the
 * input there, wait() receives the output.  A thread listens to news; if rank 0 is gone it ends all connections,
 * so that no read blocks.
 */
#include "parallel/tcp-private.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <glib-unix.h>

enum { RETRY_MS = 200, ANSWER_MS = 5000, REASON_MS = 2000 };

/* Shared by the communicators that were split from one another. */
typedef struct
{
  char    *address, *token; /* owned */
  int      rank, n_ranks;
  int      news_fd;
  GThread *thread;
  GMutex   lock; /* of what follows, and of writing news */
  GCond    failed;
  GError  *failure; /* owned; NULL: none */
  GArray  *fds;     /* of int, owned: of all communicators */
  gboolean ends;
} World;

typedef struct
{
  UrbComm base;
  World  *world;
  int     fd;
} TcpComm;

static const UrbCommOps tcp_ops;

/* ------------------------------------------------------------------------ */
/* Failures                                                                  */

/* Takes @failure; the first one stays. */
static void
world_fail (World *self, GError *failure)
{
  g_mutex_lock (&self->lock);
  if (self->failure == NULL && !self->ends)
    self->failure = g_steal_pointer (&failure);
  for (guint i = 0; i < self->fds->len && !self->ends; i++)
    shutdown (g_array_index (self->fds, int, i), SHUT_RDWR);
  g_cond_broadcast (&self->failed);
  g_mutex_unlock (&self->lock);
  g_clear_error (&failure);
}

static gboolean
world_check (World *self, GError **error)
{
  gboolean ok;

  g_mutex_lock (&self->lock);
  ok = self->failure == NULL;
  if (!ok && error != NULL)
    *error = g_error_copy (self->failure);
  g_mutex_unlock (&self->lock);
  return ok;
}

/* Until news tell of one.  Under the lock. */
static void
await_failure (World *self, int ms)
{
  gint64 until = g_get_monotonic_time () + ms * 1000;

  while (self->failure == NULL && g_cond_wait_until (&self->failed, &self->lock, until))
    continue;
}

static void
world_lose (World *self)
{
  world_fail (self, g_error_new (URB_COMM_ERROR, URB_COMM_ERROR_ABORTED,
                                 "Rank 0 at %s has ended, or cannot be reached any more", self->address));
}

/* FALSE: an end */
static gboolean
hear (World *self, UrbTcpNews *news, gsize *n_news, gint64 *heard_us)
{
  UrbTcpArrival came = urb_tcp_receive_part (self->news_fd, news, sizeof *news, n_news);
  GError *failure = NULL;

  if (came == URB_TCP_LOST)
    world_lose (self);
  if (came != URB_TCP_WHOLE)
    return came == URB_TCP_PART;
  *heard_us = g_get_monotonic_time ();
  if (urb_tcp_news_check (news, &failure))
    return TRUE;
  world_fail (self, failure);
  return FALSE;
}

/* A connection that cannot be written will soon end for the reader, too; what came before is read first, since it may
 * be the reason.  FALSE: this rank ends */
static gboolean
tell (World *self)
{
  gboolean goes_on;

  g_mutex_lock (&self->lock);
  goes_on = !self->ends;
  if (goes_on)
    urb_tcp_send_news (self->news_fd, NULL);
  g_mutex_unlock (&self->lock);
  return goes_on;
}

static gpointer
news_thread (gpointer data)
{
  World *self = data;
  UrbTcpNews news;
  gsize n_news = 0;
  gint64 heard_us = g_get_monotonic_time ();
  gboolean goes_on = TRUE;

  while (goes_on)
    {
      struct pollfd wanted = { self->news_fd, POLLIN, 0 };

      if (poll (&wanted, 1, URB_TCP_BEAT_MS) > 0)
        goes_on = hear (self, &news, &n_news, &heard_us);
      if (goes_on && g_get_monotonic_time () - heard_us > URB_TCP_SILENCE_S * G_USEC_PER_SEC)
        {
          world_lose (self);
          goes_on = FALSE;
        }
      goes_on = goes_on && tell (self);
    }
  return NULL;
}

/* ------------------------------------------------------------------------ */
/* Connections                                                               */

/* What a connection is for. */
typedef struct
{
  const char *address, *token; /* borrowed */
  int         rank, n_ranks;
  gint64      ticket;
} Purpose;

/* FALSE: refused, or it is not rank 0 */
static gboolean
check_welcome (const Purpose *purpose, const UrbTcpGreeting *greeting, const UrbTcpHandshake *said,
               UrbTcpWelcome *welcome, GError **error)
{
  guint8 expected[URB_TCP_PROOF_BYTES];

  if (!urb_tcp_news_check (&welcome->news, error))
    return FALSE;
  urb_tcp_prove (purpose->token, URB_TCP_HUB, greeting, said, expected);
  if (urb_tcp_is_proof (welcome->proof, expected))
    return TRUE;
  g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE,
               "What answers at %s does not know the token of these ranks", purpose->address);
  return FALSE;
}

/* FALSE: it does not answer. */
static gboolean
shake_hands (int fd, const Purpose *purpose, gboolean *refused, GError **error)
{
  UrbTcpHandshake said = { .magic = URB_TCP_MAGIC, .version = URBARIUM_VERSION, .rank = purpose->rank,
                           .n_ranks = purpose->n_ranks, .ticket = purpose->ticket };
  UrbTcpGreeting greeting;
  UrbTcpWelcome welcome;

  if (!urb_tcp_draw_nonce (said.nonce) || !urb_tcp_receive (fd, &greeting, sizeof greeting)
      || greeting.magic != URB_TCP_MAGIC)
    return FALSE;
  urb_tcp_prove (purpose->token, URB_TCP_RANK, &greeting, &said, said.proof);
  if (!urb_tcp_send (fd, &said, sizeof said) || !urb_tcp_receive (fd, &welcome, sizeof welcome))
    return FALSE;
  *refused = !check_welcome (purpose, &greeting, &said, &welcome, error);
  return TRUE;
}

/* -1: refused, or not there */
static int
connect_for (const Purpose *purpose, gboolean *refused, GError **error)
{
  int fd = urb_tcp_connect (purpose->address, error);

  *refused = FALSE;
  if (fd < 0)
    return -1;
  urb_tcp_set_timeout (fd, URB_TCP_SILENCE_S);
  if (!shake_hands (fd, purpose, refused, error))
    g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE,
                 "No rank 0 of this version of Urbarium answers at %s", purpose->address);
  else if (!*refused)
    {
      urb_tcp_set_timeout (fd, 0);
      return fd;
    }
  close (fd);
  return -1;
}

/* Takes @fd and the contents of @roster. */
static UrbComm *
comm_new (World *world, int fd, int rank, UrbRoster *roster)
{
  TcpComm *self = g_new0 (TcpComm, 1);

  urb_comm_init (&self->base, &tcp_ops, rank, roster);
  self->world = world;
  self->fd = fd;
  g_mutex_lock (&world->lock);
  g_array_append_val (world->fds, fd);
  g_mutex_unlock (&world->lock);
  return &self->base;
}

/* Rank 0 tells why it ends before it closes its connections, but on another one: that may be read a moment later. */
static gboolean
set_lost (TcpComm *self, GError **error)
{
  World *world = self->world;

  g_mutex_lock (&world->lock);
  await_failure (world, REASON_MS);
  g_mutex_unlock (&world->lock);
  world_lose (world);
  return world_check (world, error);
}

/* ------------------------------------------------------------------------ */
/* The table                                                                 */

static gboolean
tcp_start (UrbComm *comm, UrbRequest *request, GError **error)
{
  TcpComm *self = (TcpComm *) comm;
  const UrbCollective *what = &request->what;
  const UrbTcpOrder order = { .verb = URB_TCP_START, .slot = urb_comm_get_slot (comm, request), .kind = what->kind,
                              .element = what->element, .peer = what->peer, .count = what->count };
  gsize n_bytes = urb_tcp_count_bytes (what, urb_collective_count_in (what, comm->rank, comm->n_ranks));

  if (!world_check (self->world, error))
    return FALSE;
  return (urb_tcp_send (self->fd, &order, sizeof order) && urb_tcp_send (self->fd, request->in, n_bytes))
         || set_lost (self, error);
}

static gboolean
tcp_wait (UrbComm *comm, UrbRequest *request, GError **error)
{
  TcpComm *self = (TcpComm *) comm;
  const UrbTcpOrder order = { .verb = URB_TCP_WAIT, .slot = urb_comm_get_slot (comm, request) };
  gsize n_bytes = urb_tcp_count_bytes (&request->what, urb_collective_count_out (&request->what, comm->rank,
                                                                                 comm->n_ranks));
  UrbTcpNews news;

  if (!world_check (self->world, error))
    return FALSE;
  if (!urb_tcp_send (self->fd, &order, sizeof order) || !urb_tcp_receive (self->fd, &news, sizeof news))
    return set_lost (self, error);
  return urb_tcp_news_check (&news, error)
         && (urb_tcp_receive (self->fd, request->out, n_bytes) || set_lost (self, error));
}

static UrbComm *
tcp_split (UrbComm *comm, const UrbSplit *how, GError **error)
{
  TcpComm *self = (TcpComm *) comm;
  World *world = self->world;
  UrbTcpOrder order = { .verb = URB_TCP_SPLIT, .is_dup = how->name == NULL, .color = how->color, .key = how->key };
  Purpose purpose = { world->address, world->token, world->rank, world->n_ranks, 0 };
  g_auto(UrbRoster) roster = { 0 };
  UrbTcpNews news;
  UrbTcpGroup group;
  gboolean refused;
  int fd;

  g_strlcpy (order.name, how->name != NULL ? how->name : "", sizeof order.name);
  if (!world_check (world, error))
    return NULL;
  if (!urb_tcp_send (self->fd, &order, sizeof order) || !urb_tcp_receive (self->fd, &news, sizeof news))
    {
      set_lost (self, error);
      return NULL;
    }
  if (!urb_tcp_news_check (&news, error))
    return NULL;
  if (!urb_tcp_receive (self->fd, &group, sizeof group) || group.n_ranks < 1 || group.n_ranks > world->n_ranks)
    {
      set_lost (self, error);
      return NULL;
    }
  group.name[sizeof group.name - 1] = '\0';
  roster = (UrbRoster) { group.n_ranks, g_new0 (int, (gsize) group.n_ranks),
                         group.has_name ? g_strdup (group.name) : NULL };
  if (!urb_tcp_receive (self->fd, roster.numbers, (gsize) group.n_ranks * sizeof (int)))
    {
      set_lost (self, error);
      return NULL;
    }
  purpose.ticket = group.ticket;
  fd = connect_for (&purpose, &refused, error);
  return fd >= 0 ? comm_new (world, fd, group.rank, &roster) : NULL;
}

/* Rank 0 tells all ranks who gave up, also this one. */
static void
tcp_abort (UrbComm *comm, const char *why)
{
  World *world = ((TcpComm *) comm)->world;
  g_autoptr(GError) failure = g_error_new_literal (URB_COMM_ERROR, URB_COMM_ERROR_ABORTED, why);

  g_mutex_lock (&world->lock);
  urb_tcp_send_news (world->news_fd, failure);
  await_failure (world, ANSWER_MS);
  g_mutex_unlock (&world->lock);
}

static gboolean
tcp_check (UrbComm *comm, GError **error)
{
  return world_check (((TcpComm *) comm)->world, error);
}

static void
world_free (World *self)
{
  const UrbTcpNews left = { .kind = URB_TCP_LEFT };

  g_mutex_lock (&self->lock);
  self->ends = TRUE;
  urb_tcp_send (self->news_fd, &left, sizeof left);
  g_mutex_unlock (&self->lock);
  shutdown (self->news_fd, SHUT_RDWR);
  g_thread_join (self->thread);
  close (self->news_fd);
  g_array_unref (self->fds);
  g_clear_error (&self->failure);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->failed);
  g_free (self->address);
  g_free (self->token);
  g_free (self);
}

static void
tcp_free (UrbComm *comm)
{
  TcpComm *self = (TcpComm *) comm;
  World *world = self->world;
  const UrbTcpOrder order = { .verb = URB_TCP_LEAVE };
  gboolean is_last;

  urb_tcp_send (self->fd, &order, sizeof order);
  g_mutex_lock (&world->lock);
  for (guint i = 0; i < world->fds->len; i++)
    if (g_array_index (world->fds, int, i) == self->fd)
      {
        g_array_remove_index_fast (world->fds, i);
        break;
      }
  is_last = world->fds->len == 0;
  g_mutex_unlock (&world->lock);
  close (self->fd);
  if (is_last)
    world_free (world);
}

static const UrbCommOps tcp_ops = {
  .name = "tcp",
  .request_size = sizeof (UrbRequest),
  .start = tcp_start,
  .wait = tcp_wait,
  .split = tcp_split,
  .abort = tcp_abort,
  .check = tcp_check,
  .free = tcp_free,
};

/* ------------------------------------------------------------------------ */
/* The beginning                                                             */

/* Until rank 0 is there, which may start later than this one. */
static int
connect_until (const Purpose *purpose, const UrbTcpPatience *patience, GError **error)
{
  gint64 begin_us = g_get_monotonic_time ();
  gboolean told = patience->tell == NULL;

  for (;;)
    {
      g_autoptr(GError) cause = NULL;
      gboolean refused;
      int fd = connect_for (purpose, &refused, &cause);
      gint64 waited_us = g_get_monotonic_time () - begin_us;

      if (fd >= 0)
        return fd;
      if (refused || cause->code == URB_COMM_ERROR_INVALID)
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return -1;
        }
      if (waited_us > patience->seconds * G_USEC_PER_SEC)
        {
          g_set_error (error, cause->domain, cause->code, "%s (tried for %d s)", cause->message, patience->seconds);
          return -1;
        }
      if (!told && waited_us > URB_TCP_TELL_MS * 1000)
        {
          g_autofree char *text = g_strdup_printf ("Rank 0 at %s is not there yet; trying for %d s",
                                                   purpose->address, patience->seconds);

          patience->tell (text, patience->user_data);
          told = TRUE;
        }
      g_usleep (RETRY_MS * 1000);
    }
}

UrbComm *
urb_comm_new_tcp (const char *address, int rank, int n_ranks, const char *token, const UrbTcpPatience *patience,
                  GError **error)
{
  Purpose purpose = { address, token, rank, n_ranks, URB_TCP_NEWS };
  int news_fd = connect_until (&purpose, patience, error), fd;
  UrbRoster roster = { .n_ranks = n_ranks };
  gboolean refused;
  World *world;

  if (news_fd < 0)
    return NULL;
  purpose.ticket = 0;
  fd = connect_for (&purpose, &refused, error);
  if (fd < 0)
    {
      close (news_fd);
      return NULL;
    }
  world = g_new0 (World, 1);
  world->address = g_strdup (address);
  world->token = g_strdup (token);
  world->rank = rank;
  world->n_ranks = n_ranks;
  world->news_fd = news_fd;
  g_unix_set_fd_nonblocking (news_fd, TRUE, NULL); /* its lock is held meanwhile */
  world->fds = g_array_new (FALSE, FALSE, sizeof (int));
  g_mutex_init (&world->lock);
  g_cond_init (&world->failed);
  world->thread = g_thread_new ("news", news_thread, world);
  return comm_new (world, fd, rank, &roster);
}
