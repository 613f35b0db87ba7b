/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-sandbox.c - what a process can still do behind each layer, and behind all of them.
 *
 * Each case runs in a child of its own, since a sandbox cannot be left, and reports by its exit code.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sandbox-private.h"
#include "base/sandbox.h"

typedef struct
{
  char *folder, *inside, *outside, *scratch; /* owned; a folder, a file in it, another file, a folder */
  int   port, other_port; /* of listening servers */
  int   listener, other_listener;
} Place;

static Place place;

/* -------- What is tried -------- */

static gboolean
can_read (const char *path)
{
  int fd = open (path, O_RDONLY);
  char byte;
  gboolean ok = fd >= 0 && read (fd, &byte, 1) == 1;

  if (fd >= 0)
    close (fd);
  return ok;
}

static gboolean
can_create (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "new", NULL);
  int fd = open (path, O_WRONLY | O_CREAT, 0600);

  if (fd >= 0)
    close (fd);
  return fd >= 0 && unlink (path) == 0;
}

static gboolean
can_overwrite (const char *path)
{
  int fd = open (path, O_RDWR);

  if (fd >= 0)
    close (fd);
  return fd >= 0;
}

static gboolean
can_connect_to (int port)
{
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port = htons ((uint16_t) port),
                                 .sin_addr = { htonl (INADDR_LOOPBACK) } };
  int fd = socket (AF_INET, SOCK_STREAM, 0);

  return fd >= 0 && connect (fd, (struct sockaddr *) &address, sizeof address) == 0;
}

static gboolean
can_connect (void)
{
  return can_connect_to (place.port);
}

static gboolean
can_listen (void)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl (INADDR_LOOPBACK) } };
  int fd = socket (AF_INET, SOCK_STREAM, 0);

  return bind (fd, (struct sockaddr *) &address, sizeof address) == 0 && listen (fd, 1) == 0;
}

/* To other programs of this user, as the desktop's. */
static gboolean
can_call_programs (void)
{
  int pair[2];

  return socket (AF_UNIX, SOCK_STREAM, 0) >= 0 || socketpair (AF_UNIX, SOCK_DGRAM, 0, pair) == 0
         || socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0; /* threads need such a pair */
}

static gboolean
can_fork (void)
{
  pid_t child = fork ();

  if (child == 0)
    _exit (0);
  return child > 0;
}

static void *
nothing (void *data)
{
  return data;
}

static gboolean
can_start_thread (void)
{
  pthread_t thread;

  return pthread_create (&thread, NULL, nothing, NULL) == 0 && pthread_join (thread, NULL) == 0;
}

static gboolean
can_execute (void)
{
  char *arguments[] = { (char *) "true", NULL };

  execv ("/bin/true", arguments);
  return errno != EACCES; /* it did not even return otherwise: the exit code is 0 */
}

/* -------- Cases: 0 is fine, any other number tells which try went wrong -------- */

static int
free_case (void)
{
  return !can_read (place.outside) ? 1 : !can_create (place.folder) ? 2 : !can_connect () ? 3
         : !can_fork ()            ? 4 : kill (getppid (), 0) != 0  ? 5 : 0;
}

static int
files_case (void)
{
  const char *const readable[] = { place.folder, NULL };

  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !urb_landlock_enter (readable, place.scratch, NULL))
    return 1;
  return !can_read (place.inside)       ? 2
         : can_read (place.outside)     ? 3
         : can_read ("/etc/passwd")     ? 4
         : can_create (place.folder)    ? 5
         : can_overwrite (place.inside) ? 6
         : !can_create (place.scratch)  ? 7
                                        : 0;
}

static int
calls_case (void)
{
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !urb_seccomp_enter (FALSE, FALSE))
    return 1;
  return !can_read (place.inside)              ? 2
         : can_connect ()                      ? 3
         : can_fork ()                         ? 4
         : kill (getppid (), 0) == 0           ? 5
         : can_create (place.folder)           ? 6
         : can_overwrite (place.inside)        ? 7
         : chmod (place.inside, 0600) == 0     ? 8
         : unlink (place.inside) == 0          ? 9
         : !can_start_thread ()                ? 10
         : can_execute ()                      ? 11
                                               : 0;
}

static int
all_case (void)
{
  const char *const readable[] = { place.folder, "/does/not/exist", NULL };
  UrbSandboxLayers offered = urb_sandbox_probe (), held = urb_sandbox_enter (readable, place.scratch, NULL);

  if (held != offered)
    return 1;
  return !can_read (place.inside)                                         ? 2
         : held != 0 && can_connect ()                                    ? 3
         : (held & URB_SANDBOX_FILES) && can_read (place.outside)         ? 4
         : (held & URB_SANDBOX_FILES) && !can_create (place.scratch)      ? 5
         : (held & (URB_SANDBOX_FILES | URB_SANDBOX_CALLS)) && can_create (place.folder) ? 6
         : !can_start_thread ()                                           ? 7
                                                                          : 0;
}

/* With one server, and otherwise as without any. */
static int
server_case (void)
{
  const char *const readable[] = { place.folder, NULL };
  const guint16 ports[] = { (guint16) place.port, 0 };
  UrbSandboxLayers held = urb_sandbox_enter (readable, NULL, ports);
  gboolean knows_ports = urb_landlock_get_version () >= 4;

  if (held != (urb_sandbox_probe () & (URB_SANDBOX_FILES | URB_SANDBOX_CALLS)))
    return 1;
  return !can_connect ()                                          ? 2
         : knows_ports && can_connect_to (place.other_port)       ? 3
         : held != 0 && can_listen ()                             ? 4
         : (held & URB_SANDBOX_CALLS) && can_call_programs ()     ? 5
         : (held & URB_SANDBOX_CALLS) && can_fork ()              ? 6
         : (held & URB_SANDBOX_FILES) && can_read (place.outside) ? 7
         : held != 0 && can_create (place.folder)                 ? 8
         : !can_start_thread ()                                   ? 9
                                                                  : 0;
}

/* -------- Running them -------- */

static void
run_case (int (*function) (void))
{
  pid_t child = fork ();
  int status;

  if (child == 0)
    _exit (function ());
  g_assert_cmpint (child, >, 0);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

static void
test_free (void)
{
  run_case (free_case);
}

static void
test_files (void)
{
  if ((urb_sandbox_probe () & URB_SANDBOX_FILES) == 0)
    g_test_skip ("this kernel has no Landlock");
  else
    run_case (files_case);
}

static void
test_calls (void)
{
  if ((urb_sandbox_probe () & URB_SANDBOX_CALLS) == 0)
    g_test_skip ("this kernel has no seccomp filters");
  else
    run_case (calls_case);
}

static void
test_all (void)
{
  UrbSandboxLayers layers = urb_sandbox_probe ();
  g_autofree char *text = urb_sandbox_describe (layers);

  g_test_message ("layers here: %s", text);
  g_assert_true ((layers & URB_SANDBOX_CALLS) == 0 || strstr (text, "seccomp") != NULL);
  run_case (all_case);
}

static void
test_server (void)
{
  run_case (server_case);
}

/* Returns: its port */
static int
listen_on_loopback (int *listener)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl (INADDR_LOOPBACK) } };
  socklen_t n = sizeof address;

  *listener = socket (AF_INET, SOCK_STREAM, 0);
  g_assert_cmpint (bind (*listener, (struct sockaddr *) &address, sizeof address), ==, 0);
  g_assert_cmpint (listen (*listener, 16), ==, 0);
  g_assert_cmpint (getsockname (*listener, (struct sockaddr *) &address, &n), ==, 0);
  return ntohs (address.sin_port);
}

int
main (int argc, char **argv)
{
  g_autofree char *top = NULL;
  int result;

  g_test_init (&argc, &argv, NULL);
  top = g_dir_make_tmp ("urbarium-sandbox-XXXXXX", NULL);
  place.folder = g_build_filename (top, "folder", NULL);
  place.scratch = g_build_filename (top, "scratch", NULL);
  place.inside = g_build_filename (place.folder, "map", NULL);
  place.outside = g_build_filename (top, "secret", NULL);
  g_assert_cmpint (g_mkdir (place.folder, 0700), ==, 0);
  g_assert_cmpint (g_mkdir (place.scratch, 0700), ==, 0);
  g_assert_true (g_file_set_contents (place.inside, "map", -1, NULL));
  g_assert_true (g_file_set_contents (place.outside, "secret", -1, NULL));
  place.port = listen_on_loopback (&place.listener);
  place.other_port = listen_on_loopback (&place.other_listener);
  g_test_add_func ("/sandbox/free", test_free);
  g_test_add_func ("/sandbox/files", test_files);
  g_test_add_func ("/sandbox/calls", test_calls);
  g_test_add_func ("/sandbox/all", test_all);
  g_test_add_func ("/sandbox/server", test_server);
  result = g_test_run ();
  close (place.listener);
  close (place.other_listener);
  g_remove (place.inside);
  g_remove (place.outside);
  g_rmdir (place.folder);
  g_rmdir (place.scratch);
  g_rmdir (top);
  g_free (place.folder);
  g_free (place.scratch);
  g_free (place.inside);
  g_free (place.outside);
  return result;
}
