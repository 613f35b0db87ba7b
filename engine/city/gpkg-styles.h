/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpkg-styles.h - how QGIS draws the layers of a GeoPackage when it opens them.
 */
#pragma once

#include <gdal.h>
#include <glib.h>

G_BEGIN_DECLS

/* Adds the table `layer_styles`, where QGIS looks for styles: each class in the color that this program gives it, center
 * lines thin.  FALSE with GDAL's error. */
gboolean urb_gpkg_styles_add (GDALDatasetH dataset);

G_END_DECLS
