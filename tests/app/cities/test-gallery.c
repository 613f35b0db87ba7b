/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-gallery.c - a grid of many cities: only visible ones are requested while scrolling;
 * selecting, opening and marking.
 */
#include "app-test.h"
#include "app/cities/city-tile.h"
#include "app/cities/gallery.h"
#include "stand-in.h"

enum { N_CITIES = 200 };

typedef struct
{
  GtkWidget          *widget; /* owned by the window */
  UrbariumGallery    *gallery;
  UrbariumCitySource *source; /* owned; draws nothing without a checkpoint */
  GListStore         *store;  /* owned */
  GtkWindow          *window;
  int                 n_ends, n_selected, n_opened, n_marked;
  UrbariumCity       *city;   /* borrowed; last opened or marked */
} Scene;

static void
count_cb (int *n)
{
  (*n)++;
}

static void
opened_cb (UrbariumGallery *gallery, UrbariumCity *city, Scene *scene)
{
  scene->n_opened++;
  scene->city = city;
}

static void
marked_cb (UrbariumGallery *gallery, UrbariumCity *city, gboolean favorite, Scene *scene)
{
  g_assert_true (favorite);
  scene->n_marked++;
  scene->city = city;
}

static void
scene_set_up (Scene *scene)
{
  *scene = (Scene) { .widget = g_object_new (URBARIUM_TYPE_GALLERY, NULL), .source = urbarium_city_source_new () };
  scene->gallery = URBARIUM_GALLERY (scene->widget);
  scene->store = g_list_store_new (URBARIUM_TYPE_CITY);
  for (int i = 0; i < N_CITIES; i++)
    {
      g_autoptr(UrbariumCity) city = urbarium_city_new (1, i + 1, 1);
      g_list_store_append (scene->store, city);
    }
  g_signal_connect_swapped (scene->widget, "end-reached", G_CALLBACK (count_cb), &scene->n_ends);
  g_signal_connect_swapped (scene->widget, "selection-changed", G_CALLBACK (count_cb),
                            &scene->n_selected);
  g_signal_connect (scene->widget, "opened", G_CALLBACK (opened_cb), scene);
  g_signal_connect (scene->widget, "favorite-toggled", G_CALLBACK (marked_cb), scene);
  urbarium_gallery_set_source (scene->gallery, scene->source);
  urbarium_gallery_set_model (scene->gallery, G_LIST_MODEL (scene->store));
  scene->window = test_window_new (scene->widget, 620, 400);
  test_frames (scene->window, 4);
}

static void
scene_tear_down (Scene *scene)
{
  test_window_destroy (scene->window);
  test_assert_last_unref (scene->source);
  test_assert_last_unref (scene->store);
}

static UrbariumCity *
get_city (Scene *scene, guint i)
{
  g_autoptr(UrbariumCity) city = g_list_model_get_item (G_LIST_MODEL (scene->store), i);
  return city; /* the store holds a reference */
}

static gboolean
is_wanted (Scene *scene, guint i)
{
  return urbarium_city_add_want (get_city (scene, i), 0) > 0;
}

static guint
count_wanted (Scene *scene)
{
  guint n = 0;
  for (guint i = 0; i < N_CITIES; i++)
    n += is_wanted (scene, i);
  return n;
}

static void
scroll_to (Scene *scene, double share)
{
  GtkWidget *scroller = test_find (scene->widget, GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *place = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller));
  gtk_adjustment_set_value (place, share * gtk_adjustment_get_upper (place));
  test_frames (scene->window, 4);
}

static void
test_sight (void)
{
  Scene scene;
  scene_set_up (&scene);
  g_assert_true (is_wanted (&scene, 0));
  g_assert_cmpuint (count_wanted (&scene), >=, 3);
  g_assert_cmpuint (count_wanted (&scene), <, 30);
  g_assert_cmpint (scene.n_ends, ==, 0);
  scroll_to (&scene, 0.5);
  g_assert_false (is_wanted (&scene, 0));
  g_assert_true (is_wanted (&scene, 104));
  g_assert_cmpuint (count_wanted (&scene), <, 30);
  g_assert_cmpint (scene.n_ends, ==, 0);
  scroll_to (&scene, 1);
  g_assert_true (is_wanted (&scene, N_CITIES - 1));
  g_assert_false (is_wanted (&scene, 104));
  g_assert_cmpint (scene.n_ends, >, 0);

  /* The gallery is hidden. */
  gtk_widget_set_visible (scene.widget, FALSE);
  g_assert_cmpuint (count_wanted (&scene), ==, 0);
  gtk_widget_set_visible (scene.widget, TRUE);
  test_frames (scene.window, 4);
  g_assert_cmpuint (count_wanted (&scene), >, 0);

  /* New cities are requested, old ones withdrawn; all of them when the window closes. */
  urbarium_gallery_set_model (scene.gallery, NULL);
  test_frames (scene.window, 4);
  g_assert_cmpuint (count_wanted (&scene), ==, 0);
  urbarium_gallery_set_model (scene.gallery, G_LIST_MODEL (scene.store));
  test_frames (scene.window, 4);
  g_assert_true (is_wanted (&scene, 0));
  test_window_destroy (scene.window);
  g_assert_cmpuint (count_wanted (&scene), ==, 0);
  test_assert_last_unref (scene.source);
  test_assert_last_unref (scene.store);
}

static guint
count_columns (Scene *scene)
{
  return gtk_grid_view_get_max_columns (
    GTK_GRID_VIEW (test_find (scene->widget, GTK_TYPE_GRID_VIEW)));
}

/* As many columns as fit; tiles follow the gallery's properties. */
static void
test_tiles (void)
{
  Scene scene;
  GtkWidget *tile;
  gboolean vectors;
  int edge;
  scene_set_up (&scene);
  g_assert_cmpuint (count_columns (&scene), ==, 3);
  g_object_set (scene.widget, "tile-size", 280, "vectors", TRUE, NULL);
  test_frames (scene.window, 4);
  g_assert_cmpuint (count_columns (&scene), ==, 2);
  tile = test_find (scene.widget, URBARIUM_TYPE_CITY_TILE);
  g_object_get (tile, "vectors", &vectors, "edge", &edge, NULL);
  g_assert_true (vectors);
  g_assert_cmpint (edge, ==, 280);
  g_object_set (scene.widget, "tile-size", 1000, NULL); /* larger than the window */
  test_frames (scene.window, 4);
  g_assert_cmpuint (count_columns (&scene), ==, 1);

  g_signal_emit_by_name (test_find (tile, GTK_TYPE_BUTTON), "clicked");
  g_assert_cmpint (scene.n_marked, ==, 1);
  g_assert_true (scene.city == urbarium_city_tile_get_city (URBARIUM_CITY_TILE (tile)));
  scene_tear_down (&scene);
}

static void
test_choose (void)
{
  Scene scene;
  GtkSelectionModel *cities;
  GtkWidget *grid;
  g_autoptr(GPtrArray) selection = NULL, none = NULL, shown = NULL;
  scene_set_up (&scene);
  cities = GTK_SELECTION_MODEL (urbarium_gallery_get_model (scene.gallery));
  grid = test_find (scene.widget, GTK_TYPE_GRID_VIEW);
  scene.n_selected = 0;
  gtk_selection_model_select_item (cities, 3, FALSE);
  gtk_selection_model_select_item (cities, 1, FALSE);
  g_assert_cmpint (scene.n_selected, ==, 2);
  selection = urbarium_gallery_get_selection (scene.gallery);
  g_assert_cmpuint (selection->len, ==, 2);
  g_assert_true (selection->pdata[0] == get_city (&scene, 1));
  g_assert_true (selection->pdata[1] == get_city (&scene, 3));
  urbarium_gallery_unselect (scene.gallery);
  none = urbarium_gallery_get_selection (scene.gallery);
  g_assert_cmpuint (none->len, ==, 0);
  g_assert_cmpint (scene.n_selected, ==, 3);
  urbarium_gallery_set_model (scene.gallery, G_LIST_MODEL (scene.store)); /* unchanged */
  g_assert_cmpint (scene.n_selected, ==, 3);

  gtk_widget_activate_action (grid, "list.activate-item", "u", 5u);
  g_assert_cmpint (scene.n_opened, ==, 1);
  g_assert_true (scene.city == get_city (&scene, 5));
  g_signal_emit_by_name (grid, "activate", (guint) N_CITIES); /* does not exist */
  g_assert_cmpint (scene.n_opened, ==, 1);

  /* Far down: selected, visible and focused. */
  gtk_selection_model_select_item (cities, 1, FALSE);
  urbarium_gallery_show (scene.gallery, 150);
  test_frames (scene.window, 4);
  shown = urbarium_gallery_get_selection (scene.gallery);
  g_assert_cmpuint (shown->len, ==, 1);
  g_assert_true (shown->pdata[0] == get_city (&scene, 150));
  g_assert_true (is_wanted (&scene, 150));
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (scene.window), grid));
  scene_tear_down (&scene);
}

/* The controller of a double click; borrowed. */
static gpointer
find_click (GtkWidget *tile)
{
  g_autoptr(GListModel) list = gtk_widget_observe_controllers (tile);
  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr(GObject) controller = g_list_model_get_item (list, i);
      if (GTK_IS_GESTURE_CLICK (controller))
        return controller;
    }
  return NULL;
}

/* A double click opens, wherever it is on the tile but on the star; a click does not. */
static void
test_double_click (void)
{
  Scene scene;
  GtkWidget *tile, *star;
  gpointer click;
  graphene_rect_t bounds;
  scene_set_up (&scene);
  tile = test_find (scene.widget, URBARIUM_TYPE_CITY_TILE);
  star = test_find (tile, GTK_TYPE_BUTTON);
  click = find_click (tile);
  g_assert_cmpint (gtk_event_controller_get_propagation_phase (click), ==, GTK_PHASE_CAPTURE);
  g_signal_emit_by_name (click, "pressed", 1, 20.0, 100.0);
  g_assert_cmpint (scene.n_opened, ==, 0);
  g_signal_emit_by_name (click, "pressed", 2, 20.0, 100.0);
  g_assert_cmpint (scene.n_opened, ==, 1);
  g_assert_true (scene.city == urbarium_city_tile_get_city (URBARIUM_CITY_TILE (tile)));
  g_assert_true (gtk_widget_compute_bounds (star, tile, &bounds));
  g_signal_emit_by_name (click, "pressed", 2, bounds.origin.x + bounds.size.width / 2.0,
                         bounds.origin.y + bounds.size.height / 2.0);
  g_assert_cmpint (scene.n_opened, ==, 1);
  scene_tear_down (&scene);
}

/* Without cities and without a source. */
static void
test_empty (void)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_GALLERY, NULL);
  GtkWindow *window = test_window_new (widget, 620, 400);
  g_autoptr(GPtrArray) selection = urbarium_gallery_get_selection (URBARIUM_GALLERY (widget));
  GtkWidget *grid = test_find (widget, GTK_TYPE_GRID_VIEW);
  GListModel *cities = urbarium_gallery_get_model (URBARIUM_GALLERY (widget));
  g_autoptr(GListStore) store = g_list_store_new (URBARIUM_TYPE_CITY);
  g_autoptr(UrbariumCity) city = urbarium_city_new (1, 1, 1);
  g_assert_cmpuint (selection->len, ==, 0);
  g_assert_cmpuint (g_list_model_get_n_items (cities), ==, 0);
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (grid), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Generated cities");
  g_list_store_append (store, city);
  urbarium_gallery_set_model (URBARIUM_GALLERY (widget), G_LIST_MODEL (store));
  test_frames (window, 4);
  g_assert_cmpuint (urbarium_city_add_want (city, 0), ==, 0);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/cities/gallery/sight", test_sight);
  g_test_add_func ("/app/cities/gallery/tiles", test_tiles);
  g_test_add_func ("/app/cities/gallery/choose", test_choose);
  g_test_add_func ("/app/cities/gallery/double-click", test_double_click);
  g_test_add_func ("/app/cities/gallery/empty", test_empty);
  return g_test_run ();
}
