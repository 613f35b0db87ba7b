/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value-histogram.h - how the values of a tensor are distributed: bars, and their mean and deviation in words.
 */
#pragma once

#include "app/plot/chart-widget.h"
#include "train/safetensors.h"

G_BEGIN_DECLS

enum { URBARIUM_N_VALUE_BINS = 61 };

/* Bins are equal, and reach four standard deviations from the mean unless the values do not; what is beyond is
 * in the first or the last. */
typedef struct
{
  gint64 n, n_bad; /* elements; of them not finite, which are nowhere else */
  double mean, std, min, max; /* 0 if there are none */
  double from, to; /* of the bins */
  gint64 counts[URBARIUM_N_VALUE_BINS];
} UrbariumValues;

/* Counts the elements of @tensor, or with @root their square roots; callable from any thread. */
void urbarium_values_count (UrbariumValues *self, const UrbTensor *tensor, gboolean root);

#define URBARIUM_TYPE_VALUE_HISTOGRAM (urbarium_value_histogram_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumValueHistogram, urbarium_value_histogram, URBARIUM, VALUE_HISTOGRAM, UrbariumChartWidget)

/* @title: of the values, translated */
GtkWidget *urbarium_value_histogram_new         (const char *title);
void       urbarium_value_histogram_set_values  (UrbariumValueHistogram *self, const UrbariumValues *values);
/* "Weights: 0 ± 0.02, from −0.1 to 0.1". (transfer full) */
char      *urbarium_value_histogram_dup_summary (UrbariumValueHistogram *self);

G_END_DECLS
