-- A GeoPackage with a table that reads any text file, by an extension of SQLite that GDAL loads.
PRAGMA application_id = 1196444487;
PRAGMA user_version = 10200;
CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY, organization TEXT NOT NULL,
  organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
INSERT INTO gpkg_spatial_ref_sys VALUES ('CH1903+ / LV95', 2056, 'EPSG', 2056, 'undefined', NULL),
  ('none', -1, 'NONE', -1, 'undefined', NULL), ('none', 0, 'NONE', 0, 'undefined', NULL);
CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
  description TEXT DEFAULT '', last_change DATETIME NOT NULL DEFAULT '2026-01-01T00:00:00.000Z', min_x DOUBLE,
  min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER);
INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id) VALUES ('plan', 'features', 'plan', 2056);
CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL,
  srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL);
INSERT INTO gpkg_geometry_columns VALUES ('plan', 'geom', 'POLYGON', 2056, 0, 0);
PRAGMA writable_schema = ON;
INSERT INTO sqlite_master VALUES ('table', 'plan', 'plan', 0,
  'CREATE VIRTUAL TABLE plan USING VirtualText(''@FILE@'', ''UTF-8'', 0, POINT, NONE, '','')');
