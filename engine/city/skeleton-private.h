/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skeleton-private.h - skeletons (center lines) of roads.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  int n_dead_ends; /* away from the image border */
  int n_junctions;
} UrbSkeletonCounts;

/* Thins in place to lines of one pixel (Zhang and Suen, 1984).
 * @mask: (@height_px, @width_px) of 0 and 1 */
void              urb_skeleton_thin  (guint8 *mask, int width_px, int height_px);

/* Thins @mask and counts.  Branches shorter than 8 m (or 2 pixels) are artifacts of the
 * thinning; junctions nearer than that are merged. */
UrbSkeletonCounts urb_skeleton_count (guint8 *mask, int width_px, int height_px, double pixel_m);

G_END_DECLS
