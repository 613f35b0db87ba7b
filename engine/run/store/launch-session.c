/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch-session.c - see launch-session.h.
 *
 * The link is made before the folder, so that a kill at any moment leaves no folder without a link.  A
 * run folder may be deleted with its link, however: so the supervisor keeps the session's folder locked
 * as long as it lives, and a folder that can be locked is a leftover.
 */
#define _XOPEN_SOURCE 700 /* nftw() */
#define _DEFAULT_SOURCE

#include "run/store/launch-session.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PREFIX "urb-ranks-"

/* What Open MPI 4.1 maps there, as measured; without that space it hangs, or a rank dies of SIGBUS
 * later. */
enum { SESSION_BYTES = 9 << 20, SESSION_BYTES_OF_RANK = 4200 << 10 };

static int
remove_cb (const char *path, const struct stat *info, int type, struct FTW *at)
{
  /* A dying rank may have removed it. */
  if (remove (path) != 0 && errno != ENOENT)
    g_debug ("'%s' was not removed: %s", path, g_strerror (errno));
  return 0;
}

/* Whatever the link says, only a private folder of this user is removed. */
static gboolean
is_session (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  struct stat info;
  return g_path_is_absolute (path) && g_str_has_prefix (name, PREFIX) && lstat (path, &info) == 0
         && S_ISDIR (info.st_mode) && info.st_uid == geteuid () && (info.st_mode & 077) == 0;
}

/* Ranks that are dying may still write there. */
static void
remove_session (const char *path)
{
  enum { MAX_TRIES = 5, PAUSE_US = 20000, MAX_OPEN = 16 };
  for (int i = 0; i < MAX_TRIES && is_session (path); i++)
    {
      if (i > 0)
        g_usleep (PAUSE_US);
      nftw (path, remove_cb, MAX_OPEN, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    }
}

void
urb_launch_session_sweep (int folder_fd)
{
  char path[PATH_MAX] = "";
  gssize n = readlinkat (folder_fd, URB_LAUNCH_SESSION_LINK, path, sizeof path - 1);
  if (n <= 0)
    return;
  remove_session (path);
  unlinkat (folder_fd, URB_LAUNCH_SESSION_LINK, 0);
}

/* Returns: a descriptor that holds the lock; -1: another process does, or the folder is gone */
static int
lock_session (const char *path)
{
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat info;
  if (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) == 0 && fstat (fd, &info) == 0 && info.st_nlink > 0)
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

/* Where a session may be; preferably in memory: its files need not be written to a disk. */
static const char *
get_parent (int i)
{
  return i == 0 ? "/dev/shm" : g_get_tmp_dir ();
}

enum { N_PARENTS = 2 };

static void
sweep_parent (const char *parent)
{
  g_autoptr(GDir) dir = g_dir_open (parent, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (parent, name, NULL);
      int fd = g_str_has_prefix (name, PREFIX) && is_session (path) ? lock_session (path) : -1;
      if (fd < 0)
        continue;
      remove_session (path);
      close (fd);
    }
}

void
urb_launch_session_sweep_all (void)
{
  for (int i = 0; i < N_PARENTS; i++)
    sweep_parent (get_parent (i));
}

void
urb_launch_session_sweep_path (const char *path)
{
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  urb_launch_session_sweep (fd);
  close (fd);
}

/* @lock_fd: (out) */
static char *
try_parent (int folder_fd, const char *parent, int *lock_fd)
{
  g_autofree char *path
    = g_strdup_printf ("%s/" PREFIX "%08x%08x", parent, g_random_int (), g_random_int ());
  if (symlinkat (path, folder_fd, URB_LAUNCH_SESSION_LINK) != 0)
    return NULL;
  /* Another run may have swept it before it was locked. */
  if (mkdir (path, 0700) == 0 && (*lock_fd = lock_session (path)) >= 0)
    return g_steal_pointer (&path);
  unlinkat (folder_fd, URB_LAUNCH_SESSION_LINK, 0);
  return NULL;
}

char *
urb_launch_session_new (int folder_fd, int n_ranks, int *lock_fd, GError **error)
{
  gint64 n_bytes = SESSION_BYTES + (gint64) n_ranks * SESSION_BYTES_OF_RANK;
  gboolean found = FALSE;
  struct statvfs info;
  urb_launch_session_sweep (folder_fd);
  *lock_fd = -1;
  for (int i = 0; i < N_PARENTS; i++)
    if (access (get_parent (i), W_OK | X_OK) == 0 && statvfs (get_parent (i), &info) == 0
        && (gint64) info.f_bavail * (gint64) info.f_frsize >= n_bytes)
      {
        char *path = try_parent (folder_fd, get_parent (i), lock_fd);
        found = TRUE;
        if (path != NULL)
          return path;
      }
  if (!found)
    g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER,
                 "MPI needs %" G_GINT64_FORMAT " MiB for %d ranks, and neither /dev/shm nor '%s' "
                                               "has that much writable space: free some, set "
                                               "TMPDIR to a folder with enough, or choose "
                 "--communicator threads",
                 (n_bytes >> 20) + 1, n_ranks, g_get_tmp_dir ());
  return NULL;
}

char **
urb_launch_session_add (char **environment, const char *session)
{
  /* Of Open MPI 4.1 and 5. */
  static const char *const keys[] = {
    "OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base",
    "OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory",
  };
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    environment = g_environ_setenv (environment, keys[i], session, FALSE);
  return environment;
}
