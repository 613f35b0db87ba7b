/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram.h - a histogram with a threshold that can be dragged.
 *
 * Bars above the threshold are accented, those below are dimmed.  Heights are proportional to the
 * square root of the counts, so that small bins are visible next to large ones.  A frame of a drag
 * draws two clipped images, regardless of the number of bins.
 *
 * Keyboard: arrows move the threshold by one bin, Page Up and Down by ten, Home and End to the
 * ends.  For assistive technologies it is a slider.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_HISTOGRAM (urbarium_histogram_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumHistogram, urbarium_histogram, URBARIUM, HISTOGRAM, GtkWidget)

/**
 * UrbariumHistogram:
 *
 * Properties: threshold (double, read-write), x-label (string, translated).
 *
 * Signals: "notify::threshold" while dragging; "threshold-set" (double before): after a drag or a key
 * press (for undo).
 */

/* @counts: (@n_bins), copied; for equal bins over [@min, @max].  Keeps the threshold, even if it is
 * out of range. */
void   urbarium_histogram_set_counts    (UrbariumHistogram *self, const gint64 *counts,
                                         guint n_bins, double min, double max);
double urbarium_histogram_get_threshold (UrbariumHistogram *self);
void   urbarium_histogram_set_threshold (UrbariumHistogram *self, double threshold);

G_END_DECLS
