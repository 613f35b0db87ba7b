/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class-map.c - see class-map.h.
 */
#include "city/class-map.h"

#include <string.h>

G_DEFINE_QUARK (urb-city-error-quark, urb_city_error)

UrbClassMap *
urb_class_map_new (int width_px, int height_px, double pixel_m)
{
  UrbClassMap *self;

  g_return_val_if_fail (width_px > 0 && width_px <= URB_CLASS_MAP_MAX_EDGE_PX, NULL);
  g_return_val_if_fail (height_px > 0 && height_px <= URB_CLASS_MAP_MAX_EDGE_PX, NULL);

  self = g_new0 (UrbClassMap, 1);
  self->width_px = width_px;
  self->height_px = height_px;
  self->pixel_m = pixel_m;
  self->classes = g_malloc ((gsize) width_px * (gsize) height_px);
  memset (self->classes, URB_CLASS_OTHER, (gsize) width_px * (gsize) height_px);
  return self;
}

void
urb_class_map_free (UrbClassMap *self)
{
  if (self == NULL)
    return;
  g_free (self->classes);
  g_free (self);
}

UrbClass
urb_class_from_levels (const guint8 *levels, int n_channels)
{
  if (n_channels == 1)
    return levels[0] < 64 ? URB_CLASS_ROAD
           : levels[0] < 192 ? URB_CLASS_OTHER
           : URB_CLASS_BUILDING;
  if (levels[0] == levels[1] && levels[1] == levels[2])
    return URB_CLASS_OTHER;
  if (levels[0] >= levels[1] && levels[0] >= levels[2])
    return URB_CLASS_BUILDING;
  return levels[1] >= levels[2] ? URB_CLASS_ROAD : URB_CLASS_OTHER;
}

UrbClassMap *
urb_class_map_new_from_levels (const guint8 *levels, int width_px, int height_px, int n_channels,
                               double width_m)
{
  UrbClassMap *self;

  g_return_val_if_fail (n_channels == 1 || n_channels == 3, NULL);

  self = urb_class_map_new (width_px, height_px, width_m / width_px);
  g_return_val_if_fail (self != NULL, NULL);
  for (gint64 i = 0; i < (gint64) width_px * height_px; i++)
    self->classes[i] = urb_class_from_levels (levels + i * n_channels, n_channels);
  return self;
}

void
urb_class_map_get_shares (const UrbClassMap *self, double *shares)
{
  gint64 counts[URB_N_CLASSES] = { 0 }, n_pixels = (gint64) self->width_px * self->height_px;

  for (gint64 i = 0; i < n_pixels; i++)
    counts[self->classes[i]]++;
  for (int c = 0; c < URB_N_CLASSES; c++)
    shares[c] = (double) counts[c] / (double) n_pixels;
}
