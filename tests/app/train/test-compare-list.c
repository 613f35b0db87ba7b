/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-compare-list.c - checked runs are followed, keep their colors, and are limited in number.
 */
#include <glib/gstdio.h>

#include "app-test.h"
#include "app/runs/run-library-private.h"
#include "app/runs/run-private.h"
#include "app/train/compare-list.h"
#include "made-up.h"
#include "run-fixture.h"

typedef struct
{
  GtkWidget           *widget;
  UrbariumCompareList *list; /* the same object */
  UrbariumRunLibrary  *library;
  GtkWindow           *window;
  int                  n_changed;
} Scene;

static void
changed_cb (Scene *scene)
{
  scene->n_changed++;
}

static UrbariumRun *
get_run (Scene *scene, const char *name)
{
  g_autofree char *path
    = g_build_filename (urbarium_run_library_get_folder (scene->library), name, NULL);
  UrbariumRun *run = urbarium_run_library_find (scene->library, path);
  g_assert_nonnull (run);
  return run;
}

/* Runs a, b, c, …; the first is in view */
static void
scene_init (Scene *scene, const char *folder, guint n_runs)
{
  const char *names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", NULL };
  names[n_runs] = NULL;
  *scene = (Scene){ .widget = g_object_new (URBARIUM_TYPE_COMPARE_LIST, NULL),
                    .library = made_up_library (folder, names) };
  scene->list = URBARIUM_COMPARE_LIST (scene->widget);
  g_signal_connect_swapped (scene->widget, "changed", G_CALLBACK (changed_cb), scene);
  urbarium_compare_list_set_run (scene->list, get_run (scene, "a"), scene->library);
  scene->window = test_window_new (scene->widget, 300, 500);
}

static void
scene_clear (Scene *scene)
{
  test_window_destroy (scene->window);
  run_until_gone (scene->library);
}

static GtkCheckButton *
get_check (Scene *scene, const char *name)
{
  GtkListBox *list = made_up_part (scene->widget, "list");
  GtkListBoxRow *row;
  for (int i = 0; (row = gtk_list_box_get_row_at_index (list, i)) != NULL; i++)
    {
      GtkCheckButton *check = GTK_CHECK_BUTTON (gtk_list_box_row_get_child (row));
      if (g_strcmp0 (gtk_check_button_get_label (check), name) == 0)
        return check;
    }
  return NULL;
}

static void
tick (Scene *scene, const char *name, gboolean ticked)
{
  gtk_check_button_set_active (get_check (scene, name), ticked);
}

static gboolean
can_tick (Scene *scene, const char *name)
{
  return gtk_widget_is_sensitive (GTK_WIDGET (get_check (scene, name)));
}

static void
write_cb (UrbariumRun *run, guint color_index, gpointer text)
{
  g_string_append_printf (text, "%s%u ", urbarium_run_get_name (run), color_index);
}

/* For example "c1 b2 ": runs and their colors. */
static void
assert_chosen (Scene *scene, const char *expected, guint n)
{
  g_autoptr(GString) text = g_string_new (NULL);
  urbarium_compare_list_foreach (scene->list, write_cb, text);
  g_assert_cmpstr (text->str, ==, expected);
  g_assert_cmpuint (urbarium_compare_list_get_n (scene->list), ==, n);
}

static const char *
page_of (Scene *scene)
{
  return gtk_stack_get_visible_child_name (made_up_part (scene->widget, "stack"));
}

static void
test_tick (void)
{
  Scene scene;
  scene_init (&scene, "tick", 4);
  g_assert_null (get_check (&scene, "a")); /* the run in view */
  assert_chosen (&scene, "", 0);
  tick (&scene, "c", TRUE);
  tick (&scene, "b", TRUE);
  assert_chosen (&scene, "c1 b2 ", 2);
  g_assert_cmpint (scene.n_changed, ==, 2);
  g_assert_cmpint (get_run (&scene, "c")->n_followers, ==, 1);
  g_assert_cmpint (get_run (&scene, "d")->n_followers, ==, 0);
  tick (&scene, "c", FALSE);
  assert_chosen (&scene, "b2 ", 1);
  g_assert_cmpint (get_run (&scene, "c")->n_followers, ==, 0);
  tick (&scene, "d", TRUE); /* in the free color */
  assert_chosen (&scene, "b2 d1 ", 2);
  g_assert_cmpint (scene.n_changed, ==, 4);
  made_up_run_rename (get_run (&scene, "b"), "_Delft & more");
  g_assert_nonnull (get_check (&scene, "_Delft & more"));
  g_assert_nonnull (made_up_find_text (scene.widget, "_Delft & more"));
  scene_clear (&scene);
}

/* When another run comes into view, the others stay checked. */
static void
test_other_in_view (void)
{
  Scene scene;
  g_autoptr(UrbariumRun) b = NULL;
  scene_init (&scene, "other", 4);
  b = g_object_ref (get_run (&scene, "b"));
  tick (&scene, "b", TRUE);
  tick (&scene, "c", TRUE);
  urbarium_compare_list_set_run (scene.list, b, scene.library);
  assert_chosen (&scene, "c2 ", 1);
  g_assert_cmpint (b->n_followers, ==, 0);
  g_assert_true (gtk_check_button_get_active (get_check (&scene, "c")));
  g_assert_false (gtk_check_button_get_active (get_check (&scene, "a")));
  g_assert_null (get_check (&scene, "b"));
  urbarium_compare_list_set_run (scene.list, NULL, scene.library);
  assert_chosen (&scene, "", 0);
  g_assert_cmpint (get_run (&scene, "c")->n_followers, ==, 0);
  g_assert_null (get_check (&scene, "a"));
  urbarium_compare_list_set_run (scene.list, b, NULL);
  g_assert_null (get_check (&scene, "a"));
  g_clear_object (&b);
  scene_clear (&scene);
}

/* Including the run in view, as many as there are colors. */
static void
test_full (void)
{
  static const char *const others[] = { "b", "c", "d", "e", "f", "g" };
  Scene scene;
  scene_init (&scene, "full", 9);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_assert_true (can_tick (&scene, "h"));
      tick (&scene, others[i], TRUE);
    }
  g_assert_false (can_tick (&scene, "h"));
  g_assert_true (can_tick (&scene, "c")); /* off */
  urbarium_compare_list_set_run (scene.list, get_run (&scene, "i"), scene.library);
  g_assert_cmpuint (urbarium_compare_list_get_n (scene.list), ==, 6);
  g_assert_false (can_tick (&scene, "h"));
  g_assert_false (can_tick (&scene, "a"));
  tick (&scene, "c", FALSE);
  g_assert_true (can_tick (&scene, "h"));
  tick (&scene, "h", TRUE);
  assert_chosen (&scene, "b1 d3 e4 f5 g6 h2 ", 6);
  g_assert_false (can_tick (&scene, "a"));
  urbarium_compare_list_set_run (scene.list, get_run (&scene, "b"), scene.library);
  g_assert_true (can_tick (&scene, "a"));
  scene_clear (&scene);
}

/* A queued run has no curve yet, but gets one while it is listed. */
static void
test_queued (void)
{
  Scene scene;
  scene_init (&scene, "queued", 2);
  urbarium_compare_list_set_run (scene.list, NULL, NULL);
  made_up_run_stands (get_run (&scene, "b"), TRUE, URB_RUN_QUEUED);
  urbarium_compare_list_set_run (scene.list, get_run (&scene, "a"), scene.library);
  made_up_run_stands (get_run (&scene, "b"), FALSE, URB_RUN_FINISHED);
  g_assert_nonnull (get_check (&scene, "b"));
  g_assert_cmpstr (page_of (&scene), ==, "runs");
  scene_clear (&scene);
}

static void
drop (Scene *scene, const char *name)
{
  g_autofree char *path
    = g_build_filename (urbarium_run_library_get_folder (scene->library), name, NULL);
  g_autofree char *config = g_build_filename (path, "run.ini", NULL);
  g_assert_cmpint (g_remove (config), ==, 0);
  urbarium_run_library_drop (scene->library, path);
}

static void
test_deleted (void)
{
  Scene scene;
  scene_init (&scene, "deleted", 3);
  g_assert_cmpstr (page_of (&scene), ==, "runs");
  tick (&scene, "b", TRUE);
  tick (&scene, "c", TRUE);
  drop (&scene, "b");
  g_assert_null (get_check (&scene, "b"));
  assert_chosen (&scene, "c2 ", 1);
  g_assert_cmpint (scene.n_changed, ==, 3);
  drop (&scene, "c");
  assert_chosen (&scene, "", 0);
  g_assert_cmpstr (page_of (&scene), ==, "empty");
  g_assert_nonnull (made_up_find_text (scene.widget, "There is no other run to compare with"));
  scene_clear (&scene);
}

int
main (int argc, char **argv)
{
  int status;
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/compare-list/tick", test_tick);
  g_test_add_func ("/compare-list/other-in-view", test_other_in_view);
  g_test_add_func ("/compare-list/full", test_full);
  g_test_add_func ("/compare-list/queued", test_queued);
  g_test_add_func ("/compare-list/deleted", test_deleted);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
