/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-direction.c - the directions of the walls.
 *
 * Seen along its walls, a building has a steep profile.  So the gradient of the shares is
 * projected on axes of all directions, and the one with the most concentrated profiles wins.
 * This uses whole walls, where the local gradient would see the staircase of the pixels.
 */
#include "city/building-private.h"

#include <math.h>
#include <string.h>

enum { N_ANGLES = 45, MAX_BINS = 1024 };

static const double quarter = G_PI / 2;

/* The gradient at one pixel, relative to the center of the part. */
typedef struct
{
  float x, y, gx, gy;
} Slope;

/* The share of @part; that of other parts is 0. */
static float
get_share (const UrbBuildingField *field, gint32 part, int row, int col)
{
  gint64 i = (gint64) CLAMP (row, 0, field->height_px - 1) * field->width_px
             + CLAMP (col, 0, field->width_px - 1);

  return field->labels[i] < 0 || field->labels[i] == part ? field->sharp[i] : 0;
}

static gboolean
is_near (const UrbBuildingField *field, gint32 part, int row, int col)
{
  for (int y = MAX (row - 1, 0); y <= MIN (row + 1, field->height_px - 1); y++)
    for (int x = MAX (col - 1, 0); x <= MIN (col + 1, field->width_px - 1); x++)
      if (field->labels[(gint64) y * field->width_px + x] == part)
        return TRUE;
  return FALSE;
}

static GArray *
collect_slopes (const UrbBuildingField *field, gint32 index)
{
  const UrbBuildingPart *part = &g_array_index (field->parts, UrbBuildingPart, index);
  GArray *slopes = g_array_new (FALSE, FALSE, sizeof (Slope));
  float middle_x = (float) (part->min_col + part->max_col) / 2;
  float middle_y = (float) (part->min_row + part->max_row) / 2;

  for (int row = MAX (part->min_row - 1, 0); row <= MIN (part->max_row + 1, field->height_px - 1);
       row++)
    for (int col = MAX (part->min_col - 1, 0); col <= MIN (part->max_col + 1, field->width_px - 1);
         col++)
      {
        float s[3][3];
        Slope slope = { (float) col - middle_x, (float) row - middle_y };

        if (!is_near (field, index, row, col))
          continue;
        for (int y = 0; y < 3; y++)
          for (int x = 0; x < 3; x++)
            s[y][x] = get_share (field, index, row + y - 1, col + x - 1);
        /* Scharr's weights: the direction is right within a degree. */
        slope.gx = 3 * (s[0][2] - s[0][0] + s[2][2] - s[2][0]) + 10 * (s[1][2] - s[1][0]);
        slope.gy = 3 * (s[2][0] - s[0][0] + s[2][2] - s[0][2]) + 10 * (s[2][1] - s[0][1]);
        if (slope.gx * slope.gx + slope.gy * slope.gy > 0.25f)
          g_array_append_val (slopes, slope);
      }
  return slopes;
}

/* The energy of the profile along (@c, @s), in bins of @bin_px. */
static double
measure_profile (const GArray *slopes, float c, float s, float bin_px, float *bins, int n_bins)
{
  double energy = 0;

  memset (bins, 0, (gsize) n_bins * sizeof (float));
  for (guint i = 0; i < slopes->len; i++)
    {
      const Slope *slope = &g_array_index (slopes, Slope, i);
      float at = (slope->x * c + slope->y * s) / bin_px + (float) n_bins / 2;
      int bin = CLAMP ((int) at, 1, n_bins - 2);
      float t = at - (float) bin - 0.5f, steep = slope->gx * c + slope->gy * s;

      /* A quadratic spline: sharper weights would prefer the directions of the pixel grid. */
      bins[bin - 1] += steep * 0.5f * (0.5f - t) * (0.5f - t);
      bins[bin] += steep * (0.75f - t * t);
      bins[bin + 1] += steep * 0.5f * (0.5f + t) * (0.5f + t);
    }
  for (int i = 0; i < n_bins; i++)
    energy += (double) (bins[i] * bins[i]);
  return energy;
}

static double
measure_angle (const GArray *slopes, double angle, float bin_px, float *bins, int n_bins)
{
  float c = (float) cos (angle), s = (float) sin (angle);

  return measure_profile (slopes, c, s, bin_px, bins, n_bins)
         + measure_profile (slopes, -s, c, bin_px, bins, n_bins);
}

static double
wrap (double angle)
{
  return angle - quarter * floor (angle / quarter);
}

/* The direction in which a part is longest, or the one across it. */
static double
find_axis (const UrbBuildingField *self, guint index)
{
  const UrbBuildingPart *part = &g_array_index (self->parts, UrbBuildingPart, index);
  UrbScatter scatter = { 0 };
  UrbLine line;

  for (int row = part->min_row; row <= part->max_row; row++)
    for (int col = part->min_col; col <= part->max_col; col++)
      if (self->labels[(gint64) row * self->width_px + col] == (gint32) index)
        urb_scatter_add (&scatter, (UrbPoint) { col, row });
  line = urb_scatter_fit (&scatter);
  return wrap (atan2 (-line.a, line.b));
}

UrbBuildingDirection
urb_building_field_find_direction (const UrbBuildingField *self, guint index)
{
  const UrbBuildingPart *part = &g_array_index (self->parts, UrbBuildingPart, index);
  g_autoptr(GArray) slopes = collect_slopes (self, (gint32) index);
  double reach = hypot (part->max_col - part->min_col + 3, part->max_row - part->min_row + 3);
  float bin_px = (float) MAX (MAX (1, 0.4 * self->zoom), reach / (MAX_BINS - 6));
  int n_bins = (int) (reach / (double) bin_px) + 6;
  float bins[MAX_BINS];
  double best = -1, sum = 0, angle = 0, step = quarter / N_ANGLES;

  for (int i = 0; i < N_ANGLES; i++)
    {
      double energy = measure_angle (slopes, i * step, bin_px, bins, n_bins);

      sum += energy;
      if (energy > best)
        {
          best = energy;
          angle = i * step;
        }
    }
  for (double finer = step / 2; finer > 0.002; finer /= 2)
    for (int side = -1; side <= 1; side += 2)
      {
        double energy = measure_angle (slopes, angle + side * finer, bin_px, bins, n_bins);

        if (energy > best)
          {
            best = energy;
            angle += side * finer;
            break;
          }
      }
  angle = wrap (angle);
  return (UrbBuildingDirection) { angle, angle, find_axis (self, index),
                                  sum > 0 ? MAX (best * N_ANGLES / sum - 1, 0) : 0 };
}

/* The difference of two directions, in [-pi/4, pi/4]. */
static double
get_turn (double from, double to)
{
  double turn = to - from;

  return turn - quarter * floor (turn / quarter + 0.5);
}

/* How far off a direction may be, in radians: walls are known to a fraction of a true pixel. */
static double
get_doubt (const UrbBuildingField *field, guint index)
{
  const UrbBuildingPart *part = &g_array_index (field->parts, UrbBuildingPart, index);
  double doubt = 0.35 * field->zoom / sqrt (MAX ((double) part->n_pixels, 1));

  return CLAMP (doubt, 0.015, 0.22);
}

static UrbPoint
get_middle (const UrbBuildingField *field, guint index)
{
  const UrbBuildingPart *part = &g_array_index (field->parts, UrbBuildingPart, index);

  return (UrbPoint) { (part->min_col + part->max_col + 1) / 2.0,
                     (part->min_row + part->max_row + 1) / 2.0 };
}

/* The direction of the street nearest to @at; %FALSE if none is within @reach_px. */
static gboolean
find_street (const UrbStreetGraph *streets, UrbPoint at, double reach_px, double *angle)
{
  double nearest = reach_px;

  for (guint i = 0; streets != NULL && i < streets->edges->len; i++)
    {
      const UrbStreetEdge *edge = &g_array_index (streets->edges, UrbStreetEdge, i);

      for (guint k = 0; k + 1 < edge->n_points; k++)
        {
          UrbPoint a = g_array_index (streets->points, UrbPoint, edge->first_point + k);
          UrbPoint b = g_array_index (streets->points, UrbPoint, edge->first_point + k + 1);
          double distance = urb_point_segment_distance (at, a, b);

          if (distance < nearest && (a.x != b.x || a.y != b.y))
            {
              nearest = distance;
              *angle = atan2 (b.y - a.y, b.x - a.x);
            }
        }
    }
  return nearest < reach_px;
}

/* Whether a building of this direction stands along @street.  Small turns are errors of measurement,
 * and a building that hardly shows a direction has that of its street. */
static gboolean
is_along (const UrbBuildingDirection *direction, double doubt, double street, double street_pull)
{
  double turn = fabs (get_turn (direction->angle, street));

  return turn < MIN (0.35, 2.2 * doubt + 0.01) || turn * direction->weight < street_pull;
}

void
urb_building_directions_agree (const UrbBuildingField *field, const UrbStreetGraph *streets,
                               const UrbBuildingOptions *options, UrbBuildingDirection *directions)
{
  enum { N_ROUNDS = 6 };
  static const double street_m = 30;
  static const double along_doubt = 0.04; /* houses follow a bend together, not each for itself */
  guint n = field->parts->len;
  double reach_px = options->agree_m / field->pixel_m;
  g_autofree double *turns = g_new (double, n + 1), *doubts = g_new (double, n + 1);
  g_autofree UrbPoint *middles = g_new (UrbPoint, n + 1);

  for (guint i = 0; i < n; i++)
    {
      double size = sqrt ((double) g_array_index (field->parts, UrbBuildingPart, i).n_pixels);
      double street = 0;

      if (directions[i].weight <= 0)
        continue;
      doubts[i] = get_doubt (field, i);
      middles[i] = get_middle (field, i);
      if (find_street (streets, middles[i], street_m / field->pixel_m + size / 2, &street)
          && is_along (&directions[i], doubts[i], street, options->street_pull))
        {
          directions[i].angle = street;
          doubts[i] = MIN (doubts[i], along_doubt);
        }
    }
  for (int round = 0; round < N_ROUNDS; round++)
    {
      for (guint i = 0; i < n; i++)
        {
          double sum = 0, total = 0;

          for (guint k = 0; k < n && directions[i].weight > 0; k++)
            {
              double dx = middles[i].x - middles[k].x, dy = middles[i].y - middles[k].y;
              double near, alike, turn, limit = 1.5 * (doubts[i] + doubts[k]);

              if (directions[k].weight <= 0 || fabs (dx) >= reach_px || fabs (dy) >= reach_px)
                continue;
              near = 1 - hypot (dx, dy) / reach_px;
              turn = get_turn (directions[i].angle, directions[k].angle);
              alike = 1 - turn * turn / (limit * limit);
              if (near <= 0 || alike <= 0)
                continue;
              near *= alike * alike / (doubts[k] * doubts[k]) * MIN (directions[k].weight, 1);
              sum += near * turn;
              total += near;
            }
          turns[i] = total > 0 ? sum / total : 0;
        }
      for (guint i = 0; i < n; i++)
        directions[i].angle += turns[i];
    }
  for (guint i = 0; i < n; i++)
    directions[i].angle = wrap (directions[i].angle);
}
