/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raster.h - rasterizes a map's classes at any position, size and angle.
 *
 * A pixel belongs to a polygon if its center is inside by the even-odd rule over all
 * rings, exactly as in gdal_rasterize.  Buildings cover roads, which cover the rest.
 */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

/* The position of the pixels.  Columns run along (cos_a, sin_a), rows along
 * (sin_a, -cos_a): east and south at angle 0. */
typedef struct
{
  double x, y;         /* meters; outer corner of the first pixel of the first row */
  double cos_a, sin_a;
  double pixel_m;
  int    width, height; /* pixels */
} UrbFrame;

/* The frame of a square of @size_m meters around a center. */
UrbFrame urb_frame_around (double center_x, double center_y, double angle_deg, double size_m,
                           int size_px);
/* The part of @frame that begins at (@col, @row). */
UrbFrame urb_frame_crop   (const UrbFrame *frame, gint64 col, gint64 row, int width, int height);
/* Pixel coordinates to meters. */
void     urb_frame_to_map (const UrbFrame *frame, double col, double row, double *x, double *y);
UrbBox   urb_frame_get_box (const UrbFrame *frame);

/* Workspace and last result.  One per thread; grows to the largest frame so far and
 * allocates nothing else. */
typedef struct _UrbRaster UrbRaster;

UrbRaster *urb_raster_new  (void);
void       urb_raster_free (UrbRaster *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbRaster, urb_raster_free)

/**
 * urb_raster_set_ground:
 * @ground: (array length=n): painted as "other" below everything else; they do not overlap; borrowed until
 *   replaced
 */
void urb_raster_set_ground (UrbRaster *self, const UrbBox *ground, gsize n);

/* Replaces the content with @map within @frame. */
void urb_raster_paint (UrbRaster *self, UrbMap *map, const UrbFrame *frame);

/* One bit per pixel, lowest bit first; rows of @stride words; each pixel is in at most
 * one class.  Bits beyond the width are 0.  Valid until the next urb_raster_paint(). */
const guint64 *urb_raster_get_plane (UrbRaster *self, UrbClass class_, gsize *stride);

/* The number of pixels of a class. */
gint64 urb_raster_count (UrbRaster *self, UrbClass class_);

G_END_DECLS
