/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/two-runs-window.h"

#include <glib/gi18n.h>

#include "app/base/ui-path.h"
#include "app/train/sample-grid.h"
#include "app/train/two-up.h"

struct _UrbariumTwoRunsWindow
{
  AdwWindow           parent_instance;

  UrbariumRun        *run;   /* owned; followed */
  UrbariumRun        *other; /* (nullable) owned; followed */

  GtkLabel           *name;
  GtkDropDown        *choice;
  UrbariumSampleGrid *grid, *other_grid;
};

G_DEFINE_FINAL_TYPE (UrbariumTwoRunsWindow, urbarium_two_runs_window, ADW_TYPE_WINDOW)

static void
set_run (UrbariumRun **slot, UrbariumSampleGrid *grid, UrbariumRun *run)
{
  if (run == *slot)
    return;
  if (run != NULL)
    urbarium_run_follow (run);
  if (*slot != NULL)
    urbarium_run_unfollow (*slot);
  g_set_object (slot, run);
  if (grid != NULL)
    urbarium_sample_grid_set_samples (grid, run != NULL ? urbarium_run_get_samples (run) : NULL);
}

static void
chosen_cb (UrbariumTwoRunsWindow *self)
{
  set_run (&self->other, self->other_grid, gtk_drop_down_get_selected_item (self->choice));
}

static gboolean
is_other (gpointer item, gpointer run)
{
  return item != run;
}

static void
dispose (GObject *object)
{
  UrbariumTwoRunsWindow *self = URBARIUM_TWO_RUNS_WINDOW (object);
  set_run (&self->run, NULL, NULL);
  set_run (&self->other, NULL, NULL);
  G_OBJECT_CLASS (urbarium_two_runs_window_parent_class)->dispose (object);
}

static void
urbarium_two_runs_window_class_init (UrbariumTwoRunsWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  g_type_ensure (URBARIUM_TYPE_SAMPLE_GRID);
  g_type_ensure (URBARIUM_TYPE_TWO_UP);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "two-runs-window.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumTwoRunsWindow, name);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTwoRunsWindow, choice);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTwoRunsWindow, grid);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTwoRunsWindow, other_grid);
  gtk_widget_class_bind_template_callback (widget_class, chosen_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
urbarium_two_runs_window_init (UrbariumTwoRunsWindow *self)
{
  g_autoptr(GtkExpression) name = gtk_property_expression_new (URBARIUM_TYPE_RUN, NULL, "name");
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_drop_down_set_expression (self->choice, name);
  urbarium_sample_grid_set_leader (self->other_grid, self->grid);
}

UrbariumTwoRunsWindow *
urbarium_two_runs_window_new (UrbariumRun *run, UrbariumRunLibrary *library)
{
  UrbariumTwoRunsWindow *self = g_object_new (URBARIUM_TYPE_TWO_RUNS_WINDOW, NULL);
  GtkCustomFilter *filter = gtk_custom_filter_new (is_other, run, NULL);
  g_autoptr(GtkFilterListModel) others
    = gtk_filter_list_model_new (g_object_ref (G_LIST_MODEL (library)), GTK_FILTER (filter));
  g_object_bind_property (run, "name", self->name, "label", G_BINDING_SYNC_CREATE);
  set_run (&self->run, self->grid, run);
  gtk_drop_down_set_model (self->choice, G_LIST_MODEL (others));
  return self;
}
