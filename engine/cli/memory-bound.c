/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory-bound.c - see memory-bound.h.
 */
#include "cli/memory-bound.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "train/memory.h"

void
urb_cli_bound_memory (void)
{
  gint64 available = urb_memory_get_available ();
  g_autofree char *text = NULL;
  unsigned long long n_pages = 0;
  struct rlimit limit;
  rlim_t bound, used;

  if (available == G_MAXINT64 || getrlimit (RLIMIT_DATA, &limit) != 0)
    return;
  bound = (rlim_t) (available / 4 * 3);
  /* The data size that counts toward the limit, including memory only reserved: terabytes with a
   * sanitizer. */
  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    sscanf (text, "%*u %*u %*u %*u %*u %llu", &n_pages);
  used = (rlim_t) n_pages * (rlim_t) sysconf (_SC_PAGESIZE);
  if ((limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= bound) || used > bound)
    return;
  limit.rlim_cur = bound;
  if (setrlimit (RLIMIT_DATA, &limit) != 0)
    g_debug ("Could not limit the memory of this process");
}
