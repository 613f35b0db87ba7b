/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-queue.c - a thread may be drawing a tile when its widget is destroyed, so the state is
 * reference-counted: the last thread to end frees it.
 */
#include "app/canvas/tile-queue.h"

#include <sys/resource.h>

enum
{
  MAX_THREADS = 8,
  NICE = 5, /* lower priority than the main loop, which needs its frames while all cores draw */
};

typedef struct
{
  UrbariumTileKey key;
  GBytes         *pixels; /* owned; nullable */
  UrbColor        color;
} Result;

/* The tile that one thread is drawing. */
typedef struct
{
  UrbariumTileKey key;
  int             cancelled; /* atomic */
} Work;

struct _UrbariumTileQueue /* allocated with g_atomic_rc_box */
{
  /* For the main loop only. */
  int                  n_threads;
  gboolean             started;
  UrbariumTileDoneFunc done; /* NULL after urbarium_tile_queue_free() */
  gpointer             user_data;
  GMainContext        *context; /* owned */

  GMutex                  mutex; /* protects the fields below */
  GCond                   wake;
  gboolean                quit;
  UrbariumTileSpec        spec; /* its map owned, nullable */
  guint64                 generation;
  GArray                 *wanted;     /* of UrbariumTileKey; owned */
  GPtrArray              *works;      /* of Work, borrowed from the threads */
  GArray                 *results;    /* of Result; owned */
  gboolean                delivering; /* deliver_cb is pending on the main loop */
  UrbariumTileQueueCounts counts;
};

static void
result_clear (gpointer data)
{
  g_clear_pointer (&((Result *) data)->pixels, g_bytes_unref);
}

static GArray *
results_new (void)
{
  GArray *results = g_array_new (FALSE, FALSE, sizeof (Result));

  g_array_set_clear_func (results, result_clear);
  return results;
}

static void
clear (gpointer data)
{
  UrbariumTileQueue *self = data;

  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->wake);
  g_clear_pointer (&self->spec.map, urb_map_unref);
  g_array_unref (self->wanted);
  g_ptr_array_unref (self->works);
  g_array_unref (self->results);
  g_main_context_unref (self->context);
}

static void
unref (gpointer self)
{
  g_atomic_rc_box_release_full (self, clear);
}

UrbariumTileQueue *
urbarium_tile_queue_new (int n_threads, UrbariumTileDoneFunc done, gpointer user_data)
{
  UrbariumTileQueue *self = g_atomic_rc_box_new0 (UrbariumTileQueue);

  /* At least two, so that a large tile of the whole map does not block small ones. */
  self->n_threads = n_threads > 0 ? n_threads : CLAMP ((int) g_get_num_processors (), 2,
                                                       MAX_THREADS);
  self->done = done;
  self->user_data = user_data;
  self->context = g_main_context_ref_thread_default ();
  g_mutex_init (&self->mutex);
  g_cond_init (&self->wake);
  self->wanted = g_array_new (FALSE, FALSE, sizeof (UrbariumTileKey));
  self->works = g_ptr_array_new ();
  self->results = results_new ();
  return self;
}

void
urbarium_tile_queue_free (UrbariumTileQueue *self)
{
  if (self == NULL)
    return;
  self->done = NULL;
  g_mutex_lock (&self->mutex);
  self->quit = TRUE;
  for (guint i = 0; i < self->works->len; i++)
    g_atomic_int_set (&((Work *) self->works->pdata[i])->cancelled, 1);
  g_cond_broadcast (&self->wake);
  g_mutex_unlock (&self->mutex);
  unref (self);
}

/* The threads */

static gboolean
deliver_cb (gpointer data)
{
  UrbariumTileQueue *self = data;
  GArray *results;

  g_mutex_lock (&self->mutex);
  results = self->results;
  self->results = results_new ();
  self->delivering = FALSE;
  g_mutex_unlock (&self->mutex);
  for (guint i = 0; i < results->len; i++)
    {
      const Result *result = &g_array_index (results, Result, i);

      if (self->done != NULL) /* the previous call may have freed the queue */
        self->done (&result->key, result->pixels, result->color, self->user_data);
    }
  g_array_unref (results);
  return G_SOURCE_REMOVE;
}

/* Called with the lock held. */
static void
deliver (UrbariumTileQueue *self, Result result)
{
  GSource *source;

  g_array_append_val (self->results, result);
  if (self->delivering || self->quit)
    return;
  self->delivering = TRUE;
  source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, deliver_cb, g_atomic_rc_box_acquire (self), unref);
  g_source_attach (source, self->context);
  g_source_unref (source);
}

/* Called with the lock held; releases it while drawing. */
static void
draw (UrbariumTileQueue *self, UrbariumTilePainter *painter, const UrbariumTileKey *key)
{
  UrbariumTileSpec spec = self->spec;
  Result result = { .key = *key };
  Work work = { .key = *key };
  gboolean done;

  urb_map_ref (spec.map);
  g_ptr_array_add (self->works, &work);
  g_mutex_unlock (&self->mutex);

  done = urbarium_tile_painter_paint (painter, &spec, key, &work.cancelled, &result.color,
                                      &result.pixels);
  urb_map_unref (spec.map); /* unlocked: freeing a large map takes long */

  g_mutex_lock (&self->mutex);
  g_ptr_array_remove_fast (self->works, &work);
  if (done)
    {
      self->counts.n_drawn++;
      deliver (self, result);
    }
  else
    self->counts.n_given_up++;
}

static gpointer
thread_main (gpointer data)
{
  UrbariumTileQueue *self = data;
  g_autoptr(UrbariumTilePainter) painter = urbarium_tile_painter_new ();

  setpriority (PRIO_PROCESS, 0, NICE); /* on Linux, 0 is this thread; elsewhere it may fail */
  g_mutex_lock (&self->mutex);
  while (!self->quit)
    if (self->wanted->len > 0 && self->spec.map != NULL)
      {
        UrbariumTileKey key = g_array_index (self->wanted, UrbariumTileKey, 0);

        g_array_remove_index (self->wanted, 0);
        draw (self, painter, &key);
      }
    else
      g_cond_wait (&self->wake, &self->mutex);
  g_mutex_unlock (&self->mutex);
  unref (self);
  return NULL;
}

void
urbarium_tile_queue_set_spec (UrbariumTileQueue *self, const UrbariumTileSpec *spec,
                              guint64 generation)
{
  UrbMap *old;

  g_mutex_lock (&self->mutex);
  old = self->spec.map;
  self->spec = *spec;
  if (spec->map != NULL)
    urb_map_ref (spec->map);
  self->generation = generation;
  g_array_set_size (self->wanted, 0);
  for (guint i = 0; i < self->works->len; i++)
    g_atomic_int_set (&((Work *) self->works->pdata[i])->cancelled, 1);
  g_mutex_unlock (&self->mutex);
  g_clear_pointer (&old, urb_map_unref);
}

static gboolean
contains (const UrbariumTileKey *keys, guint n_keys, const UrbariumTileKey *key)
{
  for (guint i = 0; i < n_keys; i++)
    if (urbarium_tile_key_equal (&keys[i], key))
      return TRUE;
  return FALSE;
}

/* Whether the tile is being drawn or waits to be delivered. */
static gboolean
is_pending (UrbariumTileQueue *self, const UrbariumTileKey *key)
{
  for (guint i = 0; i < self->works->len; i++)
    {
      Work *work = self->works->pdata[i];

      if (!g_atomic_int_get (&work->cancelled) && urbarium_tile_key_equal (&work->key, key))
        return TRUE;
    }
  for (guint i = 0; i < self->results->len; i++)
    if (urbarium_tile_key_equal (&g_array_index (self->results, Result, i).key, key))
      return TRUE;
  return FALSE;
}

void
urbarium_tile_queue_set_wanted (UrbariumTileQueue *self, const UrbariumTileKey *keys, guint n_keys)
{
  if (!self->started && n_keys > 0)
    {
      self->started = TRUE;
      for (int i = 0; i < self->n_threads; i++)
        g_thread_unref (g_thread_new ("tiles", thread_main, g_atomic_rc_box_acquire (self)));
    }
  g_mutex_lock (&self->mutex);
  for (guint i = 0; i < self->works->len; i++)
    {
      Work *work = self->works->pdata[i];

      if (!contains (keys, n_keys, &work->key))
        g_atomic_int_set (&work->cancelled, 1);
    }
  g_array_set_size (self->wanted, 0);
  for (guint i = 0; i < n_keys; i++)
    if (keys[i].generation == self->generation && !is_pending (self, &keys[i]))
      g_array_append_val (self->wanted, keys[i]);
  if (self->wanted->len > 0)
    g_cond_broadcast (&self->wake);
  g_mutex_unlock (&self->mutex);
}

UrbariumTileQueueCounts
urbarium_tile_queue_get_counts (UrbariumTileQueue *self)
{
  UrbariumTileQueueCounts counts;

  g_mutex_lock (&self->mutex);
  counts = self->counts;
  g_mutex_unlock (&self->mutex);
  return counts;
}
