/* SPDX-License-Identifier: Apache-2.0 */
/* test-plot-area.c - zooming by wheel, drag and keys, and reading values at the crosshair. */
#include "app-test.h"

#include <math.h>

#include "app/plot/plot-area-private.h"
#include "controllers.h"
#include "looks.h"

typedef struct
{
  UrbariumSeries   *a, *b; /* owned */
  UrbariumPlotArea *area;
  GtkWidget        *widget; /* likewise */
  UrbariumChart    *chart;  /* borrowed */
  GtkWindow        *window;
} Fixture;

static void
add (Fixture *self, UrbariumSeries *series)
{
  UrbariumCurve *curve = g_new0 (UrbariumCurve, 1);
  curve->series = g_object_ref (series);
  curve->visible = TRUE;
  g_ptr_array_add (self->chart->curves, curve);
}

/* x 0, 10, … 100 and y 0, 1, … 10; and a curve with other x.  No points if @data is not NULL. */
static void
set_up (Fixture *self, gconstpointer data)
{
  self->a = urbarium_series_new ("Generator");
  self->b = urbarium_series_new ("Critic");
  for (int i = 0; i <= 10 && data == NULL; i++)
    {
      urbarium_series_append (self->a, 10 * i, i == 5 ? NAN : i);
      if (i % 2 == 0)
        urbarium_series_append (self->b, 10 * i + 1, i / 10.0);
    }
  self->widget = urbarium_plot_area_new ();
  self->area = URBARIUM_PLOT_AREA (self->widget);
  self->chart = urbarium_plot_area_get_chart (self->area);
  add (self, self->a);
  add (self, self->b);
  self->chart->x_label = g_strdup ("Step");
  self->window = test_window_new (self->widget, 700, 300);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  test_window_destroy (self->window);
  test_assert_last_unref (self->a);
  test_assert_last_unref (self->b);
}

static void
assert_view (Fixture *self, double expected_min, double expected_max)
{
  double min, max;
  test_frames (self->window, 2);
  g_assert_true (urbarium_chart_get_view (self->chart, &min, &max));
  g_assert_cmpfloat_with_epsilon (min, expected_min, 1e-6);
  g_assert_cmpfloat_with_epsilon (max, expected_max, 1e-6);
  g_assert_true (self->chart->zoomed == (expected_max - expected_min < 101));
}

static double
view_width (Fixture *self)
{
  double min, max;
  g_assert_true (urbarium_chart_get_view (self->chart, &min, &max));
  return max - min;
}

static double
cross (Fixture *self)
{
  double x;
  g_assert_true (urbarium_plot_area_get_cross (self->area, &x));
  return x;
}

static gboolean
has_cross (Fixture *self)
{
  double x;
  return urbarium_plot_area_get_cross (self->area, &x);
}

static void
point_at (Fixture *self, double x)
{
  g_signal_emit_by_name (test_controller (self->widget, GTK_TYPE_EVENT_CONTROLLER_MOTION),
                         "motion", x, 100.0);
}

static gboolean
scroll (Fixture *self, double dx, double dy)
{
  gboolean handled;
  g_signal_emit_by_name (test_controller (self->widget, GTK_TYPE_EVENT_CONTROLLER_SCROLL),
                         "scroll", dx, dy, &handled);
  test_frames (self->window, 2);
  return handled;
}

static void
test_zoom (Fixture *self, gconstpointer data)
{
  assert_view (self, 0, 101);
  urbarium_plot_area_zoom (self->area, 20, 40);
  assert_view (self, 20, 40);
  urbarium_plot_area_zoom (self->area, 90, 130); /* limited to the data */
  assert_view (self, 61, 101);
  urbarium_plot_area_zoom (self->area, -50, 500);
  assert_view (self, 0, 101);
  urbarium_plot_area_zoom (self->area, 30, 30); /* an empty range: all */
  assert_view (self, 0, 101);
}

static void
test_wheel (Fixture *self, gconstpointer data)
{
  double before, min, max;
  point_at (self, gtk_widget_get_width (self->widget) / 2);
  before = cross (self);
  g_assert_true (scroll (self, 0, -3));
  g_assert_cmpfloat_with_epsilon (view_width (self), 101 / pow (1.25, 3), 1e-6);
  point_at (self, gtk_widget_get_width (self->widget) / 2);
  g_assert_cmpfloat (cross (self), ==, before); /* the point under the pointer is fixed */

  urbarium_chart_get_view (self->chart, &min, &max);
  g_assert_true (scroll (self, 2, 0)); /* horizontal */
  assert_view (self, min + 0.1 * (max - min), max + 0.1 * (max - min));
  g_assert_true (scroll (self, 0, 9));
  assert_view (self, 0, 101);
  g_assert_false (scroll (self, 0, 1)); /* left to the page */
}

static void
test_drag (Fixture *self, gconstpointer data)
{
  gpointer drag = test_controller (self->widget, GTK_TYPE_GESTURE_DRAG);
  gpointer click = test_controller (self->widget, GTK_TYPE_GESTURE_CLICK);
  double width = gtk_widget_get_width (self->widget), min, max;
  g_signal_emit_by_name (drag, "drag-begin", width / 2, 100.0);
  g_signal_emit_by_name (drag, "drag-end", 1.0, 0.0); /* a click */
  assert_view (self, 0, 101);
  g_signal_emit_by_name (drag, "drag-begin", width / 2, 100.0);
  g_signal_emit_by_name (drag, "drag-update", width / 4, 0.0);
  test_frames (self->window, 2); /* the selection is drawn */
  g_signal_emit_by_name (drag, "cancel", NULL);
  g_signal_emit_by_name (drag, "drag-end", width / 4, 0.0);
  assert_view (self, 0, 101);

  g_signal_emit_by_name (drag, "drag-begin", width / 2, 100.0);
  g_signal_emit_by_name (drag, "drag-update", -width / 4, 0.0);
  test_screenshot (self->window, "plot-area-range");
  g_signal_emit_by_name (drag, "drag-end", -width / 4, 0.0);
  urbarium_chart_get_view (self->chart, &min, &max);
  g_assert_cmpfloat (min, >, 15);
  g_assert_cmpfloat (max, <, 55);
  g_assert_cmpfloat (max - min, >, 20);
  g_assert_cmpfloat (max - min, <, 40);
  test_frames (self->window, 2);
  g_signal_emit_by_name (click, "pressed", 1, width / 2, 100.0);
  g_assert_true (self->chart->zoomed);
  g_signal_emit_by_name (click, "pressed", 2, width / 2, 100.0);
  assert_view (self, 0, 101);
}

static void
test_keys (Fixture *self, gconstpointer data)
{
  double width;
  g_assert_true (gtk_widget_get_focusable (self->widget));
  for (int i = 0; i < 4; i++)
    g_assert_true (test_key (self->widget, GDK_KEY_plus, 0));
  width = view_width (self);
  g_assert_cmpfloat_with_epsilon (width, 101 / pow (1.25, 4), 1e-6);
  for (int i = 0; i < 40; i++)
    test_key (self->widget, GDK_KEY_Right, GDK_SHIFT_MASK);
  assert_view (self, 101 - width, 101); /* limited to the end, with the same zoom */
  for (int i = 0; i < 40; i++)
    test_key (self->widget, GDK_KEY_Left, GDK_SHIFT_MASK);
  assert_view (self, 0, width);
  g_assert_true (test_key (self->widget, GDK_KEY_minus, 0));
  g_assert_cmpfloat_with_epsilon (view_width (self), width * 1.25, 1e-6);
  g_assert_true (test_key (self->widget, GDK_KEY_0, 0));
  assert_view (self, 0, 101);
  g_assert_false (test_key (self->widget, GDK_KEY_a, 0));
  g_assert_false (test_key (self->widget, GDK_KEY_Left, GDK_ALT_MASK)); /* the previous page */
}

static void
press (Fixture *self, guint key, double expected)
{
  g_assert_true (test_key (self->widget, key, 0));
  g_assert_cmpfloat (cross (self), ==, expected);
}

/* From point to point of all visible curves. */
static void
test_cross (Fixture *self, gconstpointer data)
{
  g_assert_false (has_cross (self));
  g_assert_false (test_key (self->widget, GDK_KEY_Escape, 0)); /* left to a dialog */
  press (self, GDK_KEY_Home, 0);
  press (self, GDK_KEY_Right, 1); /* the other curve's first point */
  press (self, GDK_KEY_Right, 10);
  press (self, GDK_KEY_Right, 20);
  press (self, GDK_KEY_Left, 10);
  test_key (self->widget, GDK_KEY_Right, GDK_CONTROL_MASK);
  g_assert_cmpfloat (cross (self), ==, 20); /* the next is too close for this step */
  test_key (self->widget, GDK_KEY_Right, GDK_CONTROL_MASK);
  g_assert_cmpfloat (cross (self), ==, 30);
  press (self, GDK_KEY_End, 101);
  press (self, GDK_KEY_Right, 101); /* the end */
  urbarium_chart_find_curve (self->chart, self->b)->visible = FALSE;
  urbarium_plot_area_changed (self->area);
  test_frames (self->window, 2);
  press (self, GDK_KEY_End, 100);
  g_assert_true (test_key (self->widget, GDK_KEY_Escape, 0));
  g_assert_false (has_cross (self));

  point_at (self, gtk_widget_get_width (self->widget) / 2);
  g_assert_true (has_cross (self));
  urbarium_plot_area_zoom (self->area, 0, 5); /* hidden when out of view */
  test_frames (self->window, 2);
  g_assert_false (has_cross (self));
  point_at (self, gtk_widget_get_width (self->widget) / 2);
  g_signal_emit_by_name (test_controller (self->widget, GTK_TYPE_EVENT_CONTROLLER_MOTION),
                         "leave");
  g_assert_false (has_cross (self));
}

/* The description for screen readers. */
static void
test_words (Fixture *self, gconstpointer data)
{
  test_assert_name (self->widget, "Plot");
  test_assert_description (self->widget, "Generator: 10 at Step 100; Critic: 1 at Step 101");
  self->chart->y_label = g_strdup ("Value");
  urbarium_plot_area_changed (self->area);
  test_frames (self->window, 2);
  test_assert_name (self->widget, "Value");
  self->chart->title = g_strdup ("Loss");
  urbarium_plot_area_changed (self->area);
  test_frames (self->window, 2);
  test_assert_name (self->widget, "Loss");

  test_key (self->widget, GDK_KEY_Home, 0);
  test_assert_description (self->widget, "Step 0; Generator: 0; Critic: 0");
  test_key (self->widget, GDK_KEY_Right, 0);
  test_key (self->widget, GDK_KEY_Right, 0);
  test_assert_description (self->widget, "Step 10; Generator: 1"); /* the other has no point there */
  test_key (self->widget, GDK_KEY_Escape, 0);
  test_assert_description (self->widget, "Generator: 10 at Step 100; Critic: 1 at Step 101");
}

/* Without data, nothing works; the first points change that. */
static void
test_empty (Fixture *self, gconstpointer data)
{
  gpointer drag = test_controller (self->widget, GTK_TYPE_GESTURE_DRAG);
  const guint keys[] = { GDK_KEY_Home, GDK_KEY_End, GDK_KEY_Left, GDK_KEY_Right, GDK_KEY_plus,
                         GDK_KEY_minus, GDK_KEY_0 };
  test_assert_description (self->widget, "No data yet");
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      test_key (self->widget, keys[i], 0);
      test_key (self->widget, keys[i], GDK_SHIFT_MASK);
    }
  point_at (self, 350);
  g_assert_false (scroll (self, 0, -1));
  g_signal_emit_by_name (drag, "drag-begin", 300.0, 100.0);
  g_signal_emit_by_name (drag, "drag-update", 100.0, 0.0);
  g_signal_emit_by_name (drag, "drag-end", 100.0, 0.0);
  urbarium_plot_area_zoom (self->area, 10, 20);
  test_frames (self->window, 2);
  g_assert_false (has_cross (self));
  g_assert_false (self->chart->zoomed);

  urbarium_series_append (self->a, 0, 1);
  urbarium_series_append (self->a, 101, 2);
  urbarium_plot_area_changed (self->area);
  assert_view (self, 0, 101);
  test_assert_description (self->widget, "Generator: 2 at Step 101");
  press (self, GDK_KEY_End, 101);
}

/* The crosshair is drawn above the curves, and leaves no trace. */
static void
test_drawn (Fixture *self, gconstpointer data)
{
  g_autoptr(TestPicture) before = test_picture_new (self->widget);
  g_autoptr(TestPicture) with = NULL;
  g_autoptr(TestPicture) after = NULL;
  gsize size = (gsize) cairo_image_surface_get_stride (before)
               * (gsize) cairo_image_surface_get_height (before);
  press (self, GDK_KEY_Home, 0);
  with = test_picture_new (self->widget);
  g_assert_cmpint (memcmp (cairo_image_surface_get_data (before),
                           cairo_image_surface_get_data (with), size), !=, 0);
  test_key (self->widget, GDK_KEY_Escape, 0);
  after = test_picture_new (self->widget);
  g_assert_cmpmem (cairo_image_surface_get_data (before), size,
                   cairo_image_surface_get_data (after), size);
}

/* Of the pixels of curves, how many changed beside the crosshair at @x and its dots. */
static int
count_hidden (TestPicture *before, TestPicture *with, double x)
{
  int n = 0;
  for (int row = 0; row < cairo_image_surface_get_height (before); row++)
    for (int col = 0; col < cairo_image_surface_get_width (before); col++)
      {
        guint32 a = test_picture_get (before, col, row);
        int r = a >> 16 & 0xff, g = a >> 8 & 0xff, b = a & 0xff;
        gboolean is_curve = MAX (r, MAX (g, b)) - MIN (r, MIN (g, b)) > 60;
        n += is_curve && fabs (col - x) > 30 && test_picture_get (with, col, row) != a;
      }
  return n;
}

/* The readout finds a place beside the curves, wherever the crosshair is. */
static void
test_readout (Fixture *self, gconstpointer data)
{
  g_autoptr(TestPicture) before = test_picture_new (self->widget);
  int width = gtk_widget_get_width (self->widget), n_shown = 0;
  for (int x = 60; x < width; x += 40)
    {
      g_autoptr(TestPicture) with = NULL;
      double at;
      point_at (self, x);
      if (!has_cross (self))
        continue;
      at = urbarium_axis_to_px (&self->area->frame.x, cross (self));
      with = test_picture_new (self->widget);
      g_assert_cmpint (count_hidden (before, with, at), ==, 0);
      n_shown++;
    }
  g_assert_cmpint (n_shown, >, 10);
  test_screenshot (self->window, "plot-readout");
}

/* By key; disposed with the plot while open. */
static void
test_menu (Fixture *self, gconstpointer data)
{
  GtkWidget *menu;
  g_assert_false (test_key (self->widget, GDK_KEY_F10, 0)); /* left to the window */
  g_assert_null (test_find (self->widget, GTK_TYPE_POPOVER_MENU));
  g_assert_true (test_key (self->widget, GDK_KEY_F10, GDK_SHIFT_MASK));
  menu = test_find (self->widget, GTK_TYPE_POPOVER_MENU);
  g_assert_nonnull (menu);
  g_assert_true (gtk_widget_get_visible (menu));
  gtk_popover_popdown (GTK_POPOVER (menu));
  g_assert_true (test_key (self->widget, GDK_KEY_Menu, 0));
  g_assert_true (test_find (self->widget, GTK_TYPE_POPOVER_MENU) == menu);
  test_frames (self->window, 2);
}

int
main (int argc, char **argv)
{
  test_keep_names ();
  test_app_init (&argc, &argv);
  test_load_style ();
#define ADD(name, func, data)                                                                      \
  g_test_add ("/app/plot-area/" name, Fixture, data, set_up, func, tear_down)
  ADD ("zoom", test_zoom, NULL);
  ADD ("wheel", test_wheel, NULL);
  ADD ("drag", test_drag, NULL);
  ADD ("keys", test_keys, NULL);
  ADD ("cross", test_cross, NULL);
  ADD ("words", test_words, NULL);
  ADD ("empty", test_empty, "empty");
  ADD ("drawn", test_drawn, NULL);
  ADD ("readout", test_readout, NULL);
  ADD ("menu", test_menu, NULL);
#undef ADD
  return g_test_run ();
}
