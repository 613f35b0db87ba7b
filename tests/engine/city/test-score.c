/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-score.c - flaws are found in images that have them, and in no others.
 */
#include "city-fixture.h"
#include "city/score.h"

enum { SIZE = 128, N_AREAS = 12 };

/* A street cross with rows of houses; its place varies by @i.  Levels of 3 channels. */
static guint8 *
make_area (guint i, guint flaws)
{
  guint8 *levels = g_malloc0 (SIZE * SIZE * 3);
  int street = 40 + (int) (i * 5 % 40);

  for (int y = 0; y < SIZE; y++)
    for (int x = 0; x < SIZE; x++)
      {
        guint8 *pixel = levels + 3 * (y * SIZE + x);
        int u = (x + (int) i) % 24, v = (y + (int) i) % 24; /* one house per 24 x 24 */
        gboolean road = (x >= street && x < street + 4) || (y >= street && y < street + 4);
        gboolean house = u >= 6 && u < 18 && v >= 6 && v < 18;

        if ((flaws & 1 << URB_FLAW_STREETS) != 0 && (x + y) / 10 % 2 == 0)
          road = FALSE;
        if ((flaws & 1 << URB_FLAW_BLOBS) != 0) /* a cross with thin arms */
          house = house && ((u >= 11 && u < 13) || (v >= 11 && v < 13));
        pixel[road ? 1 : house ? 0 : 2] = 255;
        if ((flaws & 1 << URB_FLAW_HALF_TONES) != 0 && y < SIZE / 4)
          pixel[0] = pixel[1] = pixel[2] = 85;
      }
  return levels;
}

static void
measure (UrbComparison *self, UrbGroup group, guint flaws)
{
  for (guint i = 0; i < N_AREAS; i++)
    {
      g_autofree guint8 *levels = make_area (i + 3 * (group == URB_GROUP_GENERATED), flaws);
      g_autoptr(UrbClassMap) map = urb_class_map_new_from_levels (levels, SIZE, SIZE, 3, 250);
      g_autoptr(UrbSoftMap) soft = urb_soft_map_new_from_levels (levels, SIZE, SIZE, 3, 250, 1);

      urb_measurements_add (self->measured[group], map, soft, NULL);
    }
}

static void
test_flaws (void)
{
  for (guint flaws = 0; flaws < 1 << URB_N_FLAWS; flaws++)
    {
      g_autoptr(UrbComparison) pixels = urb_comparison_new (SIZE);

      measure (pixels, URB_GROUP_REAL, 0);
      measure (pixels, URB_GROUP_GENERATED, flaws);
      urb_comparison_run (pixels, 1);
      g_assert_cmphex (urb_score_find_flaws (pixels), ==, flaws);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/score/flaws", test_flaws);
  return g_test_run ();
}
