/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seconds.h - clocks and medians for benchmarks.
 */
#pragma once

#include <stdlib.h>
#include <time.h>

#include "base/compare.h"

/* Seconds of CLOCK_MONOTONIC or CLOCK_PROCESS_CPUTIME_ID. */
static inline double
clock_s (clockid_t clock)
{
  struct timespec now;

  clock_gettime (clock, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Sorts @x; @n is at least 1. */
static inline double
median (double *x, int n)
{
  qsort (x, (size_t) n, sizeof *x, urb_compare_doubles);
  return x[n / 2];
}
