/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-licences.c - the terms of a map's sources, each told once.
 */
#include "map/map-private.h"

typedef struct
{
  const char *added[4], *told;
} Case;

static const Case cases[] = {
  { { "CC BY-SA 4.0", "CC BY" }, "CC BY-SA 4.0; CC BY" },
  { { "CC BY", "CC BY-SA 4.0" }, "CC BY; CC BY-SA 4.0" },
  { { "ODbL", "CC BY", "ODbL", "CC BY" }, "ODbL; CC BY" },
  { { "A town", "A", "town", "A town" }, "A town; A; town" },
  { { "© A; CC BY", "© A; CC BY", "CC BY" }, "© A; CC BY" },
};

static void
test_told_once (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      UrbMapBuilder *builder = urb_map_builder_new ();
      g_autoptr(UrbMap) map = NULL;

      for (gsize k = 0; k < G_N_ELEMENTS (cases[i].added) && cases[i].added[k] != NULL; k++)
        urb_map_builder_add_licence (builder, cases[i].added[k]);
      map = urb_map_builder_finish (builder, URB_MAP_CLEAN_NOTHING);
      g_assert_cmpstr (urb_map_get_licence (map), ==, cases[i].told);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/map/licences/told-once", test_told_once);
  return g_test_run ();
}
