/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distance.h - distances between distributions, and their noise level.
 */
#pragma once

#include "city/measures.h"

G_BEGIN_DECLS

/**
 * urb_wasserstein:
 * @a: (element-type double): ascending
 * @b: (element-type double): ascending
 *
 * The 1-Wasserstein distance: the area between the two cumulative distribution functions,
 * in the unit of the values.  An empty side counts as a single value 0.
 */
double urb_wasserstein (const GArray *a, const GArray *b);

/* The @q quantile of ascending values, interpolated; NaN if there are none. */
double urb_quantile (const GArray *values, double q);

typedef struct
{
  double median, q95;   /* of the distance */
  double medians_q95;    /* 95 % quantile of the difference of the medians */
} UrbNoise;

/**
 * urb_measurements_get_noise:
 *
 * The distance between real areas and real areas: splits the tiles at random into equal
 * halves, 200 times, and measures the distances between the halves.  Tiles are split, not
 * buildings, since buildings of a tile are not independent.
 */
UrbNoise urb_measurements_get_noise (const UrbMeasurements *self, UrbMeasure measure, guint64 seed);

/* 0 .. @n - 1 in an order determined by @seed and @round. */
guint   *urb_shuffle (guint n, guint64 seed, guint64 round);

G_END_DECLS
