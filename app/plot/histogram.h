/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram.h - a histogram with a threshold to drag.
 *
 * What lies from the threshold on is accented, what lies below it is dimmed.
 * Heights go with the square root of the counts, so that small bins are seen
 * beside large ones.  A drag costs two clipped images, however many bins.
 *
 * Keyboard: arrows move the threshold by a bin, Page Up/Down by ten, Home and
 * End to the ends; it is a slider for assistive technologies (role, value,
 * minimum, maximum).
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
 * Signals: "notify::threshold" while dragging; "threshold-set" (double before): the drag or key
 * press is over (for undo).
 */
GtkWidget *urbarium_histogram_new (void);

/* @counts: (@n_bins), copied; of equal bins over [@min, @max].  Keeps the threshold, which may lie
 * outside. */
void   urbarium_histogram_set_counts    (UrbariumHistogram *self, const gint64 *counts,
                                         guint n_bins, double min, double max);
double urbarium_histogram_get_threshold (UrbariumHistogram *self);
void   urbarium_histogram_set_threshold (UrbariumHistogram *self, double threshold);

G_END_DECLS
