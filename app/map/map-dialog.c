/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/map-dialog.h"

#include <glib/gi18n.h>

#include "app/base/file-chooser.h"

/* Well-known formats; the engine reads more, which "All files" shows. */
static const struct
{
  const char *name; /* of the format: not translated */
  const char *endings[9];
} formats[] = {
  { "GeoPackage", { "gpkg" } },
  { "Shapefile", { "shp", "shz", "zip" } },
  { "GeoJSON", { "geojson", "json", "geojsonl", "topojson" } },
  { "INTERLIS", { "itf", "xtf" } },
  { "GML", { "gml" } },
  { "CityGML, CityJSON", { "gml", "json", "jsonl" } },
  { "EDIGEO", { "thf" } },
  { "DXF", { "dxf" } },
  { "SQLite", { "sqlite" } },
  { "FlatGeobuf", { "fgb" } },
  { "GeoParquet", { "parquet" } },
  { "OpenStreetMap", { "osm", "pbf" } },
  { "KML", { "kml", "kmz" } },
  { "MapInfo", { "mif", "tab" } },
  { "ZIP, TAR, GZ, BZ2, 7z", { "zip", "tar", "tgz", "tbz", "tbz2", "gz", "bz2", "7z" } },
};

static void
add_filters (GtkFileChooser *chooser)
{
  g_autoptr(GtkFileFilter) maps = gtk_file_filter_new ();
  gtk_file_filter_set_name (maps, _ ("Maps"));
  gtk_file_chooser_add_filter (chooser, maps);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr(GtkFileFilter) filter = gtk_file_filter_new ();
      gtk_file_filter_set_name (filter, formats[i].name);
      for (const char *const *ending = formats[i].endings; *ending != NULL; ending++)
        {
          gtk_file_filter_add_suffix (filter, *ending);
          gtk_file_filter_add_suffix (maps, *ending);
        }
      gtk_file_chooser_add_filter (chooser, filter);
    }
  urbarium_file_chooser_add_filter (chooser, _ ("All files"), NULL);
}

GtkFileChooser *
urbarium_map_dialog_new (GtkWidget *where)
{
  GtkFileChooser *chooser = urbarium_file_chooser_new (where, GTK_FILE_CHOOSER_ACTION_OPEN,
                                                       _ ("Open map"), _ ("_Open"));
  gtk_file_chooser_set_select_multiple (chooser, TRUE);
  add_filters (chooser);
  return chooser;
}

char **
urbarium_map_dialog_dup_paths (GListModel *files, GError **error)
{
  g_autoptr(GStrvBuilder) paths = g_strv_builder_new ();
  for (guint i = 0; i < g_list_model_get_n_items (files); i++)
    {
      g_autoptr(GFile) file = g_list_model_get_item (files, i);
      g_autofree char *path = g_file_get_path (file);
      g_autofree char *name = NULL;
      if (path == NULL)
        {
          name = g_file_get_parse_name (file);
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                       _ ("“%s” is not a local file. Copy it to this computer first."), name);
          return NULL;
        }
      g_strv_builder_add (paths, path);
    }
  return g_strv_builder_end (paths);
}
