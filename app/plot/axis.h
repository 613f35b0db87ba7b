/* SPDX-License-Identifier: Apache-2.0 */
/*
 * axis.h - from values to pixels and back, and where to put the numbers.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URBARIUM_AXIS_LINEAR,
  URBARIUM_AXIS_LOG /* of values above zero */
} UrbariumAxisScale;

typedef struct
{
  UrbariumAxisScale scale;
  double            min, max; /* values; min < max */
  double            from, to; /* pixels of min and of max; from > to for a y axis */
} UrbariumAxis;

/* On a log axis, what is not above zero lies far beyond the end of the least value. */
double urbarium_axis_to_px   (const UrbariumAxis *axis, double value);
double urbarium_axis_from_px (const UrbariumAxis *axis, double px);
/* Widens an empty range, so that min < max, and above zero on a log axis. */
void   urbarium_axis_sanitize (UrbariumAxis *axis);

typedef struct
{
  double value;
  char  *label; /* owned; NULL for a small tick between two labels */
} UrbariumTick;

/**
 * urbarium_axis_get_ticks:
 * @max_labels: about as many labels as there is room for
 *
 * Steps of 1, 2 or 5 times a power of ten; on a log axis powers of ten, and the steps between
 * them if there is room; as the locale writes numbers.
 *
 * Returns: (transfer full) (element-type UrbariumTick): ascending, all within the axis
 */
GArray *urbarium_axis_get_ticks (const UrbariumAxis *axis, guint max_labels);

G_END_DECLS
