/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view-private.h - how a view is moved; all pure functions.
 */
#pragma once

#include "app/canvas/canvas.h"

G_BEGIN_DECLS

#define URBARIUM_VIEW_MIN_M_PER_PX 0.01 /* a centimetre: no plan is more exact */

/* The same view with @x, @y (metres) at the pixel (@px, @py) and another scale. */
UrbariumView urbarium_view_pin     (UrbariumView view, double x, double y, double px, double py,
                                    double m_per_px);
/* Scaled by @factor (2: twice as large), the pixel (@px, @py) staying where it is. */
UrbariumView urbarium_view_zoom_at (UrbariumView view, double px, double py, double factor);
/* Moved as if the map were dragged by that many pixels. */
UrbariumView urbarium_view_drag    (UrbariumView view, double dx_px, double dy_px);
/* All of @box, with a margin. */
UrbariumView urbarium_view_fit     (UrbariumView view, UrbBox box);
/* Keeps the centre within @extent and the scale within reason. */
UrbariumView urbarium_view_clamp   (UrbariumView view, UrbBox extent);
/* Shifted by less than a device pixel, so that the origin of the map lies between two of them:
 * then tiles at any place are shifted alike, and do not shimmer. */
UrbariumView urbarium_view_snap    (UrbariumView view, int scale_factor);
/* Part @t, from 0 to 1, of the way between two views, as a bird would fly it. */
UrbariumView urbarium_view_mix     (UrbariumView from, UrbariumView to, double t);

gboolean urbarium_view_is_same (const UrbariumView *a, const UrbariumView *b);

G_END_DECLS
