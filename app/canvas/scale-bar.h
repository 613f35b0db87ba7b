/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scale-bar.h - a length one can compare with, in the bottom corner at the start of a line.
 */
#pragma once

#include "app/canvas/canvas.h"
#include "app/canvas/palette.h"

G_BEGIN_DECLS

/* What was drawn last, since most frames show the same again. */
typedef struct
{
  double                 length_m, width_px;
  const UrbariumPalette *palette;
  GskRenderNode         *node; /* owned; nullable */
} UrbariumScaleBar;

/* The longest of 1, 2, 5, 10, 20, ... metres (or parts of one) that is not longer than
 * @max_px. */
double urbarium_scale_bar_get_length (double m_per_px, double max_px);

void urbarium_scale_bar_snapshot (UrbariumScaleBar *self, GtkSnapshot *snapshot, GtkWidget *widget,
                                  const UrbariumView *view, const UrbariumPalette *palette);
/* Forgets what was drawn: the style has changed. */
void urbarium_scale_bar_clear    (UrbariumScaleBar *self);

G_END_DECLS
