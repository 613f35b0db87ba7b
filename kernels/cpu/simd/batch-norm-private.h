/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch-norm-private.h - two per-channel sums in double precision.
 *
 * Both directions of batch norm need two sums per channel over all pixels.  Each thread accumulates into
 * a pair of float rows (see UkPeriod), and adds them to a pair of double vectors every UK_SUM_ROWS rows.
 */
#pragma once

#include "simd.h"

typedef struct
{
  double *sum1, *sum2; /* (c) */
  float  *row1, *row2; /* (period.length) */
} UkPairSums;

static inline size_t
uk_pair_sums_bytes (int64_t c)
{
  return 2 * uk_cpu_align ((size_t) c * sizeof (double))
         + 2 * uk_cpu_align ((size_t) uk_period (c).length * sizeof (float));
}

/* Thread @t's sums, in the operation's scratch. */
static inline UkPairSums
uk_pair_sums_at (void *scratch, int64_t c, int t)
{
  char *room = (char *) scratch + (size_t) t * uk_pair_sums_bytes (c);
  size_t sums = uk_cpu_align ((size_t) c * sizeof (double));
  size_t rows = uk_cpu_align ((size_t) uk_period (c).length * sizeof (float));
  UkPairSums self = {
    .sum1 = (double *) room,
    .sum2 = (double *) (room + sums),
    .row1 = (float *) (room + 2 * sums),
    .row2 = (float *) (room + 2 * sums + rows),
  };

  return self;
}

static inline void
uk_pair_sums_clear (UkPairSums *self, int64_t c)
{
  memset (self->sum1, 0, uk_pair_sums_bytes (c)); /* contiguous */
}

static inline void
uk_pair_sums_flush (UkPairSums *self, UkPeriod period)
{
  for (int64_t r = 0; r < period.repeats; r++)
    for (int64_t j = 0; j < period.c; j++)
      {
        self->sum1[j] += self->row1[r * period.c + j];
        self->sum2[j] += self->row2[r * period.c + j];
      }
  memset (self->row1, 0, (size_t) period.length * sizeof (float));
  memset (self->row2, 0, (size_t) period.length * sizeof (float));
}

/* Adds up all threads' sums, in thread order, into thread 0's. */
static inline UkPairSums
uk_pair_sums_total (void *scratch, int64_t c, int n_threads)
{
  UkPairSums total = uk_pair_sums_at (scratch, c, 0);

  for (int t = 1; t < n_threads; t++)
    {
      UkPairSums part = uk_pair_sums_at (scratch, c, t);

      for (int64_t j = 0; j < c; j++)
        {
          total.sum1[j] += part.sum1[j];
          total.sum2[j] += part.sum2[j];
        }
    }
  return total;
}
