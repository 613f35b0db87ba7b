/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raster.h - burns a map's classes into pixels, at any place, size and angle.
 *
 * A pixel belongs to a polygon if its centre is inside by the even-odd rule over
 * all rings, exactly as gdal_rasterize has it; of several classes the building
 * is on top, then the road.
 */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

/* Where the pixels lie.  Columns go along (cos_a, sin_a), rows along
 * (sin_a, -cos_a): at angle 0 to the east and to the south. */
typedef struct
{
  double x, y;         /* metres; outer corner of the first pixel of the first row */
  double cos_a, sin_a;
  double pixel_m;
  int    width, height; /* pixels */
} UrbFrame;

/* The frame of a square of @size_m metres around a centre. */
UrbFrame urb_frame_around (double center_x, double center_y, double angle_deg, double size_m,
                           int size_px);
/* A part of @frame that begins at (@col, @row). */
UrbFrame urb_frame_crop   (const UrbFrame *frame, gint64 col, gint64 row, int width, int height);
/* Pixel coordinates to metres. */
void     urb_frame_to_map (const UrbFrame *frame, double col, double row, double *x, double *y);
UrbBox   urb_frame_get_box (const UrbFrame *frame);

/* The work space and the last result.  One per thread; grows to the largest
 * frame it has seen and allocates nothing else. */
typedef struct _UrbRaster UrbRaster;

UrbRaster *urb_raster_new  (void);
void       urb_raster_free (UrbRaster *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbRaster, urb_raster_free)

/**
 * urb_raster_set_ground:
 * @xy: (nullable): (@n_vertices) pairs, a ring that is painted as "other" below
 *   everything else; borrowed until it is replaced.  %NULL: none
 */
void urb_raster_set_ground (UrbRaster *self, const double *xy, gsize n_vertices);

/* Replaces the content by @map within @frame. */
void urb_raster_paint (UrbRaster *self, UrbMap *map, const UrbFrame *frame);

/* One bit per pixel, the first in the lowest bit; rows of @stride words; a pixel
 * is in one class at most.  Bits beyond the width are 0.  Valid until the next
 * urb_raster_paint(). */
const guint64 *urb_raster_get_plane (UrbRaster *self, UrbClass class_, gsize *stride);

/* Pixels of a class. */
gint64 urb_raster_count (UrbRaster *self, UrbClass class_);

/* @codes: (out): (height, width): the class, or 3 where there is nothing. */
void urb_raster_get_classes (UrbRaster *self, guint8 *codes);

G_END_DECLS
