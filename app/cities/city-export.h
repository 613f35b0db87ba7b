/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-export.h - cities into a file for GIS, CAD or the web, as
 * `urbarium-engine generate` writes them.
 */
#pragma once

#include "app/base/job-bar.h"
#include "app/cities/city-source.h"

G_BEGIN_DECLS

/* @suffix: "gpkg", "geojson", "svg", "dxf" or "png"; of several cities, PNG is a folder of
 * pictures.  Asks where to, then goes on as urbarium_city_export_save(). */
void urbarium_city_export_ask (GtkWidget *where, UrbariumCitySource *source, GPtrArray *cities,
                               const char *suffix, UrbariumJobBar *bar);

/**
 * urbarium_city_export_save:
 * @path: as it was chosen: a file, with or without @suffix; whether that very file may be
 *   replaced has been asked.  Of several PNGs, a folder that exists
 *
 * Asks before it replaces any other file, then goes on as urbarium_city_export_run().
 */
void urbarium_city_export_save (GtkWidget *where, UrbariumCitySource *source, GPtrArray *cities,
                                const char *path, const char *suffix, UrbariumJobBar *bar);

/**
 * urbarium_city_export_run:
 * @where: tells what became of it
 * @cities: (element-type UrbariumCity): a reference is taken; those that are not drawn are
 *   drawn first
 * @path: of a file whose suffix decides; or of a folder that exists, for PNGs
 * @bar: shows the progress, and cancels
 *
 * Replaces what is there.  The application lives on until it is done.
 */
void urbarium_city_export_run (GtkWidget *where, UrbariumCitySource *source, GPtrArray *cities,
                               const char *path, UrbariumJobBar *bar);

G_END_DECLS
