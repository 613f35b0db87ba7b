/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/city-measure.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"

void
urbarium_measuring_init (UrbariumMeasuring *self)
{
  *self = (UrbariumMeasuring) { .xy = g_array_new (FALSE, FALSE, sizeof (double)) };
}

void
urbarium_measuring_clear (UrbariumMeasuring *self)
{
  g_clear_pointer (&self->xy, g_array_unref);
}

void
urbarium_measuring_reset (UrbariumMeasuring *self, UrbariumMeasureTool tool)
{
  self->tool = tool;
  self->closed = FALSE;
  self->has_cursor = FALSE;
  g_array_set_size (self->xy, 0);
}

gboolean
urbarium_measuring_is_empty (const UrbariumMeasuring *self)
{
  return self->tool == URBARIUM_MEASURE_NONE || self->xy->len == 0;
}

void
urbarium_measuring_add (UrbariumMeasuring *self, double x, double y)
{
  if (self->closed)
    g_array_set_size (self->xy, 0);
  self->closed = FALSE;
  g_array_append_val (self->xy, x);
  g_array_append_val (self->xy, y);
  if (self->tool == URBARIUM_MEASURE_DISTANCE && self->xy->len == 4)
    self->closed = TRUE;
}

void
urbarium_measuring_close (UrbariumMeasuring *self)
{
  if (self->tool == URBARIUM_MEASURE_AREA && self->xy->len >= 6)
    self->closed = TRUE;
}

void
urbarium_measuring_undo (UrbariumMeasuring *self)
{
  self->closed = FALSE;
  if (self->xy->len > 0)
    g_array_set_size (self->xy, self->xy->len - 2);
}

/* The points, followed by the cursor unless the figure is complete. (transfer full) */
static double *
dup_points (const UrbariumMeasuring *self, guint *n)
{
  gboolean cursor = !self->closed && self->has_cursor && self->xy->len > 0;
  double *points = g_new (double, self->xy->len + 2);
  for (guint i = 0; i < self->xy->len; i++)
    points[i] = g_array_index (self->xy, double, i);
  points[self->xy->len] = self->cursor_x;
  points[self->xy->len + 1] = self->cursor_y;
  *n = self->xy->len / 2 + (cursor ? 1 : 0);
  return points;
}

double
urbarium_measuring_get_length (const UrbariumMeasuring *self)
{
  guint n;
  g_autofree double *p = dup_points (self, &n);
  gboolean ring = self->tool == URBARIUM_MEASURE_AREA && n > 2;
  double sum = 0;
  for (guint i = 0; i + (ring ? 0 : 1) < n; i++)
    {
      guint k = (i + 1) % n;
      sum += hypot (p[2 * k] - p[2 * i], p[2 * k + 1] - p[2 * i + 1]);
    }
  return sum;
}

double
urbarium_measuring_get_area (const UrbariumMeasuring *self)
{
  guint n;
  g_autofree double *p = dup_points (self, &n);
  double sum = 0;
  for (guint i = 0; i < n; i++)
    {
      guint k = (i + 1) % n;
      sum += p[2 * i] * p[2 * k + 1] - p[2 * k] * p[2 * i + 1];
    }
  return fabs (sum) / 2;
}

char *
urbarium_measuring_dup_text (const UrbariumMeasuring *self)
{
  g_autofree char *length = NULL;
  g_autofree char *area = NULL;
  double length_m;
  if (urbarium_measuring_is_empty (self))
    return NULL;
  length_m = urbarium_measuring_get_length (self);
  if (length_m <= 0)
    return NULL;
  length = urbarium_format_length (length_m);
  if (self->tool == URBARIUM_MEASURE_DISTANCE)
    return g_steal_pointer (&length);
  area = urbarium_format_area (urbarium_measuring_get_area (self));
  /* translators: area and perimeter of a polygon: 850 m², perimeter 124 m */
  return g_strdup_printf (_ ("%s, perimeter %s"), area, length);
}
