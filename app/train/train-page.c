/* SPDX-License-Identifier: Apache-2.0 */
/*
 * train-page.c - at the start all runs, then what is selected there: a run, or
 * the settings of the next one.
 */
#include "app/train/train-page.h"

#include "app/base/ui-path.h"
#include "app/train/run-row.h"
#include "app/train/run-settings.h"
#include "app/train/run-view.h"

struct _UrbariumTrainPage
{
  AdwBin               parent_instance;

  UrbariumRunLibrary  *library; /* (nullable) owned */

  AdwFlap             *flap;
  GtkStack            *stack;
  GtkListBox          *list;
  GtkWidget           *empty_label;
  UrbariumRunSettings *settings;
  UrbariumRunView     *view;
};

G_DEFINE_FINAL_TYPE (UrbariumTrainPage, urbarium_train_page, ADW_TYPE_BIN)

enum { SHOW_CITIES, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
hide_list_if_folded (UrbariumTrainPage *self)
{
  if (adw_flap_get_folded (self->flap))
    adw_flap_set_reveal_flap (self->flap, FALSE);
}

static void
show_settings (UrbariumTrainPage *self)
{
  gtk_list_box_unselect_all (self->list);
  urbarium_run_view_set_run (self->view, NULL, NULL);
  gtk_stack_set_visible_child_name (self->stack, "settings");
  hide_list_if_folded (self);
}

static void
select_run (UrbariumTrainPage *self, UrbariumRun *run)
{
  for (GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->list)); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    if (URBARIUM_IS_RUN_ROW (row) && urbarium_run_row_get_run (URBARIUM_RUN_ROW (row)) == run)
      gtk_list_box_select_row (self->list, GTK_LIST_BOX_ROW (row));
  urbarium_run_view_set_run (self->view, run, self->library);
  gtk_stack_set_visible_child_name (self->stack, "run");
  hide_list_if_folded (self);
}

static void
row_selected_cb (UrbariumTrainPage *self, GtkListBoxRow *row)
{
  UrbariumRun *run = row == NULL ? NULL : urbarium_run_row_get_run (URBARIUM_RUN_ROW (row));
  if (run == NULL || run == urbarium_run_view_get_run (self->view))
    return;
  urbarium_run_view_set_run (self->view, run, self->library);
  gtk_stack_set_visible_child_name (self->stack, "run");
}

static void
row_activated_cb (UrbariumTrainPage *self)
{
  hide_list_if_folded (self);
}

/* The run in view may have been deleted. */
static void
runs_changed_cb (UrbariumTrainPage *self)
{
  UrbariumRun *shown = urbarium_run_view_get_run (self->view);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->library));
  gboolean there = shown == NULL;
  gtk_widget_set_visible (self->empty_label, n == 0);
  for (guint i = 0; i < n && !there; i++)
    {
      g_autoptr(UrbariumRun) run = g_list_model_get_item (G_LIST_MODEL (self->library), i);
      there = run == shown;
    }
  if (!there)
    show_settings (self);
}

static GtkWidget *
create_row (gpointer item, gpointer data)
{
  return urbarium_run_row_new (item, URBARIUM_TRAIN_PAGE (data)->library);
}

static void
started_cb (UrbariumTrainPage *self, UrbariumRun *run)
{
  select_run (self, run);
}

static void
show_cities_cb (UrbariumTrainPage *self, UrbariumRun *run)
{
  g_signal_emit (self, signals[SHOW_CITIES], 0, run);
}

static void
new_run_action (GtkWidget *widget, const char *name, GVariant *param)
{
  show_settings (URBARIUM_TRAIN_PAGE (widget));
}

void
urbarium_train_page_set_library (UrbariumTrainPage *self, UrbariumRunLibrary *library)
{
  g_return_if_fail (self->library == NULL);
  self->library = g_object_ref (library);
  urbarium_run_settings_set_library (self->settings, library);
  gtk_list_box_bind_model (self->list, G_LIST_MODEL (library), create_row, self, NULL);
  g_signal_connect_object (library, "items-changed", G_CALLBACK (runs_changed_cb), self,
                           G_CONNECT_SWAPPED);
  runs_changed_cb (self);
}

void
urbarium_train_page_set_dataset (UrbariumTrainPage *self, const char *path)
{
  urbarium_run_settings_set_dataset (self->settings, path);
  show_settings (self);
}

void
urbarium_train_page_show_run (UrbariumTrainPage *self, UrbariumRun *run)
{
  g_return_if_fail (run != NULL);
  select_run (self, run);
}

static void
dispose (GObject *object)
{
  UrbariumTrainPage *self = URBARIUM_TRAIN_PAGE (object);
  g_clear_object (&self->library);
  G_OBJECT_CLASS (urbarium_train_page_parent_class)->dispose (object);
}

static void
urbarium_train_page_class_init (UrbariumTrainPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  signals[SHOW_CITIES] = g_signal_new ("show-cities", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                       0, NULL, NULL, NULL, G_TYPE_NONE, 1, URBARIUM_TYPE_RUN);
  g_type_ensure (URBARIUM_TYPE_RUN_SETTINGS);
  g_type_ensure (URBARIUM_TYPE_RUN_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "train-page.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainPage, flap);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainPage, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainPage, list);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainPage, empty_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainPage, settings);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainPage, view);
  gtk_widget_class_bind_template_callback (widget_class, row_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, row_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, started_cb);
  gtk_widget_class_bind_template_callback (widget_class, show_cities_cb);
  gtk_widget_class_install_action (widget_class, "train.new-run", NULL, new_run_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_n, GDK_CONTROL_MASK, "train.new-run",
                                       NULL);
}

static void
urbarium_train_page_init (UrbariumTrainPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
