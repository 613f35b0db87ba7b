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
#include "app/train/plan-colors.h"
#include "dataset/sample-grid.h"
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

static gboolean
has_stopped (gpointer scene)
{
  return !gtk_toggle_button_get_active (made_up_part (((Scene *) scene)->widget, "play_button"));
}

static void
record_cb (GtkWidget *widget, GParamSpec *pspec, GArray *steps)
{
  gint64 step = urbarium_sample_grid_get_step (URBARIUM_SAMPLE_GRID (widget));
  g_array_append_val (steps, step);
}

/* From the first step to the newest, each once, and then it follows; a hand on the slider stops it. */
static void
test_play (void)
{
  Scene scene;
  GtkToggleButton *play;
  g_autoptr(GArray) steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  scene_init (&scene);
  play = made_up_part (scene.widget, "play_button");
  for (int i = 0; i < 4; i++)
    draw (&scene, 10 * i);
  g_signal_connect (scene.widget, "notify::step", G_CALLBACK (record_cb), steps);
  gtk_toggle_button_set_active (play, TRUE); /* at the newest: begins again */
  g_assert_cmpstr (gtk_button_get_icon_name (GTK_BUTTON (play)), ==, "media-playback-pause-symbolic");
  g_assert_cmpint (step_of (&scene), ==, 0);
  test_until (has_stopped, &scene);
  g_assert_cmpuint (steps->len, ==, 4);
  for (int i = 0; i < 4; i++)
    g_assert_cmpint (g_array_index (steps, gint64, i), ==, 10 * i);
  g_assert_cmpstr (gtk_button_get_icon_name (GTK_BUTTON (play)), ==, "media-playback-start-symbolic");
  g_assert_true (gtk_toggle_button_get_active (scene.latest));
  gtk_toggle_button_set_active (play, TRUE);
  gtk_adjustment_set_value (scene.slider, 2);
  g_assert_true (has_stopped (&scene));
  assert_shows (&scene, 20, "Step 20");
  gtk_toggle_button_set_active (play, TRUE); /* another run, and the end of the window, stop it */
  urbarium_sample_grid_set_samples (URBARIUM_SAMPLE_GRID (scene.widget), urbarium_run_get_samples (scene.run));
  g_assert_true (has_stopped (&scene));
  gtk_toggle_button_set_active (play, TRUE);
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

/* Roads stand out from the ground in every style, and the order of the colors stays. */
static void
test_colors (void)
{
  for (int style = 0; style < 4; style++)
    {
      const UrbariumPalette *palette = urbarium_palette_get (style & 1, style & 2);
      UrbColor road = urbarium_plan_road_color (palette);
      double building = urbarium_plan_contrast (palette->fills[URB_CLASS_BUILDING], palette->fills[URB_CLASS_OTHER]);
      double ground = urbarium_plan_contrast (road, palette->fills[URB_CLASS_OTHER]);
      g_assert_cmpfloat (ground, >=, 3);
      g_assert_cmpfloat (building, >, 1.5 * ground);
    }
  g_assert_cmpfloat (urbarium_plan_contrast ((UrbColor){ 0, 0, 0 }, (UrbColor){ 255, 255, 255 }), ==, 21);
}

static guint32
pixel_of (cairo_surface_t *surface, int x)
{
  return ((const guint32 *) (const void *) cairo_image_surface_get_data (surface))[x] & 0xffffff;
}

static guint32
to_pixel (UrbColor color)
{
  return (guint32) color.r << 16 | (guint32) color.g << 8 | color.b;
}

/* Each color of a plan becomes that of the palette; a grey image stays. */
static void
test_recolor (void)
{
  const UrbColor plan[] = { URB_COLOR_BUILDING, URB_COLOR_ROAD, URB_COLOR_OTHER, URB_COLOR_PAPER };
  const UrbariumPalette *dark = urbarium_palette_get (TRUE, FALSE);
  const UrbColor expected[] = { dark->fills[URB_CLASS_BUILDING], urbarium_plan_road_color (dark),
                                dark->fills[URB_CLASS_OTHER], dark->paper };
  for (int grey = 0; grey < 2; grey++)
    {
      cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 4, 1), *result;
      guint32 *pixels = (guint32 *) (void *) cairo_image_surface_get_data (surface);
      for (int i = 0; i < 4; i++)
        pixels[i] = grey ? 0x202020u * (guint32) i : to_pixel (plan[i]);
      cairo_surface_mark_dirty (surface);
      result = urbarium_plan_recolor (surface, dark);
      for (int i = 0; i < 4; i++)
        for (int c = 0; c < 24; c += 8)
          {
            guint32 wanted = grey ? 0x202020u * (guint32) i : to_pixel (expected[i]);
            g_assert_cmpint (ABS ((int) (pixel_of (result, i) >> c & 0xff) - (int) (wanted >> c & 0xff)), <=, 3);
          }
      cairo_surface_destroy (surface);
      cairo_surface_destroy (result);
    }
}

/* Grids of 64 and of 128 pixels have the same size. */
static void
test_measure (void)
{
  for (int size = 64; size <= 128; size += 64)
    {
      g_autofree char *path = run_fixture_path ("measured.png");
      g_autofree guint8 *levels = g_malloc0 ((gsize) 64 * size * size);
      cairo_surface_t *surface;
      UrbSampleGridLayout layout;
      for (int i = 0; i < 64 * size * size; i++)
        levels[i] = i % 7 * 36;
      g_assert_true (urb_sample_grid_write_png (path, levels, 64, size, 1, urb_sample_grid_choose_edge (size),
                                                urb_sample_grid_choose_scale (size), NULL));
      surface = cairo_image_surface_create_from_png (path);
      g_assert_true (urb_sample_grid_measure (cairo_image_surface_get_width (surface),
                                              cairo_image_surface_get_height (surface),
                                              (const guint32 *) (const void *) cairo_image_surface_get_data (surface),
                                              (gsize) cairo_image_surface_get_stride (surface) / 4, &layout));
      g_assert_cmpint (layout.tile, ==, 128);
      g_assert_cmpint (layout.n_columns, ==, 8);
      g_assert_cmpint (layout.scale, ==, 128 / size);
      cairo_surface_destroy (surface);
    }
}

static void
opened_cb (guint *index, guint opened)
{
  *index = opened;
}

static gboolean
exists (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* Saves what is shown, under the proposed name. */
static void
save (Scene *scene, const char *name)
{
  g_autofree char *path = run_fixture_path (name);
  g_autofree char *folder = g_path_get_dirname (path);
  gtk_widget_activate_action (scene->widget, "samples.save", NULL);
  test_file_chooser_save (scene->window, folder);
  test_until (exists, path);
  test_frames (scene->window, 3);
}

/* A city is enlarged, opened with its number, and saved in the engine's colors. */
static void
test_city (void)
{
  enum { SIZE = 64, N = 64 };
  Scene scene;
  GtkWidget *image;
  guint opened = 0;
  g_autofree char *path = run_fixture_path ("grid.png");
  g_autofree char *saved = run_fixture_path ("city-20-step-40.png");
  g_autofree guint8 *levels = g_malloc0 (3 * SIZE * SIZE * N);
  cairo_surface_t *city;
  for (int i = 0; i < SIZE * SIZE * N; i++)
    levels[3 * i + (i / (SIZE * SIZE) == 19 ? URB_CLASS_BUILDING : URB_CLASS_OTHER)] = 255;
  g_assert_true (urb_sample_grid_write_png (path, levels, N, SIZE, 3, 8, 2, NULL));
  scene_init (&scene);
  image = test_find (scene.widget, URBARIUM_TYPE_GRID_IMAGE);
  g_signal_connect_swapped (scene.widget, "open-city", G_CALLBACK (opened_cb), &opened);
  made_up_run_sample (scene.run, 40, "grid.png");
  test_until (is_ready, &scene);
  g_assert_false (gtk_widget_get_visible (made_up_part (scene.widget, "open_button")));
  g_object_set (image, "tile", 19, NULL);
  g_assert_cmpstr (gtk_label_get_text (made_up_part (scene.widget, "title")), ==, "City 20 of 64");
  g_assert_true (gtk_widget_get_visible (made_up_part (scene.widget, "open_button")));
  gtk_widget_activate_action (scene.widget, "samples.open", NULL); /* without a checkpoint */
  g_assert_cmpuint (opened, ==, 0);
  g_object_set (scene.widget, "can-open", TRUE, NULL);
  gtk_widget_activate_action (scene.widget, "samples.open", NULL);
  g_assert_cmpuint (opened, ==, 20);
  test_screenshot (scene.window, "sample-grid-city");
  test_file_chooser_begin ();
  save (&scene, "city-20-step-40.png");
  test_file_chooser_end ();
  city = cairo_image_surface_create_from_png (saved);
  g_assert_cmpint (cairo_image_surface_get_width (city), ==, 512);
  g_assert_cmphex (pixel_of (city, 100), ==, to_pixel (URB_COLOR_BUILDING));
  cairo_surface_destroy (city);
  gtk_widget_activate_action (scene.widget, "samples.back", NULL);
  g_assert_cmpstr (gtk_label_get_text (made_up_part (scene.widget, "title")), ==, "Cities");
  scene_clear (&scene);
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
  g_test_add_func ("/sample-grid/play", test_play);
  g_test_add_func ("/sample-grid/measure", test_measure);
  g_test_add_func ("/sample-grid/damaged", test_damaged);
  g_test_add_func ("/sample-grid/overtaken", test_overtaken);
  g_test_add_func ("/sample-grid/colors", test_colors);
  g_test_add_func ("/sample-grid/recolor", test_recolor);
  g_test_add_func ("/sample-grid/city", test_city);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
