/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builder.c - builds a map ring by ring.
 *
 * Readers write vertices straight into the map's block.  Decisions that need the
 * whole map (outliers, duplicates, the extent) are made once at the end, in linear
 * passes over precomputed boxes (clean.c).
 */
#include <math.h>
#include <string.h>

#include "base/large-array.h"
#include "base/show-text.h"
#include "map/map-private.h"
#include "map/notes.h"
#include "map/rtree.h"

struct _UrbMapBuilder
{
  UrbMap *map;     /* owned */
  gint64 vertex_capacity, ring_capacity, polygon_capacity;
  gint64 n_pending_vertices; /* of the rings since the last polygon */
  guint64 first_pending_ring;
};

static void
value_free (gpointer data)
{
  UrbMapValue *value = data;
  g_free (value->value);
  g_free (value);
}

static void
fit_free (gpointer data)
{
  UrbMapFit *fit = data;
  g_free (fit->profile);
  g_free (fit);
}

static void
layer_free (gpointer data)
{
  UrbMapLayer *layer = data;
  g_free (layer->name);
  g_free (layer->source);
  g_free (layer->attribute);
  g_free (layer->crs_wkt);
  g_ptr_array_unref (layer->values);
  g_ptr_array_unref (layer->unreadable);
  g_free (layer);
}

UrbMapBuilder *
urb_map_builder_new (void)
{
  UrbMapBuilder *self = g_new0 (UrbMapBuilder, 1);

  self->map = g_new0 (UrbMap, 1);
  g_atomic_ref_count_init (&self->map->ref_count);
  self->map->layers = g_ptr_array_new_with_free_func (layer_free);
  self->map->warnings = g_ptr_array_new_with_free_func (g_free);
  self->map->fits = g_ptr_array_new_with_free_func (fit_free);
  self->ring_capacity = 16;
  self->map->ring_starts = g_new0 (guint64, self->ring_capacity);
  return self;
}

void
urb_map_builder_free (UrbMapBuilder *self)
{
  if (self == NULL)
    return;
  urb_map_unref (self->map);
  g_free (self);
}

void
urb_map_builder_use_block (UrbMapBuilder *self, double *xy, gint64 capacity)
{
  g_assert (self->map->xy == NULL && capacity > 0);
  self->map->xy = xy;
  self->map->block_capacity = self->vertex_capacity = capacity;
}

UrbMapLayer *
urb_map_builder_add_layer (UrbMapBuilder *self, const char *name, const char *source)
{
  UrbMapLayer *layer = g_new0 (UrbMapLayer, 1);

  g_assert (self->map->layers->len < URB_MAP_MAX_LAYERS);
  layer->name = g_strdup (name);
  layer->source = g_strdup (source);
  layer->values = g_ptr_array_new_with_free_func (value_free);
  layer->unreadable = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->map->layers, layer);
  return layer;
}

guint16
urb_map_builder_get_n_layers (UrbMapBuilder *self)
{
  return (guint16) self->map->layers->len;
}

guint32
urb_map_layer_add_value (UrbMapLayer *layer, const char *value, UrbClass class_, gboolean known)
{
  UrbMapValue *item = g_new0 (UrbMapValue, 1);

  item->value = g_strdup (value);
  item->class_ = class_;
  item->profile_class = class_;
  item->known = known;
  g_ptr_array_add (layer->values, item);
  return layer->values->len - 1;
}

void
urb_map_layer_add_unreadable (UrbMapLayer *layer, const char *name)
{
  layer->n_features++;
  layer->n_unreadable++;
  if (name != NULL && layer->unreadable->len < URB_MAP_MAX_NAMED)
    g_ptr_array_add (layer->unreadable, urb_show_text (name));
}

void
urb_map_builder_warn (UrbMapBuilder *self, const char *format, ...)
{
  g_autofree char *raw = NULL;
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  raw = g_strdup_vprintf (format, args);
  va_end (args);
  text = urb_show_text (raw);
  if (!g_ptr_array_find_with_equal_func (self->map->warnings, text, g_str_equal, NULL))
    g_ptr_array_add (self->map->warnings, g_steal_pointer (&text));
}

void
urb_map_builder_set_crs (UrbMapBuilder *self, const char *wkt, const char *name, int epsg)
{
  g_free (self->map->crs_wkt);
  g_free (self->map->crs_name);
  self->map->crs_wkt = urb_show_text (wkt);
  self->map->crs_name = urb_show_text (*name != '\0' ? name : "unnamed");
  self->map->epsg = epsg;
}

void
urb_map_builder_set_profile (UrbMapBuilder *self, const char *name)
{
  g_free (self->map->profile);
  self->map->profile = g_strdup (name);
}

void
urb_map_builder_add_licence (UrbMapBuilder *self, const char *text)
{
  g_autofree char *before = self->map->licence, *shown = urb_show_text (text);
  /* "CC BY" is not told by "CC BY-SA 4.0". */
  g_autofree char *all = g_strconcat ("; ", before, "; ", NULL), *one = g_strconcat ("; ", shown, "; ", NULL);

  if (before == NULL)
    self->map->licence = g_steal_pointer (&shown);
  else if (strstr (all, one) != NULL)
    self->map->licence = g_steal_pointer (&before);
  else
    self->map->licence = g_strdup_printf ("%s; %s", before, shown);
}

void
urb_map_builder_add_fit (UrbMapBuilder *self, const char *profile, double score)
{
  UrbMapFit *fit = g_new0 (UrbMapFit, 1);

  fit->profile = g_strdup (profile);
  fit->score = score;
  g_ptr_array_add (self->map->fits, fit);
}

/* Grows by half: with mremap behind realloc, large blocks are not copied.
 * Returns FALSE, with everything unchanged, when memory runs out. */
static gboolean
grow (gpointer *block, gint64 *capacity, gint64 wanted, gsize item_bytes)
{
  gint64 more = MAX (MAX (wanted, 64), *capacity + *capacity / 2);
  gpointer larger = g_try_realloc_n (*block, (gsize) more, item_bytes);

  if (larger == NULL)
    return FALSE;
  *block = larger;
  *capacity = more;
  return TRUE;
}

/* Reserves memory for one more ring and polygon, so that committing cannot fail. */
static gboolean
reserve_numbers (UrbMapBuilder *self)
{
  UrbMap *map = self->map;
  gint64 n_values = self->polygon_capacity;

  if ((gint64) map->n_rings + 2 > self->ring_capacity
      && !grow ((gpointer *) &map->ring_starts, &self->ring_capacity, map->n_rings + 2,
                sizeof *map->ring_starts))
    return FALSE;
  return map->n_polygons < self->polygon_capacity
         || (grow ((gpointer *) &self->map->values, &n_values, map->n_polygons + 1,
                   sizeof *self->map->values)
             && grow ((gpointer *) &map->polygons, &self->polygon_capacity, map->n_polygons + 1,
                      sizeof *map->polygons));
}

double *
urb_map_builder_reserve (UrbMapBuilder *self, gint64 n_vertices)
{
  UrbMap *map = self->map;
  gint64 used = map->n_vertices + self->n_pending_vertices;

  if (n_vertices < 0 || n_vertices > URB_MAP_MAX_VERTICES - used || !reserve_numbers (self))
    return NULL;
  if (used + n_vertices > self->vertex_capacity
      && (map->block_capacity > 0
          || !grow ((gpointer *) &map->xy, &self->vertex_capacity, used + n_vertices,
                    2 * sizeof *map->xy)))
    return NULL;
  return map->xy + 2 * used;
}

void
urb_map_builder_commit_ring (UrbMapBuilder *self, gint64 n_vertices)
{
  UrbMap *map = self->map;

  g_assert ((gint64) map->n_rings + 2 <= self->ring_capacity);
  self->n_pending_vertices += n_vertices;
  map->ring_starts[++map->n_rings] = map->n_vertices + self->n_pending_vertices;
}

void
urb_map_builder_commit_polygon (UrbMapBuilder *self, UrbClass class_, guint16 layer, guint32 value)
{
  UrbMap *map = self->map;
  guint64 n_rings = map->n_rings - self->first_pending_ring;

  g_assert (n_rings > 0 && n_rings <= G_MAXUINT32 && (guint) class_ < URB_N_CLASSES);
  g_assert (map->n_polygons < self->polygon_capacity);
  self->map->values[map->n_polygons] = value;
  map->polygons[map->n_polygons++] = (UrbMapPolygon){
    .first_ring = self->first_pending_ring,
    .n_rings = (guint32) n_rings,
    .class_ = (guint8) class_,
    .layer = layer,
  };
  map->n_vertices += self->n_pending_vertices;
  self->n_pending_vertices = 0;
  self->first_pending_ring = map->n_rings;
}

void
urb_map_builder_rollback (UrbMapBuilder *self)
{
  self->map->n_rings = self->first_pending_ring;
  self->n_pending_vertices = 0;
}

guint64
urb_map_builder_get_n_pending (UrbMapBuilder *self)
{
  return self->map->n_rings - self->first_pending_ring;
}

const double *
urb_map_builder_get_pending (UrbMapBuilder *self, guint64 index, gint64 *n_vertices)
{
  return urb_map_get_ring (self->map, self->first_pending_ring + index, n_vertices);
}

gint64
urb_map_builder_get_n_polygons (UrbMapBuilder *self)
{
  return self->map->n_polygons;
}

UrbMapMark
urb_map_builder_mark (UrbMapBuilder *self)
{
  const UrbMap *map = self->map;

  g_assert (map->n_rings == self->first_pending_ring);
  return (UrbMapMark){ .n_vertices = map->n_vertices,
                       .n_polygons = map->n_polygons,
                       .n_rings = map->n_rings,
                       .n_layers = map->layers->len };
}

void
urb_map_builder_rewind (UrbMapBuilder *self, const UrbMapMark *mark)
{
  UrbMap *map = self->map;

  map->n_vertices = mark->n_vertices;
  map->n_polygons = mark->n_polygons;
  self->first_pending_ring = mark->n_rings;
  urb_map_builder_rollback (self);
  g_ptr_array_set_size (map->layers, (int) mark->n_layers);
}

/* -------- The end -------- */

/* Closes the gaps that dropped polygons leave, in one forward pass. */
static void
compact (UrbMapBuilder *self, UrbBox *boxes, const guint8 *drop)
{
  UrbMap *map = self->map;
  gint64 n_polygons = 0;
  guint64 n_rings = 0, n_vertices = 0;

  for (gint64 i = 0; i < map->n_polygons; i++)
    {
      UrbMapPolygon polygon = map->polygons[i];
      guint64 first_ring = n_rings;
      if (drop[i])
        continue;
      for (guint32 r = 0; r < polygon.n_rings; r++)
        {
          guint64 start = map->ring_starts[polygon.first_ring + r];
          guint64 n = map->ring_starts[polygon.first_ring + r + 1] - start;
          memmove (map->xy + 2 * n_vertices, map->xy + 2 * start, n * 2 * sizeof (double));
          map->ring_starts[n_rings++] = n_vertices;
          n_vertices += n;
        }
      polygon.first_ring = first_ring;
      self->map->values[n_polygons] = self->map->values[i];
      boxes[n_polygons] = boxes[i];
      map->polygons[n_polygons++] = polygon;
    }
  map->ring_starts[n_rings] = n_vertices;
  map->n_rings = n_rings;
  map->n_vertices = n_vertices;
  map->n_polygons = n_polygons;
}

static void
measure (UrbMapBuilder *self, const UrbBox *boxes)
{
  UrbMap *map = self->map;
  UrbBox extent = URB_BOX_EMPTY;

  for (gint64 i = 0; i < map->n_polygons; i++)
    {
      double area = urb_map_compute_area_m2 (map, i);
      UrbMapLayer *layer = g_ptr_array_index (map->layers, map->polygons[i].layer);
      if (self->map->values[i] < layer->values->len)
        ((UrbMapValue *) g_ptr_array_index (layer->values, self->map->values[i]))->area_m2 += area;
      map->class_areas_m2[map->polygons[i].class_] += area;
      urb_box_add (&extent, boxes[i]);
    }
  map->extent = map->n_vertices > 0 ? extent : (UrbBox){ 0 };
}

static gboolean
is_in_paint_order (UrbMap *map)
{
  for (gint64 i = 1; i < map->n_polygons; i++)
    if (map->polygons[i].class_ > map->polygons[i - 1].class_)
      return FALSE;
  return TRUE;
}

/* Other first, buildings last; source order within a class. */
static void
sort_into_paint_order (UrbMap *map, UrbBox **boxes)
{
  UrbMapPolygon *sorted;
  UrbBox *sorted_boxes;
  gint64 n = 0;

  if (is_in_paint_order (map))
    return;
  sorted = g_new (UrbMapPolygon, map->n_polygons);
  sorted_boxes = g_new (UrbBox, map->n_polygons);
  for (int class_ = URB_N_CLASSES - 1; class_ >= 0; class_--)
    for (gint64 i = 0; i < map->n_polygons; i++)
      if (map->polygons[i].class_ == class_)
        {
          sorted[n] = map->polygons[i];
          sorted_boxes[n++] = (*boxes)[i];
        }
  g_free (map->polygons);
  map->polygons = sorted;
  g_free (*boxes);
  *boxes = sorted_boxes;
}

static UrbBox
get_box (gint64 index, gpointer user_data)
{
  return ((const UrbBox *) user_data)[index];
}

UrbMap *
urb_map_builder_finish (UrbMapBuilder *self, UrbMapClean clean)
{
  UrbMap *map = self->map;
  UrbBox *boxes; /* owned */

  urb_map_builder_rollback (self);
  boxes = urb_large_array_new (map->n_polygons, sizeof *boxes);
  for (gint64 i = 0; i < map->n_polygons; i++)
    boxes[i] = urb_map_get_box (map, i);
  if (map->n_polygons > 0 && (clean & (URB_MAP_CLEAN_DUPLICATES | URB_MAP_CLEAN_OUTLIERS)) != 0)
    {
      g_autofree guint8 *drop = g_malloc0 (map->n_polygons);
      if (clean & URB_MAP_CLEAN_OUTLIERS)
        urb_map_mark_outliers (map, boxes, drop);
      if (clean & URB_MAP_CLEAN_DUPLICATES)
        urb_map_mark_duplicates (map, drop);
      if (memchr (drop, TRUE, map->n_polygons) != NULL)
        compact (self, boxes, drop);
    }
  if ((clean & URB_MAP_CLEAN_SEAMS) && urb_map_close_seams (map, boxes))
    for (gint64 i = 0; i < map->n_polygons; i++)
      boxes[i] = urb_map_get_box (map, i);
  if (map->block_capacity == 0)
    map->xy = g_realloc_n (map->xy, MAX (map->n_vertices, 1), 2 * sizeof (double));
  map->ring_starts = g_renew (guint64, map->ring_starts, map->n_rings + 1);
  map->polygons = g_renew (UrbMapPolygon, map->polygons, MAX (map->n_polygons, 1));
  if ((clean & URB_MAP_TO_SEND) == 0)
    {
      measure (self, boxes);
      g_clear_pointer (&map->values, g_free);
      sort_into_paint_order (map, &boxes);
      map->index = urb_rtree_new (map->n_polygons, map->extent, get_box, boxes);
    }
  g_free (boxes);
  if (map->profile == NULL)
    map->profile = g_strdup ("");
  if (map->crs_wkt == NULL)
    urb_map_builder_set_crs (self, "", URB_MAP_CRS_METERS, 0);
  map = g_steal_pointer (&self->map);
  urb_map_builder_free (self);
  return map;
}
