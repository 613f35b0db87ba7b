/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-grid-image.c - enlarged by integer factors with sharp borders, reduced to fit, never
 * mirrored.
 */
#include "app/train/grid-image.h"
#include "controllers.h"
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

/* A grid as a run draws it: 8 x 8 tiles of 64 pixels, enlarged twice; the tile (3, 2) is blue. */
static cairo_surface_t *
grid_new (void)
{
  enum { TILE = 128, GAP = 2, N = 8 };
  cairo_surface_t *surface = surface_new (N * (TILE + GAP) + GAP, N * (TILE + GAP) + GAP);
  cairo_t *cr = cairo_create (surface);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  for (int i = 0; i < N * N; i++)
    {
      cairo_set_source_rgb (cr, i == 2 * N + 3 ? 0 : 1, 0, i == 2 * N + 3 ? 1 : 0);
      cairo_rectangle (cr, GAP + i % N * (TILE + GAP), GAP + i / N * (TILE + GAP), TILE, TILE);
      cairo_fill (cr);
    }
  cairo_destroy (cr);
  return surface;
}

static void
press (GtkWidget *widget, double x, double y)
{
  GtkEventController *click = test_controller (widget, GTK_TYPE_GESTURE_CLICK);
  g_signal_emit_by_name (click, "released", 1, x, y);
}

static void
key (GtkWidget *widget, guint keyval)
{
  GListModel *shortcuts = test_controller (widget, GTK_TYPE_SHORTCUT_CONTROLLER);
  for (guint i = 0; i < g_list_model_get_n_items (shortcuts); i++)
    {
      g_autoptr(GtkShortcut) shortcut = g_list_model_get_item (shortcuts, i);
      GtkShortcutTrigger *trigger = gtk_shortcut_get_trigger (shortcut);
      if (GTK_IS_KEYVAL_TRIGGER (trigger) && gtk_keyval_trigger_get_keyval (GTK_KEYVAL_TRIGGER (trigger)) == keyval)
        gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0, widget,
                                      gtk_shortcut_get_arguments (shortcut));
    }
}

static int
tile_of (GtkWidget *widget)
{
  int tile;
  g_object_get (widget, "tile", &tile, NULL);
  return tile;
}

static gboolean
is_all (GtkWidget *widget, guint32 color)
{
  cairo_surface_t *drawn = test_draw (widget);
  gboolean all = TRUE;
  for (int y = 20; y < EDGE - 20; y++)
    for (int x = 20; x < EDGE - 20; x++)
      all = all && test_pixel (drawn, x, y) == color;
  cairo_surface_destroy (drawn);
  return all;
}

/* A tile of a grid is enlarged by a click, or by arrows and Enter. */
static void
test_tile (void)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_GRID_IMAGE, NULL);
  UrbariumGridImage *self = URBARIUM_GRID_IMAGE (widget);
  cairo_surface_t *grid = grid_new (), *other = surface_new (4, 4);
  GtkWindow *window;
  urbarium_grid_image_set (self, grid, "Cities");
  window = test_exact_window_new (widget, EDGE, EDGE);
  g_assert_cmpint (urbarium_grid_image_get_n_tiles (self), ==, 64);
  g_assert_cmpint (tile_of (widget), ==, -1);
  press (widget, EDGE * 3.5 / 8, EDGE * 2.5 / 8);
  g_assert_cmpint (tile_of (widget), ==, 19);
  g_assert_cmpint (urbarium_grid_image_get_shown (self).x, ==, 2 + 3 * 130);
  g_assert_cmpint (urbarium_grid_image_get_shown (self).width, ==, 128);
  g_assert_true (is_all (widget, RIGHT));
  key (widget, GDK_KEY_plus); /* of one color, so larger is the same */
  g_assert_true (is_all (widget, RIGHT));
  key (widget, GDK_KEY_Right);
  g_assert_cmpint (tile_of (widget), ==, 20);
  g_assert_true (is_all (widget, LEFT));
  key (widget, GDK_KEY_Escape);
  g_assert_cmpint (tile_of (widget), ==, -1);
  key (widget, GDK_KEY_Left);
  key (widget, GDK_KEY_Return);
  g_assert_cmpint (tile_of (widget), ==, 19);
  /* The next sample of the run shows the same tile; an image that is no grid, none. */
  urbarium_grid_image_set (self, grid, "Cities");
  g_assert_cmpint (tile_of (widget), ==, 19);
  urbarium_grid_image_set (self, other, "Half");
  g_assert_cmpint (tile_of (widget), ==, -1);
  press (widget, 10, 10);
  g_assert_cmpint (tile_of (widget), ==, -1);
  cairo_surface_destroy (grid);
  cairo_surface_destroy (other);
  test_window_destroy (window);
}

/* Zooming keeps what is under the pointer, and never leaves room beside the image. */
static void
test_zoom (void)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_GRID_IMAGE, NULL);
  GtkWindow *window = show (widget, 100, 100);
  cairo_surface_t *drawn;
  for (int i = 0; i < 8; i++)
    key (widget, GDK_KEY_plus);
  drawn = test_draw (widget);
  g_assert_cmphex (test_pixel (drawn, 0, 0), ==, LEFT);
  g_assert_cmphex (test_pixel (drawn, EDGE - 1, EDGE - 1), ==, RIGHT);
  cairo_surface_destroy (drawn);
  g_signal_emit_by_name (test_controller (widget, GTK_TYPE_GESTURE_DRAG), "drag-begin", 0.0, 0.0);
  g_signal_emit_by_name (test_controller (widget, GTK_TYPE_GESTURE_DRAG), "drag-update", 9999.0, 0.0);
  g_assert_true (is_all (widget, LEFT));
  key (widget, GDK_KEY_0);
  drawn = test_draw (widget);
  g_assert_cmphex (test_pixel (drawn, EDGE / 2 + 20, EDGE / 2), ==, RIGHT);
  cairo_surface_destroy (drawn);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  g_setenv ("GTK_A11Y", "test", TRUE); /* makes accessible properties readable */
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/train/grid-image/enlarged", test_enlarged);
  g_test_add_func ("/app/train/grid-image/reduced", test_reduced);
  g_test_add_func ("/app/train/grid-image/set", test_set);
  g_test_add_func ("/app/train/grid-image/tile", test_tile);
  g_test_add_func ("/app/train/grid-image/zoom", test_zoom);
  return g_test_run ();
}
