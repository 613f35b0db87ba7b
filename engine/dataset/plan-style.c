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
#include "dataset/png.h"

typedef struct
{
  float building[3], road[3], other[3], paper[3]; /* linear light */
} Palette;

static float
linear_from_srgb (guint8 value)
{
  double v = value / 255.0;

  return v <= 0.04045 ? v / 12.92 : pow ((v + 0.055) / 1.055, 2.4);
}

UrbColor
urb_split_get_color (UrbSplit split)
{
  return split == URB_SPLIT_TEST         ? URB_COLOR_TEST
         : split == URB_SPLIT_VALIDATION ? URB_COLOR_VALIDATION
                                         : URB_COLOR_TRAIN;
}

void
urb_color_get_linear (UrbColor color, float linear[3])
{
  linear[0] = linear_from_srgb (color.r);
  linear[1] = linear_from_srgb (color.g);
  linear[2] = linear_from_srgb (color.b);
}

static gpointer
table_new (gpointer unused)
{
  guint8 *srgb = g_new (guint8, URB_SRGB_STEPS + 1);

  for (int i = 0; i <= URB_SRGB_STEPS; i++)
    {
      double v = (double) i / URB_SRGB_STEPS;

      v = v <= 0.0031308 ? 12.92 * v : 1.055 * pow (v, 1 / 2.4) - 0.055;
      srgb[i] = (guint8) (255 * v + 0.5);
    }
  return srgb;
}

const guint8 *
urb_srgb_get_table (void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, table_new, NULL);
}

/* A generator's channels may sum to more than 1; they are then normalized. */
static guint32
blend_pixel (const Palette *palette, const guint8 *srgb, const guint8 level[3])
{
  float sum = (float) level[0] + level[1] + level[2];
  float whole = MAX (sum, 255.0f), nothing = (whole - sum) / whole;
  float b = level[0] / whole, r = level[1] / whole, o = level[2] / whole;
  guint32 pixel = 0;

  for (int k = 0; k < 3; k++)
    {
      float light = b * palette->building[k] + r * palette->road[k] + o * palette->other[k]
                    + nothing * palette->paper[k];

      pixel = pixel << 8 | srgb[(int) (light * URB_SRGB_STEPS + 0.5f)];
    }
  return pixel;
}

void
urb_plan_blend (const guint8 *levels, gsize n, int n_channels, guint32 *pixels)
{
  const guint8 *srgb = urb_srgb_get_table ();
  Palette palette;

  g_return_if_fail (n_channels == 1 || n_channels == 3);

  if (n_channels == 1)
    {
      for (gsize i = 0; i < n; i++)
        pixels[i] = levels[i] * 0x010101u;
      return;
    }
  urb_color_get_linear (URB_COLOR_BUILDING, palette.building);
  urb_color_get_linear (URB_COLOR_ROAD, palette.road);
  urb_color_get_linear (URB_COLOR_OTHER, palette.other);
  urb_color_get_linear (URB_COLOR_PAPER, palette.paper);
  for (gsize i = 0; i < n; i++)
    pixels[i] = blend_pixel (&palette, srgb, levels + 3 * i);
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
