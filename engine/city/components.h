/* SPDX-License-Identifier: Apache-2.0 */
/*
 * components.h - connected components of pixels with equal values, for the sieve, the
 * vectorizer and the measures.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URB_CONNECT_4, /* by edges */
  URB_CONNECT_8  /* by edges and corners */
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
 * Takes linear time.  Components are numbered by their first pixel, row by row.
 *
 * Returns: (transfer full) (element-type UrbComponent)
 */
GArray *urb_components_label (const guint8 *values, int width_px, int height_px,
                              UrbConnectivity connectivity, gint32 *labels);

G_END_DECLS
