/* SPDX-License-Identifier: Apache-2.0 */
/*
 * soft-map.h - how much of each pixel of a tile belongs to each class.
 *
 * Generators are unsure at borders and of thin roads.  A class map forgets this; whoever
 * draws streets or walls between the pixels needs it.
 */
#pragma once

#include "city/class-map.h"

G_BEGIN_DECLS

typedef struct
{
  int    width_px, height_px;
  double pixel_m;   /* edge of a pixel */
  double detail_m;  /* the true resolution: the pixel size before interpolation */
  float *shares[URB_N_CLASSES]; /* owned; (height_px, width_px) in [0, 1], row 0 at the top; the
                                 * classes of a pixel sum to 1 */
} UrbSoftMap;

UrbSoftMap *urb_soft_map_new  (int width_px, int height_px, double pixel_m); /* all 0 */
void        urb_soft_map_free (UrbSoftMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSoftMap, urb_soft_map_free)

/* The share at a point between the pixels: bilinear, and constant beyond their centers.
 * @shares: (@height, @width) */
double urb_shares_sample (const float *shares, int width, int height, double x, double y);
/* The same at @zoom x @zoom points of each pixel.
 * @fine: (out) (@height * @zoom, @width * @zoom) */
void   urb_shares_enlarge (const float *shares, int width, int height, int zoom, float *fine);

/**
 * urb_soft_map_new_from_levels:
 * @levels: (@height_px, @width_px, @n_channels) bytes; three channels are normalized to a
 *   sum of 1 (all zero: other), grey is interpolated between road 0, other 128, building 255
 * @width_m: the tile's width on the ground
 * @zoom: >= 1; the shares are interpolated bilinearly to @zoom times the width and height
 *
 * Returns: (transfer full)
 */
UrbSoftMap *urb_soft_map_new_from_levels (const guint8 *levels, int width_px, int height_px,
                                          int n_channels, double width_m, int zoom);

/* Shares of 0 and 1.  Returns: (transfer full) */
UrbSoftMap *urb_soft_map_new_from_classes (const UrbClassMap *map);

/* The class of each pixel: the largest share, ties as in urb_class_from_levels().
 * Returns: (transfer full) */
UrbClassMap *urb_class_map_new_from_soft (const UrbSoftMap *map);

G_END_DECLS
