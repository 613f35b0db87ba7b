/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class-map.h - the class of each pixel of a tile.
 *
 * A generator outputs levels, one byte per channel.  They are classified as follows:
 *
 *  - three channels (building, road, other): the channel with the highest level.  Ties go
 *    to the class on top: building before road before other; three equal levels carry no
 *    information and give other.
 *  - one channel: the nearest of road 0, other 128, building 255; the tie at 64 is other,
 *    the least harmful class.
 */
#pragma once

#include <gio/gio.h>

#include "map/map.h"

G_BEGIN_DECLS

#define URB_CITY_ERROR (urb_city_error_quark ())
GQuark urb_city_error_quark (void);

typedef enum
{
  URB_CITY_ERROR_IMAGE,       /* not a usable image */
  URB_CITY_ERROR_OPTIONS,     /* conflicting or invalid options */
  URB_CITY_ERROR_WRITE,       /* the disk is full, or GDAL failed */
  URB_CITY_ERROR_DATASET,     /* too few areas, or tiles too small, to compare with */
  URB_CITY_ERROR_UNAVAILABLE  /* built with -Dgeo=disabled */
} UrbCityError;

enum { URB_CLASS_MAP_MAX_EDGE_PX = 8192 };

typedef struct
{
  int     width_px, height_px;
  double  pixel_m; /* edge of a pixel */
  guint8 *classes; /* owned; (height_px, width_px) UrbClass, row 0 at the top */
} UrbClassMap;

UrbClassMap *urb_class_map_new  (int width_px, int height_px, double pixel_m); /* all other */
void         urb_class_map_free (UrbClassMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbClassMap, urb_class_map_free)

/* Classifies one pixel.  @levels: (@n_channels), 3 or 1 */
UrbClass urb_class_from_levels (const guint8 *levels, int n_channels);

/**
 * urb_class_map_new_from_levels:
 * @levels: (@height_px, @width_px, @n_channels) bytes
 * @width_m: the tile's width on the ground
 */
UrbClassMap *urb_class_map_new_from_levels (const guint8 *levels, int width_px, int height_px,
                                            int n_channels, double width_m);

/**
 * urb_class_map_load_png:
 * @width_m: the image's width on the ground
 * @covered: (out) (optional) (transfer full): (height_px, width_px): 1, or 0 where the image is
 *   mostly transparent, which is classified as other
 *
 * Reads an image of classes: a sample grid or plan drawn by this program, pure channels
 * (red building, green road, blue other), or grey.
 *
 * Returns: (transfer full): or %NULL with a %URB_CITY_ERROR_IMAGE
 */
UrbClassMap *urb_class_map_load_png (const char *path, double width_m, guint8 **covered,
                                     GError **error);

/* The share of each class; sums to 1.  @shares: (out): (URB_N_CLASSES) */
void urb_class_map_get_shares (const UrbClassMap *self, double *shares);

G_END_DECLS
