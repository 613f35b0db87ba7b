/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/checkpoint-list.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/train/reversed-list.h"
#include "app/train/run-dialogs.h"
#include "app/train/run-text.h"

struct _UrbariumCheckpointList
{
  AdwBin       parent_instance;

  UrbariumRun *run; /* (nullable) owned */
  UrbariumRunLibrary *library; /* (nullable) owned */

  gint64       best_step; /* shown; -1: none */

  GtkStack    *stack;
  GtkListBox  *list;
};

G_DEFINE_FINAL_TYPE (UrbariumCheckpointList, urbarium_checkpoint_list, ADW_TYPE_BIN)

static GtkWidget *
create_row (gpointer item, gpointer data)
{
  UrbariumCheckpointList *self = data;
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *button = gtk_button_new_with_mnemonic (_ ("_Roll back…"));
  GtkWidget *branch = gtk_button_new_with_mnemonic (_ ("_Branch…"));
  gint64 step, n_bytes;
  double time;
  g_autofree char *count = NULL, *title = NULL, *size = NULL, *when = NULL, *subtitle = NULL;
  g_object_get (item, "step", &step, "n-bytes", &n_bytes, "time", &time, NULL);
  count = urbarium_format_count (step);
  /* translators: %s: a training step */
  title = g_strdup_printf (_ ("Step %s"), count);
  size = urbarium_format_bytes (n_bytes);
  when = urbarium_format_time ((gint64) time);
  if (step == self->best_step)
    /* translators: a checkpoint: its time, its size */
    subtitle = g_strdup_printf (_ ("%s · %s · best score"), when, size);
  else
    subtitle = g_strdup_printf ("%s · %s", when, size);
  g_object_set (row, "title", title, "subtitle", subtitle, NULL);
  g_object_set (button, "valign", GTK_ALIGN_CENTER, "action-name", "checkpoints.roll-back",
                "action-target", g_variant_new_int64 (step), "tooltip-text",
                _ ("Go back to this checkpoint and delete everything after it"), NULL);
  gtk_widget_add_css_class (button, "flat");
  g_object_set (branch, "valign", GTK_ALIGN_CENTER, "action-name", "checkpoints.branch", "action-target",
                g_variant_new_int64 (step), "tooltip-text",
                _ ("Go on from this checkpoint in a new run"), NULL);
  gtk_widget_add_css_class (branch, "flat");
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), branch);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
  return row;
}

static void
update (UrbariumCheckpointList *self)
{
  GListModel *checkpoints = urbarium_run_get_checkpoints (self->run);
  UrbariumRunCan can = urbarium_run_text_get_can (self->run);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "checkpoints.roll-back",
                                 (can & URBARIUM_RUN_CAN_ROLL_BACK) != 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "checkpoints.branch", self->library != NULL);
  gtk_stack_set_visible_child_name (
    self->stack, g_list_model_get_n_items (checkpoints) > 0 ? "checkpoints" : "empty");
}

/* Rows do not change: the list is filled again. */
static void
show_best (UrbariumCheckpointList *self)
{
  g_autoptr(UrbariumReversedList) newest_first
    = urbarium_reversed_list_new (urbarium_run_get_checkpoints (self->run));
  self->best_step = urbarium_run_get_best_step (self->run);
  gtk_list_box_bind_model (self->list, G_LIST_MODEL (newest_first), create_row, self, NULL);
}

static void
score_cb (UrbariumCheckpointList *self)
{
  if (urbarium_run_get_best_step (self->run) != self->best_step)
    show_best (self);
}

void
urbarium_checkpoint_list_set_run (UrbariumCheckpointList *self, UrbariumRun *run, UrbariumRunLibrary *library)
{
  if (self->run != NULL)
    {
      g_signal_handlers_disconnect_by_data (urbarium_run_get_score (self->run, URB_SCORE_PLANS), self);
      g_signal_handlers_disconnect_by_data (urbarium_run_get_checkpoints (self->run), self);
      g_signal_handlers_disconnect_by_data (self->run, self);
    }
  g_set_object (&self->run, run);
  g_set_object (&self->library, library);
  gtk_list_box_bind_model (self->list, NULL, NULL, NULL, NULL);
  if (run == NULL)
    return;
  show_best (self);
  g_signal_connect_object (urbarium_run_get_score (run, URB_SCORE_PLANS), "changed", G_CALLBACK (score_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (urbarium_run_get_checkpoints (run), "items-changed",
                           G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_object_connect (run, "swapped-object-signal::notify::state", update, self,
                    "swapped-object-signal::notify::live", update, self, NULL);
  update (self);
}

static void
roll_back_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumCheckpointList *self = URBARIUM_CHECKPOINT_LIST (widget);
  if (self->run != NULL)
    urbarium_run_dialogs_roll_back (widget, self->run, g_variant_get_int64 (param));
}

static void
branch_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumCheckpointList *self = URBARIUM_CHECKPOINT_LIST (widget);
  if (self->run != NULL && self->library != NULL)
    urbarium_run_dialogs_branch (widget, self->library, self->run, g_variant_get_int64 (param));
}

static void
dispose (GObject *object)
{
  g_clear_object (&URBARIUM_CHECKPOINT_LIST (object)->run);
  g_clear_object (&URBARIUM_CHECKPOINT_LIST (object)->library);
  G_OBJECT_CLASS (urbarium_checkpoint_list_parent_class)->dispose (object);
}

static void
urbarium_checkpoint_list_class_init (UrbariumCheckpointListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               URBARIUM_UI_PATH "checkpoint-list.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumCheckpointList, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCheckpointList, list);
  gtk_widget_class_install_action (widget_class, "checkpoints.roll-back", "x", roll_back_action);
  gtk_widget_class_install_action (widget_class, "checkpoints.branch", "x", branch_action);
}

static void
urbarium_checkpoint_list_init (UrbariumCheckpointList *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
