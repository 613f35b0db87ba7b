/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-mask.c - the pixels of streets in a soft map.
 *
 * Streets narrower than a pixel of the generator never have the largest share.  They are followed
 * from sure ground along ridges of the share (hysteresis, Canny, 1986).  Ridges only: a low share
 * beside a street is its edge, and a low share between two streets is the gap between them.
 */
#include <math.h>
#include <string.h>

#include "city/components.h"
#include "city/street-private.h"

static const float weak_share = 0.28f; /* measured: 0.25 connects generated streets less, 0.35 loses
                                      * real paths */
static const float ridge_drop = 0.06f; /* how much lower the share is on both sides, on average */
static const double min_hole_m2 = 12, min_part_m2 = 12;
static const double min_hole_detail2 = 2; /* or so many pixels of the generator */

static float
get_share (const float *shares, int width, int height, int col, int row)
{
  col = CLAMP (col, 0, width - 1);
  row = CLAMP (row, 0, height - 1);
  return shares[(gint64) row * width + col];
}

/* Whether the share falls on both sides. */
static gboolean
is_ridge (const float *shares, int width, int height, int col, int row, int step)
{
  static const int side_x[4] = { 1, 1, 0, -1 }, side_y[4] = { 0, 1, 1, 1 };
  float here = shares[(gint64) row * width + col];

  for (int i = 0; i < 4; i++)
    {
      int dx = side_x[i] * step, dy = side_y[i] * step;
      float sum = get_share (shares, width, height, col + dx, row + dy)
                  + get_share (shares, width, height, col - dx, row - dy);

      if (here - sum / 2 > ridge_drop)
        return TRUE;
    }
  return FALSE;
}

/* Marks weak pixels that hang together with sure ones. */
static void
grow (const UrbSoftMap *map, guint8 *inside, int step)
{
  const float *road = map->shares[URB_CLASS_ROAD], *building = map->shares[URB_CLASS_BUILDING];
  int width = map->width_px, height = map->height_px;
  g_autoptr(GArray) queue = g_array_new (FALSE, FALSE, sizeof (gint32));

  for (gint32 i = 0; i < width * height; i++)
    if (inside[i])
      g_array_append_val (queue, i);
  for (guint next = 0; next < queue->len; next++)
    {
      gint32 i = g_array_index (queue, gint32, next);
      int col = i % width, row = i / width;

      for (int y = MAX (row - 1, 0); y <= MIN (row + 1, height - 1); y++)
        for (int x = MAX (col - 1, 0); x <= MIN (col + 1, width - 1); x++)
          {
            gint32 k = y * width + x;

            if (inside[k] || road[k] < weak_share || building[k] > road[k]
                || !is_ridge (road, width, height, x, y, step))
              continue;
            inside[k] = 1;
            g_array_append_val (queue, k);
          }
    }
}

/* Fills holes and drops parts that are too small to mean anything. */
static void
sieve (guint8 *inside, int width, int height, double min_hole_px2, double min_part_px2)
{
  g_autofree gint32 *labels = g_new (gint32, (gsize) width * (gsize) height);
  static const UrbConnectivity connectivity[2] = { URB_CONNECT_4, URB_CONNECT_8 };

  for (guint8 value = 0; value < 2; value++)
    {
      g_autoptr(GArray) parts
        = urb_components_label (inside, width, height, connectivity[value], labels);

      for (gint64 i = 0; i < (gint64) width * height; i++)
        {
          const UrbComponent *part = &g_array_index (parts, UrbComponent, labels[i]);

          if (part->value == value && !(value == 0 && part->touches_border)
              && (double) part->n_pixels < (value == 0 ? min_hole_px2 : min_part_px2))
            inside[i] = !value;
        }
    }
}

/* The lower envelope of parabolas of height f[i] at i: squared distances in one dimension. */
static void
transform_line (const double *f, int n, double *out, int *apex, double *start)
{
  int k = 0;

  apex[0] = 0;
  start[0] = -HUGE_VAL;
  start[1] = HUGE_VAL;
  for (int q = 1; q < n; q++)
    {
      double s;

      for (;;)
        {
          int p = apex[k];

          s = (f[q] - f[p] + (double) q * q - (double) p * p) / (2.0 * (q - p));
          if (s > start[k])
            break;
          k--;
        }
      apex[++k] = q;
      start[k] = s;
      start[k + 1] = HUGE_VAL;
    }
  k = 0;
  for (int q = 0; q < n; q++)
    {
      while (start[k + 1] < q)
        k++;
      out[q] = f[apex[k]] + (double) (q - apex[k]) * (q - apex[k]);
    }
}

float *
urb_pixel_distances (const guint8 *values, guint8 to, int width, int height)
{
  int longest = MAX (width, height);
  double far = (double) width + height;
  float *distances = g_new (float, (gsize) width * (gsize) height);
  g_autofree double *f = g_new (double, longest), *out = g_new (double, longest);
  g_autofree double *start = g_new (double, longest + 1);
  g_autofree int *apex = g_new (int, longest);

  for (int col = 0; col < width; col++)
    {
      double d = far;

      for (int row = 0; row < height; row++)
        {
          d = values[(gint64) row * width + col] == to ? 0 : d + 1;
          distances[(gint64) row * width + col] = (float) MIN (d, far);
        }
      d = far;
      for (int row = height - 1; row >= 0; row--)
        {
          float *here = &distances[(gint64) row * width + col];

          d = values[(gint64) row * width + col] == to ? 0 : d + 1;
          *here = (float) MIN (d, (double) *here);
        }
    }
  for (int row = 0; row < height; row++)
    {
      float *line = distances + (gint64) row * width;

      for (int col = 0; col < width; col++)
        f[col] = (double) line[col] * line[col];
      transform_line (f, width, out, apex, start);
      for (int col = 0; col < width; col++)
        line[col] = (float) MIN (sqrt (out[col]), far);
    }
  return distances;
}

UrbStreetMask *
urb_street_mask_new (const UrbSoftMap *map)
{
  const float *road = map->shares[URB_CLASS_ROAD], *building = map->shares[URB_CLASS_BUILDING],
              *other = map->shares[URB_CLASS_OTHER];
  gsize n_pixels = (gsize) map->width_px * (gsize) map->height_px;
  double pixel_m2 = map->pixel_m * map->pixel_m;
  UrbStreetMask *self = g_new0 (UrbStreetMask, 1);

  self->width = map->width_px;
  self->height = map->height_px;
  self->detail_px = MAX (1, map->detail_m / map->pixel_m);
  self->min_hole_px2 = MAX (min_hole_m2 / pixel_m2,
                            min_hole_detail2 * self->detail_px * self->detail_px);
  self->inside = g_malloc (n_pixels);
  for (gsize i = 0; i < n_pixels; i++)
    self->inside[i] = road[i] > 0 && road[i] >= building[i] && road[i] >= other[i];
  grow (map, self->inside, MAX (1, (int) lround (self->detail_px / 2)));
  sieve (self->inside, self->width, self->height, self->min_hole_px2, min_part_m2 / pixel_m2);
  self->depth = urb_pixel_distances (self->inside, 0, self->width, self->height);
  return self;
}

guint8 *
urb_street_open_ground (const UrbStreetMask *mask, double width_px)
{
  gsize n_pixels = (gsize) mask->width * (gsize) mask->height;
  guint8 *open = g_malloc (n_pixels);

  for (gsize i = 0; i < n_pixels; i++)
    open[i] = mask->inside[i] && (double) mask->depth[i] > width_px / 2;
  g_autofree float *distances = urb_pixel_distances (open, 1, mask->width, mask->height);

  for (gsize i = 0; i < n_pixels; i++)
    open[i] = mask->inside[i] && (double) distances[i] <= width_px / 2;
  return open;
}

void
urb_street_mask_free (UrbStreetMask *self)
{
  if (self == NULL)
    return;
  g_free (self->inside);
  g_free (self->depth);
  g_free (self);
}

UrbPoint
urb_street_mask_clamp (const UrbStreetMask *self, UrbPoint point)
{
  return (UrbPoint) { CLAMP (point.x, 0, self->width), CLAMP (point.y, 0, self->height) };
}
