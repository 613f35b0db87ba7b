/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mount-room.c - see mount-room.h.
 */
#include "mount-room.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static int enter_errno = ENOSYS;

static gboolean
write_text (const char *path, const char *text)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  gboolean good = fd >= 0 && write (fd, text, strlen (text)) == (gssize) strlen (text);
  if (fd >= 0)
    close (fd);
  return good;
}

/* Root in it is the user outside. */
static gboolean
become_root (uid_t uid, gid_t gid)
{
  g_autofree char *users = g_strdup_printf ("0 %u 1", (guint) uid);
  g_autofree char *groups = g_strdup_printf ("0 %u 1", (guint) gid);
  return write_text ("/proc/self/setgroups", "deny") && write_text ("/proc/self/uid_map", users)
         && write_text ("/proc/self/gid_map", groups);
}

void
mount_room_enter (void)
{
  uid_t uid = geteuid ();
  gid_t gid = getegid ();
  gboolean good = unshare (CLONE_NEWNS) == 0
                  || (unshare (CLONE_NEWUSER | CLONE_NEWNS) == 0 && become_root (uid, gid));
  /* In a chroot, / is no mount point; mounts must not be visible outside. */
  good = good && mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
  enter_errno = good ? 0 : errno;
}

gboolean
mount_room_check (void)
{
  g_autofree char *why = NULL;
  if (enter_errno == 0)
    return TRUE;
  why = g_strdup_printf ("nothing can be mounted here: %s", g_strerror (enter_errno));
  g_test_skip (why);
  return FALSE;
}

void
mount_room_add (const char *path, const char *options)
{
  if (mount ("none", path, "tmpfs", 0, options) != 0)
    g_error ("'%s' cannot be mounted: %s", path, g_strerror (errno));
}

void
mount_room_change (const char *path, const char *options)
{
  g_assert_cmpint (mount (NULL, path, NULL, MS_REMOUNT, options), ==, 0);
}

void
mount_room_freeze (const char *path)
{
  g_assert_cmpint (mount (path, path, NULL, MS_BIND, NULL), ==, 0);
  g_assert_cmpint (mount (NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), ==, 0);
}

void
mount_room_remove (const char *path)
{
  g_assert_cmpint (umount2 (path, MNT_DETACH), ==, 0);
}
