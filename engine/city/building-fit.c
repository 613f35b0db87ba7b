/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-fit.c - moves walls until the coverage of the true pixels is explained best.
 *
 * All buildings are drawn with exact coverage, and each wall follows what is left unexplained
 * along it.  So areas are right however small a house is: a wall through a blurred corner is
 * not where the share is 1/2.
 */
#include "city/building-private.h"

#include <math.h>
#include <string.h>

enum { N_ROUNDS = 10 };

/* Adds the coverage of what is to the left of the border from @a to @b in one row of pixels, as
 * differences along the row: the sum of all before a pixel is its coverage. */
static void
draw_piece (float *row, int width, double xa, double xb, double height)
{
  double x0 = CLAMP (MIN (xa, xb), 0, width), x1 = CLAMP (MAX (xa, xb), 0, width);
  int first = MIN ((int) x0, width - 1), last = MIN ((int) x1, width - 1);

  if (first == last || x1 - x0 < 1e-9)
    {
      double share = 1 - ((x0 + x1) / 2 - first);

      row[first] += (float) (height * share);
      row[first + 1] += (float) (height * (1 - share));
      return;
    }
  for (int x = first; x <= last; x++)
    {
      double from = MAX (x0, x), to = MIN (x1, x + 1), part = height * (to - from) / (x1 - x0);
      double share = 1 - ((from + to) / 2 - x);

      row[x] += (float) (part * share);
      row[x + 1] += (float) (part * (1 - share));
    }
}

static void
draw_border (float *differences, int width, int height, UrbPoint a, UrbPoint b)
{
  double sign = -1, slope;

  if (a.y > b.y)
    {
      UrbPoint c = a;

      a = b;
      b = c;
      sign = 1;
    }
  if (b.y <= 0 || a.y >= height || a.y == b.y)
    return;
  slope = (b.x - a.x) / (b.y - a.y);
  for (int y = MAX (0, (int) floor (a.y)); y < height && y < b.y; y++)
    {
      double from = MAX (a.y, y), to = MIN (b.y, y + 1);

      draw_piece (differences + (gint64) y * (width + 1), width, a.x + (from - a.y) * slope,
                  a.x + (to - a.y) * slope, sign * (to - from));
    }
}

/* The coverage of all drafts.  @differences: (height_px, width_px + 1), overwritten */
static void
draw (const UrbBuildingField *field, GPtrArray *drafts, float *differences, float *coverage)
{
  int width = field->width_px, height = field->height_px;

  memset (differences, 0, (gsize) (width + 1) * (gsize) height * sizeof (float));
  for (guint i = 0; i < drafts->len; i++)
    {
      const UrbBuildingDraft *draft = drafts->pdata[i];
      const UrbPoint *points = (const UrbPoint *) (gpointer) draft->points->data;

      for (guint ring = 0; ring < draft->sizes->len; ring++)
        {
          guint n = g_array_index (draft->sizes, guint, ring);

          for (guint k = 0; k < n; k++)
            draw_border (differences, width, height, points[k], points[(k + 1) % n]);
          points += n;
        }
    }
  for (int y = 0; y < height; y++)
    {
      float sum = 0;

      for (int x = 0; x < width; x++)
        {
          sum += differences[(gint64) y * (width + 1) + x];
          coverage[(gint64) y * width + x] = sum;
        }
    }
}

/* What there is to explain: the coverage of the true pixels that have a building in or beside
 * them.  The rest is doubt that no building shows. */
static float *
find_target (const UrbBuildingField *field)
{
  int zoom = field->zoom, width = field->width_px / zoom, height = field->height_px / zoom;
  float *target = g_new0 (float, (gsize) width * (gsize) height);
  g_autofree guint8 *near = g_malloc0 ((gsize) width * (gsize) height);

  for (int row = 0; row < field->height_px; row++)
    for (int col = 0; col < field->width_px; col++)
      if (field->labels[(gint64) row * field->width_px + col] >= 0)
        near[row / zoom * width + col / zoom] = 1;
  for (int row = 0; row < height; row++)
    for (int col = 0; col < width; col++)
      for (int k = 0; k < 9; k++)
        {
          int y = row + k / 3 - 1, x = col + k % 3 - 1;

          if (y >= 0 && x >= 0 && y < height && x < width && near[y * width + x])
            target[row * width + col] = field->coverage[row * width + col];
        }
  return target;
}

typedef struct
{
  double push, length; /* outward error along the walls of a line, and their length in the tile */
} Pressure;

/* Adds the wall from @a to @b; @sign: of the outward normal along its axis. */
static void
press (const UrbBuildingField *field, const float *error, UrbPoint a, UrbPoint b, double sign,
       Pressure *pressure)
{
  double length = urb_point_distance (b, a);
  int n = (int) ceil (length / 0.7);

  for (int i = 0; i < n; i++)
    {
      double t = (i + 0.5) / n, x = a.x + t * (b.x - a.x), y = a.y + t * (b.y - a.y);
      double weight = length / n;

      if (x < 0 || y < 0 || x > field->width_px || y > field->height_px)
        continue;
      pressure->push += sign * weight * urb_shares_sample (error, field->width_px,
                                                                 field->height_px, x, y);
      pressure->length += weight;
    }
}

static void
collect (const UrbBuildingField *field, const float *error, const UrbBuildingDraft *draft,
         Pressure *px, Pressure *py)
{
  g_autoptr(GArray) walls = g_array_new (FALSE, FALSE, sizeof (UrbBuildingWall));

  urb_building_draft_collect_walls (draft, walls);
  for (guint i = 0; i < walls->len; i++)
    {
      const UrbBuildingWall *wall = &g_array_index (walls, UrbBuildingWall, i);

      press (field, error, wall->a, wall->b, wall->sign,
             wall->lines == draft->xs ? &px[wall->line] : &py[wall->line]);
    }
}

/* Moves the lines of one axis; @first: where they were before the first round. */
static void
move_lines (GArray *lines, const GArray *first, const Pressure *pressure, double gain, double reach,
            double jog)
{
  double *at = (double *) (gpointer) lines->data;
  g_autofree double *before = g_memdup2 (at, lines->len * sizeof (double));

  for (guint i = 0; i < lines->len; i++)
    if (pressure[i].length > 0)
      {
        double start = g_array_index (first, double, i);
        double move = CLAMP (gain * pressure[i].push / pressure[i].length, -0.5 * gain, 0.5 * gain);

        at[i] = CLAMP (at[i] + move, start - reach, start + reach);
      }
  for (guint i = 0; i + 1 < lines->len; i++)
    if (at[i + 1] - at[i] < MIN (jog, before[i + 1] - before[i]))
      {
        at[i] = MIN (at[i], before[i]);
        at[i + 1] = MAX (at[i + 1], before[i + 1]);
      }
  for (guint i = 0; i + 1 < lines->len; i++)
    at[i + 1] = MAX (at[i + 1], at[i]);
}

typedef struct
{
  GArray *xs, *ys;
} Start;

static void
adjust (const UrbBuildingField *field, const float *error, UrbBuildingDraft *draft,
        const Start *start, double jog_px)
{
  guint nx = draft->xs->len, ny = draft->ys->len;
  g_autofree Pressure *px = g_new0 (Pressure, nx), *py = g_new0 (Pressure, ny);
  double zoom = field->zoom, reach = 0.75 * zoom + 0.5 + draft->slack_px;

  collect (field, error, draft, px, py);
  move_lines (draft->xs, start->xs, px, zoom, reach, jog_px);
  move_lines (draft->ys, start->ys, py, zoom, reach, jog_px);
  urb_building_draft_place (draft);
}

static GArray *
copy_lines (const GArray *lines)
{
  GArray *copy = g_array_new (FALSE, FALSE, sizeof (double));

  g_array_append_vals (copy, lines->data, lines->len);
  return copy;
}

void
urb_building_drafts_fit (const UrbBuildingField *field, GPtrArray *drafts, double jog_px)
{
  gsize n = (gsize) field->width_px * (gsize) field->height_px;
  gsize n_coarse = n / (gsize) (field->zoom * field->zoom);
  g_autofree float *target = find_target (field), *coarse = g_new (float, n_coarse);
  g_autofree float *differences = g_new (float, n + (gsize) field->height_px + 1);
  g_autofree float *error = g_new (float, n);
  g_autofree Start *starts = g_new (Start, drafts->len);

  for (guint i = 0; i < drafts->len; i++)
    {
      UrbBuildingDraft *draft = drafts->pdata[i];

      starts[i] = (Start) { copy_lines (draft->xs), copy_lines (draft->ys) };
    }
  for (int round = 0; round < N_ROUNDS; round++)
    {
      draw (field, drafts, differences, error);
      urb_building_field_shrink (field, error, coarse);
      for (gsize i = 0; i < n_coarse; i++)
        coarse[i] = target[i] - coarse[i];
      urb_building_field_enlarge (field, coarse, error);
      for (guint i = 0; i < drafts->len; i++)
        {
          UrbBuildingDraft *draft = drafts->pdata[i];

          if (draft->n_rectangles > 0)
            adjust (field, error, draft, &starts[i], jog_px);
        }
    }
  for (guint i = 0; i < drafts->len; i++)
    {
      g_array_unref (starts[i].xs);
      g_array_unref (starts[i].ys);
    }
}
