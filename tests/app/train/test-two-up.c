/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-two-up.c - side by side if there is room, else stacked; the height is measured for the
 * layout that will be used.
 */
#include "app/train/two-up.h"
#include "exact.h"

enum { START_WIDTH = 200, START_HEIGHT = 50, END_WIDTH = 280, END_HEIGHT = 80 };

typedef struct
{
  GtkWidget *widget, *start, *end; /* owned by the window */
  GtkWindow *window;
} Scene;

static GtkWidget *
box_new (int width, int height)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_size_request (box, width, height);
  return box;
}

static void
scene_init (Scene *scene)
{
  scene->start = box_new (START_WIDTH, START_HEIGHT);
  scene->end = box_new (END_WIDTH, END_HEIGHT);
  scene->widget = g_object_new (URBARIUM_TYPE_TWO_UP, "start", scene->start, "end", scene->end,
                                NULL);
}

static graphene_rect_t
get_place (Scene *scene, GtkWidget *child)
{
  graphene_rect_t place;
  g_assert_true (gtk_widget_compute_bounds (child, scene->widget, &place));
  return place;
}

#define assert_place(scene, child, x_, y_, width_, height_)                                        \
  G_STMT_START                                                                                     \
    {                                                                                              \
      graphene_rect_t place_ = get_place (scene, child);                                           \
      g_assert_cmpfloat (place_.origin.x, ==, x_);                                                 \
      g_assert_cmpfloat (place_.origin.y, ==, y_);                                                 \
      g_assert_cmpfloat (place_.size.width, ==, width_);                                           \
      g_assert_cmpfloat (place_.size.height, ==, height_);                                         \
    }                                                                                              \
  G_STMT_END

static int
get_height (GtkWidget *widget, int width)
{
  int minimum, natural;
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, width, &minimum, &natural, NULL, NULL);
  g_assert_cmpint (minimum, ==, natural);
  return natural;
}

static void
test_measure (void)
{
  Scene scene;
  int minimum, natural;
  scene_init (&scene);
  scene.window = test_window_new (scene.widget, 1000, 200);
  gtk_widget_measure (scene.widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  g_assert_cmpint (minimum, ==, END_WIDTH); /* the stacked layout's minimum */
  g_assert_cmpint (natural, ==, START_WIDTH + 24 + END_WIDTH);
  g_assert_cmpint (get_height (scene.widget, 800), ==, END_HEIGHT);
  g_assert_cmpint (get_height (scene.widget, 799), ==, START_HEIGHT + 24 + END_HEIGHT);
  g_object_set (scene.widget, "spacing", 10, "fold-width", 700, NULL);
  g_assert_cmpint (get_height (scene.widget, 700), ==, END_HEIGHT);
  g_assert_cmpint (get_height (scene.widget, 699), ==, START_HEIGHT + 10 + END_HEIGHT);
  gtk_widget_set_visible (scene.end, FALSE); /* no spacing next to a hidden widget */
  g_assert_cmpint (get_height (scene.widget, 700), ==, START_HEIGHT);
  g_assert_cmpint (get_height (scene.widget, 499), ==, START_HEIGHT);
  test_window_destroy (scene.window);
}

static void
test_wide (void)
{
  Scene scene;
  scene_init (&scene);
  scene.window = test_exact_window_new (scene.widget, 1024, 200);
  assert_place (&scene, scene.start, 0, 0, 500, 200);
  assert_place (&scene, scene.end, 524, 0, 500, 200);
  g_object_set (scene.widget, "share", 0.25, NULL);
  test_frames (scene.window, 3);
  assert_place (&scene, scene.start, 0, 0, 250, 200);
  assert_place (&scene, scene.end, 274, 0, 750, 200);
  gtk_widget_set_direction (scene.widget, GTK_TEXT_DIR_RTL);
  test_frames (scene.window, 3);
  assert_place (&scene, scene.start, 774, 0, 250, 200);
  assert_place (&scene, scene.end, 0, 0, 750, 200);

  /* A single widget gets all the space. */
  gtk_widget_set_visible (scene.start, FALSE);
  test_frames (scene.window, 3);
  assert_place (&scene, scene.end, 0, 0, 1024, 200);
  test_window_destroy (scene.window);
}

/* Extra height is shared. */
static void
test_folded (void)
{
  Scene scene;
  const int more = 200 - START_HEIGHT - 24 - END_HEIGHT;
  scene_init (&scene);
  scene.window = test_exact_window_new (scene.widget, 600, 200);
  assert_place (&scene, scene.start, 0, 0, 600, START_HEIGHT + more / 2);
  assert_place (&scene, scene.end, 0, START_HEIGHT + more / 2 + 24, 600, END_HEIGHT + more / 2);
  g_object_set (scene.widget, "fold-width", 600, NULL);
  test_frames (scene.window, 3);
  assert_place (&scene, scene.end, 312, 0, 288, 200);
  test_window_destroy (scene.window);
}

/* The focus moves from start to end, whichever was set first. */
static void
test_children (void)
{
  GtkWidget *first = gtk_button_new (), *second = gtk_button_new (), *other = gtk_button_new ();
  gpointer gone = second;
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_TWO_UP, NULL);
  GtkWindow *window = test_window_new (widget, 1000, 200);
  g_autoptr(GtkWidget) start = NULL;
  g_object_add_weak_pointer (G_OBJECT (second), &gone);
  g_assert_cmpint (gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (widget)), ==,
                   GTK_ACCESSIBLE_ROLE_GROUP);
  g_assert_cmpint (get_height (widget, 1000), ==, 0);
  g_object_set (widget, "end", second, NULL);
  g_object_set (widget, "start", first, NULL);
  g_assert_true (gtk_widget_get_first_child (widget) == first);
  g_assert_true (gtk_widget_get_last_child (widget) == second);
  g_object_get (widget, "start", &start, NULL);
  g_assert_true (start == first);
  gtk_widget_child_focus (widget, GTK_DIR_TAB_FORWARD);
  g_assert_true (gtk_window_get_focus (window) == first);
  gtk_widget_child_focus (widget, GTK_DIR_TAB_FORWARD);
  g_assert_true (gtk_window_get_focus (window) == second);
  gtk_window_set_focus (window, NULL);

  g_object_set (widget, "end", other, NULL);
  g_assert_null (gone);
  g_assert_true (gtk_widget_get_last_child (widget) == other);
  g_object_set (widget, "start", NULL, NULL);
  g_assert_true (gtk_widget_get_first_child (widget) == other);
  test_frames (window, 3);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/train/two-up/measure", test_measure);
  g_test_add_func ("/app/train/two-up/wide", test_wide);
  g_test_add_func ("/app/train/two-up/folded", test_folded);
  g_test_add_func ("/app/train/two-up/children", test_children);
  return g_test_run ();
}
