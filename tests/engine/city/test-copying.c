/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-copying.c - copies of made-up districts are found: whole or in part, turned, mirrored and
 * shifted; other districts are not taken for copies.
 *
 * A district is drawn larger than an area, so that a shifted area shows new ground at its border, as
 * with areas that are cut from one map.
 */
#include <math.h>
#include <string.h>

#include "city-fixture.h"
#include "city/copying.h"

enum
{
  EDGE_PX = 128,
  MARGIN_PX = 17,
  DISTRICT_PX = EDGE_PX + 2 * MARGIN_PX,
  N_TRAIN = 40,
  N_TEST = 20,
  N_CITIES = 256
};

static const double pixel_m = 250.0 / EDGE_PX;

static void
paint_box (UrbClassMap *map, double x, double y, double length, double angle, UrbClass class_,
           double width)
{
  fixture_paint_rectangle (map, x, y, length, width, angle, class_);
}

/* A street grid at an angle, with houses of several sizes along it. */
static UrbClassMap *
make_district (guint32 seed)
{
  UrbClassMap *map = fixture_blank (DISTRICT_PX, pixel_m);
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  double angle = g_rand_double_range (rand, 0, G_PI), c = cos (angle), s = sin (angle);
  double middle = DISTRICT_PX / 2.0, spacing = g_rand_double_range (rand, 28, 44);

  for (int street = -3; street <= 3; street++)
    {
      double off = street * spacing + g_rand_double_range (rand, -6, 6);

      paint_box (map, middle - s * off, middle + c * off, 2 * DISTRICT_PX, angle, URB_CLASS_ROAD, 4);
      for (double along = -DISTRICT_PX; along < DISTRICT_PX; along += g_rand_double_range (rand, 9, 20))
        for (int side = -1; side <= 1; side += 2)
          {
            double away = off + side * g_rand_double_range (rand, 7, 11);
            double x = middle + c * along - s * away, y = middle + s * along + c * away;

            if (x > 0 && y > 0 && x < DISTRICT_PX && y < DISTRICT_PX && g_rand_double (rand) < 0.8)
              paint_box (map, x, y, g_rand_double_range (rand, 4, 10), angle, URB_CLASS_BUILDING,
                         g_rand_double_range (rand, 4, 6));
          }
    }
  return map;
}

/* The area @right_m and @down_m from the middle of the district. */
static UrbClassMap *
cut_area (const UrbClassMap *district, double right_m, double down_m)
{
  UrbClassMap *map = urb_class_map_new (EDGE_PX, EDGE_PX, pixel_m);
  int left = MARGIN_PX + (int) lround (right_m / pixel_m);
  int top = MARGIN_PX + (int) lround (down_m / pixel_m);

  for (int row = 0; row < EDGE_PX; row++)
    memcpy (map->classes + row * EDGE_PX, district->classes + (top + row) * DISTRICT_PX + left,
            EDGE_PX);
  return map;
}

enum { N_DISTRICTS = N_TRAIN + N_TEST + N_CITIES };

/* Drawn once.  Training districts come first, then held-out ones, then others; owned. */
static UrbClassMap *districts[N_DISTRICTS];

static UrbClassMap *
make_area (guint32 district, double right_m, double down_m)
{
  return cut_area (districts[district], right_m, down_m);
}

/* Replaces a square of @share of the area by that of another one. */
static void
paste (UrbClassMap *map, const UrbClassMap *from, double share, guint32 seed)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  int edge = (int) lround (EDGE_PX * sqrt (share));
  int left = g_rand_int_range (rand, 0, EDGE_PX - edge + 1);
  int top = g_rand_int_range (rand, 0, EDGE_PX - edge + 1);

  for (int row = top; row < top + edge; row++)
    memcpy (map->classes + row * EDGE_PX + left, from->classes + row * EDGE_PX + left, (gsize) edge);
}

typedef struct
{
  UrbThumb train[N_TRAIN], test[N_TEST];
  UrbNearest of_test[N_TEST]; /* the nearest training areas */
} Places;

static Places *
make_places (void)
{
  Places *self = g_new (Places, 1);
  g_autoptr(UrbQueries) queries = NULL;

  for (guint32 i = 0; i < N_TRAIN + N_TEST; i++)
    {
      g_autoptr(UrbClassMap) map = make_area (i, 0, 0);

      urb_thumb_from_class_map (map, i < N_TRAIN ? &self->train[i] : &self->test[i - N_TRAIN]);
    }
  queries = urb_queries_new (self->test, N_TEST);
  for (int i = 0; i < N_TEST; i++)
    self->of_test[i] = (UrbNearest) { .index = -1 };
  for (int i = 0; i < N_TRAIN; i++)
    urb_nearest_update (self->of_test, queries, &self->train[i], i);
  return self;
}

/* @train: (out): (N_CITIES) */
static UrbCopying
judge (const Places *places, const UrbThumb *cities, UrbNearest *train)
{
  g_autoptr(UrbQueries) queries = urb_queries_new (cities, N_CITIES);
  g_autofree UrbNearest *test = urb_nearest_new (N_CITIES);
  UrbCopying copying;

  for (int i = 0; i < N_CITIES; i++)
    train[i] = (UrbNearest) { .index = -1 };
  for (int i = 0; i < N_TRAIN; i++)
    urb_nearest_update (train, queries, &places->train[i], i);
  for (int i = 0; i < N_TEST; i++)
    urb_nearest_update (test, queries, &places->test[i], i);
  urb_copying_judge (&copying, train, test, N_CITIES, places->of_test, N_TEST);
  return copying;
}

typedef struct
{
  const char *name;
  int         n_copies;         /* of N_CITIES */
  double      right_m, down_m;
  double      copied, pasted;   /* shares of the copy that are kept, and of others that are pasted in */
  gint64      n_min;            /* found, at least */
} Case;

static const Case cases[] = {
  { "exact copies", N_CITIES, 0, 0, 1, 0, N_CITIES },
  { "shifted by 4 m", N_CITIES, 4, 0, 1, 0, N_CITIES },
  { "shifted by 12 m", N_CITIES, 0, -12, 1, 0, N_CITIES },
  { "shifted by 10 m, half a cell", N_CITIES, 10, 10, 1, 0, 9 * N_CITIES / 10 },
  { "shifted by 31 m", N_CITIES, -31, 0, 1, 0, N_CITIES },
  { "shifted by 31 m and 31 m", N_CITIES, 31, 31, 1, 0, 9 * N_CITIES / 10 },
  { "5 % copies", 13, 0, 0, 1, 0, 13 },
  { "5 % copies, shifted by 12 m", 13, 12, 0, 1, 0, 13 },
  { "5 % copies, shifted by 31 m", 13, 0, 31, 1, 0, 12 },
  { "copies with 15 % replaced", N_CITIES, 0, 0, 1, 0.15, N_CITIES },
  { "copies with 30 % replaced", N_CITIES, 0, 0, 1, 0.3, 9 * N_CITIES / 10 },
  { "5 % copies with 30 % replaced", 13, 0, 0, 1, 0.3, 12 },
  { "15 % pasted", N_CITIES, 0, 0, 0, 0.15, 10 },
  { "30 % pasted", N_CITIES, 0, 0, 0, 0.3, N_CITIES / 2 },
};

static void
make_cities (const Case *test, UrbThumb *cities)
{
  for (guint32 i = 0; i < N_CITIES; i++)
    {
      g_autoptr(UrbClassMap) other = make_area (N_TRAIN + N_TEST + i, 0, 0);
      g_autoptr(UrbClassMap) source = make_area (i * 7 % N_TRAIN, test->right_m, test->down_m);
      gboolean copy = i * (guint32) test->n_copies % N_CITIES < (guint32) test->n_copies;
      UrbClassMap *map = copy && test->copied > 0 ? source : other;
      UrbThumb thumb;

      if (copy && test->pasted > 0)
        paste (map, map == source ? other : source, test->pasted, i);
      urb_thumb_from_class_map (map, &thumb);
      urb_thumb_turn (&thumb, (int) (i % 8), &cities[i]);
    }
}

/* Each kind of copy causes a warning and names its source. */
static void
test_copies (gconstpointer data)
{
  const Case *test = data;
  g_autofree Places *places = make_places ();
  g_autofree UrbThumb *cities = g_new (UrbThumb, N_CITIES);
  UrbNearest train[N_CITIES];
  UrbCopying copying;
  gint64 n_wrong = 0;

  make_cities (test, cities);
  copying = judge (places, cities, train);
  for (gint64 i = 0; i < N_CITIES; i++)
    n_wrong += train[i].share >= copying.limit && train[i].index != i * 7 % N_TRAIN;
  g_test_message ("%" G_GINT64_FORMAT " repeat, %" G_GINT64_FORMAT " of a wrong area, limit %.3f",
                  copying.n_repeats, n_wrong, copying.limit);
  g_assert_cmpint (copying.n_repeats, >=, test->n_min);
  g_assert_cmpint (copying.n_repeats - n_wrong, <=, test->n_copies);
  g_assert_true (copying.copies);
  g_assert_cmpint (n_wrong, <=, N_CITIES / 100);
  g_assert_cmpint (copying.n_shared, ==, 0);
}

/* Other districts, noise, lone houses, and the held-out areas themselves are no copies. */
static void
test_originals (void)
{
  static const char *const kinds[] = { "others", "noise", "lone houses", "held out" };
  g_autofree Places *places = make_places ();
  g_autofree UrbThumb *cities = g_new (UrbThumb, N_CITIES);
  UrbNearest train[N_CITIES];

  for (gsize kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    {
      UrbCopying copying;

      for (guint32 i = 0; i < N_CITIES; i++)
        {
          g_autoptr(UrbClassMap) map = kind == 0   ? make_area (N_TRAIN + N_TEST + i, 0, 0)
                                       : kind == 1 ? fixture_noise (EDGE_PX, 3, i)
                                                   : fixture_blank (EDGE_PX, pixel_m);

          paint_box (map, 10 + i % 100, 64, 8, 0.02 * i, URB_CLASS_BUILDING, 6);
          if (kind == 3)
            cities[i] = places->test[i % N_TEST];
          else
            urb_thumb_from_class_map (map, &cities[i]);
        }
      copying = judge (places, cities, train);
      g_test_message ("%s: %" G_GINT64_FORMAT " repeat, limit %.3f", kinds[kind], copying.n_repeats,
                      copying.limit);
      g_assert_false (copying.copies);
      g_assert_cmpint (copying.n_repeats, <=, 1);
      g_assert_cmpint (copying.n_shared, ==, 0);
    }
}

/* Held-out areas that are training areas are counted, and copies are still found. */
static void
test_shared (void)
{
  g_autofree Places *places = make_places ();
  g_autofree UrbThumb *cities = g_new (UrbThumb, N_CITIES);
  g_autofree UrbNearest *test = urb_nearest_new (N_CITIES);
  UrbNearest train[N_CITIES], same[N_TEST];
  g_autoptr(UrbQueries) queries = urb_queries_new (places->train, N_TEST);
  UrbCopying copying;

  for (int i = 0; i < N_TEST; i++)
    same[i] = (UrbNearest) { .index = -1 };
  for (int i = 0; i < N_TRAIN; i++)
    urb_nearest_update (same, queries, &places->train[i], i);
  make_cities (&cases[0], cities);
  judge (places, cities, train);
  urb_copying_judge (&copying, train, test, N_CITIES, same, N_TEST);
  g_assert_cmpint (copying.n_shared, ==, N_TEST);
  g_assert_true (copying.copies);
}

/* The rotation and the shift of a copy are reported. */
static void
test_place (void)
{
  g_autoptr(UrbClassMap) city = make_area (1, 0, 0), area = make_area (1, -4 * 250.0 / 64, 0);
  UrbThumb thumb, turned, moved;

  urb_thumb_from_class_map (city, &thumb);
  urb_thumb_from_class_map (area, &moved);
  for (int d4 = 0; d4 < 8; d4++)
    {
      g_autoptr(UrbQueries) query = urb_queries_new (&thumb, 1);
      g_autofree UrbNearest *nearest = urb_nearest_new (1);

      urb_thumb_turn (&thumb, d4, &turned);
      g_assert_true ((d4 == 0) == (memcmp (&turned, &thumb, sizeof thumb) == 0));
      urb_nearest_update (nearest, query, &turned, 5);
      g_assert_cmpint (nearest->index, ==, 5);
      g_assert_cmpfloat (nearest->share, ==, 1);
      g_assert_cmpint (nearest->d4, ==, d4);
      g_assert_cmpfloat (urb_nearest_get_shift_m (nearest, 250), ==, 0);
      /* The moved area shows the city four cells further right; it is worse than the copy. */
      urb_nearest_update (nearest, query, &moved, 6);
      g_assert_cmpint (nearest->index, ==, 5);
      *nearest = (UrbNearest) { .index = -1 };
      urb_nearest_update (nearest, query, &moved, 6);
      g_assert_cmpint (nearest->right_cells, ==, 4);
      g_assert_cmpint (nearest->down_cells, ==, 0);
      g_assert_cmpfloat_with_epsilon (urb_nearest_get_shift_m (nearest, 250), 15.6, 0.1);
    }
}

/* An area that is turned back looks like the city. */
static void
test_turn_area (void)
{
  g_autoptr(UrbClassMap) map = make_area (1, 0, 0);
  g_autofree guint8 *area = g_malloc (64 * 64), *back = g_malloc (64 * 64);
  UrbThumb thumb, turned;

  urb_thumb_from_class_map (map, &thumb);
  for (int d4 = 0; d4 < 8; d4++)
    {
      const UrbNearest nearest = { .d4 = d4 };

      urb_thumb_turn (&thumb, d4, &turned);
      for (int i = 0; i < 64 * 64; i++)
        area[i] = turned.rows[0][i / 64] >> i % 64 & 1;
      urb_nearest_turn_area (&nearest, area, 64, 1, back);
      for (int i = 0; i < 64 * 64; i++)
        g_assert_cmpint (back[i], ==, thumb.rows[0][i / 64] >> i % 64 & 1);
    }
}

/* Open land, halls and a straight road through fields repeat nothing. */
static void
test_plain (void)
{
  g_autoptr(UrbClassMap) bare = fixture_blank (EDGE_PX, pixel_m), hall = fixture_blank (EDGE_PX, pixel_m);
  g_autoptr(UrbClassMap) other_hall = fixture_blank (EDGE_PX, pixel_m);
  g_autoptr(UrbClassMap) road = fixture_blank (EDGE_PX, pixel_m);
  const UrbClassMap *const maps[] = { bare, hall, road };

  paint_box (hall, 60, 60, 90, 0.1, URB_CLASS_BUILDING, 70);
  paint_box (other_hall, 64, 64, 100, 0.5, URB_CLASS_BUILDING, 80);
  paint_box (road, 64, 64, 200, 0.3, URB_CLASS_ROAD, 6);
  for (gsize i = 0; i < G_N_ELEMENTS (maps); i++)
    {
      g_autoptr(UrbQueries) query = NULL;
      g_autofree UrbNearest *nearest = urb_nearest_new (1);
      UrbThumb thumb, other;

      urb_thumb_from_class_map (maps[i], &thumb);
      urb_thumb_from_class_map (maps[i] == hall ? other_hall : maps[i], &other);
      query = urb_queries_new (&thumb, 1);
      urb_nearest_update (nearest, query, &other, 1);
      g_assert_cmpfloat (nearest->share, <, maps[i] == hall ? 0.1 : 1e-9);
    }
}

/* What is said of the limit names it. */
static void
test_alone (void)
{
  g_autofree char *percent = g_strdup_printf (" %.0f %%:", 100 * URB_COPYING_ALONE_LIMIT);

  g_assert_nonnull (strstr (urb_copying_alone_text, percent));
  g_assert_cmpfloat (URB_COPYING_ALONE_LIMIT, >=, URB_COPYING_MIN_LIMIT);
}

int
main (int argc, char **argv)
{
  int failed;

  g_test_init (&argc, &argv, NULL);
  for (guint32 i = 0; i < N_DISTRICTS; i++)
    districts[i] = make_district (i);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/copying/copies/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_copies);
    }
  g_test_add_func ("/copying/originals", test_originals);
  g_test_add_func ("/copying/shared", test_shared);
  g_test_add_func ("/copying/place", test_place);
  g_test_add_func ("/copying/turn-area", test_turn_area);
  g_test_add_func ("/copying/plain", test_plain);
  g_test_add_func ("/copying/alone", test_alone);
  failed = g_test_run ();
  for (guint32 i = 0; i < N_DISTRICTS; i++)
    urb_class_map_free (districts[i]);
  return failed;
}
