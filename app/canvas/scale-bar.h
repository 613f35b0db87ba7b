/* SPDX-License-Identifier: Apache-2.0 */
/* scale-bar.h - the scale bar in the bottom corner (left, or right for right-to-left text). */
#pragma once

#include "app/canvas/canvas.h"
#include "app/canvas/palette.h"

G_BEGIN_DECLS

/* Caches the last drawing, since most frames repeat it. */
typedef struct
{
  double                 length_m, width_px;
  const UrbariumPalette *palette;
  GskRenderNode         *node; /* owned; nullable */
} UrbariumScaleBar;

/* The longest of …, 0.5, 1, 2, 5, 10, 20, … meters that fits into @max_px. */
double urbarium_scale_bar_get_length (double m_per_px, double max_px);

void urbarium_scale_bar_snapshot (UrbariumScaleBar *self, GtkSnapshot *snapshot, GtkWidget *widget,
                                  const UrbariumView *view, const UrbariumPalette *palette);
/* Clears the cache after a change of style. */
void urbarium_scale_bar_clear    (UrbariumScaleBar *self);

G_END_DECLS
