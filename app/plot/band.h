/* SPDX-License-Identifier: Apache-2.0 */
/* band.h - fills the area between the minimum and maximum of each pixel column. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A point, or a column of many points; ascending by x. */
typedef struct
{
  double x, top, bottom; /* pixels; top <= bottom */
  guint  run;            /* a gap starts a new run; the parts of a run are connected */
} UrbariumBandPart;

typedef struct
{
  double top, bottom; /* pixels */
} UrbariumBandClip;

/* The index after the last part of the run of @start. */
guint urbarium_band_find_run_end (const UrbariumBandPart *parts, guint n_parts, guint start);

/* Fills the band, extended by half of @line_width above and below, so that single values form a
 * line. */
void urbarium_band_fill (const UrbariumBandPart *parts, guint n_parts, cairo_t *cr,
                         const GdkRGBA *color, double line_width, UrbariumBandClip clip);

G_END_DECLS
