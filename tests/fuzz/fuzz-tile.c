/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz-tile.c - the blob of a tile.  The first byte selects the kind of tile that
 * the dataset declares.
 */
#include <string.h>

#include "dataset/tile-codec.h"
#include "fuzz.h"

static const int sizes_px[] = { 8, 16, 37, 64 };

static UrbTileCodec *
open_kind (guint8 kind)
{
  return urb_tile_codec_new ((kind & 1) != 0 ? URB_ENCODING_GREY : URB_ENCODING_RGB,
                             (kind & 2) != 0, sizes_px[kind >> 2 & 3]);
}

void
fuzz_add_seeds (GPtrArray *inputs)
{
  for (int kind = 0; kind < 16; kind++)
    {
      g_autoptr(UrbTileCodec) codec = open_kind ((guint8) kind);
      gsize n = urb_tile_codec_get_n_codes (codec);
      g_autofree guint8 *codes = g_new (guint8, n);
      g_autofree guint8 *blob = g_new (guint8, 1 + urb_tile_codec_get_max_blob (codec));
      /* With runs and without; the shares of a pixel sum to at most 1. */
      for (gsize i = 0; i < n; i++)
        codes[i] = (guint8) (i < n / 2 ? i / 29 % 3 : i * 7 % 3);
      blob[0] = (guint8) kind;
      n = 1 + urb_tile_codec_pack (codec, codes, blob + 1);
      fuzz_add_input (inputs, blob, n);
    }
}

/* A valid tile of codes is also a valid tile of bits. */
static void
check_bits (UrbTileCodec *codec, const guint8 *blob, gsize n_bytes)
{
  g_autofree guint8 *bits = g_new (guint8, (3 * urb_tile_codec_get_n_codes (codec) + 7) / 8);
  g_assert_true (urb_tile_codec_unpack_bits (codec, blob, n_bytes, bits, NULL));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr(UrbTileCodec) codec = open_kind (size > 0 ? data[0] : 0);
  g_autoptr(GError) error = NULL;
  gsize n = urb_tile_codec_get_n_codes (codec);
  g_autofree guint8 *codes = g_new (guint8, n), *again = g_new (guint8, n);
  g_autofree guint8 *blob = g_new (guint8, urb_tile_codec_get_max_blob (codec));
  gsize n_bytes;
  if (!urb_tile_codec_unpack (codec, size > 0 ? data + 1 : data, size > 0 ? size - 1 : 0, codes,
                              &error))
    {
      g_assert_nonnull (error);
      return 0;
    }
  n_bytes = urb_tile_codec_pack (codec, codes, blob);
  g_assert_true (urb_tile_codec_unpack (codec, blob, n_bytes, again, NULL));
  g_assert_cmpmem (codes, n, again, n);
  if ((data[0] & 3) == 0) /* sharp, three channels */
    check_bits (codec, blob, n_bytes);
  return 0;
}
