/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-export-files.h - the files that an export writes, and the question
 * whether those that are there may be replaced.
 */
#pragma once

#include <gtk/gtk.h>

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

/* Asks, in the window of @where, if any of @files exists.  Looks for them in a thread.
 * @callback: take the answer with urbarium_city_export_may_write_finish() */
void     urbarium_city_export_may_write        (GtkWidget *where, const char *const *files,
                                                GAsyncReadyCallback callback,
                                                gpointer user_data);
gboolean urbarium_city_export_may_write_finish (GtkWidget *where, GAsyncResult *result);

G_END_DECLS
