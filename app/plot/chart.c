/* SPDX-License-Identifier: Apache-2.0 */
#include "app/plot/chart.h"

#include <math.h>

#include "app/base/format.h"

#define MIN_WEIGHT 1e-12 /* points with less weight in a moving average are negligible */

static void
curve_free (UrbariumCurve *curve)
{
  g_object_unref (curve->series);
  g_clear_object (&curve->smooth);
  g_free (curve);
}

static void
mark_free (UrbariumMark *mark)
{
  g_free (mark->id);
  g_free (mark->text);
  g_free (mark);
}

UrbariumChart *
urbarium_chart_new (void)
{
  UrbariumChart *self = g_new0 (UrbariumChart, 1);

  self->curves = g_ptr_array_new_with_free_func ((GDestroyNotify) curve_free);
  self->marks = g_ptr_array_new_with_free_func ((GDestroyNotify) mark_free);
  return self;
}

UrbariumChart *
urbarium_chart_copy (const UrbariumChart *self)
{
  UrbariumChart *copy = urbarium_chart_new ();
  GPtrArray *curves = copy->curves, *marks = copy->marks;

  *copy = *self;
  copy->curves = curves;
  copy->marks = marks;
  copy->title = g_strdup (self->title);
  copy->x_label = g_strdup (self->x_label);
  copy->y_label = g_strdup (self->y_label);
  for (guint i = 0; i < self->curves->len; i++)
    {
      const UrbariumCurve *curve = self->curves->pdata[i];
      UrbariumCurve *twin = g_memdup2 (curve, sizeof *curve);
      twin->series = urbarium_series_copy (curve->series);
      twin->smooth = curve->smooth == NULL ? NULL : urbarium_series_copy (curve->smooth);
      g_ptr_array_add (copy->curves, twin);
    }
  for (guint i = 0; i < self->marks->len; i++)
    {
      const UrbariumMark *mark = self->marks->pdata[i];
      urbarium_chart_set_mark (copy, mark->id, mark->x, mark->text);
    }
  return copy;
}

void
urbarium_chart_free (UrbariumChart *self)
{
  g_ptr_array_unref (self->curves);
  g_ptr_array_unref (self->marks);
  g_free (self->title);
  g_free (self->x_label);
  g_free (self->y_label);
  g_free (self);
}

UrbariumCurve *
urbarium_chart_find_curve (const UrbariumChart *self, UrbariumSeries *series)
{
  for (guint i = 0; i < self->curves->len; i++)
    {
      UrbariumCurve *curve = self->curves->pdata[i];
      if (curve->series == series)
        return curve;
    }
  return NULL;
}

static int
compare_marks (gconstpointer a, gconstpointer b)
{
  const UrbariumMark *mark_a = *(UrbariumMark *const *) a, *mark_b = *(UrbariumMark *const *) b;
  return mark_a->x < mark_b->x ? -1 : mark_a->x > mark_b->x;
}

void
urbarium_chart_set_mark (UrbariumChart *self, const char *id, double x, const char *text)
{
  UrbariumMark *mark;

  for (guint i = 0; i < self->marks->len; i++)
    if (g_strcmp0 (((UrbariumMark *) self->marks->pdata[i])->id, id) == 0)
      {
        g_ptr_array_remove_index (self->marks, i);
        break;
      }
  if (text == NULL)
    return;
  mark = g_new0 (UrbariumMark, 1);
  mark->id = g_strdup (id);
  mark->text = g_strdup (text);
  mark->x = x;
  g_ptr_array_add (self->marks, mark);
  g_ptr_array_sort (self->marks, compare_marks);
}

gboolean
urbarium_chart_get_extent (const UrbariumChart *self, double *min, double *max)
{
  double least = INFINITY, greatest = -INFINITY;

  for (guint i = 0; i < self->curves->len; i++)
    {
      const UrbariumCurve *curve = self->curves->pdata[i];
      gsize n = urbarium_series_get_n (curve->series);
      /* A log axis cannot show step 0. */
      gsize first = self->log_x ? urbarium_series_find (curve->series, G_MINDOUBLE) : 0;
      double x;
      if (!curve->visible || first >= n
          || !urbarium_series_get_range (curve->series, first, n, NULL, NULL))
        continue;
      urbarium_series_get (curve->series, first, &x, NULL);
      least = MIN (least, x);
      urbarium_series_get (curve->series, n - 1, &x, NULL);
      greatest = MAX (greatest, x);
    }
  *min = least;
  *max = greatest;
  return least <= greatest;
}

gboolean
urbarium_chart_get_view (const UrbariumChart *self, double *min, double *max)
{
  if (!urbarium_chart_get_extent (self, min, max))
    return FALSE;
  if (self->zoomed && (!self->log_x || self->view_min > 0))
    {
      *min = self->view_min;
      *max = self->view_max;
    }
  return TRUE;
}

static void
curve_smooth (UrbariumCurve *curve, double smoothing, gsize last)
{
  gsize n = urbarium_series_get_n (curve->smooth);

  urbarium_series_freeze (curve->smooth);
  for (gsize i = n; i < last; i++)
    {
      double x, y;
      urbarium_series_get (curve->series, i, &x, &y);
      if (isfinite (y))
        {
          curve->sum = smoothing * curve->sum + (1 - smoothing) * y;
          curve->weight = smoothing * curve->weight + (1 - smoothing);
          y = curve->sum / curve->weight;
        }
      urbarium_series_append (curve->smooth, x, y);
    }
  urbarium_series_thaw (curve->smooth);
}

gboolean
urbarium_chart_smooth (UrbariumChart *self, gsize max_points)
{
  gboolean done = TRUE;

  for (guint i = 0; i < self->curves->len; i++)
    {
      UrbariumCurve *curve = self->curves->pdata[i];
      gsize n = urbarium_series_get_n (curve->series), n_smooth, n_new;
      if (curve->smooth != NULL && curve->smoothing != self->smoothing)
        g_clear_object (&curve->smooth);
      if (self->smoothing <= 0 || !curve->visible)
        continue;
      if (curve->smooth == NULL)
        {
          curve->smooth = urbarium_series_new (NULL);
          curve->smoothing = self->smoothing;
          curve->sum = curve->weight = 0;
        }
      n_smooth = urbarium_series_get_n (curve->smooth);
      n_new = MIN (n - n_smooth, max_points);
      curve_smooth (curve, self->smoothing, n_smooth + n_new);
      max_points -= n_new;
      done = done && n_smooth + n_new == n;
    }
  return done;
}

/* The state after the last point kept follows from its average and from the total weight of the
 * points before it, which is 1 except near the start. */
void
urbarium_curve_truncate_smooth (UrbariumCurve *self, gsize from)
{
  double average = NAN, decay = 1;

  if (self->smooth == NULL || urbarium_series_get_n (self->smooth) <= from)
    return;
  urbarium_series_truncate_n (self->smooth, from);
  for (gsize i = from; i > 0 && decay > MIN_WEIGHT; i--)
    {
      double y;
      urbarium_series_get (self->smooth, i - 1, NULL, &y);
      if (!isfinite (y))
        continue;
      if (isnan (average))
        average = y;
      decay *= self->smoothing;
    }
  self->weight = isnan (average) ? 0 : 1 - decay;
  self->sum = isnan (average) ? 0 : average * self->weight;
}

char *
urbarium_chart_format_x (double x)
{
  if (x == floor (x) && fabs (x) < 1e15)
    return urbarium_format_count ((gint64) x);
  return urbarium_format_value (x);
}
