/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-painter.c - draws one tile of a map; one painter per thread.
 *
 * Each class has a plane with its coverage of each pixel, from which tile-blend.c makes colors.
 * Cairo fills the planes, all polygons of a class at once, so that neighbors of one class leave
 * no seam.  Its coverage is exact to 1/255, and it draws the outlines.
 *
 * With thousands of polygons in a tile, each is only a few pixels large and fine slopes are
 * invisible.  The engine's rasterizer then takes 4 x 4 samples per pixel, which is ten times
 * faster and just as seamless at common borders.
 */
#include "app/canvas/tile-painter.h"

#include <math.h>
#include <string.h>

#include "app/canvas/tile-blend.h"
#include "app/canvas/tile-path.h"
#include "dataset/raster.h"

enum
{
  SIZE = URBARIUM_TILE_PX,
  N_PIXELS = SIZE * SIZE,
  MARGIN = 8,                /* pixels around a tile, whose outlines reach into it */
  CAIRO_MAX_POLYGONS = 1500, /* tiles with more are sampled */
  CHUNK = 512,               /* polygons per Cairo path and check for cancellation */
  SAMPLES = 4,               /* along each edge of a pixel */
  BAND = 128,                /* rows sampled per check for cancellation */
};

#define LINES_FULL 0.25 /* meters per widget pixel: below, outlines have full strength */
#define LINES_END  1.2  /* meters per widget pixel: above, no outlines */

struct _UrbariumTilePainter
{
  guint8            *fills[URB_N_CLASSES], *lines[URB_N_CLASSES]; /* (SIZE, SIZE); owned */
  UrbRaster         *raster; /* owned */
  GArray            *found;  /* of gint64; owned */
  GArray            *xy, *spare; /* of double; owned */
  UrbariumTileBlend *blend;  /* owned; nullable */
};

UrbariumTilePainter *
urbarium_tile_painter_new (void)
{
  UrbariumTilePainter *self = g_new0 (UrbariumTilePainter, 1);

  for (int c = 0; c < URB_N_CLASSES; c++)
    {
      self->fills[c] = g_malloc (N_PIXELS);
      self->lines[c] = g_malloc (N_PIXELS);
    }
  self->raster = urb_raster_new ();
  self->found = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->xy = g_array_new (FALSE, FALSE, sizeof (double));
  self->spare = g_array_new (FALSE, FALSE, sizeof (double));
  return self;
}

void
urbarium_tile_painter_free (UrbariumTilePainter *self)
{
  if (self == NULL)
    return;
  for (int c = 0; c < URB_N_CLASSES; c++)
    {
      g_free (self->fills[c]);
      g_free (self->lines[c]);
    }
  urb_raster_free (self->raster);
  g_array_unref (self->found);
  g_array_unref (self->xy);
  g_array_unref (self->spare);
  urbarium_tile_blend_free (self->blend);
  g_free (self);
}

static gboolean
is_cancelled (const int *cancelled)
{
  return g_atomic_int_get (cancelled) != 0;
}

/* With Cairo */

static cairo_t *
cairo_for_plane (guint8 *plane)
{
  cairo_surface_t *surface
    = cairo_image_surface_create_for_data (plane, CAIRO_FORMAT_A8, SIZE, SIZE, SIZE);
  cairo_t *cr = cairo_create (surface);

  cairo_surface_destroy (surface); /* the context has its own reference */
  cairo_set_operator (cr, CAIRO_OPERATOR_ADD);
  cairo_set_fill_rule (cr, CAIRO_FILL_RULE_WINDING);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_BEVEL);
  return cr;
}

static gboolean
draw_planes (UrbariumTilePainter *self, const UrbariumTileSpec *spec, const UrbariumTileKey *key,
             double strength, const int *cancelled)
{
  UrbBox box = urbarium_tile_get_box (key);
  UrbariumTilePath path = {
    .x = box.min_x,
    .y = box.max_y,
    .pixels_per_m = 1 / urbarium_tile_get_pixel_m (key->level),
    .min = -MARGIN,
    .max = SIZE + MARGIN,
    .xy = self->xy,
    .spare = self->spare,
  };
  guint end;

  for (guint first = 0; first < self->found->len; first = end)
    {
      const gint64 *found = (const gint64 *) (const void *) self->found->data;
      guint8 class_ = urb_map_get_polygon (spec->map, found[first])->class_;
      cairo_t *cr;

      for (end = first + 1; end < self->found->len && end - first < CHUNK; end++)
        if (urb_map_get_polygon (spec->map, found[end])->class_ != class_)
          break;
      if (is_cancelled (cancelled))
        return FALSE;
      if (class_ >= URB_N_CLASSES || !(spec->classes & 1u << class_))
        continue;
      cr = cairo_for_plane (self->fills[class_]);
      for (guint i = first; i < end; i++)
        urbarium_tile_path_add (&path, cr, spec->map, found[i]);
      self->xy = path.xy; /* clipping swaps them */
      self->spare = path.spare;
      cairo_fill_preserve (cr);
      if (strength > 0)
        {
          cairo_t *line = cairo_for_plane (self->lines[class_]);
          cairo_path_t *outlines = cairo_copy_path (cr);

          cairo_append_path (line, outlines);
          cairo_path_destroy (outlines);
          cairo_set_line_width (line, 1.5 * spec->scale_factor);
          cairo_set_source_rgba (line, 0, 0, 0, strength);
          cairo_stroke (line);
          cairo_destroy (line);
        }
      cairo_destroy (cr);
    }
  return TRUE;
}

/* With samples */

/* Adds to each of 16 pixels the number of set bits among its SAMPLES bits. */
static inline void
add_counts (guint64 bits, guint8 counts[16])
{
  bits = bits - (bits >> 1 & G_GUINT64_CONSTANT (0x5555555555555555));
  bits = (bits & G_GUINT64_CONSTANT (0x3333333333333333))
         + (bits >> 2 & G_GUINT64_CONSTANT (0x3333333333333333));
  for (int i = 0; i < 16; i++)
    counts[i] += bits >> (4 * i) & 0xf;
}

static void
count_samples (const guint64 *plane, gsize stride, int n_rows, guint8 *fills)
{
  for (int row = 0; row < n_rows; row++)
    for (int w = 0; w < SIZE * SAMPLES / 64; w++)
      {
        guint8 counts[16] = { 0 };

        for (int s = 0; s < SAMPLES; s++)
          add_counts (plane[(row * SAMPLES + s) * stride + w], counts);
        for (int i = 0; i < 16; i++) /* maps 0 to 16 samples to 0 to 255 */
          fills[row * SIZE + 16 * w + i] = counts[i] * 16 - (counts[i] >> 4);
      }
}

static gboolean
sample_planes (UrbariumTilePainter *self, const UrbariumTileSpec *spec, const UrbariumTileKey *key,
               const int *cancelled)
{
  UrbBox box = urbarium_tile_get_box (key);

  for (int row = 0; row < SIZE; row += BAND)
    {
      double pixel_m = urbarium_tile_get_pixel_m (key->level);
      UrbFrame frame = { .x = box.min_x, .y = box.max_y - row * pixel_m, .cos_a = 1,
                         .pixel_m = pixel_m / SAMPLES, .width = SIZE * SAMPLES,
                         .height = BAND * SAMPLES };

      if (is_cancelled (cancelled))
        return FALSE;
      urb_raster_paint (self->raster, spec->map, &frame);
      for (int c = 0; c < URB_N_CLASSES; c++)
        {
          gsize stride;
          const guint64 *plane = urb_raster_get_plane (self->raster, c, &stride);

          count_samples (plane, stride, BAND, self->fills[c] + (gsize) row * SIZE);
        }
    }
  return TRUE;
}

/* Three bytes per pixel take less memory than four and are opaque for all renderers.  GTK 4.8
 * converts them to a Cairo surface six times faster than its default format, which it converts
 * in floating point. */
static GBytes *
pack (const guint32 *pixels)
{
  guint8 *rgb = g_malloc (3 * N_PIXELS);

  for (int i = 0; i < N_PIXELS; i++)
    {
      rgb[3 * i] = pixels[i] >> 16 & 0xff;
      rgb[3 * i + 1] = pixels[i] >> 8 & 0xff;
      rgb[3 * i + 2] = pixels[i] & 0xff;
    }
  return g_bytes_new_take (rgb, 3 * N_PIXELS);
}

static void
blend (UrbariumTilePainter *self, const UrbariumTileSpec *spec, gboolean with_lines,
       UrbColor *color, GBytes **result)
{
  g_autofree guint32 *pixels = g_new (guint32, N_PIXELS);

  if (self->blend == NULL || urbarium_tile_blend_get_palette (self->blend) != spec->palette)
    {
      urbarium_tile_blend_free (self->blend);
      self->blend = urbarium_tile_blend_new (spec->palette);
    }
  urbarium_tile_blend_row (self->blend, (const guint8 *const *) self->fills,
                           with_lines ? (const guint8 *const *) self->lines : NULL, N_PIXELS,
                           pixels);
  if (memcmp (pixels, pixels + 1, sizeof *pixels * (N_PIXELS - 1)) == 0) /* a single color */
    {
      *color = (UrbColor) { pixels[0] >> 16 & 0xff, pixels[0] >> 8 & 0xff, pixels[0] & 0xff };
      *result = NULL;
      return;
    }
  *result = pack (pixels);
}

static void
clear (guint8 *const planes[URB_N_CLASSES])
{
  for (int c = 0; c < URB_N_CLASSES; c++)
    memset (planes[c], 0, N_PIXELS);
}

gboolean
urbarium_tile_painter_paint (UrbariumTilePainter *self, const UrbariumTileSpec *spec,
                             const UrbariumTileKey *key, const int *cancelled, UrbColor *color,
                             GBytes **pixels)
{
  const guint all = (1u << URB_N_CLASSES) - 1;
  double m_per_px = urbarium_tile_get_pixel_m (key->level) * spec->scale_factor;
  double strength = CLAMP (log (LINES_END / m_per_px) / log (LINES_END / LINES_FULL), 0, 1);
  double margin = MARGIN * urbarium_tile_get_pixel_m (key->level);
  gboolean done;

  urb_map_query (spec->map, urb_box_widen (urbarium_tile_get_box (key), margin), self->found);
  /* The rasterizer keeps only the topmost class of each sample, also if that class is invisible;
   * so with invisible classes, Cairo has to draw all tiles. */
  if (self->found->len > CAIRO_MAX_POLYGONS && spec->classes == all)
    {
      done = sample_planes (self, spec, key, cancelled);
      strength = 0;
    }
  else
    {
      clear (self->fills);
      if (strength > 0)
        clear (self->lines);
      done = draw_planes (self, spec, key, strength, cancelled);
    }
  if (!done || is_cancelled (cancelled))
    return FALSE;
  blend (self, spec, strength > 0, color, pixels);
  return TRUE;
}
