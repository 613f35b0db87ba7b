/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-formats.c - the same municipality in twelve formats, and whole real maps.
 *
 * Needs the folder of real maps in URBARIUM_TEST_DATA; skipped without it.
 */
#include <math.h>
#include <string.h>

#include "map/map.h"

static char *
find_data (const char *relative)
{
  const char *folder = g_getenv ("URBARIUM_TEST_DATA");
  char *path = folder != NULL ? g_build_filename (folder, relative, NULL) : NULL;

  if (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_clear_pointer (&path, g_free);
      g_test_skip ("the real maps are missing");
    }
  return path;
}

static UrbMap *
open_map (const char *path, const UrbMapOptions *options)
{
  g_autoptr(GError) error = NULL;
  UrbMap *map = urb_map_open ((const char *const[]){ path, NULL }, options, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (map);
  return map;
}

/* As computed by an independent program (OGR's ST_Area, summed by class) from
 * the original polygons, in LV03. */
static const double hubersdorf_m2[URB_N_CLASSES] = { 41146.65, 62743.49, 1250572.32 };
static const gint64 hubersdorf_n[URB_N_CLASSES] = { 391, 57, 424 };

static void
count_classes (UrbMap *map, gint64 *n)
{
  memset (n, 0, URB_N_CLASSES * sizeof *n);
  for (gint64 i = 0; i < urb_map_get_n_polygons (map); i++)
    n[urb_map_get_polygon (map, i)->class_]++;
}

typedef struct
{
  const char *file;
  gboolean    guesses_crs;
  gboolean    is_lv95; /* else LV03 */
} Format;

static const Format formats[] = {
  { "hubersdorf_lv03.gpkg", FALSE, FALSE },
  { "hubersdorf_lv95.gpkg", FALSE, TRUE },
  { "shp", FALSE, FALSE },
  { "hubersdorf_shp.zip", FALSE, FALSE },
  { "hubersdorf_wgs84.geojson", FALSE, TRUE },
  { "hubersdorf_lv03.fgb", FALSE, FALSE },
  { "hubersdorf_lv03.gml", FALSE, FALSE },
  { "hubersdorf.kml", FALSE, TRUE },
  { "hubersdorf_mif.mif", FALSE, FALSE },
  { "hubersdorf_wkt.csv", TRUE, FALSE },
  { "hubersdorf_lv03.sqlite", FALSE, FALSE },
  { "hubersdorf_lv03.dxf", TRUE, FALSE },
  { "itf", TRUE, FALSE },
};

static void
test_format (gconstpointer data)
{
  const Format *format = data;
  g_autofree char *relative = g_build_filename ("ch-so-hubersdorf-formats", format->file, NULL);
  g_autofree char *path = find_data (relative);
  g_autoptr(UrbMap) map = NULL;
  gint64 n[URB_N_CLASSES];
  UrbBox extent;

  if (path == NULL)
    return;
  map = open_map (path, NULL);
  g_assert_cmpstr (urb_map_get_profile (map), ==, "swiss-dm01");
  count_classes (map, n);
  for (int class_ = 0; class_ < URB_N_CLASSES; class_++)
    {
      g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, class_), hubersdorf_m2[class_],
                                      hubersdorf_m2[class_] * 0.001);
      g_assert_cmpint (n[class_], ==, hubersdorf_n[class_]);
    }
  extent = urb_map_get_extent (map);
  g_assert_cmpfloat_with_epsilon (extent.min_x, format->is_lv95 ? 2610677.5 : 610677.5, 3);
  g_assert_cmpfloat_with_epsilon (extent.max_y, format->is_lv95 ? 1233379.2 : 233379.2, 3);
  g_assert_cmpint (urb_map_get_warnings (map)->len, ==, format->guesses_crs ? 1 : 0);
  if (format->is_lv95)
    g_assert_cmpint (urb_map_get_epsg (map), ==, 2056);
}

/* A land cover is a partition: the painted areas equal the summed ones. */
static void
test_partition (void)
{
  g_autofree char *path = find_data ("ch-so-hubersdorf-formats/itf/254800.itf");
  g_autoptr(UrbMap) map = NULL;
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr(GRand) rand = g_rand_new_with_seed (5);
  int n_inside = 0, n_twice = 0;

  if (path == NULL)
    return;
  map = open_map (path, NULL);
  for (int i = 0; i < 5000; i++)
    {
      double x = g_rand_double_range (rand, 610677, 612087), y = g_rand_double_range (rand, 231965, 233379);
      int n = 0;
      urb_map_query (map, (UrbBox){ x, y, x, y }, found);
      for (guint f = 0; f < found->len; f++)
        {
          const UrbMapPolygon *polygon = urb_map_get_polygon (map, g_array_index (found, gint64, f));
          gboolean inside = FALSE;
          for (guint32 r = 0; r < polygon->n_rings; r++)
            {
              gint64 size;
              const double *xy = urb_map_get_ring (map, polygon->first_ring + r, &size);
              for (gint64 a = 0, b = size - 1; a < size; b = a++)
                if ((xy[2 * a + 1] > y) != (xy[2 * b + 1] > y)
                    && x < xy[2 * a] + (y - xy[2 * a + 1]) / (xy[2 * b + 1] - xy[2 * a + 1])
                                         * (xy[2 * b] - xy[2 * a]))
                  inside = !inside;
            }
          n += inside;
        }
      n_inside += n > 0;
      n_twice += n > 1;
    }
  g_assert_cmpint (n_twice, ==, 0);
  /* 1,354,462 of 1,994,000 square meters: 0.679 +- 3 standard errors. */
  g_assert_cmpfloat_with_epsilon (n_inside / 5000.0, 0.679, 0.02);
}

static void
test_wasseramt (void)
{
  g_autofree char *path = find_data ("ch-so-wasseramt/wasseramt_lv03.gpkg");
  g_autoptr(UrbMap) map = NULL;
  gint64 n[URB_N_CLASSES];
  double sum = 0;

  if (path == NULL)
    return;
  map = open_map (path, NULL);
  count_classes (map, n);
  g_assert_cmpint (n[URB_CLASS_BUILDING], ==, 4970);
  g_assert_cmpint (n[URB_CLASS_ROAD], ==, 437);
  g_assert_cmpint (n[URB_CLASS_OTHER], ==, 5587);
  for (int class_ = 0; class_ < URB_N_CLASSES; class_++)
    sum += urb_map_get_class_area_m2 (map, class_);
  g_assert_cmpfloat_with_epsilon (sum, 14.74e6, 0.005e6);
  g_assert_cmpint (urb_map_get_warnings (map)->len, ==, 0);
  g_assert_cmpint (urb_map_get_epsg (map), ==, 21781);
}

/* Seven transfers as one map: each of their 11,004 labels has its area. */
static void
test_wasseramt_itf (void)
{
  g_autofree char *path = find_data ("ch-so-wasseramt/itf");
  g_autoptr(UrbMap) map = NULL;
  double sum = 0;
  int n_seams = 0;

  if (path == NULL)
    return;
  map = open_map (path, NULL);
  for (int class_ = 0; class_ < URB_N_CLASSES; class_++)
    sum += urb_map_get_class_area_m2 (map, class_);
  g_assert_cmpfloat_with_epsilon (sum, 14.7386e6, 0.001e6);
  g_assert_cmpint (urb_map_get_n_polygons (map), ==, 11004);
  g_assert_cmpint (urb_map_get_layers (map)->len, ==, 7);
  for (guint i = 0; i < urb_map_get_warnings (map)->len; i++)
    n_seams += strstr (g_ptr_array_index (urb_map_get_warnings (map), i), " at their border ") != NULL;
  g_assert_cmpint (n_seams, ==, 6); /* of four pairs of neighbors; two have gaps and overlaps */
}

static void
test_monaco (void)
{
  g_autofree char *path = find_data ("osm-monaco/monaco-latest.osm.pbf");
  UrbMapOptions wide = { .road_width_m = 20 };
  g_autoptr(UrbMap) map = NULL;
  g_autoptr(UrbMap) wider = NULL;
  gint64 n[URB_N_CLASSES];

  if (path == NULL)
    return;
  map = open_map (path, NULL);
  wider = open_map (path, &wide);
  count_classes (map, n);
  g_assert_cmpint (urb_map_get_epsg (map), ==, 32632);
  g_assert_cmpstr (urb_map_get_profile (map), ==, "osm");
  g_assert_nonnull (strstr (urb_map_get_licence (map), "© OpenStreetMap contributors"));
  g_assert_cmpint (n[URB_CLASS_BUILDING], >, 1150);
  g_assert_cmpint (n[URB_CLASS_BUILDING], <, 1250);
  g_assert_cmpint (n[URB_CLASS_ROAD], >, 800);
  g_assert_cmpint (n[URB_CLASS_ROAD], <, 1100);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (wider, URB_CLASS_ROAD), >,
                     2 * urb_map_get_class_area_m2 (map, URB_CLASS_ROAD));
  g_assert_cmpfloat (urb_map_get_class_area_m2 (wider, URB_CLASS_BUILDING), ==,
                     urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING));
}

static void
test_delft (void)
{
  g_autofree char *path = find_data ("nl-delft-bgt");
  g_autoptr(UrbMap) map = NULL;
  gint64 n[URB_N_CLASSES];

  if (path == NULL)
    return;
  map = open_map (path, NULL);
  count_classes (map, n);
  g_assert_cmpstr (urb_map_get_profile (map), ==, "nl-bgt");
  g_assert_cmpint (urb_map_get_epsg (map), ==, 28992);
  g_assert_cmpint (n[URB_CLASS_BUILDING], ==, 160);
  g_assert_cmpint (n[URB_CLASS_ROAD], ==, 151);
  g_assert_cmpint (n[URB_CLASS_OTHER], ==, 210 + 3); /* plus three parts of bridges */
}

/* The same map twice gives one map and a warning. */
static void
test_twice (void)
{
  g_autofree char *a = find_data ("ch-so-hubersdorf-formats/hubersdorf_lv03.gpkg");
  g_autofree char *b = find_data ("ch-so-hubersdorf-formats/hubersdorf_lv03.sqlite");
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = NULL;

  if (a == NULL || b == NULL)
    return;
  map = urb_map_open ((const char *const[]){ a, b, NULL }, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (urb_map_get_n_polygons (map), ==, 872);
  g_assert_cmpint (urb_map_get_warnings (map)->len, ==, 1);
}

static void
test_cancelled (void)
{
  g_autofree char *path = find_data ("ch-so-wasseramt/wasseramt_lv03.gpkg");
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;

  if (path == NULL)
    return;
  g_cancellable_cancel (cancellable);
  g_assert_null (urb_map_open ((const char *const[]){ path, NULL }, NULL, NULL, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *name = g_strdup_printf ("/map/formats/%s", formats[i].file);
      g_test_add_data_func (name, &formats[i], test_format);
    }
  g_test_add_func ("/map/partition", test_partition);
  g_test_add_func ("/map/wasseramt", test_wasseramt);
  g_test_add_func ("/map/wasseramt-itf", test_wasseramt_itf);
  g_test_add_func ("/map/monaco", test_monaco);
  g_test_add_func ("/map/delft", test_delft);
  g_test_add_func ("/map/twice", test_twice);
  g_test_add_func ("/map/cancelled", test_cancelled);
  return g_test_run ();
}
