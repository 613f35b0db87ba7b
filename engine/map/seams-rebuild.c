/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seams-rebuild.c - the polygons of a map after their corners have moved; see seams.c.
 *
 * A polygon that would cross itself or vanish stays as it was.
 */
#include "map/seams-private.h"

/* The map after the change; replaces the old one. */
typedef struct
{
  GArray *xy;     /* owned; of UrbPoint */
  GArray *starts; /* owned; of guint64 */
  guint   insertion; /* the next one */
} Result;

/* @n_changed: (inout): vertices that moved or were inserted */
static void
append_ring (UrbSeams *self, Result *result, guint64 first, guint64 end, GHashTable *moves, gint64 *n_changed)
{
  for (guint64 v = first; v < end; v++)
    {
      UrbPoint from = urb_seam_vertex (self->map, v), to = urb_seam_moved (moves, from);
      *n_changed += !urb_point_equal (&from, &to);
      g_array_append_val (result->xy, to);
      for (; result->insertion < self->insertions->len; result->insertion++)
        {
          const UrbSeamInsertion *next = &g_array_index (self->insertions, UrbSeamInsertion, result->insertion);
          if (next->start > (gint64) v)
            break;
          if (next->start < (gint64) v || urb_point_equal (&next->at, &g_array_index (result->xy, UrbPoint, result->xy->len - 1)))
            continue;
          g_array_append_val (result->xy, next->at);
          (*n_changed)++;
        }
    }
}

static double
turn (UrbPoint a, UrbPoint b, UrbPoint c)
{
  return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
}

static gboolean
do_cross (UrbPoint a, UrbPoint b, UrbPoint c, UrbPoint d)
{
  return turn (a, b, c) * turn (a, b, d) < 0 && turn (c, d, a) * turn (c, d, b) < 0;
}

/* Of its own edges. */
static gboolean
crosses_itself (const UrbPoint *p, guint n)
{
  for (guint i = 0; i < n; i++)
    for (guint k = i + 2; k < n; k++)
      if (do_cross (p[i], p[i + 1 < n ? i + 1 : 0], p[k], p[k + 1 < n ? k + 1 : 0]))
        return TRUE;
  return FALSE;
}

/* With more corners, comparing all pairs takes too long. */
#define MAX_CORNERS 4096

/* Appends the polygon, as it was if it would not be one afterwards. */
static void
append_polygon (UrbSeams *self, Result *result, gint64 index)
{
  UrbMap *map = self->map;
  const UrbMapPolygon *polygon = &map->polygons[index];
  GHashTable *moves = self->takes_part[index] ? self->moves->pdata[polygon->layer] : NULL;
  guint n_rings = result->starts->len, n_points = result->xy->len;
  gboolean is_good = TRUE;

  for (guint32 r = 0; r < polygon->n_rings; r++)
    {
      guint64 first = map->ring_starts[polygon->first_ring + r], end = map->ring_starts[polygon->first_ring + r + 1];
      guint64 start = result->xy->len;
      gint64 n_changed = 0, n;
      append_ring (self, result, first, end, moves, &n_changed);
      if (n_changed > 0)
        {
          UrbPoint *ring = &g_array_index (result->xy, UrbPoint, start);
          is_good = is_good
                    && urb_map_ring_clean ((double *) ring, result->xy->len - (gint64) start, &n) == URB_RING_GOOD
                    && n <= MAX_CORNERS && !crosses_itself (ring, (guint) n);
          if (is_good)
            g_array_set_size (result->xy, (guint) (start + (guint64) n));
        }
      start = result->xy->len;
      g_array_append_val (result->starts, start);
    }
  if (is_good)
    return;
  self->n_left++;
  self->takes_part[index] = FALSE;
  g_array_set_size (result->starts, n_rings);
  g_array_set_size (result->xy, n_points);
  for (guint32 r = 0; r < polygon->n_rings; r++)
    {
      guint64 first = map->ring_starts[polygon->first_ring + r], end = map->ring_starts[polygon->first_ring + r + 1];
      g_array_append_vals (result->xy, map->xy + 2 * first, (guint) (end - first));
      end = result->xy->len;
      g_array_append_val (result->starts, end);
    }
}

/* Into the map's memory, which may be a block that cannot grow. */
static gboolean
replace (UrbMap *map, Result *result)
{
  gint64 n = result->xy->len;

  if (map->block_capacity > 0 && n > map->block_capacity)
    return FALSE;
  if (map->block_capacity == 0)
    map->xy = g_realloc_n (map->xy, (gsize) MAX (n, 1), sizeof (UrbPoint));
  memcpy (map->xy, result->xy->data, (gsize) n * sizeof (UrbPoint));
  map->n_vertices = n;
  map->n_rings = result->starts->len - 1;
  g_free (map->ring_starts);
  map->ring_starts = (guint64 *) (void *) g_array_free (g_steal_pointer (&result->starts), FALSE);
  return TRUE;
}

gboolean
urb_seams_rebuild (UrbSeams *self)
{
  UrbMap *map = self->map;
  Result result = { .xy = g_array_new (FALSE, FALSE, sizeof (UrbPoint)),
                    .starts = g_array_new (FALSE, FALSE, sizeof (guint64)) };
  g_autofree UrbMapPolygon *polygons = g_memdup2 (map->polygons, (gsize) map->n_polygons * sizeof *polygons);
  g_autofree guint32 *values = g_new (guint32, map->n_polygons);
  gboolean is_replaced;
  guint64 zero = 0;
  gint64 n = 0;

  g_array_append_val (result.starts, zero);
  for (gint64 i = 0; i < map->n_polygons; i++)
    {
      guint64 first_ring = result.starts->len - 1;
      if (self->is_double[i])
        continue;
      append_polygon (self, &result, i);
      polygons[n] = map->polygons[i];
      polygons[n].first_ring = first_ring;
      values[n++] = map->values[i];
    }
  is_replaced = replace (map, &result);
  if (is_replaced)
    {
      memcpy (map->polygons, polygons, (gsize) n * sizeof *polygons);
      memcpy (map->values, values, (gsize) n * sizeof *values);
      map->n_polygons = n;
    }
  g_array_unref (result.xy);
  g_clear_pointer (&result.starts, g_array_unref);
  return is_replaced;
}

