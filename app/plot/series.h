/* SPDX-License-Identifier: Apache-2.0 */
/*
 * series.h - a curve that grows: x and y, with what a plot needs to draw a
 * million points in a moment: the least and greatest y of every run of 16, 256,
 * 4096, … points.
 */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_SERIES (urbarium_series_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumSeries, urbarium_series, URBARIUM, SERIES, GObject)

/* @name: translated: "Generator".
 * Signal "changed" (guint64 from): points from this index on are new; or fewer are there. */
UrbariumSeries *urbarium_series_new (const char *name);

const char *urbarium_series_get_name (UrbariumSeries *self);
/* x is finite and must not decrease; y may be NaN, which is a gap, as is an infinite y.
 * Amortised constant time; each append emits "changed", so freeze around many of them. */
void        urbarium_series_append   (UrbariumSeries *self, double x, double y);
/* "changed" is emitted at most once, by the thaw that ends the outermost freeze. */
void        urbarium_series_freeze   (UrbariumSeries *self);
void        urbarium_series_thaw     (UrbariumSeries *self);
/* Forgets all points with x > @x: the run went back to a checkpoint.  -INFINITY forgets all. */
void        urbarium_series_truncate (UrbariumSeries *self, double x);
/* Keeps the first @n points. */
void        urbarium_series_truncate_n (UrbariumSeries *self, gsize n);
gsize       urbarium_series_get_n    (UrbariumSeries *self);
void        urbarium_series_get      (UrbariumSeries *self, gsize index, double *x, double *y);
/* Index of the first point with x >= @x; n if none. */
gsize       urbarium_series_find     (UrbariumSeries *self, double x);
/* The same for @x near that of point @hint: a few steps from there. */
gsize       urbarium_series_find_near (UrbariumSeries *self, double x, gsize hint);
/* Least and greatest finite y of points [@first, @last), clamped to what is there; FALSE if all are
 * gaps.  O(log n). */
gboolean    urbarium_series_get_range (UrbariumSeries *self, gsize first, gsize last, double *min,
                                       double *max);

/* Of its own, without listeners: for another thread. (transfer full) */
UrbariumSeries *urbarium_series_copy (UrbariumSeries *self);

/* What the points and their pyramid take up, reserve included: at most twice the raw points, from
 * some thousand points on. */
gsize       urbarium_series_get_n_bytes (UrbariumSeries *self);

G_END_DECLS
