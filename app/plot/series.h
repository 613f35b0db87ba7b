/* SPDX-License-Identifier: Apache-2.0 */
/*
 * series.h - a growing curve, with the minimum and maximum y of every 16, 256, 4096, … points, so
 * that a plot of a million points is fast.
 */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_SERIES (urbarium_series_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumSeries, urbarium_series, URBARIUM, SERIES, GObject)

/* @name: translated: "Generator".
 * Signal "changed" (guint64 from): points from this index on were added, changed or removed. */
UrbariumSeries *urbarium_series_new (const char *name);

const char *urbarium_series_get_name (UrbariumSeries *self);
/* x must be finite and not decrease; a NaN or infinite y is a gap.  Amortized constant time; each
 * append emits "changed", so freeze around many of them. */
void        urbarium_series_append   (UrbariumSeries *self, double x, double y);
/* "changed" is emitted at most once, by the outermost thaw. */
void        urbarium_series_freeze   (UrbariumSeries *self);
void        urbarium_series_thaw     (UrbariumSeries *self);
/* Removes all points with x > @x, after a run went back to a checkpoint; -INFINITY: all points. */
void        urbarium_series_truncate (UrbariumSeries *self, double x);
/* Keeps the first @n points. */
void        urbarium_series_truncate_n (UrbariumSeries *self, gsize n);
gsize       urbarium_series_get_n    (UrbariumSeries *self);
void        urbarium_series_get      (UrbariumSeries *self, gsize index, double *x, double *y);
/* Index of the first point with x >= @x; n if none. */
gsize       urbarium_series_find     (UrbariumSeries *self, double x);
/* The same, faster if the result is close to @hint. */
gsize       urbarium_series_find_near (UrbariumSeries *self, double x, gsize hint);
/* Minimum and maximum finite y of points [@first, @last), clamped to n; FALSE if all are gaps.
 * O(log n). */
gboolean    urbarium_series_get_range (UrbariumSeries *self, gsize first, gsize last, double *min,
                                       double *max);

/* A copy without signal handlers, for another thread. (transfer full) */
UrbariumSeries *urbarium_series_copy (UrbariumSeries *self);

/* Memory of the points and the pyramid, including reserve: at most twice that of the raw points,
 * from some thousand points on. */
gsize       urbarium_series_get_n_bytes (UrbariumSeries *self);

G_END_DECLS
