/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-colors.h - shows the plans of a sample grid in the colors of the window.
 */
#pragma once

#include <cairo.h>

#include "app/canvas/palette.h"

G_BEGIN_DECLS

/* Roads of a plan as small as a thumbnail stand out from the ground at least this much, as text does that
 * WCAG calls large. */
#define URBARIUM_ROAD_CONTRAST 3.0

/* The color of the roads: the palette's, moved towards the buildings' as far as needed. */
UrbColor urbarium_plan_road_color (const UrbariumPalette *palette);
/* Of two colors, as WCAG defines it: from 1 to 21. */
double   urbarium_plan_contrast (UrbColor a, UrbColor b);

/* @plan: an image surface of plans in the engine's colors; grey images stay as they are.
 * Returns: (transfer full) */
cairo_surface_t *urbarium_plan_recolor (cairo_surface_t *plan, const UrbariumPalette *palette);

G_END_DECLS
