/* SPDX-License-Identifier: Apache-2.0 */
/* tile-painter.h - draws one tile of a map; one painter per thread. */
#pragma once

#include "app/canvas/palette.h"
#include "app/canvas/tile.h"

G_BEGIN_DECLS

/* Common to all tiles of a generation. */
typedef struct
{
  UrbMap                *map;
  const UrbariumPalette *palette;
  guint                  classes;      /* bit 1 << UrbClass: visible */
  int                    scale_factor; /* device pixels per widget pixel */
} UrbariumTileSpec;

/* Scratch memory of one thread. */
typedef struct _UrbariumTilePainter UrbariumTilePainter;

UrbariumTilePainter *urbarium_tile_painter_new  (void);
void                 urbarium_tile_painter_free (UrbariumTilePainter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumTilePainter, urbarium_tile_painter_free)

/**
 * urbarium_tile_painter_paint:
 * @cancelled: polled atomically; not 0: stop
 * @color: (out): the color of a tile of one color
 * @pixels: (out) (transfer full): (URBARIUM_TILE_PX, URBARIUM_TILE_PX), as
 *   GDK_MEMORY_R8G8B8; %NULL for a tile of one color
 *
 * Returns: %FALSE if cancelled; nothing is set then
 */
gboolean urbarium_tile_painter_paint (UrbariumTilePainter *self, const UrbariumTileSpec *spec,
                                      const UrbariumTileKey *key, const int *cancelled,
                                      UrbColor *color, GBytes **pixels);

G_END_DECLS
