/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-outline.c - the simplified outline of a building that is not made of rectangles.
 */
#include "city/building-private.h"

#include <math.h>

#include "city/vector-raster.h"

/* A tenth of a pixel from the tile's edge is on it. */
static const double edge_px = 0.1;

typedef struct
{
  const UrbBuildingField *field;
  gint32                  part;
  int                     left, top, nx, ny; /* of the grid of pixels */
} View;

static View
view_part (const UrbBuildingField *field, guint index)
{
  const UrbBuildingPart *part = &g_array_index (field->parts, UrbBuildingPart, index);

  return (View) { field,
                 (gint32) index,
                 part->min_col,
                 part->min_row,
                 part->max_col - part->min_col + 1,
                 part->max_row - part->min_row + 1 };
}

static float
get_share (const View *self, int col, int row)
{
  const UrbBuildingField *field = self->field;

  return field->sharp[(gint64) row * field->width_px + col];
}

/* The point where the share is 1/2, between the pixel to the left of the border from @at in
 * direction (@dx, @dy) and the pixel to its right. */
static UrbPoint
place_crack (const View *self, int x, int y, int dx, int dy)
{
  double mx = x + dx / 2.0, my = y + dy / 2.0;
  int in_col = (int) floor (mx - dy / 2.0), in_row = (int) floor (my + dx / 2.0);
  int out_col = (int) floor (mx + dy / 2.0), out_row = (int) floor (my - dx / 2.0);
  double inside, outside, t;

  if (out_col < 0 || out_row < 0 || out_col >= self->field->width_px
      || out_row >= self->field->height_px)
    return (UrbPoint) { mx, my };
  inside = (double) get_share (self, in_col, in_row);
  outside = (double) get_share (self, out_col, out_row);
  t = inside > outside ? CLAMP ((inside - 0.5) / (inside - outside), 0, 1) : 0.5;
  return (UrbPoint) { in_col + 0.5 + t * (out_col - in_col),
                      in_row + 0.5 + t * (out_row - in_row) };
}

/* One point for each crack of a ring of pixel corners. */
static void
place_ring (const View *self, const UrbBuildingCorner *corners, guint n, GArray *points)
{
  for (guint i = 0; i < n; i++)
    {
      UrbBuildingCorner a = corners[i], b = corners[(i + 1) % n];
      int dx = (b.ix > a.ix) - (b.ix < a.ix), dy = (b.iy > a.iy) - (b.iy < a.iy);

      for (int x = a.ix, y = a.iy; x != b.ix || y != b.iy; x += dx, y += dy)
        {
          UrbPoint p = place_crack (self, self->left + x, self->top + y, dx, dy);

          g_array_append_val (points, p);
        }
    }
}

typedef struct
{
  UrbPoint first; /* the corner where it begins */
  UrbLine  line;
  gboolean fixed; /* on the tile's edge */
} Wall;

/* The edge of the tile that @from and @to lie on. */
static gboolean
find_edge (const UrbBuildingField *field, UrbPoint from, UrbPoint to, UrbLine *line)
{
  double w = field->width_px, h = field->height_px;

  if (MAX (from.x, to.x) < edge_px)
    *line = (UrbLine) { 1, 0, 0 };
  else if (MAX (from.y, to.y) < edge_px)
    *line = (UrbLine) { 0, 1, 0 };
  else if (MIN (from.x, to.x) > w - edge_px)
    *line = (UrbLine) { 1, 0, w };
  else if (MIN (from.y, to.y) > h - edge_px)
    *line = (UrbLine) { 0, 1, h };
  else
    return FALSE;
  return TRUE;
}

/* Fits a line to @points from @begin to @end, in the direction of the building if nearly so. */
static UrbLine
fit_wall (const GArray *points, guint begin, guint end, double angle)
{
  static const double snap = 0.16; /* 9 degrees */
  UrbScatter scatter = { 0 };
  UrbPoint a = g_array_index (points, UrbPoint, begin % points->len);
  UrbPoint b = g_array_index (points, UrbPoint, end % points->len);
  double own = atan2 (b.y - a.y, b.x - a.x), turn = (own - angle) / (G_PI / 2);

  for (guint i = begin; i <= end; i++)
    urb_scatter_add (&scatter, g_array_index (points, UrbPoint, i % points->len));
  if (fabs (turn - floor (turn + 0.5)) * G_PI / 2 < snap)
    return urb_scatter_fit_direction (&scatter, angle + floor (turn + 0.5) * G_PI / 2);
  return end - begin >= 3 ? urb_scatter_fit (&scatter) : urb_scatter_fit_direction (&scatter, own);
}

static GArray *
cut_ring (const UrbBuildingField *field, const GArray *points, double angle, double tolerance_px)
{
  GArray *walls = g_array_new (FALSE, FALSE, sizeof (Wall));
  g_autoptr(GArray) turned = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  g_autoptr(GArray) kept = g_array_new (FALSE, FALSE, sizeof (guint));
  guint start = urb_points_find_prominent (points);

  for (guint i = 0; i <= points->len; i++)
    g_array_append_val (turned, g_array_index (points, UrbPoint, (start + i) % points->len));
  urb_polyline_split ((const UrbPoint *) (gpointer) turned->data, turned->len, tolerance_px, kept);
  for (guint i = 0; i + 1 < kept->len; i++)
    {
      guint begin = g_array_index (kept, guint, i), end = g_array_index (kept, guint, i + 1);
      Wall wall = { g_array_index (turned, UrbPoint, begin) };

      wall.fixed = find_edge (field, wall.first, g_array_index (turned, UrbPoint, end), &wall.line);
      if (!wall.fixed)
        wall.line = fit_wall (turned, begin, end, angle);
      g_array_append_val (walls, wall);
    }
  return walls;
}

/* Appends the corner, or the two corners of a jog, between two walls. */
static void
append_corner (const Wall *from, const Wall *to, double tolerance_px, GArray *points)
{
  UrbPoint p, q;

  if (urb_line_intersect (&from->line, &to->line, &p)
      && urb_point_distance (p, to->first) < 2.5 * tolerance_px + 0.5)
    {
      g_array_append_val (points, p);
      return;
    }
  p = urb_line_project (&from->line, to->first);
  q = urb_line_project (&to->line, to->first);
  if (from->fixed)
    q = p;
  else if (to->fixed)
    p = q;
  if (urb_point_distance (p, q) < MAX (tolerance_px, 0.5))
    {
      UrbPoint middle = { (p.x + q.x) / 2, (p.y + q.y) / 2 };

      g_array_append_val (points, middle);
      return;
    }
  g_array_append_val (points, p);
  g_array_append_val (points, q);
}

static gboolean
is_simple (const UrbPoint *points, guint n)
{
  for (guint i = 0; i < n; i++)
    for (guint k = i + 2; k < n; k++)
      if ((k + 1) % n != i
          && urb_segment_distance (points[i], points[i + 1], points[k], points[(k + 1) % n]) < 0.05)
        return FALSE;
  return n >= 3;
}

/* Appends the simplified ring; FALSE if nothing is left of it. */
static gboolean
simplify_ring (const UrbBuildingField *field, const GArray *ring, double angle, double tolerance_px,
               UrbBuildingDraft *draft)
{
  g_autoptr(GArray) walls = cut_ring (field, ring, angle, tolerance_px);
  guint before = draft->points->len, n;

  for (int attempt = 0; attempt < 2; attempt++)
    {
      g_array_set_size (draft->points, before);
      for (guint i = 0; i < walls->len; i++)
        {
          const Wall *wall = &g_array_index (walls, Wall, i);

          if (attempt == 0)
            append_corner (&g_array_index (walls, Wall, (i + walls->len - 1) % walls->len), wall,
                           tolerance_px, draft->points);
          else
            g_array_append_val (draft->points, wall->first);
        }
      n = draft->points->len - before;
      if (is_simple (&g_array_index (draft->points, UrbPoint, before), n))
        {
          g_array_append_val (draft->sizes, n);
          return TRUE;
        }
    }
  g_array_set_size (draft->points, before);
  return FALSE;
}

typedef struct
{
  const View *view;
  guint8     *inside; /* (ny, nx) */
} Brush;

static void
paint_span (int row, int col_begin, int col_end, gpointer user_data)
{
  Brush *brush = user_data;
  const View *view = brush->view;

  if (row < view->top || row >= view->top + view->ny)
    return;
  for (int col = MAX (col_begin, view->left); col < MIN (col_end, view->left + view->nx); col++)
    brush->inside[(row - view->top) * view->nx + col - view->left] = 1;
}

UrbBuildingDraft *
urb_building_outline (const UrbBuildingField *field, guint index, double angle, double tolerance_px)
{
  View view = view_part (field, index);
  g_autofree guint8 *mask = g_malloc ((gsize) view.nx * (gsize) view.ny);
  g_autoptr(GArray) sizes = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr(GArray) ring = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  g_autoptr(UrbBuildingDraft) draft = urb_building_draft_new ();
  guint first = 0;

  for (int y = 0; y < view.ny; y++)
    for (int x = 0; x < view.nx; x++)
      mask[y * view.nx + x]
        = field->labels[(gint64) (view.top + y) * field->width_px + view.left + x] == view.part;
  urb_building_trace (mask, view.nx, view.ny, draft->corners, sizes);
  for (guint i = 0; i < sizes->len; first += g_array_index (sizes, guint, i), i++)
    {
      g_array_set_size (ring, 0);
      place_ring (&view, &g_array_index (draft->corners, UrbBuildingCorner, first),
                  g_array_index (sizes, guint, i), ring);
      /* A courtyard smaller than the tolerance is a flaw of the image. */
      if (i > 0
          && fabs (urb_ring_area ((const UrbPoint *) (gpointer) ring->data, ring->len))
               < 8 * tolerance_px * tolerance_px + 4)
        continue;
      if (!simplify_ring (field, ring, angle, tolerance_px, draft) && i == 0)
        return NULL;
    }
  g_array_set_size (draft->corners, 0);
  for (guint i = 0; i < draft->points->len; i++)
    {
      UrbPoint *p = &g_array_index (draft->points, UrbPoint, i);

      *p = (UrbPoint) { CLAMP (p->x, 0, field->width_px), CLAMP (p->y, 0, field->height_px) };
    }
  draft->part = index;
  draft->angle = angle;
  return g_steal_pointer (&draft);
}

double
urb_building_draft_misfit (const UrbBuildingDraft *draft, const UrbBuildingField *field)
{
  View view = view_part (field, draft->part);
  g_autofree guint8 *inside = g_malloc0 ((gsize) view.nx * (gsize) view.ny);
  Brush brush = { &view, inside };
  const double sure = 0.5; /* the rest counts on both sides of a wall */
  double sum = 0;

  urb_rings_rasterize ((const UrbPoint *) (gpointer) draft->points->data,
                       (const guint *) (gpointer) draft->sizes->data, draft->sizes->len,
                       field->width_px, field->height_px, paint_span, &brush);
  for (int y = 0; y < view.ny; y++)
    for (int x = 0; x < view.nx; x++)
      {
        int col = view.left + x, row = view.top + y;
        gint32 label = field->labels[(gint64) row * field->width_px + col];

        double value = fabs (2 * (double) get_share (&view, col, row) - 1);

        if (inside[y * view.nx + x] == (label == view.part))
          continue;
        if (label >= 0 && label != view.part)
          sum += 1;
        else if (value > sure)
          sum += value;
      }
  return sum;
}
