/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-colors.c - building, road, ground and paper of a plan differ in luminance, in this order, and so do
 * their blends: a color of the engine's plan becomes the color at the same place between the new ones.
 */
#include "app/train/plan-colors.h"

#include <math.h>

enum { N_COLORS = 4, N_BLENDS = 20 };

typedef struct
{
  float light[N_COLORS];    /* luminance in the engine's plan, ascending */
  float color[N_COLORS][3]; /* new, in linear light */
} Ramp;

static float
get_luminance (const float linear[3])
{
  return 0.2126f * linear[0] + 0.7152f * linear[1] + 0.0722f * linear[2];
}

static float
luminance_of (UrbColor color)
{
  float linear[3];
  urb_color_get_linear (color, linear);
  return get_luminance (linear);
}

double
urbarium_plan_contrast (UrbColor a, UrbColor b)
{
  double x = luminance_of (a) + 0.05, y = luminance_of (b) + 0.05;
  return MAX (x, y) / MIN (x, y);
}

static UrbColor
to_srgb (const float linear[3])
{
  const guint8 *srgb = urb_srgb_get_table ();
  guint8 c[3];
  for (int k = 0; k < 3; k++)
    c[k] = srgb[(int) (CLAMP (linear[k], 0, 1) * URB_SRGB_STEPS + 0.5f)];
  return (UrbColor){ c[0], c[1], c[2] };
}

UrbColor
urbarium_plan_road_color (const UrbariumPalette *palette)
{
  UrbColor road = palette->fills[URB_CLASS_ROAD];
  float from[3], to[3];
  urb_color_get_linear (palette->fills[URB_CLASS_ROAD], from);
  urb_color_get_linear (palette->fills[URB_CLASS_BUILDING], to);
  for (int i = 1; i <= N_BLENDS && urbarium_plan_contrast (road, palette->fills[URB_CLASS_OTHER]) < URBARIUM_ROAD_CONTRAST;
       i++)
    {
      float share = (float) i / N_BLENDS, blend[3];
      for (int k = 0; k < 3; k++)
        blend[k] = from[k] + share * (to[k] - from[k]);
      road = to_srgb (blend);
    }
  return road;
}

static void
ramp_init (Ramp *self, const UrbariumPalette *palette)
{
  const UrbColor before[N_COLORS] = { URB_COLOR_BUILDING, URB_COLOR_ROAD, URB_COLOR_OTHER, URB_COLOR_PAPER };
  const UrbColor after[N_COLORS] = { palette->fills[URB_CLASS_BUILDING], urbarium_plan_road_color (palette),
                                     palette->fills[URB_CLASS_OTHER], palette->paper };
  for (int i = 0; i < N_COLORS; i++)
    {
      self->light[i] = luminance_of (before[i]);
      urb_color_get_linear (after[i], self->color[i]);
    }
}

static guint32
look_up (const Ramp *self, float light)
{
  float linear[3], share;
  UrbColor color;
  int i = 0;
  while (i < N_COLORS - 2 && light > self->light[i + 1])
    i++;
  share = CLAMP ((light - self->light[i]) / (self->light[i + 1] - self->light[i]), 0, 1);
  for (int k = 0; k < 3; k++)
    linear[k] = self->color[i][k] + share * (self->color[i + 1][k] - self->color[i][k]);
  color = to_srgb (linear);
  return 0xff000000u | (guint32) color.r << 16 | (guint32) color.g << 8 | color.b;
}

static gboolean
is_grey (const guint32 *pixels, int stride, int width, int height)
{
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        guint32 pixel = pixels[(gsize) y * stride + x] & 0xffffff;
        if (pixel != (pixel & 0xff) * 0x010101u)
          return FALSE;
      }
  return TRUE;
}

cairo_surface_t *
urbarium_plan_recolor (cairo_surface_t *plan, const UrbariumPalette *palette)
{
  enum { N_STEPS = 1024 };
  int width = cairo_image_surface_get_width (plan), height = cairo_image_surface_get_height (plan);
  int from_stride = cairo_image_surface_get_stride (plan) / (int) sizeof (guint32), to_stride;
  const guint32 *from = (const guint32 *) (const void *) cairo_image_surface_get_data (plan);
  cairo_surface_t *result;
  guint32 colors[N_STEPS + 1], *to;
  float linear[256];
  Ramp ramp;
  if (from == NULL || is_grey (from, from_stride, width, height))
    return cairo_surface_reference (plan);
  ramp_init (&ramp, palette);
  for (int i = 0; i <= N_STEPS; i++)
    colors[i] = look_up (&ramp, (float) i / N_STEPS);
  for (int i = 0; i < 256; i++)
    {
      float rgb[3];
      urb_color_get_linear ((UrbColor){ (guint8) i, (guint8) i, (guint8) i }, rgb);
      linear[i] = rgb[0];
    }
  result = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  to = (guint32 *) (void *) cairo_image_surface_get_data (result);
  to_stride = cairo_image_surface_get_stride (result) / (int) sizeof (guint32);
  for (int y = 0; y < height && to != NULL; y++)
    for (int x = 0; x < width; x++)
      {
        guint32 pixel = from[(gsize) y * from_stride + x];
        const float rgb[3] = { linear[pixel >> 16 & 0xff], linear[pixel >> 8 & 0xff], linear[pixel & 0xff] };
        to[(gsize) y * to_stride + x] = colors[(int) (get_luminance (rgb) * N_STEPS + 0.5f)];
      }
  cairo_surface_mark_dirty (result);
  return result;
}
