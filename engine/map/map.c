/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.c - access to a finished map, and queries.
 *
 * Polygons lie in paint order, so a query only has to sort indices.  It uses an
 * in-place heap sort, because queries come from many loader threads and must not
 * contend for the allocator.
 */
#include "map/map-private.h"
#include "map/ring.h"
#include "map/rtree.h"
#include "map/vertex-block.h"

G_DEFINE_QUARK (urb - map - error - quark, urb_map_error)

const char *
urb_class_get_name (UrbClass class_)
{
  static const char *const names[] = { "building", "road", "other", "ignore" };

  g_return_val_if_fail ((guint) class_ < G_N_ELEMENTS (names), NULL);
  return names[class_];
}

gboolean
urb_class_find (const char *name, UrbClass *class_)
{
  for (int i = URB_CLASS_BUILDING; i <= URB_CLASS_IGNORE; i++)
    if (g_str_equal (name, urb_class_get_name (i)))
      {
        *class_ = i;
        return TRUE;
      }
  return FALSE;
}

UrbMap *
urb_map_ref (UrbMap *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
urb_map_unref (UrbMap *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;
  if (self->block_capacity > 0)
    urb_vertex_block_close (self->xy, self->block_capacity);
  else
    g_free (self->xy);
  g_free (self->ring_starts);
  g_free (self->polygons);
  g_free (self->values);
  g_clear_pointer (&self->layers, g_ptr_array_unref);
  g_clear_pointer (&self->warnings, g_ptr_array_unref);
  g_clear_pointer (&self->fits, g_ptr_array_unref);
  g_free (self->profile);
  g_free (self->crs_wkt);
  g_free (self->crs_name);
  g_free (self->licence);
  urb_map_options_clear (&self->choices);
  urb_rtree_free (self->index);
  g_free (self);
}

GPtrArray *
urb_map_get_layers (UrbMap *self)
{
  return self->layers;
}

GPtrArray *
urb_map_get_warnings (UrbMap *self)
{
  return self->warnings;
}

const UrbMapOptions *
urb_map_get_choices (UrbMap *self)
{
  return &self->choices;
}

const char *
urb_map_get_profile (UrbMap *self)
{
  return self->profile;
}

const char *
urb_map_get_licence (UrbMap *self)
{
  return self->licence;
}

GPtrArray *
urb_map_get_fits (UrbMap *self)
{
  return self->fits;
}

const char *
urb_map_get_crs_wkt (UrbMap *self)
{
  return self->crs_wkt;
}

const char *
urb_map_get_crs_name (UrbMap *self)
{
  return self->crs_name;
}

int
urb_map_get_epsg (UrbMap *self)
{
  return self->epsg;
}

double
urb_map_get_class_area_m2 (UrbMap *self, UrbClass class_)
{
  g_return_val_if_fail ((guint) class_ < URB_N_CLASSES, 0);
  return self->class_areas_m2[class_];
}

UrbBox
urb_map_get_extent (UrbMap *self)
{
  return self->extent;
}

gint64
urb_map_get_n_polygons (UrbMap *self)
{
  return self->n_polygons;
}

gint64
urb_map_get_n_vertices (UrbMap *self)
{
  return self->n_vertices;
}

gsize
urb_map_get_n_bytes (UrbMap *self)
{
  return sizeof *self + (gsize) self->n_vertices * 2 * sizeof (double) +
         (gsize) (self->n_rings + 1) * sizeof (guint64) +
         (gsize) self->n_polygons * sizeof (UrbMapPolygon) + urb_rtree_get_n_bytes (self->index);
}

const UrbMapPolygon *
urb_map_get_polygon (UrbMap *self, gint64 index)
{
  g_return_val_if_fail (index >= 0 && index < self->n_polygons, NULL);
  return &self->polygons[index];
}

const double *
urb_map_get_ring (UrbMap *self, guint64 ring, gint64 *n_vertices)
{
  g_return_val_if_fail (ring < self->n_rings, NULL);
  *n_vertices = (gint64) (self->ring_starts[ring + 1] - self->ring_starts[ring]);
  return self->xy + 2 * self->ring_starts[ring];
}

UrbBox
urb_map_get_box (UrbMap *self, gint64 index)
{
  const UrbMapPolygon *polygon;
  guint64 first, end;

  g_return_val_if_fail (index >= 0 && index < self->n_polygons, URB_BOX_EMPTY);
  polygon = &self->polygons[index];
  first = self->ring_starts[polygon->first_ring];
  end = self->ring_starts[polygon->first_ring + polygon->n_rings];
  return urb_map_ring_get_box (self->xy + 2 * first, (gint64) (end - first));
}

gboolean
urb_map_polygon_contains (UrbMap *self, gint64 index, double x, double y)
{
  const UrbMapPolygon *polygon = urb_map_get_polygon (self, index);
  gboolean inside = FALSE;

  for (guint32 r = 0; r < polygon->n_rings; r++)
    {
      gint64 n;
      const double *xy = urb_map_get_ring (self, polygon->first_ring + r, &n);

      if (urb_map_ring_contains (xy, n, x, y))
        inside = !inside;
    }
  return inside;
}

/* The largest ring less the others; winding does not matter. */
double
urb_map_compute_area_m2 (UrbMap *self, gint64 index)
{
  const UrbMapPolygon *polygon = &self->polygons[index];
  double sum = 0, largest = 0;

  for (guint32 i = 0; i < polygon->n_rings; i++)
    {
      gint64 n;
      const double *xy = urb_map_get_ring (self, polygon->first_ring + i, &n);
      double area = fabs (urb_map_ring_area (xy, n));
      sum += area;
      largest = MAX (largest, area);
    }
  return MAX (2 * largest - sum, 0);
}

static void
sift_down (gint64 *heap, gsize root, gsize n)
{
  gint64 value = heap[root];

  for (gsize child; (child = 2 * root + 1) < n; root = child)
    {
      if (child + 1 < n && heap[child + 1] > heap[child])
        child++;
      if (heap[child] <= value)
        break;
      heap[root] = heap[child];
    }
  heap[root] = value;
}

static void
sort_in_place (gint64 *values, gsize n)
{
  for (gsize i = n / 2; i-- > 0;)
    sift_down (values, i, n);
  for (gsize last = n; last-- > 1;)
    {
      gint64 top = values[0];
      values[0] = values[last];
      values[last] = top;
      sift_down (values, 0, last);
    }
}

/* The polygons found are scattered, and three indirections lead to their vertices, so each
 * level is prefetched for all of them.  Beyond this count they would evict each other. */
#define MAX_PREFETCHED 1024

static void
prefetch (UrbMap *self, const gint64 *found, guint n)
{
  if (n > MAX_PREFETCHED)
    return;
  for (guint i = 0; i < n; i++)
    __builtin_prefetch (&self->polygons[found[i]]);
  for (guint i = 0; i < n; i++)
    __builtin_prefetch (&self->ring_starts[self->polygons[found[i]].first_ring]);
  for (guint i = 0; i < n; i++)
    {
      const double *xy = self->xy + 2 * self->ring_starts[self->polygons[found[i]].first_ring];

      __builtin_prefetch (xy);
      __builtin_prefetch (xy + 8);
    }
}

void
urb_map_query (UrbMap *self, UrbBox box, GArray *found)
{
  g_return_if_fail (found != NULL && g_array_get_element_size (found) == sizeof (gint64));
  g_array_set_size (found, 0);
  urb_rtree_query (self->index, box, found);
  sort_in_place ((gint64 *) (void *) found->data, found->len);
  prefetch (self, (const gint64 *) (const void *) found->data, found->len);
}
