/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skeleton-private.h - the middle lines of roads.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  int n_dead_ends; /* off the border of the picture */
  int n_junctions;
} UrbSkeletonCounts;

/* Thins in place to lines of one pixel (Zhang and Suen, 1984).
 * @mask: (@height_px, @width_px) of 0 and 1 */
void              urb_skeleton_thin  (guint8 *mask, int width_px, int height_px);

/* Thins @mask and counts.  Branches shorter than 8 m (or 2 pixels) are frays
 * of the thinning, junctions nearer than that are one. */
UrbSkeletonCounts urb_skeleton_count (guint8 *mask, int width_px, int height_px, double pixel_m);

G_END_DECLS
