/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>

#include "app/plot/band.h"
#include "app/plot/plot-area.h"
#include "app/plot/plot.h"
#include "controllers.h"
#include "looks.h"

static UrbariumPlotArea *
get_area (GtkWidget *plot)
{
  return URBARIUM_PLOT_AREA (test_find (plot, URBARIUM_TYPE_PLOT_AREA));
}

static UrbariumChart *
get_chart (GtkWidget *plot)
{
  return urbarium_plot_area_get_chart (get_area (plot));
}

/* A loss like those of adversarial training: autocorrelated noise, and a steep start. */
static UrbariumSeries *
loss_new (const char *name, int n, double start, double end, double noise)
{
  UrbariumSeries *series = urbarium_series_new (name);
  g_autoptr(GRand) rand = g_rand_new_with_seed ((guint32) (n + 1000 * end));
  double slow = 0;

  urbarium_series_freeze (series);
  for (int i = 0; i < n; i++)
    {
      double fast = 0;
      for (int k = 0; k < 4; k++)
        fast += g_rand_double_range (rand, -1, 1);
      slow = 0.998 * slow + 0.05 * g_rand_double_range (rand, -1, 1);
      urbarium_series_append (series, 4 * i,
                              fmax (0.02, end + (start - end) * exp (-i / (n / 9.0))
                                            + noise * (0.45 * fast + 0.7 * slow)
                                            + (start - end) * 2 * exp (-i / (n / 400.0))));
    }
  urbarium_series_thaw (series);
  return series;
}

static void
sine_cb (UrbariumSeries *series, int n)
{
  for (int i = 0; i < n; i++)
    urbarium_series_append (series, i, sin (i * 0.1));
}

/* x 0, 10, … 100; y 0, 1, … 10; and a curve with other x. */
static GtkWidget *
small_plot (UrbariumSeries **a, UrbariumSeries **b)
{
  GtkWidget *plot = g_object_new (URBARIUM_TYPE_PLOT, NULL);

  *a = urbarium_series_new ("Generator");
  *b = urbarium_series_new ("Critic, \"other\"");
  for (int i = 0; i <= 10; i++)
    {
      urbarium_series_append (*a, 10 * i, i == 5 ? NAN : i);
      if (i % 2 == 0)
        urbarium_series_append (*b, 10 * i + 1, i / 10.0);
    }
  urbarium_plot_add (URBARIUM_PLOT (plot), *a, 0, URBARIUM_PLOT_SOLID);
  urbarium_plot_add (URBARIUM_PLOT (plot), *b, 0, URBARIUM_PLOT_DASHED);
  g_object_set (plot, "title", "Loss", "x-label", "Step", "y-label", "Loss", NULL);
  return plot;
}

static void
free_both (UrbariumSeries *a, UrbariumSeries *b)
{
  test_assert_last_unref (a);
  test_assert_last_unref (b);
}

static void
test_zoom (void)
{
  UrbariumSeries *a, *b;
  GtkWidget *plot = small_plot (&a, &b);
  GtkWindow *window = test_window_new (plot, 600, 400);
  UrbariumChart *chart = get_chart (plot);
  double min, max;

  g_assert_true (urbarium_chart_get_view (chart, &min, &max));
  g_assert_false (chart->zoomed);
  g_assert_cmpfloat (min, ==, 0);
  g_assert_cmpfloat (max, ==, 101);
  urbarium_plot_area_zoom (get_area (plot), 20, 40);
  g_assert_true (urbarium_chart_get_view (chart, &min, &max));
  g_assert_true (chart->zoomed);
  g_assert_cmpfloat (min, ==, 20);
  g_assert_cmpfloat (max, ==, 40);
  test_frames (window, 2);
  gtk_widget_activate_action (plot, "plot.reset-zoom", NULL);
  g_assert_false (chart->zoomed);
  test_frames (window, 2);
  test_window_destroy (window);
  free_both (a, b);
}

static void
test_legend (void)
{
  UrbariumSeries *a, *b;
  GtkWidget *plot = small_plot (&a, &b);
  GtkWindow *window = test_window_new (plot, 600, 400);
  GtkWidget *entry = test_find (plot, GTK_TYPE_TOGGLE_BUTTON);
  UrbariumChart *chart = get_chart (plot);

  g_assert_true (urbarium_chart_find_curve (chart, a)->visible);
  gtk_widget_activate (entry);
  g_assert_true (gtk_widget_get_focusable (entry));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (entry), FALSE);
  g_assert_false (urbarium_chart_find_curve (chart, a)->visible);
  g_assert_true (urbarium_chart_find_curve (chart, b)->visible);
  test_frames (window, 2);
  urbarium_series_append (b, 200, 1);
  test_frames (window, 2);
  urbarium_plot_clear (URBARIUM_PLOT (plot));
  free_both (a, b);
  g_assert_null (test_find (plot, GTK_TYPE_TOGGLE_BUTTON));
  test_frames (window, 2);
  test_screenshot (window, "plot-empty");
  test_window_destroy (window);
}

/* However many curves there are, the plot keeps most of the height, and all can be switched. */
static void
test_many_curves (void)
{
  UrbariumSeries *a, *b;
  GtkWidget *plot = small_plot (&a, &b);
  GtkWindow *window = test_window_new (plot, 500, 300);
  int height;
  for (int i = 0; i < 12; i++)
    {
      g_autofree char *name = g_strdup_printf ("A long name of a run, number %d: Discriminator’s loss", i);
      g_autoptr(UrbariumSeries) series = urbarium_series_new (name);
      urbarium_series_append (series, 1, i);
      urbarium_plot_add (URBARIUM_PLOT (plot), series, (guint) i % 6, URBARIUM_PLOT_SOLID);
    }
  test_frames (window, 3);
  test_screenshot (window, "plot-many-curves");
  height = gtk_widget_get_height (plot);
  g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (get_area (plot))), >, height / 2);
  urbarium_plot_clear (URBARIUM_PLOT (plot));
  free_both (a, b);
  test_frames (window, 3);
  g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (get_area (plot))), ==, height);
  test_window_destroy (window);
}

/* The text of a mark and that of values beyond the plot do not overlap. */
static void
test_mark_and_beyond (void)
{
  GtkWidget *plot = g_object_new (URBARIUM_TYPE_PLOT, NULL);
  UrbariumSeries *series = urbarium_series_new ("Generator");
  GtkWindow *window = test_window_new (plot, 600, 300);
  g_autoptr(TestPicture) without = NULL, with = NULL;
  int n_changed = 0, top = 0, width;
  for (int i = 0; i < 100; i++)
    urbarium_series_append (series, i, i == 3 ? 10000 : 1 + 0.01 * i);
  urbarium_plot_add (URBARIUM_PLOT (plot), series, 0, URBARIUM_PLOT_SOLID);
  without = test_picture_new (GTK_WIDGET (get_area (plot)));
  urbarium_plot_set_mark (URBARIUM_PLOT (plot), "cities", 85, "Cities");
  with = test_picture_new (GTK_WIDGET (get_area (plot)));
  test_screenshot (window, "plot-mark");
  width = cairo_image_surface_get_width (with);
  /* The rows of the text at the edge: those with ink at the right end of the plot, from the top. */
  for (int y = 0; y < 40 && top == 0; y++)
    for (int x = width - 60; x < width; x++)
      if (test_picture_get (without, x, y) >> 24 > 128)
        top = y;
  g_assert_cmpint (top, >, 0);
  for (int y = top; y < top + 8; y++)
    for (int x = width / 2; x < width; x++)
      if (test_picture_get (with, x, y) != test_picture_get (without, x, y))
        n_changed++;
  g_assert_cmpint (n_changed, <=, 8); /* the line of the mark */
  test_window_destroy (window);
  test_assert_last_unref (series);
}

static UrbariumSeries *
smoothed (GtkWidget *plot, UrbariumSeries *series)
{
  UrbariumChart *chart = get_chart (plot);
  g_assert_true (urbarium_chart_smooth (chart, G_MAXSIZE));
  return urbarium_chart_find_curve (chart, series)->smooth;
}

/* After appending and truncating, the average equals one computed from the start. */
static void
test_smoothing (void)
{
  UrbariumSeries *series = urbarium_series_new ("Generator");
  GtkWidget *plot = g_object_ref_sink (g_object_new (URBARIUM_TYPE_PLOT, NULL));
  double sum = 0, weight = 0, y;

  urbarium_plot_add (URBARIUM_PLOT (plot), series, 0, URBARIUM_PLOT_SOLID);
  g_object_set (plot, "smoothing", 0.9, NULL);
  sine_cb (series, 100);
  g_assert_cmpuint (urbarium_series_get_n (smoothed (plot, series)), ==, 100);
  urbarium_series_truncate (series, 49);
  urbarium_series_append (series, 50, NAN);
  for (int i = 51; i < 300; i++)
    urbarium_series_append (series, i, cos (i * 0.1));
  for (int i = 0; i < 300; i++)
    {
      urbarium_series_get (series, i, NULL, &y);
      if (i != 50)
        {
          sum = 0.9 * sum + 0.1 * y;
          weight = 0.9 * weight + 0.1;
        }
      urbarium_series_get (smoothed (plot, series), i, NULL, &y);
      if (i == 50)
        g_assert_true (isnan (y));
      else
        g_assert_cmpfloat_with_epsilon (y, sum / weight, 1e-12);
    }
  urbarium_series_get (smoothed (plot, series), 0, NULL, &y);
  g_assert_cmpfloat (y, ==, 0); /* bias-corrected: the first value is itself */
  g_object_set (plot, "smoothing", 0.0, NULL);
  g_assert_null (smoothed (plot, series));
  test_assert_last_unref (plot);
  test_assert_last_unref (series);
}

static char *
export (GtkWidget *plot, const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr(GError) error = NULL;
  char *contents = NULL;
  gsize length;

  g_assert_true (urbarium_chart_export (get_chart (plot), path, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  g_assert_cmpuint (length, >, 0);
  if (g_getenv ("URBARIUM_SCREENSHOTS") == NULL)
    g_unlink (path);
  return contents;
}

static void
test_export (void)
{
  static const char *expected
    = "Step,Generator,\"Critic, \"\"other\"\"\"\r\n"
      "0,0,\r\n1,,0\r\n10,1,\r\n20,2,\r\n21,,0.2\r\n30,3,\r\n40,4,\r\n41,,0.4\r\n"
      "50,,\r\n60,6,\r\n61,,0.6\r\n70,7,\r\n80,8,\r\n81,,0.8\r\n90,9,\r\n100,10,\r\n101,,1\r\n";
  g_autofree char *folder = g_dir_make_tmp ("urbarium-plot-XXXXXX", NULL);
  UrbariumSeries *a, *b;
  GtkWidget *plot = g_object_ref_sink (small_plot (&a, &b));
  GMarkupParser parser = { 0 };
  g_autoptr(GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, NULL, NULL);
  g_autoptr(GError) error = NULL;
  g_autofree char *csv = export (plot, folder, "plot.csv");
  g_autofree char *svg = export (plot, folder, "plot.SVG"), *png = NULL, *zoomed = NULL;

  g_assert_cmpstr (csv, ==, expected);
  g_assert_true (g_markup_parse_context_parse (context, svg, -1, &error));
  g_assert_true (g_markup_parse_context_end_parse (context, &error));
  g_assert_nonnull (strstr (svg, "<svg"));
  png = export (plot, folder, "plot.png");
  g_assert_cmpint (memcmp (png, "\x89PNG\r\n\x1a\n", 8), ==, 0);
  /* Width and height, big-endian: 2 × (720, 420). */
  g_assert_cmpint (memcmp (png + 16, "\0\0\x05\xa0\0\0\x03\x48", 8), ==, 0);

  urbarium_plot_area_zoom (get_area (plot), 10, 21);
  urbarium_chart_find_curve (get_chart (plot), b)->visible = FALSE;
  zoomed = export (plot, folder, "plot.csv");
  g_assert_cmpstr (zoomed, ==, "Step,Generator\r\n10,1\r\n20,2\r\n");

  g_assert_false (urbarium_chart_export (get_chart (plot), "plot.jpg", &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
  g_clear_error (&error);
  g_assert_false (urbarium_chart_export (get_chart (plot), "/nowhere/at/all/plot.csv", &error));
  g_assert_nonnull (error);
  test_assert_last_unref (plot);
  free_both (a, b);
  g_rmdir (folder);
}

static gpointer
export_thread (gpointer data)
{
  gpointer *args = data;
  return GINT_TO_POINTER (urbarium_chart_export (args[0], args[1], NULL));
}

/* As plot.export does: a copy in another thread, while the curves grow. */
static void
test_export_copy (void)
{
  const char *names[] = { "plot.csv", "plot.svg", "plot.png" };
  g_autofree char *folder = g_dir_make_tmp ("urbarium-plot-XXXXXX", NULL);
  UrbariumSeries *series = loss_new ("Loss", 5000, 3, 1, 0.3);
  GtkWidget *plot = g_object_ref_sink (g_object_new (URBARIUM_TYPE_PLOT, NULL));

  urbarium_plot_add (URBARIUM_PLOT (plot), series, 0, URBARIUM_PLOT_SOLID);
  g_object_set (plot, "smoothing", 0.9, "title", "Loss", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      g_autofree char *here = NULL, *there = NULL;
      gsize n_here, n_there;
      gpointer args[2] = { urbarium_chart_copy (get_chart (plot)), path };
      GThread *thread;
      g_assert_true (urbarium_chart_export (get_chart (plot), path, NULL));
      g_assert_true (g_file_get_contents (path, &here, &n_here, NULL));
      thread = g_thread_new ("export", export_thread, args);
      urbarium_series_append (series, 1e6 + i, 2);
      g_assert_true (GPOINTER_TO_INT (g_thread_join (thread)));
      urbarium_series_truncate (series, 1e5);
      g_assert_true (g_file_get_contents (path, &there, &n_there, NULL));
      if (i != 1) /* Cairo numbers the elements of all its SVG files */
        g_assert_cmpmem (here, n_here, there, n_there);
      urbarium_chart_free (args[0]);
      g_unlink (path);
    }
  test_assert_last_unref (plot);
  test_assert_last_unref (series);
  g_rmdir (folder);
}

/* Values survive a round trip. */
static void
test_csv_exact (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-plot-XXXXXX", NULL);
  UrbariumSeries *series = loss_new ("Loss", 500, 3, 1, 0.3);
  GtkWidget *plot = g_object_ref_sink (g_object_new (URBARIUM_TYPE_PLOT, NULL));
  g_autofree char *csv = NULL;
  g_auto(GStrv) lines = NULL;

  urbarium_plot_add (URBARIUM_PLOT (plot), series, 0, URBARIUM_PLOT_SOLID);
  csv = export (plot, folder, "plot.csv");
  lines = g_strsplit (csv, "\r\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 502);
  g_assert_cmpstr (lines[0], ==, "x,Loss");
  for (int i = 0; i < 500; i++)
    {
      char *end;
      double x, y;
      urbarium_series_get (series, i, &x, &y);
      g_assert_cmpfloat (g_ascii_strtod (lines[i + 1], &end), ==, x);
      g_assert_cmpfloat (g_ascii_strtod (end + 1, NULL), ==, y);
    }
  test_assert_last_unref (plot);
  test_assert_last_unref (series);
  g_rmdir (folder);
}

static void
test_ranges (void)
{
  UrbariumSeries *series = urbarium_series_new ("Loss");
  GtkWidget *plot = g_object_new (URBARIUM_TYPE_PLOT, NULL);
  GtkWindow *window;
  UrbariumChart *chart;
  g_auto(UrbariumChartStyle) style = { 0 };
  UrbariumChartFrame frame;

  for (int i = 0; i < 2000; i++)
    urbarium_series_append (series, i, i < 3 ? 5000 : 1 + i % 11 * 0.1);
  urbarium_plot_add (URBARIUM_PLOT (plot), series, 0, URBARIUM_PLOT_SOLID);
  window = test_window_new (plot, 500, 300);
  chart = get_chart (plot);
  urbarium_chart_style_init_widget (&style, plot);
  urbarium_chart_frame_init (&frame, chart, &style, URBARIUM_CHART_ON_SCREEN, 500, 300, 1);
  g_assert_cmpfloat (frame.y.max, <, 2.2);
  g_assert_cmpfloat (frame.y.max, >, 2);
  g_assert_cmpfloat (frame.beyond_max, ==, 5000);
  urbarium_chart_frame_clear (&frame);
  gtk_widget_activate_action (plot, "plot.all-data", NULL);
  urbarium_chart_frame_init (&frame, chart, &style, URBARIUM_CHART_ON_SCREEN, 500, 300, 1);
  g_assert_cmpfloat (frame.y.max, >, 5000);
  g_assert_true (isnan (frame.beyond_max));
  urbarium_chart_frame_clear (&frame);
  /* Log axes cannot show step 0 and values of 0; nothing breaks. */
  urbarium_series_append (series, 2000, 0);
  urbarium_series_append (series, 2001, -3);
  g_object_set (plot, "log-x", TRUE, "log-y", TRUE, NULL);
  test_frames (window, 2);
  urbarium_series_truncate (series, 0);
  test_frames (window, 2);
  urbarium_series_truncate (series, -INFINITY);
  urbarium_series_append (series, 5, NAN);
  test_frames (window, 2);
  test_window_destroy (window);
  test_assert_last_unref (series);
}

static guint
alpha_at (cairo_surface_t *surface, int x, int y)
{
  return cairo_image_surface_get_data (surface)[y * cairo_image_surface_get_stride (surface)
                                                + 4 * x + 3];
}

/* Two runs; a row covered by half; a jump that stays connected; nothing beyond the clip. */
static void
test_band (void)
{
  const UrbariumBandPart parts[] = { { 2.5, 10, 20.5, 0 }, { 6.5, 10, 20.5, 0 },
                                     { 7.5, 30, 32, 0 }, { 12.5, 0, 40, 1 } };
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 20, 40);
  cairo_t *cr = cairo_create (surface);

  urbarium_band_fill (parts, 4, cr, &(GdkRGBA) { 1, 0, 0, 1 }, 0,
                      (UrbariumBandClip) { 5, 35 });
  for (int x = 2; x <= 6; x++)
    {
      g_assert_cmpuint (alpha_at (surface, x, 9), ==, 0);
      g_assert_cmpuint (alpha_at (surface, x, 10), ==, 255);
      g_assert_cmpuint (alpha_at (surface, x, 19), ==, 255);
      g_assert_cmpuint (alpha_at (surface, x, 20), ==, 128);
      g_assert_cmpuint (alpha_at (surface, x, 21), ==, 0);
    }
  g_assert_cmpuint (alpha_at (surface, 7, 25), ==, 255);
  g_assert_cmpuint (alpha_at (surface, 7, 31), ==, 255);
  g_assert_cmpuint (alpha_at (surface, 7, 33), ==, 0);
  for (int y = 0; y < 40; y++)
    {
      g_assert_cmpuint (alpha_at (surface, 1, y), ==, 0);
      g_assert_cmpuint (alpha_at (surface, 10, y), ==, 0);
      g_assert_cmpuint (alpha_at (surface, 12, y), ==, y >= 5 && y < 35 ? 255 : 0);
    }
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

static void
assert_ticks (double min, double max, UrbariumAxisScale scale, guint max_labels,
              const char *expected)
{
  UrbariumAxis axis = { scale, min, max, 0, 100 };
  g_autoptr(GArray) ticks = urbarium_axis_get_ticks (&axis, max_labels);
  g_autoptr(GString) text = g_string_new (NULL);

  for (guint i = 0; i < ticks->len; i++)
    {
      const char *label = g_array_index (ticks, UrbariumTick, i).label;
      if (label != NULL)
        g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", label);
    }
  g_assert_cmpstr (text->str, ==, expected);
}

static void
test_ticks (void)
{
  assert_ticks (0, 1, URBARIUM_AXIS_LINEAR, 5, "0.0 0.2 0.4 0.6 0.8 1.0");
  assert_ticks (-3, 17, URBARIUM_AXIS_LINEAR, 5, "0 5 10 15");
  assert_ticks (-0.5, 0.5, URBARIUM_AXIS_LINEAR, 2, "−0.5 0.0 0.5");
  assert_ticks (0, 20000, URBARIUM_AXIS_LINEAR, 4, "0 5\u202f000 10\u202f000 15\u202f000 20\u202f000");
  assert_ticks (0, 3e-7, URBARIUM_AXIS_LINEAR, 3, "0 10⁻⁷ 2×10⁻⁷ 3×10⁻⁷");
  assert_ticks (0.05, 2000, URBARIUM_AXIS_LOG, 6, "0.1 1 10 100 1\u202f000");
  assert_ticks (1e-9, 1, URBARIUM_AXIS_LOG, 3, "10⁻⁹ 10⁻⁶ 0.001 1");
  assert_ticks (1, 100, URBARIUM_AXIS_LOG, 9, "1 2 5 10 20 50 100");
  assert_ticks (2, 6, URBARIUM_AXIS_LOG, 4, "2 3 4 5 6");
}

static void
show (GtkWindow *window, const char *name)
{
  for (int dark = 0; dark < 2; dark++)
    {
      g_autofree char *file = g_strdup_printf ("%s-%s", name, dark ? "dark" : "light");
      test_dark (dark);
      test_frames (window, 4);
      test_screenshot (window, file);
    }
  test_dark (FALSE);
  test_frames (window, 2);
}

static void
test_looks (void)
{
  const char *folder = g_getenv ("URBARIUM_SCREENSHOTS");
  UrbariumSeries *series[] = { loss_new ("Generator, small", 20000, 4.5, 1.3, 0.35),
                               loss_new ("Critic, small", 20000, 0.2, 0.72, 0.16),
                               loss_new ("Generator, large", 14000, 5.5, 1.9, 0.4),
                               loss_new ("Critic, large", 14000, 0.1, 0.45, 0.12) };
  GtkWidget *plot = g_object_new (URBARIUM_TYPE_PLOT, NULL);
  GtkWindow *window = test_window_new (plot, 900, 420);

  g_object_set (plot, "title", "Loss", "x-label", "Step", "y-label", "Loss", "smoothing", 0.98,
                NULL);
  for (guint i = 0; i < 4; i++)
    urbarium_plot_add (URBARIUM_PLOT (plot), series[i], i / 2,
                       i % 2 == 0 ? URBARIUM_PLOT_SOLID : URBARIUM_PLOT_DASHED);
  urbarium_plot_set_mark (URBARIUM_PLOT (plot), "checkpoint", 40000, "Checkpoint");
  test_frames (window, 3);
  show (window, "plot");
  g_signal_emit_by_name (test_controller (GTK_WIDGET (get_area (plot)),
                                          GTK_TYPE_EVENT_CONTROLLER_MOTION),
                         "motion", 340.0, 100.0);
  gtk_widget_grab_focus (GTK_WIDGET (get_area (plot)));
  show (window, "plot-cross");
  g_object_set (plot, "smoothing", 0.0, "log-y", TRUE, NULL);
  show (window, "plot-raw-log");
  urbarium_plot_area_zoom (get_area (plot), 39000, 39400);
  g_object_set (plot, "smoothing", 0.8, "log-y", FALSE, NULL);
  show (window, "plot-zoomed");
  gtk_widget_activate_action (plot, "plot.reset-zoom", NULL);
  if (folder != NULL)
    {
      g_object_set (plot, "smoothing", 0.98, NULL);
      g_free (export (plot, folder, "export.svg"));
      g_free (export (plot, folder, "export.png"));
    }
  test_key (GTK_WIDGET (get_area (plot)), GDK_KEY_Menu, 0);
  test_frames (window, 5);
  test_window_destroy (window);
  for (guint i = 0; i < 4; i++)
    test_assert_last_unref (series[i]);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  test_load_style ();
  g_test_add_func ("/app/plot/zoom", test_zoom);
  g_test_add_func ("/app/plot/legend", test_legend);
  g_test_add_func ("/app/plot/many-curves", test_many_curves);
  g_test_add_func ("/app/plot/mark-and-beyond", test_mark_and_beyond);
  g_test_add_func ("/app/plot/smoothing", test_smoothing);
  g_test_add_func ("/app/plot/export", test_export);
  g_test_add_func ("/app/plot/export-copy", test_export_copy);
  g_test_add_func ("/app/plot/csv-exact", test_csv_exact);
  g_test_add_func ("/app/plot/ranges", test_ranges);
  g_test_add_func ("/app/plot/band", test_band);
  g_test_add_func ("/app/plot/ticks", test_ticks);
  g_test_add_func ("/app/plot/looks", test_looks);
  return g_test_run ();
}
