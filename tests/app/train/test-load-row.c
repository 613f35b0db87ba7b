/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-load-row.c - the words and the curve of a device.
 */
#include <math.h>

#include "app-test.h"
#include "app/train/load-curve.h"
#include "app/train/load-row.h"
#include "made-up.h"

/* With gaps: for the eye. */
static void
test_row (void)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_LOAD_ROW, NULL);
  GtkWindow *window = test_window_new (widget, 500, 40);
  UrbariumLoadRow *self = URBARIUM_LOAD_ROW (widget);
  urbarium_load_row_set_text (self, "NVIDIA <H200> · 97 % busy");
  g_assert_nonnull (made_up_find_text (widget, "NVIDIA <H200> · 97 % busy"));
  for (int i = 0; i < 90; i++)
    urbarium_load_row_add (self, i > 30 && i < 40 ? NAN : 0.6 + 0.35 * sin (i / 4.0), i < 20 ? NAN : 0.3 + i / 300.0);
  test_frames (window, 2);
  test_screenshot (window, "load-row");
  urbarium_load_row_clear (self);
  g_assert_cmpuint (urbarium_load_curve_get_n (URBARIUM_LOAD_CURVE (test_find (widget, URBARIUM_TYPE_LOAD_CURVE))), ==,
                    0);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/load-row/row", test_row);
  return g_test_run ();
}
