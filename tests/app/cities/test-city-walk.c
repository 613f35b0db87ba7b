/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-city-walk.c - a walk between two cities: strip, slider, playback, and stopping at any time.
 */
#include "app-test.h"
#include "app/cities/city-tile.h"
#include "app/cities/city-view.h"
#include "app/cities/city-walk.h"
#include "stand-in.h"

enum { N_CITIES = 65, N_STRIP = 9 };

typedef struct
{
  GtkWidget          *widget; /* owned by the window */
  UrbariumCityWalk   *walk;
  UrbariumCitySource *source; /* owned */
  GtkAdjustment      *place;
  GtkToggleButton    *play;
  GtkWindow          *window;
} Scene;

static gpointer
part (Scene *scene, const char *name)
{
  return gtk_widget_get_template_child (scene->widget, URBARIUM_TYPE_CITY_WALK, name);
}

static gboolean
is_drawn (gpointer walk)
{
  GPtrArray *cities = urbarium_city_walk_get_cities (walk);
  for (guint i = 0; i < cities->len; i++)
    if (urbarium_city_get_tile (cities->pdata[i]) == NULL)
      return FALSE;
  return cities->len > 0;
}

static void
begin (Scene *scene)
{
  g_autoptr(UrbariumCity) from = urbarium_city_new (7, 1, 0.5), to = urbarium_city_new (7, 9, 0.5);
  urbarium_city_walk_start (scene->walk, scene->source, from, to);
}

static void
scene_set_up (Scene *scene)
{
  *scene = (Scene) { .widget = g_object_new (URBARIUM_TYPE_CITY_WALK, NULL),
                     .source = urbarium_city_source_new () };
  scene->walk = URBARIUM_CITY_WALK (scene->widget);
  scene->place = part (scene, "adjustment");
  scene->play = part (scene, "play_button");
  scene->window = test_window_new (scene->widget, 800, 600);
  stand_in_open (scene->source, "any");
  begin (scene);
}

static void
scene_tear_down (Scene *scene)
{
  test_window_destroy (scene->window);
  test_assert_last_unref (scene->source);
}

static GtkWidget *
get_strip (Scene *scene, int n)
{
  GtkWidget *child = gtk_widget_get_first_child (part (scene, "strip"));
  for (int i = 0; i < n && child != NULL; i++)
    child = gtk_widget_get_next_sibling (child);
  return child;
}

static UrbariumCity *
get_strip_city (Scene *scene, int n)
{
  GtkWidget *tile = test_find (get_strip (scene, n), URBARIUM_TYPE_CITY_TILE);
  return urbarium_city_tile_get_city (URBARIUM_CITY_TILE (tile));
}

static void
test_way (void)
{
  Scene scene;
  GPtrArray *cities;
  const char *title;
  gboolean vectors;
  scene_set_up (&scene);
  cities = urbarium_city_walk_get_cities (scene.walk);
  g_assert_cmpuint (cities->len, ==, N_CITIES);
  test_until (is_drawn, scene.walk);
  g_assert_true (urbarium_city_walk_get_city (scene.walk) == cities->pdata[0]);

  /* The strip shows every eighth city, including both ends. */
  g_assert_nonnull (get_strip (&scene, N_STRIP - 1));
  g_assert_null (get_strip (&scene, N_STRIP));
  g_assert_true (get_strip_city (&scene, 0) == cities->pdata[0]);
  g_assert_true (get_strip_city (&scene, N_STRIP - 1) == cities->pdata[N_CITIES - 1]);
  title = gtk_widget_get_tooltip_text (get_strip (&scene, 2));
  g_assert_cmpstr (title, ==, "25.0 % of the way");
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (get_strip (&scene, 2)),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, title);
  g_signal_emit_by_name (get_strip (&scene, 2), "clicked");
  g_assert_cmpfloat (gtk_adjustment_get_value (scene.place), ==, 16);
  g_assert_true (urbarium_city_walk_get_city (scene.walk) == get_strip_city (&scene, 2));

  /* The slider may be between two cities. */
  gtk_adjustment_set_value (scene.place, 23.7);
  g_assert_true (urbarium_city_walk_get_city (scene.walk) == cities->pdata[24]);
  gtk_adjustment_set_value (scene.place, 1000);
  g_assert_true (urbarium_city_walk_get_city (scene.walk) == cities->pdata[N_CITIES - 1]);
  g_object_set (scene.widget, "vectors", TRUE, NULL);
  g_object_get (part (&scene, "view"), "vectors", &vectors, NULL);
  g_assert_true (vectors);
  g_object_get (test_find (get_strip (&scene, 8), URBARIUM_TYPE_CITY_TILE), "vectors", &vectors,
                NULL);
  g_assert_true (vectors);
  test_frames (scene.window, 5);
  test_screenshot (scene.window, "city-walk-way");
  scene_tear_down (&scene);
}

static gboolean
has_gone_on (gpointer place)
{
  return gtk_adjustment_get_value (place) >= 2;
}

static gboolean
has_turned (gpointer place)
{
  return gtk_adjustment_get_value (place) <= N_CITIES - 3;
}

static void
test_play (void)
{
  Scene scene;
  scene_set_up (&scene);
  g_assert_cmpstr (gtk_widget_get_tooltip_text (GTK_WIDGET (scene.play)), ==, "Play");
  gtk_toggle_button_set_active (scene.play, TRUE);
  g_assert_cmpstr (gtk_widget_get_tooltip_text (GTK_WIDGET (scene.play)), ==, "Pause");
  g_assert_cmpstr (gtk_button_get_icon_name (GTK_BUTTON (scene.play)), ==,
                   "media-playback-pause-symbolic");
  test_until (has_gone_on, scene.place);
  gtk_adjustment_set_value (scene.place, N_CITIES - 1); /* and back from the end */
  test_until (has_turned, scene.place);

  /* Clicking a city stops playback. */
  g_signal_emit_by_name (get_strip (&scene, 4), "clicked");
  g_assert_false (gtk_toggle_button_get_active (scene.play));
  g_assert_cmpstr (gtk_button_get_icon_name (GTK_BUTTON (scene.play)), ==,
                   "media-playback-start-symbolic");
  test_frames (scene.window, 10);
  g_assert_cmpfloat (gtk_adjustment_get_value (scene.place), ==, 32);
  gtk_toggle_button_set_active (scene.play, TRUE); /* closing the window during playback */
  scene_tear_down (&scene);
}

/* Stopping, and starting another walk, also before the first is drawn. */
static void
test_stop (void)
{
  Scene scene;
  gpointer city;
  scene_set_up (&scene);
  begin (&scene);
  test_until (is_drawn, scene.walk);
  city = urbarium_city_walk_get_cities (scene.walk)->pdata[40];
  g_object_add_weak_pointer (city, &city);
  gtk_adjustment_set_value (scene.place, 40);
  gtk_toggle_button_set_active (scene.play, TRUE);
  urbarium_city_walk_stop (scene.walk);
  g_assert_false (gtk_toggle_button_get_active (scene.play));
  g_assert_null (urbarium_city_walk_get_city (scene.walk));
  g_assert_cmpuint (urbarium_city_walk_get_cities (scene.walk)->len, ==, 0);
  g_assert_null (get_strip (&scene, 0));
  gtk_adjustment_set_value (scene.place, 3);
  g_assert_null (urbarium_city_walk_get_city (scene.walk));
  test_frames (scene.window, 3);
  begin (&scene);
  g_assert_cmpfloat (gtk_adjustment_get_value (scene.place), ==, 0);
  g_assert_null (get_strip (&scene, N_STRIP));
  test_until (is_drawn, scene.walk);
  g_assert_null (city);
  scene_tear_down (&scene);
}

static gboolean
asks_for_file (gpointer data)
{
  g_autoptr(GList) windows = gtk_window_list_toplevels ();
  for (GList *window = windows; window != NULL; window = window->next)
    if (GTK_IS_FILE_CHOOSER_DIALOG (window->data))
      {
        gtk_dialog_response (window->data, GTK_RESPONSE_CANCEL);
        return TRUE;
      }
  return FALSE;
}

/* The button asks where to save the film; nothing holds the walk afterwards. */
static void
test_film (void)
{
  Scene scene;
  scene_set_up (&scene);
  test_file_chooser_begin ();
  gtk_widget_activate_action (scene.widget, "walk.film", NULL);
  test_until (asks_for_file, NULL);
  test_frames (scene.window, 3);
  test_file_chooser_end ();
  urbarium_city_walk_stop (scene.walk);
  g_assert_true (gtk_widget_activate_action (scene.widget, "walk.film", NULL)); /* does nothing without a walk */
  g_assert_false (asks_for_file (NULL));
  scene_tear_down (&scene);
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  stand_in_set_up ();
  g_test_add_func ("/app/cities/city-walk/way", test_way);
  g_test_add_func ("/app/cities/city-walk/play", test_play);
  g_test_add_func ("/app/cities/city-walk/stop", test_stop);
  g_test_add_func ("/app/cities/city-walk/film", test_film);
  result = g_test_run ();
  stand_in_tear_down ();
  return result;
}
