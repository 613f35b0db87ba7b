/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-codec.h - one encoded tile, from small codes to a blob and back.
 *
 * A tile is one or more planes of small codes, one code per pixel:
 *
 *   sharp        one plane, 2 bits: the class (0 building, 1 road, 2 other) or
 *                3 where the map has nothing; the encoding decides only how it
 *                is shown
 *   soft, rgb    three planes, 4 bits: how many fifteenths of the pixel are
 *                building, road, and not covered at all; the rest is other
 *   soft, grey   one plane, 4 bits: the grey value in fourteenths (so that
 *                "other" is exactly in the middle); 15 does not occur
 *
 * docs/dataset-format.md has the blob's layout.
 */
#pragma once

#include "dataset/dataset.h"

G_BEGIN_DECLS

#define URB_TILE_MIN_PX 8
#define URB_TILE_MAX_PX 4096

/* The class code of a pixel that the map does not cover. */
#define URB_CLASS_CODE_NONE 3

typedef struct _UrbTileCodec UrbTileCodec;

/* @size_px: edge of the tile, URB_TILE_MIN_PX..URB_TILE_MAX_PX.  Not thread-safe:
 * it owns the work space; have one per thread. */
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

/* The same for a sharp tile from bits: (size, @stride) words per class, the first
 * pixel in the lowest bit, a pixel in one class at most. */
gsize urb_tile_codec_pack_bits (UrbTileCodec *self, const guint64 *building, const guint64 *road,
                                const guint64 *other, gsize stride, guint8 *blob);

/**
 * urb_tile_codec_unpack:
 * @codes: (out): (planes, size, size), undefined after an error
 *
 * Returns: %FALSE with a %URB_DATASET_ERROR_DAMAGED unless @blob is exactly one
 *   tile of this kind whose codes are all within their range
 */
gboolean urb_tile_codec_unpack (UrbTileCodec *self, const guint8 *blob, gsize n_bytes,
                                guint8 *codes, GError **error);

/* The same of a sharp tile of three channels, as what the levels of its codes are, 1 for 255 and 0 for 0:
 * (size, size, 3) bits without a gap, from a byte's lowest up. */
gboolean urb_tile_codec_unpack_bits (UrbTileCodec *self, const guint8 *blob, gsize n_bytes,
                                     guint8 *bits, GError **error);

/* The largest @factor of urb_tile_codec_codes_to_levels(). */
#define URB_TILE_MAX_FACTOR 64

/**
 * urb_tile_codec_codes_to_levels:
 * @factor: how many pixels are averaged into one along each edge: a power of two
 *   that divides the size
 * @levels: (out): (size / factor, size / factor, channels) bytes, as
 *   urb_dataset_read_tile()
 */
void urb_tile_codec_codes_to_levels (UrbTileCodec *self, const guint8 *codes, int factor,
                                     guint8 *levels);

/* The nearest codes of any levels: the largest channel wins in a sharp tile. */
void urb_tile_codec_levels_to_codes (UrbTileCodec *self, const guint8 *levels, guint8 *codes);

G_END_DECLS
