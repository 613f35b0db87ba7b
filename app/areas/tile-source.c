/* SPDX-License-Identifier: Apache-2.0 */
/* tile-source.c - all state belongs to the main loop; a thread turns squares into tiles. */
#include "app/areas/tile-source.h"

#include "app/areas/tile-encode.h"

/* About 256 KiB each.  More than a grid shows at once, so that scrolling back needs no encoding. */
enum { MAX_TILES = 400, MAX_THREADS = 4, BATCH = 8 };

struct _UrbariumTileSource
{
  GObject           parent_instance;
  UrbariumTileKind *kind;   /* owned; nullable */
  GHashTable       *tiles;     /* id to Cached; owned */
  GQueue            recent;    /* of Cached; borrowed; last used first */
  GHashTable       *requested; /* id to its link in wanted, or NULL while it is being encoded */
  GQueue            wanted;    /* of Wanted; owned; latest request first */
  GList            *latest;    /* borrowed; nullable; last request of this main loop iteration */
  guint             separation; /* source that resets latest */
  guint             n_running;
};

G_DEFINE_FINAL_TYPE (UrbariumTileSource, urbarium_tile_source, G_TYPE_OBJECT)

typedef struct
{
  gint64        id;
  UrbariumTile *tile; /* owned */
  GList         link; /* in recent */
} Cached;

typedef struct
{
  gint64            id;
  UrbSquare         square;
  UrbariumTileKind *kind; /* owned */
  guint             n_requests;
} Wanted;

static guint ready, invalidated;

static void
cached_free (gpointer data)
{
  Cached *self = data;
  urbarium_tile_free (self->tile);
  g_free (self);
}

static void
wanted_free (gpointer data)
{
  Wanted *self = data;
  urbarium_tile_kind_unref (self->kind);
  g_free (self);
}

static void
drop_all (UrbariumTileSource *self)
{
  g_hash_table_remove_all (self->requested);
  g_queue_clear_full (&self->wanted, wanted_free);
  self->latest = NULL;
  g_queue_init (&self->recent);
  g_hash_table_remove_all (self->tiles);
}

static void
add_to_cache (UrbariumTileSource *self, gint64 id, UrbariumTile *tile)
{
  Cached *cached = g_new0 (Cached, 1);
  cached->id = id;
  cached->tile = tile;
  cached->link.data = cached;
  g_queue_push_head_link (&self->recent, &cached->link);
  g_hash_table_insert (self->tiles, &cached->id, cached);
  while (self->recent.length > MAX_TILES)
    {
      Cached *oldest = g_queue_pop_tail_link (&self->recent)->data;
      g_hash_table_remove (self->tiles, &oldest->id);
    }
}

static void start (UrbariumTileSource *self);

/* Encodes several tiles per task, since the result of a task waits for up to a frame of the main
 * loop. */
static void
encode_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GPtrArray *wanted = data;
  GPtrArray *tiles = g_ptr_array_new_with_free_func ((GDestroyNotify) urbarium_tile_free);
  for (guint i = 0; i < wanted->len; i++)
    {
      Wanted *one = wanted->pdata[i];
      g_ptr_array_add (tiles, urbarium_tile_encode (one->kind, &one->square));
    }
  g_task_return_pointer (task, tiles, (GDestroyNotify) g_ptr_array_unref);
}

static void
encoded_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  UrbariumTileSource *self = URBARIUM_TILE_SOURCE (source);
  GPtrArray *wanted = g_task_get_task_data (G_TASK (result));
  g_autoptr(GPtrArray) tiles = g_task_propagate_pointer (G_TASK (result), NULL);
  self->n_running--;
  while (tiles->len > 0)
    {
      Wanted *one = wanted->pdata[tiles->len - 1];
      UrbariumTile *tile = g_ptr_array_steal_index (tiles, tiles->len - 1);
      if (one->kind != self->kind)
        {
          urbarium_tile_free (tile); /* outdated */
          continue;
        }
      g_hash_table_remove (self->requested, &one->id);
      add_to_cache (self, one->id, tile);
      g_signal_emit (self, ready, 0, one->id);
    }
  start (self);
}

static Wanted *
take_link (UrbariumTileSource *self, GList *link)
{
  Wanted *wanted = link->data;
  if (self->latest == link)
    self->latest = NULL;
  g_queue_delete_link (&self->wanted, link);
  return wanted;
}

static gboolean
separate_cb (gpointer data)
{
  UrbariumTileSource *self = data;
  self->separation = 0;
  self->latest = NULL;
  return G_SOURCE_REMOVE;
}

/* Inserts before all others, but after the requests of the same main loop iteration: these tiles
 * have become visible together, and are encoded in order. */
static GList *
insert (UrbariumTileSource *self, Wanted *wanted)
{
  if (self->latest != NULL)
    {
      g_queue_insert_after (&self->wanted, self->latest, wanted);
      self->latest = self->latest->next;
    }
  else
    {
      g_queue_push_head (&self->wanted, wanted);
      self->latest = self->wanted.head;
    }
  if (self->separation == 0)
    self->separation = g_idle_add_full (G_PRIORITY_HIGH, separate_cb, self, NULL);
  return self->latest;
}

static void
start (UrbariumTileSource *self)
{
  guint n_threads = CLAMP (g_get_num_processors (), 2, MAX_THREADS + 1) - 1;
  while (self->n_running < n_threads && self->wanted.length > 0)
    {
      GPtrArray *batch = g_ptr_array_new_with_free_func (wanted_free);
      g_autoptr(GTask) task = g_task_new (self, NULL, encoded_cb, NULL);
      while (batch->len < BATCH && self->wanted.length > 0)
        {
          Wanted *wanted = take_link (self, self->wanted.head);
          g_hash_table_replace (self->requested, g_memdup2 (&wanted->id, sizeof wanted->id), NULL);
          g_ptr_array_add (batch, wanted);
        }
      g_task_set_source_tag (task, start);
      g_task_set_task_data (task, batch, (GDestroyNotify) g_ptr_array_unref);
      self->n_running++;
      g_task_run_in_thread (task, encode_thread);
    }
}

const UrbariumTile *
urbarium_tile_source_get (UrbariumTileSource *self, const UrbariumSearch *search,
                          const UrbRankedArea *area)
{
  Cached *cached;
  gpointer link = NULL;
  Wanted *wanted;
  if (self->kind == NULL || urbarium_tile_kind_get_search (self->kind) != search)
    return NULL;
  cached = g_hash_table_lookup (self->tiles, &area->id);
  if (cached != NULL)
    {
      g_queue_unlink (&self->recent, &cached->link);
      g_queue_push_head_link (&self->recent, &cached->link);
      return cached->tile;
    }
  if (g_hash_table_lookup_extended (self->requested, &area->id, NULL, &link))
    {
      if (link != NULL)
        ((Wanted *) ((GList *) link)->data)->n_requests++;
      return NULL;
    }
  wanted = g_new0 (Wanted, 1);
  wanted->id = area->id;
  wanted->square = area->square;
  wanted->kind = urbarium_tile_kind_ref (self->kind);
  wanted->n_requests = 1;
  g_hash_table_insert (self->requested, g_memdup2 (&area->id, sizeof area->id),
                       insert (self, wanted));
  start (self);
  return NULL;
}

void
urbarium_tile_source_cancel (UrbariumTileSource *self, const UrbariumSearch *search, gint64 id)
{
  GList *link = g_hash_table_lookup (self->requested, &id);
  if (link == NULL || urbarium_tile_kind_get_search (self->kind) != search)
    return; /* encoded, being encoded, or dropped */
  if (--((Wanted *) link->data)->n_requests > 0)
    return;
  g_hash_table_remove (self->requested, &id);
  wanted_free (take_link (self, link));
}

void
urbarium_tile_source_set_ranked (UrbariumTileSource *self, UrbariumRanked *ranked)
{
  if (ranked != NULL && self->kind != NULL && urbarium_tile_kind_fits (self->kind, ranked))
    return;
  drop_all (self);
  g_clear_pointer (&self->kind, urbarium_tile_kind_unref);
  if (ranked != NULL)
    self->kind = urbarium_tile_kind_new (ranked);
  g_signal_emit (self, invalidated, 0);
}

static void
finalize (GObject *object)
{
  UrbariumTileSource *self = URBARIUM_TILE_SOURCE (object);
  drop_all (self);
  g_clear_handle_id (&self->separation, g_source_remove);
  g_clear_pointer (&self->kind, urbarium_tile_kind_unref);
  g_hash_table_unref (self->tiles);
  g_hash_table_unref (self->requested);
  G_OBJECT_CLASS (urbarium_tile_source_parent_class)->finalize (object);
}

static void
urbarium_tile_source_class_init (UrbariumTileSourceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  ready = g_signal_new ("ready", URBARIUM_TYPE_TILE_SOURCE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                        G_TYPE_NONE, 1, G_TYPE_INT64);
  invalidated = g_signal_new ("invalidated", URBARIUM_TYPE_TILE_SOURCE, G_SIGNAL_RUN_LAST, 0, NULL,
                              NULL, NULL, G_TYPE_NONE, 0);
}

static void
urbarium_tile_source_init (UrbariumTileSource *self)
{
  self->tiles = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, cached_free);
  self->requested = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_queue_init (&self->recent);
  g_queue_init (&self->wanted);
}

UrbariumTileSource *
urbarium_tile_source_new (void)
{
  return g_object_new (URBARIUM_TYPE_TILE_SOURCE, NULL);
}
