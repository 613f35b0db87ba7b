/* SPDX-License-Identifier: Apache-2.0 */
/* tile-blend.h - converts the coverage of each pixel by the classes into colors. */
#pragma once

#include "app/canvas/palette.h"

G_BEGIN_DECLS

/* Lookup tables for one palette; each thread has its own. */
typedef struct _UrbariumTileBlend UrbariumTileBlend;

UrbariumTileBlend *urbarium_tile_blend_new  (const UrbariumPalette *palette);
void               urbarium_tile_blend_free (UrbariumTileBlend *self);
const UrbariumPalette *urbarium_tile_blend_get_palette (UrbariumTileBlend *self);

/**
 * urbarium_tile_blend_row:
 * @fills: (n) each: coverage of building, road and other, 0 to 255
 * @lines: (n) each (nullable): strength of the outline, 0 to 255
 * @pixels: (out) (n): opaque, as CAIRO_FORMAT_ARGB32
 */
void urbarium_tile_blend_row (UrbariumTileBlend *self, const guint8 *const fills[URB_N_CLASSES],
                              const guint8 *const lines[URB_N_CLASSES], int n, guint32 *pixels);

G_END_DECLS
