/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - the visible part of a plan: pure functions that convert and move it. */
#pragma once

#include <graphene.h>

#include "map/map.h"

G_BEGIN_DECLS

/* In widget pixels, y points down; in map meters, up. */
typedef struct
{
  double center_x, center_y; /* meters, at the center of the widget */
  double m_per_px;           /* meters per widget pixel */
  int    width, height;      /* widget pixels */
} UrbariumView;

void   urbarium_view_to_map   (const UrbariumView *view, double px, double py, double *x, double *y);
void   urbarium_view_from_map (const UrbariumView *view, double x, double y, double *px, double *py);
UrbBox urbarium_view_get_box  (const UrbariumView *view); /* visible area in meters */
/* @box in widget pixels. */
graphene_rect_t urbarium_view_get_rect (const UrbariumView *view, UrbBox box);

#define URBARIUM_VIEW_MIN_M_PER_PX 0.01 /* no plan is more accurate than a centimeter */

/* Another scale, with @x, @y (meters) at the pixel (@px, @py). */
UrbariumView urbarium_view_pin     (UrbariumView view, double x, double y, double px, double py,
                                    double m_per_px);
/* Scaled by @factor (2: twice as large) about the pixel (@px, @py). */
UrbariumView urbarium_view_zoom_at (UrbariumView view, double px, double py, double factor);
/* Moved by dragging the map by that many pixels. */
UrbariumView urbarium_view_drag    (UrbariumView view, double dx_px, double dy_px);
/* Shows @box with a margin. */
UrbariumView urbarium_view_fit     (UrbariumView view, UrbBox box);
/* Limits the center to @extent, and the scale to a sensible range. */
UrbariumView urbarium_view_clamp   (UrbariumView view, UrbBox extent);
/* Shifted by less than a device pixel, so that the map's origin lies between two of them: all
 * tiles are then shifted equally and do not shimmer. */
UrbariumView urbarium_view_snap    (UrbariumView view, int scale_factor);
/* Interpolates between two views; @t is 0 to 1. */
UrbariumView urbarium_view_mix     (UrbariumView from, UrbariumView to, double t);

gboolean urbarium_view_is_same (const UrbariumView *a, const UrbariumView *b);

G_END_DECLS
