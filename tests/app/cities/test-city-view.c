/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-city-view.c - the large view: zoom, ruler and classes by keyboard, mouse and wheel, with a
 * handmade tile.
 */
#include <math.h>
#include <string.h>

#include "app-test.h"
#include "app/cities/city-view.h"
#include "city/plan-drawing.h"

enum { SIZE_PX = 64 };

/* A building on the left, a road in the middle. */
static UrbariumCity *
make_city (void)
{
  guint8 levels[SIZE_PX * SIZE_PX * 3] = { 0 };
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(UrbariumTile) tile = NULL;
  UrbariumCity *city = urbarium_city_new (1, 1, 1);
  for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
    {
      int col = i % SIZE_PX, row = i / SIZE_PX;
      gboolean building = col >= 8 && col < 24 && row >= 8 && row < 24;
      levels[3 * i + (building ? 0 : col >= 30 && col < 34 ? 1 : 2)] = 255;
    }
  bytes = g_bytes_new (levels, sizeof levels);
  tile = urbarium_tile_new (bytes, SIZE_PX, SIZE_PX, 3, 256);
  urbarium_city_set_tile (city, tile);
  return city;
}

static GtkEventController *
find_controller (GtkWidget *widget, GType type)
{
  g_autoptr(GListModel) list = gtk_widget_observe_controllers (widget);
  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr(GtkEventController) one = g_list_model_get_item (list, i);
      if (G_TYPE_CHECK_INSTANCE_TYPE (one, type))
        return one;
    }
  g_assert_not_reached ();
}

static gboolean
press (GtkWidget *view, guint key, GdkModifierType state)
{
  gboolean handled = FALSE;
  g_signal_emit_by_name (find_controller (view, GTK_TYPE_EVENT_CONTROLLER_KEY), "key-pressed", key,
                         0, state, &handled);
  return handled;
}

static char *
get_reading (GtkWidget *view)
{
  char *reading;
  g_object_get (view, "reading", &reading, NULL);
  return reading;
}

static void
to_plan (GtkWidget *view, double px, double py, double *x, double *y)
{
  UrbariumView seen = urbarium_city_view_get_view (URBARIUM_CITY_VIEW (view));
  urbarium_view_to_map (&seen, px, py, x, y);
}

static void
from_plan (GtkWidget *view, double x, double y, double *px, double *py)
{
  UrbariumView seen = urbarium_city_view_get_view (URBARIUM_CITY_VIEW (view));
  urbarium_view_from_map (&seen, x, y, px, py);
}

static double
get_scale (GtkWidget *view)
{
  return 1 / urbarium_city_view_get_view (URBARIUM_CITY_VIEW (view)).m_per_px;
}

static void
test_zoom (void)
{
  g_autoptr(UrbariumCity) city = make_city ();
  GtkWidget *view = g_object_new (URBARIUM_TYPE_CITY_VIEW, NULL);
  GtkWindow *window = test_window_new (view, 600, 500);
  double fits, x, y, there_x, there_y;
  urbarium_city_view_set_city (URBARIUM_CITY_VIEW (view), city);
  fits = get_scale (view);
  g_assert_cmpfloat (fits, >, 1);
  g_assert_true (press (view, GDK_KEY_plus, 0));
  g_assert_true (press (view, GDK_KEY_plus, 0));
  g_assert_cmpfloat_with_epsilon (get_scale (view), fits * 1.25 * 1.25, 1e-6);
  /* A drag pans: the grabbed point follows the pointer. */
  to_plan (view, 300, 250, &x, &y);
  g_signal_emit_by_name (find_controller (view, GTK_TYPE_GESTURE_DRAG), "drag-begin", 300.0, 250.0);
  g_signal_emit_by_name (find_controller (view, GTK_TYPE_GESTURE_DRAG), "drag-update", 20.0, -10.0);
  to_plan (view, 320, 240, &there_x, &there_y);
  g_assert_cmpfloat_with_epsilon (there_x, x, 1e-6);
  g_assert_cmpfloat_with_epsilon (there_y, y, 1e-6);
  g_assert_true (press (view, GDK_KEY_Left, GDK_SHIFT_MASK));
  g_assert_false (press (view, GDK_KEY_Left, 0)); /* left to the page: previous city */
  g_assert_false (press (view, GDK_KEY_Escape, 0));
  g_assert_true (press (view, GDK_KEY_0, 0));
  g_assert_cmpfloat_with_epsilon (get_scale (view), fits, 1e-9);
  test_frames (window, 5);
  test_window_destroy (window);
  test_assert_last_unref (g_steal_pointer (&city));
}

static void
test_ruler (void)
{
  g_autoptr(UrbariumCity) city = make_city ();
  GtkWidget *view = g_object_new (URBARIUM_TYPE_CITY_VIEW, NULL);
  GtkWindow *window = test_window_new (view, 600, 500);
  gpointer drag = find_controller (view, GTK_TYPE_GESTURE_DRAG);
  g_autofree char *distance = NULL, *dragged = NULL, *area = NULL, *none = NULL;
  double px, py, px_m;
  urbarium_city_view_set_city (URBARIUM_CITY_VIEW (view), city);
  g_object_set (view, "vectors", TRUE, NULL);
  urbarium_city_view_set_tool (URBARIUM_CITY_VIEW (view), URBARIUM_MEASURE_AREA);
  /* A square of 64 m around the building, with the mouse. */
  for (int i = 0; i < 4; i++)
    {
      from_plan (view, i == 0 || i == 3 ? 32 : 96, i < 2 ? 160 : 224, &px, &py);
      g_signal_emit_by_name (find_controller (view, GTK_TYPE_GESTURE_CLICK), "pressed", 1, px, py);
    }
  g_signal_emit_by_name (find_controller (view, GTK_TYPE_GESTURE_CLICK), "pressed", 2, px, py);
  area = get_reading (view);
  g_assert_true (strstr (area, "4\u202f096") != NULL || strstr (area, "4,096") != NULL);
  g_assert_nonnull (strstr (area, "256"));
  test_frames (window, 10);
  test_screenshot (window, "city-view-area");
  /* A distance with the keyboard: right and up, then cleared. */
  urbarium_city_view_set_tool (URBARIUM_CITY_VIEW (view), URBARIUM_MEASURE_DISTANCE);
  g_assert_true (press (view, GDK_KEY_Return, 0));
  g_assert_true (press (view, GDK_KEY_Right, GDK_SHIFT_MASK));
  g_assert_true (press (view, GDK_KEY_Up, 0));
  g_assert_true (press (view, GDK_KEY_Return, 0));
  distance = get_reading (view);
  g_assert_nonnull (strstr (distance, "m"));
  g_assert_true (press (view, GDK_KEY_Escape, 0));
  none = get_reading (view);
  g_assert_null (none);
  g_assert_false (press (view, GDK_KEY_Escape, 0)); /* left to the page: back */
  /* And with the mouse: 64 m to the east. */
  px_m = get_scale (view);
  from_plan (view, 32, 160, &px, &py);
  g_signal_emit_by_name (drag, "drag-begin", px, py);
  g_signal_emit_by_name (drag, "drag-update", 20 * px_m, 0.0);
  g_signal_emit_by_name (drag, "drag-update", 64 * px_m, 0.0);
  g_signal_emit_by_name (drag, "drag-end", 64 * px_m, 0.0);
  dragged = get_reading (view);
  g_assert_nonnull (strstr (dragged, "64.0"));
  test_window_destroy (window);
}

/* The color in the middle of a pixel of the tile. */
static guint32
get_color (UrbariumTile *tile, guint classes, int col, int row)
{
  UrbariumTilePart part;
  g_autoptr(GdkTexture) texture = NULL;
  g_autofree guint32 *pixels = g_new (guint32, 256 * 256);
  urbarium_tile_part_init (&part, tile, TRUE, 256);
  part.classes = classes;
  texture = urbarium_tile_paint (tile, &part);
  gdk_texture_download (texture, (guchar *) pixels, 256 * 4);
  return pixels[(4 * row + 2) * 256 + 4 * col + 2] & 0xffffff;
}

static void
test_classes (void)
{
  g_autoptr(UrbariumCity) city = make_city ();
  UrbariumTile *tile = urbarium_city_get_tile (city);
  UrbColor building = urb_class_get_color (URB_CLASS_BUILDING);
  double rose[URBARIUM_ROSE_SECTORS] = { 0 }, total = 0;
  g_assert_cmpuint (get_color (tile, URBARIUM_ALL_CLASSES, 16, 16), ==,
                    (guint32) (building.r << 16 | building.g << 8 | building.b));
  g_assert_cmpuint (get_color (tile, 1u << URB_CLASS_ROAD, 16, 16), ==, 0xffffff);
  g_assert_cmpuint (get_color (tile, 1u << URB_CLASS_BUILDING, 16, 16), ==,
                    (guint32) (building.r << 16 | building.g << 8 | building.b));
  g_assert_cmpuint (get_color (tile, 1u << URB_CLASS_BUILDING, 32, 50), ==, 0xffffff);
  /* Four walls of 64 m to the east and to the north. */
  urbarium_tile_add_rose (tile, rose);
  for (int i = 0; i < URBARIUM_ROSE_SECTORS; i++)
    total += rose[i];
  g_assert_cmpfloat_with_epsilon (total, 256, 8);
  for (int i = 1; i < URBARIUM_ROSE_SECTORS; i++)
    g_assert_cmpfloat (rose[i], <, 1);
  g_assert_cmpfloat (rose[0], >, 240);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/city-view/zoom", test_zoom);
  g_test_add_func ("/city-view/ruler", test_ruler);
  g_test_add_func ("/city-view/classes", test_classes);
  return g_test_run ();
}
