/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-grid.c - draws a grid of tiles as one image.
 *
 * Each tile pixel becomes a square of whole image pixels, so the grid shows exactly
 * what the network sees.
 */
#include "dataset/sample-grid.h"

#include <math.h>

#include "dataset/dataset.h"
#include "dataset/plan-style.h"

#define MAX_EDGE_PX 32767 /* of a Cairo image */
#define GAP_COLOR ((UrbColor) { 0xff, 0xff, 0xff })

typedef struct
{
  const guint8 *levels; /* (n, size, size, channels) */
  gint64        n;
  int           size_px, n_channels, scale;
  int           gap;       /* image pixels, around every tile */
  gint64        n_columns;
} Layout;

/* Returns: edge in image pixels */
static gint64
edge_of (const Layout *self, gint64 n_tiles)
{
  return n_tiles * ((gint64) self->size_px * self->scale + self->gap) + self->gap;
}

static void
draw_tiles (const Layout *self, cairo_surface_t *surface)
{
  gsize n_pixels = (gsize) self->size_px * self->size_px;
  g_autofree guint32 *tile = g_new (guint32, n_pixels);
  gsize stride = cairo_image_surface_get_stride (surface) / sizeof (guint32);
  int edge = self->size_px * self->scale;
  guint32 *pixels;

  cairo_surface_flush (surface);
  pixels = (guint32 *) (void *) cairo_image_surface_get_data (surface);
  for (gint64 i = 0; i < self->n; i++)
    {
      guint32 *to = pixels + edge_of (self, i / self->n_columns) * stride
                    + edge_of (self, i % self->n_columns);

      urb_plan_blend (self->levels + i * n_pixels * self->n_channels, n_pixels, self->n_channels,
                      tile);
      for (int y = 0; y < edge; y++)
        {
          const guint32 *from = tile + (gsize) (y / self->scale) * self->size_px;

          for (int x = 0; x < edge; x++)
            to[y * stride + x] = from[x / self->scale];
        }
    }
  cairo_surface_mark_dirty (surface);
}

int
urb_sample_grid_choose_edge (int size_px)
{
  return CLAMP (1024 / size_px, 4, 8);
}

int
urb_sample_grid_choose_scale (int size_px)
{
  return size_px < 128 ? 2 : 1;
}

static int
choose_gap (int tile)
{
  return MAX (2, tile / 48);
}

/* Whether each tile pixel of the first tile may be a square of 2 x 2 image pixels. */
static gboolean
is_doubled (const guint32 *pixels, gsize stride, int tile, int gap)
{
  for (int y = 0; y < tile; y += 2)
    for (int x = 0; x < tile; x += 2)
      {
        const guint32 *at = pixels + (gsize) (gap + y) * stride + gap + x;

        if (at[0] != at[1] || at[0] != at[stride] || at[0] != at[stride + 1])
          return FALSE;
      }
  return TRUE;
}

gboolean
urb_sample_grid_measure (int width_px, int height_px, const guint32 *pixels, gsize stride,
                         UrbSampleGridLayout *layout)
{
  for (int size_px = 1; width_px == height_px && size_px <= width_px; size_px++)
    {
      int n = urb_sample_grid_choose_edge (size_px), scale = urb_sample_grid_choose_scale (size_px);
      int tile = size_px * scale, gap = choose_gap (tile);

      if (n * (tile + gap) + gap != width_px || (scale == 2 && !is_doubled (pixels, stride, tile, gap)))
        continue;
      *layout = (UrbSampleGridLayout){ n, n, tile, gap, scale };
      return TRUE;
    }
  return FALSE;
}

gboolean
urb_sample_grid_write_png (const char *path, const guint8 *levels, gint64 n, int size_px,
                           int n_channels, int n_columns, int scale, GError **error)
{
  Layout layout = { levels, n, size_px, n_channels, scale };
  gint64 width, height;
  g_autoptr(UrbCairoSurface) surface = NULL;
  g_autoptr(UrbCairo) cr = NULL;

  g_return_val_if_fail (n > 0 && size_px > 0 && scale >= 1, FALSE);
  g_return_val_if_fail (n_channels == 1 || n_channels == 3, FALSE);

  layout.gap = choose_gap (size_px * scale);
  layout.n_columns = n_columns > 0 ? n_columns : (gint64) ceil (sqrt ((double) n));
  layout.n_columns = CLAMP (layout.n_columns, 1, n);
  width = edge_of (&layout, layout.n_columns);
  height = edge_of (&layout, (n + layout.n_columns - 1) / layout.n_columns);
  if (MAX (width, height) > MAX_EDGE_PX)
    {
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPTIONS,
                   "%" G_GINT64_FORMAT " tiles of %d pixels do not fit into one image. Show fewer "
                   "tiles",
                   n, size_px);
      return FALSE;
    }
  surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  if (cairo_surface_status (surface) == CAIRO_STATUS_SUCCESS)
    {
      cr = cairo_create (surface);
      urb_color_set_source (cr, GAP_COLOR, 1);
      cairo_paint (cr);
      draw_tiles (&layout, surface);
    }
  return urb_plan_write_png (surface, path, error);
}
