/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-plot.c - measures the frame time of a plot with curves of many points: redrawn (as
 * when they grow), and with only the crosshair moving, compared with a plain Cairo stroke
 * of all points.
 *
 *   with-display bench-plot [POINTS [CURVES]]
 */
#include <adwaita.h>
#include <math.h>

#include "app/plot/plot-area.h"
#include "app/plot/plot.h"
#include "seconds.h"

enum
{
  WIDTH = 1200,
  HEIGHT = 500,
  N_FRAMES = 100
};

static double
now_ms (void)
{
  return 1e3 * clock_s (CLOCK_THREAD_CPUTIME_ID); /* independent of other threads */
}

static double
report (const char *what, double *ms, int n)
{
  double middle = median (ms, n);
  printf ("%-44s %9.3f %9.3f\n", what, middle, ms[n - 1]);
  return middle;
}

static void
frame (GtkWidget *area)
{
  g_autoptr(GtkSnapshot) snapshot = gtk_snapshot_new ();

  GTK_WIDGET_GET_CLASS (area)->snapshot (area, snapshot);
}

static UrbariumSeries *
series_new (int n, int seed)
{
  UrbariumSeries *series = urbarium_series_new ("Loss");
  g_autoptr(GRand) rand = g_rand_new_with_seed ((guint32) seed);

  urbarium_series_freeze (series);
  for (int i = 0; i < n; i++)
    urbarium_series_append (series, i, seed + 4 * exp (-8.0 * i / n) + g_rand_double (rand));
  urbarium_series_thaw (series);
  return series;
}

static double
stroke_all (UrbariumSeries **series, int n_curves, double seconds)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);
  gsize n = urbarium_series_get_n (series[0]), n_drawn = 0;
  double start = now_ms (), took;

  /* In pieces, as many as fit into the time, since one stroke would take too long. */
  for (int curve = 0; curve < n_curves; curve++)
    for (gsize i = 0; i + 1 < n; i += 1000)
      {
        for (gsize k = i; k < MIN (i + 1000, n); k++)
          {
            double x, y;
            urbarium_series_get (series[curve], k, &x, &y);
            cairo_line_to (cr, x / n * WIDTH, y / 10 * HEIGHT);
          }
        cairo_stroke (cr);
        n_drawn += MIN (1000, n - i);
        if (now_ms () - start > 1000 * seconds)
          curve = n_curves, i = n;
      }
  took = (now_ms () - start) * (double) n * n_curves / n_drawn;
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return took;
}

static void
scene (UrbariumPlotArea *area, const char *what, double *medians)
{
  GtkEventController *motion = NULL;
  g_autoptr(GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (area));
  g_autofree char *anew = g_strdup_printf ("%s: redraw", what);
  g_autofree char *cross = g_strdup_printf ("%s: crosshair", what);
  double ms[N_FRAMES];

  for (int i = 0; i < N_FRAMES; i++)
    {
      double start = now_ms ();
      urbarium_plot_area_changed (area);
      frame (GTK_WIDGET (area));
      ms[i] = now_ms () - start;
    }
  medians[0] = report (anew, ms, N_FRAMES);
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr(GObject) controller = g_list_model_get_item (controllers, i);
      if (GTK_IS_EVENT_CONTROLLER_MOTION (controller))
        motion = GTK_EVENT_CONTROLLER (controller);
    }
  for (int i = 0; i < N_FRAMES; i++)
    {
      double start = now_ms ();
      g_signal_emit_by_name (motion, "motion", 100.0 + i * 10, 100.0);
      frame (GTK_WIDGET (area));
      ms[i] = now_ms () - start;
    }
  medians[1] = report (cross, ms, N_FRAMES);
}

static GtkWidget *
find_area (GtkWidget *plot)
{
  GtkWidget *child = gtk_widget_get_first_child (plot);

  while (child != NULL && !URBARIUM_IS_PLOT_AREA (child))
    child = gtk_widget_get_next_sibling (child);
  return child;
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 1000000, n_curves = argc > 2 ? atoi (argv[2]) : 4;
  g_autofree UrbariumSeries **series = g_new (UrbariumSeries *, n_curves);
  GtkWidget *window, *plot;
  UrbariumPlotArea *area;
  double start = now_ms (), medians[2], plain;
  g_autofree double *append_ms = g_new (double, N_FRAMES);

  adw_init ();
  for (int i = 0; i < n_curves; i++)
    series[i] = series_new (n, i);
  printf ("%d curves of %d points, %d x %d pixels; created in %.0f ms\n\n", n_curves, n, WIDTH, HEIGHT,
          now_ms () - start);
  printf ("%-44s %9s %9s\n", "processor ms per frame", "median", "worst");
  plot = g_object_new (URBARIUM_TYPE_PLOT, NULL);
  area = URBARIUM_PLOT_AREA (find_area (plot));
  for (int i = 0; i < n_curves; i++)
    urbarium_plot_add (URBARIUM_PLOT (plot), series[i], i, i % 2);
  window = gtk_window_new ();
  gtk_window_set_default_size (GTK_WINDOW (window), WIDTH, HEIGHT);
  gtk_window_set_child (GTK_WINDOW (window), plot);
  gtk_window_present (GTK_WINDOW (window));
  while (gtk_widget_get_width (GTK_WIDGET (area)) == 0)
    g_main_context_iteration (NULL, TRUE);

  scene (area, "raw", medians);
  g_object_set (plot, "smoothing", 0.99, NULL);
  while (!urbarium_chart_smooth (urbarium_plot_area_get_chart (area), 100000))
    ;
  scene (area, "smooth over envelope", medians);
  for (int i = 0; i < N_FRAMES; i++)
    {
      start = now_ms ();
      for (int curve = 0; curve < n_curves; curve++)
        urbarium_series_append (series[curve], n + i, 1);
      frame (GTK_WIDGET (area));
      append_ms[i] = now_ms () - start;
    }
  report ("smooth, one more point each", append_ms, N_FRAMES);
  plain = stroke_all (series, n_curves, 10);
  printf ("%-44s %9.0f\n\nplain / smooth: %.0f\n", "Cairo's stroke of all points", plain,
          plain / medians[0]);
  gtk_window_destroy (GTK_WINDOW (window));
  for (int i = 0; i < n_curves; i++)
    g_object_unref (series[i]);
  return 0;
}
