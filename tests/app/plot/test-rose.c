/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include <math.h>

#include "app/plot/rose.h"
#include "controllers.h"

enum
{
  SIZE = 208, /* a radius of 100 */
  CENTER = SIZE / 2
};

/* Whether there is a blue pixel at an angle (degrees, counterclockwise from east) and radius. */
static gboolean
is_filled (GtkWidget *rose, double degrees, double radius)
{
  g_auto(UrbariumChartStyle) style = { 0 };
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, SIZE, SIZE);
  cairo_t *cr = cairo_create (surface);
  const guint8 *pixel;
  gboolean filled;

  urbarium_chart_style_init_paper (&style);
  URBARIUM_CHART_WIDGET_GET_CLASS (rose)->draw (URBARIUM_CHART_WIDGET (rose), &style, cr, SIZE,
                                                SIZE);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  pixel = cairo_image_surface_get_data (surface)
          + (int) (CENTER - radius * sin (degrees * G_PI / 180))
              * cairo_image_surface_get_stride (surface)
          + (int) (CENTER + radius * cos (degrees * G_PI / 180)) * 4;
  filled = pixel[0] > pixel[2] + 40; /* blue, red in little-endian ARGB */
  cairo_surface_destroy (surface);
  return filled;
}

static void
test_by_hand (void)
{
  /* 9 sectors of 10°: the one at 20° to 30° has four times the weight of that at 60° to 70°, hence
   * twice the radius. */
  const double weights[9] = { 0, 0, 8, 0, 0, 0, 2, 0, 0 };
  GtkWidget *rose = g_object_ref_sink (g_object_new (URBARIUM_TYPE_ROSE, NULL));

  urbarium_rose_set_weights (URBARIUM_ROSE (rose), weights, NULL, 9);
  for (int quarter = 0; quarter < 4; quarter++)
    {
      g_assert_true (is_filled (rose, 90 * quarter + 25, 90));
      g_assert_false (is_filled (rose, 90 * quarter + 15, 60));
      g_assert_true (is_filled (rose, 90 * quarter + 65, 45));
      g_assert_false (is_filled (rose, 90 * quarter + 65, 57));
    }
  test_assert_last_unref (rose);
}

static void
test_widget (void)
{
  double weights[36], compare[36], zeros[36] = { 0 };
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 24);
  GtkWidget *rose = g_object_new (URBARIUM_TYPE_ROSE, NULL);
  GtkWidget *other = g_object_new (URBARIUM_TYPE_ROSE, NULL);
  GtkWindow *window;

  for (int i = 0; i < 36; i++)
    {
      weights[i] = 0.1 + exp (-0.04 * (i - 11) * (i - 11)) + 0.3 * exp (-0.2 * (i - 28) * (i - 28));
      compare[i] = 0.12 + 0.8 * exp (-0.03 * (i - 13) * (i - 13));
    }
  urbarium_rose_set_weights (URBARIUM_ROSE (rose), weights, compare, 36);
  gtk_widget_set_hexpand (rose, TRUE);
  gtk_box_append (GTK_BOX (box), rose);
  gtk_box_append (GTK_BOX (box), other);
  window = test_window_new (box, 520, 260);
  for (int dark = 0; dark < 2; dark++)
    {
      test_dark (dark);
      test_frames (window, 3);
      test_screenshot (window, dark ? "rose-dark" : "rose-light");
    }
  test_dark (FALSE);
  urbarium_rose_set_weights (URBARIUM_ROSE (rose), zeros, compare, 36); /* no walls at all */
  urbarium_rose_set_weights (URBARIUM_ROSE (other), weights, zeros, 36);
  test_frames (window, 2);
  urbarium_rose_set_weights (URBARIUM_ROSE (other), NULL, NULL, 0);
  test_frames (window, 2);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/plot/rose/by-hand", test_by_hand);
  g_test_add_func ("/app/plot/rose/widget", test_widget);
  return g_test_run ();
}
