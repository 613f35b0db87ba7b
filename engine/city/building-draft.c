/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-draft.c - a building that is still to be fitted.
 */
#include "city/building-private.h"

#include <math.h>

UrbBuildingDraft *
urb_building_draft_new (void)
{
  UrbBuildingDraft *self = g_new0 (UrbBuildingDraft, 1);

  self->xs = g_array_new (FALSE, FALSE, sizeof (double));
  self->ys = g_array_new (FALSE, FALSE, sizeof (double));
  self->corners = g_array_new (FALSE, FALSE, sizeof (UrbBuildingCorner));
  self->sizes = g_array_new (FALSE, FALSE, sizeof (guint));
  self->points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  return self;
}

void
urb_building_draft_free (UrbBuildingDraft *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->xs);
  g_array_unref (self->ys);
  g_array_unref (self->corners);
  g_array_unref (self->sizes);
  g_array_unref (self->points);
  g_free (self);
}

void
urb_building_draft_place (UrbBuildingDraft *self)
{
  double c = cos (self->angle), s = sin (self->angle);

  if (self->n_rectangles == 0)
    return;
  g_array_set_size (self->points, self->corners->len);
  for (guint i = 0; i < self->corners->len; i++)
    {
      const UrbBuildingCorner *corner = &g_array_index (self->corners, UrbBuildingCorner, i);
      double x = g_array_index (self->xs, double, corner->ix);
      double y = g_array_index (self->ys, double, corner->iy);

      g_array_index (self->points, UrbPoint, i) = (UrbPoint) { self->center.x + c * x - s * y,
                                                              self->center.y + s * x + c * y };
    }
}

double
urb_building_draft_area (const UrbBuildingDraft *self)
{
  const UrbPoint *points = (const UrbPoint *) (gpointer) self->points->data;
  double sum = 0;

  for (guint i = 0; i < self->sizes->len; i++)
    {
      guint n = g_array_index (self->sizes, guint, i);

      sum += urb_ring_area (points, n);
      points += n;
    }
  return sum;
}

/* @first: of the ring's corners; @k: of the wall in the ring of @n */
static UrbBuildingWall
get_wall (const UrbBuildingDraft *draft, guint first, guint k, guint n)
{
  guint i = first + k, j = first + (k + 1) % n;
  UrbBuildingCorner p = g_array_index (draft->corners, UrbBuildingCorner, i);
  UrbBuildingCorner q = g_array_index (draft->corners, UrbBuildingCorner, j);
  gboolean along_y = p.ix == q.ix;
  UrbBuildingWall wall = { g_array_index (draft->points, UrbPoint, i),
                g_array_index (draft->points, UrbPoint, j) };

  wall.lines = along_y ? draft->xs : draft->ys;
  wall.line = along_y ? p.ix : p.iy;
  wall.sign = along_y ? (q.iy > p.iy ? 1 : -1) : (q.ix > p.ix ? -1 : 1);
  wall.out.x = wall.sign * (along_y ? cos (draft->angle) : -sin (draft->angle));
  wall.out.y = wall.sign * (along_y ? sin (draft->angle) : cos (draft->angle));
  return wall;
}

void
urb_building_draft_collect_walls (const UrbBuildingDraft *draft, GArray *walls)
{
  guint first = 0;

  g_array_set_size (walls, 0);
  for (guint ring = 0; ring < draft->sizes->len && draft->n_rectangles > 0; ring++)
    {
      guint n = g_array_index (draft->sizes, guint, ring);

      for (guint k = 0; k < n; k++)
        {
          UrbBuildingWall wall = get_wall (draft, first, k, n);

          g_array_append_val (walls, wall);
        }
      first += n;
    }
}

/* Whether the ring, whose area is positive, turns to the right at corner @i. */
static gboolean
is_notch (const UrbPoint *ring, guint n, guint i)
{
  const UrbPoint *a = &ring[(i + n - 1) % n], *b = &ring[i], *c = &ring[(i + 1) % n];

  return (b->x - a->x) * (c->y - b->y) < (b->y - a->y) * (c->x - b->x);
}

guint
urb_building_draft_count_steps (const UrbBuildingDraft *self)
{
  const UrbPoint *ring = (const UrbPoint *) (gpointer) self->points->data;
  guint most = 0;

  for (guint k = 0; k < self->sizes->len; k++)
    {
      guint n = g_array_index (self->sizes, guint, k), n_steps = 0, n_between = 0;
      gboolean is_outer = urb_ring_area (ring, n) > 0;

      for (guint i = 0; is_outer && i < 2 * n; i++) /* twice: a flight may begin anywhere */
        if (is_notch (ring, n, i % n))
          {
            n_steps = n_between == 1 ? n_steps + 1 : 1;
            n_between = 0;
            most = MAX (most, n_steps);
          }
        else
          n_between++;
      ring += n;
    }
  return most;
}

/* Directions along the cell borders: +x, +y, -x, -y. */
static const int step_x[] = { 1, 0, -1, 0 }, step_y[] = { 0, 1, 0, -1 };

static gboolean
is_set (const guint8 *cells, int nx, int ny, int x, int y)
{
  return x >= 0 && y >= 0 && x < nx && y < ny && cells[(gint64) y * nx + x] != 0;
}

/* The directions, as bits, of the borders that leave grid point (@x, @y) with the cells on
 * their left. */
static guint8
get_exits (const guint8 *cells, int nx, int ny, int x, int y)
{
  gboolean a = is_set (cells, nx, ny, x - 1, y - 1), b = is_set (cells, nx, ny, x, y - 1);
  gboolean c = is_set (cells, nx, ny, x - 1, y), d = is_set (cells, nx, ny, x, y);

  return (guint8) ((d && !b) | (c && !d) << 1 | (a && !c) << 2 | (b && !a) << 3);
}

static void
trace_ring (guint8 *exits, int nx, int x, int y, int direction, GArray *corners)
{
  int pitch = nx + 1;

  for (;;)
    {
      guint8 *here = &exits[(gint64) y * pitch + x];
      /* Left first: cells that touch at a corner are not connected. */
      int left = (direction + 1) % 4, right = (direction + 3) % 4;
      int turned = *here & 1 << left ? left : *here & 1 << direction ? direction : right;

      if (!(*here & 1 << turned))
        return;
      if (turned != direction)
        {
          UrbBuildingCorner corner = { x, y };

          g_array_append_val (corners, corner);
        }
      *here = (guint8) (*here & ~(1 << turned));
      direction = turned;
      x += step_x[direction];
      y += step_y[direction];
    }
}

void
urb_building_trace (const guint8 *cells, int nx, int ny, GArray *corners, GArray *sizes)
{
  g_autofree guint8 *exits = g_malloc ((gsize) (nx + 1) * (gsize) (ny + 1));

  g_array_set_size (corners, 0);
  g_array_set_size (sizes, 0);
  for (int y = 0; y <= ny; y++)
    for (int x = 0; x <= nx; x++)
      exits[(gint64) y * (nx + 1) + x] = get_exits (cells, nx, ny, x, y);
  for (int y = 0; y <= ny; y++)
    for (int x = 0; x <= nx; x++)
      {
        guint before = corners->len, n;
        guint8 here = exits[(gint64) y * (nx + 1) + x];

        /* Each ring has a first point in reading order: its exits are +x (outer) or +y (hole)
         * and it is entered from the other of the two. */
        if (here & 1)
          trace_ring (exits, nx, x, y, 3, corners);
        else if (here & 2)
          trace_ring (exits, nx, x, y, 2, corners);
        else
          continue;
        n = corners->len - before;
        g_array_append_val (sizes, n);
        x--; /* a second ring may begin here */
      }
}
