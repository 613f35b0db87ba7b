/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/tile-encode.h"

#include "dataset/plan-style.h"
#include "dataset/tile-codec.h"
#include "dataset/tile-encoder.h"

/* The pixels of smaller tiles are repeated up to this size, since scaling on the screen would blur
 * them. */
#define MIN_TEXTURE_PX 256

typedef struct
{
  UrbTileEncoder *encoder; /* owned */
  UrbTileCodec   *codec;   /* owned */
} Coder;

struct _UrbariumTileKind
{
  UrbariumRanked  *ranked; /* owned */
  UrbCurateOptions options;
  GAsyncQueue     *coders; /* of Coder; owned; those not in use by a thread */
};

static void
coder_free (gpointer data)
{
  Coder *self = data;
  urb_tile_encoder_free (self->encoder);
  urb_tile_codec_free (self->codec);
  g_free (self);
}

UrbariumTileKind *
urbarium_tile_kind_new (UrbariumRanked *ranked)
{
  UrbariumTileKind *self = g_atomic_rc_box_new0 (UrbariumTileKind);
  self->ranked = urbarium_ranked_ref (ranked);
  self->options = ranked->search->options;
  self->options.soft = ranked->decisions->options.soft;
  self->coders = g_async_queue_new_full (coder_free);
  return self;
}

UrbariumTileKind *
urbarium_tile_kind_ref (UrbariumTileKind *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
kind_clear (gpointer data)
{
  UrbariumTileKind *self = data;
  g_async_queue_unref (self->coders);
  urbarium_ranked_unref (self->ranked);
}

void
urbarium_tile_kind_unref (UrbariumTileKind *self)
{
  g_atomic_rc_box_release_full (self, kind_clear);
}

const UrbariumSearch *
urbarium_tile_kind_get_search (UrbariumTileKind *self)
{
  return self->ranked->search;
}

gboolean
urbarium_tile_kind_fits (UrbariumTileKind *self, UrbariumRanked *ranked)
{
  return self->ranked->search == ranked->search
         && self->options.soft == ranked->decisions->options.soft;
}

static Coder *
coder_new (UrbariumTileKind *kind)
{
  const UrbCurateOptions *o = &kind->options;
  Coder *self = g_new0 (Coder, 1);
  self->encoder
    = urb_tile_encoder_new (o->encoding, o->soft, o->resolution_px, o->area_size_m);
  self->codec = urb_tile_codec_new (o->encoding, o->soft, o->resolution_px);
  if (urb_curator_is_filled (kind->ranked->search->curator))
    urb_tile_encoder_fill_open_ground (self->encoder);
  return self;
}

static GdkTexture *
texture_new (const guint32 *pixels, int size_px)
{
  int factor = (MIN_TEXTURE_PX + size_px - 1) / size_px, edge = size_px * factor;
  guint32 *data = g_new (guint32, (gsize) edge * edge);
  g_autoptr(GBytes) bytes = NULL;
  for (int y = 0; y < edge; y++)
    for (int x = 0; x < edge; x++)
      data[(gsize) y * edge + x]
        = pixels[(gsize) (y / factor) * size_px + x / factor] | 0xff000000;
  bytes = g_bytes_new_take (data, (gsize) edge * edge * sizeof *data);
  return gdk_memory_texture_new (edge, edge, GDK_MEMORY_DEFAULT, bytes,
                                 (gsize) edge * sizeof *data);
}

static GdkTexture *
decode (UrbariumTileKind *kind, UrbTileCodec *codec, const guint8 *blob, gsize n_bytes)
{
  int factor = 1, size_px = kind->options.resolution_px;
  int n_channels = urb_encoding_get_n_channels (kind->options.encoding);
  g_autofree guint8 *codes = g_malloc (urb_tile_codec_get_n_codes (codec));
  g_autofree guint8 *levels = NULL;
  g_autofree guint32 *pixels = NULL;
  gboolean ok = urb_tile_codec_unpack (codec, blob, n_bytes, codes, NULL);
  gsize n;
  g_assert (ok); /* we have just packed it */
  /* Large tiles are averaged: next to the map, there is no room for all pixels. */
  while (factor < URB_TILE_MAX_FACTOR && size_px % 2 == 0 && size_px / 2 >= MIN_TEXTURE_PX)
    {
      factor *= 2;
      size_px /= 2;
    }
  n = (gsize) size_px * size_px;
  levels = g_malloc (n * (gsize) n_channels);
  pixels = g_new (guint32, n);
  urb_tile_codec_codes_to_levels (codec, codes, factor, levels);
  urb_plan_blend (levels, n, n_channels, pixels);
  return texture_new (pixels, size_px);
}

UrbariumTile *
urbarium_tile_encode (UrbariumTileKind *kind, const UrbSquare *square)
{
  Coder *coder = g_async_queue_try_pop (kind->coders);
  UrbariumTile *self = g_new0 (UrbariumTile, 1);
  UrbArea area = {
    .center_x = square->x,
    .center_y = square->y,
    .angle_deg = square->angle_deg,
  };
  g_autofree guint8 *blob = NULL;
  gsize n_bytes;
  if (coder == NULL)
    coder = coder_new (kind);
  blob = g_malloc (urb_tile_encoder_get_max_blob (coder->encoder));
  n_bytes = urb_tile_encoder_encode (coder->encoder, kind->ranked->search->map, &area, blob);
  self->texture = decode (kind, coder->codec, blob, n_bytes);
  self->variance = area.variance;
  for (int c = 0; c < 3; c++)
    self->share[c] = area.share[c];
  g_async_queue_push (kind->coders, coder);
  return self;
}

void
urbarium_tile_free (UrbariumTile *self)
{
  g_clear_object (&self->texture);
  g_free (self);
}
