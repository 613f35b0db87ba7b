/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network.c - see network.h.
 *
 * A user namespace gives an ordinary user the right to one for the network.  Root has it already, or not
 * at all in a container, and would lose its rights over others' files in a user namespace.
 */
#include "base/network.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

gboolean
urb_network_leave (void)
{
  return unshare (CLONE_NEWNET) == 0
         || (geteuid () != 0 && unshare (CLONE_NEWUSER | CLONE_NEWNET) == 0);
}

void
urb_loopback_init (UrbLoopback *self)
{
  g_snprintf (self->uid_map, sizeof self->uid_map, "%u %u 1", (guint) geteuid (), (guint) geteuid ());
  g_snprintf (self->gid_map, sizeof self->gid_map, "%u %u 1", (guint) getegid (), (guint) getegid ());
}

static gboolean
write_text (const char *path, const char *text)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  gboolean good = fd >= 0 && write (fd, text, strlen (text)) == (gssize) strlen (text);
  if (fd >= 0)
    close (fd);
  return good;
}

static gboolean
start_loopback (void)
{
  struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  gboolean good = fd >= 0 && ioctl (fd, SIOCSIFFLAGS, &request) == 0;
  if (fd >= 0)
    close (fd);
  return good;
}

gboolean
urb_loopback_enter (const UrbLoopback *self)
{
  gboolean is_root = geteuid () == 0;
  if (unshare (CLONE_NEWNET) == 0)
    return start_loopback ();
  return !is_root && unshare (CLONE_NEWUSER | CLONE_NEWNET) == 0
         && write_text ("/proc/self/setgroups", "deny") && write_text ("/proc/self/uid_map", self->uid_map)
         && write_text ("/proc/self/gid_map", self->gid_map) && start_loopback ();
}

static gboolean
enter_loopback (void)
{
  UrbLoopback loopback;
  urb_loopback_init (&loopback);
  return urb_loopback_enter (&loopback);
}

/* In a child, since what @try changes would stay. */
static gboolean
would_work (gboolean (*try) (void))
{
  pid_t child = fork ();
  int status;
  if (child == 0)
    _exit (try () ? 0 : 1);
  return child > 0 && waitpid (child, &status, 0) == child && WIFEXITED (status)
         && WEXITSTATUS (status) == 0;
}

gboolean
urb_network_can_leave (void)
{
  return would_work (urb_network_leave);
}

gboolean
urb_loopback_is_available (void)
{
  return would_work (enter_loopback);
}
