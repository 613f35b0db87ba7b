/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/staleness.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/base/format.h"
#include "app/plot/axis.h"
#include "run/store/json-line.h"
#include "run/store/run-db.h"

enum
{
  N_BINS = 17, /* 0, 1, … 15, more */
  N_NETS = 2,
  MARGIN_PX = 12,
  MIN_HEIGHT_PX = 240
};

static const struct { const char *key, *title; } nets[N_NETS] = {
  { "g", N_ ("Generator") }, { "d", N_ ("Discriminator") },
};

struct _UrbariumStaleness
{
  UrbariumChartWidget parent_instance;

  UrbariumRun        *run;     /* (nullable) owned */
  GCancellable       *reading; /* (nullable) owned */
  gboolean            has_data;
  double              shares[N_NETS][N_BINS];
  double              lost_share[N_NETS];
  gint64              max_lead;
};

G_DEFINE_FINAL_TYPE (UrbariumStaleness, urbarium_staleness, URBARIUM_TYPE_CHART_WIDGET)

enum { PROP_0, PROP_HAS_DATA, N_PROPS };
static GParamSpec *props[N_PROPS];

/* ------------------------------------------------------------------------ */
/* Data                                                                      */

/* Adds the counts of a worker's network. */
static void
add_counts (JsonObject *worker, const char *net, double counts[N_BINS])
{
  JsonArray *bins = urb_json_get_array (urb_json_get_object (worker, net), "staleness");
  for (guint i = 0; bins != NULL && i < MIN (json_array_get_length (bins), N_BINS); i++)
    {
      JsonNode *bin = json_array_get_element (bins, i);
      if (JSON_NODE_HOLDS_VALUE (bin))
        counts[i] += fmax (json_node_get_double (bin), 0);
    }
}

/* Returns: whether there was any update */
static gboolean
take_shares (UrbariumStaleness *self, JsonArray *workers)
{
  gboolean any = FALSE;
  for (int net = 0; net < N_NETS; net++)
    {
      double sum = 0;
      memset (self->shares[net], 0, sizeof self->shares[net]);
      for (guint i = 0; workers != NULL && i < json_array_get_length (workers); i++)
        {
          JsonNode *worker = json_array_get_element (workers, i);
          if (JSON_NODE_HOLDS_OBJECT (worker))
            add_counts (json_node_get_object (worker), nets[net].key, self->shares[net]);
        }
      for (int i = 0; i < N_BINS; i++)
        sum += self->shares[net][i];
      for (int i = 0; sum > 0 && i < N_BINS; i++)
        self->shares[net][i] /= sum;
      any = any || sum > 0;
    }
  return any;
}

static int
find_median (const double shares[N_BINS])
{
  double sum = shares[0];
  int i = 0;
  while (sum < 0.5 && i + 1 < N_BINS)
    sum += shares[++i];
  return i;
}

static char *
dup_summary (UrbariumStaleness *self)
{
  g_autofree char *lost_g = urbarium_format_percent (self->lost_share[0]);
  g_autofree char *lost_d = urbarium_format_percent (self->lost_share[1]);
  g_autofree char *lead = urbarium_format_count (self->max_lead);
  /* translators: two small numbers, a number of steps, and two shares */
  return g_strdup_printf (_ ("Median: %d (generator), %d (discriminator). Workers were at most %s steps apart. Others "
                             "overwrote %s of the generator’s updates and %s of the discriminator’s."),
                          find_median (self->shares[0]), find_median (self->shares[1]), lead, lost_g, lost_d);
}

void
urbarium_staleness_set_json (UrbariumStaleness *self, const char *json)
{
  g_autoptr(JsonObject) details = json != NULL ? urb_json_parse_line (json, strlen (json), NULL) : NULL;
  JsonObject *lost = urb_json_get_object (details, "lost_share");
  g_autofree char *summary = NULL;
  gboolean had_data = self->has_data;
  self->has_data = take_shares (self, urb_json_get_array (details, "workers"));
  for (int net = 0; net < N_NETS; net++)
    self->lost_share[net] = urb_json_get_double (lost, nets[net].key, 0);
  self->max_lead = urb_json_get_int (details, "max_lead", 0);
  summary = self->has_data ? dup_summary (self) : g_strdup ("");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, summary, -1);
  urbarium_chart_widget_changed (URBARIUM_CHART_WIDGET (self));
  if (self->has_data != had_data)
    g_object_notify_by_pspec (G_OBJECT (self), props[PROP_HAS_DATA]);
}

/* ------------------------------------------------------------------------ */
/* The run                                                                   */

static void
read_thread (GTask *task, gpointer source, gpointer path, GCancellable *cancellable)
{
  g_autoptr(UrbRunDb) db = urb_run_db_open_reader (path, NULL);
  g_task_return_pointer (task, db != NULL ? urb_run_db_dup_details (db, "asynchrony") : NULL, g_free);
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *json = g_task_propagate_pointer (G_TASK (result), &error);
  if (error == NULL)
    urbarium_staleness_set_json (URBARIUM_STALENESS (source), json);
}

static void
read_run (UrbariumStaleness *self)
{
  g_autoptr(GTask) task = NULL;
  g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  if (self->run == NULL)
    return;
  self->reading = g_cancellable_new ();
  task = g_task_new (self, self->reading, read_cb, NULL);
  g_task_set_task_data (task, g_build_filename (urbarium_run_get_folder (self->run), "run.db", NULL), g_free);
  g_task_run_in_thread (task, read_thread);
}

static void
events_cb (UrbariumStaleness *self, guint at, guint n_removed, guint n_added, GListModel *events)
{
  for (guint i = at; i < at + n_added; i++)
    {
      g_autoptr(GObject) event = g_list_model_get_item (events, i);
      g_autofree char *code = NULL;
      g_object_get (event, "code", &code, NULL);
      if (g_strcmp0 (code, "asynchrony") != 0)
        continue;
      read_run (self);
      return;
    }
}

void
urbarium_staleness_set_run (UrbariumStaleness *self, UrbariumRun *run)
{
  if (run == self->run)
    return;
  if (self->run != NULL)
    g_signal_handlers_disconnect_by_func (urbarium_run_get_events (self->run), events_cb, self);
  g_set_object (&self->run, run);
  urbarium_staleness_set_json (self, NULL);
  read_run (self);
  if (run != NULL)
    g_signal_connect_object (urbarium_run_get_events (run), "items-changed", G_CALLBACK (events_cb), self,
                             G_CONNECT_SWAPPED);
}

/* ------------------------------------------------------------------------ */
/* Drawing                                                                   */

static void
draw_bars (UrbariumStaleness *self, const UrbariumChartStyle *style, cairo_t *cr, int width, double top, double bottom)
{
  double slot = (double) (width - 2 * MARGIN_PX) / N_BINS, bar = fmax (floor (slot / 3), 1), max = 0;
  for (int i = 0; i < N_NETS * N_BINS; i++)
    max = fmax (max, self->shares[i / N_BINS][i % N_BINS]);
  for (int i = 0; i < N_BINS; i++)
    {
      g_autofree char *text = i + 1 < N_BINS ? g_strdup_printf ("%d", i) : g_strdup_printf ("%d+", i);
      double middle = MARGIN_PX + (i + 0.5) * slot;
      for (int net = 0; net < N_NETS; net++)
        {
          GdkRGBA color = urbarium_chart_style_get_color (style, (guint) net);
          double height = self->shares[net][i] / max * (bottom - top);
          gdk_cairo_set_source_rgba (cr, &color);
          cairo_rectangle (cr, floor (middle) + (net - 1) * bar, bottom - height, bar - 1, height);
          cairo_fill (cr);
        }
      urbarium_chart_style_draw_text (style, cr, text, URBARIUM_TEXT_NORMAL, &style->dim, middle, bottom + 4, 0.5, 0);
    }
  gdk_cairo_set_source_rgba (cr, &style->dim);
  cairo_set_line_width (cr, 1);
  cairo_move_to (cr, MARGIN_PX, floor (bottom) + 0.5);
  cairo_line_to (cr, width - MARGIN_PX, floor (bottom) + 0.5);
  cairo_stroke (cr);
}

/* Returns: the height of the text */
static double
draw_summary (UrbariumStaleness *self, const UrbariumChartStyle *style, cairo_t *cr, int width)
{
  g_autofree char *summary = dup_summary (self);
  g_autoptr(PangoLayout) layout = urbarium_chart_style_create_layout (style, summary, URBARIUM_TEXT_NORMAL);
  int height;
  pango_layout_set_width (layout, (width - 2 * MARGIN_PX) * PANGO_SCALE);
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  gdk_cairo_set_source_rgba (cr, &style->ink);
  cairo_move_to (cr, MARGIN_PX, MARGIN_PX);
  pango_cairo_show_layout (cr, layout);
  pango_layout_get_pixel_size (layout, NULL, &height);
  return height;
}

static void
draw_legend (const UrbariumChartStyle *style, cairo_t *cr, double y)
{
  double x = MARGIN_PX;
  for (int net = 0; net < N_NETS; net++)
    {
      GdkRGBA color = urbarium_chart_style_get_color (style, (guint) net);
      gdk_cairo_set_source_rgba (cr, &color);
      cairo_rectangle (cr, x, y + 3, 10, 10);
      cairo_fill (cr);
      urbarium_chart_style_draw_text (style, cr, _ (nets[net].title), URBARIUM_TEXT_NORMAL, &style->ink, x + 16, y, 0, 0);
      x += 40 + urbarium_chart_style_measure_text (style, _ (nets[net].title), URBARIUM_TEXT_NORMAL);
    }
}

static void
draw (UrbariumChartWidget *widget, const UrbariumChartStyle *style, cairo_t *cr, int width, int height)
{
  UrbariumStaleness *self = URBARIUM_STALENESS (widget);
  double line = style->text_height, top, bottom = height - MARGIN_PX - 2 * line - 6;
  if (!self->has_data || width < 4 * MARGIN_PX)
    return;
  top = 2 * MARGIN_PX + draw_summary (self, style, cr, width);
  draw_legend (style, cr, top);
  top += line + MARGIN_PX;
  draw_bars (self, style, cr, width, top, fmax (bottom, top + 1));
  urbarium_chart_style_draw_text (style, cr, _ ("Updates of other workers that an update did not know"),
                                  URBARIUM_TEXT_NORMAL, &style->dim, width / 2.0, height - MARGIN_PX - line + 4, 0.5, 0);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
         int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_VERTICAL ? MIN_HEIGHT_PX : 100;
  *natural = orientation == GTK_ORIENTATION_VERTICAL ? MIN_HEIGHT_PX : 400;
}

/* ------------------------------------------------------------------------ */

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_HAS_DATA)
    g_value_set_boolean (value, URBARIUM_STALENESS (object)->has_data);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
dispose (GObject *object)
{
  UrbariumStaleness *self = URBARIUM_STALENESS (object);
  g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  g_clear_object (&self->run);
  G_OBJECT_CLASS (urbarium_staleness_parent_class)->dispose (object);
}

static void
urbarium_staleness_class_init (UrbariumStalenessClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->get_property = get_property;
  GTK_WIDGET_CLASS (klass)->measure = measure;
  URBARIUM_CHART_WIDGET_CLASS (klass)->draw = draw;
  props[PROP_HAS_DATA]
    = g_param_spec_boolean ("has-data", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, props);
}

static void
urbarium_staleness_init (UrbariumStaleness *self)
{
}
