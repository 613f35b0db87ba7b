/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp-wire.c - see tcp-private.h: sockets.
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

#include <gio/gio.h>
#include <glib-unix.h>

enum { BACKLOG = 256 };

static GSocketConnectable *
parse (const char *address, GError **error)
{
  GSocketConnectable *parsed = g_network_address_parse (address, 0, NULL);

  if (parsed != NULL && g_network_address_get_port (G_NETWORK_ADDRESS (parsed)) > 0
      && *g_network_address_get_hostname (G_NETWORK_ADDRESS (parsed)) != '\0')
    return parsed;
  g_clear_object (&parsed);
  g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_INVALID,
               "“%s” is no address with a port; write for example 10.0.0.1:29500", address);
  return NULL;
}

gboolean
urb_tcp_check_address (const char *address, GError **error)
{
  g_autoptr(GSocketConnectable) parsed = parse (address, error);

  return parsed != NULL;
}

static int
fail (const char *doing, const char *address, const char *why, GError **error)
{
  g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE, "Cannot %s %s: %s", doing, address, why);
  return -1;
}

gboolean
urb_tcp_is_loopback (const char *address)
{
  g_autoptr(GSocketConnectable) parsed = parse (address, NULL);
  const char *name = parsed != NULL ? g_network_address_get_hostname (G_NETWORK_ADDRESS (parsed)) : "";
  g_autoptr(GInetAddress) number = g_inet_address_new_from_string (name);

  return number != NULL ? g_inet_address_get_is_loopback (number) : strcmp (name, "localhost") == 0;
}

/* Some systems give a host's own name this address: 127.0.1.1. */
static gboolean
is_loopback (const struct addrinfo *where)
{
  g_autoptr(GSocketAddress) address = g_socket_address_new_from_native (where->ai_addr, where->ai_addrlen);

  return address != NULL
         && g_inet_address_get_is_loopback (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address)));
}

static int
fail_unreachable (const char *name, const struct addrinfo *where, GError **error)
{
  char number[NI_MAXHOST] = "?";

  getnameinfo (where->ai_addr, where->ai_addrlen, number, sizeof number, NULL, 0, NI_NUMERICHOST);
  g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_INVALID,
               "%s is %s here, which other hosts cannot reach; write the address", name, number);
  return -1;
}

static void
fail_by_cause (const char *doing, const char *address, int cause, GError **error)
{
  g_autofree char *why = cause == ETIMEDOUT
                           ? g_strdup_printf ("nothing answers within %d s; is a firewall in between?",
                                              URB_TCP_CONNECT_S)
                           : g_strdup (g_strerror (cause));

  fail (doing, address, why, error);
}

/* @use: bind and listen, or connect; 0 or -1 with errno */
static int
open_socket (const char *address, const char *doing, int (*use) (int fd, const struct addrinfo *where),
             GError **error)
{
  const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
  g_autoptr(GSocketConnectable) parsed = parse (address, error);
  g_autofree char *port = NULL;
  struct addrinfo *found = NULL;
  const char *name;
  gboolean is_local;
  int code, fd = -1, cause = 0;

  if (parsed == NULL)
    return -1;
  port = g_strdup_printf ("%u", g_network_address_get_port (G_NETWORK_ADDRESS (parsed)));
  name = g_network_address_get_hostname (G_NETWORK_ADDRESS (parsed));
  is_local = g_hostname_is_ip_address (name) || strcmp (name, "localhost") == 0;
  code = getaddrinfo (name, port, &hints, &found);
  if (code != 0)
    return fail (doing, address, gai_strerror (code), error);
  for (const struct addrinfo *where = found; where != NULL && fd < 0; where = where->ai_next)
    {
      if (!is_local && is_loopback (where))
        continue;
      fd = socket (where->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (fd >= 0 && use (fd, where) == 0)
        break;
      cause = errno;
      if (fd >= 0)
        close (fd);
      fd = -1;
    }
  if (fd < 0 && cause == 0)
    fail_unreachable (name, found, error);
  else if (fd < 0)
    fail_by_cause (doing, address, cause, error);
  freeaddrinfo (found);
  return fd;
}

static int
use_for_listening (int fd, const struct addrinfo *where)
{
  const int one = 1;

  setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  return bind (fd, where->ai_addr, where->ai_addrlen) == 0 ? listen (fd, BACKLOG) : -1;
}

/* By itself, the system would try for two minutes. */
static int
connect_in_time (int fd, const struct addrinfo *where)
{
  struct pollfd wanted = { fd, POLLOUT, 0 };
  gint64 until = g_get_monotonic_time () + URB_TCP_CONNECT_S * G_USEC_PER_SEC, now;
  socklen_t length = sizeof errno;
  int n = 0;

  if (!g_unix_set_fd_nonblocking (fd, TRUE, NULL))
    return -1;
  if (connect (fd, where->ai_addr, where->ai_addrlen) == 0)
    return g_unix_set_fd_nonblocking (fd, FALSE, NULL) ? 0 : -1;
  if (errno != EINPROGRESS)
    return -1;
  while (n <= 0 && (now = g_get_monotonic_time ()) < until)
    n = poll (&wanted, 1, (int) ((until - now) / 1000) + 1);
  if (n <= 0)
    {
      errno = ETIMEDOUT;
      return -1;
    }
  return getsockopt (fd, SOL_SOCKET, SO_ERROR, &errno, &length) == 0 && errno == 0
             && g_unix_set_fd_nonblocking (fd, FALSE, NULL)
           ? 0
           : -1;
}

static int
use_for_connecting (int fd, const struct addrinfo *where)
{
  const int one = 1;

  setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return connect_in_time (fd, where);
}

int
urb_tcp_listen (const char *address, GError **error)
{
  return open_socket (address, "listen at", use_for_listening, error);
}

int
urb_tcp_connect (const char *address, GError **error)
{
  return open_socket (address, "reach rank 0 at", use_for_connecting, error);
}

void
urb_tcp_set_timeout (int fd, int seconds)
{
  const struct timeval time = { .tv_sec = seconds };

  setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

gboolean
urb_tcp_send (int fd, gconstpointer data, gsize n_bytes)
{
  const char *at = data;

  while (n_bytes > 0)
    {
      gssize n = send (fd, at, n_bytes, MSG_NOSIGNAL);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      at += n;
      n_bytes -= (gsize) n;
    }
  return TRUE;
}

gboolean
urb_tcp_receive (int fd, gpointer data, gsize n_bytes)
{
  char *at = data;

  while (n_bytes > 0)
    {
      gssize n = recv (fd, at, n_bytes, 0);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      at += n;
      n_bytes -= (gsize) n;
    }
  return TRUE;
}

UrbTcpArrival
urb_tcp_receive_part (int fd, gpointer data, gsize n_bytes, gsize *n_done)
{
  gssize n = recv (fd, (char *) data + *n_done, n_bytes - *n_done, MSG_DONTWAIT);

  if (n < 0 && (errno == EINTR || errno == EAGAIN))
    return URB_TCP_PART;
  if (n <= 0)
    return URB_TCP_LOST;
  *n_done = (*n_done + (gsize) n) % n_bytes;
  return *n_done == 0 ? URB_TCP_WHOLE : URB_TCP_PART;
}

void
urb_tcp_news_init (UrbTcpNews *self, const GError *error)
{
  *self = (UrbTcpNews) { .kind = error != NULL ? URB_TCP_FAILED : URB_TCP_WELL,
                         .code = error != NULL ? error->code : 0 };
  if (error != NULL)
    g_strlcpy (self->text, error->message, sizeof self->text);
}

gboolean
urb_tcp_send_news (int fd, const GError *error)
{
  UrbTcpNews news;

  urb_tcp_news_init (&news, error);
  return urb_tcp_send (fd, &news, sizeof news);
}

gboolean
urb_tcp_news_check (UrbTcpNews *self, GError **error)
{
  if (self->kind != URB_TCP_FAILED)
    return TRUE;
  self->text[sizeof self->text - 1] = '\0';
  g_set_error_literal (error, URB_COMM_ERROR, self->code, self->text);
  return FALSE;
}

gsize
urb_tcp_count_bytes (const UrbCollective *what, int n_parts)
{
  gsize count = what->kind == URB_COLLECTIVE_BARRIER ? 0 : (gsize) what->count;

  return count * urb_element_get_size (what->element) * (gsize) n_parts;
}
