/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-export.h - exports cities to a file for GIS, CAD or the web, in the formats of
 * `urbarium-engine generate`.
 */
#pragma once

#include "app/base/job-bar.h"
#include "app/cities/city-source.h"

G_BEGIN_DECLS

typedef enum
{
  URBARIUM_EXPORT_ALL,
  URBARIUM_EXPORT_VECTORS /* what can have a place: no images */
} UrbariumExportKind;

/* The menu of the formats.  @action: of the widget, with a suffix as its parameter: "cities.export" */
void urbarium_city_export_set_menu (GtkMenuButton *button, const char *action, UrbariumExportKind kind);

/* @suffix: "gpkg", "geojson", "svg", "dxf", "city.json" or "png"; several cities as PNG need a folder; "webm" for a
 * film of them (film.h).
 * Asks for the file, then calls urbarium_city_export_save(). */
void urbarium_city_export_ask (GtkWidget *where, UrbariumCitySource *source, GPtrArray *cities,
                               const char *suffix, UrbariumJobBar *bar);

/**
 * urbarium_city_export_save:
 * @path: the chosen file, with or without @suffix, which the user has agreed to replace; for
 *   several PNGs, an existing folder
 *
 * Asks before replacing any other file, then calls urbarium_city_export_run().
 */
void urbarium_city_export_save (GtkWidget *where, UrbariumCitySource *source, GPtrArray *cities,
                                const char *path, const char *suffix, UrbariumJobBar *bar);

/**
 * urbarium_city_export_run:
 * @where: shows the outcome
 * @cities: (element-type UrbariumCity): a reference is taken; missing ones are drawn first
 * @path: a file, whose suffix selects the format; or an existing folder for PNGs
 * @bar: shows the progress and can cancel
 *
 * Replaces existing files.  Keeps the application alive until it has finished.
 */
void urbarium_city_export_run (GtkWidget *where, UrbariumCitySource *source, GPtrArray *cities,
                               const char *path, UrbariumJobBar *bar);

G_END_DECLS
