/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-city-tools.c - which classes the view shows, and which tool it has.
 */
#include "app/cities/city-tools.h"
#include "app/cities/city-view.h"
#include "app-test.h"

typedef struct
{
  GtkWindow        *window;
  UrbariumCityView *view;
  GtkWidget        *tools;
} Scene;

static void
open_scene (Scene *scene)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  scene->view = g_object_new (URBARIUM_TYPE_CITY_VIEW, NULL);
  scene->tools = g_object_new (URBARIUM_TYPE_CITY_TOOLS, "view", scene->view, NULL);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (scene->view));
  gtk_box_append (GTK_BOX (box), scene->tools);
  scene->window = test_window_new (box, 640, 480);
}

static void
press (Scene *scene, const char *name, gboolean active)
{
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (gtk_widget_get_template_child (
                                  scene->tools, URBARIUM_TYPE_CITY_TOOLS, name)), active);
}

static gboolean
is_pressed (Scene *scene, const char *name)
{
  return gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (gtk_widget_get_template_child (
    scene->tools, URBARIUM_TYPE_CITY_TOOLS, name)));
}

static void
test_classes (void)
{
  Scene scene;
  guint classes;
  open_scene (&scene);
  press (&scene, "building_button", FALSE);
  press (&scene, "other_button", FALSE);
  g_object_get (scene.view, "classes", &classes, NULL);
  g_assert_cmpuint (classes, ==, 1u << URB_CLASS_ROAD);
  press (&scene, "building_button", TRUE);
  g_object_get (scene.view, "classes", &classes, NULL);
  g_assert_cmpuint (classes, ==, 1u << URB_CLASS_ROAD | 1u << URB_CLASS_BUILDING);
  test_window_destroy (scene.window);
}

static void
assert_tool (Scene *scene, UrbariumMeasureTool expected)
{
  int tool;
  g_object_get (scene->view, "tool", &tool, NULL);
  g_assert_cmpint (tool, ==, expected);
}

static void
test_exclusive (void)
{
  Scene scene;
  open_scene (&scene);
  assert_tool (&scene, URBARIUM_MEASURE_NONE);
  press (&scene, "distance_button", TRUE);
  assert_tool (&scene, URBARIUM_MEASURE_DISTANCE);
  g_assert_true (gtk_widget_has_focus (GTK_WIDGET (scene.view)));
  press (&scene, "area_button", TRUE);
  assert_tool (&scene, URBARIUM_MEASURE_AREA);
  g_assert_false (is_pressed (&scene, "distance_button"));
  press (&scene, "area_button", FALSE);
  assert_tool (&scene, URBARIUM_MEASURE_NONE);
  test_window_destroy (scene.window);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/city-tools/classes", test_classes);
  g_test_add_func ("/city-tools/exclusive", test_exclusive);
  return g_test_run ();
}
