/* SPDX-License-Identifier: Apache-2.0 */
/* axis.h - converts between values and pixels, and places ticks. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URBARIUM_AXIS_LINEAR,
  URBARIUM_AXIS_LOG /* for positive values */
} UrbariumAxisScale;

typedef struct
{
  UrbariumAxisScale scale;
  double            min, max; /* values; min < max */
  double            from, to; /* pixels of min and max; from > to for a y axis */
} UrbariumAxis;

/* On a log axis, values of 0 and below map far beyond the end of min. */
double urbarium_axis_to_px   (const UrbariumAxis *axis, double value);
double urbarium_axis_from_px (const UrbariumAxis *axis, double px);
/* Widens an empty range so that min < max, with min > 0 on a log axis. */
void   urbarium_axis_sanitize (UrbariumAxis *axis);

typedef struct
{
  double value;
  char  *label; /* owned; NULL for a minor tick */
} UrbariumTick;

/**
 * urbarium_axis_get_ticks:
 * @max_labels: approximate number of labels that fit
 *
 * Steps are 1, 2 or 5 times a power of ten; on a log axis powers of ten, with steps in between if
 * they fit.  Numbers are formatted for the locale.
 *
 * Returns: (transfer full) (element-type UrbariumTick): ascending, all within the axis
 */
GArray *urbarium_axis_get_ticks (const UrbariumAxis *axis, guint max_labels);

G_END_DECLS
