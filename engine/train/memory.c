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

/* @field: of /proc/self/statm, from 0: what counts for the limit */
static gint64
limit_available (int resource, int field)
{
  struct rlimit limit;
  g_autofree char *text = NULL;
  g_auto(GStrv) fields = NULL;
  gint64 used = 0;

  if (getrlimit (resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return G_MAXINT64;
  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    fields = g_strsplit (text, " ", -1);
  if (fields != NULL && g_strv_length (fields) > (guint) field)
    used = (gint64) g_ascii_strtoull (fields[field], NULL, 10) * sysconf (_SC_PAGESIZE);
  return MAX ((gint64) MIN (limit.rlim_cur, (rlim_t) G_MAXINT64) - used, 0);
}

gint64
urb_memory_get_of_process (void)
{
  enum { SIZE = 0, DATA = 5 };

  return MIN (limit_available (RLIMIT_AS, SIZE), limit_available (RLIMIT_DATA, DATA));
}

gint64
urb_memory_get_available (void)
{
  return MIN (urb_memory_get_of_host (), urb_memory_get_of_process ());
}

gint64
urb_memory_get_of_host (void)
{
  g_autofree char *text = NULL;
  const char *at = NULL; /* "MemAvailable:   N kB" */
  gint64 n_bytes = G_MAXINT64;

  if (g_file_get_contents ("/proc/meminfo", &text, NULL, NULL))
    at = strstr (text, "MemAvailable:");
  if (at != NULL)
    n_bytes = (gint64) g_ascii_strtoull (at + strlen ("MemAvailable:"), NULL, 10) * 1024;
  return MIN (n_bytes, group_available ());
}
