/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-style.c - the colors of a plan, and their blending into tiles.
 *
 * Colors are blended in linear light: the mean of two sRGB values is darker than the
 * mean of the light they stand for, and soft edges would look dirty.
 */
#include "dataset/plan-style.h"

#include <math.h>

#include "base/atomic-file.h"
#include "dataset/dataset.h"
#include "dataset/png.h"

#define N_STEPS 4096 /* of the table from linear light to sRGB: finer than 8 bits */

typedef struct
{
  float  building[3], road[3], other[3], paper[3]; /* linear light */
  guint8 srgb[N_STEPS + 1];
} Palette;

static float
linear_from_srgb (guint8 value)
{
  double v = value / 255.0;

  return v <= 0.04045 ? v / 12.92 : pow ((v + 0.055) / 1.055, 2.4);
}

static void
set_linear (float linear[3], UrbColor color)
{
  linear[0] = linear_from_srgb (color.r);
  linear[1] = linear_from_srgb (color.g);
  linear[2] = linear_from_srgb (color.b);
}

static gpointer
palette_new (gpointer unused)
{
  Palette *self = g_new (Palette, 1);

  set_linear (self->building, URB_COLOR_BUILDING);
  set_linear (self->road, URB_COLOR_ROAD);
  set_linear (self->other, URB_COLOR_OTHER);
  set_linear (self->paper, URB_COLOR_PAPER);
  for (int i = 0; i <= N_STEPS; i++)
    {
      double v = (double) i / N_STEPS;

      v = v <= 0.0031308 ? 12.92 * v : 1.055 * pow (v, 1 / 2.4) - 0.055;
      self->srgb[i] = (guint8) (255 * CLAMP (v, 0, 1) + 0.5);
    }
  return self;
}

/* A generator's channels may sum to more than 1; they are then normalized. */
static guint32
blend_pixel (const Palette *palette, const guint8 level[3])
{
  float sum = (float) level[0] + level[1] + level[2];
  float whole = MAX (sum, 255.0f), nothing = (whole - sum) / whole;
  float b = level[0] / whole, r = level[1] / whole, o = level[2] / whole;
  guint32 pixel = 0;

  for (int k = 0; k < 3; k++)
    {
      float light = b * palette->building[k] + r * palette->road[k] + o * palette->other[k]
                    + nothing * palette->paper[k];

      pixel = pixel << 8 | palette->srgb[(int) (light * N_STEPS + 0.5f)];
    }
  return pixel;
}

void
urb_plan_blend (const guint8 *levels, gsize n, int n_channels, guint32 *pixels)
{
  static GOnce once = G_ONCE_INIT;
  const Palette *palette;

  g_return_if_fail (n_channels == 1 || n_channels == 3);

  if (n_channels == 1)
    {
      for (gsize i = 0; i < n; i++)
        pixels[i] = levels[i] * 0x010101u;
      return;
    }
  palette = g_once (&once, palette_new, NULL);
  for (gsize i = 0; i < n; i++)
    pixels[i] = blend_pixel (palette, levels + 3 * i);
}

void
urb_color_set_source (cairo_t *cr, UrbColor color, double alpha)
{
  cairo_set_source_rgba (cr, color.r / 255.0, color.g / 255.0, color.b / 255.0, alpha);
}

gboolean
urb_plan_write_png (cairo_surface_t *surface, const char *path, GError **error)
{
  cairo_status_t status = cairo_surface_status (surface);
  g_autoptr(GByteArray) png = NULL;
  g_autoptr(GError) reason = NULL;

  if (status == CAIRO_STATUS_SUCCESS)
    {
      cairo_surface_flush (surface);
      png = urb_png_encode ((const guint32 *) (gpointer) cairo_image_surface_get_data (surface),
                            cairo_image_surface_get_stride (surface) / sizeof (guint32),
                            cairo_image_surface_get_width (surface),
                            cairo_image_surface_get_height (surface));
      status = png != NULL ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_NO_MEMORY;
    }
  if (png != NULL && urb_atomic_file_set_contents (path, png->data, png->len, &reason))
    return TRUE;
  g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_WRITE,
               "Could not write the image '%s': %s", path,
               reason != NULL ? reason->message : cairo_status_to_string (status));
  return FALSE;
}
