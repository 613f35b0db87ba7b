/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skeleton.c - the middle lines of roads.
 *
 * What is hard about a skeleton is not to believe all of it: every bump of a
 * road's edge grows a short branch, which would count as a dead end and a
 * junction.  So branches that end soon are cut first.
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
} Picture;

/* Beyond the edge, what is at the edge goes on: a road that leaves the picture
 * does not end there. */
static guint8
get (const Picture *self, int col, int row)
{
  col = CLAMP (col, 0, self->width - 1);
  row = CLAMP (row, 0, self->height - 1);
  return self->mask[(gint64) row * self->width + col];
}

static void
get_ring (const Picture *self, int col, int row, guint8 *ring)
{
  for (int i = 0; i < 8; i++)
    ring[i] = get (self, col + ring_x[i], row + ring_y[i]);
}

static gboolean
may_go (const Picture *self, int col, int row, int phase)
{
  guint8 p[8];
  int n = 0, changes = 0;

  get_ring (self, col, row, p);
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
thin_once (Picture *self, int phase, GArray *going)
{
  g_array_set_size (going, 0);
  for (int row = 0; row < self->height; row++)
    for (int col = 0; col < self->width; col++)
      {
        gint64 i = (gint64) row * self->width + col;

        if (self->mask[i] && may_go (self, col, row, phase))
          g_array_append_val (going, i);
      }
  for (guint i = 0; i < going->len; i++)
    self->mask[g_array_index (going, gint64, i)] = 0;
  return going->len > 0;
}

void
urb_skeleton_thin (guint8 *mask, int width_px, int height_px)
{
  Picture picture = { mask, width_px, height_px };
  g_autoptr(GArray) going = g_array_new (FALSE, FALSE, sizeof (gint64));
  gboolean changed = TRUE;

  while (changed)
    {
      changed = thin_once (&picture, 0, going);
      changed = thin_once (&picture, 1, going) || changed;
    }
}

/* How many branches leave a pixel: runs of neighbours around it. */
static int
count_branches (const Picture *self, int col, int row)
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
is_near_border (const Picture *self, int col, int row, int margin)
{
  return col < margin || row < margin || col >= self->width - margin
         || row >= self->height - margin;
}

/* The pixel of the line that comes after (*col, *row), or FALSE.  Marks what it
 * leaves with 2, and notes it. */
static gboolean
walk (Picture *self, int *col, int *row, GArray *path)
{
  /* Straight neighbours first: on a step of the line the corner comes later. */
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

/* Follows the line from its end.  Returns whether it meets a junction within
 * @limit pixels; what was walked is left marked. */
static gboolean
is_fray (Picture *self, int col, int row, int limit, GArray *path)
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
cut_frays (Picture *self, int limit)
{
  g_autoptr(GArray) path = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (int row = 0; row < self->height; row++)
    for (int col = 0; col < self->width; col++)
      {
        gboolean fray;

        if (get (self, col, row) != 1 || is_near_border (self, col, row, 2)
            || count_branches (self, col, row) != 1)
          continue;
        fray = is_fray (self, col, row, limit, path);
        for (guint i = 0; i < path->len; i++)
          self->mask[g_array_index (path, gint64, i)] = fray ? 0 : 1;
      }
}

/* A junction is several pixels: those within @radius of one that was counted
 * belong to it. */
static gboolean
is_counted (const GArray *counted, int col, int row, double radius)
{
  for (guint i = 0; i < counted->len; i++)
    {
      const int *at = (const int *) (gconstpointer) counted->data + 2 * (gsize) i;

      if (hypot (at[0] - col, at[1] - row) <= radius)
        return TRUE;
    }
  return FALSE;
}

UrbSkeletonCounts
urb_skeleton_count (guint8 *mask, int width_px, int height_px, double pixel_m)
{
  Picture picture = { mask, width_px, height_px };
  g_autoptr(GArray) counted = g_array_new (FALSE, FALSE, 2 * sizeof (int));
  UrbSkeletonCounts counts = { 0 };
  int limit = MAX (2, (int) ceil (8 / pixel_m));

  urb_skeleton_thin (mask, width_px, height_px);
  cut_frays (&picture, limit);
  for (int row = 0; row < height_px; row++)
    for (int col = 0; col < width_px; col++)
      {
        int n = get (&picture, col, row) ? count_branches (&picture, col, row) : 0;
        int at[2] = { col, row };

        if (n == 1 && !is_near_border (&picture, col, row, 2))
          counts.n_dead_ends++;
        if (n < 3 || is_counted (counted, col, row, limit))
          continue;
        counts.n_junctions++;
        g_array_append_vals (counted, at, 1);
      }
  return counts;
}
