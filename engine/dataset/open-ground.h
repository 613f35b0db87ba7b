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
 * 150 m, and up to 25 m around the outermost objects, in cells of 5 m, or of a pixel if that is larger.  This
 * is a morphological closing (Serra, Image Analysis and Mathematical Morphology, 1982) by squares.  Frames
 * that overlap have the same ground in common.
 */
void urb_open_ground_lay (UrbOpenGround *self, UrbMap *map, const UrbFrame *frame, UrbRaster *raster);

G_END_DECLS
