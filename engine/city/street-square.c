/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-square.c - paved ground beside streets: squares, yards, parking lots.
 *
 * What the strips of the edges leave of the mask, opened by a disc so that the corners of
 * junctions and small bays do not count, and grown back towards the streets.
 */
#include <math.h>
#include <string.h>

#include "city/components.h"
#include "city/street-private.h"

static const double min_square_m2 = 200;
static const double opening_part = 0.27; /* the disc's radius, of square_m */

/* Clears the pixels within @radius of a point. */
static void
clear_disc (guint8 *rest, const UrbStreetMask *mask, UrbPoint at, double radius)
{
  int top = MAX (0, (int) floor (at.y - radius)), bottom = MIN (mask->height - 1,
                                                                (int) ceil (at.y + radius));

  for (int row = top; row <= bottom; row++)
    {
      double dy = row + 0.5 - at.y, half = radius * radius - dy * dy;
      int left, right;

      if (half < 0)
        continue;
      half = sqrt (half);
      left = MAX (0, (int) ceil (at.x - half - 0.5));
      right = MIN (mask->width - 1, (int) floor (at.x + half - 0.5));
      if (left <= right)
        memset (rest + (gint64) row * mask->width + left, 0, (gsize) (right - left + 1));
    }
}

static void
clear_edge (guint8 *rest, const UrbStreetGraph *self, const UrbStreetEdge *edge,
            const UrbStreetMask *mask, double pixel_m)
{
  const UrbPoint *points = &g_array_index (self->points, UrbPoint, edge->first_point);
  double radius = edge->width_m / pixel_m / 2;

  for (guint i = 0; i + 1 < edge->n_points; i++)
    {
      double dx = points[i + 1].x - points[i].x, dy = points[i + 1].y - points[i].y;
      int n = (int) ceil (hypot (dx, dy));

      for (int k = 0; k <= n; k++)
        clear_disc (rest, mask, (UrbPoint) { points[i].x + dx * k / MAX (n, 1),
                                             points[i].y + dy * k / MAX (n, 1) }, radius);
    }
}

/* The ground of squares: what remains of the mask where a disc of @radius fits. */
static guint8 *
find_ground (const UrbStreetGraph *self, const UrbStreetMask *mask, double pixel_m, double radius)
{
  gsize n_pixels = (gsize) mask->width * (gsize) mask->height;
  guint8 *ground = g_memdup2 (mask->inside, n_pixels);
  float *distances;

  for (guint i = 0; i < self->edges->len; i++)
    {
      const UrbStreetEdge *edge = &g_array_index (self->edges, UrbStreetEdge, i);

      if (!edge->is_lane)
        clear_edge (ground, self, edge, mask, pixel_m);
    }
  distances = urb_pixel_distances (ground, 0, mask->width, mask->height);
  for (gsize i = 0; i < n_pixels; i++)
    ground[i] = ground[i] && (double) distances[i] > radius;
  g_free (distances);
  distances = urb_pixel_distances (ground, 1, mask->width, mask->height);
  for (gsize i = 0; i < n_pixels; i++)
    ground[i] = mask->inside[i] && (double) distances[i] <= 1.45 * radius + 1;
  g_free (distances);
  return ground;
}

/* Drops small parts, and fills small holes. */
static void
sieve (guint8 *ground, const UrbStreetMask *mask, double min_px2)
{
  g_autofree gint32 *labels = g_new (gint32, (gsize) mask->width * (gsize) mask->height);
  g_autoptr(GArray) parts
    = urb_components_label (ground, mask->width, mask->height, URB_CONNECT_4, labels);

  for (gint64 i = 0; i < (gint64) mask->width * mask->height; i++)
    {
      const UrbComponent *part = &g_array_index (parts, UrbComponent, labels[i]);

      if (part->value ? (double) part->n_pixels < min_px2
                      : !part->touches_border && (double) part->n_pixels < min_px2 / 6)
        ground[i] = !part->value;
    }
}

static gboolean
is_ground (const guint8 *ground, const UrbStreetMask *mask, int col, int row)
{
  return col >= 0 && row >= 0 && col < mask->width && row < mask->height
         && ground[(gint64) row * mask->width + col];
}

/* Follows the edge of the ground, which stays on the right, from the upper left corner of a pixel
 * to the right.  @seen: (height, width), set where a top edge was followed */
static void
follow (const guint8 *ground, const UrbStreetMask *mask, int col, int row, guint8 *seen,
        GArray *corners)
{
  static const int step_x[4] = { 1, 0, -1, 0 }, step_y[4] = { 0, 1, 0, -1 };
  int x = col, y = row, heading = 0;

  g_array_set_size (corners, 0);
  do
    {
      UrbPoint p = { x, y };
      /* The pixels ahead: left and right of the line of motion. */
      int ahead_x, ahead_y;
      gboolean left, right;

      g_array_append_val (corners, p);
      if (heading == 0)
        seen[(gint64) y * mask->width + x] = 1;
      x += step_x[heading];
      y += step_y[heading];
      ahead_x = x + (heading == 1 || heading == 2 ? -1 : 0);
      ahead_y = y + (heading == 2 || heading == 3 ? -1 : 0);
      right = is_ground (ground, mask, ahead_x, ahead_y);
      left = is_ground (ground, mask, ahead_x + step_y[heading], ahead_y - step_x[heading]);
      heading = !right ? (heading + 1) % 4 : left ? (heading + 3) % 4 : heading;
    }
  while (x != col || y != row || heading != 0);
}

static void
append_ring (UrbStreetGraph *self, const UrbStreetMask *mask, const GArray *corners,
             double tolerance)
{
  g_autoptr(GArray) middles = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  g_autoptr(GArray) ring = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  g_autoptr(GArray) kept = g_array_new (FALSE, FALSE, sizeof (guint));
  const UrbPoint *points = (const UrbPoint *) (gconstpointer) corners->data;
  UrbStreetSquare square = { .first_point = self->points->len };
  guint start;

  square.is_hole = urb_ring_area (points, corners->len) < 0;
  for (guint i = 0; i < corners->len; i++)
    {
      UrbPoint a = points[i], b = points[(i + 1) % corners->len];
      UrbPoint p = { (a.x + b.x) / 2, (a.y + b.y) / 2 };

      if (a.x <= 0 || a.y <= 0 || a.x >= mask->width || a.y >= mask->height)
        g_array_append_val (middles, a); /* no corner is cut off at the tile's border */
      g_array_append_val (middles, p);
    }
  start = urb_points_find_prominent (middles);
  for (guint i = 0; i <= middles->len; i++)
    g_array_append_val (ring, g_array_index (middles, UrbPoint, (start + i) % middles->len));
  urb_polyline_split ((UrbPoint *) (gpointer) ring->data, ring->len, tolerance, kept);
  if (kept->len < 4)
    return;
  for (guint i = 0; i + 1 < kept->len; i++)
    g_array_append_val (self->points,
                        g_array_index (ring, UrbPoint, g_array_index (kept, guint, i)));
  square.n_points = self->points->len - square.first_point;
  g_array_append_val (self->squares, square);
}

void
urb_street_graph_add_squares (UrbStreetGraph *self, const UrbStreetMask *mask, double pixel_m,
                              const UrbStreetOptions *options)
{
  g_autofree guint8 *ground
    = find_ground (self, mask, pixel_m, opening_part * options->square_m / pixel_m);
  g_autofree guint8 *seen = g_malloc0 ((gsize) mask->width * (gsize) mask->height);
  g_autoptr(GArray) corners = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  double tolerance = MAX (0.9, MAX (MAX (0.8, options->aside_m) / pixel_m, 0.5 * mask->detail_px));

  sieve (ground, mask, MAX (min_square_m2 / (pixel_m * pixel_m),
                            20 * mask->detail_px * mask->detail_px));
  for (int row = 0; row < mask->height; row++)
    for (int col = 0; col < mask->width; col++)
      if (is_ground (ground, mask, col, row) && !is_ground (ground, mask, col, row - 1)
          && !seen[(gint64) row * mask->width + col])
        {
          follow (ground, mask, col, row, seen, corners);
          append_ring (self, mask, corners, tolerance);
        }
}
