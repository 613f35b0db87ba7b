/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-seams.c - gaps, overlaps and double areas between the files of neighbors.
 *
 * Two grids of parcels meet at a border, which each of them has otherwise.  Points are drawn along it: each must be
 * in exactly one parcel.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "map/map-private.h"
#include "map/point.h"
#include "map/vertex-block.h"

enum { ROWS = 6, COLUMNS = 4, PER_ROW = 3, N_BORDER = ROWS * PER_ROW + 1, N_POINTS = 20000 };

static const double size_m = 20, origin_x = 2600000, origin_y = 1200000;

/* The border as one file has it, from below. */
typedef struct
{
  double x[N_BORDER], y[N_BORDER]; /* from the border that is meant */
  int    n;
} Border;

static void
add_ring (UrbMapBuilder *builder, const double *xy, gint64 n)
{
  memcpy (urb_map_builder_reserve (builder, n), xy, (gsize) n * 2 * sizeof *xy);
  urb_map_builder_commit_ring (builder, n);
}

static guint16
add_layer (UrbMapBuilder *builder, const char *name, const char *source)
{
  UrbMapLayer *layer = urb_map_builder_add_layer (builder, name, source);

  urb_map_layer_add_value (layer, "", URB_CLASS_OTHER, TRUE);
  return (guint16) (urb_map_builder_get_n_layers (builder) - 1);
}

/* A grid on one side of the border: @side: -1 or 1.  The parcels of the first column have the corners of the border
 * between their rows, each row of the border PER_ROW of them. */
static void
add_grid (UrbMapBuilder *builder, guint16 layer, int side, const Border *border)
{
  for (int row = 0; row < ROWS; row++)
    for (int column = 0; column < COLUMNS; column++)
      {
        double xy[2 * (PER_ROW + 3)], near = origin_x + side * column * size_m, far = near + side * size_m;
        int first = row * (border->n - 1) / ROWS, last = (row + 1) * (border->n - 1) / ROWS, n = 0;

        if (column > 0)
          first = last = -1;
        for (int i = first; i <= last && column == 0; i++, n++)
          {
            xy[2 * n] = origin_x + border->x[i];
            xy[2 * n + 1] = origin_y + border->y[i];
          }
        if (column > 0)
          {
            memcpy (xy, (double[]){ near, origin_y + row * size_m, near, origin_y + (row + 1) * size_m }, 4 * sizeof *xy);
            n = 2;
          }
        memcpy (xy + 2 * n, (double[]){ far, origin_y + (row + 1) * size_m, far, origin_y + row * size_m }, 4 * sizeof *xy);
        n += 2;
        add_ring (builder, xy, n);
        urb_map_builder_commit_polygon (builder, URB_CLASS_OTHER, layer, 0);
      }
}

/* @per_row: corners of the border in each row; @off_m: how far they are from where they should be at most. */
static Border
make_border (GRand *rand, int per_row, double off_m)
{
  Border border = { .n = ROWS * per_row + 1 };

  for (int i = 0; i < border.n; i++)
    {
      gboolean is_end = i == 0 || i == border.n - 1;
      border.x[i] = off_m > 0 ? g_rand_double_range (rand, -off_m, off_m) : 0;
      border.y[i] = i * size_m / per_row;
      if (off_m > 0 && !is_end && i % per_row != 0)
        border.y[i] += g_rand_double_range (rand, -1, 1);
    }
  return border;
}

static UrbMap *
make_map (const Border *left, const Border *right, const char *right_name, UrbMapClean clean)
{
  UrbMapBuilder *builder = urb_map_builder_new ();

  add_grid (builder, add_layer (builder, "landcover", "left.itf"), -1, left);
  add_grid (builder, add_layer (builder, right_name, "right.itf"), 1, right);
  return urb_map_builder_finish (builder, clean);
}

/* How many of N_POINTS points within a meter of the border are not in exactly one parcel. */
static int
count_bad (UrbMap *map)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (5);
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  int n_bad = 0;

  for (int i = 0; i < N_POINTS; i++)
    {
      double x = origin_x + g_rand_double_range (rand, -1, 1), y = origin_y + g_rand_double_range (rand, 1, ROWS * size_m - 1);
      int n = 0;
      urb_map_query (map, (UrbBox){ x, y, x, y }, found);
      for (guint f = 0; f < found->len; f++)
        n += urb_map_polygon_contains (map, g_array_index (found, gint64, f), x, y);
      n_bad += n != 1;
    }
  return n_bad;
}

static gboolean
has_warning (UrbMap *map, const char *text)
{
  GPtrArray *warnings = urb_map_get_warnings (map);

  for (guint i = 0; i < warnings->len; i++)
    if (strstr (g_ptr_array_index (warnings, i), text) != NULL)
      return TRUE;
  return FALSE;
}

/* -------- Tests -------- */

/* Borders with other corners and other numbers of them. */
static void
test_closed (void)
{
  for (guint32 seed = 1; seed <= 40; seed++)
    {
      g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
      Border left = make_border (rand, 1 + (int) (seed % PER_ROW), 0.2);
      Border right = make_border (rand, 1 + (int) (seed / PER_ROW % PER_ROW), 0.2);
      g_autoptr(UrbMap) before = make_map (&left, &right, "landcover", URB_MAP_CLEAN_NOTHING);
      g_autoptr(UrbMap) after = make_map (&left, &right, "landcover", URB_MAP_CLEAN_SEAMS);

      g_assert_cmpint (count_bad (before), >, N_POINTS / 100);
      if (count_bad (after) > 0)
        g_error ("seed %u: %d of %d points", seed, count_bad (after), N_POINTS);
      g_assert_cmpint (urb_map_get_n_polygons (after), ==, 2 * ROWS * COLUMNS);
      g_assert_true (has_warning (after, "left.itf, right.itf: "));
    }
}

/* One gap and one overlap, of a width that is known. */
static void
test_counted (void)
{
  Border left = { .n = ROWS + 1 }, right = { .n = ROWS + 1 };
  g_autoptr(UrbMap) map = NULL;

  for (int i = 0; i <= ROWS; i++)
    left.y[i] = right.y[i] = i * size_m;
  right.x[1] = 0.4;
  right.x[4] = right.x[5] = -0.25;
  map = make_map (&left, &right, "landcover", URB_MAP_CLEAN_SEAMS);
  g_assert_cmpint (count_bad (map), ==, 0);
  g_assert_cmpint (urb_map_get_warnings (map)->len, ==, 2);
  g_assert_cmpstr (g_ptr_array_index (urb_map_get_warnings (map), 0), ==,
                   "left.itf, right.itf: 1 gap, up to 0.40 m wide, at their border was closed.");
  g_assert_cmpstr (g_ptr_array_index (urb_map_get_warnings (map), 1), ==,
                   "left.itf, right.itf: 1 overlap, up to 0.25 m wide, at their border was removed.");
}

/* Gaps that are narrower than the digits tell. */
static void
test_narrow (void)
{
  Border left = { .n = ROWS + 1 }, right = { .n = ROWS + 1 };
  g_autoptr(UrbMap) map = NULL;

  for (int i = 0; i <= ROWS; i++)
    left.y[i] = right.y[i] = i * size_m;
  right.x[1] = right.x[4] = 0.003;
  map = make_map (&left, &right, "landcover", URB_MAP_CLEAN_SEAMS);
  g_assert_cmpint (urb_map_get_warnings (map)->len, ==, 1);
  g_assert_cmpstr (g_ptr_array_index (urb_map_get_warnings (map), 0), ==,
                   "left.itf, right.itf: 2 gaps, up to 0.01 m wide, at their border were closed.");
}

static void
assert_untouched (const Border *left, const Border *right, const char *right_name)
{
  g_autoptr(UrbMap) before = make_map (left, right, right_name, URB_MAP_CLEAN_NOTHING);
  g_autoptr(UrbMap) after = make_map (left, right, right_name, URB_MAP_CLEAN_SEAMS);

  g_assert_cmpint (urb_map_get_n_vertices (after), ==, urb_map_get_n_vertices (before));
  g_assert_cmpmem (after->xy, (gsize) after->n_vertices * 16, before->xy, (gsize) before->n_vertices * 16);
  g_assert_cmpint (urb_map_get_warnings (after)->len, ==, 0);
}

/* Corners on an edge of the other file stay, also near one of its corners and where the border is changed elsewhere. */
static void
test_on_edge (void)
{
  Border left = { .n = ROWS + 1 }, right = { .n = ROWS + 1 };
  g_autoptr(UrbMap) map = NULL;
  gboolean is_kept = FALSE;

  for (int i = 0; i <= ROWS; i++)
    left.y[i] = right.y[i] = i * size_m;
  right.y[1] += 0.3;
  assert_untouched (&left, &right, "landcover");
  right.x[4] = 0.25;
  map = make_map (&left, &right, "landcover", URB_MAP_CLEAN_SEAMS);
  g_assert_cmpint (count_bad (map), ==, 0);
  g_assert_cmpint (urb_map_get_warnings (map)->len, ==, 1);
  g_assert_cmpstr (g_ptr_array_index (urb_map_get_warnings (map), 0), ==,
                   "left.itf, right.itf: 1 gap, up to 0.25 m wide, at their border was closed.");
  for (gint64 v = 0; v < map->n_vertices; v++)
    is_kept |= hypot (map->xy[2 * v] - origin_x, map->xy[2 * v + 1] - origin_y - right.y[1]) < 1e-6;
  g_assert_true (is_kept);
}

/* What fits, what is farther apart, and what does not belong together. */
static void
test_untouched (void)
{
  Border fits = { .n = ROWS + 1 }, far = { .n = ROWS + 1 }, near = { .n = ROWS + 1 };

  for (int i = 0; i <= ROWS; i++)
    {
      fits.y[i] = far.y[i] = near.y[i] = i * size_m;
      far.x[i] = 0.7;
      near.x[i] = 0.3;
    }
  assert_untouched (&fits, &fits, "landcover");
  assert_untouched (&fits, &far, "landcover");
  assert_untouched (&fits, &near, "parcels");
}

/* Houses that are near each other are not moved together. */
static void
test_houses (void)
{
  UrbMapBuilder *builder = urb_map_builder_new ();
  g_autoptr(UrbMap) map = NULL;

  for (int side = 0; side < 2; side++)
    {
      guint16 layer = add_layer (builder, "buildings", side == 0 ? "left.itf" : "right.itf");
      for (int i = 0; i < 20; i++)
        {
          double x = origin_x + 10.3 * side, y = origin_y + 30 * i;
          add_ring (builder, (double[]){ x, y, x + 10, y, x + 10, y + 8, x, y + 8 }, 4);
          urb_map_builder_commit_polygon (builder, URB_CLASS_BUILDING, layer, 0);
        }
    }
  map = urb_map_builder_finish (builder, URB_MAP_CLEAN_SEAMS);
  g_assert_cmpint (urb_map_get_warnings (map)->len, ==, 0);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), ==, 40 * 80);
}

/* A parcel beyond the border, in both files with other corners. */
static void
test_double (void)
{
  UrbMapBuilder *builder = urb_map_builder_new ();
  Border straight = { .n = ROWS + 1 };
  g_autoptr(UrbMap) map = NULL;
  guint16 left, right;
  double x = origin_x, y = origin_y + size_m;

  for (int i = 0; i <= ROWS; i++)
    straight.y[i] = i * size_m;
  left = add_layer (builder, "landcover", "left.itf");
  add_grid (builder, left, -1, &straight);
  add_ring (builder, (double[]){ x, y, x + size_m, y + 0.2, x + size_m - 0.1, y + size_m, x, y + size_m }, 4);
  urb_map_builder_commit_polygon (builder, URB_CLASS_OTHER, left, 0);
  right = add_layer (builder, "landcover", "right.itf");
  add_grid (builder, right, 1, &straight);
  map = urb_map_builder_finish (builder, URB_MAP_CLEAN_SEAMS);
  g_assert_cmpint (urb_map_get_n_polygons (map), ==, 2 * ROWS * COLUMNS);
  g_assert_cmpint (count_bad (map), ==, 0);
  g_assert_true (has_warning (map, "1 area is in both files"));
}

/* A sliver between the borders would vanish: it stays as it was, and nothing is told to be closed there. */
static void
test_left (void)
{
  UrbMapBuilder *builder = urb_map_builder_new ();
  Border straight = { .n = ROWS + 1 };
  g_autoptr(UrbMap) map = NULL;
  guint16 right;
  double x = origin_x, y = origin_y + 1.5 * size_m;

  for (int i = 0; i <= ROWS; i++)
    straight.y[i] = i * size_m;
  add_grid (builder, add_layer (builder, "landcover", "left.itf"), -1, &straight);
  right = add_layer (builder, "landcover", "right.itf");
  add_grid (builder, right, 1, &straight);
  add_ring (builder, (double[]){ x + 0.1, y, x + 0.3, y + 2, x + 0.1, y + 4 }, 3);
  urb_map_builder_commit_polygon (builder, URB_CLASS_OTHER, right, 0);
  map = urb_map_builder_finish (builder, URB_MAP_CLEAN_SEAMS);
  g_assert_cmpint (urb_map_get_n_polygons (map), ==, 2 * ROWS * COLUMNS + 1);
  g_assert_cmpint (urb_map_get_warnings (map)->len, ==, 1);
  g_assert_true (has_warning (map, "1 area was not changed"));
}

/* A block without space for the corners that would be inserted. */
static void
test_full (void)
{
  Border left = { .n = N_BORDER }, right = { .n = ROWS + 1 };
  g_autoptr(UrbMap) before = NULL, after = NULL;
  UrbMapBuilder *builder = urb_map_builder_new ();
  gint64 capacity;
  int fd;

  for (int i = 0; i < N_BORDER; i++)
    left.y[i] = i * size_m / PER_ROW;
  for (int i = 0; i <= ROWS; i++)
    {
      right.x[i] = 0.2;
      right.y[i] = i * size_m;
    }
  before = make_map (&left, &right, "landcover", URB_MAP_CLEAN_NOTHING);
  fd = urb_vertex_block_create (before->n_vertices * (gint64) sizeof (UrbPoint));
  urb_map_builder_use_block (builder, urb_vertex_block_open (fd, &capacity), before->n_vertices);
  g_assert_cmpint (capacity, ==, before->n_vertices);
  add_grid (builder, add_layer (builder, "landcover", "left.itf"), -1, &left);
  add_grid (builder, add_layer (builder, "landcover", "right.itf"), 1, &right);
  after = urb_map_builder_finish (builder, URB_MAP_CLEAN_SEAMS);
  g_assert_cmpmem (after->xy, (gsize) after->n_vertices * 16, before->xy, (gsize) before->n_vertices * 16);
  g_assert_cmpint (urb_map_get_warnings (after)->len, ==, 1);
  g_assert_true (has_warning (after, "remain"));
  close (fd);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/map/seams/closed", test_closed);
  g_test_add_func ("/map/seams/counted", test_counted);
  g_test_add_func ("/map/seams/narrow", test_narrow);
  g_test_add_func ("/map/seams/on-edge", test_on_edge);
  g_test_add_func ("/map/seams/untouched", test_untouched);
  g_test_add_func ("/map/seams/houses", test_houses);
  g_test_add_func ("/map/seams/left", test_left);
  g_test_add_func ("/map/seams/full", test_full);
  g_test_add_func ("/map/seams/double", test_double);
  return g_test_run ();
}
