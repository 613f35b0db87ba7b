/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "app/canvas/scale-bar.h"
#include "app/canvas/tile.h"
#include "app/canvas/view.h"

#define NEAR(a, b, epsilon) g_assert_cmpfloat_with_epsilon (a, b, epsilon)

static const UrbariumView view = { 607000, 228000, 2, 800, 600 };

static void
test_inverts (void)
{
  for (int i = 0; i < 1000; i++)
    {
      UrbariumView v = { g_test_rand_double_range (-1e7, 1e7), g_test_rand_double_range (-1e7, 1e7),
                         exp (g_test_rand_double_range (log (0.01), log (1000))),
                         g_test_rand_int_range (1, 4000), g_test_rand_int_range (1, 4000) };
      double px = g_test_rand_double_range (0, v.width), py = g_test_rand_double_range (0, v.height);
      double x, y, px2, py2;

      urbarium_view_to_map (&v, px, py, &x, &y);
      urbarium_view_from_map (&v, x, y, &px2, &py2);
      NEAR (px, px2, 1e-5);
      NEAR (py, py2, 1e-5);
    }
}

static void
test_by_hand (void)
{
  UrbBox box = urbarium_view_get_box (&view);
  double x, y;

  urbarium_view_to_map (&view, 0, 0, &x, &y);
  NEAR (x, 606200, 1e-9);
  NEAR (y, 228600, 1e-9);
  NEAR (box.min_x, 606200, 1e-9);
  NEAR (box.max_x, 607800, 1e-9);
  NEAR (box.min_y, 227400, 1e-9);
  NEAR (box.max_y, 228600, 1e-9);
}

static void
test_zoom_keeps_the_point (void)
{
  UrbariumView closer = urbarium_view_zoom_at (view, 100, 500, 4);
  double x, y, x2, y2;

  urbarium_view_to_map (&view, 100, 500, &x, &y);
  urbarium_view_to_map (&closer, 100, 500, &x2, &y2);
  NEAR (closer.m_per_px, 0.5, 1e-9);
  NEAR (x, x2, 1e-9);
  NEAR (y, y2, 1e-9);
}

static void
test_drag_follows_the_hand (void)
{
  UrbariumView moved = urbarium_view_drag (view, 30, 20);
  double px, py;

  urbarium_view_from_map (&moved, view.center_x, view.center_y, &px, &py);
  NEAR (px, 430, 1e-9);
  NEAR (py, 320, 1e-9);
}

static void
test_fit_shows_all (void)
{
  UrbBox box = { 0, 0, 1000, 4000 };
  UrbariumView all = urbarium_view_fit (view, box);
  UrbBox seen = urbarium_view_get_box (&all);

  g_assert_true (seen.min_x < 0 && seen.min_y < 0 && seen.max_x > 1000 && seen.max_y > 4000);
  g_assert_cmpfloat (seen.max_y - seen.min_y, <, 4500); /* and no larger than needed */
  box = (UrbBox) { 5, 5, 5, 5 }; /* a point */
  all = urbarium_view_fit (view, box);
  g_assert_true (isfinite (all.m_per_px) && all.m_per_px > 0);
}

static void
test_clamp (void)
{
  UrbBox extent = { 0, 0, 1000, 1000 };
  UrbariumView far = urbarium_view_clamp ((UrbariumView) { -1e6, 5e6, 1e9, 800, 600 }, extent);
  UrbariumView near = urbarium_view_clamp ((UrbariumView) { 1e6, 1, 1e-9, 800, 600 }, extent);

  NEAR (far.center_x, 0, 1e-9);
  NEAR (far.center_y, 1000, 1e-9);
  g_assert_cmpfloat (1000 / far.m_per_px, >, 50); /* at least some pixels */
  NEAR (near.m_per_px, URBARIUM_VIEW_MIN_M_PER_PX, 1e-9);
}

static void
test_snap_is_whole (void)
{
  for (int i = 0; i < 200; i++)
    {
      int scale = 1 + i % 3;
      UrbariumView v = { g_test_rand_double_range (-1e5, 1e5), g_test_rand_double_range (-1e5, 1e5),
                         g_test_rand_double_range (0.05, 20), g_test_rand_int_range (1, 4000),
                         g_test_rand_int_range (1, 4000) };
      UrbariumView snapped = urbarium_view_snap (v, scale);
      double px, py;

      urbarium_view_from_map (&snapped, 0, 0, &px, &py);
      NEAR (px * scale, round (px * scale), 1e-6);
      NEAR (py * scale, round (py * scale), 1e-6);
      g_assert_cmpfloat (fabs (snapped.center_x - v.center_x), <=, 0.51 * v.m_per_px / scale);
    }
}

static void
test_mix (void)
{
  UrbariumView to = urbarium_view_zoom_at (view, 650, 450, 8);
  UrbariumView half = urbarium_view_mix (view, to, 0.5), end = urbarium_view_mix (view, to, 1);
  double x, y, px, py;

  NEAR (half.m_per_px, 2 / sqrt (8), 1e-12);
  urbarium_view_to_map (&view, 650, 450, &x, &y);
  urbarium_view_from_map (&half, x, y, &px, &py); /* fixed during the motion, too */
  NEAR (px, 650, 1e-6);
  NEAR (py, 450, 1e-6);
  g_assert_true (urbarium_view_is_same (&end, &to));
}

static void
test_scale_bar (void)
{
  NEAR (urbarium_scale_bar_get_length (1, 144), 100, 1e-9);
  NEAR (urbarium_scale_bar_get_length (2, 144), 200, 1e-9);
  NEAR (urbarium_scale_bar_get_length (4, 144), 500, 1e-9);
  NEAR (urbarium_scale_bar_get_length (0.01, 144), 1, 1e-9);
  for (double m = 0.01; m < 1e4; m *= 1.03)
    {
      double px = urbarium_scale_bar_get_length (m, 144) / m;

      g_assert_true (px <= 144 + 1e-9 && px > 57);
    }
}

static void
test_tiles_nest (void)
{
  for (int i = 0; i < 500; i++)
    {
      UrbariumTileKey key = { 1, g_test_rand_int_range (-6, 10) * URBARIUM_TILE_OCTAVE,
                              g_test_rand_int_range (-999, 999), g_test_rand_int_range (-999, 999) };
      UrbariumTileKey parent = urbarium_tile_get_parent (key, g_test_rand_int_range (1, 8));
      UrbBox box = urbarium_tile_get_box (&key), outer = urbarium_tile_get_box (&parent);

      g_assert_true (outer.min_x <= box.min_x && outer.max_x >= box.max_x);
      g_assert_true (outer.min_y <= box.min_y && outer.max_y >= box.max_y);
    }
}

static void
test_tile_ranges (void)
{
  UrbBox extent = { 0, 0, 3000, 2000 }, elsewhere = { 5000, 0, 6000, 1000 };
  UrbariumTileRange none = urbarium_tile_range_of (0, elsewhere, extent);

  g_assert_cmpint (none.col_max, <, none.col_min);
  for (int i = 0; i < 500; i++) /* a box in the center of a tile is only in that tile */
    {
      UrbariumTileKey key = { 1, g_test_rand_int_range (-400, 600),
                              g_test_rand_int_range (-999, 999), g_test_rand_int_range (-999, 999) };
      UrbBox box = urbarium_tile_get_box (&key);
      double x = (box.min_x + box.max_x) / 2, y = (box.min_y + box.max_y) / 2;
      UrbariumTileRange range
        = urbarium_tile_range_of (key.level, (UrbBox) { x, y, x, y }, box);

      NEAR (box.max_x - box.min_x, URBARIUM_TILE_STEP_PX * urbarium_tile_get_pixel_m (key.level), 1e-5);
      g_assert_cmpint (range.col_min, ==, key.col);
      g_assert_cmpint (range.col_max, ==, key.col);
      g_assert_cmpint (range.row_min, ==, key.row);
      g_assert_cmpint (range.row_max, ==, key.row);
    }
}

static void
test_tile_levels (void)
{
  UrbBox extent = { 0, 0, 3000, 2000 };

  g_assert_cmpint (urbarium_tile_octave_for (1), ==, 0);
  g_assert_cmpint (urbarium_tile_octave_for (0.7), ==, 0); /* enlarged */
  g_assert_cmpint (urbarium_tile_octave_for (0.65), ==, -64);
  g_assert_cmpint (urbarium_tile_octave_for (1.3), ==, 0); /* reduced */
  g_assert_cmpint (urbarium_tile_level_for (0.25), ==, -128);
  g_assert_cmpint (urbarium_tile_level_of_extent (extent), ==, 4 * 64);
  for (double m = 0.01; m < 1000; m *= 1.07)
    {
      double rounded = urbarium_tile_round_scale (m);

      NEAR (rounded / m, 1, 0.0055);
      NEAR (urbarium_tile_get_pixel_m (urbarium_tile_level_for (rounded)), rounded, 1e-9);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/canvas/view/inverts", test_inverts);
  g_test_add_func ("/app/canvas/view/by-hand", test_by_hand);
  g_test_add_func ("/app/canvas/view/zoom-keeps-the-point", test_zoom_keeps_the_point);
  g_test_add_func ("/app/canvas/view/drag-follows-the-hand", test_drag_follows_the_hand);
  g_test_add_func ("/app/canvas/view/fit-shows-all", test_fit_shows_all);
  g_test_add_func ("/app/canvas/view/clamp", test_clamp);
  g_test_add_func ("/app/canvas/view/snap-is-whole", test_snap_is_whole);
  g_test_add_func ("/app/canvas/view/mix", test_mix);
  g_test_add_func ("/app/canvas/view/scale-bar", test_scale_bar);
  g_test_add_func ("/app/canvas/view/tiles-nest", test_tiles_nest);
  g_test_add_func ("/app/canvas/view/tile-ranges", test_tile_ranges);
  g_test_add_func ("/app/canvas/view/tile-levels", test_tile_levels);
  return g_test_run ();
}
