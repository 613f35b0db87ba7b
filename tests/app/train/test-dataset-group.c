/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-dataset-group.c - the figures of synthetic datasets, and files that are no datasets.
 */
#include <string.h>

#include "app-test.h"
#include "app/train/dataset-group.h"
#include "made-up-tiles.h"
#include "made-up.h"
#include "run-fixture.h"

typedef struct
{
  GtkWidget            *widget;
  UrbariumDatasetGroup *group; /* the same object */
  AdwActionRow         *file_row;
  GtkWindow            *window;
  int                   n_changed;
} Scene;

static void
changed_cb (Scene *scene)
{
  scene->n_changed++;
}

static void
scene_init (Scene *scene)
{
  *scene = (Scene){ .widget = g_object_new (URBARIUM_TYPE_DATASET_GROUP, NULL) };
  scene->group = URBARIUM_DATASET_GROUP (scene->widget);
  scene->file_row = made_up_part (scene->widget, "file_row");
  g_signal_connect_swapped (scene->widget, "changed", G_CALLBACK (changed_cb), scene);
  scene->window = test_window_new (scene->widget, 500, 300);
}

/* (transfer full): a file with @n grey areas of 64 pixels; the first @n_test are for testing. */
static char *
write_dataset (const char *name, double area_size_m, int n, int n_test)
{
  char *path = run_fixture_path (name);
  const UrbDatasetInfo info = { .encoding = URB_ENCODING_GREY, .resolution_px = 64,
                                .area_size_m = area_size_m };
  g_autofree guint8 *levels = g_malloc0 (64 * 64);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDatasetWriter) writer = urb_dataset_writer_new (path, &info, NULL, &error);
  g_assert_no_error (error);
  for (int i = 0; i < n; i++)
    {
      const UrbArea area = { .center_x = 300.0 * i, .variance = 0.1, .share = { 0, 1, 0 },
                             .coverage = 1,
                             .split = i < n_test ? URB_SPLIT_TEST : URB_SPLIT_TRAIN };
      made_up_tile_add (writer, &info, &area, NULL, levels, &error);
      g_assert_no_error (error);
    }
  urb_dataset_writer_finish (writer, &error);
  g_assert_no_error (error);
  return path;
}

static gboolean
is_read (gpointer data)
{
  Scene *scene = data;
  return !gtk_widget_get_visible (made_up_part (scene->widget, "spinner"));
}

static void
read_dataset (Scene *scene, const char *path)
{
  urbarium_dataset_group_set_path (scene->group, path);
  g_assert_false (is_read (scene));
  test_until (is_read, scene);
}

static void
assert_problem (Scene *scene, const char *words)
{
  g_autofree char *problem = urbarium_dataset_group_check (scene->group);
  g_assert_nonnull (problem);
  g_assert_nonnull (strstr (problem, words));
}

static const char *
title_of (Scene *scene)
{
  return adw_preferences_row_get_title (ADW_PREFERENCES_ROW (scene->file_row));
}

static const char *
text_of (Scene *scene, const char *label)
{
  return gtk_label_get_text (made_up_part (scene->widget, label));
}

/* Without a dataset, the button to choose one is suggested. */
static void
test_none (void)
{
  Scene scene;
  g_autofree char *path = write_dataset ("one.gpkg", 250, 1, 0);
  GtkWidget *button;
  scene_init (&scene);
  button = made_up_part (scene.widget, "choose_button");
  g_assert_cmpstr (title_of (&scene), ==, "No dataset yet");
  g_assert_true (gtk_widget_has_css_class (button, "suggested-action"));
  g_assert_null (urbarium_dataset_group_get_path (scene.group));
  g_assert_null (urbarium_dataset_group_get_info (scene.group));
  assert_problem (&scene, "Choose a dataset");

  read_dataset (&scene, path);
  g_assert_false (gtk_widget_has_css_class (button, "suggested-action"));
  urbarium_dataset_group_set_path (scene.group, NULL);
  g_assert_cmpstr (title_of (&scene), ==, "No dataset yet");
  g_assert_false (gtk_widget_get_visible (made_up_part (scene.widget, "figures_row")));
  assert_problem (&scene, "Choose a dataset");
  g_assert_cmpint (scene.n_changed, ==, 3);
  test_window_destroy (scene.window);
}

static void
test_figures (void)
{
  Scene scene;
  g_autofree char *path = write_dataset ("delft <1> & more.gpkg", 250, 5, 2);
  g_autofree char *other = write_dataset ("other.gpkg", 62.5, 1, 0);
  scene_init (&scene);
  urbarium_dataset_group_set_path (scene.group, path);
  assert_problem (&scene, "being read");
  g_assert_false (gtk_widget_get_visible (made_up_part (scene.widget, "figures_row")));
  test_until (is_read, &scene);
  g_assert_null (urbarium_dataset_group_check (scene.group));
  g_assert_cmpint (scene.n_changed, ==, 2);
  g_assert_cmpstr (urbarium_dataset_group_get_path (scene.group), ==, path);
  g_assert_cmpint (urbarium_dataset_group_get_info (scene.group)->n_areas, ==, 5);
  g_assert_nonnull (made_up_find_text (scene.widget, "delft <1> & more.gpkg"));
  g_assert_cmpstr (adw_action_row_get_subtitle (scene.file_row), ==, run_fixture_base ());
  g_assert_true (gtk_widget_get_visible (made_up_part (scene.widget, "figures_row")));
  g_assert_cmpstr (text_of (&scene, "areas_label"), ==, "5");
  g_assert_cmpstr (text_of (&scene, "training_label"), ==, "3");
  g_assert_cmpstr (text_of (&scene, "testing_label"), ==, "2");
  g_assert_cmpstr (text_of (&scene, "tile_label"), ==, "64 px, 250 m");
  g_assert_cmpstr (text_of (&scene, "encoding_label"), ==, "Gray levels");
  read_dataset (&scene, other);
  g_assert_cmpstr (text_of (&scene, "areas_label"), ==, "1");
  g_assert_cmpstr (text_of (&scene, "tile_label"), ==, "64 px, 62.5 m");
  test_window_destroy (scene.window);
}

static void
test_problems (void)
{
  Scene scene;
  g_autofree char *path = run_fixture_path ("no <dataset>.gpkg");
  g_autofree char *testing = write_dataset ("testing.gpkg", 250, 2, 2);
  GtkWidget *icon;
  scene_init (&scene);
  icon = made_up_part (scene.widget, "error_icon");
  g_assert_false (gtk_widget_get_visible (icon));
  g_assert_true (g_file_set_contents (path, "hello", -1, NULL));
  read_dataset (&scene, path);
  assert_problem (&scene, "cannot be used");
  g_assert_true (gtk_widget_get_visible (icon));
  g_assert_nonnull (strstr (adw_action_row_get_subtitle (scene.file_row), "no <dataset>.gpkg"));
  g_assert_null (urbarium_dataset_group_get_info (scene.group));
  g_assert_cmpstr (urbarium_dataset_group_get_path (scene.group), ==, path); /* kept, to be repaired */

  read_dataset (&scene, testing);
  g_assert_false (gtk_widget_get_visible (icon));
  assert_problem (&scene, "no training areas");
  read_dataset (&scene, "/nowhere/at/all.gpkg");
  assert_problem (&scene, "The dataset does not exist");
  test_window_destroy (scene.window);
}

/* A second dataset replaces the first while it is read; closing the window cancels a third. */
static void
test_overtaken (void)
{
  Scene scene;
  g_autofree char *bad = run_fixture_path ("bad.gpkg");
  g_autofree char *good = write_dataset ("good.gpkg", 250, 1, 0);
  g_assert_true (g_file_set_contents (bad, "hello", -1, NULL));
  scene_init (&scene);
  urbarium_dataset_group_set_path (scene.group, bad);
  urbarium_dataset_group_set_path (scene.group, good);
  test_until (is_read, &scene);
  g_assert_null (urbarium_dataset_group_check (scene.group));
  test_frames (scene.window, 5);
  g_assert_null (urbarium_dataset_group_check (scene.group));
  g_assert_cmpint (scene.n_changed, ==, 3);
  urbarium_dataset_group_set_path (scene.group, bad);
  test_window_destroy (scene.window);
}

static void
test_drop (void)
{
  Scene scene;
  g_auto(GValue) value = G_VALUE_INIT;
  g_auto(GValue) text = G_VALUE_INIT;
  g_autofree char *path = write_dataset ("dropped.gpkg", 250, 1, 0);
  g_autoptr(GFile) file = g_file_new_for_path (path);
  g_autoptr(GFile) remote = g_file_new_for_uri ("https://example.org/areas.gpkg");
  g_autoptr(GSList) files = g_slist_prepend (NULL, file);
  g_autoptr(GSList) remotes = g_slist_prepend (NULL, remote);
  scene_init (&scene);
  g_value_init (&text, G_TYPE_STRING);
  g_assert_false (urbarium_dataset_group_drop (scene.group, &text));
  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_assert_false (urbarium_dataset_group_drop (scene.group, &value));
  g_value_set_boxed (&value, remotes);
  g_assert_false (urbarium_dataset_group_drop (scene.group, &value));
  g_assert_null (urbarium_dataset_group_get_path (scene.group));
  g_value_set_boxed (&value, files);
  g_assert_true (urbarium_dataset_group_drop (scene.group, &value));
  g_assert_cmpstr (urbarium_dataset_group_get_path (scene.group), ==, path);
  test_until (is_read, &scene);
  test_window_destroy (scene.window);
}

static guint
count_choosers (void)
{
  g_autoptr(GList) windows = gtk_window_list_toplevels ();
  guint n = 0;
  for (GList *window = windows; window != NULL; window = window->next)
    n += GTK_IS_FILE_CHOOSER (window->data) && gtk_widget_get_visible (window->data);
  return n;
}

static gboolean
has_chooser (gpointer data)
{
  return count_choosers () == 1;
}

/* One dialog at a time; the whole row can be clicked; the dialog closes with the window. */
static void
test_choose (void)
{
  Scene scene;
  scene_init (&scene);
  test_file_chooser_begin ();
  gtk_widget_activate (GTK_WIDGET (scene.file_row));
  test_until (has_chooser, NULL); /* after the button's animation */
  gtk_widget_activate_action (scene.widget, "dataset.choose", NULL);
  g_assert_cmpuint (count_choosers (), ==, 1);
  test_window_destroy (scene.window);
  test_file_chooser_end ();
  g_assert_cmpuint (count_choosers (), ==, 0);
}

int
main (int argc, char **argv)
{
  int status;
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/dataset-group/none", test_none);
  g_test_add_func ("/dataset-group/figures", test_figures);
  g_test_add_func ("/dataset-group/problems", test_problems);
  g_test_add_func ("/dataset-group/overtaken", test_overtaken);
  g_test_add_func ("/dataset-group/drop", test_drop);
  g_test_add_func ("/dataset-group/choose", test_choose);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
