/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-recognize.c - which profile is recognized, on layers as other countries publish them.
 *
 * The names of layers and fields follow published catalogs; the objects are made up.  None of them may
 * be taken for a map of a country that has a profile.
 */
#include <string.h>

#include "flat-folder.h"
#include "map/map.h"

/* A layer: its name, the properties of its only object, and its geometry. */
typedef struct
{
  const char *name, *properties;
  char        geometry; /* 'a'rea, 'l'ine, 'p'oint */
  int         class_;   /* of the object; URB_CLASS_IGNORE if it is left out */
} Layer;

typedef struct
{
  const char *country;
  double      lon, lat;
  Layer       layers[4];
} Schema;

enum { BUILDING = URB_CLASS_BUILDING, ROAD = URB_CLASS_ROAD, OTHER = URB_CLASS_OTHER,
       LEFT_OUT = URB_CLASS_IGNORE };

static const Schema schemas[] = {
  { "Argentina", -58.4, -34.6, { { "edificios", "\"id\":1", 'a', BUILDING }, { "calles", "\"nombre\":\"x\"", 'l', ROAD } } },
  { "Australia", 151.2, -33.9, { { "BuildingFootprint", "\"id\":1", 'a', BUILDING }, { "RoadSegment", "\"function\":1", 'l', ROAD }, { "PropertyAddress", "\"id\":1", 'p', LEFT_OUT } } },
  { "Austria", 16.4, 48.2, { { "gebaeude", "\"id\":1", 'a', BUILDING }, { "strassen", "\"id\":1", 'l', ROAD } } },
  { "Belgium", 4.4, 50.85, { { "gebouwen", "\"type\":1", 'a', BUILDING }, { "wegen", "\"id\":1", 'l', ROAD } } },
  { "Brazil", -46.6, -23.5, { { "edificacao", "\"id\":1", 'a', BUILDING }, { "logradouro", "\"id\":1", 'l', ROAD } } },
  { "Bulgaria", 23.3, 42.7, { { "sgradi", "\"id\":1", 'a', BUILDING }, { "patishta", "\"id\":1", 'l', ROAD } } },
  { "Canada", -79.4, 43.7, { { "building_outlines", "\"id\":1", 'a', BUILDING }, { "road_network", "\"class\":\"Collector\"", 'l', ROAD } } },
  { "Czech Republic", 14.4, 50.1, { { "buildings", "\"uID\":1", 'a', BUILDING }, { "streets", "\"nID\":1", 'l', ROAD }, { "tessellation", "\"uID\":1", 'a', OTHER } } },
  { "Croatia", 16.0, 45.8, { { "zgrade", "\"id\":1", 'a', BUILDING }, { "ceste", "\"id\":1", 'l', ROAD } } },
  { "Denmark", 12.6, 55.7, { { "bygning", "\"bygningstype\":1", 'a', BUILDING }, { "vejmidte", "\"vejbredde\":1", 'l', ROAD } } },
  { "Estonia", 24.7, 59.4, { { "e_401_hoone_ka", "\"tyyp\":10", 'a', BUILDING }, { "e_501_tee_j", "\"tyyp\":40", 'l', LEFT_OUT } } },
  { "Finland", 24.9, 60.2, { { "rakennus", "\"kohdeluokka\":42211", 'a', BUILDING }, { "tieviiva", "\"kohdeluokka\":12121", 'l', ROAD } } },
  { "Greece", 23.7, 38.0, { { "ktiria", "\"id\":1", 'a', BUILDING }, { "dromoi", "\"id\":1", 'l', ROAD } } },
  { "Hungary", 19.0, 47.5, { { "epuletek", "\"id\":1", 'a', BUILDING }, { "utcak", "\"id\":1", 'l', ROAD } } },
  { "Ireland", -6.3, 53.3, { { "building_polygon", "\"id\":1", 'a', BUILDING }, { "way_road", "\"id\":1", 'l', ROAD } } },
  { "Italy", 11.3, 43.8, { { "edifici", "\"id\":1", 'a', BUILDING }, { "strade", "\"id\":1", 'a', ROAD } } },
  { "Japan", 139.7, 35.7, { { "BldA", "\"type\":\"x\"", 'a', OTHER }, { "RdEdg", "\"id\":1", 'l', LEFT_OUT } } },
  { "Latvia", 24.1, 57.0, { { "ekas", "\"id\":1", 'a', BUILDING }, { "ielas", "\"id\":1", 'l', ROAD } } },
  { "Lithuania", 25.3, 54.7, { { "pastatai", "\"id\":1", 'a', BUILDING }, { "keliai", "\"id\":1", 'l', ROAD } } },
  { "New Zealand", 174.8, -41.3, { { "nz_building_outlines", "\"building_id\":1", 'a', BUILDING }, { "nz_road_centrelines", "\"lane_count\":2", 'l', ROAD } } },
  { "Norway", 10.7, 59.9, { { "fkb_bygning_omrade", "\"bygningstype\":111", 'a', BUILDING }, { "fkb_veg_omrade", "\"id\":1", 'a', ROAD } } },
  { "Poland", 21.0, 52.2, { { "budynki", "\"funkcja\":\"m\"", 'a', BUILDING }, { "drogi", "\"szerokosc\":5", 'l', ROAD } } },
  { "Portugal", -9.1, 38.7, { { "edificios", "\"id\":1", 'a', BUILDING }, { "arruamentos", "\"id\":1", 'l', ROAD } } },
  { "Romania", 26.1, 44.4, { { "cladiri", "\"id\":1", 'a', BUILDING }, { "drumuri", "\"id\":1", 'l', ROAD } } },
  { "Slovakia", 17.1, 48.1, { { "budovy", "\"id\":1", 'a', BUILDING }, { "cesty", "\"id\":1", 'l', ROAD } } },
  { "Slovenia", 14.5, 46.05, { { "stavbe", "\"id\":1", 'a', BUILDING }, { "ceste", "\"id\":1", 'l', ROAD } } },
  { "South Africa", 18.4, -33.9, { { "buildings", "\"id\":1", 'a', BUILDING }, { "lines", "\"highway\":\"residential\"", 'l', ROAD }, { "erven", "\"id\":1", 'a', LEFT_OUT } } },
  { "Spain", -3.7, 40.4, { { "CONSTRU", "\"CONSTRU\":\"I\"", 'a', BUILDING }, { "viales", "\"id\":1", 'l', ROAD }, { "PARCELA", "\"id\":1", 'a', LEFT_OUT } } },
  { "Sweden", 18.1, 59.3, { { "byggnad_sverige", "\"andamal1\":130", 'a', BUILDING }, { "vaglinje", "\"id\":1", 'l', LEFT_OUT } } },
  { "Turkey", 28.98, 41.0, { { "binalar", "\"id\":1", 'a', BUILDING }, { "yollar", "\"id\":1", 'l', ROAD } } },
  { "United Kingdom", -0.1, 51.5, { { "Building", "\"FEATCODE\":15014", 'a', BUILDING }, { "RoadLink", "\"function\":\"A Road\"", 'l', ROAD }, { "TidalWater", "\"id\":1", 'a', OTHER } } },
  { "United States", -74.0, 40.7, { { "building_footprints", "\"BIN\":1", 'a', BUILDING }, { "centerlines", "\"highway\":\"primary\"", 'l', ROAD }, { "lots", "\"BBL\":1", 'a', LEFT_OUT } } },
};

/* A square of 1e-4 degrees, a line along its edge, or its corner. */
static char *
make_feature (const Schema *schema, const Layer *layer, guint index)
{
  double x = schema->lon + 2e-4 * index, y = schema->lat;
  char a[G_ASCII_DTOSTR_BUF_SIZE], b[G_ASCII_DTOSTR_BUF_SIZE], c[G_ASCII_DTOSTR_BUF_SIZE],
    d[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *geometry = NULL;

  g_ascii_formatd (a, sizeof a, "%.6f", x);
  g_ascii_formatd (b, sizeof b, "%.6f", y);
  g_ascii_formatd (c, sizeof c, "%.6f", x + 1e-4);
  g_ascii_formatd (d, sizeof d, "%.6f", y + 1e-4);
  if (layer->geometry == 'a')
    geometry = g_strdup_printf ("\"Polygon\",\"coordinates\":[[[%s,%s],[%s,%s],[%s,%s],[%s,%s],[%s,%s]]]", a, b,
                                c, b, c, d, a, d, a, b);
  else if (layer->geometry == 'l')
    geometry = g_strdup_printf ("\"LineString\",\"coordinates\":[[%s,%s],[%s,%s]]", a, b, c, d);
  else
    geometry = g_strdup_printf ("\"Point\",\"coordinates\":[%s,%s]", a, b);
  return g_strdup_printf ("{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":{%s},"
                          "\"geometry\":{\"type\":%s}}]}", layer->properties, geometry);
}

static UrbMap *
open_schema (const Schema *schema)
{
  g_autoptr(GError) error = NULL;
  char *folder = g_dir_make_tmp ("urbarium-recognize-XXXXXX", &error);
  UrbMap *map;

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (schema->layers) && schema->layers[i].name != NULL; i++)
    {
      g_autofree char *name = g_strconcat (schema->layers[i].name, ".geojson", NULL);
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *text = make_feature (schema, &schema->layers[i], i);
      g_file_set_contents (path, text, -1, &error);
      g_assert_no_error (error);
    }
  map = urb_map_open ((const char *const[]){ folder, NULL }, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  flat_folder_remove (folder);
  return map;
}

/* LEFT_OUT if it has no polygon. */
static int
find_class (UrbMap *map, const char *layer_name)
{
  for (gint64 i = 0; i < urb_map_get_n_polygons (map); i++)
    {
      const UrbMapPolygon *polygon = urb_map_get_polygon (map, i);
      const UrbMapLayer *layer = g_ptr_array_index (urb_map_get_layers (map), polygon->layer);
      if (g_str_equal (layer->name, layer_name))
        return polygon->class_;
    }
  return LEFT_OUT;
}

static void
test_schema (gconstpointer data)
{
  const Schema *schema = data;
  g_autoptr(UrbMap) map = open_schema (schema);
  const UrbMapFit *best = g_ptr_array_index (urb_map_get_fits (map), 0);

  g_assert_cmpstr (urb_map_get_profile (map), ==, "generic");
  g_assert_cmpstr (best->profile, ==, "generic");
  g_assert_cmpfloat (best->score, >=, 0);
  g_assert_cmpfloat (best->score, <=, 100);
  for (guint i = 0; i < G_N_ELEMENTS (schema->layers) && schema->layers[i].name != NULL; i++)
    {
      g_test_message ("%s", schema->layers[i].name);
      g_assert_cmpint (find_class (map, schema->layers[i].name), ==, schema->layers[i].class_);
    }
}

/* Names of a country's survey prove nothing elsewhere. */
static void
test_outside (void)
{
  static const Layer layers[] = { { "bodenbedeckung", "\"art\":\"Gebaeude\"", 'a', BUILDING } };
  Schema inside = { "Switzerland", 7.5, 47.2, { layers[0] } };
  Schema outside = { "Tasmania", 147.3, -42.9, { layers[0] } };
  g_autoptr(UrbMap) a = open_schema (&inside), b = open_schema (&outside);

  g_assert_cmpstr (urb_map_get_profile (a), ==, "swiss-dm01");
  g_assert_cmpstr (urb_map_get_profile (b), ==, "generic");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (schemas); i++)
    {
      g_autofree char *country = g_strdelimit (g_strdup (schemas[i].country), " ", '-');
      g_autofree char *name = g_strconcat ("/map/recognize/", country, NULL);
      g_test_add_data_func (name, &schemas[i], test_schema);
    }
  g_test_add_func ("/map/recognize/outside", test_outside);
  return g_test_run ();
}
