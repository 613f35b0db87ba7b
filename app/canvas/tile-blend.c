/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-blend.c - converts the coverage of each pixel by the classes into colors.
 *
 * Painting antialiased polygons over each other lets the background shine through where two of
 * them meet: half of a half remains.  But the areas of a plan abut rather than overlap, so the
 * coverages of the classes are added, and only what exceeds the pixel is hidden below the upper
 * class.  This avoids seams between neighbors.
 *
 * Colors are blended in linear light, not in sRGB; see urb_plan_blend().
 */
#include "app/canvas/tile-blend.h"

enum { PAPER = URB_N_CLASSES };

struct _UrbariumTileBlend
{
  const UrbariumPalette *palette;
  float   fills[URB_N_CLASSES + 1][3], lines[URB_N_CLASSES][3]; /* linear light */
  guint32 solid[URB_N_CLASSES + 1];
  const guint8 *srgb; /* by linear light */
};

UrbariumTileBlend *
urbarium_tile_blend_new (const UrbariumPalette *palette)
{
  UrbariumTileBlend *self = g_new0 (UrbariumTileBlend, 1);

  self->palette = palette;
  self->srgb = urb_srgb_get_table ();
  for (int c = 0; c <= PAPER; c++)
    {
      UrbColor color = c == PAPER ? palette->paper : palette->fills[c];

      urb_color_get_linear (color, self->fills[c]);
      self->solid[c] = 0xff000000u | (guint32) color.r << 16 | (guint32) color.g << 8 | color.b;
      if (c != PAPER)
        urb_color_get_linear (palette->lines[c], self->lines[c]);
    }
  return self;
}

void
urbarium_tile_blend_free (UrbariumTileBlend *self)
{
  g_free (self);
}

const UrbariumPalette *
urbarium_tile_blend_get_palette (UrbariumTileBlend *self)
{
  return self->palette;
}

static inline guint32
mix (UrbariumTileBlend *self, const int share[URB_N_CLASSES + 1], const int line[URB_N_CLASSES])
{
  guint32 pixel = 0xff;

  for (int k = 0; k < 3; k++)
    {
      float light = share[PAPER] * self->fills[PAPER][k];

      for (int c = 0; c < URB_N_CLASSES; c++)
        {
          float fill = self->fills[c][k];

          light += share[c] * (fill + line[c] * (1 / 255.0f) * (self->lines[c][k] - fill));
        }
      pixel = pixel << 8 | self->srgb[(int) (light * (URB_SRGB_STEPS / 255.0f) + 0.5f)];
    }
  return pixel;
}

void
urbarium_tile_blend_row (UrbariumTileBlend *self, const guint8 *const fills[URB_N_CLASSES],
                         const guint8 *const lines[URB_N_CLASSES], int n, guint32 *pixels)
{
  for (int i = 0; i < n; i++)
    {
      int share[URB_N_CLASSES + 1], line[URB_N_CLASSES] = { 0 }, left = 255, whole = -1;

      for (int c = 0; c < URB_N_CLASSES; c++)
        {
          share[c] = MIN (fills[c][i], left);
          left -= share[c];
          if (share[c] == 255)
            whole = c;
          if (lines != NULL)
            line[c] = lines[c][i];
        }
      share[PAPER] = left;
      if (left == 255)
        whole = PAPER;
      if (whole == PAPER || (whole >= 0 && line[whole] == 0))
        pixels[i] = self->solid[whole];
      else
        pixels[i] = mix (self, share, line);
    }
}
