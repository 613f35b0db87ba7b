/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-share-rows.c - asking for shares on the page: sliders, their reset, and the same cities drawn anew.
 */
#include <string.h>

#include "app/cities/cities-page.h"
#include "app/cities/city-options.h"
#include "app/cities/city-panel.h"
#include "app/cities/city-view.h"
#include "app/cities/gallery.h"
#include "app/cities/share-rows.h"
#include "looks.h"
#include "stand-in.h"

typedef struct
{
  GtkWidget      *page;
  GtkWindow      *window;
  UrbariumShares *shares; /* borrowed */
  GtkWidget      *rows;   /* in the gallery's panel */
} Scene;

static GListModel *
get_cities (Scene *scene)
{
  return urbarium_gallery_get_model (URBARIUM_GALLERY (test_find (scene->page, URBARIUM_TYPE_GALLERY)));
}

static gboolean
is_drawn (gpointer data)
{
  g_autoptr(UrbariumCity) city = g_list_model_get_item (get_cities (data), 0);
  return city != NULL && urbarium_city_get_tile (city) != NULL;
}

static void
open_page (Scene *scene, const char *checkpoint)
{
  GtkWidget *options;
  scene->page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  scene->window = test_window_new (scene->page, 1280, 900);
  urbarium_cities_page_open (URBARIUM_CITIES_PAGE (scene->page), checkpoint);
  options = test_find (scene->page, URBARIUM_TYPE_CITY_OPTIONS);
  scene->shares = urbarium_city_options_get_shares (URBARIUM_CITY_OPTIONS (options));
  scene->rows = test_find (options, URBARIUM_TYPE_SHARE_ROWS);
  test_until (is_drawn, scene);
}

/* The @n-th descendant of a type. */
static GtkWidget *
find_nth (GtkWidget *root, GType type, int *n)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (root, type) && (*n)-- == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_nth (child, type, n);
      if (found != NULL)
        return found;
    }
  return NULL;
}

static GtkWidget *
find_row (GtkWidget *rows, GType type, int n)
{
  return find_nth (rows, type, &n);
}

static gboolean
first_is_dense (gpointer data)
{
  g_autoptr(UrbariumCity) city = g_list_model_get_item (get_cities (data), 0);
  return city != NULL && urbarium_city_get_shares (city)->share[URBARIUM_SHARE_BUILT] == 0.4;
}

static gboolean
first_is_plain (gpointer data)
{
  g_autoptr(UrbariumCity) city = g_list_model_get_item (get_cities (data), 0);
  return city != NULL && !urbarium_share_wish_is_given (urbarium_city_get_shares (city));
}

static void
assert_asked (const char *what)
{
  g_autofree char *path = g_build_filename (stand_in_folder (), "wishes", NULL), *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, what));
}

static void
test_gallery (void)
{
  Scene scene;
  GtkWidget *built, *reset;
  g_autoptr(UrbariumCity) city = NULL;
  open_page (&scene, "dense");
  built = find_row (scene.rows, GTK_TYPE_SCALE, URBARIUM_SHARE_BUILT);
  reset = find_row (scene.rows, GTK_TYPE_BUTTON, URBARIUM_SHARE_BUILT);
  test_assert_name (built, "Built");
  test_assert_name (reset, "Built: as in the map");
  test_assert_property (built, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, "as in the map");
  g_assert_cmpfloat_with_epsilon (gtk_range_get_value (GTK_RANGE (built)), 20, 1e-9);
  g_assert_false (gtk_widget_get_sensitive (reset));
  g_assert_true (first_is_plain (&scene));
  test_screenshot (scene.window, "shares");

  gtk_range_set_value (GTK_RANGE (built), 40);
  g_assert_true (first_is_plain (&scene)); /* it may move on */
  test_until (first_is_dense, &scene);
  test_until (is_drawn, &scene);
  city = g_list_model_get_item (get_cities (&scene), 0);
  g_assert_cmpint (urbarium_city_get_seed (city), ==, 1);
  g_assert_cmpint (urbarium_city_get_index (city), ==, 1);
  test_assert_property (built, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, "40.0 %");
  assert_asked ("\"shares\":{\"built\":0.4}");
  test_screenshot (scene.window, "shares-dense");

  g_assert_true (gtk_widget_get_sensitive (reset));
  g_signal_emit_by_name (reset, "clicked");
  test_until (first_is_plain, &scene);
  g_assert_cmpfloat_with_epsilon (gtk_range_get_value (GTK_RANGE (built)), 20, 1e-9);
  test_window_destroy (scene.window);
}

static const char *
get_city_text (Scene *scene)
{
  return adw_preferences_group_get_description (ADW_PREFERENCES_GROUP (gtk_widget_get_template_child (
    test_find (scene->page, URBARIUM_TYPE_CITY_PANEL), URBARIUM_TYPE_CITY_PANEL, "title_group")));
}

static gboolean
panel_tells (gpointer data)
{
  return g_strcmp0 (get_city_text (data), "Seed 1, truncation 1.00\nBuilt: 30.0 %") == 0;
}

/* The open city follows, in place. */
static void
test_city (void)
{
  Scene scene;
  GtkWidget *rows, *view;
  UrbariumView before, after;
  g_autoptr(UrbariumCity) city = NULL;
  open_page (&scene, "dense");
  city = g_list_model_get_item (get_cities (&scene), 0);
  g_signal_emit_by_name (test_find (scene.page, URBARIUM_TYPE_GALLERY), "opened", city);
  rows = test_find (test_find (scene.page, URBARIUM_TYPE_CITY_PANEL), URBARIUM_TYPE_SHARE_ROWS);
  view = test_find (scene.page, URBARIUM_TYPE_CITY_VIEW);
  test_frames (scene.window, 10);
  g_assert_true (gtk_widget_get_mapped (rows));
  before = urbarium_city_view_get_view (URBARIUM_CITY_VIEW (view));
  gtk_range_set_value (GTK_RANGE (find_row (rows, GTK_TYPE_SCALE, URBARIUM_SHARE_BUILT)), 30);
  test_until (panel_tells, &scene);
  test_frames (scene.window, 10);
  after = urbarium_city_view_get_view (URBARIUM_CITY_VIEW (view));
  g_assert_cmpfloat (before.m_per_px, ==, after.m_per_px);
  test_screenshot (scene.window, "shares-city");
  /* Both sets of sliders show the same. */
  test_assert_property (find_row (scene.rows, GTK_TYPE_SCALE, URBARIUM_SHARE_BUILT),
                        GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, "30.0 %");
  test_window_destroy (scene.window);
}

static gboolean
sliders_are_reset (gpointer data)
{
  return !urbarium_share_wish_is_given (urbarium_shares_get_wish (((Scene *) data)->shares));
}

/* The sliders show what an opened favorite has, and another generator draws it within its own range. */
static void
test_favorite (void)
{
  Scene scene;
  GtkWidget *gallery, *city_rows;
  g_autoptr(UrbariumCity) dense = NULL, plain = NULL;
  open_page (&scene, "dense");
  gallery = test_find (scene.page, URBARIUM_TYPE_GALLERY);
  plain = g_list_model_get_item (get_cities (&scene), 1);
  dense = urbarium_city_copy (plain);
  urbarium_city_set_shares (dense, &(UrbariumShareWish) { { 0.4, -1, -1 } });
  g_signal_emit_by_name (gallery, "favorite-toggled", dense, TRUE);
  g_signal_emit_by_name (gallery, "opened", dense);
  city_rows = test_find (test_find (scene.page, URBARIUM_TYPE_CITY_PANEL), URBARIUM_TYPE_SHARE_ROWS);
  test_assert_property (find_row (city_rows, GTK_TYPE_SCALE, URBARIUM_SHARE_BUILT),
                        GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, "40.0 %");
  test_until (first_is_dense, &scene); /* the gallery follows the sliders */

  urbarium_cities_page_open (URBARIUM_CITIES_PAGE (scene.page), "plain");
  test_until (sliders_are_reset, &scene);
  test_until (first_is_plain, &scene);
  g_assert_null (strstr (get_city_text (&scene), "40.0 %"));
  g_signal_emit_by_name (gallery, "favorite-toggled", dense, FALSE);
  test_window_destroy (scene.window);
}

/* Another checkpoint without shares: the wish is gone, and the rows say why they are not there. */
static void
test_without (void)
{
  Scene scene;
  GString *texts = g_string_new (NULL);
  open_page (&scene, "dense");
  urbarium_shares_set_wish (scene.shares, URBARIUM_SHARE_BUILT, 0.4);
  test_until (first_is_dense, &scene);
  urbarium_cities_page_open (URBARIUM_CITIES_PAGE (scene.page), "plain");
  test_until (first_is_plain, &scene);
  test_until (is_drawn, &scene);
  g_assert_null (urbarium_shares_get_ranges (scene.shares));
  g_assert_false (gtk_widget_get_mapped (find_row (scene.rows, GTK_TYPE_SCALE, 0)));
  test_add_texts (scene.rows, texts);
  g_assert_nonnull (strstr (texts->str, "without shares"));
  test_screenshot (scene.window, "shares-without");
  g_string_free (texts, TRUE);
  test_window_destroy (scene.window);
}

/* A wish stays within what the generator knows. */
static void
test_range (void)
{
  const UrbariumShareRange wide[] = { { 0, 1, 0.5 }, { 0, 1, 0.5 }, { 0, 1, 0.5 } };
  const UrbariumShareRange narrow[] = { { 0.1, 0.2, 0.15 }, { 0, 1, 0.5 }, { 0, 1, 0.5 } };
  g_autoptr(UrbariumShares) shares = urbarium_shares_new ();
  urbarium_shares_set_ranges (shares, wide);
  g_assert_false (urbarium_share_wish_is_given (urbarium_shares_get_wish (shares)));
  urbarium_shares_set_wish (shares, URBARIUM_SHARE_BUILT, 0.7);
  urbarium_shares_set_wish (shares, URBARIUM_SHARE_HALLS, 3);
  urbarium_shares_set_ranges (shares, narrow);
  g_assert_cmpfloat (urbarium_shares_get_wish (shares)->share[URBARIUM_SHARE_BUILT], ==, 0.2);
  g_assert_cmpfloat (urbarium_shares_get_wish (shares)->share[URBARIUM_SHARE_ROADS], ==, -1);
  g_assert_cmpfloat (urbarium_shares_get_wish (shares)->share[URBARIUM_SHARE_HALLS], ==, 1);
  urbarium_shares_set_ranges (shares, NULL);
  g_assert_false (urbarium_share_wish_is_given (urbarium_shares_get_wish (shares)));
}

/* Favorites are saved with four digits. */
static void
test_equal (void)
{
  const UrbariumShareWish asked = { { 0.123456, -1, 0.3 } }, saved = { { 0.1235, -1, 0.3 } };
  const UrbariumShareWish other = { { 0.125, -1, 0.3 } }, fewer = { { 0.1235, -1, -1 } };
  g_assert_true (urbarium_share_wish_equal (&asked, &saved));
  g_assert_false (urbarium_share_wish_equal (&asked, &other));
  g_assert_false (urbarium_share_wish_equal (&saved, &fewer));
}

int
main (int argc, char **argv)
{
  int code;
  test_app_init (&argc, &argv);
  stand_in_set_up ();
  g_test_add_func ("/app/cities/share-rows/equal", test_equal);
  g_test_add_func ("/share-rows/gallery", test_gallery);
  g_test_add_func ("/share-rows/city", test_city);
  g_test_add_func ("/share-rows/favorite", test_favorite);
  g_test_add_func ("/share-rows/without", test_without);
  g_test_add_func ("/share-rows/range", test_range);
  code = g_test_run ();
  stand_in_tear_down ();
  return code;
}
