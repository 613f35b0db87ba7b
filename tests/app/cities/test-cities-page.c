/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-cities-page.c - the page as one uses it: empty, a run's gallery, stars,
 * seeds, selections.
 */
#include <string.h>

#include "app/cities/cities-page.h"
#include "app/cities/city-tile.h"
#include "app/cities/gallery.h"
#include "cities-fixture.h"

static UrbariumGallery *
get_gallery (GtkWidget *page)
{
  return URBARIUM_GALLERY (test_find (page, URBARIUM_TYPE_GALLERY));
}

/* Every tile in sight has its picture. */
static gboolean
is_drawn (gpointer page)
{
  GListModel *cities = urbarium_gallery_get_model (get_gallery (page));
  if (g_list_model_get_n_items (cities) == 0)
    return FALSE;
  for (guint i = 0; i < MIN (4, g_list_model_get_n_items (cities)); i++)
    {
      g_autoptr(UrbariumCity) city = g_list_model_get_item (cities, i);
      if (urbarium_city_get_tile (city) == NULL || urbarium_city_get_raster (city) == NULL)
        return FALSE;
    }
  return TRUE;
}

static GtkStack *
get_content (GtkWidget *page)
{
  return GTK_STACK (gtk_widget_get_template_child (page, URBARIUM_TYPE_CITIES_PAGE, "content"));
}

static GObject *
get_child (GtkWidget *page, const char *name)
{
  return gtk_widget_get_template_child (page, URBARIUM_TYPE_CITIES_PAGE, name);
}

static UrbariumRunLibrary *
open_library (const char *folder)
{
  UrbariumRunLibrary *library = urbarium_run_library_new (folder);
  return library;
}

static void
test_empty (void)
{
  g_autofree char *none = g_build_filename (cities_fixture_folder (), "none", NULL);
  g_autoptr(UrbariumRunLibrary) library = open_library (none);
  GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  GtkWindow *window;
  urbarium_cities_page_set_library (URBARIUM_CITIES_PAGE (page), library);
  window = test_window_new (page, 1280, 740);
  test_frames (window, 5);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (get_content (page)), ==, "empty");
  test_screenshot (window, "cities-empty");
  test_window_destroy (window);
}

static gint64
get_seed_of_first (GtkWidget *page)
{
  g_autoptr(UrbariumCity) city
    = g_list_model_get_item (urbarium_gallery_get_model (get_gallery (page)), 0);
  return urbarium_city_get_seed (city);
}

static void
shoot (GtkWidget *page, GtkWindow *window, const char *name)
{
  static const AdwColorScheme schemes[] = { ADW_COLOR_SCHEME_FORCE_DARK,
                                            ADW_COLOR_SCHEME_FORCE_LIGHT };
  static const char *const suffixes[] = { "dark", "light" };
  for (int i = 0; i < 2; i++)
    {
      g_autofree char *file = g_strdup_printf ("%s-%s", name, suffixes[i]);
      adw_style_manager_set_color_scheme (adw_style_manager_get_default (), schemes[i]);
      test_frames (window, 5);
      test_screenshot (window, file);
    }
}

static void
test_gallery (void)
{
  g_autoptr(UrbariumRunLibrary) library = open_library (cities_fixture_runs ());
  GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  GtkWindow *window;
  g_autoptr(UrbariumCity) second = NULL;
  g_autoptr(GPtrArray) selection = NULL;
  GListModel *cities;
  guint n_before;
  urbarium_cities_page_set_library (URBARIUM_CITIES_PAGE (page), library);
  window = test_window_new (page, 1280, 740);
  test_until (is_drawn, page);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (get_content (page)), ==, "views");
  shoot (page, window, "cities-gallery");

  /* A star, and the favourites alone. */
  cities = urbarium_gallery_get_model (get_gallery (page));
  second = g_list_model_get_item (cities, 1);
  g_signal_emit_by_name (get_gallery (page), "favourite-toggled", second, TRUE);
  g_assert_true (urbarium_city_get_favourite (second));
  gtk_switch_set_active (GTK_SWITCH (get_child (page, "favourites_switch")), TRUE);
  g_assert_cmpuint (g_list_model_get_n_items (cities), ==, 1);
  test_until (is_drawn, page);
  shoot (page, window, "cities-favourites");
  gtk_switch_set_active (GTK_SWITCH (get_child (page, "favourites_switch")), FALSE);

  /* Another seed: other cities. */
  n_before = g_list_model_get_n_items (cities);
  g_assert_cmpuint (n_before, >, 50);
  g_assert_cmpint (get_seed_of_first (page), ==, 1);
  gtk_widget_activate_action (page, "cities.new-seed", NULL);
  g_assert_cmpint (get_seed_of_first (page), !=, 1);
  test_until (is_drawn, page);
  gtk_editable_set_text (GTK_EDITABLE (get_child (page, "seed_row")), "12");
  g_signal_emit_by_name (get_child (page, "seed_row"), "entry-activated");
  g_assert_cmpint (get_seed_of_first (page), ==, 12);
  gtk_editable_set_text (GTK_EDITABLE (get_child (page, "seed_row")), "many");
  g_signal_emit_by_name (get_child (page, "seed_row"), "entry-activated");
  g_assert_cmpint (get_seed_of_first (page), ==, 12);
  gtk_editable_set_text (GTK_EDITABLE (get_child (page, "seed_row")), "12");

  /* As plans, two of them selected. */
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get_child (page, "vector_button")), TRUE);
  test_until (is_drawn, page);
  gtk_selection_model_select_item (GTK_SELECTION_MODEL (cities), 0, FALSE);
  gtk_selection_model_select_item (GTK_SELECTION_MODEL (cities), 3, FALSE);
  selection = urbarium_gallery_get_selection (get_gallery (page));
  g_assert_cmpuint (selection->len, ==, 2);
  test_frames (window, 30);
  shoot (page, window, "cities-selection");
  test_window_destroy (window);
}

/* The window is closed while cities are drawn. */
static void
test_close (void)
{
  g_autoptr(UrbariumRunLibrary) library = open_library (cities_fixture_runs ());
  GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  GtkWindow *window;
  urbarium_cities_page_set_library (URBARIUM_CITIES_PAGE (page), library);
  window = test_window_new (page, 800, 600);
  test_window_destroy (window);
  page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  urbarium_cities_page_open (URBARIUM_CITIES_PAGE (page), cities_fixture_checkpoint ());
  window = test_window_new (page, 800, 600);
  test_until (is_drawn, page);
  gtk_widget_activate_action (page, "cities.new-seed", NULL);
  test_frames (window, 2);
  test_window_destroy (window);
}

static void
test_bad_checkpoint (void)
{
  GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  GtkWindow *window;
  urbarium_cities_page_open (URBARIUM_CITIES_PAGE (page), "/nowhere/at-all.safetensors");
  window = test_window_new (page, 1280, 740);
  while (g_strcmp0 (gtk_stack_get_visible_child_name (get_content (page)), "error") != 0)
    g_main_context_iteration (NULL, TRUE);
  test_frames (window, 5);
  test_screenshot (window, "cities-error");
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  cities_fixture_set_up ();
  g_test_add_func ("/cities-page/empty", test_empty);
  g_test_add_func ("/cities-page/gallery", test_gallery);
  g_test_add_func ("/cities-page/close", test_close);
  g_test_add_func ("/cities-page/bad-checkpoint", test_bad_checkpoint);
  result = g_test_run ();
  cities_fixture_tear_down ();
  return result;
}
