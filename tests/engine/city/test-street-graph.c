/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-street-graph.c - streets of known position and width, and maps that are no streets at all.
 */
#include <math.h>
#include <string.h>

#include "city-fixture.h"
#include "city/street-graph.h"

enum { SIZE_PX = 256, SAMPLES = 4 };

/* ------------------------------------------------------------------------ */
/* Soft maps                                                                 */

typedef struct
{
  UrbPoint from, to;
  double   width;
} Strip;

static gboolean
covers (const Strip *strips, guint n, double x, double y)
{
  for (guint i = 0; i < n; i++)
    if (urb_point_segment_distance ((UrbPoint) { x, y }, strips[i].from, strips[i].to)
        <= strips[i].width / 2)
      return TRUE;
  return FALSE;
}

/* A map of 1 m pixels, the strips as streets with soft edges. */
static UrbSoftMap *
draw_strips (const Strip *strips, guint n)
{
  UrbSoftMap *map = urb_soft_map_new (SIZE_PX, SIZE_PX, 1);

  for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
    {
      int inside = 0;

      for (int k = 0; k < SAMPLES * SAMPLES; k++)
        inside += covers (strips, n, i % SIZE_PX + (k % SAMPLES + 0.5) / SAMPLES,
                          i / SIZE_PX + (k / SAMPLES + 0.5) / SAMPLES);
      map->shares[URB_CLASS_ROAD][i] = (float) inside / (SAMPLES * SAMPLES);
      map->shares[URB_CLASS_OTHER][i] = 1 - map->shares[URB_CLASS_ROAD][i];
    }
  return map;
}

/* The same map seen in pixels of 4 m and interpolated again, as a generator's. */
static UrbSoftMap *
coarsen (UrbSoftMap *fine)
{
  enum { COARSE_PX = SIZE_PX / 4 };
  g_autofree guint8 *levels = g_malloc0 (COARSE_PX * COARSE_PX * 3);

  for (int c = 0; c < URB_N_CLASSES; c++)
    for (int i = 0; i < COARSE_PX * COARSE_PX; i++)
      {
        double sum = 0;

        for (int k = 0; k < 16; k++)
          sum += (double) fine->shares[c][(i / COARSE_PX * 4 + k / 4) * SIZE_PX
                                          + i % COARSE_PX * 4 + k % 4];
        levels[3 * i + c] = (guint8) lround (sum / 16 * 255);
      }
  urb_soft_map_free (fine);
  return urb_soft_map_new_from_levels (levels, COARSE_PX, COARSE_PX, 3, SIZE_PX, 4);
}

static UrbStreetGraph *
trace (UrbSoftMap *map)
{
  UrbStreetOptions options;
  UrbStreetGraph *graph;

  urb_street_options_init (&options, map->detail_m);
  graph = urb_street_graph_new (map, &options);
  urb_soft_map_free (map);
  return graph;
}

/* ------------------------------------------------------------------------ */
/* Assertions                                                                */

static const UrbStreetEdge *
get_edge (const UrbStreetGraph *graph, guint i)
{
  return &g_array_index (graph->edges, UrbStreetEdge, i);
}

static const UrbStreetNode *
get_node (const UrbStreetGraph *graph, guint i)
{
  return &g_array_index (graph->nodes, UrbStreetNode, i);
}

static UrbPoint
get_point (const UrbStreetGraph *graph, guint i)
{
  return g_array_index (graph->points, UrbPoint, i);
}

static gboolean
is_on_border (UrbPoint p, double width, double height)
{
  return p.x <= 0 || p.y <= 0 || p.x >= width || p.y >= height;
}

/* Asserts what holds for every graph. */
static void
assert_sound (const UrbStreetGraph *graph, double width, double height)
{
  g_autofree guint *degrees = g_new0 (guint, graph->nodes->len + 1);

  for (guint i = 0; i < graph->points->len; i++)
    {
      UrbPoint p = get_point (graph, i);

      g_assert_true (p.x >= 0 && p.y >= 0 && p.x <= width && p.y <= height);
    }
  for (guint i = 0; i < graph->edges->len; i++)
    {
      const UrbStreetEdge *edge = get_edge (graph, i);
      UrbPoint from = get_point (graph, edge->first_point);
      UrbPoint to = get_point (graph, edge->first_point + edge->n_points - 1);

      g_assert_cmpuint (edge->n_points, >=, 2);
      g_assert_cmpfloat (edge->width_m, >, 0);
      g_assert_cmpfloat (edge->width_m, <, 1e6);
      g_assert_cmpfloat (hypot (from.x - get_node (graph, edge->from)->at.x,
                                from.y - get_node (graph, edge->from)->at.y), <, 1e-6);
      g_assert_cmpfloat (hypot (to.x - get_node (graph, edge->to)->at.x,
                                to.y - get_node (graph, edge->to)->at.y), <, 1e-6);
      degrees[edge->from]++;
      degrees[edge->to]++;
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      g_assert_cmpuint (degrees[i], ==, get_node (graph, i)->degree);
      g_assert_cmpuint (degrees[i], >, 0);
      if (get_node (graph, i)->on_border)
        g_assert_true (is_on_border (get_node (graph, i)->at, width, height));
    }
  for (guint i = 0; i < graph->squares->len; i++)
    g_assert_cmpuint (g_array_index (graph->squares, UrbStreetSquare, i).n_points, >=, 3);
}

/* Asserts that the center lines are within @distance of the strips' and as wide. */
static void
assert_follows (const UrbStreetGraph *graph, const Strip *strips, guint n, double distance,
                double width)
{
  for (guint i = 0; i < graph->edges->len; i++)
    {
      const UrbStreetEdge *edge = get_edge (graph, i);

      for (guint k = 0; k < edge->n_points; k++)
        {
          UrbPoint p = get_point (graph, edge->first_point + k);
          double least = HUGE_VAL;

          for (guint s = 0; s < n; s++)
            least = MIN (least, urb_point_segment_distance (p, strips[s].from, strips[s].to));
          g_assert_cmpfloat (least, <=, distance);
        }
      g_assert_cmpfloat_with_epsilon (edge->width_m, strips[0].width, width);
    }
}

static guint
count_nodes (const UrbStreetGraph *graph, guint degree)
{
  guint n = 0;

  for (guint i = 0; i < graph->nodes->len; i++)
    n += get_node (graph, i)->degree == degree;
  return n;
}

/* The only node of this degree. */
static UrbPoint
find_node (const UrbStreetGraph *graph, guint degree)
{
  UrbPoint at = { -1, -1 };

  g_assert_cmpuint (count_nodes (graph, degree), ==, 1);
  for (guint i = 0; i < graph->nodes->len; i++)
    if (get_node (graph, i)->degree == degree)
      at = get_node (graph, i)->at;
  return at;
}

/* ------------------------------------------------------------------------ */
/* Streets                                                                   */

static void
test_straight (void)
{
  static const Strip strip = { { 0, 100.3 }, { 256, 100.3 }, 7 };

  for (int coarse = 0; coarse < 2; coarse++)
    {
      UrbSoftMap *map = draw_strips (&strip, 1);
      g_autoptr(UrbStreetGraph) graph = trace (coarse ? coarsen (map) : map);

      assert_sound (graph, SIZE_PX, SIZE_PX);
      g_assert_cmpuint (graph->edges->len, ==, 1);
      g_assert_cmpuint (get_edge (graph, 0)->n_points, ==, 2);
      assert_follows (graph, &strip, 1, 0.3, 0.3);
      for (guint i = 0; i < 2; i++)
        {
          g_assert_true (get_node (graph, i)->on_border);
          g_assert_true (get_node (graph, i)->at.x <= 0 || get_node (graph, i)->at.x >= SIZE_PX);
        }
    }
}

static void
test_diagonal (void)
{
  static const Strip strip = { { -20, 30 }, { 270, 180 }, 6 };

  for (int coarse = 0; coarse < 2; coarse++)
    {
      UrbSoftMap *map = draw_strips (&strip, 1);
      g_autoptr(UrbStreetGraph) graph = trace (coarse ? coarsen (map) : map);

      assert_sound (graph, SIZE_PX, SIZE_PX);
      g_assert_cmpuint (graph->edges->len, ==, 1);
      assert_follows (graph, &strip, 1, 0.3, 0.3);
      g_assert_true (get_node (graph, 0)->on_border && get_node (graph, 1)->on_border);
    }
}

static void
test_junctions (void)
{
  static const Strip strips[] = { { { 0, 120 }, { 256, 120 }, 8 },
                                  { { 140, 120 }, { 140, 256 }, 8 },
                                  { { 140, 120 }, { 140, 0 }, 8 } };

  for (int coarse = 0; coarse < 2; coarse++)
    for (guint n = 2; n <= 3; n++) /* T, X */
      {
        UrbSoftMap *map = draw_strips (strips, n);
        g_autoptr(UrbStreetGraph) graph = trace (coarse ? coarsen (map) : map);
        UrbPoint at = find_node (graph, n + 1);

        assert_sound (graph, SIZE_PX, SIZE_PX);
        g_assert_cmpuint (graph->edges->len, ==, n + 1);
        g_assert_cmpuint (graph->squares->len, ==, 0);
        g_assert_cmpfloat (hypot (at.x - 140, at.y - 120), <, 0.5);
        assert_follows (graph, strips, n, 0.4, 0.3);
      }
}

static void
test_skew_crossing (void)
{
  static const Strip strips[] = { { { -10, 60 }, { 266, 160 }, 7 },
                                  { { 60, -10 }, { 190, 266 }, 7 } };
  g_autoptr(UrbStreetGraph) graph = trace (coarsen (draw_strips (strips, 2)));

  assert_sound (graph, SIZE_PX, SIZE_PX);
  find_node (graph, 4);
  g_assert_cmpuint (graph->edges->len, ==, 4);
  assert_follows (graph, strips, 2, 0.8, 0.5);
}

static void
test_narrow (void)
{
  static const Strip strip = { { 3, 0 }, { 203, 256 }, 2.5 };
  g_autoptr(UrbStreetGraph) graph = trace (coarsen (draw_strips (&strip, 1)));

  /* Never half of a pixel's area. */
  assert_sound (graph, SIZE_PX, SIZE_PX);
  g_assert_cmpuint (graph->edges->len, ==, 1);
  assert_follows (graph, &strip, 1, 1, 1);
}

static void
test_gap (void)
{
  static const Strip near[] = { { { 0, 120 }, { 120, 120 }, 7 },
                                { { 133, 120 }, { 256, 120 }, 7 } };
  static const Strip far[] = { { { 0, 120 }, { 100, 120 }, 7 },
                               { { 150, 120 }, { 256, 120 }, 7 } };
  g_autoptr(UrbStreetGraph) joined = trace (coarsen (draw_strips (near, 2)));
  g_autoptr(UrbStreetGraph) parted = trace (coarsen (draw_strips (far, 2)));

  assert_sound (joined, SIZE_PX, SIZE_PX);
  g_assert_cmpuint (joined->n_bridges, ==, 1);
  g_assert_cmpfloat (joined->bridged_m, >, 2);
  g_assert_cmpfloat (joined->bridged_m, <, 14);
  g_assert_cmpuint (joined->edges->len, ==, 1);
  assert_sound (parted, SIZE_PX, SIZE_PX);
  g_assert_cmpuint (parted->n_bridges, ==, 0);
  g_assert_cmpuint (parted->edges->len, ==, 2);
}

static void
test_no_bridge_through_building (void)
{
  static const Strip strips[] = { { { 0, 120 }, { 120, 120 }, 7 },
                                  { { 131, 120 }, { 256, 120 }, 7 } };
  UrbSoftMap *map = draw_strips (strips, 2);

  for (int row = 100; row < 140; row++)
    for (int col = 122; col < 129; col++)
      {
        map->shares[URB_CLASS_BUILDING][row * SIZE_PX + col] = 1;
        map->shares[URB_CLASS_ROAD][row * SIZE_PX + col] = 0;
        map->shares[URB_CLASS_OTHER][row * SIZE_PX + col] = 0;
      }
  g_autoptr(UrbStreetGraph) graph = trace (coarsen (map));

  assert_sound (graph, SIZE_PX, SIZE_PX);
  g_assert_cmpuint (graph->n_bridges, ==, 0);
}

static void
test_spur (void)
{
  static const Strip strips[] = { { { 0, 120 }, { 256, 120 }, 6 }, { { 90, 120 }, { 90, 130 }, 5 },
                                  { { 180, 120 }, { 180, 170 }, 6 } };
  g_autoptr(UrbStreetGraph) graph = trace (coarsen (draw_strips (strips, 3)));

  assert_sound (graph, SIZE_PX, SIZE_PX);
  g_assert_cmpuint (graph->edges->len, ==, 3);
  g_assert_cmpuint (count_nodes (graph, 3), ==, 1);
  for (guint i = 0; i < graph->nodes->len; i++)
    if (!get_node (graph, i)->on_border && get_node (graph, i)->degree == 1)
      g_assert_cmpfloat (fabs (get_node (graph, i)->at.y - 172), <, 3);
}

static void
test_curve (void)
{
  const int n = 60;
  g_autofree Strip *strips = g_new (Strip, n);

  /* A quarter of a circle of 120 m. */
  for (int i = 0; i < n; i++)
    strips[i] = (Strip) { { 120 * cos (G_PI / 2 * i / n), 120 * sin (G_PI / 2 * i / n) },
                          { 120 * cos (G_PI / 2 * (i + 1) / n),
                            120 * sin (G_PI / 2 * (i + 1) / n) },
                          7 };
  for (int coarse = 0; coarse < 2; coarse++)
    {
      UrbSoftMap *map = draw_strips (strips, n);
      g_autoptr(UrbStreetGraph) graph = trace (coarse ? coarsen (map) : map);

      assert_sound (graph, SIZE_PX, SIZE_PX);
      g_assert_cmpuint (graph->edges->len, ==, 1);
      g_assert_cmpuint (get_edge (graph, 0)->n_points, >, 8);
      assert_follows (graph, strips, n, coarse ? 1.2 : 0.8, 0.3);
    }
}

/* The sum of all turns of the only edge, in degrees, if center lines may be @aside_m off. */
static double
measure_turns (UrbSoftMap *map, double aside_m, double wave_m)
{
  g_autoptr(UrbSoftMap) owned = map;
  UrbStreetOptions options;
  double turns = 0;

  urb_street_options_init (&options, map->detail_m);
  options.aside_m = aside_m;
  options.wave_m = wave_m;
  g_autoptr(UrbStreetGraph) graph = urb_street_graph_new (map, &options);

  assert_sound (graph, SIZE_PX, SIZE_PX);
  g_assert_cmpuint (graph->edges->len, ==, 1);
  for (guint i = 0; i + 2 < get_edge (graph, 0)->n_points; i++)
    {
      UrbPoint a = get_point (graph, i), b = get_point (graph, i + 1), c = get_point (graph, i + 2);

      turns += fabs (remainder (atan2 (c.y - b.y, c.x - b.x) - atan2 (b.y - a.y, b.x - a.x),
                                2 * G_PI));
    }
  return turns * 180 / G_PI;
}

/* A street that wavers by 2.5 m is straight if it may be; one that turns still turns. */
static void
test_waves (void)
{
  static const Strip turn[] = { { { 0, 60 }, { 180, 60 }, 7 }, { { 180, 60 }, { 180, 256 }, 7 } };
  const int n = 128;
  g_autofree Strip *strips = g_new (Strip, n);

  for (int i = 0; i < n; i++)
    strips[i] = (Strip) { { 2 * i, 128 + 2.5 * sin (2 * G_PI * 2 * i / 32) },
                          { 2 * i + 2, 128 + 2.5 * sin (2 * G_PI * (2 * i + 2) / 32) }, 7 };
  g_assert_cmpfloat (measure_turns (draw_strips (strips, n), 0.5, 14), >, 180);
  g_assert_cmpfloat (measure_turns (draw_strips (strips, n), 4, 40), <, 10);
  g_assert_cmpfloat_with_epsilon (measure_turns (draw_strips (turn, 2), 4, 40), 90, 10);
}

static void
test_dual_carriageway (void)
{
  static const Strip strips[] = { { { 0, 100 }, { 256, 100 }, 8 },
                                  { { 0, 114 }, { 256, 114 }, 8 } };
  g_autoptr(UrbStreetGraph) graph = trace (coarsen (draw_strips (strips, 2)));

  assert_sound (graph, SIZE_PX, SIZE_PX);
  g_assert_cmpuint (graph->edges->len, ==, 2);
  assert_follows (graph, strips, 2, 0.6, 0.8);
}

static void
test_square (void)
{
  static const Strip strip = { { 0, 128 }, { 256, 128 }, 7 };
  UrbSoftMap *map = draw_strips (&strip, 1);

  for (int row = 90; row < 132; row++)
    for (int col = 90; col < 140; col++)
      {
        map->shares[URB_CLASS_ROAD][row * SIZE_PX + col] = 1;
        map->shares[URB_CLASS_OTHER][row * SIZE_PX + col] = 0;
      }
  g_autoptr(UrbStreetGraph) graph = trace (map);

  assert_sound (graph, SIZE_PX, SIZE_PX);
  g_assert_cmpuint (graph->squares->len, ==, 1);
  const UrbStreetSquare *square = &g_array_index (graph->squares, UrbStreetSquare, 0);

  g_assert_false (square->is_hole);
  g_assert_true (urb_ring_contains (&g_array_index (graph->points, UrbPoint, square->first_point),
                                    square->n_points, (UrbPoint) { 115, 105 }));
  g_assert_cmpfloat (fabs (urb_ring_area (&g_array_index (graph->points, UrbPoint,
                                                          square->first_point),
                                          square->n_points)), >, 30 * 45);
}

static void
test_fragment (void)
{
  static const Strip strips[] = { { { 0, 60 }, { 256, 60 }, 7 },
                                  { { 100, 160 }, { 108, 160 }, 5 } };
  g_autoptr(UrbStreetGraph) graph = trace (coarsen (draw_strips (strips, 2)));

  assert_sound (graph, SIZE_PX, SIZE_PX);
  g_assert_cmpuint (graph->edges->len, ==, 1);
}

/* ------------------------------------------------------------------------ */
/* Anything                                                                  */

static UrbStreetGraph *
trace_classes (UrbClassMap *classes)
{
  UrbStreetGraph *graph = trace (urb_soft_map_new_from_classes (classes));

  assert_sound (graph, classes->width_px, classes->height_px);
  urb_class_map_free (classes);
  return graph;
}

static void
test_uniform (void)
{
  static const int sizes[] = { 1, 2, 3, 7, 64 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (int c = 0; c < URB_N_CLASSES; c++)
      {
        UrbClassMap *classes = fixture_blank (sizes[i], 1);

        memset (classes->classes, c, (gsize) sizes[i] * (gsize) sizes[i]);
        g_autoptr(UrbStreetGraph) graph = trace_classes (classes);

        if (c == URB_CLASS_ROAD && sizes[i] == 64)
          {
            const UrbStreetSquare *square = &g_array_index (graph->squares, UrbStreetSquare, 0);

            g_assert_cmpuint (graph->squares->len, ==, 1);
            g_assert_cmpfloat_with_epsilon (
              fabs (urb_ring_area (&g_array_index (graph->points, UrbPoint, square->first_point),
                                   square->n_points)), 64 * 64, 1e-9);
          }
        if (c != URB_CLASS_ROAD)
          {
            g_assert_cmpuint (graph->edges->len, ==, 0);
            g_assert_cmpuint (graph->squares->len, ==, 0);
          }
      }
}

static void
test_noise (void)
{
  for (guint32 seed = 0; seed < 6; seed++)
    {
      g_autoptr(UrbStreetGraph) graph = trace_classes (fixture_noise (96, seed % 2 ? 3 : 2, seed));

      g_assert_nonnull (graph);
    }
  gint64 start = g_get_monotonic_time ();
  g_autoptr(UrbStreetGraph) large = trace_classes (fixture_noise (256, 2, 99));

  g_assert_nonnull (large);
  g_test_message ("256 x 256 pixels of noise: %.0f ms",
                  (double) (g_get_monotonic_time () - start) / 1000);
}

static void
test_clutter (void)
{
  for (guint32 seed = 0; seed < 150; seed++)
    {
      g_autoptr(UrbStreetGraph) graph = trace_classes (fixture_clutter (seed, seed % 2));

      g_assert_nonnull (graph);
    }
}

/* A smooth landscape of half-tones. */
static void
test_half_tones (void)
{
  for (guint32 seed = 0; seed < 8; seed++)
    {
      g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
      guint8 levels[64 * 64 * 3];

      for (gsize i = 0; i < sizeof levels; i++)
        levels[i] = (guint8) g_rand_int_range (rand, 0, 256);
      g_autoptr(UrbStreetGraph) graph = trace (urb_soft_map_new_from_levels (levels, 64, 64, 3,
                                                                             250, 4));

      assert_sound (graph, SIZE_PX, SIZE_PX);
    }
}

static void
test_deterministic (void)
{
  g_autoptr(UrbStreetGraph) a = trace_classes (fixture_clutter (7, FALSE));
  g_autoptr(UrbStreetGraph) b = trace_classes (fixture_clutter (7, FALSE));

  g_assert_cmpmem (a->points->data, a->points->len * sizeof (UrbPoint), b->points->data,
                   b->points->len * sizeof (UrbPoint));
  g_assert_cmpuint (a->edges->len, ==, b->edges->len);
  for (guint i = 0; i < a->edges->len; i++)
    {
      g_assert_cmpuint (get_edge (a, i)->from, ==, get_edge (b, i)->from);
      g_assert_cmpuint (get_edge (a, i)->to, ==, get_edge (b, i)->to);
      g_assert_true (get_edge (a, i)->width_m == get_edge (b, i)->width_m);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/street-graph/straight", test_straight);
  g_test_add_func ("/street-graph/diagonal", test_diagonal);
  g_test_add_func ("/street-graph/junctions", test_junctions);
  g_test_add_func ("/street-graph/skew-crossing", test_skew_crossing);
  g_test_add_func ("/street-graph/narrow", test_narrow);
  g_test_add_func ("/street-graph/gap", test_gap);
  g_test_add_func ("/street-graph/no-bridge-through-building", test_no_bridge_through_building);
  g_test_add_func ("/street-graph/spur", test_spur);
  g_test_add_func ("/street-graph/curve", test_curve);
  g_test_add_func ("/street-graph/waves", test_waves);
  g_test_add_func ("/street-graph/dual-carriageway", test_dual_carriageway);
  g_test_add_func ("/street-graph/square", test_square);
  g_test_add_func ("/street-graph/fragment", test_fragment);
  g_test_add_func ("/street-graph/uniform", test_uniform);
  g_test_add_func ("/street-graph/noise", test_noise);
  g_test_add_func ("/street-graph/clutter", test_clutter);
  g_test_add_func ("/street-graph/half-tones", test_half_tones);
  g_test_add_func ("/street-graph/deterministic", test_deterministic);
  return g_test_run ();
}
