/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-city-panel.c - a city alone, compared with real areas that it repeats or not, and without
 * real areas.
 */
#include <string.h>

#include "app-test.h"
#include "app/cities/city-panel.h"
#include "app/cities/city-tile.h"
#include "app/plot/rose.h"
#include "city/copying.h"
#include "stand-in.h"

typedef struct
{
  GtkWidget         *widget; /* owned by the window */
  UrbariumCityPanel *panel;
  GtkWindow         *window;
} Scene;

static gpointer
part (Scene *scene, const char *name)
{
  return gtk_widget_get_template_child (scene->widget, URBARIUM_TYPE_CITY_PANEL, name);
}

static void
scene_set_up (Scene *scene)
{
  scene->widget = g_object_new (URBARIUM_TYPE_CITY_PANEL, NULL);
  scene->panel = URBARIUM_CITY_PANEL (scene->widget);
  scene->window = test_window_new (scene->widget, 360, 700);
}

static const char *
get_text (Scene *scene, const char *name)
{
  return gtk_label_get_label (part (scene, name));
}

static GtkWidget *
find_row (GtkWidget *root, const char *title)
{
  if (ADW_IS_ACTION_ROW (root)
      && strcmp (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (root)), title) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *row = find_row (child, title);
      if (row != NULL)
        return row;
    }
  return NULL;
}

/* The label with style class "numeric". */
static GtkWidget *
find_number (GtkWidget *root)
{
  GtkWidget *found = gtk_widget_has_css_class (root, "numeric") ? root : NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_number (child);
  return found;
}

static const char *
get_figure (Scene *scene, const char *title)
{
  GtkWidget *row = find_row (scene->widget, title);
  g_assert_nonnull (row);
  return gtk_label_get_label (GTK_LABEL (find_number (row)));
}

static const char *
get_real (Scene *scene, const char *title)
{
  return adw_action_row_get_subtitle (ADW_ACTION_ROW (find_row (scene->widget, title)));
}

static gboolean
has_figures (gpointer scene)
{
  return strcmp (get_figure (scene, "Built-up share"), "–") != 0;
}

static gboolean
has_road (gpointer scene)
{
  return strcmp (get_figure (scene, "Road share"), "0.0 %") != 0;
}

static gboolean
repeats (gpointer scene)
{
  return strcmp (get_text (scene, "verdict"), "Repeats a real area") == 0;
}

static gboolean
is_new (gpointer scene)
{
  return strcmp (get_text (scene, "verdict"), "Not a copy") == 0;
}

static gboolean
has_none (gpointer scene)
{
  return strcmp (get_text (scene, "verdict"), "No real area to compare with") == 0;
}

static gboolean
is_shown (Scene *scene, const char *name)
{
  return gtk_widget_get_visible (part (scene, name));
}

/* Without a source: parameters, and figures of a drawn city. */
static void
test_alone (void)
{
  g_autoptr(UrbariumCity) city = urbarium_city_new (7, 12, 0.5);
  g_autoptr(UrbariumTile) tile = stand_in_tile (0);
  g_autoptr(UrbariumCity) other = stand_in_city (13, 1);
  AdwPreferencesGroup *title;
  Scene scene;
  scene_set_up (&scene);
  title = part (&scene, "title_group");
  urbarium_city_panel_set_city (scene.panel, city);
  g_assert_cmpstr (adw_preferences_group_get_title (title), ==, "City 12");
  g_assert_cmpstr (adw_preferences_group_get_description (title), ==, "Seed 7, truncation 0.50");
  test_frames (scene.window, 3);
  g_assert_false (has_figures (&scene));

  urbarium_city_set_tile (city, tile);
  test_until (has_figures, &scene);
  g_assert_cmpstr (get_figure (&scene, "Buildings"), ==, "1");
  g_assert_cmpstr (get_figure (&scene, "Road share"), ==, "0.0 %");
  g_assert_cmpstr (get_real (&scene, "Buildings"), ==, "");
  g_assert_cmpstr (get_text (&scene, "verdict"), ==, "");
  g_assert_false (is_shown (&scene, "picture"));
  g_assert_false (is_shown (&scene, "progress"));

  /* The first city has no effect any more. */
  urbarium_city_panel_set_city (scene.panel, other);
  test_until (has_road, &scene);
  g_assert_cmpstr (adw_preferences_group_get_title (title), ==, "City 13");
  urbarium_city_set_tile (city, NULL);
  urbarium_city_set_tile (city, tile);
  test_frames (scene.window, 5);
  g_assert_true (has_road (&scene));
  test_assert_last_unref (g_steal_pointer (&city));
  urbarium_city_panel_set_city (scene.panel, NULL);
  test_window_destroy (scene.window);
}

static void
test_nearest (void)
{
  g_autoptr(UrbariumCitySource) source = urbarium_city_source_new ();
  g_autoptr(UrbariumCity) copy = stand_in_city (1, 2), other = stand_in_city (2, 3);
  GtkImage *icon;
  gboolean vectors;
  Scene scene;
  scene_set_up (&scene);
  icon = part (&scene, "verdict_icon");
  urbarium_city_panel_set_source (scene.panel, source);
  stand_in_open (source, "any");
  urbarium_city_panel_set_city (scene.panel, copy);
  g_assert_true (is_shown (&scene, "progress"));
  test_until (repeats, &scene);
  g_assert_false (is_shown (&scene, "progress"));
  g_assert_true (is_shown (&scene, "picture"));
  g_assert_cmpstr (gtk_image_get_icon_name (icon), ==, "dialog-warning-symbolic");
  g_assert_nonnull (strstr (get_text (&scene, "detail"), "area 3 "));
  g_assert_nonnull (strstr (get_text (&scene, "detail"), "in 54.3 %"));
  g_assert_true (g_str_has_suffix (get_text (&scene, "detail"), urb_copying_alone_text));
  g_assert_cmpstr (get_real (&scene, "Buildings"), ==, "Median of training areas: 1");
  g_assert_nonnull (
    urbarium_city_tile_get_city (URBARIUM_CITY_TILE (test_find (scene.widget,
                                                                URBARIUM_TYPE_CITY_TILE))));
  urbarium_city_panel_set_vectors (scene.panel, TRUE);
  g_object_get (part (&scene, "picture"), "vectors", &vectors, NULL);
  g_assert_true (vectors);

  urbarium_city_panel_set_city (scene.panel, other);
  test_until (is_new, &scene);
  g_assert_cmpstr (gtk_image_get_icon_name (icon), ==, "emblem-ok-symbolic");
  test_frames (scene.window, 5);
  test_screenshot (scene.window, "city-panel");
  urbarium_city_panel_set_city (scene.panel, copy); /* at once: the areas have been read */
  g_assert_false (is_shown (&scene, "progress"));
  test_until (repeats, &scene);
  test_window_destroy (scene.window);
  test_assert_last_unref (g_steal_pointer (&source));
}

/* A checkpoint without a dataset, then one with the same dataset as before. */
static void
test_orphan (void)
{
  g_autoptr(UrbariumCitySource) source = urbarium_city_source_new ();
  g_autoptr(UrbariumCity) city = stand_in_city (1, 0);
  Scene scene;
  scene_set_up (&scene);
  urbarium_city_panel_set_source (scene.panel, source);
  stand_in_open (source, "orphan");
  urbarium_city_panel_set_city (scene.panel, city);
  test_until (has_none, &scene);
  g_assert_nonnull (strstr (get_text (&scene, "detail"), "does not record its training dataset"));
  g_assert_false (is_shown (&scene, "picture"));
  g_assert_false (is_shown (&scene, "verdict_icon"));
  g_assert_true (has_figures (&scene));
  g_assert_cmpstr (get_real (&scene, "Buildings"), ==, "");
  stand_in_open (source, "any");
  test_until (repeats, &scene);
  stand_in_open (source, "another orphan");
  test_until (has_none, &scene);
  g_assert_false (is_shown (&scene, "picture"));
  test_window_destroy (scene.window);
}

/* Destroying the panel while areas are read. */
static void
test_close (void)
{
  g_autoptr(UrbariumCitySource) source = urbarium_city_source_new ();
  g_autoptr(UrbariumCity) city = stand_in_city (1, 0);
  Scene scene;
  stand_in_open (source, "any");
  scene_set_up (&scene);
  urbarium_city_panel_set_source (scene.panel, source);
  urbarium_city_panel_set_city (scene.panel, city);
  g_assert_true (is_shown (&scene, "progress"));
  test_window_destroy (scene.window);
  test_assert_last_unref (g_steal_pointer (&source));
  test_assert_last_unref (g_steal_pointer (&city));
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  stand_in_set_up ();
  g_test_add_func ("/app/cities/city-panel/alone", test_alone);
  g_test_add_func ("/app/cities/city-panel/nearest", test_nearest);
  g_test_add_func ("/app/cities/city-panel/orphan", test_orphan);
  g_test_add_func ("/app/cities/city-panel/close", test_close);
  result = g_test_run ();
  stand_in_tear_down ();
  return result;
}
