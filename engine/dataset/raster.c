/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raster.c - rasterizes a map's classes at any position, size and angle.
 *
 * Polygon filling is usually slow because it sorts the crossings of each scanline.
 * Here, each edge toggles one bit in every scanline it crosses, in any order: that
 * of the first pixel whose center is right of the crossing.  A pixel is inside if the
 * parity of all bits up to it is odd; running parity takes six shifts for 64 pixels.
 *
 * Legend: x, y are columns and rows in pixels here, not meters.
 */
#include "dataset/raster.h"

#include <math.h>
#include <string.h>

#include "base/simd.h"

#define CHUNK 256 /* vertices: they stay in the first-level cache */

struct _UrbRaster
{
  UrbFrame      frame;
  gsize         stride;  /* words per row; a spare one if the width is a multiple of 64,
                          * for crossings at the right edge */
  gsize         n_allocated; /* words per plane */
  guint64      *toggles; /* (height, stride); owned; zero between polygons */
  guint64      *planes[URB_N_CLASSES]; /* (height, stride); owned */
  GArray       *found;   /* of gint64; owned */
  const UrbBox *ground;  /* (n_ground); borrowed */
  gsize         n_ground;

  /* Range touched by the current polygon: rows [row_min, row_max), columns included. */
  int row_min, row_max, col_min, col_max;
};

UrbFrame
urb_frame_around (double center_x, double center_y, double angle_deg, double size_m, int size_px)
{
  double angle = angle_deg * G_PI / 180.0;
  UrbFrame frame = {
    .cos_a = cos (angle),
    .sin_a = sin (angle),
    .pixel_m = size_m / size_px,
    .width = size_px,
    .height = size_px,
  };

  frame.x = center_x - 0.5 * size_m * (frame.cos_a + frame.sin_a);
  frame.y = center_y - 0.5 * size_m * (frame.sin_a - frame.cos_a);
  return frame;
}

void
urb_frame_to_map (const UrbFrame *frame, double col, double row, double *x, double *y)
{
  col *= frame->pixel_m;
  row *= frame->pixel_m;
  *x = frame->x + col * frame->cos_a + row * frame->sin_a;
  *y = frame->y + col * frame->sin_a - row * frame->cos_a;
}

UrbFrame
urb_frame_crop (const UrbFrame *frame, gint64 col, gint64 row, int width, int height)
{
  UrbFrame part = *frame;

  urb_frame_to_map (frame, col, row, &part.x, &part.y);
  part.width = width;
  part.height = height;
  return part;
}

UrbBox
urb_frame_get_box (const UrbFrame *frame)
{
  UrbBox box = URB_BOX_EMPTY;

  for (int i = 0; i < 4; i++)
    {
      double x, y;

      urb_frame_to_map (frame, i & 1 ? frame->width : 0, i & 2 ? frame->height : 0, &x, &y);
      urb_box_add_point (&box, x, y);
    }
  return box;
}

UrbRaster *
urb_raster_new (void)
{
  UrbRaster *self = g_new0 (UrbRaster, 1);

  self->found = g_array_new (FALSE, FALSE, sizeof (gint64));
  return self;
}

void
urb_raster_free (UrbRaster *self)
{
  if (self == NULL)
    return;
  g_free (self->toggles);
  for (int c = 0; c < URB_N_CLASSES; c++)
    g_free (self->planes[c]);
  g_array_unref (self->found);
  g_free (self);
}

void
urb_raster_set_ground (UrbRaster *self, const UrbBox *ground, gsize n)
{
  self->ground = ground;
  self->n_ground = n;
}

static void
prepare (UrbRaster *self, const UrbFrame *frame)
{
  gsize n_words;

  self->frame = *frame;
  self->stride = (gsize) frame->width / 64 + 1;
  n_words = self->stride * frame->height;
  if (n_words > self->n_allocated)
    {
      self->n_allocated = n_words;
      g_free (self->toggles);
      self->toggles = g_new0 (guint64, n_words);
      for (int c = 0; c < URB_N_CLASSES; c++)
        {
          g_free (self->planes[c]);
          self->planes[c] = g_new (guint64, n_words);
        }
    }
  for (int c = 0; c < URB_N_CLASSES; c++)
    memset (self->planes[c], 0, n_words * sizeof (guint64));
}

/* The first column within the frame whose center is at or right of @x, as in GDAL.
 * The negated comparison maps NaN to 0. */
static inline int
first_column (double x, int width)
{
  if (!(x >= 0.5))
    return 0;
  if (x >= width)
    return width;
  return (int) (x + 0.5);
}

/* Some vertices of a ring, in pixels.  A vertex of row r is above the centers of rows r
 * and up. */
typedef struct
{
  double x[CHUNK], y[CHUNK];
  int    row[CHUNK];
} Chunk;

/* Rings can be as large as the map.  Beyond this loop, which the compiler vectorizes,
 * vertices far from the frame cost one comparison. */
WITH_AVX2 static void
transform (const UrbFrame *f, const double *xy, int n, Chunk *chunk)
{
  const double a = f->cos_a / f->pixel_m, b = f->sin_a / f->pixel_m;
  const double x0 = f->x, y0 = f->y, height = f->height;

  for (int i = 0; i < n; i++)
    {
      double dx = xy[2 * i] - x0, dy = xy[2 * i + 1] - y0;
      double x = dx * a + dy * b, y = dx * b - dy * a;
      double above = y - 0.5;
      int row;

      above = above > 0 ? above : 0;
      above = above < height ? above : height;
      row = (int) above;
      chunk->x[i] = x;
      chunk->y[i] = y;
      chunk->row[i] = row + (above > row);
    }
}

/* Toggles the scanlines that the edge crosses: those with a center in [y1, y2). */
static void
toggle_edge (UrbRaster *self, double x1, double y1, int row1, double x2, double y2, int row2)
{
  const int width = self->frame.width;
  const gsize stride = self->stride;
  int first = MIN (row1, row2), end = MAX (row1, row2);
  int col_min = width, col_max = 0;
  double slope = (x2 - x1) / (y2 - y1);
  guint64 *toggles = self->toggles + (gsize) first * stride;

  if (row1 > row2) /* from the upper end, so neighbors get exactly the same edge */
    {
      x1 = x2;
      y1 = y2;
    }
  for (int row = first; row < end; row++, toggles += stride)
    {
      int col = first_column (x1 + (row + 0.5 - y1) * slope, width);

      toggles[col >> 6] ^= G_GUINT64_CONSTANT (1) << (col & 63);
      col_min = MIN (col_min, col);
      col_max = MAX (col_max, col);
    }
  self->col_min = MIN (self->col_min, col_min);
  self->col_max = MAX (self->col_max, col_max);
  self->row_min = MIN (self->row_min, first);
  self->row_max = MAX (self->row_max, end);
}

/* Toggles the edges to the chunk's @n vertices, starting from (@x1, @y1). */
static void
toggle_chunk (UrbRaster *self, const Chunk *chunk, int n, double x1, double y1, int row1)
{
  for (int i = 0; i < n; i++)
    {
      if (chunk->row[i] != row1)
        toggle_edge (self, x1, y1, row1, chunk->x[i], chunk->y[i], chunk->row[i]);
      x1 = chunk->x[i];
      y1 = chunk->y[i];
      row1 = chunk->row[i];
    }
}

static void
toggle_ring (UrbRaster *self, const double *xy, gint64 n_vertices)
{
  Chunk chunk;
  int last = (int) n_vertices - 1;

  if (n_vertices < 3)
    return;
  if (n_vertices <= CHUNK)
    {
      transform (&self->frame, xy, last + 1, &chunk);
      toggle_chunk (self, &chunk, last + 1, chunk.x[last], chunk.y[last], chunk.row[last]);
      return;
    }
  transform (&self->frame, xy + 2 * (n_vertices - 1), 1, &chunk);
  last = 0;
  for (gint64 first = 0; first < n_vertices; first += CHUNK)
    {
      int n = MIN (CHUNK, n_vertices - first);
      double x = chunk.x[last], y = chunk.y[last];
      int row = chunk.row[last];

      transform (&self->frame, xy + 2 * first, n, &chunk);
      toggle_chunk (self, &chunk, n, x, y, row);
      last = n - 1;
    }
}

static inline guint64
running_parity (guint64 word)
{
  word ^= word << 1;
  word ^= word << 2;
  word ^= word << 4;
  word ^= word << 8;
  word ^= word << 16;
  word ^= word << 32;
  return word;
}

static void
begin_polygon (UrbRaster *self)
{
  self->row_min = self->frame.height;
  self->row_max = 0;
  self->col_min = self->frame.width;
  self->col_max = 0;
}

/* Closed rings cross a scanline an even number of times, so the parity returns to 0
 * after the last toggle. */
static void
fill_polygon (UrbRaster *self, guint64 *plane)
{
  gsize first = self->col_min >> 6, last = self->col_max >> 6;

  for (int row = self->row_min; row < self->row_max; row++)
    {
      guint64 *toggles = self->toggles + (gsize) row * self->stride;
      guint64 *bits = plane + (gsize) row * self->stride;
      guint64 inside = 0; /* in all bits: whether the pixel before this word is inside */

      for (gsize w = first; w <= last; w++)
        {
          guint64 word = running_parity (toggles[w]) ^ inside;

          toggles[w] = 0;
          bits[w] |= word;
          inside = -(word >> 63);
        }
    }
}

static void
paint_polygon (UrbRaster *self, UrbMap *map, gint64 index)
{
  const UrbMapPolygon *polygon = urb_map_get_polygon (map, index);

  if (polygon->class_ >= URB_N_CLASSES)
    return;
  begin_polygon (self);
  for (guint32 i = 0; i < polygon->n_rings; i++)
    {
      gint64 n_vertices;
      const double *xy = urb_map_get_ring (map, polygon->first_ring + i, &n_vertices);

      toggle_ring (self, xy, n_vertices);
    }
  fill_polygon (self, self->planes[polygon->class_]);
}

static void
paint_ground (UrbRaster *self)
{
  begin_polygon (self);
  for (gsize i = 0; i < self->n_ground; i++)
    {
      const UrbBox *box = &self->ground[i];
      const double ring[] = { box->min_x, box->min_y, box->max_x, box->min_y,
                              box->max_x, box->max_y, box->min_x, box->max_y };

      toggle_ring (self, ring, G_N_ELEMENTS (ring) / 2);
    }
  fill_polygon (self, self->planes[URB_CLASS_OTHER]);
}

void
urb_raster_paint (UrbRaster *self, UrbMap *map, const UrbFrame *frame)
{
  guint64 *building, *road, *other;

  g_return_if_fail (frame->width > 0 && frame->height > 0 && frame->pixel_m > 0);

  prepare (self, frame);
  paint_ground (self);
  urb_map_query (map, urb_frame_get_box (frame), self->found);
  for (guint i = 0; i < self->found->len; i++)
    paint_polygon (self, map, g_array_index (self->found, gint64, i));
  /* Each class has its own plane, so the paint order is applied once, at the end. */
  building = self->planes[URB_CLASS_BUILDING];
  road = self->planes[URB_CLASS_ROAD];
  other = self->planes[URB_CLASS_OTHER];
  for (gsize i = 0; i < self->stride * frame->height; i++)
    {
      road[i] &= ~building[i];
      other[i] &= ~(building[i] | road[i]);
    }
}

const guint64 *
urb_raster_get_plane (UrbRaster *self, UrbClass class_, gsize *stride)
{
  g_return_val_if_fail (class_ < URB_N_CLASSES, NULL);

  *stride = self->stride;
  return self->planes[class_];
}

WITH_POPCNT gint64
urb_raster_count (UrbRaster *self, UrbClass class_)
{
  gsize n_words = self->stride * self->frame.height;
  const guint64 *plane = self->planes[class_];
  gint64 count = 0;

  for (gsize i = 0; i < n_words; i++)
    count += __builtin_popcountll (plane[i]);
  return count;
}
