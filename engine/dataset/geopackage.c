/* SPDX-License-Identifier: Apache-2.0 */
/*
 * geopackage.c - the tables that make a SQLite file a GeoPackage.
 *
 * According to OGC 12-128r17 (GeoPackage 1.3): reference systems, contents, one
 * feature table `areas`, two attribute tables, and the metadata extension for the
 * recipe.  Written without GDAL, so the engine does not depend on it here.
 */
#include "dataset/dataset-private.h"

#include <string.h>

#include "dataset/square.h"

#define WGS84_WKT                                                                                \
  "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563,"              \
  "AUTHORITY[\"EPSG\",\"7030\"]],AUTHORITY[\"EPSG\",\"6326\"]],PRIMEM[\"Greenwich\",0,"          \
  "AUTHORITY[\"EPSG\",\"8901\"]],UNIT[\"degree\",0.0174532925199433,"                            \
  "AUTHORITY[\"EPSG\",\"9122\"]],AXIS[\"Latitude\",NORTH],AXIS[\"Longitude\",EAST],"             \
  "AUTHORITY[\"EPSG\",\"4326\"]]"

#define METADATA_SPEC "http://www.geopackage.org/spec120/#extension_metadata"

/* For a reference system without an EPSG code: the first number reserved for users. */
#define SRS_ID_OWN 100000
#define SRS_ID_UNDEFINED -1

static const char schema[] =
  "PRAGMA application_id = 1196444487;"
  "PRAGMA user_version = 10300;"
  "CREATE TABLE gpkg_spatial_ref_sys ("
  " srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY,"
  " organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL,"
  " definition TEXT NOT NULL, description TEXT);"
  "INSERT INTO gpkg_spatial_ref_sys VALUES"
  " ('Undefined Cartesian SRS', -1, 'NONE', -1, 'undefined', NULL),"
  " ('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', NULL),"
  " ('WGS 84 geodetic', 4326, 'EPSG', 4326, '" WGS84_WKT "', NULL);"
  "CREATE TABLE gpkg_contents ("
  " table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL,"
  " identifier TEXT UNIQUE, description TEXT DEFAULT '',"
  " last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),"
  " min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,"
  " CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));"
  "CREATE TABLE gpkg_geometry_columns ("
  " table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL,"
  " srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,"
  " CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name),"
  " CONSTRAINT uk_gc_table_name UNIQUE (table_name),"
  " CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),"
  " CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));"
  "CREATE TABLE gpkg_extensions ("
  " table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL, definition TEXT NOT NULL,"
  " scope TEXT NOT NULL, CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name));"
  "INSERT INTO gpkg_extensions VALUES"
  " ('gpkg_metadata', NULL, 'gpkg_metadata', '" METADATA_SPEC "', 'read-write'),"
  " ('gpkg_metadata_reference', NULL, 'gpkg_metadata', '" METADATA_SPEC "', 'read-write');"
  "CREATE TABLE gpkg_metadata ("
  " id INTEGER CONSTRAINT m_pk PRIMARY KEY ASC NOT NULL, md_scope TEXT NOT NULL DEFAULT 'dataset',"
  " md_standard_uri TEXT NOT NULL, mime_type TEXT NOT NULL DEFAULT 'text/xml',"
  " metadata TEXT NOT NULL DEFAULT '');"
  "CREATE TABLE gpkg_metadata_reference ("
  " reference_scope TEXT NOT NULL, table_name TEXT, column_name TEXT, row_id_value INTEGER,"
  " timestamp DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),"
  " md_file_id INTEGER NOT NULL, md_parent_id INTEGER,"
  " CONSTRAINT crmr_mfi_fk FOREIGN KEY (md_file_id) REFERENCES gpkg_metadata(id),"
  " CONSTRAINT crmr_mpi_fk FOREIGN KEY (md_parent_id) REFERENCES gpkg_metadata(id));"
  "CREATE TABLE areas ("
  " fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, geom POLYGON, split TEXT NOT NULL,"
  " variance DOUBLE NOT NULL, center_x DOUBLE NOT NULL, center_y DOUBLE NOT NULL,"
  " angle_deg DOUBLE NOT NULL, share_building DOUBLE NOT NULL, share_road DOUBLE NOT NULL,"
  " share_other DOUBLE NOT NULL, coverage DOUBLE NOT NULL, source TEXT);"
  "CREATE TABLE area_tiles (fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, tile BLOB NOT NULL);"
  "CREATE TABLE urbarium_dataset ("
  " fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, key TEXT NOT NULL UNIQUE,"
  " value TEXT NOT NULL);"
  "INSERT INTO gpkg_contents (table_name, data_type, identifier, description, srs_id) VALUES"
  " ('area_tiles', 'attributes', 'area_tiles', 'Encoded tiles of the areas', NULL),"
  " ('urbarium_dataset', 'attributes', 'urbarium_dataset', 'What holds for all areas', NULL);";

static gboolean
fail (sqlite3 *db, GError **error)
{
  g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_WRITE, "%s", sqlite3_errmsg (db));
  return FALSE;
}

static gboolean
run_formatted (sqlite3 *db, GError **error, const char *format, ...)
{
  va_list args;
  char *sql;
  int rc;

  va_start (args, format);
  sql = sqlite3_vmprintf (format, args);
  va_end (args);
  rc = sqlite3_exec (db, sql, NULL, NULL, NULL);
  sqlite3_free (sql);
  return rc == SQLITE_OK || fail (db, error);
}

gboolean
urb_geopackage_create (sqlite3 *db, const UrbDatasetInfo *info, const char *crs_wkt, int *srs_id,
                       GError **error)
{
  const char *name = info->crs_name != NULL ? info->crs_name : "Map";

  if (sqlite3_exec (db, schema, NULL, NULL, NULL) != SQLITE_OK)
    return fail (db, error);
  if (info->epsg == 4326)
    *srs_id = 4326; /* in every GeoPackage */
  else if (crs_wkt == NULL || crs_wkt[0] == '\0')
    *srs_id = SRS_ID_UNDEFINED;
  else
    {
      *srs_id = info->epsg > 0 ? info->epsg : SRS_ID_OWN;
      if (!run_formatted (db, error,
                          "INSERT INTO gpkg_spatial_ref_sys VALUES (%Q, %d, %Q, %d, %Q, NULL)",
                          name, *srs_id, info->epsg > 0 ? "EPSG" : "NONE", *srs_id, crs_wkt))
        return FALSE;
    }
  return run_formatted (db, error,
                        "INSERT INTO gpkg_contents"
                        " (table_name, data_type, identifier, description, srs_id)"
                        " VALUES ('areas', 'features', 'areas', 'Areas of a map', %d)",
                        *srs_id)
         && run_formatted (db, error,
                           "INSERT INTO gpkg_geometry_columns"
                           " VALUES ('areas', 'geom', 'POLYGON', %d, 0, 0)",
                           *srs_id)
         && run_formatted (db, error,
                           "INSERT INTO gpkg_metadata VALUES"
                           " (1, 'dataset', 'https://www.rfc-editor.org/rfc/rfc8259',"
                           " 'application/json', %Q)",
                           info->recipe_json != NULL ? info->recipe_json : "{}")
         && run_formatted (db, error,
                           "INSERT INTO gpkg_metadata_reference"
                           " (reference_scope, md_file_id) VALUES ('geopackage', 1)");
}

static guint8 *
put_u32 (guint8 *p, guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (p, &value, 4);
  return p + 4;
}

static guint8 *
put_double (guint8 *p, double value)
{
  guint64 bits;

  memcpy (&bits, &value, 8);
  bits = GUINT64_TO_LE (bits);
  memcpy (p, &bits, 8);
  return p + 8;
}

void
urb_geopackage_square (const UrbArea *area, double size_m, int srs_id,
                       guint8 blob[URB_GEOPACKAGE_SQUARE_BYTES], UrbBox *box)
{
  static const guint8 magic[4] = { 'G', 'P', 0, 0x03 }; /* little-endian, with an xy envelope */
  UrbSquare square = { area->center_x, area->center_y, area->angle_deg, size_m };
  double corner[4][2];
  guint8 *p = blob;

  urb_square_get_corners (&square, corner);
  *box = urb_square_get_box (&square);

  memcpy (p, magic, 4);
  p = put_u32 (p + 4, srs_id);
  p = put_double (put_double (p, box->min_x), box->max_x);
  p = put_double (put_double (p, box->min_y), box->max_y);
  *p++ = 1;            /* little-endian */
  p = put_u32 (p, 3);  /* polygon */
  p = put_u32 (p, 1);  /* rings */
  p = put_u32 (p, 5);  /* points */
  for (int i = 0; i < 5; i++)
    p = put_double (put_double (p, corner[i % 4][0]), corner[i % 4][1]);
  g_assert (p == blob + URB_GEOPACKAGE_SQUARE_BYTES);
}
