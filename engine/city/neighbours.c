/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neighbours.c - finds the training areas nearest to generated cities.
 */
#include "city/neighbours.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/uk-random.h"

/* A repetition is nearer than NEAR, and nearer than MARGIN times the distance to the other split. */
static const double NEAR = 0.25, MARGIN = 0.5;
/* A warning requires this share, this z-score, and this ratio per area to the other split. */
static const double MIN_SHARE = 0.01, MIN_Z = 3, MIN_ODDS = 2;

void
urb_thumb_from_class_map (const UrbClassMap *map, guint8 *thumb)
{
  for (int row = 0; row < URB_THUMB_EDGE; row++)
    for (int col = 0; col < URB_THUMB_EDGE; col++)
      {
        int top = row * map->height_px / URB_THUMB_EDGE;
        int bottom = MAX ((row + 1) * map->height_px / URB_THUMB_EDGE, top + 1);
        int left = col * map->width_px / URB_THUMB_EDGE;
        int right = MAX ((col + 1) * map->width_px / URB_THUMB_EDGE, left + 1);
        gint64 counts[URB_N_CLASSES] = { 0 }, total = (gint64) (bottom - top) * (right - left);

        for (int y = top; y < bottom; y++)
          for (int x = left; x < right; x++)
            counts[map->classes[(gint64) y * map->width_px + x]]++;
        for (int c = 0; c < URB_THUMB_PLANES; c++)
          thumb[(c * URB_THUMB_EDGE + row) * URB_THUMB_EDGE + col]
            = (guint8) ((counts[c] * 255 + total / 2) / total);
      }
}

void
urb_thumb_turn (const guint8 *thumb, int d4, guint8 *turned)
{
  enum { PLANE = URB_THUMB_EDGE * URB_THUMB_EDGE };

  for (int row = 0; row < URB_THUMB_EDGE; row++)
    for (int col = 0; col < URB_THUMB_EDGE; col++)
      {
        int64_t source_row, source_col;

        uk_dihedral_source (d4, URB_THUMB_EDGE, row, col, &source_row, &source_col);
        for (int c = 0; c < URB_THUMB_PLANES; c++)
          turned[c * PLANE + row * URB_THUMB_EDGE + col]
            = thumb[c * PLANE + source_row * URB_THUMB_EDGE + source_col];
      }
}

static int
sum_thumb (const guint8 *thumb)
{
  int sum = 0;

  for (int i = 0; i < URB_THUMB_BYTES; i++)
    sum += thumb[i];
  return sum;
}

/* The sum of absolute differences, or a partial sum of at least @limit. */
static int
compare_thumbs (const guint8 *a, const guint8 *b, double limit)
{
  enum { PART = URB_THUMB_BYTES / 4 };
  int sum = 0;

  for (int part = 0; part < URB_THUMB_BYTES && sum < limit; part += PART)
    {
      int partial = 0;

      for (int i = part; i < part + PART; i++)
        partial += abs (a[i] - b[i]);
      sum += partial;
    }
  return sum;
}

void
urb_nearest_update (UrbNearest *nearest, const guint8 *queries, gint64 n, const guint8 *thumb,
                    gint64 index)
{
  g_autofree int *totals = g_new (int, MAX (n, 1)); /* of both thumbnails */
  guint8 turned[URB_THUMB_BYTES];

  for (gint64 i = 0; i < n; i++)
    totals[i] = sum_thumb (queries + i * URB_THUMB_BYTES) + sum_thumb (thumb);
  for (int d4 = 0; d4 < 8; d4++)
    {
      urb_thumb_turn (thumb, d4, turned);
      for (gint64 i = 0; i < n; i++)
        {
          /* With sum = the total of |a - b|, the intersection is (total - sum) / 2, the union
           * (total + sum) / 2, and the distance 2 sum / (total + sum).  The limit is the sum at
           * the best distance so far. */
          double best = nearest[i].distance;
          double limit = nearest[i].index < 0 ? G_MAXDOUBLE : best * totals[i] / (2 - best);
          int sum = compare_thumbs (queries + i * URB_THUMB_BYTES, turned, limit);

          if (sum < limit)
            nearest[i] = (UrbNearest) { index, sum > 0 ? 2.0 * sum / (totals[i] + sum) : 0 };
        }
    }
}

void
urb_copying_judge (UrbCopying *self, const UrbNearest *train, const UrbNearest *test, gint64 n,
                   const UrbNearest *real, gint64 n_real)
{
  gint64 n_repeats = 0, n_mirrored = 0, n_near = 0;
  double pooled, variance;

  for (gint64 i = 0; i < n; i++)
    {
      double to_train = train[i].distance, to_test = test[i].distance;

      n_repeats += to_train < NEAR && to_train < MARGIN * to_test;
      n_mirrored += to_test < NEAR && to_test < MARGIN * to_train;
    }
  for (gint64 i = 0; i < n_real; i++)
    n_near += real[i].distance < NEAR;
  self->share_repeats = (double) n_repeats / (double) MAX (n, 1);
  self->share_mirrored = (double) n_mirrored / (double) MAX (n, 1);
  self->share_real = (double) n_near / (double) MAX (n_real, 1);
  pooled = (self->share_repeats * (double) n + self->share_real * (double) n_real)
           / (double) MAX (n + n_real, 1);
  variance = pooled * (1 - pooled) * (1.0 / (double) MAX (n, 1) + 1.0 / (double) MAX (n_real, 1));
  self->z = variance > 0 ? (self->share_repeats - self->share_real) / sqrt (variance) : 0;
  /* A larger split has more chance neighbors, so the splits are compared per area. */
  self->copies = self->share_repeats > MIN_SHARE && self->z > MIN_Z
                 && self->share_repeats * (double) self->n_test
                      > MIN_ODDS * self->share_mirrored * (double) self->n_train;
}
