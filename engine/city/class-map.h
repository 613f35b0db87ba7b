/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class-map.h - which class every pixel of a tile is.
 *
 * A generator gives levels, bytes per channel.  A plan needs a decision.  The
 * rule:
 *
 *  - three channels (building, road, other): the channel with the highest
 *    level.  Of two equal ones the class that is painted on top, that is
 *    building before road before other; a pixel whose three levels are equal
 *    says nothing and is other.
 *  - one channel: the nearest of road 0, other 128, building 255; half way, at
 *    64, it is other, the class that does least harm.
 */
#pragma once

#include <gio/gio.h>

#include "map/map.h"

G_BEGIN_DECLS

#define URB_CITY_ERROR (urb_city_error_quark ())
GQuark urb_city_error_quark (void);

typedef enum
{
  URB_CITY_ERROR_IMAGE,       /* not an image, or not one of classes */
  URB_CITY_ERROR_OPTIONS,     /* options that do not go together */
  URB_CITY_ERROR_WRITE,       /* the disk is full, or GDAL refused */
  URB_CITY_ERROR_DATASET,     /* too few areas to compare with */
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

/* The rule above for one pixel. @levels: (@n_channels), which is 3 or 1 */
UrbClass urb_class_from_levels (const guint8 *levels, int n_channels);

/**
 * urb_class_map_new_from_levels:
 * @levels: (@height_px, @width_px, @n_channels) bytes
 * @width_m: that the tile's width stands for
 * @zoom: >= 1; the levels are first interpolated (bilinear) to so many times
 *   the pixels.  Where a generator hesitates between two classes the border
 *   then runs between its pixels rather than around them.
 */
UrbClassMap *urb_class_map_new_from_levels (const guint8 *levels, int width_px, int height_px,
                                            int n_channels, double width_m, int zoom);

/**
 * urb_class_map_load_png:
 * @width_m: that the picture's width stands for
 *
 * Reads a picture of classes: the colours of a wall or of a plan that this
 * program drew, pure channels (red building, green road, blue other), or grey.
 *
 * Returns: (transfer full): or %NULL with a %URB_CITY_ERROR_IMAGE
 */
UrbClassMap *urb_class_map_load_png (const char *path, double width_m, GError **error);

typedef struct
{
  gboolean mode_filter; /* a pixel that at least 5 of its 3 x 3 outvote gives in */
  double   min_area_m2[URB_N_CLASSES]; /* smaller components join the neighbour with whom
                                        * they share most of their border; 0: keep all */
} UrbCleanOptions;

/* A mode filter; buildings from 10 m², roads from 40 m², other from 10 m². */
void urb_clean_options_init (UrbCleanOptions *options);

/* In place. */
void urb_class_map_clean (UrbClassMap *self, const UrbCleanOptions *options);

/* The share of the area of each class; sums to 1. @shares: (out): (URB_N_CLASSES) */
void urb_class_map_get_shares (const UrbClassMap *self, double *shares);

G_END_DECLS
