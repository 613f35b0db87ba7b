/* SPDX-License-Identifier: Apache-2.0 */
/* test-heat-legend.c - the legend has the colors of the heat map, and a mark at the threshold. */
#include "app-test.h"

#include "app/areas/heat-colors.h"
#include "app/areas/heat-legend.h"
#include "looks.h"

enum { WIDTH = 200, ABOVE_Y = 1, BAR_Y = 9 }; /* ABOVE_Y: only the mark is drawn there */

static UrbariumHeatLegend *
legend_new (void)
{
  return g_object_new (URBARIUM_TYPE_HEAT_LEGEND, NULL);
}

/* The center of the mark; -1 if there is none. */
static int
find_mark (UrbariumHeatLegend *legend)
{
  g_autoptr(TestPicture) picture = test_picture_new (GTK_WIDGET (legend));
  int first = -1, last = -1;
  for (int x = 0; x < cairo_image_surface_get_width (picture); x++)
    if (test_picture_get (picture, x, ABOVE_Y) != 0)
      {
        first = first < 0 ? x : first;
        last = x;
      }
  g_assert_cmpint (last - first, <=, 2);
  return first < 0 ? -1 : (first + last + 1) / 2;
}

static void
assert_mark (UrbariumHeatLegend *legend, double threshold, int expected)
{
  int found;
  urbarium_heat_legend_set_threshold (legend, threshold);
  found = find_mark (legend);
  if (expected < 0)
    g_assert_cmpint (found, ==, -1);
  else
    g_assert_cmpint (ABS (found - expected), <=, 1);
}

static void
test_words (void)
{
  UrbariumHeatLegend *legend = legend_new ();
  GtkWindow *window = test_window_new (GTK_WIDGET (legend), WIDTH, 60);
  test_assert_name (legend, "Color scale of the variance");
  test_assert_texts (legend, "0|Variance|1.00");
  urbarium_heat_legend_set_scale (legend, 0.625);
  test_assert_texts (legend, "0|Variance|0.62");
  test_window_destroy (window);
}

static void
test_colors (void)
{
  UrbariumHeatLegend *legend = legend_new ();
  GtkWidget *widget = GTK_WIDGET (legend);
  GtkWindow *window = test_window_new (widget, WIDTH, 60);
  int width = gtk_widget_get_width (widget);
  urbarium_heat_legend_set_threshold (legend, 2); /* its mark is out of range */
  g_assert_false (test_alike (urbarium_heat_color (0), urbarium_heat_color (1)));
  /* The scale goes from left to right in every language. */
  for (GtkTextDirection direction = GTK_TEXT_DIR_LTR; direction <= GTK_TEXT_DIR_RTL; direction++)
    {
      g_autoptr(TestPicture) picture = NULL;
      gtk_widget_set_direction (widget, direction);
      picture = test_picture_new (widget);
      for (int i = 0; i <= 10; i++)
        {
          int x = CLAMP (width * i / 10, 1, width - 2);
          g_assert_true (test_alike (test_picture_get (picture, x, BAR_Y),
                                     urbarium_heat_color (i / 10.0)));
        }
      test_assert_texts (legend, "0|Variance|1.00");
    }
  test_window_destroy (window);
}

static void
test_mark (void)
{
  UrbariumHeatLegend *legend = legend_new ();
  GtkWidget *widget = GTK_WIDGET (legend);
  GtkWindow *window = test_window_new (widget, WIDTH, 60);
  int width = gtk_widget_get_width (widget);
  urbarium_heat_legend_set_scale (legend, 0.5);
  assert_mark (legend, 0.25, width / 2);
  assert_mark (legend, 0.1, width / 5);
  assert_mark (legend, 0.4999, width - 1);
  assert_mark (legend, 0, 0);
  test_screenshot (window, "heat-legend");

  assert_mark (legend, 0.5 * (width + 0.2) / width, -1); /* above the maximum */
  urbarium_heat_legend_set_scale (legend, 1);
  assert_mark (legend, 0.51, width * 51 / 100);
  urbarium_heat_legend_set_scale (legend, 0); /* no variance at all */
  assert_mark (legend, 0, -1);
  test_assert_texts (legend, "0|Variance|0.00");
  test_window_destroy (window);
}

static void
test_size (void)
{
  GtkWidget *legend = g_object_ref_sink (GTK_WIDGET (legend_new ()));
  int minimum, natural, height;
  gtk_widget_measure (legend, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  g_assert_cmpint (natural, >=, 160);
  g_assert_cmpint (minimum, <=, natural);
  gtk_widget_measure (legend, GTK_ORIENTATION_VERTICAL, natural, &height, NULL, NULL, NULL);
  g_assert_cmpint (height, >, 2 * BAR_Y); /* the labels are below */
  test_assert_last_unref (legend);
}

int
main (int argc, char **argv)
{
  test_keep_names ();
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/heat-legend/words", test_words);
  g_test_add_func ("/app/heat-legend/colors", test_colors);
  g_test_add_func ("/app/heat-legend/mark", test_mark);
  g_test_add_func ("/app/heat-legend/size", test_size);
  return g_test_run ();
}
