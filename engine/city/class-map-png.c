/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class-map-png.c - reads a class map from a PNG image.
 *
 * Grey images follow the rule for one channel; in other images, a pixel gets the class with the
 * nearest color.  Pixels that are mostly transparent are other.
 */
#include "city/png-pixels.h"

UrbClassMap *
urb_class_map_new_from_pixels (const UrbPngPixels *pixels, double width_m)
{
  UrbClassMap *self = urb_class_map_new (pixels->width_px, pixels->height_px, width_m / pixels->width_px);

  for (gint64 i = 0; i < (gint64) pixels->width_px * pixels->height_px; i++)
    if (pixels->opaque[i]) /* else it stays other */
      self->classes[i] = (guint8) (pixels->is_grey ? urb_class_from_levels (pixels->rgb + 3 * i, 1)
                                                   : urb_class_from_color (pixels->rgb + 3 * i));
  return self;
}

UrbClassMap *
urb_class_map_load_png (const char *path, double width_m, guint8 **covered, GError **error)
{
  g_autoptr(UrbPngPixels) pixels = urb_png_pixels_load (path, error);
  UrbClassMap *self = pixels != NULL ? urb_class_map_new_from_pixels (pixels, width_m) : NULL;

  if (self != NULL && covered != NULL)
    *covered = g_steal_pointer (&pixels->opaque);
  return self;
}
