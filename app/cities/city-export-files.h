/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-export-files.h - the files that an export writes.
 */
#pragma once

#include "app/cities/city-source.h"

G_BEGIN_DECLS

/**
 * urbarium_city_export_files:
 * @source: draws @cities
 * @cities: (element-type UrbariumCity)
 * @path: a file for all cities, or a folder for one image per city
 *
 * Image names contain the run, the step, and the city's seed and index, so that one folder can hold
 * images of several runs.
 *
 * Returns: (transfer full): absolute paths: one file, or one per city
 */
GStrv urbarium_city_export_files (UrbariumCitySource *source, GPtrArray *cities, const char *path,
                                  gboolean folder);

G_END_DECLS
