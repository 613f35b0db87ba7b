/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open-ground.c - see open-ground.h.
 */
#include "dataset/open-ground.h"

#include <math.h>
#include <string.h>

#define CELL_M   5.0 /* the smallest */
#define BEYOND_M 25.0 /* around the outermost objects */

enum { SAMPLES = 4 }; /* per cell and direction, so that a narrow street between cell centers counts */

struct _UrbOpenGround
{
  UrbRaster *raster; /* of samples; owned */
  GArray    *cells;  /* of guint8, whether it is ground: (height, width); owned */
  GArray    *line;   /* of guint8: a copy of a row or column; owned */
  GArray    *ground; /* of UrbBox; owned */
};

UrbOpenGround *
urb_open_ground_new (void)
{
  UrbOpenGround *self = g_new0 (UrbOpenGround, 1);

  self->raster = urb_raster_new ();
  self->cells = g_array_new (FALSE, FALSE, sizeof (guint8));
  self->line = g_array_new (FALSE, FALSE, sizeof (guint8));
  self->ground = g_array_new (FALSE, FALSE, sizeof (UrbBox));
  return self;
}

void
urb_open_ground_free (UrbOpenGround *self)
{
  if (self == NULL)
    return;
  urb_raster_free (self->raster);
  g_array_unref (self->cells);
  g_array_unref (self->line);
  g_array_unref (self->ground);
  g_free (self);
}

/* The cells around @box, on a grid that is the same for all boxes. */
static UrbFrame
choose_cells (UrbBox box, double cell_m)
{
  double col = floor (box.min_x / cell_m), row = ceil (box.max_y / cell_m);

  return (UrbFrame){
    .x = col * cell_m,
    .y = row * cell_m,
    .cos_a = 1,
    .pixel_m = cell_m,
    .width = (int) (ceil (box.max_x / cell_m) - col),
    .height = (int) (row - floor (box.min_y / cell_m)),
  };
}

/* Sets the cells that have an object. */
static void
find_objects (UrbOpenGround *self, UrbMap *map, const UrbFrame *frame)
{
  UrbFrame samples = *frame;
  gsize n = (gsize) frame->width * (gsize) frame->height;
  guint8 *cells;

  samples.pixel_m /= SAMPLES;
  samples.width *= SAMPLES;
  samples.height *= SAMPLES;
  urb_raster_paint (self->raster, map, &samples);
  g_array_set_size (self->cells, (guint) n);
  cells = (guint8 *) self->cells->data;
  memset (cells, 0, n);
  for (int c = 0; c < URB_N_CLASSES; c++)
    {
      gsize stride;
      const guint64 *bits = urb_raster_get_plane (self->raster, c, &stride);

      for (gsize y = 0; y < (gsize) samples.height; y++, bits += stride)
        for (gsize x = 0; x < (gsize) frame->width; x++)
          cells[y / SAMPLES * (gsize) frame->width + x] |= (bits[x / 16] >> x % 16 * SAMPLES & 0xf) != 0;
    }
}

/* Sets the cells of a line to @value that have one such within @reach.
 * @cells: every @step-th, @n in all */
static void
spread_along (UrbOpenGround *self, guint8 *cells, int n, gsize step, int reach, guint8 value)
{
  guint8 *line;
  int n_near = 0; /* within reach of cell i - reach */

  g_array_set_size (self->line, (guint) n);
  line = (guint8 *) self->line->data;
  for (int i = 0; i < n; i++)
    line[i] = cells[(gsize) i * step] == value;
  for (int i = 0; i < n + reach; i++)
    {
      n_near += i < n && line[i];
      n_near -= i > 2 * reach && line[i - 2 * reach - 1];
      if (i >= reach && n_near > 0)
        cells[(gsize) (i - reach) * step] = value;
    }
}

static void
spread (UrbOpenGround *self, const UrbFrame *frame, int reach, guint8 value)
{
  guint8 *cells = (guint8 *) self->cells->data;

  for (int y = 0; y < frame->height; y++)
    spread_along (self, cells + (gsize) y * (gsize) frame->width, frame->width, 1, reach, value);
  for (int x = 0; x < frame->width; x++)
    spread_along (self, cells + x, frame->height, (gsize) frame->width, reach, value);
}

/* Rectangles of one row of cells each. */
static void
gather_ground (UrbOpenGround *self, const UrbFrame *frame)
{
  const guint8 *row = (const guint8 *) self->cells->data;

  g_array_set_size (self->ground, 0);
  for (int y = 0; y < frame->height; y++, row += frame->width)
    for (int x = 0, end; x < frame->width; x = end)
      {
        UrbBox box = {
          .min_x = frame->x + x * frame->pixel_m,
          .min_y = frame->y - (y + 1) * frame->pixel_m,
          .max_y = frame->y - y * frame->pixel_m,
        };

        for (end = x + 1; end < frame->width && row[end] == row[x];)
          end++;
        box.max_x = frame->x + end * frame->pixel_m;
        if (row[x])
          g_array_append_val (self->ground, box);
      }
}

void
urb_open_ground_lay (UrbOpenGround *self, UrbMap *map, const UrbFrame *frame, UrbRaster *raster)
{
  double cell_m = CELL_M * exp2 (MAX (ceil (log2 (frame->pixel_m / CELL_M)), 0));
  int beyond = (int) round (BEYOND_M / cell_m), half_gap = MAX ((int) round (URB_OPEN_GROUND_GAP_M / 2 / cell_m), 1);
  UrbBox box = urb_box_widen (urb_frame_get_box (frame), (2 * half_gap - beyond) * cell_m);
  UrbFrame cells = choose_cells (box, cell_m);

  find_objects (self, map, &cells);
  spread (self, &cells, half_gap, 1);
  spread (self, &cells, half_gap - beyond, 0);
  gather_ground (self, &cells);
  urb_raster_set_ground (raster, (const UrbBox *) (void *) self->ground->data, self->ground->len);
}
