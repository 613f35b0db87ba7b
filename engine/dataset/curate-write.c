/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curate-write.c - encodes the areas of a curation and writes the dataset.
 *
 * Worker threads encode one batch while the caller writes the previous one, so a
 * single thread writes to SQLite, in order, and waits at most for the slowest tile.
 */
#include "dataset/curate.h"

#include "base/json-build.h"
#include "dataset/dataset-private.h"
#include "dataset/dataset-writer.h"
#include "dataset/how-made.h"
#include "dataset/open-ground.h"
#include "dataset/tile-encoder.h"
#include "map/address.h"

#define BATCH 256 /* areas */

typedef struct
{
  guint8 *blob; /* owned */
  gsize   n_bytes;
} Tile;

typedef struct
{
  UrbCuration *curation;
  UrbMap      *map;
  GThreadPool *pool;       /* owned */
  GAsyncQueue *encoders;   /* of idle UrbTileEncoder; owned */
  Tile         tiles[2][BATCH]; /* one batch being encoded, one being written */
  GMutex       mutex;
  GCond        all_done;
  gint         n_pending;  /* guarded by the mutex */
  gint         stop;       /* atomic: skip further encoding */
} Encoding;

/* Encodes one area.  @data: the area's index plus 1 */
static void
encode_area (gpointer data, gpointer user_data)
{
  Encoding *self = user_data;
  gsize index = GPOINTER_TO_SIZE (data) - 1;
  UrbArea *area = &g_array_index (self->curation->areas, UrbArea, index);
  Tile *tile = &self->tiles[index / BATCH % 2][index % BATCH];

  if (!g_atomic_int_get (&self->stop))
    {
      UrbTileEncoder *encoder = g_async_queue_pop (self->encoders);
      g_autofree guint8 *blob = g_malloc (urb_tile_encoder_get_max_blob (encoder));

      tile->n_bytes = urb_tile_encoder_encode (encoder, self->map, area, blob);
      tile->blob = g_memdup2 (blob, tile->n_bytes);
      g_async_queue_push (self->encoders, encoder);
    }
  g_mutex_lock (&self->mutex);
  if (--self->n_pending == 0)
    g_cond_signal (&self->all_done);
  g_mutex_unlock (&self->mutex);
}

static void
begin_batch (Encoding *self, gint64 first)
{
  gint64 end = MIN (first + BATCH, (gint64) self->curation->areas->len);

  g_mutex_lock (&self->mutex);
  self->n_pending = MAX (end - first, 0);
  g_mutex_unlock (&self->mutex);
  for (gint64 i = first; i < end; i++)
    g_thread_pool_push (self->pool, GSIZE_TO_POINTER ((gsize) i + 1), NULL);
}

static void
wait_for_batch (Encoding *self)
{
  g_mutex_lock (&self->mutex);
  while (self->n_pending > 0)
    g_cond_wait (&self->all_done, &self->mutex);
  g_mutex_unlock (&self->mutex);
}

static gboolean
write_batch (Encoding *self, gint64 first, const char *source, UrbDatasetWriter *writer,
             GError **error)
{
  gint64 end = MIN (first + BATCH, (gint64) self->curation->areas->len);
  gboolean written = TRUE;

  for (gint64 i = first; i < end; i++)
    {
      Tile *tile = &self->tiles[i / BATCH % 2][i % BATCH];

      written = written
                && urb_dataset_writer_add (writer,
                                           &g_array_index (self->curation->areas, UrbArea, i),
                                           source, tile->blob, tile->n_bytes, error);
      g_clear_pointer (&tile->blob, g_free);
    }
  return written;
}

static gboolean
write_batches (Encoding *self, const char *source, UrbDatasetWriter *writer,
               UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable,
               GError **error)
{
  gint64 n = self->curation->areas->len;
  gboolean written = TRUE;

  begin_batch (self, 0);
  for (gint64 first = 0; first < n && written; first += BATCH)
    {
      wait_for_batch (self);
      begin_batch (self, first + BATCH);
      if (progress != NULL)
        progress ((double) first / n, "Encoding areas", user_data);
      written = !g_cancellable_set_error_if_cancelled (cancellable, error)
                && write_batch (self, first, source, writer, error);
    }
  g_atomic_int_set (&self->stop, TRUE);
  wait_for_batch (self);
  return written;
}

static void
encoding_init (Encoding *self, UrbCuration *curation, UrbMap *map)
{
  const UrbCurateOptions *o = &curation->options;
  int n = o->n_threads > 0 ? o->n_threads : (int) g_get_num_processors ();

  self->curation = curation;
  self->map = map;
  g_mutex_init (&self->mutex);
  g_cond_init (&self->all_done);
  self->encoders = g_async_queue_new_full ((GDestroyNotify) urb_tile_encoder_free);
  for (int i = 0; i < n; i++)
    {
      UrbTileEncoder *encoder
        = urb_tile_encoder_new (o->encoding, o->soft, o->resolution_px, o->area_size_m);

      if (curation->filled)
        urb_tile_encoder_fill_open_ground (encoder);
      g_async_queue_push (self->encoders, encoder);
    }
  self->pool = g_thread_pool_new (encode_area, self, n, FALSE, NULL);
}

gboolean
urb_curation_write (UrbCuration *self, UrbMap *map, const char *const *sources, const char *path,
                    UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable,
                    GError **error)
{
  g_autofree char *recipe = urb_curation_dup_recipe (self, map, sources);
  guint n_sources = g_strv_length ((char **) sources);
  g_autofree char *base = n_sources > 0 ? urb_map_address_dup_source (sources[0]) : NULL;
  g_autofree char *first = base != NULL ? g_utf8_make_valid (base, -1) : NULL;
  g_autofree char *source
    = n_sources > 1 ? g_strdup_printf ("%s and %u more", first, n_sources - 1) : g_strdup (first);
  g_autofree Encoding *encoding = g_new0 (Encoding, 1);
  const UrbDatasetInfo info = {
    .encoding = self->options.encoding,
    .soft = self->options.soft,
    .resolution_px = self->options.resolution_px,
    .area_size_m = self->options.area_size_m,
    .recipe_json = recipe,
    .crs_name = (char *) urb_map_get_crs_name (map),
    .epsg = urb_map_get_epsg (map),
  };
  g_autoptr(UrbDatasetWriter) writer
    = urb_dataset_writer_new (path, &info, urb_map_get_crs_wkt (map), error);
  gboolean written;

  if (writer == NULL)
    return FALSE;
  encoding_init (encoding, self, map);
  written = write_batches (encoding, source, writer, progress, user_data, cancellable, error);
  g_thread_pool_free (encoding->pool, FALSE, TRUE);
  g_async_queue_unref (encoding->encoders);
  for (int i = 0; i < 2 * BATCH; i++)
    g_free (encoding->tiles[i / BATCH][i % BATCH].blob);
  g_mutex_clear (&encoding->mutex);
  g_cond_clear (&encoding->all_done);
  return written && urb_dataset_writer_finish (writer, error);
}

static void
add_options (JsonBuilder *json, const UrbCurateOptions *o)
{
  const UrbSetting *fill = urb_settings_find (&urb_curate_settings, "fill-uncovered");
  g_autofree char *fill_text = urb_setting_dup_text (fill, o);

  urb_json_begin_object (json, "options");
  urb_json_add_double (json, "area_size_m", o->area_size_m);
  urb_json_add_double (json, "stride_m", o->stride_m);
  urb_json_add_int (json, "rotations", o->n_rotations);
  urb_json_add_double (json, "min_variance", o->min_variance);
  urb_json_add_double (json, "min_coverage", o->min_coverage);
  urb_json_add_double (json, "max_overlap", o->max_overlap);
  urb_json_add_int (json, "top", o->top);
  urb_json_add_string (json, "encoding", urb_encoding_get_name (o->encoding));
  urb_json_add_bool (json, "soft", o->soft);
  urb_json_add_int (json, "resolution_px", o->resolution_px);
  urb_json_add_double (json, "test_share", o->test_share);
  urb_json_add_double (json, "validation_share", o->validation_share);
  urb_json_add_int (json, "seed", o->seed);
  urb_json_add_string (json, "fill_uncovered", fill_text);
  urb_json_end_object (json);
}

static void
add_found (JsonBuilder *json, UrbCuration *self)
{
  urb_json_begin_object (json, "found");
  urb_json_add_int (json, "positions", self->n_positions);
  urb_json_add_int (json, "not_covered", self->n_uncovered);
  urb_json_add_int (json, "low_variance", self->n_low_variance);
  urb_json_add_int (json, "between_splits", self->n_straddling);
  urb_json_add_int (json, "overlapping", self->n_overlapping);
  urb_json_add_int (json, "beyond_top", self->n_beyond_top);
  if (self->n_removed > 0)
    urb_json_add_int (json, "removed", self->n_removed);
  urb_json_add_int (json, "chosen", self->areas->len);
  urb_json_add_int (json, "train", self->n_split[URB_SPLIT_TRAIN]);
  urb_json_add_int (json, "test", self->n_split[URB_SPLIT_TEST]);
  urb_json_add_int (json, "validation", self->n_split[URB_SPLIT_VALIDATION]);
  urb_json_end_object (json);
}

/* Only if the options alone do not reproduce the areas. */
static void
add_by_hand (JsonBuilder *json, UrbCuration *self)
{
  if (self->n_added == 0 && self->n_removed == 0)
    return;
  urb_json_begin_object (json, "by_hand");
  urb_json_add_double (json, "threshold", self->options.min_variance);
  urb_json_add_int (json, "added", self->n_added);
  urb_json_add_int (json, "removed", self->n_removed);
  urb_json_end_object (json);
}

char *
urb_curation_dup_recipe (UrbCuration *self, UrbMap *map, const char *const *sources)
{
  g_autoptr(JsonBuilder) json = json_builder_new ();

  urb_json_begin_object (json, NULL);
  urb_json_add_string (json, "generator", "Urbarium " URBARIUM_VERSION);
  urb_json_begin_array (json, "sources");
  for (gsize i = 0; sources[i] != NULL; i++)
    {
      g_autofree char *name = urb_map_address_dup_source (sources[i]);

      urb_json_add_string (json, NULL, name);
    }
  urb_json_end_array (json);
  urb_json_add_string (json, "profile", urb_map_get_profile (map));
  if (urb_map_get_licence (map) != NULL)
    urb_json_add_string (json, "licence", urb_map_get_licence (map));
  urb_how_made_add_choices (json, urb_map_get_choices (map));
  urb_json_add_string (json, "crs", urb_map_get_crs_name (map));
  urb_json_add_bool (json, "uncovered_is_other", self->filled);
  if (self->filled)
    urb_json_add_double (json, "open_ground_gap_m", URB_OPEN_GROUND_GAP_M);
  add_options (json, &self->options);
  add_by_hand (json, self);
  add_found (json, self);
  urb_json_end_object (json);
  return urb_json_dup_text (json);
}
