/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrangement-try.c - changes the shape of arcs if the arrangement stays valid.
 *
 * A change is valid if (1) the new segments keep clear of all others, and (2) no other
 * arc lies in the area swept between the old and the new shape: a speck that the line
 * jumped over would be in the wrong region although nothing crosses.  Neighbors are
 * found in a coarse grid that is never cleaned up: arcs that moved away only cost time.
 */
#include <math.h>

#include "city/arrangement-private.h"

enum { CELL_PX = 8 };

static const double clearance = 0.05; /* pixels */

typedef struct
{
  UrbPoint a, b;
  gint64   key_a, key_b; /* equal for the same vertex */
} Segment;

/* An arc with its current or its proposed shape. */
typedef struct
{
  const UrbArc   *arc;
  gint32          number;
  const UrbPoint *points;
  guint           n_points;
} Shape;

/* @changes: (nullable): NULL: the current shape */
static Shape
get_shape (UrbArrangement *self, gint32 number, GArray *changes)
{
  const UrbArc *arc = urb_arrangement_get_arc (self, number);
  Shape shape = { arc, number, arc->points, arc->n_points };

  if (changes != NULL && arc->change >= 0)
    {
      const UrbArcChange *change = &g_array_index (changes, UrbArcChange, arc->change);

      shape.points = change->points;
      shape.n_points = change->n_points;
    }
  return shape;
}

static guint
count_segments (const Shape *shape)
{
  return shape->arc->start < 0 ? shape->n_points : shape->n_points - 1;
}

static gint64
get_key (const Shape *shape, guint index)
{
  if (shape->arc->start >= 0 && index == 0)
    return -1 - (gint64) shape->arc->start;
  if (shape->arc->start >= 0 && index == shape->n_points - 1)
    return -1 - (gint64) shape->arc->end;
  return ((gint64) shape->number << 32) + index;
}

static Segment
get_segment (const Shape *shape, guint index)
{
  guint next = (index + 1) % shape->n_points;

  return (Segment) { shape->points[index], shape->points[next], get_key (shape, index),
                     get_key (shape, next) };
}

static gboolean
segments_conflict (Segment s, Segment t)
{
  int n_shared;

  if (MAX (s.a.x, s.b.x) + clearance < MIN (t.a.x, t.b.x)
      || MAX (t.a.x, t.b.x) + clearance < MIN (s.a.x, s.b.x)
      || MAX (s.a.y, s.b.y) + clearance < MIN (t.a.y, t.b.y)
      || MAX (t.a.y, t.b.y) + clearance < MIN (s.a.y, s.b.y))
    return FALSE;
  n_shared = (s.key_a == t.key_a) + (s.key_a == t.key_b) + (s.key_b == t.key_a)
             + (s.key_b == t.key_b);
  if (n_shared > 1)
    return TRUE;
  if (n_shared == 0)
    return urb_segment_distance (s.a, s.b, t.a, t.b) < clearance;
  /* Reverse them as needed to start at the shared vertex. */
  if (s.key_b == t.key_a || s.key_b == t.key_b)
    s = (Segment) { s.b, s.a, s.key_b, s.key_a };
  if (s.key_a == t.key_b)
    t = (Segment) { t.b, t.a, t.key_b, t.key_a };
  return urb_point_segment_distance (s.b, t.a, t.b) < clearance
         || urb_point_segment_distance (t.b, s.a, s.b) < clearance;
}

/* Stops counting at @limit. */
static gint64
count_conflicts (const Shape *first, const Shape *second, gint64 limit)
{
  guint n = count_segments (first), m = count_segments (second);
  gint64 count = 0;

  for (guint i = 0; i < n; i++)
    {
      Segment s = get_segment (first, i);

      for (guint j = first->number == second->number ? i + 1 : 0; j < m; j++)
        if (segments_conflict (s, get_segment (second, j)) && ++count == limit)
          return count;
    }
  return count;
}

static gboolean
shapes_conflict (const Shape *first, const Shape *second)
{
  return count_conflicts (first, second, 1) > 0;
}

static gboolean
shape_is_valid (UrbArrangement *self, const Shape *shape)
{
  guint n = count_segments (shape);

  if (n < (shape->arc->start < 0 ? 3u : 1u))
    return FALSE;
  for (guint i = 0; i < shape->n_points; i++)
    if (!(shape->points[i].x >= 0 && shape->points[i].x <= self->width_px
          && shape->points[i].y >= 0 && shape->points[i].y <= self->height_px))
      return FALSE;
  for (guint i = 0; i < n; i++)
    {
      Segment s = get_segment (shape, i);

      if (hypot (s.b.x - s.a.x, s.b.y - s.a.y) < clearance)
        return FALSE;
    }
  return !shapes_conflict (shape, shape);
}

/* ------------------------------------------------------------------------ */
/* The grid                                                                  */

typedef struct
{
  int min_col, min_row, max_col, max_row;
} Cells;

static Cells
cells_of (UrbArrangement *self, double min_x, double min_y, double max_x, double max_y)
{
  return (Cells) {
    CLAMP ((int) floor ((min_x - clearance) / CELL_PX), 0, self->grid_width - 1),
    CLAMP ((int) floor ((min_y - clearance) / CELL_PX), 0, self->grid_height - 1),
    CLAMP ((int) floor ((max_x + clearance) / CELL_PX), 0, self->grid_width - 1),
    CLAMP ((int) floor ((max_y + clearance) / CELL_PX), 0, self->grid_height - 1),
  };
}

static Cells
cells_of_segment (UrbArrangement *self, const Segment *s)
{
  return cells_of (self, MIN (s->a.x, s->b.x), MIN (s->a.y, s->b.y), MAX (s->a.x, s->b.x),
                   MAX (s->a.y, s->b.y));
}

static void
add_to_cell (GArray **cell, gint32 arc)
{
  if (*cell == NULL)
    *cell = g_array_new (FALSE, FALSE, sizeof (gint32));
  for (guint i = (*cell)->len; i-- > 0;)
    if (g_array_index (*cell, gint32, i) == arc)
      return;
  g_array_append_val (*cell, arc);
}

static void
add_to_grid (UrbArrangement *self, gint32 number)
{
  Shape shape = get_shape (self, number, NULL);

  for (guint i = 0; i < count_segments (&shape); i++)
    {
      Segment s = get_segment (&shape, i);
      Cells cells = cells_of_segment (self, &s);

      for (int row = cells.min_row; row <= cells.max_row; row++)
        for (int col = cells.min_col; col <= cells.max_col; col++)
          add_to_cell (&self->grid[(gsize) row * (gsize) self->grid_width + (gsize) col], number);
    }
}

void
urb_arrangement_fill_grid (UrbArrangement *self)
{
  self->grid_width = self->width_px / CELL_PX + 1;
  self->grid_height = self->height_px / CELL_PX + 1;
  self->grid = g_new0 (GArray *, (gsize) self->grid_width * (gsize) self->grid_height);
  for (gint32 i = 0; i < (gint32) self->arcs->len; i++)
    add_to_grid (self, i);
}

/* Appends the arcs in @cells not yet visited since the stamp was incremented. */
static void
collect (UrbArrangement *self, Cells cells, GArray *found)
{
  for (int row = cells.min_row; row <= cells.max_row; row++)
    for (int col = cells.min_col; col <= cells.max_col; col++)
      {
        GArray *cell = self->grid[(gsize) row * (gsize) self->grid_width + (gsize) col];

        for (guint i = 0; cell != NULL && i < cell->len; i++)
          {
            gint32 number = g_array_index (cell, gint32, i);
            UrbArc *arc = urb_arrangement_get_arc (self, number);

            if (arc->stamp == self->stamp)
              continue;
            arc->stamp = self->stamp;
            g_array_append_val (found, number);
          }
      }
}

static void
collect_near_shape (UrbArrangement *self, const Shape *shape, GArray *found)
{
  self->stamp++;
  g_array_set_size (found, 0);
  for (guint i = 0; i < count_segments (shape); i++)
    {
      Segment s = get_segment (shape, i);

      collect (self, cells_of_segment (self, &s), found);
    }
}

/* ------------------------------------------------------------------------ */
/* The swept area                                                            */

typedef struct
{
  const UrbArc       *arc;    /* with its old shape */
  const UrbArcChange *change; /* with the new one */
  GArray             *loop;   /* UrbPoint: the old shape, then the new one backward */
} Sweep;

static gboolean
is_swept (const Sweep *sweep, UrbPoint point)
{
  if (sweep->arc->start < 0)
    return urb_ring_contains (sweep->arc->points, sweep->arc->n_points, point)
           != urb_ring_contains (sweep->change->points, sweep->change->n_points, point);
  return urb_ring_contains ((UrbPoint *) (gpointer) sweep->loop->data, sweep->loop->len, point);
}

/* Segments cross neither the old nor the new shape, so testing their midpoints suffices.
 * (Their ends may be nodes of both shapes.) */
static gboolean
sweeps_over (const Sweep *sweep, const Shape *other)
{
  for (guint i = 0; i < count_segments (other); i++)
    {
      Segment s = get_segment (other, i);
      UrbPoint middle = { (s.a.x + s.b.x) / 2, (s.a.y + s.b.y) / 2 };

      if (is_swept (sweep, middle))
        return TRUE;
    }
  return FALSE;
}

static gboolean
change_jumps (UrbArrangement *self, const UrbArcChange *change, GArray *found)
{
  const UrbArc *arc = urb_arrangement_get_arc (self, change->arc);
  g_autoptr(GArray) loop = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  Sweep sweep = { arc, change, loop };
  double min_x = G_MAXDOUBLE, min_y = G_MAXDOUBLE, max_x = -G_MAXDOUBLE, max_y = -G_MAXDOUBLE;
  gboolean jumps = FALSE;

  g_array_append_vals (loop, arc->points, arc->n_points);
  for (guint i = change->n_points; i-- > 0;)
    g_array_append_val (loop, change->points[i]);
  for (guint i = 0; i < loop->len; i++)
    {
      UrbPoint p = g_array_index (loop, UrbPoint, i);

      min_x = MIN (min_x, p.x);
      min_y = MIN (min_y, p.y);
      max_x = MAX (max_x, p.x);
      max_y = MAX (max_y, p.y);
    }
  self->stamp++;
  g_array_set_size (found, 0);
  collect (self, cells_of (self, min_x, min_y, max_x, max_y), found);
  for (guint i = 0; i < found->len && !jumps; i++)
    {
      gint32 number = g_array_index (found, gint32, i);
      Shape other = get_shape (self, number, NULL);

      if (other.arc->change < 0)
        jumps = sweeps_over (&sweep, &other);
    }
  return jumps;
}

/* ------------------------------------------------------------------------ */

static gboolean
change_is_valid (UrbArrangement *self, GArray *changes, guint index, GArray *found)
{
  const UrbArcChange *change = &g_array_index (changes, UrbArcChange, index);
  Shape shape = get_shape (self, change->arc, changes);

  if (!shape_is_valid (self, &shape))
    return FALSE;
  collect_near_shape (self, &shape, found);
  for (guint i = 0; i < found->len; i++)
    {
      Shape other = get_shape (self, g_array_index (found, gint32, i), changes);

      /* Arcs that also change are compared below, with their new shapes. */
      if (other.arc->change < 0 && shapes_conflict (&shape, &other))
        return FALSE;
    }
  for (guint i = index + 1; i < changes->len; i++)
    {
      Shape other = get_shape (self, g_array_index (changes, UrbArcChange, i).arc, changes);

      if (shapes_conflict (&shape, &other))
        return FALSE;
    }
  return !change_jumps (self, change, found);
}

/* ------------------------------------------------------------------------ */
/* Regions turned inside out                                                 */

/* Whether the ring of a half arc keeps its orientation with the changes. */
static gboolean
ring_is_valid (UrbArrangement *self, UrbHalfArc half_arc, GArray *changes, GArray *points)
{
  const UrbArc *arc = urb_arrangement_get_arc (self, half_arc / 2);
  gint32 ring = self->ring_of[half_arc], region = half_arc % 2 == 0 ? arc->left : arc->right;
  const UrbArcRing *arcs;
  double area2;

  if (ring < 0 || self->ring_stamps[ring] == self->stamp)
    return TRUE;
  self->ring_stamps[ring] = self->stamp;
  arcs = &g_array_index (self->rings, UrbArcRing, ring);
  g_array_set_size (points, 0);
  for (guint i = 0; i < arcs->n; i++)
    {
      UrbHalfArc half = g_array_index (self->half_arcs, UrbHalfArc, arcs->first + i);
      Shape shape = get_shape (self, half / 2, changes);

      for (guint k = 0; k < count_segments (&shape); k++)
        {
          guint index = half % 2 == 0 ? k : shape.n_points - 1 - k;

          g_array_append_val (points, shape.points[index]);
        }
    }
  area2 = -urb_ring_area2 ((UrbPoint *) (gpointer) points->data, points->len); /* y points down */
  return (guint) ring == g_array_index (self->regions, UrbRegion, region).first_ring ? area2 > 0
                                                                                     : area2 < 0;
}

/* Two arcs that move together may swap sides without crossing: the area between them
 * would become negative. */
static gboolean
rings_are_valid (UrbArrangement *self, GArray *changes)
{
  g_autoptr(GArray) points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));

  self->stamp++;
  for (guint i = 0; i < changes->len; i++)
    {
      gint32 arc = g_array_index (changes, UrbArcChange, i).arc;

      if (!ring_is_valid (self, 2 * arc, changes, points)
          || !ring_is_valid (self, 2 * arc + 1, changes, points))
        return FALSE;
    }
  return TRUE;
}

gboolean
urb_arrangement_try (UrbArrangement *self, GArray *changes)
{
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint32));
  gboolean valid = TRUE;

  for (guint i = 0; i < changes->len; i++)
    urb_arrangement_get_arc (self, g_array_index (changes, UrbArcChange, i).arc)->change = (gint32)
      i;
  for (guint i = 0; i < changes->len && valid; i++)
    valid = change_is_valid (self, changes, i, found);
  valid = valid && rings_are_valid (self, changes);
  for (guint i = 0; i < changes->len; i++)
    {
      UrbArcChange *change = &g_array_index (changes, UrbArcChange, i);
      UrbArc *arc = urb_arrangement_get_arc (self, change->arc);

      arc->change = -1;
      if (!valid)
        continue;
      g_free (arc->points);
      arc->points = g_steal_pointer (&change->points);
      arc->n_points = change->n_points;
      add_to_grid (self, change->arc);
    }
  return valid;
}

static void
mark_sides (const UrbArc *arc, guint8 *marked)
{
  if (arc->left >= 0)
    marked[arc->left] = 1;
  if (arc->right >= 0)
    marked[arc->right] = 1;
}

void
urb_arrangement_count_conflicts (UrbArrangement *self, gint64 *n_conflicts, gint64 *n_regions)
{
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autofree guint8 *marked = g_new0 (guint8, self->regions->len + 1);

  *n_conflicts = *n_regions = 0;
  for (gint32 number = 0; number < (gint32) self->arcs->len; number++)
    {
      Shape shape = get_shape (self, number, NULL);

      collect_near_shape (self, &shape, found);
      for (guint i = 0; i < found->len; i++)
        {
          Shape other = get_shape (self, g_array_index (found, gint32, i), NULL);
          gint64 count = other.number >= number ? count_conflicts (&shape, &other, -1) : 0;

          if (count == 0)
            continue;
          *n_conflicts += count;
          mark_sides (shape.arc, marked);
          mark_sides (other.arc, marked);
        }
    }
  for (guint i = 0; i < self->regions->len; i++)
    *n_regions += marked[i];
}
