/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-vectorise.c - plans partition the tile, whatever its content.
 */
#include <math.h>

#include "city-fixture.h"
#include "city/vectorise.h"

static UrbCityVectors *
vectorise (const UrbClassMap *map, double tolerance_m)
{
  UrbVectoriseOptions options;

  urb_vectorise_options_init (&options, map->pixel_m, map->pixel_m);
  options.tolerance_m = tolerance_m;
  options.straighten = tolerance_m > 0;
  return urb_vectorise (map, &options);
}

static const UrbCityPolygon *
get_polygon (const UrbCityVectors *vectors, guint i)
{
  return &g_array_index (vectors->polygons, UrbCityPolygon, i);
}

static double
ring_area (const UrbCityVectors *vectors, guint i)
{
  const UrbCityRing *ring = &g_array_index (vectors->rings, UrbCityRing, i);
  const double *xy = &g_array_index (vectors->xy, double, 2 * ring->first_vertex);
  double sum = 0;

  for (guint k = 0, j = ring->n_vertices - 1; k < ring->n_vertices; j = k++)
    sum += xy[2 * j] * xy[2 * k + 1] - xy[2 * k] * xy[2 * j + 1];
  return sum / 2;
}

/* Asserts that outer rings are counter-clockwise and holes clockwise, that areas sum to the tile's,
 * and that there are no gaps, overlaps or invalid polygons. */
static void
assert_partition (const UrbCityVectors *vectors)
{
  double total = 0, whole = vectors->width_m * vectors->height_m;

  for (guint i = 0; i < vectors->polygons->len; i++)
    {
      const UrbCityPolygon *polygon = get_polygon (vectors, i);
      double area = 0;

      g_assert_cmpuint (polygon->n_rings, >, 0);
      for (guint k = 0; k < polygon->n_rings; k++)
        {
          double part = ring_area (vectors, polygon->first_ring + k);

          g_assert_cmpuint (
            g_array_index (vectors->rings, UrbCityRing, polygon->first_ring + k).n_vertices, >=, 3);
          g_assert_true (k == 0 ? part > 0 : part < 0);
          area += part;
        }
      g_assert_cmpfloat_with_epsilon (area, polygon->area_m2, 1e-6);
      g_assert_cmpfloat (area, >, 0);
      total += area;
    }
  g_assert_cmpfloat_with_epsilon (total, whole, 1e-9 * whole);
  g_assert_cmpint (vectors->quality.n_gaps, ==, 0);
  g_assert_cmpint (vectors->quality.n_overlaps, ==, 0);
  g_assert_cmpint (vectors->quality.n_conflicts, ==, 0);
  g_assert_cmpint (vectors->quality.n_invalid, ==, 0);
}

static void
assert_exact (const UrbCityVectors *vectors)
{
  assert_partition (vectors);
  g_assert_cmpfloat (vectors->quality.agreement, ==, 1.0);
}

static void
test_one_class (void)
{
  g_autoptr(UrbClassMap) map = fixture_blank (16, 2);

  for (int c = 0; c < URB_N_CLASSES; c++)
    for (int rough = 0; rough < 2; rough++)
      {
        g_autoptr(UrbCityVectors) vectors = NULL;

        for (int i = 0; i < 256; i++)
          map->classes[i] = (guint8) c;
        vectors = vectorise (map, rough ? 0 : 1.6);
        assert_exact (vectors);
        g_assert_cmpuint (vectors->polygons->len, ==, 1);
        g_assert_cmpuint (vectors->xy->len, ==, 8); /* the tile's corners */
        g_assert_cmpfloat (get_polygon (vectors, 0)->area_m2, ==, 1024);
      }
}

static void
test_hole (void)
{
  g_autoptr (UrbClassMap) map = fixture_map (
    "......./.BBBBB./.B...B./.B.R.B./.B...B./.BBBBB./.......", 1);
  g_autoptr(UrbCityVectors) vectors = vectorise (map, 0);

  assert_exact (vectors);
  g_assert_cmpuint (vectors->polygons->len, ==, 4); /* outside, building, yard, well */
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (get_polygon (vectors, i)->n_rings, ==, 2);
  g_assert_cmpfloat (get_polygon (vectors, 1)->area_m2, ==, 16);
  g_assert_cmpfloat (get_polygon (vectors, 3)->area_m2, ==, 1);
}

/* Pixels that touch at a corner: two buildings unless connected elsewhere, else one with a hole that
 * touches its outer ring. */
static void
test_diagonal (void)
{
  g_autoptr(UrbClassMap) apart = fixture_map ("..../.B../..B./....", 1);
  g_autoptr(UrbClassMap) joined = fixture_map ("...../.BBB./.B.B./.BB../.....", 1);
  g_autoptr(UrbClassMap) board = fixture_map ("B.B./.B.B/B.B./.B.B", 1);
  g_autoptr(UrbCityVectors) two = vectorise (apart, 0);
  g_autoptr(UrbCityVectors) one = vectorise (joined, 0);
  g_autoptr(UrbCityVectors) many = vectorise (board, 0);

  assert_exact (two);
  g_assert_cmpint (two->quality.n_buildings, ==, 2);
  assert_exact (one);
  g_assert_cmpint (one->quality.n_buildings, ==, 1);
  g_assert_cmpuint (one->polygons->len, ==, 3);
  g_assert_cmpuint (get_polygon (one, 1)->n_rings, ==, 2);
  assert_exact (many);
  g_assert_cmpuint (many->polygons->len, ==, 16);
}

static void
test_speck (void)
{
  g_autoptr(UrbClassMap) map = fixture_map ("....../...B../....../R...../......", 1);
  g_autoptr(UrbCityVectors) exact = vectorise (map, 0);
  g_autoptr(UrbCityVectors) vectors = vectorise (map, 0.8);

  assert_exact (exact);
  g_assert_cmpuint (exact->polygons->len, ==, 3);
  assert_partition (vectors);
  g_assert_cmpuint (vectors->polygons->len, ==, 3);
}

/* For any noise: a partition, and without simplification exactly the pixels. */
static void
test_noise (void)
{
  for (int n_classes = 2; n_classes <= 3; n_classes++)
    {
      g_autoptr(UrbClassMap) map = fixture_noise (256, n_classes, 11);
      g_autoptr(UrbCityVectors) exact = vectorise (map, 0);
      g_autoptr(UrbCityVectors) vectors = vectorise (map, 0.8);

      g_test_message ("%d classes: agreement %.3f", n_classes, vectors->quality.agreement);
      assert_exact (exact);
      assert_partition (vectors);
    }
}

/* For all combinations of neighbors and any detail. */
static void
test_clutter (void)
{
  for (guint32 seed = 0; seed < 600; seed++)
    {
      g_autoptr(UrbClassMap) map = fixture_clutter (seed, seed % 3 == 0);
      g_autoptr(UrbCityVectors) vectors = NULL;
      UrbVectoriseOptions options;

      urb_vectorise_options_init (&options, map->pixel_m, map->pixel_m * (seed % 4 == 0 ? 4 : 1));
      if (seed % 5 == 0)
        options.tolerance_m *= seed % 7;
      vectors = urb_vectorise (map, &options);
      assert_partition (vectors);
    }
}

/* A thin spiral: the longest border an image can have. */
static void
test_spiral (void)
{
  g_autoptr(UrbClassMap) map = fixture_blank (256, 1);
  int left = 0, top = 0, right = 255, bottom = 255, x = 0, y = 0;

  while (left < right && top < bottom)
    {
      for (; x < right; x++)
        map->classes[y * 256 + x] = URB_CLASS_ROAD;
      for (; y < bottom; y++)
        map->classes[y * 256 + x] = URB_CLASS_ROAD;
      for (; x > left; x--)
        map->classes[y * 256 + x] = URB_CLASS_ROAD;
      top += 4;
      for (; y > top; y--)
        map->classes[y * 256 + x] = URB_CLASS_ROAD;
      left += 4;
      right -= 4;
      bottom -= 4;
    }
  {
    g_autoptr(UrbCityVectors) vectors = vectorise (map, 0.8);

    assert_partition (vectors);
    g_assert_cmpfloat (vectors->quality.agreement, >, 0.97);
  }
}

/* The corners of the only building. */
static guint
get_building (const UrbCityVectors *vectors, double *area_m2)
{
  for (guint i = 0; i < vectors->polygons->len; i++)
    if (get_polygon (vectors, i)->class_ == URB_CLASS_BUILDING)
      {
        *area_m2 = get_polygon (vectors, i)->area_m2;
        return g_array_index (vectors->rings, UrbCityRing, get_polygon (vectors, i)->first_ring)
          .n_vertices;
      }
  return 0;
}

static void
test_rectangles (void)
{
  int n = 0;

  for (int degrees = 0; degrees < 180; degrees += 7)
    for (int size = 0; size < 3; size++)
      {
        g_autoptr(UrbClassMap) map = fixture_blank (64, 1);
        g_autoptr(UrbCityVectors) vectors = NULL;
        double length = 14 + 12 * size, width = 9 + 5 * size, area_m2 = 0;
        guint n_corners;

        fixture_paint_rectangle (map, 32.3, 31.8, length, width, degrees * G_PI / 180,
                                 URB_CLASS_BUILDING);
        vectors = vectorise (map, 0.8);
        assert_partition (vectors);
        n_corners = get_building (vectors, &area_m2);
        g_test_message ("%d degrees, %g x %g: %u corners, %.1f m²", degrees, length, width,
                        n_corners, area_m2);
        g_assert_cmpint (vectors->quality.n_straight, ==, 1);
        g_assert_cmpuint (n_corners, ==, 4);
        g_assert_cmpint (vectors->quality.n_square_corners, ==, 4);
        g_assert_cmpfloat (fabs (area_m2 / (length * width) - 1), <, 0.05);
        n++;
      }
  g_assert_cmpint (n, >, 70);
}

/* An L keeps its inner corner; a house at the tile's edge and one between a road and a garden are
 * straightened, too. */
static void
test_shapes (void)
{
  g_autoptr(UrbClassMap) map = fixture_blank (96, 1);
  g_autoptr(UrbCityVectors) vectors = NULL;

  fixture_paint_rectangle (map, 25, 25, 24, 10, 0.3, URB_CLASS_BUILDING);
  fixture_paint_rectangle (map, 17, 33, 10, 22, 0.3, URB_CLASS_BUILDING);
  fixture_paint_rectangle (map, 60, 60, 120, 12, -0.5, URB_CLASS_ROAD);
  fixture_paint_rectangle (map, 66, 46, 20, 12, -0.5, URB_CLASS_BUILDING);
  fixture_paint_rectangle (map, 96, 84, 18, 12, 0.2, URB_CLASS_BUILDING);
  vectors = vectorise (map, 0.8);
  assert_partition (vectors);
  g_assert_cmpint (vectors->quality.n_buildings, ==, 3);
  g_assert_cmpint (vectors->quality.n_straight, ==, 3);
  g_assert_cmpint (vectors->quality.n_corners, ==, 6 + 4 + 2);
  g_assert_cmpint (vectors->quality.n_square_corners, ==, 12);
  g_assert_cmpfloat (vectors->quality.agreement, >, 0.97);
}

/* The border of an oblique road becomes a single line. */
static void
test_road_line (void)
{
  g_autoptr(UrbClassMap) map = fixture_blank (128, 1);
  g_autoptr(UrbCityVectors) vectors = NULL;

  fixture_paint_rectangle (map, 64, 64, 400, 9, 0.37, URB_CLASS_ROAD);
  vectors = vectorise (map, 0.8);
  assert_partition (vectors);
  g_assert_cmpuint (vectors->polygons->len, ==, 3);
  g_assert_cmpint (vectors->quality.n_vertices, <=, 24);
  g_assert_cmpfloat (vectors->quality.overlap[URB_CLASS_ROAD], >, 0.93);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vectorise/one-class", test_one_class);
  g_test_add_func ("/vectorise/hole", test_hole);
  g_test_add_func ("/vectorise/diagonal", test_diagonal);
  g_test_add_func ("/vectorise/speck", test_speck);
  g_test_add_func ("/vectorise/noise", test_noise);
  g_test_add_func ("/vectorise/clutter", test_clutter);
  g_test_add_func ("/vectorise/spiral", test_spiral);
  g_test_add_func ("/vectorise/rectangles", test_rectangles);
  g_test_add_func ("/vectorise/shapes", test_shapes);
  g_test_add_func ("/vectorise/road-line", test_road_line);
  return g_test_run ();
}
