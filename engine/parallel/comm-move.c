/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-move.c - collectives on buffers in this process's memory.
 *
 * Sums are computed in the order of ranks, block by block in a buffer on the stack, so that results
 * depend neither on the thread nor on timing, and the result may overwrite an input.
 */
#include "parallel/comm-private.h"

#include "kernels/uk-half.h"

#include <string.h>

enum { BLOCK = 1024 }; /* elements; fits the first-level cache with its inputs */

static void
sum_f32 (const void *const *in, int n_in, void *out, gint64 first, gint64 n)
{
  float sum[BLOCK];

  memcpy (sum, (const float *) in[0] + first, (gsize) n * sizeof *sum);
  for (int r = 1; r < n_in; r++)
    {
      const float *x = (const float *) in[r] + first;
      for (gint64 i = 0; i < n; i++)
        sum[i] += x[i];
    }
  memcpy ((float *) out + first, sum, (gsize) n * sizeof *sum);
}

static void
sum_f64 (const void *const *in, int n_in, void *out, gint64 first, gint64 n)
{
  double sum[BLOCK];

  memcpy (sum, (const double *) in[0] + first, (gsize) n * sizeof *sum);
  for (int r = 1; r < n_in; r++)
    {
      const double *x = (const double *) in[r] + first;
      for (gint64 i = 0; i < n; i++)
        sum[i] += x[i];
    }
  memcpy ((double *) out + first, sum, (gsize) n * sizeof *sum);
}

/* @type: a constant of the callers, so that the compiler makes a loop for each */
static inline void
sum_halves (UkDataType type, const void *const *in, int n_in, void *out, gint64 first, gint64 n)
{
  float sum[BLOCK];

  for (gint64 i = 0; i < n; i++)
    sum[i] = uk_from_half (type, ((const guint16 *) in[0])[first + i]);
  for (int r = 1; r < n_in; r++)
    {
      const guint16 *x = (const guint16 *) in[r] + first;
      for (gint64 i = 0; i < n; i++)
        sum[i] += uk_from_half (type, x[i]);
    }
  for (gint64 i = 0; i < n; i++)
    ((guint16 *) out)[first + i] = uk_to_half (type, sum[i]);
}

void
urb_element_sum (UrbElement element, const void *const *in, int n_in, void *out, gint64 count)
{
  for (gint64 first = 0; first < count; first += BLOCK)
    {
      gint64 n = MIN (BLOCK, count - first);
      switch (element)
        {
        case URB_ELEMENT_F32:
          sum_f32 (in, n_in, out, first, n);
          break;
        case URB_ELEMENT_F64:
          sum_f64 (in, n_in, out, first, n);
          break;
        case URB_ELEMENT_BF16:
          sum_halves (UK_DATA_BF16, in, n_in, out, first, n);
          break;
        case URB_ELEMENT_F16:
          sum_halves (UK_DATA_F16, in, n_in, out, first, n);
          break;
        default:
          g_assert_not_reached (); /* comm.c rejects it */
        }
    }
}

static void
copy (void *to, const void *from, gint64 n_bytes)
{
  if (to != from && n_bytes > 0)
    memcpy (to, from, (gsize) n_bytes);
}

/* The address of element @i of part @part. */
static const void *
part_in (const UrbCollective *what, const void *x, int part, gint64 i)
{
  return (const char *) x + (part * what->count + i) * (gint64) urb_element_get_size (what->element);
}

static void *
part_out (const UrbCollective *what, void *x, int part, gint64 i)
{
  return (char *) x + (part * what->count + i) * (gint64) urb_element_get_size (what->element);
}

/* Sums the elements [@begin, @begin + @n) of part @part over all ranks into @out. */
static void
sum_part (const UrbCollective *what, int n_ranks, const UrbEnds *ends, int part, gint64 begin,
          gint64 n, void *out)
{
  const void **in = g_newa (const void *, (gsize) n_ranks);

  for (int r = 0; r < n_ranks; r++)
    in[r] = part_in (what, ends[r].in, part, begin);
  urb_element_sum (what->element, in, n_ranks, out, n);
}

/* In place, rank r's sum overwrites the first part of its input.  So a block's first part is summed
 * before any is stored, and stored last. */
static void
reduce_scatter_block (const UrbCollective *what, int n_ranks, const UrbEnds *ends, gint64 begin,
                      gint64 n)
{
  double sum[BLOCK]; /* for the largest element */

  sum_part (what, n_ranks, ends, 0, begin, n, sum);
  for (int part = 1; part < n_ranks; part++)
    sum_part (what, n_ranks, ends, part, begin, n, part_out (what, ends[part].out, 0, begin));
  copy (part_out (what, ends[0].out, 0, begin), sum,
        n * (gint64) urb_element_get_size (what->element));
}

/* Into a separate buffer first: in place, an output is an input. */
static void
all_reduce_block (const UrbCollective *what, int n_ranks, const UrbEnds *ends, gint64 begin,
                  gint64 n)
{
  double sum[BLOCK];

  sum_part (what, n_ranks, ends, 0, begin, n, sum);
  for (int r = 0; r < n_ranks; r++)
    copy (part_out (what, ends[r].out, 0, begin), sum,
          n * (gint64) urb_element_get_size (what->element));
}

void
urb_collective_move (const UrbCollective *what, int n_ranks, const UrbEnds *ends, gint64 begin,
                     gint64 end)
{
  gint64 n_bytes = (end - begin) * (gint64) urb_element_get_size (what->element);
  int root = what->peer;

  switch (what->kind)
    {
    case URB_COLLECTIVE_BROADCAST:
      for (int r = 0; r < n_ranks; r++)
        copy (part_out (what, ends[r].out, 0, begin), part_in (what, ends[root].in, 0, begin),
              n_bytes);
      break;
    case URB_COLLECTIVE_SCATTER:
      for (int r = 0; r < n_ranks; r++)
        copy (part_out (what, ends[r].out, 0, begin), part_in (what, ends[root].in, r, begin),
              n_bytes);
      break;
    case URB_COLLECTIVE_GATHER:
      for (int r = 0; r < n_ranks; r++)
        copy (part_out (what, ends[root].out, r, begin), part_in (what, ends[r].in, 0, begin),
              n_bytes);
      break;
    case URB_COLLECTIVE_ALL_GATHER:
      for (int to = 0; to < n_ranks; to++)
        for (int r = 0; r < n_ranks; r++)
          copy (part_out (what, ends[to].out, r, begin), part_in (what, ends[r].in, 0, begin),
                n_bytes);
      break;
    case URB_COLLECTIVE_REDUCE:
      sum_part (what, n_ranks, ends, 0, begin, end - begin,
                part_out (what, ends[root].out, 0, begin));
      break;
    case URB_COLLECTIVE_ALL_REDUCE:
      for (gint64 i = begin; i < end; i += BLOCK)
        all_reduce_block (what, n_ranks, ends, i, MIN (BLOCK, end - i));
      break;
    case URB_COLLECTIVE_REDUCE_SCATTER:
      for (gint64 i = begin; i < end; i += BLOCK)
        reduce_scatter_block (what, n_ranks, ends, i, MIN (BLOCK, end - i));
      break;
    case URB_COLLECTIVE_BARRIER:
      break;
    default:
      g_assert_not_reached ();
    }
}
