/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-fixture.h - small class maps for several tests.
 */
#pragma once

#include "city/class-map.h"

/* One letter per pixel: B building, R road, anything else other; rows end with
 * a slash: "BB./BBR".  Pixels of @pixel_m. */
UrbClassMap *fixture_map (const char *rows, double pixel_m);

/* A map of @size pixels, all other. */
UrbClassMap *fixture_blank (int size_px, double pixel_m);

/* Every pixel one of @n_classes at random. */
UrbClassMap *fixture_noise (int size_px, int n_classes, guint32 seed);

/* Paints a rectangle around (@x, @y), @angle radians turned, where pixel
 * centres are inside. */
void         fixture_paint_rectangle (UrbClassMap *map, double x, double y, double length,
                                      double width, double angle, UrbClass class_);

/* Rectangles of all classes in all directions, one over the other; @specks: and
 * lonely pixels.  Sizes differ. */
UrbClassMap *fixture_clutter (guint32 seed, gboolean specks);

/* A new folder for files, and its end. */
char        *city_make_folder   (void);
void         city_remove_folder (char *folder);
