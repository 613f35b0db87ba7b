/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-compose.c - composes a building of rectangles.
 *
 * On a grid in the direction of the walls, the rectangle with the largest sum of shares minus 1/2
 * is found, then the one that adds or removes most, and so on while each explains enough.
 * Walls that would be nearly in line are put in line at once, so there are no stairs.  Courtyards,
 * which leave the outline as it is, come last and may be smaller than wings.
 */
#include "city/building-private.h"

#include <math.h>
#include <string.h>

enum { MAX_CELLS = 72, MAX_RECTANGLES = 24, MAX_FAILURES = 6 };

typedef struct
{
  int x0, y0, x1, y1; /* grid lines */
} Box;

typedef struct
{
  int      nx, ny;
  double   step, left, top; /* of the grid, in the frame */
  UrbPoint center;
  double   c, s;            /* of the frame's angle */
  float   *values;          /* (ny, nx): 2 share - 1, in px2; beyond the tile slightly above 0 */
  guint8  *covered;         /* (ny, nx) */
  guint8  *given_up;        /* (ny, nx): where a rectangle was too narrow */
  float   *gains;           /* (ny, nx): of adding or removing each cell */
  guint8  *is_x, *is_y;     /* (nx + 1), (ny + 1): grid lines with walls */
} Canvas;

static void
canvas_free (Canvas *self)
{
  g_free (self->values);
  g_free (self->covered);
  g_free (self->given_up);
  g_free (self->gains);
  g_free (self->is_x);
  g_free (self->is_y);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Canvas, canvas_free)

static void
sample_values (Canvas *self, const UrbBuildingField *field, gint32 part)
{
  float area = (float) (self->step * self->step);

  for (int y = 0; y < self->ny; y++)
    for (int x = 0; x < self->nx; x++)
      {
        double u = self->left + (x + 0.5) * self->step, v = self->top + (y + 0.5) * self->step;
        double px = self->center.x + self->c * u - self->s * v;
        double py = self->center.y + self->s * u + self->c * v;
        float *value = &self->values[y * self->nx + x];
        gint32 label;

        if (px < 0 || py < 0 || px >= field->width_px || py >= field->height_px)
          {
            *value = 0.02f * area;
            continue;
          }
        label = field->labels[(gint64) py * field->width_px + (gint64) px];
        *value = label >= 0 && label != part
                   ? -area
                   : (2 * (float) urb_shares_sample (field->sharp, field->width_px, field->height_px, px,
                                                     py) - 1) * area;
      }
}

static Canvas *
canvas_new (const UrbBuildingField *field, guint index, double angle)
{
  const UrbBuildingPart *part = &g_array_index (field->parts, UrbBuildingPart, index);
  Canvas *self = g_new0 (Canvas, 1);
  double right = -G_MAXDOUBLE, bottom = -G_MAXDOUBLE;
  gsize n;

  self->c = cos (angle);
  self->s = sin (angle);
  self->left = self->top = G_MAXDOUBLE;
  self->center.x = (part->min_col + part->max_col + 1) / 2.0;
  self->center.y = (part->min_row + part->max_row + 1) / 2.0;
  for (int row = part->min_row; row <= part->max_row; row++)
    for (int col = part->min_col; col <= part->max_col; col++)
      if (field->labels[(gint64) row * field->width_px + col] == (gint32) index)
        {
          double dx = col + 0.5 - self->center.x, dy = row + 0.5 - self->center.y;
          double u = self->c * dx + self->s * dy, v = self->c * dy - self->s * dx;

          self->left = MIN (self->left, u);
          right = MAX (right, u);
          self->top = MIN (self->top, v);
          bottom = MAX (bottom, v);
        }
  self->left -= 1.5;
  self->top -= 1.5;
  right += 1.5;
  bottom += 1.5;
  self->step = MAX (0.5, MAX (right - self->left, bottom - self->top) / MAX_CELLS);
  self->nx = (int) ceil ((right - self->left) / self->step);
  self->ny = (int) ceil ((bottom - self->top) / self->step);
  n = (gsize) self->nx * (gsize) self->ny;
  self->values = g_new (float, n);
  self->gains = g_new (float, n);
  self->covered = g_malloc0 (n);
  self->given_up = g_malloc0 (n);
  self->is_x = g_malloc0 ((gsize) self->nx + 1);
  self->is_y = g_malloc0 ((gsize) self->ny + 1);
  sample_values (self, field, (gint32) index);
  return self;
}

/* What changing each cell would gain: open cells when adding, covered cells when removing. */
static void
compute_gains (Canvas *self, gboolean removing)
{
  float rest = (float) (-1e-3 * self->step * self->step); /* rectangles are as small as possible */

  for (int i = 0; i < self->nx * self->ny; i++)
    if (self->covered[i] != (guint8) removing
        || (self->given_up[i] && (self->values[i] > 0) != removing))
      self->gains[i] = rest;
    else
      self->gains[i] = removing ? -self->values[i] : self->values[i];
}

/* The sum of positive gains from each row on: no box that begins there gains more.
 * @rests: (out) (ny + 1) */
static void
sum_rests (const Canvas *self, float *rests)
{
  rests[self->ny] = 0;
  for (int y = self->ny - 1; y >= 0; y--)
    {
      rests[y] = rests[y + 1];
      for (int x = 0; x < self->nx; x++)
        rests[y] += MAX (self->gains[y * self->nx + x], 0);
    }
}

/* The box with the largest sum of gains above @limit: Kadane's algorithm for all ranges of rows. */
static double
find_best (const Canvas *self, double limit, Box *best)
{
  float most = (float) limit;
  float sums[2 * MAX_CELLS], rests[2 * MAX_CELLS + 1];

  *best = (Box) { 0 };
  sum_rests (self, rests);
  for (int y0 = 0; y0 < self->ny && rests[y0] > most; y0++)
    {
      memset (sums, 0, (gsize) self->nx * sizeof (float));
      for (int y1 = y0 + 1; y1 <= self->ny; y1++)
        {
          const float *gains = self->gains + (y1 - 1) * self->nx;
          float sum = 0;
          int x0 = 0;

          for (int x = 0; x < self->nx; x++)
            sums[x] += gains[x];
          for (int x = 0; x < self->nx; x++)
            {
              if (sum <= 0)
                {
                  sum = 0;
                  x0 = x;
                }
              sum += sums[x];
              if (sum > most)
                {
                  most = sum;
                  *best = (Box) { x0, y0, x + 1, y1 };
                }
            }
        }
    }
  return best->x1 > 0 ? (double) most : 0;
}

static int
snap (const guint8 *lines, int n, int at, int reach)
{
  for (int d = 0; d <= reach; d++)
    {
      if (at - d >= 0 && lines[at - d])
        return at - d;
      if (at + d <= n && lines[at + d])
        return at + d;
    }
  return at;
}

static double
sum_gains (const Canvas *self, const Box *box)
{
  double sum = 0;

  for (int y = box->y0; y < box->y1; y++)
    for (int x = box->x0; x < box->x1; x++)
      sum += (double) self->gains[y * self->nx + x];
  return sum;
}

static void
fill (Canvas *self, guint8 *cells, const Box *box, guint8 value)
{
  for (int y = box->y0; y < box->y1; y++)
    memset (cells + y * self->nx + box->x0, value, (gsize) (box->x1 - box->x0));
}

/* Puts the walls of @box in line with those in use.
 * Returns: what it gains then, px2; 0 if it is too narrow */
static double
align (const Canvas *self, int jog, Box *box)
{
  int least = 3 * jog / 2;

  box->x0 = snap (self->is_x, self->nx, box->x0, jog);
  box->x1 = snap (self->is_x, self->nx, box->x1, jog);
  box->y0 = snap (self->is_y, self->ny, box->y0, jog);
  box->y1 = snap (self->is_y, self->ny, box->y1, jog);
  if (box->x1 - box->x0 <= least || box->y1 - box->y0 <= least)
    return 0;
  return sum_gains (self, box);
}

/* The walls that are really there, so that later rectangles line up with them. */
static void
find_lines (Canvas *self)
{
  memset (self->is_x, 0, (gsize) self->nx + 1);
  memset (self->is_y, 0, (gsize) self->ny + 1);
  for (int y = 0; y < self->ny; y++)
    for (int x = 0; x < self->nx; x++)
      {
        const guint8 *cell = &self->covered[y * self->nx + x];

        if (!*cell)
          continue;
        self->is_x[x] |= x == 0 || !cell[-1];
        self->is_x[x + 1] |= x + 1 == self->nx || !cell[1];
        self->is_y[y] |= y == 0 || !cell[-self->nx];
        self->is_y[y + 1] |= y + 1 == self->ny || !cell[self->nx];
      }
}

/* Adds or removes the box that gains most; FALSE if none gains @limit. */
static gboolean
improve (Canvas *self, int jog, double limit)
{
  for (int n_failures = 0; n_failures < MAX_FAILURES; n_failures++)
    {
      Box boxes[2];
      double gains[2];
      gboolean removing;

      for (removing = 0; removing < 2; removing++)
        {
          compute_gains (self, removing);
          gains[removing] = find_best (self, limit, &boxes[removing]);
        }
      removing = gains[1] > gains[0];
      for (int attempt = 0; attempt < 2; attempt++, removing = !removing)
        {
          Box box = boxes[removing];

          if (gains[removing] <= 0)
            continue;
          compute_gains (self, removing);
          if (align (self, jog, &box) > limit)
            {
              fill (self, self->covered, &box, !removing);
              find_lines (self);
              return TRUE;
            }
          fill (self, self->given_up, &boxes[removing], 1);
        }
      if (MAX (gains[0], gains[1]) <= 0)
        return FALSE;
    }
  return FALSE;
}

/* Marks the cells outside the building, and those within @margin cells of them.
 * @near: (out) (ny, nx) */
static void
find_outline (const Canvas *self, int margin, guint8 *near)
{
  int count = self->nx * self->ny, n = 0;
  g_autofree int *queue = g_new (int, count);

  memset (near, 0, (gsize) count);
  for (int i = 0; i < count; i++)
    {
      int x = i % self->nx, y = i / self->nx;

      if ((x == 0 || y == 0 || x == self->nx - 1 || y == self->ny - 1) && !self->covered[i])
        {
          near[i] = 1;
          queue[n++] = i;
        }
    }
  for (int at = 0; at < n; at++)
    for (int side = 0; side < 4; side++)
      {
        int x = queue[at] % self->nx + (side == 0) - (side == 1);
        int y = queue[at] / self->nx + (side == 2) - (side == 3), i = y * self->nx + x;

        if (x >= 0 && x < self->nx && y >= 0 && y < self->ny && !self->covered[i] && !near[i])
          {
            near[i] = 1;
            queue[n++] = i;
          }
      }
  for (int at = 0; at < n; at++)
    for (int y = MAX (queue[at] / self->nx - margin, 0); y <= MIN (queue[at] / self->nx + margin, self->ny - 1); y++)
      for (int x = MAX (queue[at] % self->nx - margin, 0); x <= MIN (queue[at] % self->nx + margin, self->nx - 1); x++)
        near[y * self->nx + x] = 1;
}

/* Removes the box that gains most among those that have no cell @near the outline; FALSE if none gains @limit. */
static gboolean
dig_courtyard (Canvas *self, int jog, const guint8 *near, double limit)
{
  const float never = -1e6f;
  Box box;

  compute_gains (self, TRUE);
  for (int i = 0; i < self->nx * self->ny; i++)
    if (near[i])
      self->gains[i] = never;
  if (find_best (self, limit, &box) <= 0 || align (self, jog, &box) <= limit)
    return FALSE;
  fill (self, self->covered, &box, 0);
  find_lines (self);
  return TRUE;
}

/* Removes up to @most courtyards; the outline stays, and is found once.  Returns: how many */
static guint
dig_courtyards (Canvas *self, int jog, const UrbBuildingGrain *grain, guint most)
{
  g_autofree guint8 *near = g_malloc ((gsize) self->nx * (gsize) self->ny);
  guint n = 0;

  find_outline (self, (int) ceil (grain->wall_px / self->step), near);
  while (n < most && dig_courtyard (self, jog, near, grain->court_px2))
    n++;
  return n;
}

/* Returns: the number of rectangles */
static guint
cover (Canvas *self, const UrbBuildingGrain *grain)
{
  int jog = (int) (grain->jog_px / self->step);
  guint n = 1;
  Box box;

  compute_gains (self, FALSE);
  if (find_best (self, 0, &box) <= 0)
    return 0;
  fill (self, self->covered, &box, 1);
  find_lines (self);
  while (n < MAX_RECTANGLES && improve (self, jog, grain->part_px2))
    n++;
  if (grain->court_px2 < grain->part_px2)
    n += dig_courtyards (self, jog, grain, MAX_RECTANGLES - n);
  return n;
}

/* Fills where two cells touch only at a corner. */
static void
clean (Canvas *self)
{
  for (int again = 1, round = 0; again && round < 8; round++)
    {
      again = 0;
      for (int y = 0; y + 1 < self->ny; y++)
        for (int x = 0; x + 1 < self->nx; x++)
          {
            guint8 *a = &self->covered[y * self->nx + x], *b = a + self->nx;

            if (a[0] == b[1] && a[1] == b[0] && a[0] != a[1])
              a[0] = a[1] = b[0] = b[1] = again = 1;
          }
    }
}

static void
index_lines (GArray *corners, gboolean is_y, double origin, double step, int n, GArray *lines)
{
  g_autofree int *numbers = g_new0 (int, (gsize) n + 1);

  for (guint i = 0; i < corners->len; i++)
    {
      const UrbBuildingCorner *corner = &g_array_index (corners, UrbBuildingCorner, i);

      numbers[is_y ? corner->iy : corner->ix] = 1;
    }
  for (int i = 0; i <= n; i++)
    if (numbers[i])
      {
        double at = origin + i * step;

        numbers[i] = (int) lines->len;
        g_array_append_val (lines, at);
      }
  for (guint i = 0; i < corners->len; i++)
    {
      UrbBuildingCorner *corner = &g_array_index (corners, UrbBuildingCorner, i);

      if (is_y)
        corner->iy = numbers[corner->iy];
      else
        corner->ix = numbers[corner->ix];
    }
}

UrbBuildingDraft *
urb_building_compose (const UrbBuildingField *field, guint part, double angle,
                      const UrbBuildingGrain *grain)
{
  g_autoptr(Canvas) canvas = canvas_new (field, part, angle);
  g_autoptr(UrbBuildingDraft) draft = urb_building_draft_new ();
  guint n = cover (canvas, grain);

  clean (canvas);
  urb_building_trace (canvas->covered, canvas->nx, canvas->ny, draft->corners, draft->sizes);
  if (n == 0 || draft->sizes->len == 0)
    return NULL;
  draft->part = part;
  draft->center = canvas->center;
  draft->angle = angle;
  draft->n_rectangles = n;
  draft->slack_px = canvas->step;
  index_lines (draft->corners, FALSE, canvas->left, canvas->step, canvas->nx, draft->xs);
  index_lines (draft->corners, TRUE, canvas->top, canvas->step, canvas->ny, draft->ys);
  urb_building_draft_place (draft);
  return g_steal_pointer (&draft);
}
