/* SPDX-License-Identifier: Apache-2.0 */
/*
 * band.h - the area between the least and the greatest value of each pixel column.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A point, or a column of many; ascending by x. */
typedef struct
{
  double x, top, bottom; /* pixels; top <= bottom */
  guint  run;            /* a gap begins another run; within one, parts are joined */
} UrbariumBandPart;

typedef struct
{
  double top, bottom; /* pixels; nothing is drawn beyond */
} UrbariumBandClip;

/* Fills it with half of @line_width more above and below, so that a single value is a line.
 * As a path, but for images, see band.c. */
void urbarium_band_fill (const UrbariumBandPart *parts, guint n_parts, cairo_t *cr,
                         const GdkRGBA *color, double line_width, UrbariumBandClip clip);

G_END_DECLS
