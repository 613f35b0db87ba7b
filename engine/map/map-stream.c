/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-stream.c - sends a map to another process, and receives it.
 *
 * URB_MESSAGE_MAP holds counts, layers and warnings; then follow the arrays: polygons, the number of
 * vertices of each ring, and the vertices, all in the polygons' order, or a message that the vertices lie in
 * the block that both processes share.  The receiver builds the map with the same builder as a reader, ring
 * by ring, so no number that arrives becomes an index unchecked.
 */
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "map/map-private.h"
#include "map/stream.h"
#include "map/vertex-block.h"

typedef struct
{
  guint32 n_rings;
  guint32 value; /* of the layer; others are none */
  guint16 layer;
  guint8  class_, zero;
} SentPolygon;

/* Elements of an array that are held while it is sent or received. */
#define PART 8192
#define MAX_FITS 1000

/* -------- Sending -------- */

static void
put_layer (UrbStreamOut *out, const UrbMapLayer *layer)
{
  urb_stream_put_text (out, layer->name);
  urb_stream_put_text (out, layer->source);
  urb_stream_put_text (out, layer->crs_wkt);
  urb_stream_put_text (out, layer->attribute);
  urb_stream_put_int (out, layer->n_features);
  urb_stream_put_int (out, layer->n_points_ignored);
  urb_stream_put_int (out, layer->n_lines);
  urb_stream_put_int (out, layer->n_repaired);
  urb_stream_put_int (out, layer->n_dropped);
  urb_stream_put_int (out, layer->n_superseded);
  urb_stream_put_int (out, layer->n_unexpected);
  urb_stream_put_int (out, layer->n_unreadable);
  urb_stream_put_int (out, layer->unreadable->len);
  for (guint i = 0; i < layer->unreadable->len; i++)
    urb_stream_put_text (out, g_ptr_array_index (layer->unreadable, i));
  urb_stream_put_int (out, layer->values->len);
  for (guint i = 0; i < layer->values->len; i++)
    {
      const UrbMapValue *value = g_ptr_array_index (layer->values, i);
      urb_stream_put_text (out, value->value);
      urb_stream_put_int (out, value->class_);
      urb_stream_put_int (out, value->profile_class);
      urb_stream_put_int (out, value->by_hand);
      urb_stream_put_int (out, value->known);
      urb_stream_put_int (out, value->n_features);
    }
}

static void
send_facts (UrbMap *map, UrbStreamOut *out)
{
  urb_stream_put_int (out, map->n_polygons);
  urb_stream_put_int (out, (gint64) map->n_rings);
  urb_stream_put_int (out, map->n_vertices);
  urb_stream_put_text (out, map->profile);
  urb_stream_put_text (out, map->crs_wkt);
  urb_stream_put_text (out, map->crs_name);
  urb_stream_put_int (out, map->epsg);
  urb_stream_put_text (out, map->licence);
  urb_stream_put_int (out, map->fits->len);
  for (guint i = 0; i < map->fits->len; i++)
    {
      const UrbMapFit *fit = g_ptr_array_index (map->fits, i);
      urb_stream_put_text (out, fit->profile);
      urb_stream_put_double (out, fit->score);
    }
  urb_stream_put_int (out, map->layers->len);
  for (guint i = 0; i < map->layers->len; i++)
    put_layer (out, g_ptr_array_index (map->layers, i));
  urb_stream_put_int (out, map->warnings->len);
  for (guint i = 0; i < map->warnings->len; i++)
    urb_stream_put_text (out, g_ptr_array_index (map->warnings, i));
  urb_stream_send (out, URB_MESSAGE_MAP);
}

/* Collects small pieces of an array. */
typedef struct
{
  UrbStreamOut *out;
  gsize         n;
  guint8        bytes[PART * 16];
} Collector;

static void
flush (Collector *self)
{
  urb_stream_send_bytes (self->out, self->bytes, self->n);
  self->n = 0;
}

static void
collect (Collector *self, gconstpointer bytes, gsize n)
{
  if (n > sizeof self->bytes - self->n)
    flush (self);
  if (n > sizeof self->bytes)
    {
      urb_stream_send_bytes (self->out, bytes, n);
      return;
    }
  memcpy (self->bytes + self->n, bytes, n);
  self->n += n;
}

/* As usual, unless the polygons were sorted by class. */
static gboolean
is_in_order (const UrbMap *map)
{
  guint64 n_rings = 0;

  for (gint64 i = 0; i < map->n_polygons; i++)
    {
      if (map->polygons[i].first_ring != n_rings)
        return FALSE;
      n_rings += map->polygons[i].n_rings;
    }
  return TRUE;
}

static void
send_vertices (UrbMap *map, UrbStreamOut *out, Collector *collector)
{
  if (map->block_capacity > 0)
    {
      /* Who takes it makes sure that it cannot be changed here. */
      urb_vertex_block_close (g_steal_pointer (&map->xy), map->block_capacity);
      urb_stream_send_head (out, URB_MESSAGE_BLOCK, 0);
      return;
    }
  urb_stream_send_head (out, URB_MESSAGE_VERTICES, (guint64) map->n_vertices * 2 * sizeof (double));
  if (is_in_order (map))
    {
      urb_stream_send_bytes (out, map->xy, (gsize) map->n_vertices * 2 * sizeof (double));
      return;
    }
  for (gint64 i = 0; i < map->n_polygons; i++)
    {
      guint64 start = map->ring_starts[map->polygons[i].first_ring];
      guint64 end = map->ring_starts[map->polygons[i].first_ring + map->polygons[i].n_rings];
      collect (collector, map->xy + 2 * start, (gsize) (end - start) * 2 * sizeof (double));
    }
  flush (collector);
}

void
urb_map_send (UrbMap *map, UrbStreamOut *out)
{
  g_autofree Collector *collector = g_new (Collector, 1);

  collector->out = out;
  collector->n = 0;
  send_facts (map, out);
  urb_stream_send_head (out, URB_MESSAGE_POLYGONS, (guint64) map->n_polygons * sizeof (SentPolygon));
  for (gint64 i = 0; i < map->n_polygons; i++)
    {
      const UrbMapPolygon *polygon = &map->polygons[i];
      guint32 value = map->values != NULL ? map->values[i] : G_MAXUINT32;
      SentPolygon sent = { polygon->n_rings, value, polygon->layer, polygon->class_, 0 };
      collect (collector, &sent, sizeof sent);
    }
  flush (collector);
  urb_stream_send_head (out, URB_MESSAGE_RINGS, map->n_rings * sizeof (guint32));
  for (gint64 i = 0; i < map->n_polygons; i++)
    for (guint32 r = 0; r < map->polygons[i].n_rings; r++)
      {
        const guint64 *start = map->ring_starts + map->polygons[i].first_ring + r;
        guint32 n = (guint32) (start[1] - start[0]);
        collect (collector, &n, sizeof n);
      }
  flush (collector);
  send_vertices (map, out, collector);
}

/* -------- Receiving -------- */

typedef struct
{
  UrbStreamIn   *in;
  int            block;   /* -1: none */
  UrbMapBuilder *builder;
  gint64         n_polygons, n_rings, n_vertices; /* announced */
  guint          n_layers;
  GPtrArray     *warnings; /* owned; of char * */
  SentPolygon   *polygons; /* owned; (n_polygons) */
  guint32       *rings;    /* owned; (n_rings): vertices of each */
} Receiver;

static void
receiver_clear (Receiver *self)
{
  urb_map_builder_free (self->builder);
  g_clear_pointer (&self->warnings, g_ptr_array_unref);
  g_free (self->polygons);
  g_free (self->rings);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Receiver, receiver_clear)

static void
get_value (UrbStreamIn *in, UrbMapLayer *layer)
{
  g_autofree char *text = urb_stream_get_some_text (in);
  UrbClass class_ = (UrbClass) urb_stream_get_int (in, 0, URB_CLASS_IGNORE);
  UrbClass by_profile = (UrbClass) urb_stream_get_int (in, 0, URB_CLASS_IGNORE);
  gboolean by_hand = (gboolean) urb_stream_get_int (in, FALSE, TRUE);
  gboolean known = (gboolean) urb_stream_get_int (in, FALSE, TRUE);
  guint32 index = urb_map_layer_add_value (layer, text, class_, known);
  UrbMapValue *value = g_ptr_array_index (layer->values, index);

  value->profile_class = by_profile;
  value->by_hand = by_hand;
  value->n_features = urb_stream_get_int (in, 0, G_MAXINT64);
}

static void
get_layer (Receiver *self)
{
  UrbStreamIn *in = self->in;
  g_autofree char *name = urb_stream_get_some_text (in);
  g_autofree char *source = urb_stream_get_some_text (in);
  UrbMapLayer *layer = urb_map_builder_add_layer (self->builder, name, source);
  gint64 n_names, n_values;

  layer->crs_wkt = urb_stream_get_text (in);
  layer->attribute = urb_stream_get_text (in);
  layer->n_features = urb_stream_get_int (in, 0, G_MAXINT64);
  layer->n_points_ignored = urb_stream_get_int (in, 0, G_MAXINT64);
  layer->n_lines = urb_stream_get_int (in, 0, G_MAXINT64);
  layer->n_repaired = urb_stream_get_int (in, 0, G_MAXINT64);
  layer->n_dropped = urb_stream_get_int (in, 0, G_MAXINT64);
  layer->n_superseded = urb_stream_get_int (in, 0, G_MAXINT64);
  layer->n_unexpected = urb_stream_get_int (in, 0, G_MAXINT64);
  layer->n_unreadable = urb_stream_get_int (in, 0, G_MAXINT64);
  n_names = urb_stream_get_int (in, 0, URB_MAP_MAX_NAMED);
  for (gint64 i = 0; i < n_names && !in->is_bad; i++)
    g_ptr_array_add (layer->unreadable, urb_stream_get_some_text (in));
  n_values = urb_stream_get_int (in, 0, G_MAXINT32);
  for (gint64 i = 0; i < n_values && !in->is_bad; i++)
    get_value (in, layer);
}

static gboolean
receive_facts (Receiver *self, guint64 n_bytes, GError **error)
{
  UrbStreamIn *in = self->in;
  g_autofree char *profile = NULL, *crs_wkt = NULL, *crs_name = NULL, *licence = NULL;
  gint64 n_fits, n_layers, n_warnings, epsg;

  if (!urb_stream_receive_fields (in, n_bytes, error))
    return FALSE;
  self->n_polygons = urb_stream_get_int (in, 0, G_MAXINT32);
  self->n_rings = urb_stream_get_int (in, self->n_polygons, G_MAXINT32);
  self->n_vertices = urb_stream_get_int (in, 0, URB_MAP_MAX_VERTICES);
  profile = urb_stream_get_some_text (in);
  crs_wkt = urb_stream_get_some_text (in);
  crs_name = urb_stream_get_some_text (in);
  epsg = urb_stream_get_int (in, 0, G_MAXINT32);
  licence = urb_stream_get_text (in);
  if (licence != NULL)
    urb_map_builder_add_licence (self->builder, licence);
  urb_map_builder_set_profile (self->builder, profile);
  urb_map_builder_set_crs (self->builder, crs_wkt, crs_name, (int) epsg);
  n_fits = urb_stream_get_int (in, 0, MAX_FITS);
  for (gint64 i = 0; i < n_fits && !in->is_bad; i++)
    {
      g_autofree char *name = urb_stream_get_some_text (in);
      urb_map_builder_add_fit (self->builder, name, urb_stream_get_double (in));
    }
  n_layers = urb_stream_get_int (in, 0, URB_MAP_MAX_LAYERS);
  for (gint64 i = 0; i < n_layers && !in->is_bad; i++)
    get_layer (self);
  n_warnings = urb_stream_get_int (in, 0, G_MAXINT32);
  for (gint64 i = 0; i < n_warnings && !in->is_bad; i++)
    g_ptr_array_add (self->warnings, urb_stream_get_some_text (in));
  self->n_layers = (guint) n_layers;
  return urb_stream_end_fields (in, error);
}

/* Returns: (transfer full): the @n elements; NULL with an error.  Grows with what arrives. */
static gpointer
receive_array (Receiver *self, UrbMessageKind kind, gint64 n, gsize item_bytes, GError **error)
{
  g_autofree guint8 *array = NULL;
  gint64 capacity = 0, have = 0;
  UrbMessageKind sent;
  guint64 n_bytes;

  if (!urb_stream_receive_head (self->in, &sent, &n_bytes, error))
    return NULL;
  if (sent != kind || n_bytes != (guint64) n * item_bytes)
    {
      urb_stream_fail (error);
      return NULL;
    }
  array = g_malloc (item_bytes);
  while (have < n)
    {
      gint64 more = MIN (n - have, PART);
      if (have + more > capacity)
        {
          capacity = MIN (n, MAX (2 * capacity, have + more));
          array = g_realloc_n (array, (gsize) capacity, item_bytes);
        }
      if (!urb_stream_receive_bytes (self->in, array + (gsize) have * item_bytes,
                                     (gsize) more * item_bytes, error))
        return NULL;
      have += more;
    }
  return g_steal_pointer (&array);
}

/* Whether the announced numbers fit together. */
static gboolean
check_numbers (const Receiver *self)
{
  gint64 n_rings = 0, n_vertices = 0;

  for (gint64 i = 0; i < self->n_polygons; i++)
    {
      const SentPolygon *polygon = &self->polygons[i];
      n_rings += polygon->n_rings;
      if (polygon->n_rings == 0 || polygon->layer >= self->n_layers || polygon->zero != 0
          || polygon->class_ >= URB_N_CLASSES)
        return FALSE;
    }
  for (gint64 i = 0; i < self->n_rings; i++)
    {
      n_vertices += self->rings[i];
      if (self->rings[i] < 3)
        return FALSE;
    }
  return n_rings == self->n_rings && n_vertices == self->n_vertices;
}

WITH_AVX2 static gboolean
are_coordinates (const double *xy, gsize n)
{
  gboolean are_good = TRUE;

  for (gsize i = 0; i < n; i++)
    are_good &= fabs (xy[i]) <= URB_MAP_MAX_COORDINATE; /* not if it is not a number */
  return are_good;
}

/* Straight into the builder's memory, which the system provides as it is filled. */
static gboolean
receive_vertices (Receiver *self, GError **error)
{
  double *xy = urb_map_builder_reserve (self->builder, self->n_vertices);

  if (xy == NULL)
    {
      g_set_error_literal (error, URB_MAP_ERROR, URB_MAP_ERROR_LARGE,
                           N_ ("The map does not fit into memory; cut out the part you need"));
      return FALSE;
    }
  return urb_stream_receive_bytes (self->in, xy, 2 * (gsize) self->n_vertices * sizeof *xy, error);
}

/* The same, without a copy. */
static gboolean
take_vertices (Receiver *self, GError **error)
{
  double *xy = urb_vertex_block_take (self->block, self->n_vertices);

  if (xy == NULL)
    return urb_stream_fail (error);
  urb_map_builder_use_block (self->builder, xy, self->n_vertices);
  return TRUE;
}

/* The builder takes the rings one by one; their vertices are in place. */
static void
commit_rings (Receiver *self)
{
  const guint32 *ring = self->rings;
  gint64 n_left = self->n_vertices;

  for (gint64 i = 0; i < self->n_polygons; i++)
    {
      const SentPolygon *polygon = &self->polygons[i];
      for (guint32 r = 0; r < polygon->n_rings; r++, ring++)
        {
          double *xy = urb_map_builder_reserve (self->builder, n_left);
          g_assert (xy != NULL);
          urb_map_builder_commit_ring (self->builder, *ring);
          n_left -= *ring;
        }
      urb_map_builder_commit_polygon (self->builder, (UrbClass) polygon->class_, polygon->layer,
                                      polygon->value);
    }
}

static gboolean
receive_rings (Receiver *self, GError **error)
{
  gint64 n = self->n_vertices;
  UrbMessageKind kind;
  guint64 n_bytes;
  gboolean is_received;

  if (!urb_stream_receive_head (self->in, &kind, &n_bytes, error))
    return FALSE;
  if (kind == URB_MESSAGE_BLOCK && n_bytes == 0)
    is_received = take_vertices (self, error);
  else if (kind == URB_MESSAGE_VERTICES && n_bytes == (guint64) n * 2 * sizeof (double))
    is_received = receive_vertices (self, error);
  else
    is_received = urb_stream_fail (error);
  if (!is_received)
    return FALSE;
  if (!are_coordinates (urb_map_builder_reserve (self->builder, n), 2 * (gsize) n))
    return urb_stream_fail (error);
  commit_rings (self);
  return TRUE;
}

/* All messages of the map; the builder is then complete. */
static gboolean
receive_all (Receiver *self, guint64 n_bytes, guint64 max_bytes, GError **error)
{
  if (!receive_facts (self, n_bytes, error))
    return FALSE;
  if ((guint64) self->n_vertices > max_bytes / (2 * sizeof (double)))
    return urb_stream_fail (error);
  self->polygons = receive_array (self, URB_MESSAGE_POLYGONS, self->n_polygons,
                                  sizeof *self->polygons, error);
  if (self->polygons == NULL)
    return FALSE;
  self->rings = receive_array (self, URB_MESSAGE_RINGS, self->n_rings, sizeof *self->rings, error);
  if (self->rings == NULL)
    return FALSE;
  return (check_numbers (self) || urb_stream_fail (error)) && receive_rings (self, error);
}

UrbMap *
urb_map_receive (UrbStreamIn *in, guint64 n_bytes, guint64 max_bytes, int block, GError **error)
{
  g_auto(Receiver) self = { .in = in,
                            .block = block,
                            .builder = urb_map_builder_new (),
                            .warnings = g_ptr_array_new_with_free_func (g_free) };
  UrbMap *map;

  if (!receive_all (&self, n_bytes, max_bytes, error))
    return NULL;
  map = urb_map_builder_finish (g_steal_pointer (&self.builder), URB_MAP_CLEAN_NOTHING);
  g_ptr_array_extend_and_steal (map->warnings, g_steal_pointer (&self.warnings));
  return map;
}
