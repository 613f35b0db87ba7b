/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skeleton.c - skeletons (center lines) of roads.
 *
 * Skeletons have artifacts: every bump of a road's edge causes a short branch (a spur),
 * which would count as a dead end and a junction.  Spurs are therefore pruned first.
 */
#include "city/skeleton-private.h"

#include <math.h>

/* Clockwise from the top. */
static const int ring_x[8] = { 0, 1, 1, 1, 0, -1, -1, -1 };
static const int ring_y[8] = { -1, -1, 0, 1, 1, 1, 0, -1 };

typedef struct
{
  guint8 *mask;
  int     width, height;
} Image;

/* Beyond the image, edge pixels are repeated, so a road that leaves it does not end there. */
static guint8
get (const Image *self, int col, int row)
{
  col = CLAMP (col, 0, self->width - 1);
  row = CLAMP (row, 0, self->height - 1);
  return self->mask[(gint64) row * self->width + col];
}

static gboolean
is_removable (const Image *self, int col, int row, int phase)
{
  guint8 p[8];
  int n = 0, changes = 0;

  for (int i = 0; i < 8; i++)
    p[i] = get (self, col + ring_x[i], row + ring_y[i]);
  for (int i = 0; i < 8; i++)
    {
      n += p[i];
      changes += !p[i] && p[(i + 1) % 8];
    }
  if (n < 2 || n > 6 || changes != 1)
    return FALSE;
  if (phase == 0)
    return !(p[0] && p[2] && p[4]) && !(p[2] && p[4] && p[6]);
  return !(p[0] && p[2] && p[6]) && !(p[0] && p[4] && p[6]);
}

static gboolean
thin_once (Image *self, int phase, GArray *removed)
{
  g_array_set_size (removed, 0);
  for (int row = 0; row < self->height; row++)
    for (int col = 0; col < self->width; col++)
      {
        gint64 i = (gint64) row * self->width + col;

        if (self->mask[i] && is_removable (self, col, row, phase))
          g_array_append_val (removed, i);
      }
  for (guint i = 0; i < removed->len; i++)
    self->mask[g_array_index (removed, gint64, i)] = 0;
  return removed->len > 0;
}

void
urb_skeleton_thin (guint8 *mask, int width_px, int height_px)
{
  Image image = { mask, width_px, height_px };
  g_autoptr(GArray) removed = g_array_new (FALSE, FALSE, sizeof (gint64));
  gboolean changed = TRUE;

  while (changed)
    {
      changed = thin_once (&image, 0, removed);
      changed = thin_once (&image, 1, removed) || changed;
    }
}

/* The number of branches at a pixel: runs of set neighbors around it. */
static int
count_branches (const Image *self, int col, int row)
{
  int n = 0;

  for (int i = 0; i < 8; i++)
    {
      int x = col + ring_x[i], y = row + ring_y[i], k = (i + 1) % 8;
      gboolean here = x >= 0 && y >= 0 && x < self->width && y < self->height && get (self, x, y);
      int next_x = col + ring_x[k], next_y = row + ring_y[k];
      gboolean next = next_x >= 0 && next_y >= 0 && next_x < self->width && next_y < self->height
                      && get (self, next_x, next_y);

      n += !here && next;
    }
  return n;
}

static gboolean
is_near_border (const Image *self, int col, int row, int margin)
{
  return col < margin || row < margin || col >= self->width - margin
         || row >= self->height - margin;
}

/* Moves (*col, *row) to the next pixel of the line, or returns FALSE.  The pixel it leaves is
 * marked with 2 and appended to the path. */
static gboolean
walk (Image *self, int *col, int *row, GArray *path)
{
  /* Orthogonal neighbors first, so that steps of the line are followed around their corner. */
  static const int order[8] = { 0, 2, 4, 6, 1, 3, 5, 7 };
  gint64 here = (gint64) *row * self->width + *col;

  self->mask[here] = 2;
  g_array_append_val (path, here);
  for (int i = 0; i < 8; i++)
    {
      int x = *col + ring_x[order[i]], y = *row + ring_y[order[i]];

      if (x < 0 || y < 0 || x >= self->width || y >= self->height || get (self, x, y) != 1)
        continue;
      *col = x;
      *row = y;
      return TRUE;
    }
  return FALSE;
}

/* Follows the line from its end, and leaves the path marked.  Returns: whether it meets a
 * junction within @limit pixels */
static gboolean
is_spur (Image *self, int col, int row, int limit, GArray *path)
{
  g_array_set_size (path, 0);
  for (int length = 0; length < limit; length++)
    {
      if (!walk (self, &col, &row, path))
        return FALSE;
      if (count_branches (self, col, row) >= 3)
        return TRUE;
    }
  return FALSE;
}

static void
prune_spurs (Image *self, int limit)
{
  g_autoptr(GArray) path = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (int row = 0; row < self->height; row++)
    for (int col = 0; col < self->width; col++)
      {
        gboolean spur;

        if (get (self, col, row) != 1 || is_near_border (self, col, row, 2)
            || count_branches (self, col, row) != 1)
          continue;
        spur = is_spur (self, col, row, limit, path);
        for (guint i = 0; i < path->len; i++)
          self->mask[g_array_index (path, gint64, i)] = spur ? 0 : 1;
      }
}

UrbSkeletonCounts
urb_skeleton_count (guint8 *mask, int width_px, int height_px, double pixel_m)
{
  Image image = { mask, width_px, height_px };
  g_autoptr(GArray) counted = g_array_new (FALSE, FALSE, 2 * sizeof (int));
  UrbSkeletonCounts counts = { 0 };
  int limit = MAX (2, (int) ceil (8 / pixel_m));

  urb_skeleton_thin (mask, width_px, height_px);
  prune_spurs (&image, limit);
  for (int row = 0; row < height_px; row++)
    for (int col = 0; col < width_px; col++)
      {
        int n = get (&image, col, row) ? count_branches (&image, col, row) : 0;
        int at[2] = { col, row };
        gboolean is_new = n >= 3;

        if (n == 1 && !is_near_border (&image, col, row, 2))
          counts.n_dead_ends++;
        /* Junctions have several pixels: nearby ones are counted once. */
        for (guint i = 0; i < counted->len && is_new; i++)
          {
            const int *other = (const int *) (gconstpointer) counted->data + 2 * (gsize) i;

            is_new = hypot (other[0] - col, other[1] - row) > limit;
          }
        if (is_new)
          g_array_append_vals (counted, at, 1);
      }
  counts.n_junctions = (int) counted->len;
  return counts;
}
