/* SPDX-License-Identifier: Apache-2.0 */
/*
 * series.c - points in one block, and a pyramid of ranges, each of which covers FAN_OUT ranges of
 * the level below.
 *
 * The last range of each level is usually incomplete and updated by every append, so that a query
 * reads at most FAN_OUT entries at either end of each level.  An empty range is (+inf, -inf), so
 * that merging needs no special case.
 */
#include "app/plot/series.h"

#include <math.h>

#define FAN_OUT 16
#define MAX_LEVELS 15 /* 16^15 points exceed any memory */

typedef struct
{
  double x, y;
} Point;

typedef struct
{
  double min, max;
} Range;

typedef struct
{
  Range *ranges;
  gsize  n, n_reserved;
} Level;

struct _UrbariumSeries
{
  GObject parent_instance;
  char   *name;
  Point  *points; /* (n) of n_reserved */
  gsize   n, n_reserved;
  Level   levels[MAX_LEVELS]; /* levels[k]: ranges of FAN_OUT^(k + 1) points */
  guint   n_levels;
  guint   n_freezes;
  gsize   changed_from; /* G_MAXSIZE: unchanged */
};

static guint changed_signal;

G_DEFINE_FINAL_TYPE (UrbariumSeries, urbarium_series, G_TYPE_OBJECT)

static void
urbarium_series_init (UrbariumSeries *self)
{
  self->changed_from = G_MAXSIZE;
}

static void
urbarium_series_finalize (GObject *object)
{
  UrbariumSeries *self = URBARIUM_SERIES (object);

  g_free (self->name);
  g_free (self->points);
  for (guint k = 0; k < MAX_LEVELS; k++)
    g_free (self->levels[k].ranges);
  G_OBJECT_CLASS (urbarium_series_parent_class)->finalize (object);
}

static void
urbarium_series_class_init (UrbariumSeriesClass *class)
{
  G_OBJECT_CLASS (class)->finalize = urbarium_series_finalize;
  changed_signal = g_signal_new ("changed", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT64);
}

UrbariumSeries *
urbarium_series_new (const char *name)
{
  UrbariumSeries *self = g_object_new (URBARIUM_TYPE_SERIES, NULL);

  self->name = g_strdup (name != NULL ? name : "");
  return self;
}

const char *
urbarium_series_get_name (UrbariumSeries *self)
{
  g_return_val_if_fail (URBARIUM_IS_SERIES (self), NULL);
  return self->name;
}

static void
emit_changed (UrbariumSeries *self, gsize from)
{
  self->changed_from = MIN (self->changed_from, from);
  if (self->n_freezes > 0 || self->changed_from == G_MAXSIZE)
    return;
  from = self->changed_from;
  self->changed_from = G_MAXSIZE;
  g_signal_emit (self, changed_signal, 0, (guint64) from);
}

void
urbarium_series_freeze (UrbariumSeries *self)
{
  g_return_if_fail (URBARIUM_IS_SERIES (self));
  self->n_freezes++;
}

void
urbarium_series_thaw (UrbariumSeries *self)
{
  g_return_if_fail (URBARIUM_IS_SERIES (self));
  g_return_if_fail (self->n_freezes > 0);
  self->n_freezes--;
  emit_changed (self, G_MAXSIZE);
}

/* Grows by half rather than doubling, to keep the limit documented at _get_n_bytes(). */
static gsize
grown (gsize n_reserved)
{
  return MAX (FAN_OUT, n_reserved + n_reserved / 2);
}

static void
level_push (Level *level)
{
  if (level->n == level->n_reserved)
    {
      level->n_reserved = grown (level->n_reserved);
      level->ranges = g_renew (Range, level->ranges, level->n_reserved);
    }
  level->ranges[level->n++] = (Range) { INFINITY, -INFINITY };
}

static inline void
range_add (Range *range, double min, double max)
{
  if (min < range->min)
    range->min = min;
  if (max > range->max)
    range->max = max;
}

/* Computes range @index of level @k from the level below. */
static Range
summarize (UrbariumSeries *self, guint k, gsize index)
{
  gsize n = k == 0 ? self->n : self->levels[k - 1].n;
  gsize last = MIN (n, (index + 1) * FAN_OUT);
  Range range = { INFINITY, -INFINITY };

  for (gsize i = index * FAN_OUT; i < last; i++)
    {
      Range below;
      if (k > 0)
        below = self->levels[k - 1].ranges[i];
      else if (isfinite (self->points[i].y))
        below = (Range) { self->points[i].y, self->points[i].y };
      else
        continue;
      range_add (&range, below.min, below.max);
    }
  return range;
}

static void
update_levels (UrbariumSeries *self)
{
  gsize index = self->n - 1;
  double y = self->points[index].y;

  for (guint k = 0; k < self->n_levels; k++)
    {
      Level *level = &self->levels[k];
      index /= FAN_OUT;
      if (index == level->n)
        level_push (level);
      if (isfinite (y))
        range_add (&level->ranges[index], y, y);
    }
  if (index > 0) /* the top level has more than one range: add a level */
    {
      guint k = self->n_levels++;
      g_assert (k < MAX_LEVELS);
      level_push (&self->levels[k]);
      self->levels[k].ranges[0] = summarize (self, k, 0);
    }
}

void
urbarium_series_append (UrbariumSeries *self, double x, double y)
{
  g_return_if_fail (URBARIUM_IS_SERIES (self));
  g_return_if_fail (isfinite (x));
  g_return_if_fail (self->n == 0 || x >= self->points[self->n - 1].x);

  if (self->n == self->n_reserved)
    {
      self->n_reserved = grown (self->n_reserved);
      self->points = g_renew (Point, self->points, self->n_reserved);
    }
  self->points[self->n++] = (Point) { x, y };
  update_levels (self);
  emit_changed (self, self->n - 1);
}

/* Searches points [@low, @high). */
static gsize
find_between (UrbariumSeries *self, double x, gboolean or_equal, gsize low, gsize high)
{
  while (low < high)
    {
      gsize middle = low + (high - low) / 2;
      double at = self->points[middle].x;
      if (at > x || (or_equal && at == x))
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

static gsize
find_first_above (UrbariumSeries *self, double x, gboolean or_equal)
{
  return find_between (self, x, or_equal, 0, self->n);
}

void
urbarium_series_truncate_n (UrbariumSeries *self, gsize n)
{
  g_return_if_fail (URBARIUM_IS_SERIES (self));

  if (n >= self->n)
    return;
  self->n = n;
  for (guint k = 0; k < self->n_levels; k++)
    {
      Level *level = &self->levels[k];
      n = (n + FAN_OUT - 1) / FAN_OUT;
      level->n = n;
      /* Only the last range may cover removed points. */
      if (n > 0)
        level->ranges[n - 1] = summarize (self, k, n - 1);
    }
  while (self->n_levels > 0 && (self->n_levels > 1 ? self->levels[self->n_levels - 2].n
                                                   : self->n) <= 1)
    self->levels[--self->n_levels].n = 0;
  emit_changed (self, self->n);
}

void
urbarium_series_truncate (UrbariumSeries *self, double x)
{
  g_return_if_fail (URBARIUM_IS_SERIES (self));
  g_return_if_fail (!isnan (x));
  urbarium_series_truncate_n (self, find_first_above (self, x, FALSE));
}

gsize
urbarium_series_get_n (UrbariumSeries *self)
{
  g_return_val_if_fail (URBARIUM_IS_SERIES (self), 0);
  return self->n;
}

void
urbarium_series_get (UrbariumSeries *self, gsize index, double *x, double *y)
{
  g_return_if_fail (URBARIUM_IS_SERIES (self));
  g_return_if_fail (index < self->n);
  if (x != NULL)
    *x = self->points[index].x;
  if (y != NULL)
    *y = self->points[index].y;
}

gsize
urbarium_series_find (UrbariumSeries *self, double x)
{
  g_return_val_if_fail (URBARIUM_IS_SERIES (self), 0);
  return find_first_above (self, x, TRUE);
}

gsize
urbarium_series_find_near (UrbariumSeries *self, double x, gsize hint)
{
  gsize low, high, step = 4;

  g_return_val_if_fail (URBARIUM_IS_SERIES (self), 0);

  /* Doubles the step until the position lies between low and high. */
  low = high = MIN (hint, self->n);
  while (low > 0 && self->points[low - 1].x >= x)
    {
      high = low;
      low -= MIN (low, step);
      step *= 2;
    }
  while (high < self->n && self->points[high].x < x)
    {
      low = high + 1;
      high += MIN (self->n - high, step);
      step *= 2;
    }
  return find_between (self, x, TRUE, low, high);
}

static void
add_points (UrbariumSeries *self, gsize first, gsize last, Range *range)
{
  for (gsize i = first; i < last; i++)
    if (isfinite (self->points[i].y))
      range_add (range, self->points[i].y, self->points[i].y);
}

static void
add_ranges (const Level *level, gsize first, gsize last, Range *range)
{
  for (gsize i = first; i < last; i++)
    range_add (range, level->ranges[i].min, level->ranges[i].max);
}

/* At each level, adds the entries at both ends that are not covered by whole ranges of the next
 * level, and continues there. */
static Range
query (UrbariumSeries *self, gsize first, gsize last)
{
  Range range = { INFINITY, -INFINITY };

  for (guint k = 0; first < last; k++)
    {
      gsize first_whole = (first + FAN_OUT - 1) / FAN_OUT, last_whole = last / FAN_OUT;
      gboolean is_top = k == self->n_levels || first_whole >= last_whole;
      gsize head_last = is_top ? last : first_whole * FAN_OUT;
      gsize tail_first = is_top ? last : last_whole * FAN_OUT;

      if (k == 0)
        {
          add_points (self, first, head_last, &range);
          add_points (self, tail_first, last, &range);
        }
      else
        {
          add_ranges (&self->levels[k - 1], first, head_last, &range);
          add_ranges (&self->levels[k - 1], tail_first, last, &range);
        }
      if (is_top)
        break;
      first = first_whole;
      last = last_whole;
    }
  return range;
}

gboolean
urbarium_series_get_range (UrbariumSeries *self, gsize first, gsize last, double *min, double *max)
{
  Range range;

  g_return_val_if_fail (URBARIUM_IS_SERIES (self), FALSE);

  range = query (self, first, MIN (last, self->n));
  if (range.min > range.max)
    return FALSE;
  if (min != NULL)
    *min = range.min;
  if (max != NULL)
    *max = range.max;
  return TRUE;
}

UrbariumSeries *
urbarium_series_copy (UrbariumSeries *self)
{
  UrbariumSeries *copy;

  g_return_val_if_fail (URBARIUM_IS_SERIES (self), NULL);

  copy = urbarium_series_new (self->name);
  copy->points = g_memdup2 (self->points, self->n * sizeof *self->points);
  copy->n = copy->n_reserved = self->n;
  copy->n_levels = self->n_levels;
  for (guint k = 0; k < self->n_levels; k++)
    {
      const Level *level = &self->levels[k];
      copy->levels[k] = (Level) { g_memdup2 (level->ranges, level->n * sizeof *level->ranges),
                                  level->n, level->n };
    }
  return copy;
}

gsize
urbarium_series_get_n_bytes (UrbariumSeries *self)
{
  gsize n_bytes;

  g_return_val_if_fail (URBARIUM_IS_SERIES (self), 0);
  n_bytes = sizeof *self + self->n_reserved * sizeof *self->points;
  for (guint k = 0; k < MAX_LEVELS; k++)
    n_bytes += self->levels[k].n_reserved * sizeof (Range);
  return n_bytes;
}
