/* SPDX-License-Identifier: Apache-2.0 */
/*
 * soft-map.c - see soft-map.h.
 */
#include "city/soft-map.h"

UrbSoftMap *
urb_soft_map_new (int width_px, int height_px, double pixel_m)
{
  UrbSoftMap *self = g_new0 (UrbSoftMap, 1);

  self->width_px = width_px;
  self->height_px = height_px;
  self->pixel_m = self->detail_m = pixel_m;
  for (int c = 0; c < URB_N_CLASSES; c++)
    self->shares[c] = g_new0 (float, (gsize) width_px * (gsize) height_px);
  return self;
}

void
urb_soft_map_free (UrbSoftMap *self)
{
  if (self == NULL)
    return;
  for (int c = 0; c < URB_N_CLASSES; c++)
    g_free (self->shares[c]);
  g_free (self);
}

static void
get_shares (const guint8 *levels, int n_channels, float *shares)
{
  if (n_channels == 1)
    {
      float level = levels[0];

      shares[URB_CLASS_ROAD] = MAX (0, 1 - level / 128);
      shares[URB_CLASS_BUILDING] = MAX (0, (level - 128) / 127);
      shares[URB_CLASS_OTHER] = 1 - shares[URB_CLASS_ROAD] - shares[URB_CLASS_BUILDING];
      return;
    }
  float sum = (float) (levels[0] + levels[1] + levels[2]);

  for (int c = 0; c < URB_N_CLASSES; c++)
    shares[c] = sum > 0 ? (float) levels[c] / sum : (float) (c == URB_CLASS_OTHER);
}

UrbSoftMap *
urb_soft_map_new_from_levels (const guint8 *levels, int width_px, int height_px, int n_channels,
                              double width_m, int zoom)
{
  g_return_val_if_fail (n_channels == 1 || n_channels == 3, NULL);
  g_return_val_if_fail (zoom >= 1 && zoom <= 64, NULL);
  g_return_val_if_fail (MAX (width_px, height_px) * zoom <= URB_CLASS_MAP_MAX_EDGE_PX, NULL);

  g_autofree float *coarse = g_new (float, (gsize) width_px * (gsize) height_px * URB_N_CLASSES);
  UrbSoftMap *self = urb_soft_map_new (width_px * zoom, height_px * zoom,
                                       width_m / (width_px * zoom));

  self->detail_m = width_m / width_px;
  for (gint64 i = 0; i < (gint64) width_px * height_px; i++)
    get_shares (levels + i * n_channels, n_channels, coarse + i * URB_N_CLASSES);
  for (int row = 0; row < self->height_px; row++)
    for (int col = 0; col < self->width_px; col++)
      {
        float y = MAX (((float) row + 0.5f) / (float) zoom - 0.5f, 0);
        float x = MAX (((float) col + 0.5f) / (float) zoom - 0.5f, 0);
        int top = (int) y, left = (int) x;
        int bottom = MIN (top + 1, height_px - 1), right = MIN (left + 1, width_px - 1);
        float down = y - (float) top, across = x - (float) left;

        for (int c = 0; c < URB_N_CLASSES; c++)
          {
            float a = coarse[(top * width_px + left) * URB_N_CLASSES + c];
            float b = coarse[(top * width_px + right) * URB_N_CLASSES + c];
            float d = coarse[(bottom * width_px + left) * URB_N_CLASSES + c];
            float e = coarse[(bottom * width_px + right) * URB_N_CLASSES + c];

            self->shares[c][(gint64) row * self->width_px + col]
              = (a + (b - a) * across) * (1 - down) + (d + (e - d) * across) * down;
          }
      }
  return self;
}

UrbSoftMap *
urb_soft_map_new_from_classes (const UrbClassMap *map)
{
  UrbSoftMap *self = urb_soft_map_new (map->width_px, map->height_px, map->pixel_m);

  for (gint64 i = 0; i < (gint64) map->width_px * map->height_px; i++)
    self->shares[map->classes[i]][i] = 1;
  return self;
}

UrbClassMap *
urb_class_map_new_from_soft (const UrbSoftMap *map)
{
  UrbClassMap *self = urb_class_map_new (map->width_px, map->height_px, map->pixel_m);

  for (gint64 i = 0; i < (gint64) map->width_px * map->height_px; i++)
    {
      float building = map->shares[URB_CLASS_BUILDING][i], road = map->shares[URB_CLASS_ROAD][i];
      float other = map->shares[URB_CLASS_OTHER][i];

      self->classes[i] = building >= road && building >= other && !(building == road && road == other)
                           ? URB_CLASS_BUILDING
                         : road >= other && road > building ? URB_CLASS_ROAD
                                                            : URB_CLASS_OTHER;
    }
  return self;
}
