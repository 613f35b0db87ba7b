/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-plots.c - one color per run; where both networks are drawn, the discriminator is dashed.
 */
#include "app/train/run-plots.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/plot/plot.h"
#include "app/plot/wrap-layout.h"
#include "app/train/compare-list.h"
#include "app/train/curve.h"
#include "app/train/run-label.h"

/* From SCORES on: UrbScore */
enum { SPEED = -1, NONE = -2, LIMIT = -3, SCORES = 1000 };

/* In the order of the template's list */
static const struct
{
  int         solid, dashed; /* UrbStepMetric, or one of those above */
  const char *unit;          /* of the y axis; translated when shown */
} choices[] = {
  { URB_METRIC_LOSS_G, URB_METRIC_LOSS_D, N_ ("Loss") },
  { URB_METRIC_LOGIT_REAL, URB_METRIC_LOGIT_FAKE, N_ ("Judgement, logit") },
  { URB_METRIC_R1, URB_METRIC_R2, N_ ("Squared gradient") },
  { URB_METRIC_GRAD_NORM_G, URB_METRIC_GRAD_NORM_D, N_ ("Gradient norm") },
  { URB_METRIC_LR_G, URB_METRIC_LR_D, N_ ("Learning rate") },
  { SPEED, NONE, N_ ("Images per second") },
  { SCORES + URB_SCORE_PLANS, LIMIT, N_ ("Distance to real areas") },
  { SCORES + URB_SCORE_PIXELS, LIMIT, N_ ("Distance to real areas") },
  { SCORES + URB_SCORE_CONNECTIVITY, LIMIT, N_ ("Distance to real areas") },
  { SCORES + URB_SCORE_HALF_TONES, LIMIT, N_ ("Distance to real areas") },
  { SCORES + URB_SCORE_RECTANGULARITY, LIMIT, N_ ("Distance to real areas") },
  { SCORES + URB_SCORE_HALL_WALLS, LIMIT, N_ ("Distance to real areas") },
  { SCORES + URB_SCORE_BLOCKS, LIMIT, N_ ("Distance to real areas") },
  { SCORES + URB_SCORE_PRECISION, NONE, N_ ("Share") },
  { SCORES + URB_SCORE_RECALL, NONE, N_ ("Share") },
};

struct _UrbariumRunPlots
{
  AdwBin               parent_instance;

  UrbariumRun         *run;    /* (nullable) owned */
  GPtrArray           *beside; /* (nullable) (element-type UrbariumRun) owned: drawn with it in place of those
                                * that the user chooses */

  UrbariumPlot        *plot;
  UrbariumCompareList *compare_list;
  GtkMenuButton       *compare_button;
  GtkDropDown         *metric_drop, *axis_drop;
  gint64               marked_step; /* -1: none */
  GtkAdjustment       *smoothing;
};

G_DEFINE_FINAL_TYPE (UrbariumRunPlots, urbarium_run_plots, ADW_TYPE_BIN)

static UrbariumSeries *
get_series (UrbariumRun *run, int metric)
{
  switch (metric)
    {
    case SPEED:
      return urbarium_run_get_speed (run);
    case LIMIT:
      return urbarium_run_get_score_limit (run);
    default:
      if (metric >= SCORES)
        return urbarium_run_get_score (run, (UrbScore) (metric - SCORES));
      return urbarium_run_get_metric (run, (UrbStepMetric) metric);
    }
}

static guint
get_choice (UrbariumRunPlots *self)
{
  return MIN (gtk_drop_down_get_selected (self->metric_drop), G_N_ELEMENTS (choices) - 1);
}

/* In the order of the template's list. */
enum { STEPS, IMAGES, MINUTES };

static const char *const axis_labels[] = { N_ ("Step"), N_ ("Real images seen"), N_ ("Minutes of training") };

/* Where the steps of a run are drawn. (transfer none) (nullable): at their numbers */
static UrbariumSeries *
get_places (UrbariumRunPlots *self, UrbariumRun *run)
{
  switch (gtk_drop_down_get_selected (self->axis_drop))
    {
    case IMAGES:
      return urbarium_run_get_images (run);
    case MINUTES:
      return urbarium_run_get_minutes (run);
    default:
      return NULL;
    }
}

/* Again when the run has got there. */
static void
update_mark (UrbariumRunPlots *self)
{
  double place = self->run == NULL ? (double) self->marked_step
                                   : urbarium_curve_place (get_places (self, self->run), (double) self->marked_step);
  urbarium_plot_set_mark (self->plot, "cities", place, self->marked_step < 0 ? NULL : _ ("Cities"));
}

/* The curves of a run.  @label: (nullable): tells it from others */
static void
add_run (UrbariumRunPlots *self, UrbariumRun *run, guint color_index, const char *label)
{
  guint choice = get_choice (self);
  const int metrics[] = { choices[choice].solid, choices[choice].dashed };
  UrbariumSeries *places = get_places (self, run);
  for (guint i = 0; i < G_N_ELEMENTS (metrics); i++)
    if (metrics[i] != NONE && !(metrics[i] == LIMIT && color_index > 0)) /* the limit is the same for all */
      {
        UrbariumSeries *source = get_series (run, metrics[i]);
        g_autofree char *title = NULL;
        g_autoptr(UrbariumSeries) series = NULL;
        if (label != NULL && metrics[i] != LIMIT)
          /* translators: the name of a run, and of a curve: Delft: Generator’s loss */
          title = g_strdup_printf (_ ("%s: %s"), label, urbarium_series_get_name (source));
        series = title == NULL && places == NULL
                   ? g_object_ref (source)
                   : urbarium_curve_new (source, title != NULL ? title : urbarium_series_get_name (source), places);
        urbarium_plot_add (self->plot, series, color_index,
                           i == 0 ? URBARIUM_PLOT_SOLID : URBARIUM_PLOT_DASHED);
      }
}

static void
collect_other (UrbariumRun *run, guint color_index, gpointer data)
{
  g_ptr_array_add (data, run);
}

static void
foreach_other (UrbariumRunPlots *self, UrbariumCompareFunc func, gpointer data)
{
  if (self->beside == NULL)
    urbarium_compare_list_foreach (self->compare_list, func, data);
  for (guint i = 0; self->beside != NULL && i < self->beside->len; i++)
    func (self->beside->pdata[i], i + 1, data);
}

typedef struct
{
  UrbariumRunPlots *plots;
  GPtrArray        *runs; /* that are compared */
} Comparison;

static void
add_other (UrbariumRun *run, guint color_index, gpointer data)
{
  Comparison *comparison = data;
  g_autofree char *label = urbarium_run_dup_label (run, comparison->runs);
  add_run (comparison->plots, run, color_index, label);
}

static void
update (UrbariumRunPlots *self)
{
  g_autoptr(GPtrArray) runs = g_ptr_array_new ();
  g_autofree char *label = NULL;
  Comparison comparison = { self, runs };
  urbarium_plot_clear (self->plot);
  g_object_set (self->plot, "y-label", _ (choices[get_choice (self)].unit), "x-label",
                _ (axis_labels[MIN (gtk_drop_down_get_selected (self->axis_drop), MINUTES)]), NULL);
  update_mark (self);
  if (self->run == NULL)
    return;
  g_ptr_array_add (runs, self->run);
  foreach_other (self, collect_other, runs);
  label = runs->len > 1 ? urbarium_run_dup_label (self->run, runs) : NULL;
  add_run (self, self->run, 0, label);
  foreach_other (self, add_other, &comparison);
}

static void
compare_changed_cb (UrbariumRunPlots *self)
{
  guint n = urbarium_compare_list_get_n (self->compare_list);
  g_autofree char *label =
    n == 0 ? g_strdup (_ ("Compare"))
           /* translators: number of other runs shown for comparison */
           : g_strdup_printf (ngettext ("Compare (%u)", "Compare (%u)", n), n);
  gtk_menu_button_set_label (self->compare_button, label);
  update (self);
}

/* Maps the slider to smoothing so that its steps look even: 0 none, 1 nearly flat. */
static gboolean
smoothing_to_plot (GBinding *binding, const GValue *from, GValue *to, gpointer data)
{
  double slider = g_value_get_double (from);
  g_value_set_double (to, slider <= 0 ? 0 : 0.999 * (1 - (1 - slider) * (1 - slider)));
  return TRUE;
}

static void
set_first (UrbariumRunPlots *self, UrbariumRun *run)
{
  if (self->run != NULL)
    g_signal_handlers_disconnect_by_func (urbarium_run_get_minutes (self->run), update_mark, self);
  g_set_object (&self->run, run);
  if (run != NULL)
    g_signal_connect_object (urbarium_run_get_minutes (run), "changed", G_CALLBACK (update_mark), self,
                             G_CONNECT_SWAPPED);
}

void
urbarium_run_plots_set_runs (UrbariumRunPlots *self, GPtrArray *runs)
{
  g_clear_pointer (&self->beside, g_ptr_array_unref);
  self->beside = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 1; i < MIN (runs->len, URBARIUM_COMPARE_MAX); i++)
    g_ptr_array_add (self->beside, g_object_ref (runs->pdata[i]));
  gtk_widget_set_visible (GTK_WIDGET (self->compare_list), FALSE);
  gtk_menu_button_set_label (self->compare_button, _ ("Compare by"));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->compare_button), _ ("What the horizontal axis shows"));
  set_first (self, runs->len > 0 ? runs->pdata[0] : NULL);
  update (self);
}

void
urbarium_run_plots_show_score (UrbariumRunPlots *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    if (choices[i].solid == SCORES + URB_SCORE_PLANS)
      gtk_drop_down_set_selected (self->metric_drop, i);
}

void
urbarium_run_plots_set_run (UrbariumRunPlots *self, UrbariumRun *run, UrbariumRunLibrary *library)
{
  set_first (self, run);
  urbarium_compare_list_set_run (self->compare_list, run, library);
  compare_changed_cb (self);
}

void
urbarium_run_plots_set_mark (UrbariumRunPlots *self, gint64 step)
{
  self->marked_step = step;
  update_mark (self);
}

static void
dispose (GObject *object)
{
  g_clear_object (&URBARIUM_RUN_PLOTS (object)->run);
  g_clear_pointer (&URBARIUM_RUN_PLOTS (object)->beside, g_ptr_array_unref);
  G_OBJECT_CLASS (urbarium_run_plots_parent_class)->dispose (object);
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *param)
{
  gtk_widget_activate_action (GTK_WIDGET (URBARIUM_RUN_PLOTS (widget)->plot), "plot.export", NULL);
}

static void
urbarium_run_plots_class_init (UrbariumRunPlotsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  g_type_ensure (URBARIUM_TYPE_PLOT);
  g_type_ensure (URBARIUM_TYPE_COMPARE_LIST);
  g_type_ensure (URBARIUM_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "run-plots.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunPlots, plot);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunPlots, compare_list);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunPlots, compare_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunPlots, metric_drop);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunPlots, axis_drop);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunPlots, smoothing);
  gtk_widget_class_bind_template_callback (widget_class, update);
  gtk_widget_class_bind_template_callback (widget_class, compare_changed_cb);
  gtk_widget_class_install_action (widget_class, "plots.export", NULL, export_action);
}

static void
urbarium_run_plots_init (UrbariumRunPlots *self)
{
  self->marked_step = -1;
  gtk_widget_init_template (GTK_WIDGET (self));
  g_object_bind_property_full (self->smoothing, "value", self->plot, "smoothing",
                               G_BINDING_SYNC_CREATE, smoothing_to_plot, NULL, NULL, NULL);
  update (self);
}
