/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-vectors.c - see tile-vectors.h.
 */
#include "city/tile-vectors.h"

enum { FINE_PX = 256 };

gboolean
urb_city_check_areas (gint64 n_cols, gint64 n_rows, GError **error)
{
  if (n_cols >= 1 && n_rows >= 1 && n_cols <= URB_CITY_MAX_EDGE && n_rows <= URB_CITY_MAX_EDGE
      && n_cols * n_rows <= URB_CITY_MAX_AREAS)
    return TRUE;
  g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
               "A city has at least 1 x 1 areas, at most %d along an edge, and at most %d in all.",
               URB_CITY_MAX_EDGE, URB_CITY_MAX_AREAS);
  return FALSE;
}

/* A refiner adds the details of houses, such as annexes, but draws the generator's mistakes as
 * sharply as the rest.  Walls clearly show a direction, which may be the wrong one; streets have
 * gaps without any trace and bends and change their width, wide junctions look like squares, and
 * stubs and fragments are rarely streets.  Of the values tried, these have the best score
 * among those whose plans look tidy. */
static void
expect_refined (UrbVectorizeOptions *options, double base_m)
{
  options->buildings.street_pull *= 2;
  options->buildings.agree_m = 100;
  options->buildings.part_m2 = 2;
  options->buildings.court_m2 = 40;
  options->buildings.jog_m = 0.9;
  options->buildings.stairs_jog_m = 1.3;
  options->buildings.turn_m2 = 200;
  options->buildings.split_m2 = 600;
  options->streets.max_gap_m = 10 * base_m;
  options->streets.blind_m = 7 * base_m;
  options->streets.min_spur_m = 25;
  options->streets.min_street_m = 60;
  options->streets.aside_m = base_m;
  options->streets.wave_m = 10 * base_m;
  options->streets.square_m = 26;
  options->streets.same_width = 1;
  options->clear_streets = TRUE;
}

static void
init_options (UrbVectorizeOptions *options, int base_px, int size_px, double size_m,
              gboolean keep_specks)
{
  urb_vectorize_options_init (options, size_m / base_px);
  if (base_px < size_px)
    expect_refined (options, size_m / base_px);
  if (keep_specks)
    urb_vectorize_options_keep_specks (options);
}

UrbCityVectors *
urb_city_vectors_from_soft (const UrbSoftMap *map, int base_px, int size_px, double size_m,
                            gboolean keep_specks)
{
  UrbVectorizeOptions options;

  init_options (&options, base_px, size_px, size_m, keep_specks);
  return urb_vectorize (map, &options);
}

UrbCityVectors *
urb_city_vectors_from_site_levels (const guint8 *levels, int size_px, int base_px, int n_channels,
                                   double size_m, const UrbGiven *given, gboolean keep_specks)
{
  int zoom = size_px < FINE_PX ? FINE_PX / size_px : 1;
  g_autoptr(UrbSoftMap) map
    = urb_soft_map_new_from_levels (levels, size_px, size_px, n_channels, size_m, zoom);
  UrbVectorizeOptions options, close;

  init_options (&options, base_px, size_px, size_m, keep_specks);
  urb_vectorize_options_init (&close, map->detail_m);
  options.streets.aside_m = close.streets.aside_m;
  options.streets.wave_m = close.streets.wave_m;
  options.streets.square_m = close.streets.square_m;
  options.given = given;
  return urb_vectorize (map, &options);
}

UrbCityVectors *
urb_city_vectors_from_wide_levels (const guint8 *levels, int n_cols, int n_rows, int size_px,
                                   int base_px, int n_channels, double size_m, gboolean keep_specks)
{
  int zoom = size_px < FINE_PX ? FINE_PX / size_px : 1;
  g_autoptr(UrbSoftMap) map = urb_soft_map_new_from_levels (levels, n_cols * size_px, n_rows * size_px,
                                                            n_channels, n_cols * size_m, zoom);

  return urb_city_vectors_from_soft (map, base_px, size_px, size_m, keep_specks);
}

UrbCityVectors *
urb_city_vectors_from_levels (const guint8 *levels, int size_px, int base_px, int n_channels,
                              double size_m, gboolean keep_specks)
{
  return urb_city_vectors_from_wide_levels (levels, 1, 1, size_px, base_px, n_channels, size_m,
                                            keep_specks);
}
