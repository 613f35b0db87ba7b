/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-sample-grid.c - the slider over the samples; the newest is followed until the slider is
 * moved.
 */
#include <string.h>

#include <glib/gstdio.h>

#include "app-test.h"
#include "app/train/sample-grid.h"
#include "app/train/grid-image.h"
#include "made-up.h"
#include "run-fixture.h"

typedef struct
{
  GtkWidget       *widget;
  GtkAdjustment   *slider;
  GtkToggleButton *latest;
  UrbariumRun     *run;
  GtkWindow       *window;
  int              n_notified;
} Scene;

static void
notified_cb (Scene *scene)
{
  scene->n_notified++;
}

/* Without an image yet. */
static void
scene_init (Scene *scene)
{
  *scene = (Scene){ .widget = g_object_new (URBARIUM_TYPE_SAMPLE_GRID, NULL) };
  scene->run = made_up_run_in (run_fixture_base ());
  scene->slider = made_up_part (scene->widget, "adjustment");
  scene->latest = made_up_part (scene->widget, "latest_button");
  g_signal_connect_swapped (scene->widget, "notify::step", G_CALLBACK (notified_cb), scene);
  urbarium_sample_grid_set_samples (URBARIUM_SAMPLE_GRID (scene->widget),
                                    urbarium_run_get_samples (scene->run));
  scene->window = test_window_new (scene->widget, 400, 300);
}

static void
scene_clear (Scene *scene)
{
  test_window_destroy (scene->window);
  run_until_gone (scene->run);
}

/* Writes an image to the run's folder, and its record. */
static void
draw (Scene *scene, gint64 step)
{
  g_autofree char *name = g_strdup_printf ("%d.png", (int) step);
  g_autofree char *path = run_fixture_path (name);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 32, 32);
  g_assert_cmpint (cairo_surface_write_to_png (surface, path), ==, CAIRO_STATUS_SUCCESS);
  cairo_surface_destroy (surface);
  made_up_run_sample (scene->run, step, name);
}

static gint64
step_of (Scene *scene)
{
  return urbarium_sample_grid_get_step (URBARIUM_SAMPLE_GRID (scene->widget));
}

static gboolean
is_ready (gpointer scene)
{
  return urbarium_sample_grid_get_ready (URBARIUM_SAMPLE_GRID (((Scene *) scene)->widget));
}

static const char *
page_of (Scene *scene)
{
  return gtk_stack_get_visible_child_name (made_up_part (scene->widget, "stack"));
}

/* The accessible texts of the step and of the image. */
static void
assert_shows (Scene *scene, gint64 step, const char *text)
{
  GtkWidget *image = test_find (scene->widget, URBARIUM_TYPE_GRID_IMAGE);
  g_autofree char *name = g_strdup_printf ("Cities from the same seeds. %s", text);
  gint64 told;
  g_assert_cmpint (step_of (scene), ==, step);
  g_object_get (scene->widget, "step", &told, NULL);
  g_assert_cmpint (told, ==, step);
  g_assert_nonnull (made_up_find_text (scene->widget, text));
  gtk_test_accessible_assert_property (made_up_part (scene->widget, "scale"),
                                       GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text);
  test_until (is_ready, scene);
  g_assert_cmpstr (page_of (scene), ==, "sample");
  gtk_test_accessible_assert_property (image, GTK_ACCESSIBLE_PROPERTY_LABEL, name);
}

static void
test_empty (void)
{
  Scene scene;
  scene_init (&scene);
  g_assert_cmpint (step_of (&scene), ==, -1);
  g_assert_false (is_ready (&scene));
  g_assert_cmpstr (page_of (&scene), ==, "empty");
  g_assert_false (gtk_widget_get_visible (made_up_part (scene.widget, "time_box")));
  gtk_toggle_button_set_active (scene.latest, FALSE);
  gtk_toggle_button_set_active (scene.latest, TRUE);
  g_assert_cmpint (scene.n_notified, ==, 0);

  draw (&scene, 0);
  assert_shows (&scene, 0, "Step 0, untrained");
  g_assert_false (gtk_widget_get_visible (made_up_part (scene.widget, "time_box"))); /* a single sample */

  urbarium_sample_grid_set_samples (URBARIUM_SAMPLE_GRID (scene.widget), NULL);
  g_assert_cmpstr (page_of (&scene), ==, "empty");
  g_assert_cmpint (step_of (&scene), ==, -1);
  g_assert_false (is_ready (&scene));
  draw (&scene, 3); /* no longer observed */
  g_assert_cmpint (step_of (&scene), ==, -1);
  scene_clear (&scene);
}

static void
test_follow (void)
{
  Scene scene;
  scene_init (&scene);
  draw (&scene, 0);
  draw (&scene, 50);
  assert_shows (&scene, 50, "Step 50");
  g_assert_true (gtk_widget_get_visible (made_up_part (scene.widget, "time_box")));
  g_assert_cmpfloat (gtk_adjustment_get_upper (scene.slider), ==, 1);

  /* A chosen sample stays when a new one arrives. */
  gtk_adjustment_set_value (scene.slider, 0);
  g_assert_false (gtk_toggle_button_get_active (scene.latest));
  draw (&scene, 100);
  assert_shows (&scene, 0, "Step 0, untrained");
  g_assert_cmpfloat (gtk_adjustment_get_upper (scene.slider), ==, 2);

  gtk_toggle_button_set_active (scene.latest, TRUE);
  assert_shows (&scene, 100, "Step 100");
  draw (&scene, 150);
  assert_shows (&scene, 150, "Step 150");

  /* At the end, the slider follows again. */
  gtk_adjustment_set_value (scene.slider, 1);
  gtk_adjustment_set_value (scene.slider, 3);
  g_assert_true (gtk_toggle_button_get_active (scene.latest));
  draw (&scene, 200);
  assert_shows (&scene, 200, "Step 200");
  scene_clear (&scene);
}

/* Back and forth; each step is notified once. */
static void
test_slide (void)
{
  Scene scene;
  scene_init (&scene);
  for (int i = 0; i < 5; i++)
    draw (&scene, 10 * i);
  assert_shows (&scene, 40, "Step 40");
  scene.n_notified = 0;
  for (int i = 3; i >= 0; i--)
    gtk_adjustment_set_value (scene.slider, i);
  for (int i = 1; i <= 2; i++)
    gtk_adjustment_set_value (scene.slider, i);
  g_assert_cmpint (scene.n_notified, ==, 6);
  assert_shows (&scene, 20, "Step 20");

  /* After a rollback, the chosen sample may be gone. */
  made_up_run_event (scene.run, "info", "rewound", "", 15);
  assert_shows (&scene, 10, "Step 10");
  g_assert_cmpfloat (gtk_adjustment_get_upper (scene.slider), ==, 1);
  scene_clear (&scene);
}

static gboolean
has_error (gpointer scene)
{
  return g_str_equal (page_of (scene), "error");
}

static void
test_damaged (void)
{
  Scene scene;
  g_autofree char *path = run_fixture_path ("damaged <1>.png");
  scene_init (&scene);
  draw (&scene, 0);
  g_assert_true (g_file_set_contents (path, "no picture", -1, NULL));
  made_up_run_sample (scene.run, 7, "damaged <1>.png");
  test_until (has_error, &scene);
  g_assert_false (is_ready (&scene));
  g_assert_nonnull (strstr (
    adw_status_page_get_description (made_up_part (scene.widget, "error_page")),
    "damaged &lt;1&gt;.png"));
  gtk_adjustment_set_value (scene.slider, 0);
  assert_shows (&scene, 0, "Step 0, untrained");
  scene_clear (&scene);
}

/* Another run is set while an image is decoded; then the window closes. */
static void
test_overtaken (void)
{
  Scene scene;
  UrbariumRun *other = made_up_run_in (run_fixture_base ());
  scene_init (&scene);
  draw (&scene, 900);
  made_up_run_sample (other, 5, "900.png");
  urbarium_sample_grid_set_samples (URBARIUM_SAMPLE_GRID (scene.widget),
                                    urbarium_run_get_samples (other));
  assert_shows (&scene, 5, "Step 5");
  draw (&scene, 950);
  g_assert_cmpint (step_of (&scene), ==, 5);
  urbarium_sample_grid_set_samples (URBARIUM_SAMPLE_GRID (scene.widget),
                                    urbarium_run_get_samples (scene.run));
  scene_clear (&scene);
  run_until_gone (other);
}

int
main (int argc, char **argv)
{
  int status;
  g_setenv ("GTK_A11Y", "test", TRUE);
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/sample-grid/empty", test_empty);
  g_test_add_func ("/sample-grid/follow", test_follow);
  g_test_add_func ("/sample-grid/slide", test_slide);
  g_test_add_func ("/sample-grid/damaged", test_damaged);
  g_test_add_func ("/sample-grid/overtaken", test_overtaken);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
