/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-load-curve.c - the last samples of a device, and what a screen reader says of them.
 */
#include <math.h>

#include "app-test.h"
#include "app/train/load-curve.h"

static void
assert_says (GtkWidget *curve, const char *text)
{
  gtk_test_accessible_assert_role (curve, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_test_accessible_assert_property (curve, GTK_ACCESSIBLE_PROPERTY_LABEL, text);
}

static void
test_samples (void)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_LOAD_CURVE, NULL);
  UrbariumLoadCurve *self = URBARIUM_LOAD_CURVE (widget);
  GtkWindow *window = test_window_new (widget, 120, 26);
  assert_says (widget, "Load and memory");
  urbarium_load_curve_add (self, 0.97, 0.65);
  assert_says (widget, "Load and memory: load 97 %, lately 97 to 97 %; memory 65 %");
  urbarium_load_curve_add (self, 0.5, NAN);
  assert_says (widget, "Load and memory: load 50 %, lately 50 to 97 %");
  urbarium_load_curve_add (self, NAN, 0.25);
  assert_says (widget, "Load and memory; memory 25 %");
  for (int i = 0; i < 2 * URBARIUM_LOAD_SAMPLES; i++)
    urbarium_load_curve_add (self, 0.1, 7); /* more than everything */
  g_assert_cmpuint (urbarium_load_curve_get_n (self), ==, URBARIUM_LOAD_SAMPLES);
  assert_says (widget, "Load and memory: load 10 %, lately 10 to 10 %; memory 700 %");
  test_frames (window, 2);
  urbarium_load_curve_clear (self);
  g_assert_cmpuint (urbarium_load_curve_get_n (self), ==, 0);
  assert_says (widget, "Load and memory");
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  g_setenv ("GTK_A11Y", "test", TRUE);
  test_app_init (&argc, &argv);
  g_test_add_func ("/load-curve/samples", test_samples);
  return g_test_run ();
}
