/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "app-test.h"
#include "app/canvas/canvas-private.h"

/* A town of n x n blocks of 100 m, each a ground of 90 m with a house of 40 m: streets between. */
static UrbMap *
make_town (int n, double x0)
{
  g_autoptr(GArray) xy = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr(GArray) sizes = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr(GArray) rings = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr(GByteArray) classes = g_byte_array_new ();

  for (int i = 0; i < n * n; i++)
    for (int k = 0; k < 2; k++)
      {
        double x = x0 + 100 * (i % n) + (k == 0 ? 5 : 30), y = 100 * (i / n) + (k == 0 ? 5 : 30);
        double edge = k == 0 ? 90 : 40;
        double ring[] = { x, y, x + edge, y, x + edge, y + edge, x, y + edge };
        guint32 four = 4, one = 1;
        guint8 class_ = k == 0 ? URB_CLASS_OTHER : URB_CLASS_BUILDING;

        g_array_append_vals (xy, ring, 8);
        g_array_append_val (sizes, four);
        g_array_append_val (rings, one);
        g_byte_array_append (classes, &class_, 1);
      }
  return urb_map_new_from_rings ((double *) (void *) xy->data, (guint32 *) (void *) sizes->data,
                                 (guint32 *) (void *) rings->data, classes->data, classes->len,
                                 2056);
}

static gboolean
is_complete (gpointer data)
{
  UrbariumTileLayer *tiles = urbarium_canvas_get_tiles (data);

  return urbarium_tile_layer_has_pixels (tiles) && !urbarium_tile_layer_is_busy (tiles);
}

static void
test_shows_a_map (void)
{
  GtkWidget *canvas = urbarium_canvas_new ();
  GtkWindow *window = test_window_new (canvas, 800, 600);
  g_autoptr(UrbMap) map = make_town (10, 0);
  UrbariumView view;

  urbarium_canvas_set_map (URBARIUM_CANVAS (canvas), map);
  test_until (is_complete, canvas);
  view = urbarium_canvas_get_view (URBARIUM_CANVAS (canvas));
  g_assert_cmpfloat_with_epsilon (view.center_x, 500, 0.01);
  g_assert_cmpfloat_with_epsilon (view.center_y, 500, 0.01);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/canvas/shows-a-map", test_shows_a_map);
  return g_test_run ();
}
