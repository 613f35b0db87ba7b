/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-fixture.h - small class maps for several tests.
 */
#pragma once

#include "city/vectorize.h"

/* One letter per pixel: B building, R road, anything else other; rows are separated by
 * slashes: "BB./BBR". */
UrbClassMap *fixture_map (const char *rows, double pixel_m);

/* A map of @size pixels, all other. */
UrbClassMap *fixture_blank (int size_px, double pixel_m);

/* Each pixel is one of @n_classes at random. */
UrbClassMap *fixture_noise (int size_px, int n_classes, guint32 seed);

/* Paints a rectangle around (@x, @y), rotated by @angle radians, where pixel centers are
 * inside. */
void         fixture_paint_rectangle (UrbClassMap *map, double x, double y, double length,
                                      double width, double angle, UrbClass class_);

/* 128 x 128 m, 64 pixels: a street and @n houses, perturbed by @seed. */
UrbClassMap *fixture_town (int n, guint32 seed);

/* Overlapping rectangles of all classes, sizes and directions; @specks: and isolated pixels. */
UrbClassMap *fixture_clutter (guint32 seed, gboolean specks);

/* The plan of a map, with the default options for @detail_m. */
UrbCityVectors *fixture_vectors (const UrbClassMap *map, double detail_m);

/* Creates and deletes a temporary folder. */
char        *city_make_folder   (void);
void         city_remove_folder (char *folder);
