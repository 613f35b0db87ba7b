/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset-private.h - definitions shared by the dataset's reader and writer.
 */
#pragma once

#include <sqlite3.h>

#include "dataset/dataset.h"
#include "map/map.h"

G_BEGIN_DECLS

#define URB_DATASET_FORMAT "1"
#define URB_DATASET_MAX_AREAS (G_GINT64_CONSTANT (10) * 1000 * 1000)
#define URB_DATASET_MAX_AREA_SIZE_M 100000.0

typedef sqlite3      UrbSqlite;
typedef sqlite3_stmt UrbSqliteStmt;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSqlite, sqlite3_close)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSqliteStmt, sqlite3_finalize)

const char *urb_split_get_name    (UrbSplit split);       /* "train", "test" */
const char *urb_encoding_get_name (UrbEncoding encoding); /* "rgb", "grey" */

/* Creates the tables of an empty GeoPackage with the dataset's layers.
 * @srs_id: (out): of the layer `areas` */
gboolean urb_geopackage_create (sqlite3 *db, const UrbDatasetInfo *info, const char *crs_wkt,
                                int *srs_id, GError **error);

/* A square as a GeoPackage geometry, and its box. */
#define URB_GEOPACKAGE_SQUARE_BYTES (8 + 32 + 1 + 4 + 4 + 4 + 5 * 16)
void urb_geopackage_square (const UrbArea *area, double size_m, int srs_id,
                            guint8 blob[URB_GEOPACKAGE_SQUARE_BYTES], UrbBox *box);

G_END_DECLS
