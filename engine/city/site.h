/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site.h - what stays of an area when the rest is planned anew: streets and buildings to keep.
 */
#pragma once

#include "city/class-map.h"
#include "city/given.h"
#include "city/place.h"

G_BEGIN_DECLS

typedef struct
{
  int     size_px;
  double  size_m;
  float  *shares[URB_N_CLASSES]; /* owned; (size_px, size_px) in [0, 1], row 0 at the top; their sum is
                                  * how much of the pixel is given: 0 is free, 1 is all given */
  UrbGiven *given; /* (nullable) owned; of a site made of polygons */
} UrbSite;

UrbSite *urb_site_new  (int size_px, double size_m); /* nothing given */
void     urb_site_free (UrbSite *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSite, urb_site_free)

/* Samples each pixel at 4 x 4 points.  New buildings keep off those given. */
UrbSite *urb_site_new_from_given (UrbGiven *given, int size_px);

/**
 * urb_site_load:
 * @path: a .png image of classes, of which transparent pixels are free (see
 *   urb_class_map_load_png()), stretched to the area; or vectors of the classes, such as an edited
 *   export of a city, where whatever no polygon covers is free.  New buildings keep off those given
 * @place: of the area in the file's coordinates, for vectors; not turned
 *
 * Returns: (transfer full): or %NULL with an error that names the file and the remedy
 */
UrbSite *urb_site_load (const char *path, const UrbPlace *place, int size_px, double size_m,
                        GError **error);

/* How much of pixel @i is given. */
float    urb_site_get_given (const UrbSite *self, gint64 i);
/* The class that covers most of what is given of pixel @i. */
UrbClass urb_site_get_class (const UrbSite *self, gint64 i);
/* The share of the area that is given. */
double   urb_site_get_given_share (const UrbSite *self);

/* Keeps free ground within @margin_m of given buildings open, so that no new building touches them. */
void     urb_site_add_margin (UrbSite *self, double margin_m);

/**
 * urb_site_get_target:
 * @size_px: the site's, or that divided by an integer
 * @weights: (out): (@size_px, @size_px) bytes: how much of each pixel is given; more for streets and
 *   buildings, which cover less ground than the rest
 * @levels: (out): (@size_px, @size_px, @n_channels) bytes: what is given, as in tiles
 *
 * As urb_sampler_fit() needs them.
 */
void     urb_site_get_target (const UrbSite *self, int size_px, int n_channels, guint8 *weights,
                              guint8 *levels);

/* Replaces what is given in @levels: (size_px, size_px, @n_channels). */
void     urb_site_compose (const UrbSite *self, int n_channels, guint8 *levels);

/* The share of given pixels that have the given class; 1 if nothing is given.  @map: of any size.
 * @by_class: (out) (optional): (URB_N_CLASSES): the same for those of one class */
double   urb_site_get_met (const UrbSite *self, const UrbClassMap *map, double *by_class);

/* The share of the ground of new streets from which one can walk to a given street or to the edge of
 * the area, on streets alone; 1 if there are no new streets. */
double   urb_site_get_connected (const UrbSite *self, const UrbClassMap *map);

G_END_DECLS
