/* SPDX-License-Identifier: Apache-2.0 */
/*
 * temporary.c - see temporary.h.
 *
 * ".areas.gpkg.4711-5f3a90c1d2e4b687.tmp.gpkg": the process, then eight digits that stand for the
 * machine, then eight at random.  Folders may be shared by machines and containers, in which process 4711
 * is another: only those of the same host name and process namespace are swept.
 */
#include "base/temporary.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

enum { MAX_NAME_BYTES = 120 }; /* of the path's name; the rest of a name has room then */

static guint
get_machine (void)
{
  struct stat info;
  guint64 space = stat ("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
  return g_str_hash (g_get_host_name ()) ^ g_int64_hash (&space);
}

char *
urb_temporary_dup_path (const char *path, const char *suffix)
{
  g_autofree char *folder = g_path_get_dirname (path), *base = g_path_get_basename (path);
  g_autofree char *name = g_strdup_printf (".%.*s.%d-%08x%08x.tmp%s", MAX_NAME_BYTES, base, (int) getpid (),
                                           get_machine (), g_random_int (), suffix);
  return g_build_filename (folder, name, NULL);
}

void
urb_temporary_remove_folder (const char *path)
{
  g_autoptr(GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *full = g_build_filename (path, name, NULL);
      g_unlink (full);
    }
  g_rmdir (path);
}

/* Returns: the process that its name tells; 0: it is no temporary file of this machine */
static pid_t
parse (GRegex *pattern, const char *name)
{
  g_autoptr(GMatchInfo) match = NULL;
  g_autofree char *pid = NULL, *machine = NULL;
  if (name[0] != '.' || !g_regex_match (pattern, name, 0, &match))
    return 0;
  pid = g_match_info_fetch (match, 1);
  machine = g_match_info_fetch (match, 2);
  return g_ascii_strtoull (machine, NULL, 16) == get_machine () ? (pid_t) g_ascii_strtoll (pid, NULL, 10) : 0;
}

static void
remove_own (const char *path)
{
  GStatBuf info;
  if (g_lstat (path, &info) != 0 || info.st_uid != geteuid ())
    return;
  if (S_ISDIR (info.st_mode))
    urb_temporary_remove_folder (path);
  else
    g_unlink (path);
}

void
urb_temporary_sweep (const char *folder)
{
  g_autoptr(GRegex) pattern
    = g_regex_new ("\\.([1-9][0-9]{0,8})-([0-9a-f]{8})[0-9a-f]{8}\\.tmp(\\.[a-z0-9]+)?(-journal|-wal|-shm)?$",
                   G_REGEX_RAW, 0, NULL);
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  g_assert (pattern != NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      pid_t pid = parse (pattern, name);
      if (pid > 0 && kill (pid, 0) != 0 && errno == ESRCH)
        {
          g_autofree char *path = g_build_filename (folder, name, NULL);
          remove_own (path);
        }
    }
}

void
urb_temporary_sweep_beside (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  urb_temporary_sweep (folder);
}
