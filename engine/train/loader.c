/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loader.c - see loader.h.
 *
 * Double buffering: the trainer reads one slot while the thread fills the other.  Tiles of a small
 * dataset are decoded once and kept: when a step needs them, and, after the first steps, one by one
 * while the thread is idle, so that training starts at once and a damaged tile is still found
 * early.
 */
#include "train/loader.h"

#include <string.h>

#include "kernels/uk-random.h"
#include "model/streams.h"
#include "settings/strategy.h"
#include "train/spoil.h"

/* Decoded tiles are kept up to this size; larger datasets are decoded for every step. */
#define MAX_KEPT_BYTES (G_GINT64_CONSTANT (1) << 30)

/* Random tiles for benchmarks: as bytes, more than fit into a core's caches, since a dataset's do
 * not; as bits, not so many that drawing them takes longer than measuring. */
#define N_RANDOM_VALUES (16 << 20)
#define N_RANDOM_TILES  512

typedef struct
{
  gint64  step; /* -1: empty */
  guint8 *tiles;
  GError *error; /* owned */
} Slot;

struct _UrbLoader
{
  UrbDataset   *dataset; /* (nullable) owned; used by the thread only */
  const gint64 *indices; /* (n_tiles), borrowed from the dataset; NULL for random tiles */
  gint64        n_tiles;
  gint64        entry_bytes; /* of a decoded tile: as in the format, then at refined_px */
  UrbShard      shard;
  guint64       seed;
  UrbTileFormat format;
  guint8       *kept;       /* (n_tiles, entry_bytes) or NULL */
  guint8       *entry;      /* (entry_bytes) for one tile, if they are not kept */
  guint8       *is_kept;    /* (n_tiles) 1: filled; NULL if all are, or none */
  gint64        next_kept;  /* all tiles before it are kept */
  GError       *damage;     /* owned; found in a tile that was decoded ahead */

  GThread *thread;
  GMutex   lock;
  GCond    changed;
  gint64   wanted; /* step to fill into slots[filling]; -1: none, -2: quit */
  gint64   n_given; /* steps whose tiles were returned */
  int      filling;
  Slot     slots[2];
};

/* ------------------------------------------------------------------------ */

/* A four-round Feistel network over the smallest square of a power of two that holds n; values
 * beyond n are mapped again until they fall inside (cycle walking: Black and Rogaway 2002).  A
 * bijection, without a table. */
guint64
urb_loader_permute (guint64 seed, guint64 epoch, guint64 position, guint64 n)
{
  const guint64 rng[2] = { seed, epoch };
  int half_bits = 1;
  guint64 mask;

  while (half_bits < 32 && (G_GUINT64_CONSTANT (1) << (2 * half_bits)) < n)
    half_bits++;
  mask = (G_GUINT64_CONSTANT (1) << half_bits) - 1;
  do
    {
      guint64 left = position >> half_bits, right = position & mask;

      for (guint64 round = 0; round < 4; round++)
        {
          guint32 block[4];
          guint64 next;

          uk_philox (rng, URB_STREAM_ORDER, round << 32 | right, block);
          next = (left ^ block[0]) & mask;
          left = right;
          right = next;
        }
      position = left << half_bits | right;
    }
  while (position >= n);
  return position;
}

/* ------------------------------------------------------------------------ */

gint64
urb_shard_get_n (const UrbShard *self)
{
  return self->batch / self->n_ranks * self->count;
}

gint64
urb_shard_get_place (const UrbShard *self, gint64 index)
{
  gint64 of_rank = self->batch / self->n_ranks, of_part = of_rank / self->n_microbatches;
  gint64 rank = self->first + index / of_rank, microbatch = index % of_rank / of_part;

  return (microbatch * self->n_ranks + rank) * of_part + index % of_part;
}

/* ------------------------------------------------------------------------ */

UrbTileFormat
urb_tile_format_choose (UrbDataset *dataset, int size_px, int n_channels)
{
  return (UrbTileFormat) { .size_px = size_px, .n_channels = n_channels,
                           .bits = dataset != NULL ? urb_dataset_is_binary (dataset, size_px)
                                                   : n_channels == 3 };
}

static gint64
count_values (const UrbTileFormat *self, int size_px)
{
  return (gint64) size_px * size_px * self->n_channels;
}

/* Of a tile without its crops. */
static gint64
get_tile_bytes (const UrbTileFormat *self)
{
  gint64 n_values = count_values (self, self->size_px);

  return self->bits ? (n_values + 7) / 8 : n_values;
}

/* The edge of a crop at full resolution. */
static int
get_fine_px (const UrbTileFormat *self)
{
  return self->crop_px * (self->refined_px / self->size_px);
}

gint64
urb_tile_format_get_bytes (const UrbTileFormat *self)
{
  return get_tile_bytes (self) + count_values (self, self->crop_px)
         + count_values (self, get_fine_px (self));
}

static gint64
get_entry_bytes (const UrbTileFormat *self)
{
  return get_tile_bytes (self) + count_values (self, self->refined_px);
}

/* @entry: (out): (entry_bytes) */
static gboolean
read_entry (UrbLoader *self, gint64 tile, guint8 *entry, GError **error)
{
  gint64 index = self->indices[tile];

  if (self->format.bits)
    return urb_dataset_read_tile_bits (self->dataset, index, entry, error);
  return urb_dataset_read_tile (self->dataset, index, self->format.size_px, entry, error)
         && (self->format.crop_px == 0
             || urb_dataset_read_tile (self->dataset, index, self->format.refined_px,
                                       entry + get_tile_bytes (&self->format), error));
}

static gboolean
keep_tile (UrbLoader *self, gint64 tile, GError **error)
{
  if (self->is_kept == NULL || self->is_kept[tile])
    return TRUE;
  if (!read_entry (self, tile, self->kept + tile * self->entry_bytes, error))
    return FALSE;
  self->is_kept[tile] = 1;
  return TRUE;
}

/* (transfer none): valid until the next call */
static const guint8 *
get_entry (UrbLoader *self, gint64 tile, GError **error)
{
  if (self->kept != NULL)
    return keep_tile (self, tile, error) ? self->kept + tile * self->entry_bytes : NULL;
  return read_entry (self, tile, self->entry, error) ? self->entry : NULL;
}

/* The square of edge @n at (@row, @col) of an image of edge @size_px. */
static void
cut (const guint8 *image, int size_px, int row, int col, int n, int n_channels, guint8 *out)
{
  gsize row_bytes = (gsize) n * (gsize) n_channels;

  for (int y = 0; y < n; y++, out += row_bytes)
    memcpy (out, image + ((gsize) (row + y) * (gsize) size_px + (gsize) col) * (gsize) n_channels,
            row_bytes);
}

/* The same part of the tile at both resolutions.  @image: number of the image, over all steps */
static void
cut_crops (const UrbLoader *self, const guint8 *entry, guint64 image, guint8 *spoilt, guint8 *crop)
{
  const UrbTileFormat *format = &self->format;
  const guint64 rng[2] = { self->seed, image };
  int n_places = format->size_px - format->crop_px + 1;
  int factor = format->refined_px / format->size_px, row, col;
  guint32 words[4];

  uk_philox (rng, URB_STREAM_CROP, 0, words);
  row = (int) (uk_uniform (words[0]) * n_places);
  col = (int) (uk_uniform (words[1]) * n_places);
  cut (entry, format->size_px, row, col, format->crop_px, format->n_channels, spoilt);
  urb_spoil (spoilt, format->crop_px, format->n_channels, self->seed, image);
  cut (entry + get_tile_bytes (format), format->refined_px, row * factor, col * factor,
       get_fine_px (format), format->n_channels, crop);
}

/* Writes the @index-th image of the shard to its places in @out. */
static void
put_image (const UrbLoader *self, const guint8 *entry, guint64 image, gint64 index, guint8 *out)
{
  const UrbShard *shard = &self->shard;
  gint64 n = shard->batch / shard->n_ranks / shard->n_microbatches, i = index % n;
  gint64 tile_bytes = get_tile_bytes (&self->format);
  gint64 spoilt_bytes = count_values (&self->format, self->format.crop_px);
  gint64 crop_bytes = count_values (&self->format, get_fine_px (&self->format));

  out += index / n * n * urb_tile_format_get_bytes (&self->format);
  memcpy (out + i * tile_bytes, entry, (gsize) tile_bytes);
  if (self->format.crop_px > 0)
    cut_crops (self, entry, image, out + n * tile_bytes + i * spoilt_bytes,
               out + n * (tile_bytes + spoilt_bytes) + i * crop_bytes);
}

static gboolean
fill (UrbLoader *self, gint64 step, guint8 *out, GError **error)
{
  gint64 n_own = urb_shard_get_n (&self->shard);

  if (self->damage != NULL)
    {
      g_propagate_error (error, g_error_copy (self->damage));
      return FALSE;
    }
  for (gint64 i = 0; i < n_own; i++)
    {
      guint64 image = (guint64) (step * self->shard.batch + urb_shard_get_place (&self->shard, i));
      guint64 n = (guint64) self->n_tiles;
      gint64 tile = (gint64) urb_loader_permute (self->seed, image / n, image % n, n);
      const guint8 *entry = get_entry (self, tile, error);

      if (entry == NULL)
        return FALSE;
      put_image (self, entry, image, i, out);
    }
  return TRUE;
}

/* Without the lock, so that a step can be requested meanwhile. */
static gboolean
keep_next_tile_unlocked (UrbLoader *self)
{
  gboolean more = FALSE;

  g_mutex_unlock (&self->lock);
  if (self->is_kept != NULL && self->damage == NULL && self->next_kept < self->n_tiles)
    more = keep_tile (self, self->next_kept++, &self->damage);
  g_mutex_lock (&self->lock);
  return more || self->wanted != -1;
}

static gpointer
loader_thread (gpointer data)
{
  UrbLoader *self = data;

  g_mutex_lock (&self->lock);
  while (self->wanted != -2)
    {
      Slot *slot = &self->slots[self->filling];
      gint64 step = self->wanted;

      if (step < 0)
        {
          if (self->n_given < 2 || !keep_next_tile_unlocked (self))
            g_cond_wait (&self->changed, &self->lock);
          continue;
        }
      g_mutex_unlock (&self->lock);
      g_clear_error (&slot->error);
      fill (self, step, slot->tiles, &slot->error);
      g_mutex_lock (&self->lock);
      slot->step = step;
      if (self->wanted == step)
        self->wanted = -1;
      g_cond_broadcast (&self->changed);
    }
  g_mutex_unlock (&self->lock);
  return NULL;
}

/* ------------------------------------------------------------------------ */

/* Value @i of the random tiles of edge @s, seen as one tall image: blocks of 8 x 8 pixels, each
 * channel on or off. */
static gboolean
draw_value (const UrbLoader *self, int s, gint64 i)
{
  const guint64 rng[2] = { self->seed, 0 };
  int n_channels = self->format.n_channels;
  gint64 pixel = i / n_channels, row = pixel / s, col = pixel % s;
  guint64 block_index = (guint64) ((row / 8 * s + col / 8) * n_channels + i % n_channels);
  guint32 block[4];

  uk_philox (rng, URB_STREAM_ORDER, block_index, block);
  return block[0] < 0x50000000u;
}

static void
draw_tile (const UrbLoader *self, int size_px, gint64 tile, guint8 *out)
{
  gint64 n_values = count_values (&self->format, size_px);

  for (gint64 i = 0; i < n_values; i++)
    {
      gboolean value = draw_value (self, size_px, tile * n_values + i);

      if (self->format.bits)
        out[i / 8] |= (guint8) (value << i % 8);
      else
        out[i] = value ? 255 : 0;
    }
}

static void
draw_tiles (UrbLoader *self)
{
  const UrbTileFormat *format = &self->format;
  int largest_px = MAX (format->size_px, format->refined_px);

  self->n_tiles = MAX (MIN (N_RANDOM_VALUES / count_values (format, largest_px), N_RANDOM_TILES),
                       2 * urb_shard_get_n (&self->shard));
  self->kept = g_malloc0 ((gsize) (self->n_tiles * self->entry_bytes));
  for (gint64 tile = 0; tile < self->n_tiles; tile++)
    {
      guint8 *entry = self->kept + tile * self->entry_bytes;

      draw_tile (self, format->size_px, tile, entry);
      if (format->crop_px > 0)
        draw_tile (self, format->refined_px, tile, entry + get_tile_bytes (format));
    }
}

static gboolean
open_tiles (UrbLoader *self, GError **error)
{
  if (self->dataset == NULL)
    {
      draw_tiles (self);
      return TRUE;
    }
  self->indices = urb_dataset_get_split (self->dataset, URB_SPLIT_TRAIN, &self->n_tiles);
  if (self->n_tiles > 0)
    {
      if (self->n_tiles <= MAX_KEPT_BYTES / self->entry_bytes)
        {
          self->kept = g_malloc ((gsize) (self->n_tiles * self->entry_bytes));
          self->is_kept = g_malloc0 ((gsize) self->n_tiles);
        }
      else
        self->entry = g_malloc ((gsize) self->entry_bytes);
      return TRUE;
    }
  g_set_error_literal (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DATASET,
                       "The dataset has no areas to train on; curate again with a lower "
                       "--min-variance or --test-share.");
  return FALSE;
}

UrbLoader *
urb_loader_new (UrbDataset *dataset, guint64 seed, const UrbShard *shard,
                const UrbTileFormat *format, GError **error)
{
  g_autoptr(UrbLoader) self = g_new0 (UrbLoader, 1);

  self->dataset = dataset;
  self->seed = seed;
  self->shard = *shard;
  self->format = *format;
  self->entry_bytes = get_entry_bytes (format);
  self->wanted = -1;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  if (!open_tiles (self, error))
    return NULL;
  for (int i = 0; i < 2; i++)
    {
      self->slots[i].step = -1;
      self->slots[i].tiles = g_malloc ((gsize) (urb_shard_get_n (shard)
                                                * urb_tile_format_get_bytes (format)));
    }
  self->thread = g_thread_new ("loader", loader_thread, self);
  return g_steal_pointer (&self);
}

void
urb_loader_free (UrbLoader *self)
{
  if (self == NULL)
    return;
  if (self->thread != NULL)
    {
      g_mutex_lock (&self->lock);
      self->wanted = -2;
      g_cond_broadcast (&self->changed);
      g_mutex_unlock (&self->lock);
      g_thread_join (self->thread);
    }
  for (int i = 0; i < 2; i++)
    {
      g_free (self->slots[i].tiles);
      g_clear_error (&self->slots[i].error);
    }
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_clear_error (&self->damage);
  g_free (self->kept);
  g_free (self->entry);
  g_free (self->is_kept);
  urb_dataset_free (self->dataset);
  g_free (self);
}

/* Call it with the lock. */
static void
request (UrbLoader *self, gint64 step)
{
  self->wanted = step;
  g_cond_broadcast (&self->changed);
}

const guint8 *
urb_loader_get (UrbLoader *self, gint64 step, GError **error)
{
  Slot *slot;

  g_mutex_lock (&self->lock);
  slot = &self->slots[self->filling];
  /* The thread must not fill a slot that is being read: wait for the current request. */
  while (self->wanted >= 0)
    g_cond_wait (&self->changed, &self->lock);
  if (slot->step != step || slot->error != NULL)
    request (self, step);
  while (self->wanted >= 0)
    g_cond_wait (&self->changed, &self->lock);
  self->filling = 1 - self->filling;
  self->n_given++;
  if (slot->error == NULL)
    request (self, step + 1);
  g_mutex_unlock (&self->lock);

  if (slot->error == NULL)
    return slot->tiles;
  g_propagate_error (error, g_steal_pointer (&slot->error));
  slot->step = -1;
  return NULL;
}

void *
urb_loader_get_room (UrbLoader *self, int i, gsize *n_bytes)
{
  *n_bytes = (gsize) (urb_shard_get_n (&self->shard) * urb_tile_format_get_bytes (&self->format));
  return self->slots[i].tiles;
}

gint64
urb_loader_count_bytes (gint64 n_tiles, gint64 n, const UrbTileFormat *format)
{
  gint64 entry_bytes = get_entry_bytes (format);
  gboolean kept = n_tiles <= MAX_KEPT_BYTES / entry_bytes;

  return 2 * n * urb_tile_format_get_bytes (format) + (kept ? n_tiles : 0) * entry_bytes;
}
