/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-rtree.c - the packed index and the map's query against brute force.
 */
#include <math.h>
#include <string.h>

#include "made-up-map.h"
#include "map/map-private.h"
#include "map/rtree.h"

typedef struct
{
  gint64  n;
  UrbBox *boxes;
  UrbBox  extent;
} Boxes;

static UrbBox
get_box (gint64 index, gpointer user_data)
{
  return ((Boxes *) user_data)->boxes[index];
}

/* Boxes as in a map: far from the origin, most of them small, some large, some in the
 * same place. */
static void
boxes_init (Boxes *self, GRand *rand, gint64 n, double offset)
{
  self->n = n;
  self->boxes = g_new (UrbBox, MAX (n, 1));
  self->extent = (UrbBox){ INFINITY, INFINITY, -INFINITY, -INFINITY };
  for (gint64 i = 0; i < n; i++)
    {
      double x = offset + g_rand_double_range (rand, 0, 5000);
      double y = offset / 2 + g_rand_double_range (rand, 0, 3000);
      double size = g_rand_int_range (rand, 0, 50) == 0 ? 800 : 20;
      UrbBox *box = &self->boxes[i];
      if (i % 10 == 9)
        *box = self->boxes[i - 1];
      else
        *box = (UrbBox){ x, y, x + g_rand_double (rand) * size, y + g_rand_double (rand) * size };
      self->extent.min_x = MIN (self->extent.min_x, box->min_x);
      self->extent.min_y = MIN (self->extent.min_y, box->min_y);
      self->extent.max_x = MAX (self->extent.max_x, box->max_x);
      self->extent.max_y = MAX (self->extent.max_y, box->max_y);
    }
  if (n == 0)
    self->extent = (UrbBox){ 0 };
}

static gboolean
meets (UrbBox a, UrbBox b, double margin)
{
  return a.min_x - margin <= b.max_x && a.max_x + margin >= b.min_x
         && a.min_y - margin <= b.max_y && a.max_y + margin >= b.min_y;
}

/* Results contain every box that meets, none twice, and none beyond the rounding (2^-23
 * of 5 km). */
static void
check_query (const Boxes *boxes, const UrbRtree *tree, UrbBox query, GArray *found, guint8 *seen)
{
  g_array_set_size (found, 0);
  memset (seen, 0, boxes->n);
  urb_rtree_query (tree, query, found);
  for (guint i = 0; i < found->len; i++)
    {
      gint64 item = g_array_index (found, gint64, i);
      g_assert_cmpint (item, >=, 0);
      g_assert_cmpint (item, <, boxes->n);
      g_assert_false (seen[item]);
      seen[item] = TRUE;
      g_assert_true (meets (boxes->boxes[item], query, 6000.0 / (1 << 23)));
    }
  for (gint64 i = 0; i < boxes->n; i++)
    if (meets (boxes->boxes[i], query, 0))
      g_assert_true (seen[i]);
}

static void
test_brute_force (void)
{
  static const gint64 sizes[] = { 0, 1, 2, 15, 16, 17, 255, 256, 257, 4096, 4097, 10000 };
  g_autoptr(GRand) rand = g_rand_new_with_seed (7);
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      double offset = s % 2 == 0 ? 2.6e6 : -1234.5;
      Boxes boxes;
      g_autoptr(UrbRtree) tree = NULL;
      g_autofree guint8 *seen = g_malloc0 (MAX (sizes[s], 1));

      boxes_init (&boxes, rand, sizes[s], offset);
      tree = urb_rtree_new (boxes.n, boxes.extent, get_box, &boxes);
      for (int q = 0; q < 200; q++)
        {
          double x = offset + g_rand_double_range (rand, -500, 5500);
          double y = offset / 2 + g_rand_double_range (rand, -500, 3500);
          double size = g_rand_double_range (rand, 0, q % 10 == 0 ? 4000 : 200);
          check_query (&boxes, tree, (UrbBox){ x, y, x + size, y + size }, found, seen);
          /* A point on a corner touches. */
          if (boxes.n > 0)
            {
              UrbBox one = boxes.boxes[q % boxes.n];
              UrbBox corner = { one.max_x, one.max_y, one.max_x, one.max_y };
              check_query (&boxes, tree, corner, found, seen);
            }
        }
      check_query (&boxes, tree, (UrbBox){ -INFINITY, -INFINITY, INFINITY, INFINITY }, found, seen);
      g_assert_cmpint (found->len, ==, boxes.n);
      g_array_set_size (found, 0);
      urb_rtree_query (tree, (UrbBox){ NAN, NAN, NAN, NAN }, found);
      g_assert_cmpint (found->len, ==, 0);
      g_free (boxes.boxes);
    }
}

/* All items on one point: the extent is zero. */
static void
test_one_point (void)
{
  UrbBox same[40];
  Boxes boxes = { G_N_ELEMENTS (same), same, { 7, 8, 7, 8 } };
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr(UrbRtree) tree = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (same); i++)
    same[i] = (UrbBox){ 7, 8, 7, 8 };
  tree = urb_rtree_new (boxes.n, boxes.extent, get_box, &boxes);
  urb_rtree_query (tree, (UrbBox){ 7, 8, 7, 8 }, found);
  g_assert_cmpint (found->len, ==, boxes.n);
  g_array_set_size (found, 0);
  urb_rtree_query (tree, (UrbBox){ 7.1, 8, 9, 9 }, found);
  g_assert_cmpint (found->len, ==, 0);
}

/* Four squares of 10 m side by side: a building, other with a hole, a road, and
 * a building that equals the first. */
static UrbMap *
four_squares (void)
{
  static const double xy[] = { 0, 0, 10, 0, 10, 10, 0, 10,
                               20, 0, 30, 0, 30, 10, 20, 10, 22, 2, 22, 8, 28, 8, 28, 2,
                               40, 0, 40, 10, 50, 10, 50, 0,
                               10, 10, 0, 10, 0, 0, 10, 0 };
  static const guint32 ring_sizes[] = { 4, 4, 4, 4, 4 }, n_rings[] = { 1, 2, 1, 1 };
  static const guint8 classes[] = { URB_CLASS_BUILDING, URB_CLASS_OTHER, URB_CLASS_ROAD,
                                    URB_CLASS_BUILDING };
  return made_up_map_new (xy, ring_sizes, n_rings, classes, 4, 2056);
}

static void
test_map_by_hand (void)
{
  g_autoptr(UrbMap) map = four_squares ();
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  static const UrbClass order[] = { URB_CLASS_OTHER, URB_CLASS_ROAD, URB_CLASS_BUILDING,
                                    URB_CLASS_BUILDING };
  UrbBox extent = urb_map_get_extent (map);
  gint64 n;

  g_assert_cmpint (urb_map_get_n_polygons (map), ==, 4);
  g_assert_cmpint (urb_map_get_n_vertices (map), ==, 20);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), ==, 200);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD), ==, 100);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (map, URB_CLASS_OTHER), ==, 100 - 36);
  g_assert_cmpfloat (extent.max_x, ==, 50);
  g_assert_cmpint (urb_map_get_epsg (map), ==, 2056);
  urb_map_query (map, extent, found);
  g_assert_cmpint (found->len, ==, 4);
  for (guint i = 0; i < found->len; i++)
    {
      gint64 index = g_array_index (found, gint64, i);
      g_assert_cmpint (index, ==, i);
      g_assert_cmpint (urb_map_get_polygon (map, index)->class_, ==, order[i]);
    }
  /* Source order within a class: the first building starts at (0, 0). */
  g_assert_cmpfloat (urb_map_get_ring (map, urb_map_get_polygon (map, 2)->first_ring, &n)[0], ==, 0);
  g_assert_cmpint (n, ==, 4);
  urb_map_query (map, (UrbBox){ 31, 0, 39, 10 }, found);
  g_assert_cmpint (found->len, ==, 0);
  urb_map_query (map, (UrbBox){ 25, 5, 45, 5 }, found);
  g_assert_cmpint (found->len, ==, 2);
}

/* Concurrent queries give the same results as a single thread. */
static gpointer
query_thread (gpointer data)
{
  UrbMap *map = data;
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 sum = 0;

  for (int i = 0; i < 2000; i++)
    {
      urb_map_query (map, (UrbBox){ i % 60, 0, i % 60 + 5, 10 }, found);
      for (guint f = 0; f < found->len; f++)
        sum += (f + 1) * (g_array_index (found, gint64, f) + 1);
    }
  return GSIZE_TO_POINTER ((gsize) sum);
}

static void
test_threads (void)
{
  g_autoptr(UrbMap) map = four_squares ();
  GThread *threads[4];
  gpointer alone = query_thread (map);

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("query", query_thread, map);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_assert_true (g_thread_join (threads[i]) == alone);
  g_assert_true (alone != NULL);
}

static void
add_square (UrbMapBuilder *builder, double x, double y)
{
  double *xy = urb_map_builder_reserve (builder, 4);
  memcpy (xy, (double[]){ x, y, x + 10, y, x + 10, y + 10, x, y + 10 }, 8 * sizeof *xy);
  urb_map_builder_commit_ring (builder, 4);
  urb_map_builder_commit_polygon (builder, URB_CLASS_BUILDING, 0, 0);
}

static void
test_clean (void)
{
  UrbMapBuilder *builder = urb_map_builder_new ();
  UrbMapLayer *layer = urb_map_builder_add_layer (builder, "l", "s");
  g_autoptr(UrbMap) map = NULL;

  urb_map_layer_add_value (layer, "b", URB_CLASS_BUILDING, TRUE);
  for (int i = 0; i < 30; i++)
    add_square (builder, 600000 + 20 * i, 200000);
  add_square (builder, 600000, 200000); /* a duplicate */
  add_square (builder, 0, 0);           /* as if the coordinates were lost */
  add_square (builder, 600020, 200000);
  map = urb_map_builder_finish (builder, URB_MAP_CLEAN_DUPLICATES | URB_MAP_CLEAN_OUTLIERS);
  layer = g_ptr_array_index (urb_map_get_layers (map), 0);
  g_assert_cmpint (urb_map_get_n_polygons (map), ==, 30);
  g_assert_cmpint (urb_map_get_n_vertices (map), ==, 120);
  g_assert_cmpint (layer->n_superseded, ==, 2);
  g_assert_cmpint (layer->n_dropped, ==, 1);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), ==, 3000);
  g_assert_cmpfloat (urb_map_get_extent (map).min_x, ==, 600000);
  for (gint64 i = 0; i < 30; i++)
    g_assert_cmpfloat (urb_map_get_box (map, i).min_x, ==, 600000 + 20 * i);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/map/rtree/brute-force", test_brute_force);
  g_test_add_func ("/map/rtree/one-point", test_one_point);
  g_test_add_func ("/map/map/by-hand", test_map_by_hand);
  g_test_add_func ("/map/map/threads", test_threads);
  g_test_add_func ("/map/map/clean", test_clean);
  return g_test_run ();
}
