/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include <math.h>

#include "app/plot/histogram.h"
#include "controllers.h"

typedef struct
{
  int    n_notified, n_set;
  double before;
} Told;

static void
notified_cb (Told *told)
{
  told->n_notified++;
}

static void
set_cb (UrbariumHistogram *self, double before, Told *told)
{
  told->n_set++;
  told->before = before;
}

static GtkWidget *
histogram_new (Told *told)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_HISTOGRAM, NULL);
  gint64 counts[50];

  for (int i = 0; i < 50; i++)
    counts[i] = (gint64) (4000 * exp (-i * 0.13)) * (i % 7 != 6) + (i == 40) * 300;
  urbarium_histogram_set_counts (URBARIUM_HISTOGRAM (widget), counts, 50, 0, 0.25);
  g_object_set (widget, "x-label", "Variance", "threshold", 0.04, NULL);
  if (told != NULL)
    {
      g_signal_connect_swapped (widget, "notify::threshold", G_CALLBACK (notified_cb), told);
      g_signal_connect (widget, "threshold-set", G_CALLBACK (set_cb), told);
    }
  return widget;
}

static void
test_drag (void)
{
  Told told = { 0 };
  GtkWidget *widget = histogram_new (&told);
  UrbariumHistogram *self = URBARIUM_HISTOGRAM (widget);
  GtkWindow *window = test_window_new (widget, 360, 180);
  int width = gtk_widget_get_width (widget);
  gpointer drag = test_controller (widget, GTK_TYPE_GESTURE_DRAG);

  /* The bars have margins of 12 px. */
  g_signal_emit_by_name (drag, "drag-begin", width / 2.0, 30.0);
  g_assert_cmpfloat_with_epsilon (urbarium_histogram_get_threshold (self), 0.125, 1e-9);
  g_assert_cmpint (told.n_notified, ==, 1);
  g_assert_cmpint (told.n_set, ==, 0);
  g_signal_emit_by_name (drag, "drag-update", -5.0, 40.0);
  g_assert_cmpfloat (urbarium_histogram_get_threshold (self), <, 0.125);
  g_signal_emit_by_name (drag, "drag-update", 0.0, 0.0);
  g_assert_cmpfloat_with_epsilon (urbarium_histogram_get_threshold (self), 0.125, 1e-9);
  g_signal_emit_by_name (drag, "drag-end", 0.0, 0.0);
  g_assert_cmpint (told.n_set, ==, 1);
  g_assert_cmpfloat (told.before, ==, 0.04);

  g_signal_emit_by_name (drag, "drag-begin", 0.0, 30.0); /* beyond the end */
  g_assert_cmpfloat (urbarium_histogram_get_threshold (self), ==, 0);
  g_signal_emit_by_name (drag, "cancel", NULL);
  g_assert_cmpfloat_with_epsilon (urbarium_histogram_get_threshold (self), 0.125, 1e-9);
  g_signal_emit_by_name (drag, "drag-end", 0.0, 0.0);
  g_assert_cmpint (told.n_set, ==, 1);
  test_window_destroy (window);
}

static void
test_keyboard (void)
{
  Told told = { 0 };
  GtkWidget *widget = histogram_new (&told);
  UrbariumHistogram *self = URBARIUM_HISTOGRAM (widget);
  GtkWindow *window = test_window_new (widget, 360, 180);

  g_assert_true (gtk_widget_get_focusable (widget));
  g_assert_true (test_key (widget, GDK_KEY_Right, 0));
  g_assert_cmpfloat_with_epsilon (urbarium_histogram_get_threshold (self), 0.045, 1e-9);
  g_assert_cmpfloat (told.before, ==, 0.04);
  test_key (widget, GDK_KEY_Page_Up, 0);
  g_assert_cmpfloat_with_epsilon (urbarium_histogram_get_threshold (self), 0.095, 1e-9);
  test_key (widget, GDK_KEY_Down, 0);
  g_assert_cmpfloat_with_epsilon (urbarium_histogram_get_threshold (self), 0.09, 1e-9);
  test_key (widget, GDK_KEY_End, 0);
  g_assert_cmpfloat (urbarium_histogram_get_threshold (self), ==, 0.25);
  g_assert_cmpint (told.n_set, ==, 4);
  test_key (widget, GDK_KEY_Right, 0); /* unchanged */
  g_assert_cmpint (told.n_set, ==, 4);
  g_assert_false (test_key (widget, GDK_KEY_Left, GDK_CONTROL_MASK));
  g_assert_false (test_key (widget, GDK_KEY_a, 0));
  test_window_destroy (window);
}

/* Set by code: "notify", but not "threshold-set"; and nothing if unchanged. */
static void
test_model (void)
{
  Told told = { 0 };
  GtkWidget *widget = histogram_new (&told);
  UrbariumHistogram *self = URBARIUM_HISTOGRAM (widget);
  GtkWindow *window = test_window_new (widget, 360, 180);
  const gint64 one = 12;
  gint64 start;

  start = g_get_monotonic_time ();
  for (int i = 0; i < 1000; i++)
    {
      g_autoptr(GtkSnapshot) snapshot = gtk_snapshot_new ();
      GTK_WIDGET_GET_CLASS (widget)->snapshot (widget, snapshot);
    }
  g_test_message ("a frame takes %.3f ms", (g_get_monotonic_time () - start) * 1e-6);
  urbarium_histogram_set_threshold (self, 0.5); /* out of range: kept, and drawn at the end */
  urbarium_histogram_set_threshold (self, 0.5);
  g_assert_cmpint (told.n_notified, ==, 1);
  g_assert_cmpint (told.n_set, ==, 0);
  urbarium_histogram_set_counts (self, &one, 1, 3, 3); /* all values are equal */
  test_frames (window, 2);
  urbarium_histogram_set_counts (self, NULL, 0, 0, 1);
  test_frames (window, 2);
  g_assert_false (test_key (widget, GDK_KEY_Right, 0));
  g_assert_cmpfloat (urbarium_histogram_get_threshold (self), ==, 0.5);
  test_window_destroy (window);
}

static void
test_looks (void)
{
  GtkWidget *widget = histogram_new (NULL);
  GtkWindow *window = test_window_new (widget, 360, 170);

  gtk_widget_grab_focus (widget);
  for (int dark = 0; dark < 2; dark++)
    {
      test_dark (dark);
      test_frames (window, 3);
      test_screenshot (window, dark ? "histogram-dark" : "histogram-light");
    }
  test_dark (FALSE);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  test_load_style ();
  g_test_add_func ("/app/plot/histogram/drag", test_drag);
  g_test_add_func ("/app/plot/histogram/keyboard", test_keyboard);
  g_test_add_func ("/app/plot/histogram/model", test_model);
  g_test_add_func ("/app/plot/histogram/looks", test_looks);
  return g_test_run ();
}
