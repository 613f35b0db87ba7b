/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory-bound.c - see memory-bound.h.
 */
#include "cli/memory-bound.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "train/memory.h"

/* The data size that counts toward the limit, including memory only reserved.  Sanitizers reserve
 * terabytes. */
static rlim_t
get_used (void)
{
  g_autofree char *text = NULL;
  unsigned long long pages = 0;
  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    sscanf (text, "%*u %*u %*u %*u %*u %llu", &pages);
  return (rlim_t) pages * (rlim_t) sysconf (_SC_PAGESIZE);
}

void
urb_cli_bound_memory (void)
{
  gint64 available = urb_memory_get_available ();
  struct rlimit limit;
  rlim_t bound;
  if (available == G_MAXINT64 || getrlimit (RLIMIT_DATA, &limit) != 0)
    return;
  bound = (rlim_t) (available / 4 * 3);
  if ((limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= bound) || get_used () > bound)
    return;
  limit.rlim_cur = bound;
  if (setrlimit (RLIMIT_DATA, &limit) != 0)
    g_debug ("Could not limit the memory of this process");
}
