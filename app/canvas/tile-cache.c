/* SPDX-License-Identifier: Apache-2.0 */
#include "app/canvas/tile-cache.h"

enum { ENTRY_BYTES = 256 }; /* approximate size of an entry without its pixels */

typedef struct
{
  UrbariumTileKey key; /* first: an entry is its own key in the table */
  UrbariumTile    tile;
  gsize           n_bytes;
  gboolean        pinned;
  GList           link; /* in recent, unless pinned */
} Entry;

struct _UrbariumTileCache
{
  GHashTable *entries;  /* of Entry, owned */
  GQueue      recent;   /* of unpinned Entry, most recently used first; intrusive */
  gsize       n_bytes, max_bytes;
};

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  g_clear_object (&entry->tile.texture);
  g_free (entry);
}

UrbariumTileCache *
urbarium_tile_cache_new (gsize max_bytes)
{
  UrbariumTileCache *self = g_new0 (UrbariumTileCache, 1);

  self->entries
    = g_hash_table_new_full (urbarium_tile_key_hash, urbarium_tile_key_equal, NULL, entry_free);
  self->max_bytes = max_bytes;
  return self;
}

void
urbarium_tile_cache_free (UrbariumTileCache *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->entries);
  g_free (self);
}

static void
unlink_entry (UrbariumTileCache *self, Entry *entry)
{
  if (!entry->pinned)
    g_queue_unlink (&self->recent, &entry->link);
  self->n_bytes -= entry->n_bytes;
}

static void
shrink (UrbariumTileCache *self)
{
  while (self->n_bytes > self->max_bytes && self->recent.tail != NULL)
    {
      Entry *oldest = self->recent.tail->data;

      unlink_entry (self, oldest);
      g_hash_table_remove (self->entries, oldest);
    }
}

void
urbarium_tile_cache_set_max_bytes (UrbariumTileCache *self, gsize max_bytes)
{
  self->max_bytes = max_bytes;
  shrink (self);
}

gsize
urbarium_tile_cache_get_n_bytes (UrbariumTileCache *self)
{
  return self->n_bytes;
}

guint
urbarium_tile_cache_get_n_tiles (UrbariumTileCache *self)
{
  return g_hash_table_size (self->entries);
}

void
urbarium_tile_cache_put (UrbariumTileCache *self, const UrbariumTileKey *key, GdkTexture *texture,
                         GdkRGBA color, gboolean pinned)
{
  Entry *entry = g_new0 (Entry, 1), *old = g_hash_table_lookup (self->entries, key);

  if (old != NULL)
    {
      unlink_entry (self, old);
      g_hash_table_remove (self->entries, old);
    }
  entry->key = *key;
  entry->tile.color = color;
  entry->pinned = pinned;
  entry->n_bytes = ENTRY_BYTES;
  if (g_set_object (&entry->tile.texture, texture))
    entry->n_bytes += (gsize) 4 * gdk_texture_get_width (texture) * gdk_texture_get_height (texture);
  entry->link.data = entry;
  g_hash_table_add (self->entries, entry);
  self->n_bytes += entry->n_bytes;
  if (!pinned)
    g_queue_push_head_link (&self->recent, &entry->link);
  shrink (self);
}

const UrbariumTile *
urbarium_tile_cache_get (UrbariumTileCache *self, const UrbariumTileKey *key)
{
  Entry *entry = g_hash_table_lookup (self->entries, key);

  if (entry == NULL)
    return NULL;
  if (!entry->pinned)
    {
      g_queue_unlink (&self->recent, &entry->link);
      g_queue_push_head_link (&self->recent, &entry->link);
    }
  return &entry->tile;
}

void
urbarium_tile_cache_keep (UrbariumTileCache *self, guint64 generation, guint64 other)
{
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, self->entries);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      Entry *entry = key;

      if (entry->key.generation == generation || entry->key.generation == other)
        continue;
      unlink_entry (self, entry);
      g_hash_table_iter_remove (&iter);
    }
}
