/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-district-window.c - a district of several areas: drawn, another one, resized within its limits,
 * and closed while the engine draws; a checkpoint that is missing.
 */
#include <string.h>

#include "app/cities/city-view.h"
#include "app/cities/district-window.h"
#include "app/cities/place-window.h"
#include "cities-fixture.h"

static gpointer
get_child (gpointer window, const char *name)
{
  return gtk_widget_get_template_child (window, URBARIUM_TYPE_DISTRICT_WINDOW, name);
}

static const char *
get_subtitle (gpointer window)
{
  return adw_window_title_get_subtitle (get_child (window, "title"));
}

static gboolean
is_planned (gpointer window)
{
  gboolean vectors = FALSE;
  g_object_get (get_child (window, "view"), "vectors", &vectors, NULL);
  return vectors && !gtk_spinner_get_spinning (get_child (window, "spinner"));
}

static gboolean
is_busy (gpointer window)
{
  return gtk_spinner_get_spinning (get_child (window, "spinner"));
}

static gboolean
shows_error (gpointer window)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (get_child (window, "content")), "error") == 0;
}

static double
get_value (gpointer window, const char *name)
{
  return gtk_spin_button_get_value (get_child (window, name));
}

/* Without a map. */
static UrbariumGround *
make_ground (void)
{
  return urbarium_ground_new (NULL, NULL);
}

/* The district can be put on a map, of which there is none. */
static void
check_place (UrbariumDistrictWindow *district)
{
  g_autoptr(GListModel) windows = g_object_ref (gtk_window_get_toplevels ());
  guint n = g_list_model_get_n_items (windows);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (district), "district.place", NULL));
  g_assert_cmpuint (g_list_model_get_n_items (windows), ==, n + 1);
  for (guint i = 0; i <= n; i++)
    {
      g_autoptr(GtkWindow) window = g_list_model_get_item (windows, i);
      if (!URBARIUM_IS_PLACE_WINDOW (window))
        continue;
      g_assert_cmpstr (gtk_stack_get_visible_child_name (GTK_STACK (gtk_widget_get_template_child (
                         GTK_WIDGET (window), URBARIUM_TYPE_PLACE_WINDOW, "content"))), ==, "empty");
      gtk_window_close (window);
      return;
    }
  g_assert_not_reached ();
}

static void
test_draw (void)
{
  g_autoptr(UrbariumGround) ground = make_ground ();
  GtkWidget *button = gtk_button_new ();
  GtkWindow *window = test_window_new (button, 900, 700);
  UrbariumDistrictWindow *district
    = urbarium_district_window_open (button, cities_fixture_checkpoint (), 3, &URBARIUM_SHARES_AS_IN_MAP, ground);
  g_assert_true (is_busy (district));
  g_assert_false (gtk_widget_get_sensitive (get_child (district, "export_button")));
  g_assert_cmpfloat (get_value (district, "width"), ==, 3);
  g_assert_cmpfloat (get_value (district, "height"), ==, 3);

  /* Twice as wide as high: the whole district is visible. */
  gtk_spin_button_set_value (get_child (district, "width"), 2);
  gtk_spin_button_set_value (get_child (district, "height"), 1);
  test_until (is_planned, district);
  g_assert_cmpstr (get_subtitle (district), ==, "No. 1, 500 m × 250 m");
  g_assert_true (gtk_widget_get_sensitive (get_child (district, "export_button")));
  test_frames (GTK_WINDOW (district), 20);
  test_screenshot (GTK_WINDOW (district), "district");
  UrbariumView view = urbarium_city_view_get_view (get_child (district, "view"));
  g_assert_cmpfloat (view.center_x, ==, 250);
  g_assert_cmpfloat (view.center_y, ==, 125);
  g_assert_cmpfloat (view.width * view.m_per_px, >, 500);
  g_assert_cmpfloat (view.height * view.m_per_px, >, 250);

  gtk_widget_activate_action (GTK_WIDGET (district), "district.another", NULL);
  g_assert_true (is_busy (district));
  g_assert_cmpstr (get_subtitle (district), ==, "No. 2, 500 m × 250 m");
  test_until (is_planned, district);
  check_place (district);

  /* At most 64 areas: the other edge yields. */
  gtk_spin_button_set_value (get_child (district, "height"), 10);
  gtk_spin_button_set_value (get_child (district, "width"), 32);
  g_assert_cmpfloat (get_value (district, "height"), ==, 2);
  gtk_window_close (GTK_WINDOW (district));
  test_window_destroy (window);
}

static void
test_missing (void)
{
  g_autoptr(UrbariumGround) ground = make_ground ();
  GtkWidget *button = gtk_button_new ();
  GtkWindow *window = test_window_new (button, 900, 700);
  UrbariumDistrictWindow *district = urbarium_district_window_open (button, "/nowhere.safetensors", 1, &URBARIUM_SHARES_AS_IN_MAP, ground);
  test_until (shows_error, district);
  g_assert_nonnull (strstr (adw_status_page_get_description (get_child (district, "error_page")),
                            "nowhere"));
  g_assert_false (gtk_widget_get_sensitive (get_child (district, "export_button")));
  gtk_window_close (GTK_WINDOW (district));
  test_window_destroy (window);
}

static gboolean
is_gone (gpointer pointer)
{
  return *(gpointer *) pointer == NULL;
}

static void
test_close (void)
{
  g_autoptr(UrbariumGround) ground = make_ground ();
  GtkWidget *button = gtk_button_new ();
  GtkWindow *window = test_window_new (button, 900, 700);
  gpointer district = urbarium_district_window_open (button, cities_fixture_checkpoint (), 1, &URBARIUM_SHARES_AS_IN_MAP, ground);
  g_object_add_weak_pointer (district, &district);
  test_frames (window, 2);
  gtk_window_close (district);
  test_until (is_gone, &district);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  int failed;
  test_app_init (&argc, &argv);
  cities_fixture_set_up ();
  g_test_add_func ("/app/cities/district/draw", test_draw);
  g_test_add_func ("/app/cities/district/missing", test_missing);
  g_test_add_func ("/app/cities/district/close", test_close);
  failed = g_test_run ();
  cities_fixture_tear_down ();
  return failed;
}
