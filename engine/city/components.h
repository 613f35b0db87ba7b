/* SPDX-License-Identifier: Apache-2.0 */
/*
 * components.h - connected components of a picture of small numbers.
 *
 * The sieve, the vectoriser and the measures all ask the same question: which
 * pixels of one value hang together?
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URB_CONNECT_4, /* over edges */
  URB_CONNECT_8  /* over edges and corners */
} UrbConnectivity;

typedef struct
{
  guint8   value;
  gboolean touches_border;
  int      min_col, min_row, max_col, max_row; /* inclusive */
  gint64   n_pixels;
} UrbComponent;

/**
 * urb_components_label:
 * @values: (@height_px, @width_px), row 0 at the top
 * @labels: (out): (@height_px, @width_px), the index of each pixel's component
 *
 * Linear in the pixels.  Components are numbered by their first pixel, row by row.
 *
 * Returns: (transfer full) (element-type UrbComponent)
 */
GArray *urb_components_label (const guint8 *values, int width_px, int height_px,
                              UrbConnectivity connectivity, gint32 *labels);

G_END_DECLS
