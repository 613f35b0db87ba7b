/* SPDX-License-Identifier: Apache-2.0 */
/*
 * png-pixels.h - the pixels of a PNG image from elsewhere.
 */
#pragma once

#include "city/class-map.h"

G_BEGIN_DECLS

typedef struct
{
  int      width_px, height_px;
  gboolean is_grey; /* no pixel has a color */
  guint8  *rgb;     /* owned; (height_px, width_px, 3), row 0 at the top */
  guint8  *opaque;  /* owned; (height_px, width_px): 1, or 0 where the image is mostly transparent */
} UrbPngPixels;

/* Images are untrusted: their size is checked before memory is allocated.
 * Returns: (transfer full): or %NULL with a %URB_CITY_ERROR_IMAGE that names the file */
UrbPngPixels *urb_png_pixels_load (const char *path, GError **error);
void          urb_png_pixels_free (UrbPngPixels *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbPngPixels, urb_png_pixels_free)

/* Classifies the pixels by the rules of urb_class_map_load_png().  @width_m: the image's width on the ground
 * (transfer full) */
UrbClassMap  *urb_class_map_new_from_pixels (const UrbPngPixels *pixels, double width_m);

/* The class with the nearest color, among the plan's colors and pure red, green and blue. */
UrbClass urb_class_from_color (const guint8 *rgb);

G_END_DECLS
