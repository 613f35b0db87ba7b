/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-vectorize.c - plans partition the tile, whatever its content.
 */
#include <math.h>
#include <string.h>

#include "city-fixture.h"
#include "city/street-surface-private.h"
#include "city/tile-vectors.h"

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
  g_assert_cmpint (vectors->quality.n_invalid, ==, 0);
}

/* Asserts that each edge off the tile's border belongs to exactly two polygons, once in each
 * direction: neighbors have the same vertices. */
static void
assert_shared (const UrbCityVectors *vectors)
{
  g_autoptr(GHashTable) edges = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < vectors->rings->len; i++)
    {
      const UrbCityRing *ring = &g_array_index (vectors->rings, UrbCityRing, i);
      const double *xy = &g_array_index (vectors->xy, double, 2 * ring->first_vertex);

      for (guint k = 0; k < ring->n_vertices; k++)
        {
          const double *a = xy + 2 * k, *b = xy + 2 * ((k + 1) % ring->n_vertices);
          char *edge = g_strdup_printf ("%.6f %.6f %.6f %.6f", a[0], a[1], b[0], b[1]);
          g_autofree char *back = g_strdup_printf ("%.6f %.6f %.6f %.6f", b[0], b[1], a[0], a[1]);
          gboolean on_border = (a[0] == b[0] && (a[0] == 0 || a[0] == vectors->width_m))
                               || (a[1] == b[1] && (a[1] == 0 || a[1] == vectors->height_m));

          if (on_border || g_hash_table_remove (edges, back))
            g_free (edge);
          else
            g_assert_true (g_hash_table_add (edges, edge));
        }
    }
  g_assert_cmpuint (g_hash_table_size (edges), ==, 0);
}

static UrbCityVectors *
vectorize (const UrbClassMap *map)
{
  UrbCityVectors *vectors = fixture_vectors (map, map->pixel_m);

  assert_partition (vectors);
  assert_shared (vectors);
  return vectors;
}

static void
test_one_class (void)
{
  g_autoptr(UrbClassMap) map = fixture_blank (64, 2);

  for (int c = 0; c < URB_N_CLASSES; c++)
    {
      g_autoptr(UrbCityVectors) vectors = NULL;

      memset (map->classes, c, 64 * 64);
      vectors = vectorize (map);
      g_test_message ("class %d: agreement %.3f", c, vectors->quality.agreement);
      g_assert_cmpfloat (vectors->quality.agreement, >, 0.95); /* a square may be cut at corners */
      if (c == URB_CLASS_ROAD)
        continue;
      g_assert_cmpuint (vectors->polygons->len, ==, 1);
      g_assert_cmpuint (vectors->quality.n_vertices, ==, 4); /* the tile's corners */
      g_assert_cmpfloat_with_epsilon (get_polygon (vectors, 0)->area_m2, 16384, 1e-6);
    }
}

/* For any noise: a partition. */
static void
test_noise (void)
{
  for (int n_classes = 2; n_classes <= 3; n_classes++)
    {
      g_autoptr(UrbClassMap) map = fixture_noise (128, n_classes, 11);
      g_autoptr(UrbCityVectors) vectors = vectorize (map);

      g_test_message ("%d classes: agreement %.3f", n_classes, vectors->quality.agreement);
    }
}

/* For all combinations of neighbors and any detail, with and without specks; and the same again. */
static void
test_clutter (void)
{
  for (guint32 seed = 0; seed < 150; seed++)
    {
      g_autoptr(UrbClassMap) map = fixture_clutter (seed, seed % 3 == 0);
      g_autoptr(UrbSoftMap) soft = urb_soft_map_new_from_classes (map);
      g_autoptr(UrbCityVectors) vectors = NULL, again = NULL;
      UrbVectorizeOptions options;

      urb_vectorize_options_init (&options, map->pixel_m * (seed % 4 == 0 ? 4 : 1));
      if (seed % 5 == 0)
        urb_vectorize_options_keep_specks (&options);
      vectors = urb_vectorize (soft, &options);
      assert_partition (vectors);
      assert_shared (vectors);
      if (seed % 10 != 0)
        continue;
      again = urb_vectorize (soft, &options);
      g_assert_cmpmem (vectors->xy->data, vectors->xy->len * sizeof (double), again->xy->data,
                       again->xy->len * sizeof (double));
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
    g_autoptr(UrbCityVectors) vectors = vectorize (map);

    g_assert_cmpuint (vectors->streets->len, >, 0);
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
        vectors = vectorize (map);
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
  vectors = vectorize (map);
  g_assert_cmpint (vectors->quality.n_buildings, ==, 3);
  g_assert_cmpint (vectors->quality.n_straight, ==, 3);
  g_assert_cmpint (vectors->quality.n_corners, ==, 6 + 4 + 2);
  g_assert_cmpint (vectors->quality.n_square_corners, ==, 12);
  g_assert_cmpfloat (vectors->quality.agreement, >, 0.97);
}

/* An oblique road: a strip of one width, whose center line runs from border to border. */
static void
test_road_line (void)
{
  g_autoptr(UrbClassMap) map = fixture_blank (128, 1);
  g_autoptr(UrbCityVectors) vectors = NULL;
  const UrbCityStreet *street;
  const double *xy;

  fixture_paint_rectangle (map, 64, 64, 400, 9, 0.37, URB_CLASS_ROAD);
  vectors = vectorize (map);
  g_assert_cmpuint (vectors->polygons->len, ==, 3);
  g_assert_cmpint (vectors->quality.n_vertices, <=, 24);
  g_assert_cmpfloat (vectors->quality.overlap[URB_CLASS_ROAD], >, 0.93);
  g_assert_cmpuint (vectors->streets->len, ==, 1);
  street = &g_array_index (vectors->streets, UrbCityStreet, 0);
  g_assert_cmpfloat_with_epsilon (street->width_m, 9, 0.5);
  xy = urb_city_vectors_get_street (vectors, street);
  for (guint i = 0; i < street->n_vertices; i++)
    g_assert_cmpfloat_with_epsilon (
      -sin (0.37) * (xy[2 * i] - 64) + cos (0.37) * (64 - xy[2 * i + 1]), 0, 0.5);
  for (guint end = 0; end < 2; end++)
    {
      double x = xy[2 * end * (street->n_vertices - 1)];

      g_test_message ("end %.17g %.17g", x, xy[2 * end * (street->n_vertices - 1) + 1]);
      g_assert_true (x == 0 || x == 128);
    }
}

/* A house on a street that passes under it: the center line ends at either wall. */
static void
test_passage (void)
{
  g_autoptr(UrbClassMap) map = fixture_blank (128, 1);
  g_autoptr(UrbCityVectors) vectors = NULL;

  fixture_paint_rectangle (map, 64, 64, 400, 7, 0, URB_CLASS_ROAD);
  fixture_paint_rectangle (map, 64, 64, 20, 40, 0, URB_CLASS_BUILDING);
  vectors = vectorize (map);
  g_assert_cmpuint (vectors->streets->len, ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      const UrbCityStreet *street = &g_array_index (vectors->streets, UrbCityStreet, i);
      const double *xy = urb_city_vectors_get_street (vectors, street);

      for (guint k = 0; k < street->n_vertices; k++)
        g_assert_true (xy[2 * k] <= 55 || xy[2 * k] >= 73);
    }
}

/* A strip of lawn 1 m wide between a house and a street: too narrow to draw. */
static void
test_sliver (void)
{
  g_autoptr(UrbClassMap) map = fixture_blank (256, 0.25);
  g_autoptr(UrbCityVectors) vectors = NULL;

  fixture_paint_rectangle (map, 128, 160, 600, 32, 0, URB_CLASS_ROAD);
  fixture_paint_rectangle (map, 128, 123, 60, 40, 0, URB_CLASS_BUILDING);
  vectors = vectorize (map);
  g_assert_cmpint (vectors->quality.n_buildings, ==, 1);
  for (guint i = 0; i < vectors->polygons->len; i++)
    g_assert_cmpfloat (get_polygon (vectors, i)->area_m2, >, 20);
}

/* What is painted again from the vectors is what was there. */
static void
test_paint (void)
{
  g_autoptr(UrbClassMap) map = fixture_blank (100, 1);
  g_autoptr(UrbClassMap) same = NULL, fine = NULL;
  g_autoptr(UrbCityVectors) vectors = NULL;
  double before[URB_N_CLASSES], after[URB_N_CLASSES];

  fixture_paint_rectangle (map, 50, 70, 300, 12, 0, URB_CLASS_ROAD);
  fixture_paint_rectangle (map, 30, 30, 20, 20, 0, URB_CLASS_BUILDING);
  vectors = vectorize (map);
  same = urb_class_map_new_from_vectors (vectors, 100, NULL, NULL);
  g_assert_cmpint (same->width_px, ==, 100);
  g_assert_cmpmem (same->classes, 10000, map->classes, 10000);
  fine = urb_class_map_new_from_vectors (vectors, 350, NULL, NULL);
  urb_class_map_get_shares (map, before);
  urb_class_map_get_shares (fine, after);
  for (int c = 0; c < URB_N_CLASSES; c++)
    g_assert_cmpfloat_with_epsilon (before[c], after[c], 0.01);
}

/* A street across a tile of 128 m in 128 pixels, with a gap of @gap px in it and a stub of @stub px. */
static UrbCityVectors *
draw_street (int gap, int stub, int base_px)
{
  enum { EDGE = 128, WIDTH = 6 };
  g_autofree guint8 *levels = g_malloc0 (EDGE * EDGE * 3);

  for (int row = 0; row < EDGE; row++)
    for (int col = 0; col < EDGE; col++)
      {
        gboolean on_street = ABS (row - 64) < WIDTH / 2 && (col < 60 || col >= 60 + gap);
        gboolean on_stub = ABS (col - 30) < WIDTH / 2 && row >= 64 && row < 64 + stub;

        levels[(row * EDGE + col) * 3 + (on_street || on_stub ? URB_CLASS_ROAD : URB_CLASS_OTHER)] = 255;
      }
  return urb_city_vectors_from_levels (levels, EDGE, base_px, 3, EDGE, FALSE);
}

static double
sum_lengths (const UrbCityVectors *vectors)
{
  double sum = 0;

  for (guint i = 0; i < vectors->streets->len; i++)
    {
      const UrbCityStreet *street = &g_array_index (vectors->streets, UrbCityStreet, i);
      const double *xy = urb_city_vectors_get_street (vectors, street);

      for (guint k = 0; k + 1 < street->n_vertices; k++)
        sum += hypot (xy[2 * k + 2] - xy[2 * k], xy[2 * k + 3] - xy[2 * k + 1]);
    }
  return sum;
}

/* Gaps and stubs of real streets are true; those of a generator's, even if refined, are mistakes. */
static void
test_refined (void)
{
  g_autoptr(UrbCityVectors) real_gap = draw_street (12, 0, 128), gap = draw_street (12, 0, 32);
  g_autoptr(UrbCityVectors) real_stub = draw_street (0, 20, 128), stub = draw_street (0, 20, 32);

  g_assert_cmpint (real_gap->quality.n_bridges, ==, 0);
  g_assert_cmpint (gap->quality.n_bridges, >, 0);
  g_assert_cmpfloat_with_epsilon (sum_lengths (real_gap), 116, 3);
  g_assert_cmpfloat_with_epsilon (sum_lengths (gap), 128, 3);
  g_assert_cmpfloat_with_epsilon (sum_lengths (real_stub), 128 + 20, 3);
  g_assert_cmpfloat_with_epsilon (sum_lengths (stub), 128, 3);
}

/* The corners of the only building in a tile of 128 m that a refiner drew. */
static gint64
count_refined_corners (int length, int width, int porch)
{
  enum { EDGE = 128 };
  g_autofree guint8 *levels = g_malloc0 (EDGE * EDGE * 3);
  g_autoptr(UrbCityVectors) vectors = NULL;

  for (int row = 0; row < EDGE; row++)
    for (int col = 0; col < EDGE; col++)
      {
        gboolean in_house = row >= 50 && row < 50 + width && col >= 50 && col < 50 + length;
        gboolean in_porch = row >= 50 - porch && row < 50 && col >= 54 && col < 54 + porch;

        levels[(row * EDGE + col) * 3 + (in_house || in_porch ? URB_CLASS_BUILDING : URB_CLASS_OTHER)] = 255;
      }
  vectors = urb_city_vectors_from_levels (levels, EDGE, EDGE / 4, 3, EDGE, FALSE);
  g_assert_cmpint (vectors->quality.n_buildings, ==, 1);
  return vectors->quality.n_corners;
}

/* A house shows a porch of 2 m by 2 m, a hall does not. */
static void
test_porch (void)
{
  g_assert_cmpint (count_refined_corners (11, 8, 0), ==, 4);
  g_assert_cmpint (count_refined_corners (11, 8, 2), ==, 8);
  g_assert_cmpint (count_refined_corners (30, 20, 2), ==, 4);
}

static void
add_edge (UrbStreetGraph *graph, UrbPoint from, UrbPoint to)
{
  UrbStreetNode nodes[] = { { from, 1, TRUE }, { to, 1, TRUE } };
  UrbStreetEdge edge = { graph->nodes->len, graph->nodes->len + 1, graph->points->len, 2, 8, FALSE };

  g_array_append_vals (graph->nodes, nodes, 2);
  g_array_append_val (graph->points, from);
  g_array_append_val (graph->points, to);
  g_array_append_val (graph->edges, edge);
}

static GEOSGeometry *
make_box (UrbGeometry *geometry, double x, double y, double width, double height)
{
  return urb_geometry_keep (geometry, GEOSGeom_createRectangle_r (geometry->handle, x, y, x + width, y + height));
}

/* A street goes on where a house was drawn across it, and cuts a hall; it may end at a house. */
static void
test_clear (void)
{
  UrbStreetGraph graph = { g_array_new (FALSE, FALSE, sizeof (UrbStreetNode)),
                           g_array_new (FALSE, FALSE, sizeof (UrbStreetEdge)),
                           g_array_new (FALSE, FALSE, sizeof (UrbStreetSquare)),
                           g_array_new (FALSE, FALSE, sizeof (UrbPoint)) };
  g_autoptr(UrbGeometry) geometry = urb_geometry_new (200, 200, 1);
  g_autoptr(GPtrArray) buildings = g_ptr_array_new ();
  GEOSGeometry *beside = make_box (geometry, 20, 101, 12, 12), *at_end = make_box (geometry, 148, 40, 12, 12);
  double area = 0;

  add_edge (&graph, (UrbPoint) { 0, 100 }, (UrbPoint) { 200, 100 });
  add_edge (&graph, (UrbPoint) { 150, 200 }, (UrbPoint) { 150, 150 }); /* y down; it ends in a house */
  g_ptr_array_add (buildings, make_box (geometry, 40, 94, 12, 12)); /* across */
  g_ptr_array_add (buildings, beside);
  g_ptr_array_add (buildings, make_box (geometry, 80, 80, 40, 40)); /* a hall across */
  g_ptr_array_add (buildings, at_end);
  urb_street_clear (geometry, &graph, make_box (geometry, 0, 96, 200, 8), buildings);
  g_assert_cmpuint (buildings->len, ==, 4);
  g_assert_true (buildings->pdata[0] == beside);
  g_assert_true (buildings->pdata[1] == at_end);
  for (guint i = 2; i < buildings->len; i++)
    area += urb_geometry_get_area_m2 (geometry, buildings->pdata[i]);
  g_assert_cmpfloat_with_epsilon (area, 40 * 32, 1e-6);
  g_array_unref (graph.nodes);
  g_array_unref (graph.edges);
  g_array_unref (graph.squares);
  g_array_unref (graph.points);
}

/* What GEOS cannot make is counted, and nothing stands in its place. */
static void
test_missing (void)
{
  static const double nowhere[] = { 0, 0, NAN, 0, 10, 10 };
  static const guint sizes[] = { 3 };
  g_autoptr(UrbGeometry) geometry = urb_geometry_new (200, 200, 1);
  GEOSGeometry *shape = urb_geometry_from_rings (geometry, nowhere, sizes, 1, 1);

  g_assert_cmpfloat (urb_geometry_get_area_m2 (geometry, shape), ==, 0);
  g_assert_cmpuint (geometry->n_missing, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vectorize/one-class", test_one_class);
  g_test_add_func ("/vectorize/noise", test_noise);
  g_test_add_func ("/vectorize/clutter", test_clutter);
  g_test_add_func ("/vectorize/spiral", test_spiral);
  g_test_add_func ("/vectorize/rectangles", test_rectangles);
  g_test_add_func ("/vectorize/shapes", test_shapes);
  g_test_add_func ("/vectorize/road-line", test_road_line);
  g_test_add_func ("/vectorize/passage", test_passage);
  g_test_add_func ("/vectorize/missing", test_missing);
  g_test_add_func ("/vectorize/sliver", test_sliver);
  g_test_add_func ("/vectorize/paint", test_paint);
  g_test_add_func ("/vectorize/refined", test_refined);
  g_test_add_func ("/vectorize/porch", test_porch);
  g_test_add_func ("/vectorize/clear", test_clear);
  return g_test_run ();
}
