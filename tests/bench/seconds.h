/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seconds.h - what a benchmark takes, and the middle of what several runs took.
 */
#pragma once

#include <stdlib.h>
#include <time.h>

#include "base/compare.h"

/* Of CLOCK_MONOTONIC, or of the processor (CLOCK_PROCESS_CPUTIME_ID). */
static inline double
clock_s (clockid_t clock)
{
  struct timespec now;

  clock_gettime (clock, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Sorts @x, of which there is at least one. */
static inline double
median (double *x, int n)
{
  qsort (x, (size_t) n, sizeof *x, urb_compare_doubles);
  return x[n / 2];
}
