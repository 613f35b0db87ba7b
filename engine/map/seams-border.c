/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seams-border.c - the borders of files, and where they move; see seams.c.
 *
 * Corners move to the nearest edge of an earlier file, or to its nearest corner if that is about as near or sharp; then
 * edges get the corners of the others that are near.  Afterwards the two borders are the same.
 */
#include "map/seams-private.h"

#include "map/radix-sort.h"

/* A corner is about as near as an edge if it is at most this many times as far. */
#define ABOUT_AS_NEAR 2
/* Of the polygons along the border, those that share an edge with another of their file. */
#define LEAST_NEIGHBORS 0.5

/* -------- Borders -------- */

/* Of a polygon that takes part. */
typedef struct
{
  gint64 start, end; /* vertices */
  gint64 polygon;
} Side;

static guint64
hash_side (const UrbMap *map, const Side *side)
{
  UrbPoint a = urb_seam_vertex (map, (guint64) side->start), b = urb_seam_vertex (map, (guint64) side->end);

  return (guint64) (urb_point_hash (&a) + urb_point_hash (&b)); /* in either direction */
}

static gboolean
same_side (const UrbMap *map, const Side *p, const Side *q)
{
  UrbPoint a = urb_seam_vertex (map, (guint64) p->start), b = urb_seam_vertex (map, (guint64) p->end);
  UrbPoint c = urb_seam_vertex (map, (guint64) q->start), d = urb_seam_vertex (map, (guint64) q->end);

  return map->polygons[p->polygon].layer == map->polygons[q->polygon].layer
         && ((urb_point_equal (&a, &c) && urb_point_equal (&b, &d))
             || (urb_point_equal (&a, &d) && urb_point_equal (&b, &c)));
}

static GArray *
list_sides (const UrbSeams *self)
{
  const UrbMap *map = self->map;
  GArray *sides = g_array_new (FALSE, FALSE, sizeof (Side));

  for (gint64 i = 0; i < map->n_polygons; i++)
    for (guint32 r = 0; r < map->polygons[i].n_rings && self->takes_part[i] && !self->is_double[i]; r++)
      {
        gint64 first = (gint64) map->ring_starts[map->polygons[i].first_ring + r];
        gint64 last = (gint64) map->ring_starts[map->polygons[i].first_ring + r + 1] - 1;
        for (gint64 v = first; v <= last && sides->len < G_MAXUINT32 / 2; v++)
          {
            Side side = { v, v < last ? v + 1 : first, i };
            g_array_append_val (sides, side);
          }
      }
  return sides;
}

/* Marks the sides that another polygon of the layer has, too. */
static guint8 *
find_shared (const UrbMap *map, const GArray *sides)
{
  g_autofree guint64 *keys = g_new (guint64, sides->len + 1), *scratch = g_new (guint64, sides->len + 1);
  guint8 *is_shared = g_malloc0 (sides->len + 1);
  const Side *all = (const void *) sides->data;
  const guint64 *sorted;

  for (guint i = 0; i < sides->len; i++)
    keys[i] = hash_side (map, &all[i]) << 32 | i;
  sorted = urb_radix_sort (keys, scratch, sides->len);
  for (guint i = 0; i < sides->len; i++)
    for (guint k = i + 1; k < sides->len && sorted[k] >> 32 == sorted[i] >> 32; k++)
      if (same_side (map, &all[(guint32) sorted[i]], &all[(guint32) sorted[k]]))
        is_shared[(guint32) sorted[i]] = is_shared[(guint32) sorted[k]] = TRUE;
  return is_shared;
}

static int
compare_edges (gconstpointer a, gconstpointer b)
{
  const UrbSeamEdge *p = a, *q = b;

  if (p->layer != q->layer)
    return p->layer < q->layer ? -1 : 1;
  return (p->start > q->start) - (p->start < q->start);
}

static UrbBox
edge_box (gint64 index, gpointer edges)
{
  const UrbSeamEdge *e = &((const UrbSeamEdge *) edges)[index];

  return (UrbBox){ MIN (e->a.x, e->b.x), MIN (e->a.y, e->b.y), MAX (e->a.x, e->b.x), MAX (e->a.y, e->b.y) };
}

void
urb_seams_find_borders (UrbSeams *self)
{
  UrbMap *map = self->map;
  g_autoptr(GArray) sides = list_sides (self);
  g_autofree guint8 *is_shared = find_shared (map, sides);
  g_autofree gint64 *n_neighbors = g_new0 (gint64, map->layers->len), *n_all = g_new0 (gint64, map->layers->len);
  g_autofree guint8 *has_ground = g_malloc0 (map->layers->len);
  UrbBox extent = URB_BOX_EMPTY;

  for (guint i = 0, next; i < sides->len; i = next)
    {
      gint64 index = g_array_index (sides, Side, i).polygon;
      guint16 layer = map->polygons[index].layer;
      gboolean has_neighbor = FALSE;
      for (next = i; next < sides->len && g_array_index (sides, Side, next).polygon == index; next++)
        has_neighbor |= is_shared[next];
      has_ground[layer] |= map->polygons[index].class_ != URB_CLASS_BUILDING;
      n_all[layer]++;
      n_neighbors[layer] += has_neighbor;
    }
  for (guint i = 0; i < sides->len; i++)
    {
      const Side *side = &g_array_index (sides, Side, i);
      guint16 layer = map->polygons[side->polygon].layer;
      UrbSeamEdge edge = { .start = side->start, .polygon = side->polygon, .layer = layer,
                    .a = urb_seam_vertex (map, (guint64) side->start), .b = urb_seam_vertex (map, (guint64) side->end) };
      if (is_shared[i] || !has_ground[layer] || (double) n_neighbors[layer] < LEAST_NEIGHBORS * (double) n_all[layer])
        continue;
      g_array_append_val (self->edges, edge);
    }
  g_array_sort (self->edges, compare_edges);
  for (guint i = 0; i < self->edges->len; i++)
    {
      g_array_index (self->edges, UrbSeamEdge, i).run = i;
      urb_box_add (&extent, edge_box (i, self->edges->data));
    }
  self->tree = urb_rtree_new (self->edges->len, extent, edge_box, self->edges->data);
}

/* -------- Moving a border -------- */

static UrbSeamEdge *
get_edge (const UrbSeams *self, gint64 index)
{
  return &g_array_index (self->edges, UrbSeamEdge, index);
}

/* Edges of earlier files around, which have moved by a tolerance themselves. */
static void
find_others (UrbSeams *self, UrbBox box, guint16 layer)
{
  guint n = 0;

  g_array_set_size (self->found, 0);
  urb_rtree_query (self->tree, urb_seam_widen (box, 2 * URB_SEAM_TOLERANCE_M), self->found);
  for (guint i = 0; i < self->found->len; i++)
    {
      gint64 other = g_array_index (self->found, gint64, i);
      const UrbSeamEdge *edge = get_edge (self, other);
      if (edge->layer < layer && self->groups[edge->layer] == self->groups[layer])
        g_array_index (self->found, gint64, n++) = other;
    }
  g_array_set_size (self->found, n);
}

static guint
find_run (const UrbSeams *self, guint index)
{
  while (get_edge (self, index)->run != index)
    index = get_edge (self, index)->run;
  return index;
}

/* Two edges of a file are at the same gap. */
static void
join_runs (UrbSeams *self, guint a, guint b)
{
  get_edge (self, find_run (self, a))->run = find_run (self, b);
}

static void
note_distance (UrbSeams *self, guint index, double distance, int kind, guint16 onto)
{
  UrbSeamEdge *edge = get_edge (self, index);

  if (distance <= edge->farthest)
    return;
  self->has_gaps = TRUE;
  edge->farthest = distance;
  edge->kind = kind;
  edge->onto = onto;
}

/* Whether a polygon of the edges found has the point.  It may be where two of them meet, so one beside it is asked. */
static gboolean
is_covered (const UrbSeams *self, UrbPoint p)
{
  for (guint i = 0; i < self->found->len; i++)
    if (urb_map_polygon_contains (self->map, get_edge (self, g_array_index (self->found, gint64, i))->polygon,
                                  p.x + URB_SEAM_TOLD_M / 3, p.y + URB_SEAM_TOLD_M / 7))
      return TRUE;
  return FALSE;
}

/* Whether edges found make an angle of less than 120 degrees at @corner, one of them to @p: an end at @p may cut off the
 * corner. */
static gboolean
is_sharp (const UrbSeams *self, UrbPoint corner, UrbPoint p)
{
  int n = 0;

  for (guint i = 0; i < self->found->len; i++)
    {
      const UrbSeamEdge *edge = get_edge (self, g_array_index (self->found, gint64, i));
      UrbPoint far = urb_point_equal (&edge->a, &corner) ? edge->b : edge->a;
      gboolean has_it = urb_point_equal (&edge->a, &corner) || urb_point_equal (&edge->b, &corner);
      n += has_it && (far.x - corner.x) * (p.x - corner.x) + (far.y - corner.y) * (p.y - corner.y)
                       > -0.5 * hypot (far.x - corner.x, far.y - corner.y) * hypot (p.x - corner.x, p.y - corner.y);
    }
  return n > 1;
}

/* Moves an end of the edge @index to the nearest edge in reach, or to a corner. */
static void
move_corner (UrbSeams *self, guint index, UrbPoint p, GHashTable *moves)
{
  const UrbSeamEdge *own = get_edge (self, index), *at_corner = NULL, *at_side = NULL;
  UrbSeamMove *move = g_hash_table_lookup (moves, &p);
  double corner = URB_SEAM_TOLERANCE_M, side = URB_SEAM_TOLERANCE_M, along, distance;
  UrbPoint on_corner = p, on_side = p;
  gboolean takes_corner;

  if (move != NULL)
    {
      if (move->distance > URB_SEAM_TOLD_M)
        {
          const UrbSeamEdge *other = get_edge (self, move->edge);
          note_distance (self, index, move->distance, other->kind, other->onto);
          join_runs (self, index, move->edge);
        }
      return;
    }
  find_others (self, (UrbBox){ p.x, p.y, p.x, p.y }, own->layer);
  for (guint i = 0; i < self->found->len; i++)
    {
      const UrbSeamEdge *other = get_edge (self, g_array_index (self->found, gint64, i));
      const UrbPoint ends[] = { other->a, other->b };
      for (int e = 0; e < 2; e++)
        if ((distance = hypot (ends[e].x - p.x, ends[e].y - p.y)) < corner)
          {
            corner = distance;
            on_corner = ends[e];
            at_corner = other;
          }
      distance = urb_seam_distance (p, other->a, other->b, &along);
      if (distance < side)
        {
          side = distance;
          on_side = (UrbPoint){ other->a.x + along * (other->b.x - other->a.x),
                                other->a.y + along * (other->b.y - other->a.y) };
          at_side = other;
        }
    }
  if (at_side == NULL)
    return;
  takes_corner = at_corner != NULL
                 && (corner <= MAX (ABOUT_AS_NEAR * side, URB_SEAM_TOLD_M) || is_sharp (self, on_corner, on_side));
  move = g_new0 (UrbSeamMove, 1);
  *move = takes_corner ? (UrbSeamMove){ p, on_corner, index, corner } : (UrbSeamMove){ p, on_side, index, side };
  g_hash_table_insert (moves, &move->from, move);
  if (move->distance > URB_SEAM_TOLD_M)
    note_distance (self, index, move->distance, is_covered (self, p) ? URB_SEAM_OVERLAP : URB_SEAM_GAP,
                   takes_corner ? at_corner->layer : at_side->layer);
}

static int
compare_insertions (gconstpointer a, gconstpointer b)
{
  const UrbSeamInsertion *p = a, *q = b;

  if (p->start != q->start)
    return p->start < q->start ? -1 : 1;
  return (p->along > q->along) - (p->along < q->along);
}

/* Gives the edge @index the corners of others that are near it. */
static void
insert_corners (UrbSeams *self, guint index)
{
  const UrbSeamEdge own = *get_edge (self, index);

  find_others (self, edge_box (index, self->edges->data), own.layer);
  for (guint i = 0; i < self->found->len; i++)
    {
      const UrbSeamEdge *other = get_edge (self, g_array_index (self->found, gint64, i));
      const UrbPoint ends[] = { other->a, other->b };
      for (int e = 0; e < 2; e++)
        {
          UrbSeamInsertion made = { .start = own.start, .at = ends[e] };
          double distance = urb_seam_distance (ends[e], own.a, own.b, &made.along);
          if (distance >= URB_SEAM_TOLERANCE_M || made.along <= 0 || made.along >= 1 || urb_point_equal (&ends[e], &own.a)
              || urb_point_equal (&ends[e], &own.b))
            continue;
          g_array_append_val (self->insertions, made);
          if (distance > URB_SEAM_TOLD_M)
            note_distance (self, index, distance,
                           urb_map_polygon_contains (self->map, own.polygon, ends[e].x, ends[e].y) ? URB_SEAM_OVERLAP : URB_SEAM_GAP,
                           other->layer);
        }
    }
}

/* Edges first to end - 1 are those of a layer. */
static void
move_border (UrbSeams *self, guint first, guint end)
{
  GHashTable *moves = g_hash_table_new_full (urb_point_hash, urb_point_equal, NULL, g_free);

  self->moves->pdata[get_edge (self, first)->layer] = moves;
  for (guint i = first; i < end; i++)
    {
      move_corner (self, i, get_edge (self, i)->a, moves);
      move_corner (self, i, get_edge (self, i)->b, moves);
    }
  for (guint i = first; i < end; i++)
    {
      UrbSeamEdge *edge = get_edge (self, i);
      edge->a = urb_seam_moved (moves, edge->a);
      edge->b = urb_seam_moved (moves, edge->b);
    }
  for (guint i = first; i < end; i++)
    insert_corners (self, i);
}

void
urb_seams_move_borders (UrbSeams *self)
{
  for (guint first = 0, end; first < self->edges->len; first = end)
    {
      for (end = first; end < self->edges->len && get_edge (self, end)->layer == get_edge (self, first)->layer;)
        end++;
      move_border (self, first, end);
    }
  g_array_sort (self->insertions, compare_insertions);
}

/* One gap is a run of edges; what is farthest in it says which kind it is. */
void
urb_seams_count (UrbSeams *self)
{
  for (guint i = 0; i < self->edges->len; i++)
    if (!self->takes_part[get_edge (self, i)->polygon])
      get_edge (self, i)->farthest = 0;
  for (guint i = 0; i < self->edges->len; i++)
    {
      const UrbSeamEdge *edge = get_edge (self, i);
      if (edge->farthest > 0)
        note_distance (self, find_run (self, i), edge->farthest, edge->kind, edge->onto);
    }
  for (guint i = 0; i < self->edges->len; i++)
    {
      const UrbSeamEdge *edge = get_edge (self, i);
      UrbSeam *seam;
      if (edge->run != i || edge->farthest == 0)
        continue;
      seam = urb_seams_get (self, edge->onto, edge->layer);
      seam->n[edge->kind]++;
      seam->farthest[edge->kind] = MAX (seam->farthest[edge->kind], edge->farthest);
    }
}

