/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-measures.c - see plan-measures-private.h.
 *
 * Polygons of a plan have the same vertices along their common borders.  So blocks are found without
 * any intersection: polygons off the roads that share an edge are of one block.
 */
#include "city/plan-measures-private.h"

static const double min_building_m2 = 20, min_block_m2 = 400;
static const double street_step_m = 25, same_node_m = 0.5;

typedef struct
{
  UrbPoint a, b;    /* meters */
  guint    polygon;
} Edge;

typedef struct
{
  const UrbCityVectors *plan; /* borrowed */
  GArray               *edges; /* Edge, owned: of polygon 0, then 1, … */
  GArray               *ends;  /* guint, owned: per polygon, the end of its edges */
  GArray               *streets; /* Edge, owned: segments of center lines; polygon: the street */
} Plan;

static void
append (GArray *const *values, UrbMeasure measure, double value)
{
  g_array_append_val (values[measure], value);
}

static const UrbCityPolygon *
get_polygon (const Plan *self, guint i)
{
  return &g_array_index (self->plan->polygons, UrbCityPolygon, i);
}

/* @n: (out).  Returns: (transfer none): the edges of polygon @i */
static const Edge *
get_edges (const Plan *self, guint i, guint *n)
{
  guint begin = i > 0 ? g_array_index (self->ends, guint, i - 1) : 0;

  *n = g_array_index (self->ends, guint, i) - begin;
  return &g_array_index (self->edges, Edge, begin);
}

static void
collect_edges (Plan *self)
{
  for (guint i = 0; i < self->plan->polygons->len; i++)
    {
      const UrbCityPolygon *polygon = get_polygon (self, i);

      for (guint k = 0; k < polygon->n_rings; k++)
        {
          guint n;
          const double *xy = urb_city_vectors_get_ring (self->plan, polygon, k, &n);

          for (guint v = 0; v < n; v++)
            {
              const double *next = xy + 2 * ((v + 1) % n);
              Edge edge = { { xy[2 * v], xy[2 * v + 1] }, { next[0], next[1] }, i };

              g_array_append_val (self->edges, edge);
            }
        }
      g_array_append_val (self->ends, self->edges->len);
    }
}

static void
collect_streets (Plan *self)
{
  for (guint i = 0; i < self->plan->streets->len; i++)
    {
      const UrbCityStreet *street = &g_array_index (self->plan->streets, UrbCityStreet, i);
      const double *xy = urb_city_vectors_get_street (self->plan, street);

      for (guint v = 0; v + 1 < street->n_vertices; v++, xy += 2)
        {
          Edge edge = { { xy[0], xy[1] }, { xy[2], xy[3] }, i };

          g_array_append_val (self->streets, edge);
        }
    }
}

static gboolean
is_on_border (const Plan *self, UrbPoint p)
{
  return p.x <= 0 || p.y <= 0 || p.x >= self->plan->width_m || p.y >= self->plan->height_m;
}

/* Whether the tile cuts here. */
static gboolean
is_cut (const Plan *self, const Edge *edge)
{
  UrbPoint middle = { (edge->a.x + edge->b.x) / 2, (edge->a.y + edge->b.y) / 2 };

  return is_on_border (self, middle);
}

static double
get_direction (const Edge *edge)
{
  return atan2 (edge->b.y - edge->a.y, edge->b.x - edge->a.x);
}

static double
get_length (const Edge *edge)
{
  return urb_point_distance (edge->a, edge->b);
}

/* The angle between two directions whose right angles count as equal, 0 to 45 degrees. */
static double
get_angle_deg (double a, double b)
{
  double turns = (a - b) / (G_PI / 2);

  return 90 * fabs (turns - round (turns));
}

/* ------------------------------------------------------------------------ */
/* Buildings                                                                 */

/* The mean direction modulo 90 degrees, weighted by length. */
static double
get_wall_direction (const Edge *walls, guint n)
{
  double c = 0, s = 0;

  for (guint i = 0; i < n; i++)
    {
      c += get_length (&walls[i]) * cos (4 * get_direction (&walls[i]));
      s += get_length (&walls[i]) * sin (4 * get_direction (&walls[i]));
    }
  return atan2 (s, c) / 4;
}

/* The segment nearest to a building, among those of roads' outlines or of center lines. */
typedef struct
{
  const Edge *walls; /* of the building */
  guint       n_walls;
  UrbPoint    center; /* of a circle around it */
  double      radius_m;
  const Edge *nearest; /* (out) (nullable) */
  double      distance_m; /* (out) */
} Search;

static Search
start_search (const Edge *walls, guint n_walls)
{
  Search self = { walls, n_walls, { 0, 0 }, 0, NULL, G_MAXDOUBLE };

  for (guint i = 0; i < n_walls; i++)
    {
      self.center.x += walls[i].a.x / n_walls;
      self.center.y += walls[i].a.y / n_walls;
    }
  for (guint i = 0; i < n_walls; i++)
    self.radius_m = MAX (self.radius_m, urb_point_distance (self.center, walls[i].a));
  return self;
}

static void
try_segment (Search *self, const Edge *segment)
{
  if (urb_point_segment_distance (self->center, segment->a, segment->b) - self->radius_m
      >= self->distance_m)
    return;
  for (guint i = 0; i < self->n_walls; i++)
    {
      double distance = urb_segment_distance (self->walls[i].a, self->walls[i].b, segment->a,
                                              segment->b);

      if (distance >= self->distance_m)
        continue;
      self->distance_m = distance;
      self->nearest = segment;
    }
}

static void
measure_building (const Plan *self, guint building, GArray *const *values)
{
  guint n;
  const Edge *walls = get_edges (self, building, &n);
  Search road = start_search (walls, n), line = start_search (walls, n);

  for (guint i = 0; i < self->edges->len; i++)
    {
      const Edge *edge = &g_array_index (self->edges, Edge, i);

      if (get_polygon (self, edge->polygon)->class_ == URB_CLASS_ROAD)
        try_segment (&road, edge);
    }
  if (road.nearest != NULL)
    append (values, URB_MEASURE_STREET_DISTANCE, road.distance_m);
  for (guint i = 0; i < n; i++)
    if (is_cut (self, &walls[i]))
      return; /* its direction is uncertain */
  for (guint i = 0; i < self->streets->len; i++)
    try_segment (&line, &g_array_index (self->streets, Edge, i));
  if (line.nearest != NULL)
    append (values, URB_MEASURE_STREET_ANGLE,
            get_angle_deg (get_wall_direction (walls, n), get_direction (line.nearest)));
}

/* ------------------------------------------------------------------------ */
/* Streets                                                                   */

/* Per step along each center line: how wide the street is and how much it bends. */
static void
measure_lines (const Plan *self, GArray *const *values)
{
  for (guint i = 0; i < self->plan->streets->len; i++)
    {
      const UrbCityStreet *street = &g_array_index (self->plan->streets, UrbCityStreet, i);
      const Edge *before = NULL;
      double length = 0, turns = 0;

      for (guint k = 0; k < self->streets->len; k++)
        {
          const Edge *edge = &g_array_index (self->streets, Edge, k);

          if (edge->polygon != i)
            continue;
          length += get_length (edge);
          if (before != NULL)
            turns += fabs (remainder (get_direction (edge) - get_direction (before), 2 * G_PI));
          before = edge;
        }
      for (long k = MAX (lround (length / street_step_m), 1); k > 0; k--)
        {
          append (values, URB_MEASURE_STREET_WIDTH, street->width_m);
          if (length >= street_step_m)
            append (values, URB_MEASURE_STREET_BENDS, 100 * turns * 180 / G_PI / length);
        }
    }
}

static void
measure_junctions (const Plan *self, GArray *const *values)
{
  g_autoptr(GArray) ends = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  guint n_dead_ends = 0, n_junctions = 0, n_four_way = 0;

  for (guint i = 0; i < self->plan->streets->len; i++)
    {
      const UrbCityStreet *street = &g_array_index (self->plan->streets, UrbCityStreet, i);
      const double *xy = urb_city_vectors_get_street (self->plan, street);

      g_array_append_vals (ends, xy, 1);
      g_array_append_vals (ends, xy + 2 * (street->n_vertices - 1), 1);
    }
  for (guint i = 0; i < ends->len; i++)
    {
      UrbPoint at = urb_points_get (ends, i);
      guint degree = 0;
      gboolean counted = FALSE;

      for (guint k = 0; k < ends->len; k++)
        if (urb_point_distance (urb_points_get (ends, k), at) <= same_node_m)
          {
            counted |= k < i;
            degree++;
          }
      if (counted || is_on_border (self, at))
        continue;
      n_dead_ends += degree == 1;
      n_junctions += degree >= 3;
      n_four_way += degree >= 4;
    }
  if (n_junctions + n_dead_ends > 0)
    append (values, URB_MEASURE_DEAD_END_SHARE,
            (double) n_dead_ends / (n_junctions + n_dead_ends));
  if (n_junctions > 0)
    append (values, URB_MEASURE_FOUR_WAY_SHARE, (double) n_four_way / n_junctions);
}

/* ------------------------------------------------------------------------ */
/* Blocks                                                                    */

typedef struct
{
  guint    parent; /* of the polygon in a tree of polygons; the root stands for the block */
  double   area_m2, built_m2;
  gboolean cut;    /* by the tile */
} Block;

static guint
find_root (Block *blocks, guint i)
{
  while (blocks[i].parent != i)
    i = blocks[i].parent = blocks[blocks[i].parent].parent;
  return i;
}

static int
compare_points (UrbPoint a, UrbPoint b)
{
  return a.x != b.x ? (a.x > b.x) - (a.x < b.x) : (a.y > b.y) - (a.y < b.y);
}

static int
compare_edges (gconstpointer a, gconstpointer b)
{
  const Edge *e = a, *f = b;
  int order = compare_points (e->a, f->a);

  return order != 0 ? order : compare_points (e->b, f->b);
}

/* Edges of polygons off the roads, each from its lower to its upper end, sorted: two of the same
 * place follow each other. */
static GArray *
sort_edges (const Plan *self)
{
  GArray *sorted = g_array_new (FALSE, FALSE, sizeof (Edge));

  for (guint i = 0; i < self->edges->len; i++)
    {
      Edge edge = g_array_index (self->edges, Edge, i);

      if (get_polygon (self, edge.polygon)->class_ == URB_CLASS_ROAD)
        continue;
      if (compare_points (edge.a, edge.b) > 0)
        edge = (Edge) { edge.b, edge.a, edge.polygon };
      g_array_append_val (sorted, edge);
    }
  g_array_sort (sorted, compare_edges);
  return sorted;
}

/* Returns: one per polygon */
static Block *
find_blocks (const Plan *self)
{
  guint n = self->plan->polygons->len;
  Block *blocks = g_new0 (Block, MAX (n, 1));
  g_autoptr(GArray) edges = sort_edges (self);
  const Edge *edge = (const Edge *) (gconstpointer) edges->data;

  for (guint i = 0; i < n; i++)
    blocks[i].parent = i;
  for (guint i = 0; i + 1 < edges->len; i++)
    if (compare_edges (&edge[i], &edge[i + 1]) == 0)
      blocks[find_root (blocks, edge[i].polygon)].parent = find_root (blocks, edge[i + 1].polygon);
  for (guint i = 0; i < edges->len; i++)
    blocks[find_root (blocks, edge[i].polygon)].cut |= is_cut (self, &edge[i]);
  for (guint i = 0; i < n; i++)
    {
      const UrbCityPolygon *polygon = get_polygon (self, i);
      Block *block = &blocks[find_root (blocks, i)];

      block->area_m2 += polygon->class_ != URB_CLASS_ROAD ? polygon->area_m2 : 0;
      block->built_m2 += polygon->class_ == URB_CLASS_BUILDING ? polygon->area_m2 : 0;
    }
  return blocks;
}

static void
measure_blocks (const Plan *self, GArray *const *values)
{
  g_autofree Block *blocks = find_blocks (self);

  for (guint i = 0; i < self->plan->polygons->len; i++)
    {
      const Block *block = &blocks[i];

      if (block->parent != i || block->area_m2 < min_block_m2)
        continue;
      append (values, URB_MEASURE_BLOCK_COVERAGE, block->built_m2 / block->area_m2);
      if (!block->cut)
        append (values, URB_MEASURE_BLOCK_AREA, log2 (block->area_m2));
    }
}

void
urb_plan_measure (const UrbCityVectors *plan, GArray *const *values)
{
  g_autoptr(GArray) edges = g_array_new (FALSE, FALSE, sizeof (Edge));
  g_autoptr(GArray) ends = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr(GArray) streets = g_array_new (FALSE, FALSE, sizeof (Edge));
  Plan self = { plan, edges, ends, streets };

  collect_edges (&self);
  collect_streets (&self);
  for (guint i = 0; i < plan->polygons->len; i++)
    if (get_polygon (&self, i)->class_ == URB_CLASS_BUILDING
        && get_polygon (&self, i)->area_m2 >= min_building_m2)
      measure_building (&self, i, values);
  measure_lines (&self, values);
  measure_junctions (&self, values);
  measure_blocks (&self, values);
}
