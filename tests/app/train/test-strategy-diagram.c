/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-strategy-diagram.c - a different diagram for every strategy, in theme colors, never
 * mirrored.
 */
#include "app/train/strategy-diagram.h"
#include "controllers.h"
#include "exact.h"

enum { WIDTH = 64, HEIGHT = 40, N_KINDS = URB_N_STRATEGIES };

static gboolean
is_blank (cairo_surface_t *drawn, int x0, int y0, int x1, int y1)
{
  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++)
      if (test_pixel (drawn, x, y) != 0)
        return FALSE;
  return TRUE;
}

static gboolean
is_alike (cairo_surface_t *a, cairo_surface_t *b)
{
  int width = cairo_image_surface_get_width (a), height = cairo_image_surface_get_height (a);
  g_assert_cmpint (cairo_image_surface_get_width (b), ==, width);
  g_assert_cmpint (cairo_image_surface_get_height (b), ==, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      if (test_pixel (a, x, y) != test_pixel (b, x, y))
        return FALSE;
  return TRUE;
}

static void
test_kinds (void)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *diagrams[N_KINDS];
  cairo_surface_t *drawn[N_KINDS];
  GtkWindow *window;
  for (int i = 0; i < N_KINDS; i++)
    {
      diagrams[i] = urbarium_strategy_diagram_new (i);
      gtk_widget_set_halign (diagrams[i], GTK_ALIGN_START);
      gtk_box_append (GTK_BOX (box), diagrams[i]);
    }
  window = test_window_new (box, 200, N_KINDS * HEIGHT);
  for (int i = 0; i < N_KINDS; i++)
    {
      g_assert_cmpint (gtk_widget_get_width (diagrams[i]), ==, WIDTH);
      g_assert_cmpint (gtk_widget_get_height (diagrams[i]), ==, HEIGHT);
      drawn[i] = test_draw (diagrams[i]);
      g_assert_false (is_blank (drawn[i], 0, 0, WIDTH, HEIGHT));
      /* Nothing is clipped at the sides. */
      g_assert_true (is_blank (drawn[i], 0, 0, 2, HEIGHT));
      g_assert_true (is_blank (drawn[i], WIDTH - 2, 0, WIDTH, HEIGHT));
      for (int k = 0; k < i; k++)
        g_assert_false (is_alike (drawn[i], drawn[k]));
    }
  test_screenshot (window, "strategy-diagrams");
  for (int i = 0; i < N_KINDS; i++)
    cairo_surface_destroy (drawn[i]);
  test_window_destroy (window);
}

/* Centered if there is more room. */
static void
test_place (void)
{
  GtkWidget *widget = urbarium_strategy_diagram_new (URB_STRATEGY_LAYERS);
  GtkWindow *window = test_exact_window_new (widget, 164, 100);
  cairo_surface_t *drawn = test_draw (widget), *mirrored;
  g_assert_cmpint (gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (widget)), ==,
                   GTK_ACCESSIBLE_ROLE_PRESENTATION);
  g_assert_true (is_blank (drawn, 0, 0, 50, 100));
  g_assert_true (is_blank (drawn, 114, 0, 164, 100));
  g_assert_true (is_blank (drawn, 0, 0, 164, 30));
  g_assert_true (is_blank (drawn, 0, 70, 164, 100));
  g_assert_false (is_blank (drawn, 50, 30, 114, 70));
  gtk_widget_set_direction (widget, GTK_TEXT_DIR_RTL); /* not mirrored */
  test_frames (window, 2);
  mirrored = test_draw (widget);
  g_assert_true (is_alike (drawn, mirrored));
  cairo_surface_destroy (drawn);
  cairo_surface_destroy (mirrored);
  test_window_destroy (window);
}

/* Red channel, premultiplied, at the side of an empty device; lines are grey. */
static guint
get_ink (GtkWidget *widget)
{
  cairo_surface_t *drawn = test_draw (widget);
  guint32 pixel = test_pixel (drawn, 5, 32);
  cairo_surface_destroy (drawn);
  g_assert_cmpuint (pixel >> 24, >, 50);
  return pixel >> 16 & 0xff;
}

/* Dark lines in the light theme, light lines in the dark one. */
static void
test_colors (void)
{
  GtkWidget *widget = urbarium_strategy_diagram_new (URB_STRATEGY_HOGWILD);
  GtkWindow *window;
  guint light, dark;
  test_dark (FALSE);
  window = test_exact_window_new (widget, WIDTH, HEIGHT);
  light = get_ink (widget);
  test_dark (TRUE);
  test_frames (window, 3);
  dark = get_ink (widget);
  test_dark (FALSE);
  g_assert_cmpuint (light, <, 30);
  g_assert_cmpuint (dark, >, 50);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/train/strategy-diagram/kinds", test_kinds);
  g_test_add_func ("/app/train/strategy-diagram/place", test_place);
  g_test_add_func ("/app/train/strategy-diagram/colors", test_colors);
  return g_test_run ();
}
