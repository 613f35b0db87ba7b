/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/run-view.h"

#include <glib/gi18n.h>

#include "app/base/ui-path.h"
#include "app/plot/wrap-layout.h"
#include "app/train/checkpoint-list.h"
#include "app/train/event-list.h"
#include "app/train/run-header.h"
#include "app/train/run-plots.h"
#include "app/train/sample-grid.h"
#include "app/train/two-runs-window.h"
#include "app/train/two-up.h"
#include "app/train/staleness.h"
#include "app/train/worker-table.h"
#include "dataset/sample-grid.h"

struct _UrbariumRunView
{
  AdwBin                  parent_instance;

  UrbariumRun            *run; /* (nullable) owned; followed */
  UrbariumRunLibrary     *library; /* (nullable) owned */

  UrbariumRunHeader      *header;
  UrbariumRunPlots       *plots;
  UrbariumSampleGrid     *sample_grid;
  UrbariumEventList      *events;
  UrbariumCheckpointList *checkpoints;
  UrbariumWorkerTable    *workers;
  UrbariumStaleness      *staleness;
  GtkWidget              *loading;
  GtkWidget              *switcher;
  GtkWidget              *cities_button;
};

G_DEFINE_FINAL_TYPE (UrbariumRunView, urbarium_run_view, ADW_TYPE_BIN)

enum { SHOW_CITIES, SHOW_CITY, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
loading_cb (UrbariumRunView *self)
{
  gboolean loading = FALSE;
  if (self->run != NULL)
    g_object_get (self->run, "loading", &loading, NULL);
  gtk_widget_set_visible (self->loading, loading);
}

static void
step_cb (UrbariumRunView *self)
{
  urbarium_run_plots_set_mark (self->plots, urbarium_sample_grid_get_step (self->sample_grid));
}

static void
checkpoints_cb (UrbariumRunView *self)
{
  guint n = self->run == NULL
              ? 0
              : g_list_model_get_n_items (urbarium_run_get_checkpoints (self->run));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "view.show-cities", n > 0);
  g_object_set (self->sample_grid, "can-open", n > 0, NULL);
  gtk_widget_set_tooltip_text (
    self->cities_button,
    n > 0 ? _ ("Browse cities from the checkpoints of this run on the Cities page")
          : _ ("No checkpoint has been saved yet"));
}

static void
show_cities_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumRunView *self = URBARIUM_RUN_VIEW (widget);
  if (self->run != NULL)
    g_signal_emit (self, signals[SHOW_CITIES], 0, self->run);
}

static void
compare_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumRunView *self = URBARIUM_RUN_VIEW (widget);
  GtkWindow *window;
  if (self->run == NULL || self->library == NULL)
    return;
  window = GTK_WINDOW (urbarium_two_runs_window_new (self->run, self->library));
  gtk_window_set_transient_for (window, GTK_WINDOW (gtk_widget_get_root (widget)));
  gtk_window_present (window);
}

static void
library_cb (UrbariumRunView *self)
{
  gboolean has_other = self->library != NULL && g_list_model_get_n_items (G_LIST_MODEL (self->library)) > 1;
  g_object_set (self->sample_grid, "can-compare", has_other, NULL);
}

static void
open_city_cb (UrbariumRunView *self, guint index)
{
  const UrbRunConfig *config = self->run != NULL ? urbarium_run_get_config (self->run) : NULL;
  if (config != NULL)
    g_signal_emit (self, signals[SHOW_CITY], 0, self->run, urbarium_sample_grid_get_step (self->sample_grid),
                   (gint64) config->train.seed + URB_SAMPLE_SEED_OFFSET, (gint64) index);
}

void
urbarium_run_view_set_run (UrbariumRunView *self, UrbariumRun *run, UrbariumRunLibrary *library)
{
  if (run == self->run)
    return;
  if (run != NULL)
    {
      urbarium_run_follow (run);
      g_signal_connect_object (run, "notify::loading", G_CALLBACK (loading_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (urbarium_run_get_checkpoints (run), "items-changed",
                               G_CALLBACK (checkpoints_cb), self, G_CONNECT_SWAPPED);
    }
  if (self->run != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->run, self);
      g_signal_handlers_disconnect_by_data (urbarium_run_get_checkpoints (self->run), self);
      urbarium_run_unfollow (self->run);
    }
  g_set_object (&self->run, run);
  if (self->library != NULL)
    g_signal_handlers_disconnect_by_data (self->library, self);
  g_set_object (&self->library, library);
  if (library != NULL)
    g_signal_connect_object (library, "items-changed", G_CALLBACK (library_cb), self, G_CONNECT_SWAPPED);
  library_cb (self);
  urbarium_run_header_set_run (self->header, run, library);
  urbarium_run_plots_set_run (self->plots, run, library);
  urbarium_sample_grid_set_samples (self->sample_grid,
                                    run == NULL ? NULL : urbarium_run_get_samples (run));
  urbarium_event_list_set_events (self->events, run == NULL ? NULL : urbarium_run_get_events (run),
                                  library);
  urbarium_worker_table_set_workers (self->workers,
                                     run == NULL ? NULL : urbarium_run_get_workers (run));
  urbarium_staleness_set_run (self->staleness, run);
  urbarium_checkpoint_list_set_run (self->checkpoints, run, library);
  loading_cb (self);
  checkpoints_cb (self);
}

UrbariumRun *
urbarium_run_view_get_run (UrbariumRunView *self)
{
  return self->run;
}

static void
dispose (GObject *object)
{
  UrbariumRunView *self = URBARIUM_RUN_VIEW (object);
  if (self->run != NULL)
    urbarium_run_unfollow (self->run);
  g_clear_object (&self->run);
  g_clear_object (&self->library);
  G_OBJECT_CLASS (urbarium_run_view_parent_class)->dispose (object);
}

static void
urbarium_run_view_class_init (UrbariumRunViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  signals[SHOW_CITIES] = g_signal_new ("show-cities", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                       0, NULL, NULL, NULL, G_TYPE_NONE, 1, URBARIUM_TYPE_RUN);
  signals[SHOW_CITY]
    = g_signal_new ("show-city", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 4,
                    URBARIUM_TYPE_RUN, G_TYPE_INT64, G_TYPE_INT64, G_TYPE_INT64);
  g_type_ensure (URBARIUM_TYPE_RUN_HEADER);
  g_type_ensure (URBARIUM_TYPE_RUN_PLOTS);
  g_type_ensure (URBARIUM_TYPE_SAMPLE_GRID);
  g_type_ensure (URBARIUM_TYPE_EVENT_LIST);
  g_type_ensure (URBARIUM_TYPE_CHECKPOINT_LIST);
  g_type_ensure (URBARIUM_TYPE_STALENESS);
  g_type_ensure (URBARIUM_TYPE_WORKER_TABLE);
  g_type_ensure (URBARIUM_TYPE_TWO_UP);
  g_type_ensure (URBARIUM_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "run-view.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunView, header);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunView, plots);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunView, sample_grid);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunView, events);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunView, checkpoints);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunView, workers);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunView, staleness);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunView, loading);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunView, switcher);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunView, cities_button);
  gtk_widget_class_bind_template_callback (widget_class, step_cb);
  gtk_widget_class_bind_template_callback (widget_class, open_city_cb);
  gtk_widget_class_install_action (widget_class, "view.show-cities", NULL, show_cities_action);
  gtk_widget_class_install_action (widget_class, "view.compare", NULL, compare_action);
}

static void
urbarium_run_view_init (UrbariumRunView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  /* Let titles that are longer in other languages be ellipsized. */
  for (GtkWidget *button = gtk_widget_get_first_child (self->switcher); button != NULL;
       button = gtk_widget_get_next_sibling (button))
    {
      GtkWidget *label = GTK_IS_BUTTON (button) ? gtk_button_get_child (GTK_BUTTON (button)) : NULL;
      if (GTK_IS_LABEL (label))
        gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
    }
}
