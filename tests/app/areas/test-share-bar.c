/* SPDX-License-Identifier: Apache-2.0 */
/* test-share-bar.c - the parts of the bar are proportional to the shares, in the colors of the
 * plan. */
#include "app-test.h"

#include "app/areas/share-bar.h"
#include "app/canvas/palette.h"
#include "looks.h"

enum { WIDTH = 400, MIDDLE_Y = 6 };

static GtkWindow *
bar_new (GtkWidget **bar, const double share[3])
{
  *bar = g_object_new (URBARIUM_TYPE_SHARE_BAR, NULL);
  if (share != NULL)
    urbarium_share_bar_set_shares (URBARIUM_SHARE_BAR (*bar), share);
  return test_window_new (*bar, WIDTH, 60);
}

static guint32
fill (UrbClass class_)
{
  UrbColor color = urbarium_palette_get_current ()->fills[class_];
  return 0xff000000u | (guint32) color.r << 16 | (guint32) color.g << 8 | color.b;
}

typedef struct
{
  double  part; /* of the bar's length */
  guint32 color;
} Spot;

static void
assert_spots (GtkWidget *bar, gsize n, const Spot *spots)
{
  g_autoptr(TestPicture) picture = test_picture_new (bar);
  for (gsize i = 0; i < n; i++)
    {
      int x = (int) (spots[i].part * gtk_widget_get_width (bar));
      guint32 found = test_picture_get (picture, x, MIDDLE_Y);
      if (!test_alike (found, spots[i].color))
        g_error ("at %g the bar is %08x, not %08x", spots[i].part, found, spots[i].color);
    }
}

static void
test_words (void)
{
  GtkWidget *bar;
  GtkWindow *window = bar_new (&bar, (const double[]) { 0.2, 0.125, 0.675 });
  test_assert_name (bar, "Shares of the classes in the areas");
  test_assert_texts (bar, "Buildings 20.0 %|Roads 12.5 %|Other 67.5 %");
  urbarium_share_bar_set_shares (URBARIUM_SHARE_BAR (bar), (const double[]) { 1, 0, 0 });
  test_assert_texts (bar, "Buildings 100.0 %|Roads 0.0 %|Other 0.0 %");
  test_window_destroy (window);
}

static void
test_parts (void)
{
  GtkWidget *bar;
  GtkWindow *window = bar_new (&bar, (const double[]) { 0.2, 0.1, 0.7 });
  guint32 building = fill (URB_CLASS_BUILDING), road = fill (URB_CLASS_ROAD);
  guint32 other = fill (URB_CLASS_OTHER);
  assert_spots (bar, 6, (const Spot[]) { { 0.1, building }, { 0.19, building }, { 0.21, road },
                                         { 0.29, road }, { 0.31, other }, { 0.95, other } });
  /* Shares with a smaller sum still fill the bar. */
  urbarium_share_bar_set_shares (URBARIUM_SHARE_BAR (bar), (const double[]) { 0, 0.25, 0.25 });
  assert_spots (bar, 3, (const Spot[]) { { 0.05, road }, { 0.49, road }, { 0.51, other } });

  gtk_widget_set_direction (bar, GTK_TEXT_DIR_RTL);
  urbarium_share_bar_set_shares (URBARIUM_SHARE_BAR (bar), (const double[]) { 0.2, 0.1, 0.7 });
  assert_spots (bar, 3, (const Spot[]) { { 0.9, building }, { 0.75, road }, { 0.1, other } });
  test_window_destroy (window);
}

/* Nothing is chosen: an outline without any class. */
static void
test_empty (void)
{
  GtkWidget *bar;
  GtkWindow *window = bar_new (&bar, NULL);
  g_autoptr(TestPicture) picture = NULL;
  test_assert_texts (bar, "Buildings 0.0 %|Roads 0.0 %|Other 0.0 %");
  assert_spots (bar, 3, (const Spot[]) { { 0.1, 0 }, { 0.5, 0 }, { 0.9, 0 } });
  picture = test_picture_new (bar);
  g_assert_cmphex (test_picture_get (picture, gtk_widget_get_width (bar) / 2, 0), !=, 0);
  test_window_destroy (window);
}

static void
test_dark (void)
{
  GtkWidget *bar;
  GtkWindow *window = bar_new (&bar, (const double[]) { 0.5, 0.5, 0 });
  AdwStyleManager *style = adw_style_manager_get_default ();
  guint32 light = fill (URB_CLASS_BUILDING);
  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_FORCE_DARK);
  g_assert_false (test_alike (light, fill (URB_CLASS_BUILDING)));
  assert_spots (bar, 2, (const Spot[]) { { 0.25, fill (URB_CLASS_BUILDING) },
                                         { 0.75, fill (URB_CLASS_ROAD) } });
  test_screenshot (window, "share-bar-dark");
  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_DEFAULT);
  test_window_destroy (window);
  /* The style manager outlives the bar, which must not be notified any more. */
  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_FORCE_DARK);
  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_DEFAULT);
}

/* In a narrow panel the labels are ellipsized; the bar stays. */
static void
test_narrow (void)
{
  GtkWidget *bar = g_object_ref_sink (g_object_new (URBARIUM_TYPE_SHARE_BAR, NULL));
  int minimum, natural, height;
  gtk_widget_measure (bar, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  g_assert_cmpint (minimum, <, natural / 2);
  gtk_widget_measure (bar, GTK_ORIENTATION_VERTICAL, minimum, &height, NULL, NULL, NULL);
  g_assert_cmpint (height, >, 2 * MIDDLE_Y + 10);
  test_assert_last_unref (bar);
}

int
main (int argc, char **argv)
{
  test_keep_names ();
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/share-bar/words", test_words);
  g_test_add_func ("/app/share-bar/parts", test_parts);
  g_test_add_func ("/app/share-bar/empty", test_empty);
  g_test_add_func ("/app/share-bar/dark", test_dark);
  g_test_add_func ("/app/share-bar/narrow", test_narrow);
  return g_test_run ();
}
