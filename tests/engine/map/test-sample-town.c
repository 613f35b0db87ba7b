/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-sample-town.c - the sample town is a partition, reproducible by its seed, and
 * statistically like a town.
 */
#include "map/sample-town.h"

#include <glib/gstdio.h>
#include <string.h>

static UrbSampleTown *
new_town (guint64 seed, double size_m)
{
  g_autoptr(GError) error = NULL;
  UrbSampleTown *town = urb_sample_town_new (seed, size_m, NULL, NULL, NULL, &error);

  if (g_error_matches (error, URB_MAP_ERROR, URB_MAP_ERROR_UNAVAILABLE))
    {
      g_test_skip ("built without maps");
      return NULL;
    }
  g_assert_no_error (error);
  return town;
}

/* Relative to @origin, since squared LV95 coordinates would lose the decimals. */
static double
ring_area_m2 (const double *xy, guint32 n)
{
  double twice = 0;

  for (guint32 i = 1; i + 1 < n; i++)
    twice += (xy[2 * i] - xy[0]) * (xy[2 * i + 3] - xy[1])
             - (xy[2 * i + 2] - xy[0]) * (xy[2 * i + 1] - xy[1]);
  return ABS (twice) / 2;
}

static gboolean
ring_has (const double *xy, guint32 n, double x, double y)
{
  gboolean odd = FALSE;

  for (guint32 i = 0, j = n - 1; i < n; j = i++)
    if ((xy[2 * i + 1] > y) != (xy[2 * j + 1] > y) &&
        x < (xy[2 * j] - xy[2 * i]) * (y - xy[2 * i + 1]) / (xy[2 * j + 1] - xy[2 * i + 1]) +
              xy[2 * i])
      odd = !odd;
  return odd;
}

static void
sum_areas (UrbSampleTown *town, double areas[URB_N_CLASSES], int *n_buildings)
{
  const double *xy = (const double *) (const void *) town->xy->data;

  memset (areas, 0, URB_N_CLASSES * sizeof *areas);
  *n_buildings = 0;
  for (guint i = 0; i < town->polygons->len; i++)
    {
      const UrbTownPolygon *polygon = &g_array_index (town->polygons, UrbTownPolygon, i);
      UrbClass class_ = urb_town_kind_get_class (polygon->kind);

      for (guint32 r = 0; r < polygon->n_rings; r++)
        {
          guint32 n = g_array_index (town->rings, guint32, polygon->first_ring + r);

          g_assert_cmpuint (n, >=, 3);
          areas[class_] += (r == 0 ? 1 : -1) * ring_area_m2 (xy, n);
          xy += 2 * (gsize) n;
        }
      *n_buildings += class_ == URB_CLASS_BUILDING;
    }
}

static int
count_polygons_at (UrbSampleTown *town, double x, double y)
{
  const double *xy = (const double *) (const void *) town->xy->data;
  int count = 0;

  for (guint i = 0; i < town->polygons->len; i++)
    {
      const UrbTownPolygon *polygon = &g_array_index (town->polygons, UrbTownPolygon, i);
      gboolean odd = FALSE;

      for (guint32 r = 0; r < polygon->n_rings; r++)
        {
          guint32 n = g_array_index (town->rings, guint32, polygon->first_ring + r);

          odd ^= ring_has (xy, n, x, y);
          xy += 2 * (gsize) n;
        }
      count += odd;
    }
  return count;
}

static void
test_areas_fill_the_square (void)
{
  static const struct
  {
    guint64 seed;
    double  size_m;
  } cases[] = { { 7, 2000 }, { 1, 1000 }, { 2, 700 }, { 3, 250 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(UrbSampleTown) town = new_town (cases[i].seed, cases[i].size_m);
      double areas[URB_N_CLASSES], total = cases[i].size_m * cases[i].size_m;
      int n_buildings;

      if (town == NULL)
        return;
      sum_areas (town, areas, &n_buildings);
      g_assert_cmpfloat (ABS (areas[0] + areas[1] + areas[2] - total), <, 1e-6 * total);
      g_assert_cmpfloat (areas[URB_CLASS_BUILDING], >, 0.08 * total);
      g_assert_cmpfloat (areas[URB_CLASS_BUILDING], <, 0.45 * total);
      g_assert_cmpfloat (areas[URB_CLASS_ROAD], >, 0.06 * total);
      g_assert_cmpfloat (areas[URB_CLASS_ROAD], <, 0.4 * total);
      g_assert_cmpint (n_buildings, >, 300 * total / 1e6);
    }
}

static void
test_every_point_has_one_polygon (void)
{
  g_autoptr(UrbSampleTown) town = new_town (11, 600);
  g_autoptr(GRand) random = g_rand_new_with_seed (1);

  if (town == NULL)
    return;
  for (int i = 0; i < 3000; i++)
    {
      double x = g_rand_double_range (random, town->extent.min_x, town->extent.max_x);
      double y = g_rand_double_range (random, town->extent.min_y, town->extent.max_y);

      g_assert_cmpint (count_polygons_at (town, x, y), ==, 1);
    }
}

static void
test_seed_decides (void)
{
  g_autoptr(UrbSampleTown) one = new_town (5, 500);
  g_autoptr(UrbSampleTown) same = new_town (5, 500);
  g_autoptr(UrbSampleTown) other = new_town (6, 500);

  if (one == NULL || same == NULL || other == NULL)
    return;
  g_assert_cmpmem (one->xy->data, one->xy->len * sizeof (double), same->xy->data,
                   same->xy->len * sizeof (double));
  g_assert_cmpuint (one->polygons->len, ==, same->polygons->len);
  g_assert_false (one->xy->len == other->xy->len &&
                  memcmp (one->xy->data, other->xy->data, one->xy->len * sizeof (double)) == 0);
}

static void
test_limits_are_errors (void)
{
  static const double sizes[] = { 0, -1, 200, 20001, 0.0 / 0.0 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_null (urb_sample_town_new (1, sizes[i], NULL, NULL, NULL, &error));
      g_assert_true (error != NULL && error->domain == URB_MAP_ERROR);
    }
}

static void
test_cancel_stops (void)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (urb_sample_town_new (1, 500, NULL, NULL, cancellable, &error));
  if (g_error_matches (error, URB_MAP_ERROR, URB_MAP_ERROR_UNAVAILABLE))
    g_test_skip ("built without maps");
  else
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Written, then read as an ordinary map. */
static void
test_file_reads_back (void)
{
  g_autoptr(UrbSampleTown) town = new_town (4, 400);
  g_autofree char *folder = g_dir_make_tmp ("urbarium-town-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "town.gpkg", NULL);
  const char *paths[] = { path, NULL };
  g_autoptr(UrbMap) map = NULL;
  g_autoptr(GError) error = NULL;
  double areas[URB_N_CLASSES];
  int n_buildings;

  if (town == NULL)
    return;
  g_assert_true (urb_sample_town_write (town, path, &error));
  g_assert_no_error (error);
  map = urb_map_open (paths, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (urb_map_get_epsg (map), ==, URB_SAMPLE_TOWN_EPSG);
  g_assert_cmpstr (urb_map_get_profile (map), ==, "urbarium");
  /* Nothing to repair, nothing to drop. */
  g_assert_cmpuint (urb_map_get_warnings (map)->len, ==, 0);
  sum_areas (town, areas, &n_buildings);
  for (int c = 0; c < URB_N_CLASSES; c++)
    g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, c), areas[c], 0.5);
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_unwritable_is_an_error (void)
{
  g_autoptr(UrbSampleTown) town = new_town (4, 300);
  g_autoptr(GError) error = NULL;

  if (town == NULL)
    return;
  g_assert_false (urb_sample_town_write (town, "/nowhere/at/all/town.gpkg", &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "/nowhere/at/all/town.gpkg"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sample-town/areas-fill-the-square", test_areas_fill_the_square);
  g_test_add_func ("/sample-town/every-point-has-one-polygon", test_every_point_has_one_polygon);
  g_test_add_func ("/sample-town/seed-decides", test_seed_decides);
  g_test_add_func ("/sample-town/limits-are-errors", test_limits_are_errors);
  g_test_add_func ("/sample-town/cancel-stops", test_cancel_stops);
  g_test_add_func ("/sample-town/file-reads-back", test_file_reads_back);
  g_test_add_func ("/sample-town/unwritable-is-an-error", test_unwritable_is_an_error);
  return g_test_run ();
}
