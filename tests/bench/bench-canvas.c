/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-canvas.c - measures how smoothly the canvas pans and zooms a large map.
 *
 * The map is a file, or a synthetic cadastre on 30 x 30 km in which each building (a rotated
 * rectangle or L) has its own parcel, so 500,000 buildings are a million polygons.  For each
 * sequence it prints, in milliseconds (median, 99th percentile and worst):
 *
 *   frame     from one frame of the frame clock to the next
 *   paint     part of it: from its start to the end of GTK's rendering, in software here
 *   canvas    part of that: the canvas's snapshot
 *   between   longest time that the main loop was busy without painting: input, arriving tiles
 *
 * Processor time ("cpu") is shown, too, since wall time includes other programs on a busy machine.
 * Not a test: it only measures.
 *
 *   tests/app/with-display build/tests/bench/bench-canvas
 */
#include <adwaita.h>
#include <math.h>

#include "app/canvas/canvas-private.h"
#include "made-up-map.h"
#include "seconds.h"

enum { REGION_M = 30000, MAX_FRAMES = 100000 };

typedef struct
{
  GArray *frame, *paint, *paint_cpu, *ours, *ours_cpu, *between, *between_cpu; /* of double: ms */
} Times;

typedef struct
{
  const char *name;
  double      m_per_px;  /* at the start */
  double      speed_px;  /* per second, along a slowly turning path */
  double      zoom_s;    /* period in which the scale changes by e^range and back; 0: none */
  double      range;
} Passage;

static const Passage passages[] = {
  { "whole map", 40, 300, 0, 0 },
  { "town", 5, 900, 0, 0 },
  { "quarter", 1, 900, 0, 0 },
  { "street", 0.2, 900, 0, 0 },
  { "leap", 1, 6000, 0, 0 }, /* faster than tiles can be drawn */
  { "zoom", 6, 200, 4, 2 },
};

static int opt_buildings = 500000, opt_width = 1280, opt_height = 800;
static double opt_seconds = 8;
static char *opt_map;

static const GOptionEntry entries[] = {
  { "buildings", 0, 0, G_OPTION_ARG_INT, &opt_buildings, "number of buildings, each with a parcel", "N" },
  { "map", 0, 0, G_OPTION_ARG_FILENAME, &opt_map, "a map instead of the synthetic one", "FILE" },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &opt_seconds, "duration of each sequence", "S" },
  { "width", 0, 0, G_OPTION_ARG_INT, &opt_width, "window size", "PX" },
  { "height", 0, 0, G_OPTION_ARG_INT, &opt_height, "window size", "PX" },
  { NULL },
};

/* State of the one window and its main loop, for the hooks. */
static struct
{
  UrbariumCanvas *canvas;
  Times           times;
  const Passage  *passage;
  gint64          start_us, frame_us, paint_us, busy_us;
  double          paint_cpu, busy_cpu;
  gboolean        painted, done;
  void          (*snapshot) (GtkWidget *widget, GtkSnapshot *snapshot);
} bench;

static double
cpu_ms (void)
{
  return 1e3 * clock_s (CLOCK_THREAD_CPUTIME_ID);
}

static void
add (GArray *times, double ms)
{
  if (bench.passage != NULL && times->len < MAX_FRAMES)
    g_array_append_val (times, ms);
}

/* ------------------------------------------------------------------------ */
/* The map                                                                   */

typedef struct
{
  GArray     *xy, *sizes, *rings;
  GByteArray *classes;
} Rings;

static void
add_polygon (Rings *rings, const double *corners, guint32 n, double x, double y, double angle,
             guint8 class_)
{
  guint32 one = 1;

  for (guint32 i = 0; i < n; i++)
    {
      double u = corners[2 * i], v = corners[2 * i + 1];
      double vertex[] = { x + u * cos (angle) - v * sin (angle),
                          y + u * sin (angle) + v * cos (angle) };

      g_array_append_vals (rings->xy, vertex, 2);
    }
  g_array_append_val (rings->sizes, n);
  g_array_append_val (rings->rings, one);
  g_byte_array_append (rings->classes, &class_, 1);
}

static UrbMap *
make_map (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (1);
  Rings rings = { g_array_new (FALSE, FALSE, sizeof (double)),
                  g_array_new (FALSE, FALSE, sizeof (guint32)),
                  g_array_new (FALSE, FALSE, sizeof (guint32)), g_byte_array_new () };
  int n_across = MAX (1, (int) sqrt (opt_buildings));
  double pitch = (double) REGION_M / n_across, s = pitch / 2;
  const double parcel[] = { -0.95 * s, -0.95 * s, 0.95 * s, -0.95 * s, 0.95 * s, 0.95 * s,
                            -0.95 * s, 0.95 * s };
  UrbMap *map;

  for (int i = 0; i < opt_buildings; i++)
    {
      double x = (i % n_across + 0.5) * pitch, y = (i / n_across + 0.5) * pitch;
      double w = g_rand_double_range (rand, 4, 0.55 * s), h = g_rand_double_range (rand, 4, 0.55 * s);
      const double box[] = { -w, -h, w, -h, w, h, -w, h };
      const double ell[] = { -w, -h, w, -h, w, 0, 0, 0, 0, h, -w, h };
      double angle = g_rand_double_range (rand, 0, G_PI);

      add_polygon (&rings, parcel, 4, x, y, 0, URB_CLASS_OTHER);
      if (i % 3 == 0)
        add_polygon (&rings, ell, 6, x, y, angle, URB_CLASS_BUILDING);
      else
        add_polygon (&rings, box, 4, x, y, angle, URB_CLASS_BUILDING);
    }
  map = made_up_map_new ((double *) (void *) rings.xy->data,
                                (guint32 *) (void *) rings.sizes->data,
                                (guint32 *) (void *) rings.rings->data, rings.classes->data,
                                rings.classes->len, 2056);
  g_array_unref (rings.xy);
  g_array_unref (rings.sizes);
  g_array_unref (rings.rings);
  g_byte_array_unref (rings.classes);
  return map;
}

static UrbMap *
open_map (void)
{
  const char *paths[] = { opt_map, NULL };
  g_autoptr(GError) error = NULL;
  UrbMap *map = opt_map == NULL ? make_map ()
                                : urb_map_open (paths, NULL, NULL, NULL, NULL, &error);

  if (map == NULL)
    {
      g_printerr ("%s\n", error->message);
      exit (1);
    }
  return map;
}

/* ------------------------------------------------------------------------ */
/* Hooks                                                                     */

static void
snapshot_hook (GtkWidget *widget, GtkSnapshot *snapshot)
{
  gint64 start_us = g_get_monotonic_time ();
  double cpu = cpu_ms ();

  bench.snapshot (widget, snapshot);
  add (bench.times.ours, (g_get_monotonic_time () - start_us) / 1e3);
  add (bench.times.ours_cpu, cpu_ms () - cpu);
}

static void
before_paint_cb (GdkFrameClock *clock, gpointer data)
{
  bench.paint_us = g_get_monotonic_time ();
  bench.paint_cpu = cpu_ms ();
}

static void
after_paint_cb (GdkFrameClock *clock, gpointer data)
{
  gint64 now_us = g_get_monotonic_time ();

  bench.painted = TRUE;
  add (bench.times.paint, (now_us - bench.paint_us) / 1e3);
  add (bench.times.paint_cpu, cpu_ms () - bench.paint_cpu);
  if (bench.frame_us != 0)
    add (bench.times.frame, (now_us - bench.frame_us) / 1e3);
  bench.frame_us = now_us;
}

/* The main loop is busy from the end of one poll to the start of the next. */
static int
poll_hook (GPollFD *fds, guint n_fds, int timeout_ms)
{
  gint64 now_us = g_get_monotonic_time ();
  int n;

  if (bench.busy_us != 0 && !bench.painted)
    {
      add (bench.times.between, (now_us - bench.busy_us) / 1e3);
      add (bench.times.between_cpu, cpu_ms () - bench.busy_cpu);
    }
  n = g_poll (fds, n_fds, timeout_ms);
  bench.painted = FALSE;
  bench.busy_us = g_get_monotonic_time ();
  bench.busy_cpu = cpu_ms ();
  return n;
}

/* ------------------------------------------------------------------------ */
/* A sequence                                                                */

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  const Passage *p = bench.passage;
  UrbBox extent = urb_map_get_extent (urbarium_canvas_get_map (bench.canvas));
  double t, way, x, y, m_per_px = p->m_per_px;

  if (bench.start_us == 0)
    bench.start_us = gdk_frame_clock_get_frame_time (clock);
  t = (gdk_frame_clock_get_frame_time (clock) - bench.start_us) / 1e6;
  if (p->zoom_s > 0)
    m_per_px *= exp (p->range * sin (2 * G_PI * t / p->zoom_s));
  /* A wide circle, which never leaves the map and rarely revisits a place. */
  way = t * p->speed_px * p->m_per_px;
  x = (extent.max_x - extent.min_x) * (0.5 + 0.3 * sin (way / (0.3 * REGION_M)));
  y = (extent.max_y - extent.min_y) * (0.5 + 0.3 * cos (way / (0.3 * REGION_M)));
  urbarium_canvas_set_view (bench.canvas, extent.min_x + x, extent.min_y + y, m_per_px);
  bench.done = t > opt_seconds;
  return bench.done ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

static double
quantile (GArray *times, double q)
{
  g_array_sort (times, urb_compare_doubles);
  return times->len == 0 ? 0 : g_array_index (times, double, (guint) (q * (times->len - 1)));
}

static GArray *
times_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (double));
}

static void
print_times (const Passage *passage)
{
  Times *t = &bench.times;
  GArray *shown[] = { t->frame, t->paint, t->paint_cpu, t->ours };

  g_print ("%-10s %5u", passage->name, t->frame->len);
  for (guint i = 0; i < G_N_ELEMENTS (shown); i++)
    g_print (" | %6.2f %6.2f %7.2f", quantile (shown[i], 0.5), quantile (shown[i], 0.99),
             quantile (shown[i], 1));
  g_print (" (%.2f) | %6.2f (%.2f)\n", quantile (t->ours_cpu, 1), quantile (t->between, 1),
           quantile (t->between_cpu, 1));
}

static void
run_passage (const Passage *passage)
{
  Times *t = &bench.times;
  GArray **all[] = { &t->frame, &t->paint, &t->paint_cpu, &t->ours, &t->ours_cpu, &t->between, &t->between_cpu };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    *all[i] = times_new ();
  bench.passage = passage;
  bench.start_us = bench.frame_us = 0;
  bench.done = FALSE;
  gtk_widget_add_tick_callback (GTK_WIDGET (bench.canvas), tick_cb, NULL, NULL);
  while (!bench.done)
    g_main_context_iteration (NULL, TRUE);
  bench.passage = NULL;
  print_times (passage);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_array_unref (*all[i]);
}

/* ------------------------------------------------------------------------ */

static double
milliseconds_until (gboolean complete)
{
  UrbariumTileLayer *tiles = urbarium_canvas_get_tiles (bench.canvas);
  gint64 start_us = g_get_monotonic_time ();

  while (!urbarium_tile_layer_has_pixels (tiles)
         || (complete && urbarium_tile_layer_is_busy (tiles)))
    g_main_context_iteration (NULL, TRUE);
  return (g_get_monotonic_time () - start_us) / 1e3;
}

static GtkWindow *
make_window (void)
{
  GtkWidgetClass *klass = g_type_class_ref (URBARIUM_TYPE_CANVAS);
  GtkWindow *window = GTK_WINDOW (adw_window_new ());
  GdkFrameClock *clock;

  bench.snapshot = klass->snapshot;
  klass->snapshot = snapshot_hook;
  bench.canvas = URBARIUM_CANVAS (g_object_new (URBARIUM_TYPE_CANVAS, NULL));
  adw_window_set_content (ADW_WINDOW (window), GTK_WIDGET (bench.canvas));
  gtk_window_set_default_size (window, opt_width, opt_height);
  gtk_window_present (window);
  clock = gtk_widget_get_frame_clock (GTK_WIDGET (window));
  g_signal_connect (clock, "before-paint", G_CALLBACK (before_paint_cb), NULL);
  g_signal_connect (clock, "after-paint", G_CALLBACK (after_paint_cb), NULL);
  while (!bench.painted)
    g_main_context_iteration (NULL, TRUE);
  g_main_context_set_poll_func (NULL, poll_hook);
  return window;
}

int
main (int argc, char **argv)
{
  g_autoptr(GOptionContext) context = g_option_context_new (NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = NULL;
  GtkWindow *window;
  double first_ms;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  adw_init ();
  map = open_map ();
  window = make_window ();
  g_print ("%" G_GINT64_FORMAT " polygons, %d x %d pixels, renderer %s, %u processors\n",
           urb_map_get_n_polygons (map), opt_width, opt_height,
           G_OBJECT_TYPE_NAME (gtk_native_get_renderer (GTK_NATIVE (window))),
           g_get_num_processors ());
  urbarium_canvas_set_map (bench.canvas, map);
  first_ms = milliseconds_until (FALSE);
  g_print ("first pixels after %.0f ms, complete after %.0f ms\n\n", first_ms,
           first_ms + milliseconds_until (TRUE));
  g_print ("%-10s %5s | %-21s | %-21s | %-21s | %-28s | between: worst (cpu)\n", "ms", "n", "frame",
           "paint", "paint, cpu", "canvas (worst cpu)");
  for (guint i = 0; i < G_N_ELEMENTS (passages); i++)
    run_passage (&passages[i]);
  gtk_window_destroy (window);
  return 0;
}
