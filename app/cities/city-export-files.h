/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-export-files.h - the files that an export writes.
 */
#pragma once

#include "app/cities/city-source.h"

G_BEGIN_DECLS

/**
 * urbarium_city_export_files:
 * @source: whose model draws @cities
 * @cities: (element-type UrbariumCity)
 * @path: the file; or the folder, of one picture each
 *
 * Pictures are named by the run, the step and the numbers of the city, so that those of
 * several runs can lie in one folder.
 *
 * Returns: (transfer full): absolute paths: one of all, or one of each
 */
GStrv urbarium_city_export_files (UrbariumCitySource *source, GPtrArray *cities, const char *path,
                                  gboolean folder);

G_END_DECLS
