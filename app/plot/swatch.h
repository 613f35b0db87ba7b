/* SPDX-License-Identifier: Apache-2.0 */
/* swatch.h - the square in front of a legend's text. */
#pragma once

#include "app/plot/chart-style.h"

G_BEGIN_DECLS

enum { URBARIUM_SWATCH_INK = G_MAXINT }; /* the color of text, beside those of the palette */

/* @color_index: into the palette, or %URBARIUM_SWATCH_INK */
GtkWidget *urbarium_swatch_new       (guint color_index);
GdkRGBA    urbarium_swatch_get_color (const UrbariumChartStyle *style, guint color_index);

G_END_DECLS
