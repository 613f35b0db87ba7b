/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/tile-encode.h"

#include "dataset/plan-style.h"
#include "dataset/tile-codec.h"
#include "dataset/tile-encoder.h"

/* A texture is at least so large, or as large as the tile: a small tile's pixels are repeated
 * here, since scaling on the screen would blur them. */
#define MIN_TEXTURE_PX 256

typedef struct
{
  UrbTileEncoder *encoder; /* owned */
  UrbTileCodec   *codec;   /* owned */
} Bench;

struct _UrbariumTileKind
{
  UrbariumRanked  *ranked; /* owned: map, ground */
  UrbCurateOptions options;
  GAsyncQueue     *benches; /* of Bench; owned; those no thread uses */
};

static void
bench_free (gpointer data)
{
  Bench *self = data;
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
  self->benches = g_async_queue_new_full (bench_free);
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
  g_async_queue_unref (self->benches);
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

static Bench *
bench_new (UrbariumTileKind *kind)
{
  const UrbCurateOptions *o = &kind->options;
  GArray *ground = kind->ranked->ground;
  Bench *self = g_new0 (Bench, 1);
  self->encoder
    = urb_tile_encoder_new (o->encoding, o->soft, o->resolution_px, o->area_size_m);
  self->codec = urb_tile_codec_new (o->encoding, o->soft, o->resolution_px);
  if (ground != NULL)
    urb_tile_encoder_set_ground (self->encoder, (const double *) (void *) ground->data,
                                 ground->len / 2);
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

/* Large tiles are averaged: no screen shows them whole beside the map. */
static int
factor_for (int size_px)
{
  int factor = 1;
  while (factor < URB_TILE_MAX_FACTOR && size_px % (2 * factor) == 0
         && size_px / (2 * factor) >= MIN_TEXTURE_PX)
    factor *= 2;
  return factor;
}

static GdkTexture *
decode (UrbariumTileKind *kind, UrbTileCodec *codec, const guint8 *blob, gsize n_bytes)
{
  int factor = factor_for (kind->options.resolution_px);
  int size_px = kind->options.resolution_px / factor;
  int n_channels = urb_encoding_get_n_channels (kind->options.encoding);
  gsize n = (gsize) size_px * size_px;
  g_autofree guint8 *codes = g_malloc (urb_tile_codec_get_n_codes (codec));
  g_autofree guint8 *levels = g_malloc (n * (gsize) n_channels);
  g_autofree guint32 *pixels = g_new (guint32, n);
  gboolean ok = urb_tile_codec_unpack (codec, blob, n_bytes, codes, NULL);
  g_assert (ok); /* it was packed a moment ago */
  urb_tile_codec_codes_to_levels (codec, codes, factor, levels);
  urb_plan_blend (levels, n, n_channels, pixels);
  return texture_new (pixels, size_px);
}

UrbariumTile *
urbarium_tile_encode (UrbariumTileKind *kind, const UrbSquare *square)
{
  Bench *bench = g_async_queue_try_pop (kind->benches);
  UrbariumTile *self = g_new0 (UrbariumTile, 1);
  UrbArea area = {
    .center_x = square->x,
    .center_y = square->y,
    .angle_deg = square->angle_deg,
  };
  g_autofree guint8 *blob = NULL;
  gsize n_bytes;
  if (bench == NULL)
    bench = bench_new (kind);
  blob = g_malloc (urb_tile_encoder_get_max_blob (bench->encoder));
  n_bytes = urb_tile_encoder_encode (bench->encoder, kind->ranked->search->map, &area, blob);
  self->texture = decode (kind, bench->codec, blob, n_bytes);
  self->variance = area.variance;
  for (int c = 0; c < 3; c++)
    self->share[c] = area.share[c];
  g_async_queue_push (kind->benches, bench);
  return self;
}

void
urbarium_tile_free (UrbariumTile *self)
{
  g_clear_object (&self->texture);
  g_free (self);
}
