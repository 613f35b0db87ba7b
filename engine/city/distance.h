/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distance.h - how far two distributions are apart, and how far is far.
 */
#pragma once

#include "city/measures.h"

G_BEGIN_DECLS

/**
 * urb_wasserstein:
 * @a: (element-type double): ascending
 * @b: (element-type double): ascending
 *
 * The 1-Wasserstein distance: the area between the two distribution functions,
 * in the values' own unit.  A side without values counts as the value 0.
 */
double urb_wasserstein (const GArray *a, const GArray *b);

/* The value at share @q of ascending values; NaN if there are none. */
double urb_quantile (const GArray *values, double q);

typedef struct
{
  double median, q95;
} UrbNoise;

/**
 * urb_measurements_get_noise:
 *
 * How far real areas are from real areas: splits the tiles at random into
 * halves of equal size, 200 times, and looks at the distances between them.
 * Tiles are split, not buildings: those of a tile belong together.
 */
UrbNoise urb_measurements_get_noise (const UrbMeasurements *self, UrbMeasure measure, guint64 seed);

/* 0 .. @n - 1 in an order that @seed and @round decide. */
guint   *urb_shuffle (guint n, guint64 seed, guint64 round);

G_END_DECLS
