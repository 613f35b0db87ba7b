/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-city-options.c - the seed as typed and at random, and a slider in motion.
 */
#include "app/cities/city-options.h"
#include "app-test.h"

static GObject *
get_child (UrbariumCityOptions *options, const char *name)
{
  return gtk_widget_get_template_child (GTK_WIDGET (options), URBARIUM_TYPE_CITY_OPTIONS, name);
}

static void
count_cb (int *n)
{
  (*n)++;
}

static void
type_seed (UrbariumCityOptions *options, const char *text)
{
  GObject *row = get_child (options, "seed_row");
  gtk_editable_set_text (GTK_EDITABLE (row), text);
  g_signal_emit_by_name (row, "entry-activated");
}

static void
test_seed (void)
{
  UrbariumCityOptions *options = g_object_new (URBARIUM_TYPE_CITY_OPTIONS, NULL);
  GtkWindow *window = test_window_new (GTK_WIDGET (options), 320, 480);
  GtkWidget *row = GTK_WIDGET (get_child (options, "seed_row"));
  g_autoptr(UrbariumCity) city = NULL;
  int n = 0;
  g_signal_connect_swapped (options, "changed", G_CALLBACK (count_cb), &n);
  type_seed (options, " 12 ");
  g_assert_cmpint (urbarium_city_options_get_seed (options), ==, 12);
  type_seed (options, "12");
  g_assert_cmpint (n, ==, 1);
  type_seed (options, "many");
  g_assert_true (gtk_widget_has_css_class (row, "error"));
  type_seed (options, "-3");
  g_assert_cmpint (urbarium_city_options_get_seed (options), ==, 12);
  g_assert_cmpint (n, ==, 1);
  urbarium_city_options_renew_seed (options);
  g_assert_false (gtk_widget_has_css_class (row, "error"));
  city = urbarium_city_options_make_city (options, 4);
  g_assert_cmpint (urbarium_city_get_seed (city), ==, urbarium_city_options_get_seed (options));
  g_assert_cmpint (urbarium_city_get_index (city), ==, 4);
  test_window_destroy (window);
}

static gboolean
has_changed (gpointer n)
{
  return *(int *) n > 0;
}

/* Told once, after the last motion. */
static void
test_truncation (void)
{
  UrbariumCityOptions *options = g_object_new (URBARIUM_TYPE_CITY_OPTIONS, NULL);
  GtkWindow *window = test_window_new (GTK_WIDGET (options), 320, 480);
  GtkAdjustment *truncation = GTK_ADJUSTMENT (get_child (options, "truncation_adjustment"));
  g_autoptr(UrbariumCity) before = NULL, after = NULL;
  int n = 0;
  g_signal_connect_swapped (options, "changed", G_CALLBACK (count_cb), &n);
  for (int i = 0; i < 5; i++)
    gtk_adjustment_set_value (truncation, 0.9 - 0.1 * i);
  before = urbarium_city_options_make_city (options, 1);
  g_assert_cmpfloat (urbarium_city_get_truncation (before), ==, 1);
  test_until (has_changed, &n);
  test_frames (window, 20);
  g_assert_cmpint (n, ==, 1);
  after = urbarium_city_options_make_city (options, 1);
  g_assert_cmpfloat (urbarium_city_get_truncation (after), ==, 0.5);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/city-options/seed", test_seed);
  g_test_add_func ("/city-options/truncation", test_truncation);
  return g_test_run ();
}
