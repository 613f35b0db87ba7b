/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open-ground.h - ground without an object that counts as "other", on a map that leaves ground open, such as
 * OpenStreetMap.
 *
 * Between mapped objects are yards, gardens and fields.  What is beyond them is not known: a map may end at
 * a border, or at the sea.
 */
#pragma once

#include "dataset/raster.h"

G_BEGIN_DECLS

#define URB_OPEN_GROUND_GAP_M 150.0 /* between objects */

/* A workspace: one per thread. */
typedef struct _UrbOpenGround UrbOpenGround;

UrbOpenGround *urb_open_ground_new  (void);
void           urb_open_ground_free (UrbOpenGround *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbOpenGround, urb_open_ground_free)

/**
 * urb_open_ground_lay:
 * @frame: that will be painted
 * @raster: borrows the ground until the next call
 *
 * Finds the open ground near the objects of @map, and lays it under the next painting of @raster: gaps of up to
 * 150 m, and up to 25 m around the outermost objects, in cells of 5 m.  Where a pixel is larger, a cell is 10 m,
 * 20 m, … to be as large as a pixel at least, and both distances are rounded to whole cells, gaps to at least two.  This
 * is a dilation by squares, then an erosion (Serra, Image Analysis and Mathematical Morphology, 1982).  Frames
 * with the same pixels have the same ground where they overlap.
 */
void urb_open_ground_lay (UrbOpenGround *self, UrbMap *map, const UrbFrame *frame, UrbRaster *raster);

G_END_DECLS
