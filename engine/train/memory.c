/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - see memory.h.
 */
#include "train/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static gint64
read_number (const char *path)
{
  g_autofree char *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL) || !g_ascii_isdigit (text[0]))
    return -1;
  return (gint64) g_ascii_strtoull (text, NULL, 10);
}

/* Control groups version 2, as seen in a container.  Cached file contents count as used there, but
 * are freed when memory is needed. */
static gint64
group_available (void)
{
  gint64 limit = read_number ("/sys/fs/cgroup/memory.max");
  gint64 used = read_number ("/sys/fs/cgroup/memory.current");
  g_autofree char *text = NULL;
  const char *cache;

  if (limit < 0 || used < 0)
    return G_MAXINT64;
  if (g_file_get_contents ("/sys/fs/cgroup/memory.stat", &text, NULL, NULL))
    {
      cache = strstr (text, "\ninactive_file ");
      if (cache != NULL)
        used -= (gint64) g_ascii_strtoull (cache + strlen ("\ninactive_file "), NULL, 10);
    }
  return MAX (limit - used, 0);
}

static gint64
limit_available (void)
{
  struct rlimit limit;
  g_autofree char *text = NULL;
  gint64 used = 0;

  if (getrlimit (RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return G_MAXINT64;
  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    used = (gint64) g_ascii_strtoull (text, NULL, 10) * sysconf (_SC_PAGESIZE);
  return MAX ((gint64) MIN (limit.rlim_cur, (rlim_t) G_MAXINT64) - used, 0);
}

gint64
urb_memory_get_available (void)
{
  g_autofree char *text = NULL;
  const char *at = NULL; /* "MemAvailable:   N kB" */
  gint64 n_bytes = G_MAXINT64;

  if (g_file_get_contents ("/proc/meminfo", &text, NULL, NULL))
    at = strstr (text, "MemAvailable:");
  if (at != NULL)
    n_bytes = (gint64) g_ascii_strtoull (at + strlen ("MemAvailable:"), NULL, 10) * 1024;
  return MIN (n_bytes, MIN (group_available (), limit_available ()));
}
