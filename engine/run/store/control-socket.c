/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control-socket.c - see control-socket.h.
 *
 * A socket address holds 107 characters, a path thousands.  The folder is addressed through its
 * descriptor, /proc/self/fd/N, which is always short; chdir() would affect the whole process.
 */
#include "run/store/control-socket.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <gio/gunixconnection.h>
#include <glib/gi18n.h>

enum { BACKLOG = 16, REST_US = 20000 };

static struct sockaddr_un
make_address (int folder_fd, const char *name)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  g_snprintf (address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder_fd, name);
  return address;
}

int
urb_control_socket_listen (int folder_fd, const char *name, GError **error)
{
  struct sockaddr_un address = make_address (folder_fd, name);
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (unlinkat (folder_fd, name, 0) != 0)
    errno = 0;
  if (fd >= 0 && bind (fd, (struct sockaddr *) &address, sizeof address) == 0
      && fchmodat (folder_fd, name, 0600, 0) == 0 && listen (fd, BACKLOG) == 0)
    return fd;
  g_set_error (
    error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER,
    "Cannot make the run's control socket: %s. Its folder must be on a local file system",
    g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return -1;
}

int
urb_control_socket_accept (int listen_fd)
{
  int fd = accept4 (listen_fd, NULL, NULL, SOCK_CLOEXEC);
  /* The connection stays queued, so that the main loop would call us again at once and do nothing
   * else. */
  if (fd < 0 && (errno == EMFILE || errno == ENFILE))
    g_usleep (REST_US);
  return fd;
}

int
urb_control_socket_connect (const char *folder, const char *name, GError **error)
{
  int folder_fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int fd = -1, saved;
  gboolean connected = FALSE;
  if (folder_fd >= 0)
    fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0)
    {
      struct sockaddr_un address = make_address (folder_fd, name);
      connected = connect (fd, (struct sockaddr *) &address, sizeof address) == 0;
    }
  saved = errno;
  if (folder_fd >= 0)
    close (folder_fd);
  if (connected && urb_control_socket_is_own_peer (fd))
    return fd;
  if (fd >= 0)
    close (fd);
  if (connected)
    g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_OFFLINE,
                 N_ ("The run in '%s' belongs to another user"), folder);
  else
    g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_OFFLINE, N_ ("No run is active in '%s': %s"),
                 folder, g_strerror (saved));
  return -1;
}

gboolean
urb_control_socket_is_own_peer (int fd)
{
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid ();
}

static GSocketConnection *
take_connection (int fd)
{
  g_autoptr(GSocket) socket = g_socket_new_from_fd (fd, NULL);
  if (socket == NULL)
    close (fd);
  return socket != NULL ? g_socket_connection_factory_create_connection (socket) : NULL;
}

void
urb_control_socket_send_fd (int fd, int descriptor)
{
  g_autoptr(GSocketConnection) connection = take_connection (fd);
  g_autoptr(GError) error = NULL;
  if (connection == NULL)
    return;
  g_socket_set_blocking (g_socket_connection_get_socket (connection), FALSE);
  if (!g_unix_connection_send_fd (G_UNIX_CONNECTION (connection), descriptor, NULL, &error))
    g_debug ("A descriptor was not passed on: %s", error->message);
}

int
urb_control_socket_receive_fd (int fd)
{
  g_autoptr(GSocketConnection) connection = take_connection (fd);
  return connection != NULL
           ? g_unix_connection_receive_fd (G_UNIX_CONNECTION (connection), NULL, NULL) : -1;
}
