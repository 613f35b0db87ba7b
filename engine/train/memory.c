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

typedef struct
{
  const char *controllers;          /* in the lines of /proc/PID/cgroup */
  const char *folder;               /* below the root */
  const char *limit, *used, *cache; /* two files; a key of memory.stat */
} Version;

static const Version versions[] = {
  { ":memory:", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file " },
  { "::", "", "memory.max", "memory.current", "inactive_file " },
};

/* Cached file contents count as used, but are freed when memory is needed. */
static gint64
read_cache (const char *folder, const char *key)
{
  g_autofree char *path = g_build_filename (folder, "memory.stat", NULL), *text = NULL;
  g_auto(GStrv) lines = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0;
  lines = g_strsplit (text, "\n", -1);
  for (int i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], key))
      return (gint64) g_ascii_strtoull (lines[i] + strlen (key), NULL, 10);
  return 0;
}

/* G_MAXINT64: no limit */
static gint64
get_of_group (const Version *version, const char *folder)
{
  g_autofree char *limit_path = g_build_filename (folder, version->limit, NULL);
  g_autofree char *used_path = g_build_filename (folder, version->used, NULL);
  gint64 limit = read_number (limit_path), used = read_number (used_path);

  if (limit < 0 || used < 0 || limit > G_MAXINT64 / 2) /* version 1 writes "no limit" as a large number */
    return G_MAXINT64;
  return MAX (limit - MAX (used - read_cache (folder, version->cache), 0), 0);
}

gint64
urb_memory_get_of_groups (const char *groups, const char *root)
{
  g_auto(GStrv) lines = g_strsplit (groups, "\n", -1);
  gint64 n_bytes = G_MAXINT64;

  for (int i = 0; lines[i] != NULL; i++)
    for (gsize v = 0; v < G_N_ELEMENTS (versions); v++)
      {
        const char *at = strstr (lines[i], versions[v].controllers);
        g_autofree char *top = g_build_filename (root, versions[v].folder, NULL);
        g_autofree char *group = NULL;

        if (at == NULL)
          continue;
        group = g_strdup (at + strlen (versions[v].controllers));
        while (TRUE)
          {
            g_autofree char *folder = g_build_filename (top, group, NULL);

            n_bytes = MIN (n_bytes, get_of_group (&versions[v], folder));
            if (strrchr (group, '/') == NULL)
              break;
            *strrchr (group, '/') = '\0';
          }
      }
  return n_bytes;
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
  g_autofree char *text = NULL, *groups = NULL;
  const char *at = NULL; /* "MemAvailable:   N kB" */
  gint64 n_bytes = G_MAXINT64;

  if (g_file_get_contents ("/proc/meminfo", &text, NULL, NULL))
    at = strstr (text, "MemAvailable:");
  if (at != NULL)
    n_bytes = (gint64) g_ascii_strtoull (at + strlen ("MemAvailable:"), NULL, 10) * 1024;
  if (g_file_get_contents ("/proc/self/cgroup", &groups, NULL, NULL))
    n_bytes = MIN (n_bytes, urb_memory_get_of_groups (groups, "/sys/fs/cgroup"));
  return n_bytes;
}
