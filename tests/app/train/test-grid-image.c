/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-grid-image.c - enlarged by integer factors with sharp borders, reduced to fit, never
 * mirrored.
 */
#include "app/train/grid-image.h"
#include "exact.h"

#define LEFT 0xffff0000u
#define RIGHT 0xff0000ffu

enum { EDGE = 403 }; /* not a multiple of 2 */

/* Half red, half blue. */
static cairo_surface_t *
surface_new (int width, int height)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  cairo_t *cr = cairo_create (surface);
  cairo_set_source_rgb (cr, 1, 0, 0);
  cairo_rectangle (cr, 0, 0, width / 2, height);
  cairo_fill (cr);
  cairo_set_source_rgb (cr, 0, 0, 1);
  cairo_rectangle (cr, width / 2, 0, width - width / 2, height);
  cairo_fill (cr);
  cairo_destroy (cr);
  return surface;
}

static GtkWindow *
show (GtkWidget *widget, int width, int height)
{
  cairo_surface_t *surface = surface_new (width, height);
  urbarium_grid_image_set (URBARIUM_GRID_IMAGE (widget), surface, "Samples of step 12");
  cairo_surface_destroy (surface);
  return test_exact_window_new (widget, EDGE, EDGE);
}

static void
test_enlarged (void)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_GRID_IMAGE, NULL);
  GtkWindow *window = show (widget, 2, 2);
  for (int rtl = 0; rtl < 2; rtl++)
    {
      cairo_surface_t *drawn;
      gtk_widget_set_direction (widget, rtl ? GTK_TEXT_DIR_RTL : GTK_TEXT_DIR_LTR);
      drawn = test_draw (widget);
      for (int x = 0; x < EDGE - 1; x++) /* two halves without a third color between them */
        g_assert_cmphex (test_pixel (drawn, x, 100), ==, x < EDGE / 2 ? LEFT : RIGHT);
      g_assert_cmphex (test_pixel (drawn, EDGE - 1, 100), ==, 0);
      cairo_surface_destroy (drawn);
    }
  test_screenshot (window, "grid-image");
  test_window_destroy (window);
}

/* Complete, centered, with its aspect ratio. */
static void
test_reduced (void)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_GRID_IMAGE, NULL);
  GtkWindow *window = show (widget, 1000, 500);
  cairo_surface_t *drawn = test_draw (widget);
  g_assert_cmphex (test_pixel (drawn, 3, EDGE / 2), ==, LEFT);
  g_assert_cmphex (test_pixel (drawn, EDGE - 4, EDGE / 2), ==, RIGHT);
  g_assert_cmphex (test_pixel (drawn, 20, EDGE / 4 + 10), ==, LEFT);
  g_assert_cmphex (test_pixel (drawn, 20, EDGE / 4 - 10), ==, 0);
  g_assert_cmphex (test_pixel (drawn, 20, EDGE - EDGE / 4 + 10), ==, 0);
  cairo_surface_destroy (drawn);
  test_window_destroy (window);
}

static gboolean
draws_nothing (GtkWidget *widget)
{
  cairo_surface_t *drawn = test_draw (widget);
  gboolean nothing = TRUE;
  for (int y = 0; y < EDGE; y++)
    for (int x = 0; x < EDGE; x++)
      nothing = nothing && test_pixel (drawn, x, y) == 0;
  cairo_surface_destroy (drawn);
  return nothing;
}

static void
test_set (void)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_GRID_IMAGE, NULL);
  UrbariumGridImage *self = URBARIUM_GRID_IMAGE (widget);
  GtkAccessible *accessible = GTK_ACCESSIBLE (widget);
  GtkWindow *window = test_exact_window_new (widget, EDGE, EDGE);
  cairo_surface_t *surface = surface_new (4, 4), *other = surface_new (8, 8);
  int minimum, natural;
  g_assert_cmpint (gtk_accessible_get_accessible_role (accessible), ==, GTK_ACCESSIBLE_ROLE_IMG);
  g_assert_true (urbarium_grid_image_is_empty (self));
  g_assert_true (draws_nothing (widget));
  urbarium_grid_image_set (self, surface, "Samples of step 12");
  g_assert_false (urbarium_grid_image_is_empty (self));
  g_assert_false (draws_nothing (widget));
  gtk_test_accessible_assert_property (accessible, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Samples of step 12");
  g_assert_cmpuint (cairo_surface_get_reference_count (surface), >=, 2);

  urbarium_grid_image_set (self, other, "Samples of step 24");
  test_frames (window, 3); /* the last frame's node also held the first surface */
  g_assert_cmpuint (cairo_surface_get_reference_count (surface), ==, 1);
  gtk_test_accessible_assert_property (accessible, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Samples of step 24");
  urbarium_grid_image_set (self, NULL, NULL);
  g_assert_true (urbarium_grid_image_is_empty (self));
  g_assert_true (draws_nothing (widget));
  gtk_test_accessible_assert_property (accessible, GTK_ACCESSIBLE_PROPERTY_LABEL, "");
  gtk_widget_set_size_request (widget, -1, -1);
  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  g_assert_cmpint (minimum, ==, 160);
  g_assert_cmpint (natural, ==, 320);
  urbarium_grid_image_set (self, surface, NULL);
  test_window_destroy (window);
  g_assert_cmpuint (cairo_surface_get_reference_count (surface), ==, 1);
  cairo_surface_destroy (surface);
  cairo_surface_destroy (other);
}

int
main (int argc, char **argv)
{
  g_setenv ("GTK_A11Y", "test", TRUE); /* makes accessible properties readable */
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/train/grid-image/enlarged", test_enlarged);
  g_test_add_func ("/app/train/grid-image/reduced", test_reduced);
  g_test_add_func ("/app/train/grid-image/set", test_set);
  return g_test_run ();
}
