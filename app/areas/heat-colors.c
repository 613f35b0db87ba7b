/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/heat-colors.h"

#include <math.h>

/* Every sixteenth color of viridis (Smith and van der Walt, 2015; CC0). */
static const guint8 stops[][3] = {
  { 0x44, 0x01, 0x54 },
  { 0x48, 0x18, 0x6a },
  { 0x47, 0x2d, 0x7b },
  { 0x42, 0x40, 0x86 },
  { 0x3b, 0x52, 0x8b },
  { 0x33, 0x63, 0x8d },
  { 0x2c, 0x72, 0x8e },
  { 0x26, 0x82, 0x8e },
  { 0x21, 0x91, 0x8c },
  { 0x1f, 0xa0, 0x88 },
  { 0x28, 0xae, 0x80 },
  { 0x3f, 0xbc, 0x73 },
  { 0x5e, 0xc9, 0x62 },
  { 0x84, 0xd4, 0x4b },
  { 0xad, 0xdc, 0x30 },
  { 0xd8, 0xe2, 0x19 },
  { 0xfd, 0xe7, 0x25 },
};

guint32
urbarium_heat_color (double value)
{
  double at = CLAMP (value, 0, 1) * (G_N_ELEMENTS (stops) - 1);
  gsize i = MIN ((gsize) at, G_N_ELEMENTS (stops) - 2);
  double t = at - (double) i;
  guint32 color = 0xff;
  for (int c = 0; c < 3; c++)
    color = color << 8 | (guint32) lround (stops[i][c] * (1 - t) + stops[i + 1][c] * t);
  return color;
}

GdkTexture *
urbarium_heat_texture_new (const UrbHeatMap *heat, double max_variance)
{
  gsize n = (gsize) heat->width * heat->height;
  guint32 *pixels = g_new0 (guint32, n);
  g_autoptr(GBytes) bytes = NULL;
  for (gsize i = 0; i < n; i++)
    if (heat->variance[i] >= 0)
      pixels[i] = urbarium_heat_color (max_variance > 0 ? heat->variance[i] / max_variance : 0);
  bytes = g_bytes_new_take (pixels, n * sizeof *pixels);
  return gdk_memory_texture_new (heat->width, heat->height, GDK_MEMORY_DEFAULT, bytes,
                                 (gsize) heat->width * sizeof *pixels);
}
