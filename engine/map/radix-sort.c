/* SPDX-License-Identifier: Apache-2.0 */
/*
 * radix-sort.c - sorts 64-bit integers by their upper halves in linear time.
 *
 * Three passes of eleven bits: 2048 write positions stay in the first-level cache,
 * the 65536 of two passes do not.  One pass over the items counts for all three.
 */
#include "map/radix-sort.h"

#include <string.h>

#define N_PASSES 3
#define BITS     11
#define N_BUCKETS (1 << BITS)

static inline guint
digit (guint64 item, int pass)
{
  return (guint) (item >> (32 + BITS * pass)) & (N_BUCKETS - 1);
}

/* Turns counts into start positions per digit; FALSE: all items have the same digit. */
static gboolean
counts_to_starts (gint64 *counts, gint64 n)
{
  gint64 sum = 0;

  for (int i = 0; i < N_BUCKETS; i++)
    {
      gint64 count = counts[i];
      if (count == n)
        return FALSE;
      counts[i] = sum;
      sum += count;
    }
  return TRUE;
}

guint64 *
urb_radix_sort (guint64 *items, guint64 *scratch, gint64 n)
{
  gint64 starts[N_PASSES][N_BUCKETS];

  memset (starts, 0, sizeof starts);
  for (gint64 i = 0; i < n; i++)
    for (int pass = 0; pass < N_PASSES; pass++)
      starts[pass][digit (items[i], pass)]++;
  for (int pass = 0; pass < N_PASSES; pass++)
    {
      guint64 *swap = items;

      if (!counts_to_starts (starts[pass], n))
        continue;
      for (gint64 i = 0; i < n; i++)
        scratch[starts[pass][digit (items[i], pass)]++] = items[i];
      items = scratch;
      scratch = swap;
    }
  return items;
}
