/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-field.c - where the buildings of a tile are, to a fraction of a pixel.
 *
 * The hard part: a house of two true pixels is a hill after interpolation, with a contour at 1/2
 * that is too small and too round, and a gap of one pixel between two houses is a saddle.  But
 * the share of each true pixel is known, and the truth is 0 or 1.  So we look for shares in
 * [0, 1] that average to those of the true pixels, by the projected Landweber iteration.
 */
#include "city/building-private.h"

#include <math.h>
#include <string.h>

#include "city/components.h"

enum { N_INVERSE = 6, N_SHARPEN = 10 };

void
urb_building_field_shrink (const UrbBuildingField *self, const float *fine, float *coarse)
{
  int zoom = self->zoom, width = self->width_px / zoom, height = self->height_px / zoom;
  float scale = 1.0f / (float) (zoom * zoom);

  for (int row = 0; row < height; row++)
    for (int col = 0; col < width; col++)
      {
        const float *pixel = fine + (gint64) row * zoom * self->width_px + col * zoom;
        float sum = 0;

        for (int y = 0; y < zoom; y++, pixel += self->width_px)
          for (int x = 0; x < zoom; x++)
            sum += pixel[x];
        coarse[(gint64) row * width + col] = sum * scale;
      }
}

void
urb_building_field_enlarge (const UrbBuildingField *self, const float *coarse, float *fine)
{
  urb_shares_enlarge (coarse, self->width_px / self->zoom, self->height_px / self->zoom, self->zoom,
                      fine);
}

/* The true pixels that were interpolated to @share. */
static void
find_coverage (UrbBuildingField *self, const float *share, float *fine)
{
  gsize n = (gsize) (self->width_px / self->zoom) * (gsize) (self->height_px / self->zoom);
  g_autofree float *average = g_new (float, n), *again = g_new (float, n);

  urb_building_field_shrink (self, share, average);
  memcpy (self->coverage, average, n * sizeof (float));
  for (int k = 0; k < N_INVERSE; k++)
    {
      urb_building_field_enlarge (self, self->coverage, fine);
      urb_building_field_shrink (self, fine, again);
      for (gsize i = 0; i < n; i++)
        self->coverage[i] = CLAMP (self->coverage[i] + 1.4f * (average[i] - again[i]), 0, 1);
    }
}

static void
sharpen (UrbBuildingField *self, float *fine)
{
  gsize n = (gsize) (self->width_px / self->zoom) * (gsize) (self->height_px / self->zoom);
  gsize n_fine = (gsize) self->width_px * (gsize) self->height_px;
  g_autofree float *average = g_new (float, n);

  for (int k = 0; k < N_SHARPEN; k++)
    {
      urb_building_field_shrink (self, self->sharp, average);
      for (gsize i = 0; i < n; i++)
        average[i] = self->coverage[i] - average[i];
      urb_building_field_enlarge (self, average, fine);
      for (gsize i = 0; i < n_fine; i++)
        self->sharp[i] = CLAMP (self->sharp[i] + 1.5f * fine[i], 0, 1);
    }
}

void
urb_building_field_find_parts (UrbBuildingField *self)
{
  gsize n = (gsize) self->width_px * (gsize) self->height_px;
  g_autofree guint8 *mask = g_malloc (n);
  g_autoptr(GArray) components = NULL;
  g_autofree gint32 *numbers = NULL;

  for (gsize i = 0; i < n; i++)
    mask[i] = self->sharp[i] > 0.5f;
  components = urb_components_label (mask, self->width_px, self->height_px, URB_CONNECT_4,
                                     self->labels);
  numbers = g_new (gint32, components->len);
  g_array_set_size (self->parts, 0);
  for (guint i = 0; i < components->len; i++)
    {
      const UrbComponent *component = &g_array_index (components, UrbComponent, i);
      UrbBuildingPart part = { component->min_col, component->min_row,  component->max_col,
                               component->max_row, component->n_pixels, 0 };

      numbers[i] = -1;
      if (component->value == 0)
        continue;
      numbers[i] = (gint32) self->parts->len;
      g_array_append_val (self->parts, part);
    }
  for (gsize i = 0; i < n; i++)
    {
      self->labels[i] = numbers[self->labels[i]];
      if (self->labels[i] >= 0)
        g_array_index (self->parts, UrbBuildingPart, self->labels[i]).mass_px += (double)
                                                                                   self->sharp[i];
    }
}

UrbBuildingField *
urb_building_field_new (const UrbSoftMap *map)
{
  UrbBuildingField *self = g_new0 (UrbBuildingField, 1);
  gsize n = (gsize) map->width_px * (gsize) map->height_px;
  g_autofree float *fine = g_new (float, n);

  self->width_px = map->width_px;
  self->height_px = map->height_px;
  self->pixel_m = map->pixel_m;
  self->zoom = (int) lround (CLAMP (map->detail_m / map->pixel_m, 1, 64));
  if (map->width_px % self->zoom != 0 || map->height_px % self->zoom != 0)
    self->zoom = 1;
  self->coverage = g_new0 (float, n / (gsize) (self->zoom * self->zoom));
  self->sharp = g_new (float, n);
  self->labels = g_new (gint32, n);
  self->parts = g_array_new (FALSE, FALSE, sizeof (UrbBuildingPart));
  for (gsize i = 0; i < n; i++)
    {
      float share = map->shares[URB_CLASS_BUILDING][i];

      self->sharp[i] = share > 0 ? MIN (share, 1) : 0; /* not NaN */
    }
  if (self->zoom > 1)
    {
      find_coverage (self, self->sharp, fine);
      sharpen (self, fine);
    }
  else
    memcpy (self->coverage, self->sharp, n * sizeof (float));
  urb_building_field_find_parts (self);
  return self;
}

void
urb_building_field_free (UrbBuildingField *self)
{
  if (self == NULL)
    return;
  g_free (self->coverage);
  g_free (self->sharp);
  g_free (self->labels);
  g_array_unref (self->parts);
  g_free (self);
}
