/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-codec.h - converts the codes of a tile to a blob and back.
 *
 * A tile has one or more planes, with one small code per pixel:
 *
 *   sharp        one plane, 2 bits: the class (0 building, 1 road, 2 other), or 3 for
 *                uncovered; the encoding affects only the display
 *   soft, rgb    three planes, 4 bits: building, road and uncovered, in fifteenths of
 *                the pixel; the rest is other
 *   soft, grey   one plane, 4 bits: the grey value in fourteenths, so that "other" is
 *                exactly in the middle; 15 does not occur
 *
 * docs/dataset-format.md describes the blob's layout.
 */
#pragma once

#include "dataset/dataset.h"

G_BEGIN_DECLS

#define URB_TILE_MIN_PX 8
#define URB_TILE_MAX_PX 4096

/* The class code of a pixel that the map does not cover. */
#define URB_CLASS_CODE_NONE 3

typedef struct _UrbTileCodec UrbTileCodec;

/* @size_px: edge of the tile, URB_TILE_MIN_PX..URB_TILE_MAX_PX.  Not thread-safe, since
 * it owns the workspace: use one per thread. */
UrbTileCodec *urb_tile_codec_new  (UrbEncoding encoding, gboolean soft, int size_px);
void          urb_tile_codec_free (UrbTileCodec *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbTileCodec, urb_tile_codec_free)

gsize urb_tile_codec_get_n_codes    (UrbTileCodec *self); /* planes * size * size */
gsize urb_tile_codec_get_max_blob   (UrbTileCodec *self); /* bytes */

/**
 * urb_tile_codec_pack:
 * @codes: (planes, size, size), each within its range
 * @blob: (out): room for urb_tile_codec_get_max_blob() bytes
 *
 * Returns: the number of bytes of @blob; cannot fail
 */
gsize urb_tile_codec_pack (UrbTileCodec *self, const guint8 *codes, guint8 *blob);

/* The same for a sharp tile given as bits: (size, @stride) words per class, lowest bit
 * first, each pixel in at most one class. */
gsize urb_tile_codec_pack_bits (UrbTileCodec *self, const guint64 *building, const guint64 *road,
                                const guint64 *other, gsize stride, guint8 *blob);

/**
 * urb_tile_codec_unpack:
 * @codes: (out): (planes, size, size), undefined after an error
 *
 * Returns: %FALSE with a %URB_DATASET_ERROR_DAMAGED unless @blob is exactly one tile of
 *   this kind with valid codes
 */
gboolean urb_tile_codec_unpack (UrbTileCodec *self, const guint8 *blob, gsize n_bytes,
                                guint8 *codes, GError **error);

/* The same for a sharp rgb tile, as the bits of its levels (1 for 255, 0 for 0): (size, size, 3)
 * bits without padding, lowest bit first. */
gboolean urb_tile_codec_unpack_bits (UrbTileCodec *self, const guint8 *blob, gsize n_bytes,
                                     guint8 *bits, GError **error);

/* The largest @factor of urb_tile_codec_codes_to_levels(). */
#define URB_TILE_MAX_FACTOR 64

/**
 * urb_tile_codec_codes_to_levels:
 * @factor: pixels averaged into one along each edge: a power of two that divides the
 *   size
 * @levels: (out): (size / factor, size / factor, channels) bytes, as in
 *   urb_dataset_read_tile()
 */
void urb_tile_codec_codes_to_levels (UrbTileCodec *self, const guint8 *codes, int factor,
                                     guint8 *levels);

G_END_DECLS
