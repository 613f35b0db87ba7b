/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-latent-pad.c - varying a city on its page: keys and pointer, and the same city drawn anew.
 */
#include <string.h>

#include "../plot/controllers.h"
#include "app/cities/cities-page.h"
#include "app/cities/city-panel.h"
#include "app/cities/city-view.h"
#include "app/cities/gallery.h"
#include "app/cities/latent-pad.h"
#include "looks.h"
#include "stand-in.h"

typedef struct
{
  GtkWidget *page, *pad;
  GtkWindow *window;
} Scene;

static UrbariumCity *
get_city (const Scene *scene)
{
  return urbarium_city_view_get_city (URBARIUM_CITY_VIEW (test_find (scene->page, URBARIUM_TYPE_CITY_VIEW)));
}

static gboolean
has_cities (gpointer data)
{
  GtkWidget *gallery = test_find (((Scene *) data)->page, URBARIUM_TYPE_GALLERY);
  return g_list_model_get_n_items (urbarium_gallery_get_model (URBARIUM_GALLERY (gallery))) > 0;
}

static void
open_city (Scene *scene, int width, int height)
{
  GtkWidget *gallery;
  g_autoptr(UrbariumCity) city = NULL;
  scene->page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  scene->window = test_window_new (scene->page, width, height);
  urbarium_cities_page_open (URBARIUM_CITIES_PAGE (scene->page), "plain");
  test_until (has_cities, scene);
  gallery = test_find (scene->page, URBARIUM_TYPE_GALLERY);
  city = g_list_model_get_item (urbarium_gallery_get_model (URBARIUM_GALLERY (gallery)), 0);
  g_signal_emit_by_name (gallery, "opened", city);
  scene->pad = test_find (test_find (scene->page, URBARIUM_TYPE_CITY_PANEL), URBARIUM_TYPE_LATENT_PAD);
  test_frames (scene->window, 10);
}

/* Whether the city as the point and the directions say is shown. */
static gboolean
is_shown (gpointer data)
{
  Scene *scene = data;
  UrbTurn asked = urbarium_city_panel_get_turn (URBARIUM_CITY_PANEL (test_find (scene->page, URBARIUM_TYPE_CITY_PANEL)));
  const UrbTurn *turn = urbarium_city_get_turn (get_city (scene));
  return urbarium_city_get_tile (get_city (scene)) != NULL && turn->x == asked.x && turn->y == asked.y
         && (!urbarium_city_is_turned (get_city (scene)) || turn->directions == asked.directions);
}

static void
assert_asked (const char *what)
{
  g_autofree char *path = g_build_filename (stand_in_folder (), "wishes", NULL), *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  if (strstr (text, what) == NULL)
    g_error ("%s is not in %s", what, text);
}

static void
assert_title (const Scene *scene, const char *title)
{
  g_autofree char *shown = urbarium_city_dup_title (get_city (scene));
  g_assert_cmpstr (shown, ==, title);
}

/* @end: of the panel's description */
static void
assert_directions (const Scene *scene, const char *label, const char *end)
{
  GtkWidget *panel = test_find (scene->page, URBARIUM_TYPE_CITY_PANEL);
  GObject *shown = gtk_widget_get_template_child (panel, URBARIUM_TYPE_CITY_PANEL, "directions_label");
  GObject *group = gtk_widget_get_template_child (panel, URBARIUM_TYPE_CITY_PANEL, "title_group");
  g_autofree char *text = g_strconcat ("Seed 1, truncation 1.00", end, NULL);
  g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (shown)), ==, label);
  g_assert_cmpstr (adw_preferences_group_get_description (ADW_PREFERENCES_GROUP (group)), ==, text);
}

static void
test_keys (void)
{
  static const guint keys[] = { GDK_KEY_Right, GDK_KEY_Right, GDK_KEY_KP_Down, GDK_KEY_Page_Up };
  Scene scene;
  UrbariumView before, after;
  UrbariumCity *middle;
  open_city (&scene, 1280, 900);
  before = urbarium_city_view_get_view (URBARIUM_CITY_VIEW (test_find (scene.page, URBARIUM_TYPE_CITY_VIEW)));
  test_assert_name (scene.pad, "Variation of the city");
  test_assert_property (scene.pad, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, "0.0 % right, 0.0 % up");
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_true (test_key (scene.pad, keys[i], 0));
  g_assert_false (test_key (scene.pad, GDK_KEY_Right, GDK_CONTROL_MASK));
  g_assert_false (test_key (scene.pad, GDK_KEY_a, 0));
  test_assert_property (scene.pad, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, "10.0 % right, 20.0 % up");
  test_until (is_shown, &scene);
  assert_asked ("\"turn\":{\"x\":0.1,\"y\":0.2,\"directions\":1}");
  assert_title (&scene, "Variation of city 1");
  after = urbarium_city_view_get_view (URBARIUM_CITY_VIEW (test_find (scene.page, URBARIUM_TYPE_CITY_VIEW)));
  g_assert_cmpfloat (before.m_per_px, ==, after.m_per_px);
  test_frames (scene.window, 30);
  test_screenshot (scene.window, "variations");

  gtk_widget_activate_action (scene.pad, "city-panel.next-directions", NULL);
  test_until (is_shown, &scene);
  assert_directions (&scene, "Directions 2", "\nVariation: 10.0 % right, 20.0 % up, directions\u00a02");
  assert_asked ("\"turn\":{\"x\":0.1,\"y\":0.2,\"directions\":2}");
  gtk_widget_activate_action (scene.page, "cities.star", NULL);
  g_assert_true (urbarium_city_get_favorite (get_city (&scene)));

  g_assert_true (test_key (scene.pad, GDK_KEY_Home, 0));
  test_until (is_shown, &scene);
  assert_title (&scene, "City 1");
  assert_directions (&scene, "Directions 2", "");
  middle = get_city (&scene);
  gtk_widget_activate_action (scene.pad, "city-panel.next-directions", NULL);
  assert_directions (&scene, "Directions 3", "");
  gtk_widget_activate_action (scene.pad, "city-panel.previous-directions", NULL);
  gtk_widget_activate_action (scene.pad, "city-panel.previous-directions", NULL);
  assert_directions (&scene, "Directions 1", "");
  gtk_widget_activate_action (scene.pad, "city-panel.previous-directions", NULL); /* there is none */
  assert_directions (&scene, "Directions 1", "");
  g_assert_true (get_city (&scene) == middle); /* the same in all directions */
  g_assert_false (urbarium_city_get_favorite (middle)); /* its variation is one */
  gtk_widget_activate_action (scene.page, "cities.star", NULL);
  g_assert_true (urbarium_city_get_favorite (get_city (&scene)));
  gtk_widget_activate_action (scene.page, "cities.star", NULL);
  test_window_destroy (scene.window);
}

/* Another city begins in the middle. */
static void
test_next (void)
{
  Scene scene;
  open_city (&scene, 1280, 900);
  for (int i = 0; i < 30; i++)
    test_key (scene.pad, GDK_KEY_Left, 0);
  g_assert_cmpfloat (urbarium_latent_pad_get_x (URBARIUM_LATENT_PAD (scene.pad)), ==, -1);
  test_assert_property (scene.pad, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, "100.0 % left, 0.0 % up");
  test_key (scene.pad, GDK_KEY_Down, 0);
  test_assert_property (scene.pad, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, "100.0 % left, 5.0 % down");
  gtk_widget_activate_action (scene.page, "cities.next", NULL);
  g_assert_cmpfloat (urbarium_latent_pad_get_x (URBARIUM_LATENT_PAD (scene.pad)), ==, 0);
  test_until (is_shown, &scene);
  assert_title (&scene, "City 2");
  test_window_destroy (scene.window);
}

/* The pointer's way is drawn while it moves. */
static void
test_pointer (void)
{
  Scene scene;
  GtkGesture *drag;
  int middle;
  open_city (&scene, 400, 800);
  drag = test_controller (scene.pad, GTK_TYPE_GESTURE_DRAG);
  middle = gtk_widget_get_width (scene.pad) / 2;
  g_signal_emit_by_name (drag, "drag-begin", (double) middle, gtk_widget_get_height (scene.pad) / 2.0);
  for (int i = 1; i <= 40; i++)
    {
      g_signal_emit_by_name (drag, "drag-update", 1.0 * i, -2.0 * i);
      test_frames (scene.window, 1);
    }
  g_signal_emit_by_name (drag, "drag-end", 40.0, -80.0);
  g_assert_cmpfloat (urbarium_latent_pad_get_x (URBARIUM_LATENT_PAD (scene.pad)), >, 0.2);
  g_assert_cmpfloat (urbarium_latent_pad_get_y (URBARIUM_LATENT_PAD (scene.pad)), >, 0.5);
  test_until (is_shown, &scene);
  g_object_set (scene.page, "show-panel", TRUE, NULL);
  test_frames (scene.window, 60);
  test_screenshot (scene.window, "variations-narrow");
  gtk_widget_activate_action (scene.pad, "city-panel.middle", NULL);
  test_until (is_shown, &scene);
  assert_title (&scene, "City 1");
  test_window_destroy (scene.window);
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  test_load_style ();
  stand_in_set_up ();
  g_test_add_func ("/latent-pad/keys", test_keys);
  g_test_add_func ("/latent-pad/next", test_next);
  g_test_add_func ("/latent-pad/pointer", test_pointer);
  result = g_test_run ();
  stand_in_tear_down ();
  return result;
}
