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

double
urb_shares_sample (const float *shares, int width, int height, double x, double y)
{
  double px = CLAMP (x - 0.5, 0, width - 1), py = CLAMP (y - 0.5, 0, height - 1);
  int left = (int) px, top = (int) py;
  int right = MIN (left + 1, width - 1), bottom = MIN (top + 1, height - 1);
  double across = px - left, down = py - top;
  double a = (double) shares[(gint64) top * width + left];
  double b = (double) shares[(gint64) top * width + right];
  double c = (double) shares[(gint64) bottom * width + left];
  double d = (double) shares[(gint64) bottom * width + right];

  return (a + (b - a) * across) * (1 - down) + (c + (d - c) * across) * down;
}

/* The two samples around position @i of the enlarged row, and the weight of the second. */
static float
place_sample (int i, int zoom, int n, int *low, int *high)
{
  float position = MAX (((float) i + 0.5f) / (float) zoom - 0.5f, 0);

  *low = MIN ((int) position, n - 1);
  *high = MIN (*low + 1, n - 1);
  return position - (float) *low;
}

void
urb_shares_enlarge (const float *shares, int width, int height, int zoom, float *fine)
{
  gint64 fine_width = width * zoom;
  g_autofree float *wide = g_new (float, fine_width * height);

  for (int col = 0; col < fine_width; col++)
    {
      int left, right;
      float across = place_sample (col, zoom, width, &left, &right);

      for (int row = 0; row < height; row++)
        {
          const float *pixels = shares + (gint64) row * width;

          wide[row * fine_width + col] = pixels[left] + (pixels[right] - pixels[left]) * across;
        }
    }
  for (int row = 0; row < height * zoom; row++)
    {
      int top, bottom;
      float down = place_sample (row, zoom, height, &top, &bottom);
      const float *above = wide + top * fine_width, *below = wide + bottom * fine_width;

      for (int col = 0; col < fine_width; col++)
        fine[row * fine_width + col] = above[col] + (below[col] - above[col]) * down;
    }
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

  gsize n = (gsize) width_px * (gsize) height_px;
  g_autofree float *coarse = g_new (float, n * URB_N_CLASSES);
  UrbSoftMap *self = urb_soft_map_new (width_px * zoom, height_px * zoom,
                                       width_m / (width_px * zoom));

  self->detail_m = width_m / width_px;
  for (gsize i = 0; i < n; i++)
    {
      float shares[URB_N_CLASSES];

      get_shares (levels + i * (gsize) n_channels, n_channels, shares);
      for (gsize c = 0; c < URB_N_CLASSES; c++)
        coarse[c * n + i] = shares[c];
    }
  for (gsize c = 0; c < URB_N_CLASSES; c++)
    urb_shares_enlarge (coarse + c * n, width_px, height_px, zoom, self->shares[c]);
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
