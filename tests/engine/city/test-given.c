/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-given.c - what stays of an area: cut from a plan, as JSON, and in the plan exactly as given.
 */
#include <math.h>
#include <string.h>

#include "base/json-build.h"
#include "city-fixture.h"
#include "city/given.h"
#include "city/site.h"
#include "city/tile-vectors.h"

enum { SIZE_PX = 200 }; /* a pixel is a meter */

/* Of the tile's levels: building, road, other. */
static guint8 *
new_levels (void)
{
  guint8 *levels = g_new0 (guint8, SIZE_PX * SIZE_PX * 3);

  for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
    levels[3 * i + URB_CLASS_OTHER] = 255;
  return levels;
}

/* @x, @y: from the lower left corner */
static void
fill (guint8 *levels, UrbClass class_, int x, int y, int width, int height)
{
  for (int row = SIZE_PX - y - height; row < SIZE_PX - y; row++)
    for (int col = x; col < x + width; col++)
      {
        guint8 *pixel = levels + 3 * (row * SIZE_PX + col);

        memset (pixel, 0, 3);
        pixel[class_] = 255;
      }
}

static void
add_box (UrbGiven *given, UrbClass class_, double x, double y, double width, double height)
{
  const double xy[] = { x, y, x + width, y, x + width, y + height, x, y + height };

  urb_given_add (given, class_, xy, 4);
}

static UrbCityVectors *
draw (const guint8 *levels, const UrbGiven *given)
{
  return urb_city_vectors_from_site_levels (levels, SIZE_PX, SIZE_PX, 3, SIZE_PX, given, FALSE);
}

static double
get_class_area (const UrbCityVectors *plan, UrbClass class_)
{
  double area = 0;

  for (guint i = 0; i < plan->polygons->len; i++)
    {
      const UrbCityPolygon *polygon = &g_array_index (plan->polygons, UrbCityPolygon, i);

      area += polygon->class_ == class_ ? polygon->area_m2 : 0;
    }
  return area;
}

/* Whether a building has these corners and no other, to a centimeter. */
static gboolean
has_building (const UrbCityVectors *plan, const double *xy, guint n)
{
  for (guint i = 0; i < plan->polygons->len; i++)
    {
      const UrbCityPolygon *polygon = &g_array_index (plan->polygons, UrbCityPolygon, i);
      guint n_here, n_met = 0;
      const double *here = urb_city_vectors_get_ring (plan, polygon, 0, &n_here);

      for (guint k = 0; k < n && polygon->class_ == URB_CLASS_BUILDING && n_here == n; k++)
        for (guint v = 0; v < n_here; v++)
          n_met += hypot (here[2 * v] - xy[2 * k], here[2 * v + 1] - xy[2 * k + 1]) < 0.01;
      if (n_met == n)
        return TRUE;
    }
  return FALSE;
}

static void
assert_whole (const UrbCityVectors *plan)
{
  g_assert_cmpint (plan->quality.n_gaps, ==, 0);
  g_assert_cmpint (plan->quality.n_overlaps, ==, 0);
  g_assert_cmpint (plan->quality.n_invalid, ==, 0);
}

/* ------------------------------------------------------------------------ */

/* The generator drew the given street three meters too wide, and the given house a meter aside. */
static void
test_exact (void)
{
  const double house[] = { 20.25, 130, 40, 125.5, 43.5, 140, 24, 145.25 };
  g_autoptr(UrbGiven) given = urb_given_new (SIZE_PX);
  g_autofree guint8 *levels = new_levels ();
  g_autoptr(UrbCityVectors) without = NULL, plan = NULL;

  urb_given_add (given, URB_CLASS_BUILDING, house, 4);
  add_box (given, URB_CLASS_ROAD, -10, 97.3, SIZE_PX + 20, 6.1);
  fill (levels, URB_CLASS_ROAD, 0, 94, SIZE_PX, 12);
  fill (levels, URB_CLASS_BUILDING, 22, 126, 20, 19);
  fill (levels, URB_CLASS_BUILDING, 120, 120, 15, 20);
  without = draw (levels, NULL);
  g_assert_cmpfloat (get_class_area (without, URB_CLASS_ROAD), >, 10.5 * SIZE_PX);
  g_assert_false (has_building (without, house, 4));
  plan = draw (levels, given);
  assert_whole (plan);
  g_assert_true (has_building (plan, house, 4));
  g_assert_cmpfloat_with_epsilon (get_class_area (plan, URB_CLASS_ROAD), 6.1 * SIZE_PX, 2);
  /* The new house stands, too; the copy of the given one is gone. */
  g_assert_cmpint (plan->quality.n_buildings, ==, 2);
  /* Its center line has the width of the given street. */
  g_assert_cmpuint (plan->streets->len, ==, 1);
  g_assert_cmpfloat (g_array_index (without->streets, UrbCityStreet, 0).width_m, >, 10.5);
  g_assert_cmpfloat_with_epsilon (g_array_index (plan->streets, UrbCityStreet, 0).width_m, 6.1, 0.05);
}

/* A new street leaves the given one: it starts at the given curb. */
static void
test_joins (void)
{
  g_autoptr(UrbGiven) given = urb_given_new (SIZE_PX);
  g_autofree guint8 *levels = new_levels ();
  g_autoptr(UrbCityVectors) plan = NULL;
  guint n_roads = 0, n_new = 0;

  add_box (given, URB_CLASS_ROAD, 0, 97, SIZE_PX, 6);
  fill (levels, URB_CLASS_ROAD, 0, 94, SIZE_PX, 12);
  fill (levels, URB_CLASS_ROAD, 96, 100, 8, 100);
  plan = draw (levels, given);
  assert_whole (plan);
  for (guint i = 0; i < plan->polygons->len; i++)
    n_roads += g_array_index (plan->polygons, UrbCityPolygon, i).class_ == URB_CLASS_ROAD;
  g_assert_cmpuint (n_roads, ==, 1);
  g_assert_cmpfloat_with_epsilon (get_class_area (plan, URB_CLASS_ROAD), 6 * SIZE_PX + 8 * 97, 80);
  /* The given street is cut in two by the new one, which is as wide as it was drawn. */
  for (guint i = 0; i < plan->streets->len; i++)
    {
      const UrbCityStreet *street = &g_array_index (plan->streets, UrbCityStreet, i);
      const double *xy = urb_city_vectors_get_street (plan, street);
      gboolean is_new = fabs (xy[1] - 97 - 3) > 4 || fabs (xy[2 * street->n_vertices - 1] - 97 - 3) > 4;
      n_new += is_new;
      g_assert_cmpfloat_with_epsilon (street->width_m, is_new ? 8 : 6, is_new ? 1.5 : 0.5);
    }
  g_assert_cmpuint (n_new, ==, 1);
}

/* A small shed and open land that stay neither vanish nor grow. */
static void
test_small (void)
{
  const double shed[] = { 50, 50, 53, 50, 53, 52, 50, 52 };
  g_autoptr(UrbGiven) given = urb_given_new (SIZE_PX);
  g_autofree guint8 *levels = new_levels ();
  g_autoptr(UrbCityVectors) plan = NULL;

  urb_given_add (given, URB_CLASS_BUILDING, shed, 4);
  add_box (given, URB_CLASS_OTHER, 100, 100, 30, 30);
  fill (levels, URB_CLASS_BUILDING, 90, 110, 20, 40);
  plan = draw (levels, given);
  assert_whole (plan);
  g_assert_true (has_building (plan, shed, 4));
  g_assert_cmpfloat_with_epsilon (get_class_area (plan, URB_CLASS_BUILDING), 6 + 20 * 40 - 10 * 20, 60);
}

/* ------------------------------------------------------------------------ */

static UrbCityVectors *
draw_town (void)
{
  g_autofree guint8 *levels = new_levels ();

  fill (levels, URB_CLASS_ROAD, 0, 20, SIZE_PX, 10);
  fill (levels, URB_CLASS_BUILDING, 85, 60, 20, 20);  /* three quarters west of the middle */
  fill (levels, URB_CLASS_BUILDING, 95, 120, 20, 20); /* one quarter */
  return draw (levels, NULL);
}

/* Cuts the town in the middle; whichever side stays, each house belongs to one side. */
static void
test_cut (void)
{
  static const double west[] = { 0, 0, 100, 0, 100, SIZE_PX, 0, SIZE_PX };
  g_autoptr(UrbCityVectors) town = draw_town ();

  for (int inside = 0; inside < 2; inside++)
    {
      g_autoptr(UrbGiven) given = urb_given_new_from_plan (town, west, 4, inside);
      g_autoptr(UrbSite) site = urb_site_new_from_given (given, SIZE_PX);
      int in_west = SIZE_PX * (SIZE_PX - 25) + 50, in_east = in_west + 100;
      int near_house = SIZE_PX * (SIZE_PX - 70) + 104, far_house = SIZE_PX * (SIZE_PX - 130) + 97;

      g_assert_cmpfloat (site->shares[URB_CLASS_ROAD][in_west], ==, inside);
      g_assert_cmpfloat (site->shares[URB_CLASS_ROAD][in_east], ==, !inside);
      g_assert_cmpfloat (site->shares[URB_CLASS_BUILDING][near_house], ==, inside);
      g_assert_cmpfloat (site->shares[URB_CLASS_BUILDING][far_house], ==, !inside);
      g_assert_cmpfloat_with_epsilon (urb_site_get_given_share (site), 0.5, 0.02);
    }
}

static UrbGiven *
parse (const char *text, GError **error)
{
  g_autoptr(JsonNode) node = json_from_string (text, NULL);

  g_assert_nonnull (node);
  return urb_given_new_from_json (json_node_get_array (node), 100, error);
}

static void
test_json (void)
{
  static const char *const broken[] = {
    "[1]", "[{\"class\":\"road\"}]", "[{\"class\":\"road\",\"rings\":[]}]",
    "[{\"class\":\"river\",\"rings\":[[0,0,1,0,1,1]]}]", "[{\"class\":\"road\",\"rings\":[[0,0,1,0]]}]",
    "[{\"class\":\"road\",\"rings\":[[0,0,1,0,1,1,2]]}]", "[{\"class\":\"road\",\"rings\":[[0,0,1,0,1,null]]}]",
    "[{\"class\":\"road\",\"rings\":[[0,0,1,0,1,\"x\"]]}]", "[{\"class\":\"road\",\"rings\":[3]}]",
  };
  g_autoptr(UrbCityVectors) town = draw_town ();
  static const double west[] = { 0, 0, 100, 0, 100, SIZE_PX, 0, SIZE_PX };
  g_autoptr(UrbGiven) given = urb_given_new_from_plan (town, west, 4, TRUE), back = NULL;
  JsonBuilder *json = urb_json_new ();
  g_autofree char *text = NULL;
  g_autoptr(JsonNode) node = NULL;
  g_autoptr(GError) error = NULL;

  urb_given_add_to_json (given, json, "given");
  text = urb_json_end (json);
  node = json_from_string (text, NULL);
  back = urb_given_new_from_json (json_object_get_array_member (json_node_get_object (node), "given"),
                                  SIZE_PX, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (back->polygons->len, ==, given->polygons->len);
  g_assert_cmpuint (back->polygons->len, >, 2);
  g_assert_cmpuint (back->xy->len, ==, given->xy->len);
  for (guint i = 0; i < given->xy->len; i++)
    g_assert_cmpfloat_with_epsilon (g_array_index (back->xy, double, i),
                                    g_array_index (given->xy, double, i), 0.00051);
  for (gsize i = 0; i < G_N_ELEMENTS (broken); i++)
    {
      g_assert_null (parse (broken[i], &error));
      g_assert_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS);
      g_clear_error (&error);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/given/exact", test_exact);
  g_test_add_func ("/given/joins", test_joins);
  g_test_add_func ("/given/small", test_small);
  g_test_add_func ("/given/cut", test_cut);
  g_test_add_func ("/given/json", test_json);
  return g_test_run ();
}
