/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-encoder.h - cuts an area out of a map and encodes it as a tile.
 */
#pragma once

#include "dataset/dataset.h"
#include "dataset/raster.h"

G_BEGIN_DECLS

/* One per thread: it owns the raster and the codec. */
typedef struct _UrbTileEncoder UrbTileEncoder;

UrbTileEncoder *urb_tile_encoder_new  (UrbEncoding encoding, gboolean soft, int size_px,
                                       double area_size_m);
void            urb_tile_encoder_free (UrbTileEncoder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbTileEncoder, urb_tile_encoder_free)

/* From now on, ground between objects is "other": see open-ground.h. */
void urb_tile_encoder_fill_open_ground (UrbTileEncoder *self);

gsize urb_tile_encoder_get_max_blob (UrbTileEncoder *self); /* bytes */

/**
 * urb_tile_encoder_encode:
 * @area: (inout): center and angle are read; variance, shares and coverage are set to
 *   those of the encoded tile
 * @blob: (out): room for urb_tile_encoder_get_max_blob() bytes
 *
 * Returns: the number of bytes of @blob
 */
gsize urb_tile_encoder_encode (UrbTileEncoder *self, UrbMap *map, UrbArea *area, guint8 *blob);

G_END_DECLS
