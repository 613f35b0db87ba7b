/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp-hub.c - see comm-tcp.h: rank 0.
 *
 * One thread accepts connections and exchanges news with all ranks; each communicator of another rank has a
 * thread, its deputy, which does what that rank orders in a communicator of threads.  A deputy that waits for
 * other ranks does not see that its own is gone; then news do, and abort all of them.
 */
#include "parallel/tcp-private.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HELLO_S = 2, FAREWELL_S = 5, LOOK_MS = 100 };

static const char lost[] = "its process has ended or cannot be reached";

typedef struct
{
  int      news_fd, first_fd; /* -1: none */
  char    *host;              /* owned: "10.0.0.2" */
  gint64   heard_us;
  gboolean has_left;          /* no news follow */
  GError  *early;             /* owned: why it gave up before all ranks were there */
  UrbComm *member;            /* borrowed from a deputy; NULL before it began and after it left */
} Guest;

struct _UrbTcpHub
{
  char       *address; /* owned */
  int         n_ranks, listen_fd;
  GThread    *thread;
  GMutex      lock;    /* of all that follows */
  GCond       changed;
  Guest      *guests;  /* (n_ranks), owned; the first is not used */
  GHashTable *tickets; /* gint64 -> UrbComm*, both owned: that wait for their connection */
  gint64      last_ticket;
  int         n_here;
  GPtrArray  *deputies; /* of Deputy, borrowed from their threads */
  GError     *failure; /* owned: why the ranks cannot begin */
  gboolean    ends;
};

/* ------------------------------------------------------------------------ */
/* Deputies                                                                  */

typedef struct
{
  UrbRequest *request; /* NULL: it could not start */
  GError     *error;   /* owned */
  gsize       n_out;
  char       *in, *out; /* owned, reused */
  gsize       in_bytes, out_bytes; /* of that memory */
} Slot;

typedef struct
{
  UrbTcpHub *hub;  /* borrowed */
  UrbComm   *comm; /* owned */
  int        rank, fd;
  Slot       slots[URB_COMM_MAX_UNDER_WAY];
} Deputy;

static gboolean
reserve (char **memory, gsize *size, gsize n_bytes)
{
  if (n_bytes <= *size)
    return TRUE;
  g_free (*memory);
  *memory = g_try_malloc (n_bytes);
  *size = *memory != NULL ? n_bytes : 0;
  return *memory != NULL;
}

/* The data are read before comm.c checks the description. */
static gboolean
is_plausible (const Deputy *self, const UrbTcpOrder *order)
{
  return order->slot >= 0 && order->slot < URB_COMM_MAX_UNDER_WAY && self->slots[order->slot].request == NULL
         && order->kind >= 0 && order->kind < URB_N_COLLECTIVES && order->element >= 0
         && order->element < URB_N_ELEMENTS && order->count >= 0
         && order->count < G_MAXINT64 / 8 / self->comm->n_ranks;
}

/* FALSE: the rank cannot be served any more */
static gboolean
start (Deputy *self, const UrbTcpOrder *order)
{
  const UrbCollective what = { (UrbCollectiveKind) order->kind, (UrbElement) order->element, order->count,
                               order->peer };
  int rank = self->comm->rank, n_ranks = self->comm->n_ranks;
  Slot *slot;
  gsize n_in;

  if (!is_plausible (self, order))
    return FALSE;
  slot = &self->slots[order->slot];
  n_in = urb_tcp_count_bytes (&what, urb_collective_count_in (&what, rank, n_ranks));
  slot->n_out = urb_tcp_count_bytes (&what, urb_collective_count_out (&what, rank, n_ranks));
  if (!reserve (&slot->in, &slot->in_bytes, n_in) || !reserve (&slot->out, &slot->out_bytes, slot->n_out))
    {
      urb_comm_abort (self->comm, "rank 0 has not enough memory for its data");
      return FALSE;
    }
  if (!urb_tcp_receive (self->fd, slot->in, n_in))
    return FALSE;
  g_clear_error (&slot->error);
  slot->request = urb_comm_start (self->comm, &what, slot->in, slot->out, &slot->error);
  return TRUE;
}

static gboolean
await (Deputy *self, const UrbTcpOrder *order)
{
  Slot *slot = order->slot >= 0 && order->slot < URB_COMM_MAX_UNDER_WAY ? &self->slots[order->slot] : NULL;
  gboolean ok;

  if (slot == NULL || (slot->request == NULL && slot->error == NULL))
    return FALSE;
  ok = slot->request != NULL && urb_comm_wait (self->comm, slot->request, &slot->error);
  slot->request = NULL;
  return urb_tcp_send_news (self->fd, ok ? NULL : slot->error)
         && (!ok || urb_tcp_send (self->fd, slot->out, slot->n_out));
}

static gboolean
split (Deputy *self, const UrbTcpOrder *order)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *name = order->is_dup ? NULL : g_strndup (order->name, sizeof order->name - 1);
  UrbComm *made = self->comm->ops->split (self->comm, &(UrbSplit) { name, order->color, order->key }, &error);
  UrbTcpGroup group = { 0 };
  g_autofree gint32 *numbers = NULL;
  gint64 *ticket;

  if (made == NULL)
    return urb_tcp_send_news (self->fd, error);
  group = (UrbTcpGroup) { .rank = made->rank, .n_ranks = made->n_ranks, .has_name = made->roster.name != NULL };
  g_strlcpy (group.name, made->roster.name != NULL ? made->roster.name : "", sizeof group.name);
  numbers = g_new (gint32, (gsize) made->n_ranks);
  for (int r = 0; r < made->n_ranks; r++)
    numbers[r] = urb_roster_get_number (&made->roster, r);
  g_mutex_lock (&self->hub->lock);
  group.ticket = ++self->hub->last_ticket;
  ticket = g_new (gint64, 1);
  *ticket = group.ticket;
  g_hash_table_insert (self->hub->tickets, ticket, made);
  g_mutex_unlock (&self->hub->lock);
  return urb_tcp_send_news (self->fd, NULL) && urb_tcp_send (self->fd, &group, sizeof group)
         && urb_tcp_send (self->fd, numbers, (gsize) group.n_ranks * sizeof *numbers);
}

/* FALSE: the connection is lost */
static gboolean
serve (Deputy *self)
{
  UrbTcpOrder order;

  while (urb_tcp_receive (self->fd, &order, sizeof order))
    {
      if (order.verb == URB_TCP_LEAVE)
        return TRUE;
      if (!(order.verb == URB_TCP_START  ? start (self, &order)
            : order.verb == URB_TCP_WAIT ? await (self, &order)
                                         : split (self, &order)))
        return FALSE;
    }
  return FALSE;
}

/* Under the lock. */
static void
abort_guest (Guest *guest, const char *what)
{
  g_autofree char *why = g_strdup_printf ("%s (%s)", what, guest->host);

  if (guest->member != NULL)
    urb_comm_abort (guest->member, why);
}

static gpointer
deputy_thread (gpointer data)
{
  Deputy *self = data;
  UrbTcpHub *hub = self->hub;
  Guest *guest = &hub->guests[self->rank];
  gboolean has_left = serve (self);

  g_mutex_lock (&hub->lock);
  if (!has_left)
    abort_guest (guest, lost);
  if (guest->member == self->comm)
    guest->member = NULL;
  g_mutex_unlock (&hub->lock);
  urb_comm_free (self->comm);
  for (int i = 0; i < URB_COMM_MAX_UNDER_WAY; i++)
    {
      g_free (self->slots[i].in);
      g_free (self->slots[i].out);
      g_clear_error (&self->slots[i].error);
    }
  g_mutex_lock (&hub->lock);
  g_ptr_array_remove_fast (hub->deputies, self);
  close (self->fd);
  g_free (self);
  g_cond_broadcast (&hub->changed);
  g_mutex_unlock (&hub->lock);
  return NULL;
}

/* Takes @comm and @fd.  Under the lock. */
static void
deputize (UrbTcpHub *self, int rank, UrbComm *comm, int fd)
{
  Deputy *deputy = g_new0 (Deputy, 1);

  deputy->hub = self;
  deputy->comm = comm;
  deputy->rank = rank;
  deputy->fd = fd;
  g_ptr_array_add (self->deputies, deputy);
  g_thread_unref (g_thread_new ("deputy", deputy_thread, deputy));
}

/* ------------------------------------------------------------------------ */
/* Guests, under the lock                                                    */

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

/* @failure: (out): also why the others cannot begin */
static gboolean
check_hello (UrbTcpHub *self, UrbTcpHello *hello, gboolean *is_fatal, GError **failure)
{
  Guest *guest = &self->guests[hello->rank > 0 && hello->rank < self->n_ranks ? hello->rank : 0];

  *is_fatal = TRUE;
  hello->version[sizeof hello->version - 1] = '\0';
  if (strcmp (hello->version, URBARIUM_VERSION) != 0)
    return refuse (failure, "Rank %d is of version %s of Urbarium, and rank 0 of version " URBARIUM_VERSION,
                   hello->rank, hello->version);
  if (hello->n_ranks != self->n_ranks)
    return refuse (failure, "Rank %d was started as one of %d ranks, and rank 0 as one of %d: give all the same "
                            "--world-size", hello->rank, hello->n_ranks, self->n_ranks);
  *is_fatal = FALSE;
  if (hello->rank < 1 || hello->rank >= self->n_ranks)
    return refuse (failure, "There is no rank %d among %d other than 0", hello->rank, self->n_ranks);
  if (hello->ticket == URB_TCP_NEWS && guest->news_fd >= 0)
    return refuse (failure, "Another process is rank %d already: give each its own --rank", hello->rank);
  if (hello->ticket == 0 && (guest->first_fd >= 0 || guest->news_fd < 0))
    return refuse (failure, "Rank %d has come already", hello->rank);
  if (hello->ticket > 0 && g_hash_table_lookup (self->tickets, &hello->ticket) == NULL)
    return refuse (failure, "Rank %d asks for what is not there", hello->rank);
  return TRUE;
}

/* Takes @fd. */
static void
welcome (UrbTcpHub *self, const UrbTcpHello *hello, int fd, const char *host)
{
  Guest *guest = &self->guests[hello->rank];
  gpointer ticket, comm;

  urb_tcp_send_news (fd, NULL);
  if (hello->ticket == URB_TCP_NEWS)
    {
      guest->news_fd = fd;
      guest->host = g_strdup (host);
      guest->heard_us = g_get_monotonic_time ();
    }
  else if (hello->ticket == 0)
    {
      guest->first_fd = fd;
      self->n_here++;
    }
  else if (g_hash_table_steal_extended (self->tickets, &hello->ticket, &ticket, &comm))
    {
      g_free (ticket);
      deputize (self, hello->rank, comm, fd);
    }
  g_cond_broadcast (&self->changed);
}

/* What is not Urbarium is told nothing. */
static void
let_in (UrbTcpHub *self)
{
  const int one = 1;
  struct sockaddr_storage from;
  socklen_t length = sizeof from;
  char host[NI_MAXHOST] = "?";
  UrbTcpHello hello;
  g_autoptr(GError) failure = NULL;
  gboolean is_fatal;
  int fd = accept4 (self->listen_fd, (struct sockaddr *) &from, &length, SOCK_CLOEXEC);

  if (fd < 0)
    return;
  urb_tcp_set_timeout (fd, HELLO_S);
  if (!urb_tcp_receive (fd, &hello, sizeof hello) || hello.magic != URB_TCP_MAGIC)
    {
      close (fd);
      return;
    }
  urb_tcp_set_timeout (fd, 0);
  setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  getnameinfo ((struct sockaddr *) &from, length, host, sizeof host, NULL, 0, NI_NUMERICHOST);
  g_mutex_lock (&self->lock);
  if (check_hello (self, &hello, &is_fatal, &failure))
    welcome (self, &hello, fd, host);
  else
    {
      urb_tcp_send_news (fd, failure);
      close (fd);
      if (is_fatal && self->failure == NULL)
        self->failure = g_steal_pointer (&failure);
      g_cond_broadcast (&self->changed);
    }
  g_mutex_unlock (&self->lock);
}

/* ------------------------------------------------------------------------ */
/* News                                                                      */

/* Its deputies need not wait for its orders. */
static void
lose_guest (UrbTcpHub *self, int rank, const char *what)
{
  Guest *guest = &self->guests[rank];

  if (!guest->has_left)
    abort_guest (guest, what);
  for (guint i = 0; i < self->deputies->len && !guest->has_left; i++)
    if (((const Deputy *) self->deputies->pdata[i])->rank == rank)
      shutdown (((const Deputy *) self->deputies->pdata[i])->fd, SHUT_RDWR);
  shutdown (guest->news_fd, SHUT_RDWR);
  close (guest->news_fd);
  guest->news_fd = -1;
}

/* The rank waits for the answer, so that it does not leave before the others know why. */
static void
give_up (Guest *guest, const char *why)
{
  g_autoptr(GError) told = NULL;

  urb_comm_abort (guest->member, why);
  if (!urb_comm_check (guest->member, &told))
    urb_tcp_send_news (guest->news_fd, told);
}

static void
hear (UrbTcpHub *self, int rank)
{
  Guest *guest = &self->guests[rank];
  g_autoptr(GError) failure = NULL;
  UrbTcpNews news;

  if (!urb_tcp_receive (guest->news_fd, &news, sizeof news))
    {
      lose_guest (self, rank, lost);
      return;
    }
  guest->heard_us = g_get_monotonic_time ();
  guest->has_left = guest->has_left || news.kind == URB_TCP_LEFT;
  if (urb_tcp_news_check (&news, &failure))
    return;
  if (guest->member != NULL)
    give_up (guest, failure->message);
  else if (guest->early == NULL)
    guest->early = g_steal_pointer (&failure);
}

static void
tell (UrbTcpHub *self)
{
  for (int r = 1; r < self->n_ranks; r++)
    {
      Guest *guest = &self->guests[r];

      if (guest->news_fd < 0)
        continue;
      if (g_get_monotonic_time () - guest->heard_us > URB_TCP_SILENCE_S * G_USEC_PER_SEC)
        lose_guest (self, r, "it does not answer any more");
      else
        urb_tcp_send_news (guest->news_fd, NULL);
    }
}

static gpointer
hub_thread (gpointer data)
{
  UrbTcpHub *self = data;
  g_autofree struct pollfd *wanted = g_new0 (struct pollfd, (gsize) self->n_ranks);
  gint64 told_us = 0;
  gboolean goes_on = TRUE;

  while (goes_on)
    {
      g_mutex_lock (&self->lock);
      for (int r = 0; r < self->n_ranks; r++)
        wanted[r] = (struct pollfd) { r == 0 ? self->listen_fd : self->guests[r].news_fd, POLLIN, 0 };
      g_mutex_unlock (&self->lock);
      poll (wanted, (nfds_t) self->n_ranks, URB_TCP_BEAT_MS / 4);
      if (wanted[0].revents != 0)
        let_in (self);
      g_mutex_lock (&self->lock);
      for (int r = 1; r < self->n_ranks; r++)
        if (wanted[r].revents != 0 && self->guests[r].news_fd == wanted[r].fd)
          hear (self, r);
      if (g_get_monotonic_time () - told_us > URB_TCP_BEAT_MS * 1000)
        {
          tell (self);
          told_us = g_get_monotonic_time ();
        }
      goes_on = !self->ends;
      g_mutex_unlock (&self->lock);
    }
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
    if (self->guests[r].first_fd < 0)
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
wait_for_guests (UrbTcpHub *self, const UrbTcpPatience *patience, GCancellable *stop, GError **error)
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
                               "Of %d ranks, these have not come to %s within %d s: %s", self->n_ranks,
                               self->address, patience->seconds, missing);
  g_propagate_error (error, g_error_copy (self->failure));
  return FALSE;
}

/* Takes the contents of @comms.  Under the lock. */
static void
begin (UrbTcpHub *self, UrbComm **comms)
{
  for (int r = 1; r < self->n_ranks; r++)
    {
      Guest *guest = &self->guests[r];

      guest->member = comms[r];
      if (guest->early != NULL)
        give_up (guest, guest->early->message);
      deputize (self, r, comms[r], guest->first_fd);
      guest->first_fd = -2; /* the deputy's */
    }
}

UrbTcpHub *
urb_tcp_hub_new (const char *address, int n_ranks, const UrbTcpPatience *patience, GCancellable *stop,
                 UrbComm **comm, GError **error)
{
  g_autofree UrbComm **comms = g_new0 (UrbComm *, (gsize) n_ranks);
  int fd = urb_tcp_listen (address, error);
  UrbTcpHub *self;
  gboolean ok;

  if (fd < 0)
    return NULL;
  self = g_new0 (UrbTcpHub, 1);
  self->address = g_strdup (address);
  self->n_ranks = n_ranks;
  self->listen_fd = fd;
  self->guests = g_new0 (Guest, (gsize) n_ranks);
  for (int r = 0; r < n_ranks; r++)
    self->guests[r].news_fd = self->guests[r].first_fd = -1;
  self->tickets = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify) urb_comm_free);
  self->deputies = g_ptr_array_new ();
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->thread = g_thread_new ("hub", hub_thread, self);
  g_mutex_lock (&self->lock);
  ok = wait_for_guests (self, patience, stop, error);
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

void
urb_tcp_hub_free (UrbTcpHub *self)
{
  gint64 until = g_get_monotonic_time () + FAREWELL_S * G_USEC_PER_SEC;

  if (self == NULL)
    return;
  g_mutex_lock (&self->lock);
  while (self->deputies->len > 0 && g_cond_wait_until (&self->changed, &self->lock, until))
    continue;
  self->ends = TRUE;
  g_hash_table_remove_all (self->tickets);
  for (int r = 1; r < self->n_ranks; r++)
    if (self->guests[r].news_fd >= 0 && self->failure != NULL)
      urb_tcp_send_news (self->guests[r].news_fd, self->failure);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
  close (self->listen_fd);
  for (int r = 1; r < self->n_ranks; r++)
    {
      if (self->guests[r].news_fd >= 0)
        close (self->guests[r].news_fd);
      if (self->guests[r].first_fd >= 0)
        close (self->guests[r].first_fd);
      g_free (self->guests[r].host);
      g_clear_error (&self->guests[r].early);
    }
  if (self->deputies->len > 0) /* this process ends; a deputy that still waits must not lose the hub */
    return;
  g_hash_table_unref (self->tickets);
  g_ptr_array_unref (self->deputies);
  g_clear_error (&self->failure);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self->guests);
  g_free (self->address);
  g_free (self);
}
