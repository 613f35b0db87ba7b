/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run's history arrives oldest checkpoint first.  Once it is loaded, the newest checkpoint is
 * chosen, and again each newer one that is saved, until the user picks another.
 */
#include "app/cities/model-chooser.h"

#include <glib/gi18n.h>

#include "app/base/file-chooser.h"
#include "app/base/format.h"
#include "app/base/ui-path.h"

struct _UrbariumModelChooser
{
  AdwBin              parent_instance;
  UrbariumRunLibrary *library; /* (nullable) owned */
  UrbariumRun        *run;     /* (nullable) owned; followed */
  char               *file;    /* (nullable) owned; a checkpoint file opened by the user */
  char               *emitted; /* (nullable) owned; the checkpoint of the last "chosen" */
  guint               emit_id; /* source */
  gboolean            emitted_once;
  GListModel         *sorted;  /* (nullable) owned; the run's checkpoints, newest first */
  GObject            *picked;  /* (nullable) owned; picked by the user, kept while it exists */
  gboolean            held;    /* do not choose newer ones */
  gint64              best_step; /* named as the best; -1: none */
  gboolean            moving;  /* the selection changes, but not by the user */

  AdwComboRow        *run_row, *checkpoint_row;
  AdwActionRow       *open_row;
  GtkButton          *close_button;
  GtkLabel           *text;
};

G_DEFINE_FINAL_TYPE (UrbariumModelChooser, urbarium_model_chooser, ADW_TYPE_BIN)

static guint chosen_signal;

static gboolean
emit_cb (gpointer data)
{
  UrbariumModelChooser *self = data;
  GObject *checkpoint = adw_combo_row_get_selected_item (self->checkpoint_row);
  g_autofree char *path = g_strdup (self->file);
  const char *run = self->file != NULL ? self->file
                    : self->run != NULL ? urbarium_run_get_folder (self->run)
                                        : NULL;
  if (self->file == NULL && checkpoint != NULL)
    g_object_get (checkpoint, "path", &path, NULL);
  self->emit_id = 0;
  if (self->emitted_once && g_strcmp0 (path, self->emitted) == 0)
    return G_SOURCE_REMOVE;
  self->emitted_once = TRUE;
  g_free (self->emitted);
  self->emitted = g_strdup (path);
  g_signal_emit (self, chosen_signal, 0, path, run);
  return G_SOURCE_REMOVE;
}

/* Coalesces the changes of one main loop iteration. */
static void
queue_emit (UrbariumModelChooser *self)
{
  gboolean loading = FALSE;
  if (self->run != NULL && self->file == NULL)
    g_object_get (self->run, "loading", &loading, NULL);
  if (!loading && self->emit_id == 0)
    self->emit_id = g_idle_add (emit_cb, self);
}

static void
update_rows (UrbariumModelChooser *self)
{
  g_autofree char *name = self->file != NULL ? g_path_get_basename (self->file) : NULL;
  gboolean has_runs = self->library != NULL
                      && g_list_model_get_n_items (G_LIST_MODEL (self->library)) > 0;
  gtk_widget_set_visible (GTK_WIDGET (self->run_row), has_runs && self->file == NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->checkpoint_row),
                          self->run != NULL && self->file == NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->close_button), has_runs && self->file != NULL);
  adw_action_row_set_subtitle (self->open_row, name != NULL ? name : "");
}

static void
show_newest (UrbariumModelChooser *self)
{
  g_clear_object (&self->picked);
  if (self->sorted == NULL || g_list_model_get_n_items (self->sorted) == 0)
    return;
  self->moving = TRUE;
  adw_combo_row_set_selected (self->checkpoint_row, 0);
  self->moving = FALSE;
  queue_emit (self);
}

static void
follow_newest (UrbariumModelChooser *self)
{
  if (self->picked == NULL && !self->held)
    show_newest (self);
}

/* The user selected it, or the row itself did when the list changed. */
static void
checkpoint_selected_cb (UrbariumModelChooser *self)
{
  if (!self->moving)
    {
      GObject *selected = adw_combo_row_get_selected_item (self->checkpoint_row);
      if (adw_combo_row_get_selected (self->checkpoint_row) == 0)
        selected = NULL;
      g_set_object (&self->picked, selected);
    }
  queue_emit (self);
}

static char *
get_step_text (GObject *checkpoint, gint64 step, gpointer data)
{
  UrbariumModelChooser *self = data;
  g_autofree char *count = urbarium_format_count (step);

  if (self->run == NULL || step != self->best_step)
    /* translators: a checkpoint, named by its training step */
    return g_strdup_printf (_ ("Step %s"), count);
  /* translators: the checkpoint with the best score, named by its training step */
  return g_strdup_printf (_ ("Step %s (best)"), count);
}

/* The row reads its texts when it gets its list: the best is another now. */
static void
score_cb (UrbariumModelChooser *self)
{
  gint64 best = self->run != NULL ? urbarium_run_get_best_step (self->run) : -1;
  guint selected;
  if (best == self->best_step)
    return;
  self->best_step = best;
  selected = adw_combo_row_get_selected (self->checkpoint_row);
  self->moving = TRUE;
  adw_combo_row_set_model (self->checkpoint_row, NULL);
  adw_combo_row_set_model (self->checkpoint_row, self->sorted);
  adw_combo_row_set_selected (self->checkpoint_row, selected);
  self->moving = FALSE;
}

/* Called before the row handles a change of the list; changed_cb() after. */
static void
changing_cb (UrbariumModelChooser *self)
{
  self->moving = TRUE;
}

static void
changed_cb (UrbariumModelChooser *self)
{
  self->moving = FALSE;
  score_cb (self);
  /* Checkpoints disappear: a run keeps a limited number, and can be rolled back. */
  if (self->picked != NULL
      && (GObject *) adw_combo_row_get_selected_item (self->checkpoint_row) != self->picked)
    g_clear_object (&self->picked);
  follow_newest (self);
}

static void
loading_cb (UrbariumModelChooser *self)
{
  if (self->picked == NULL)
    show_newest (self);
  queue_emit (self);
}

static void
set_checkpoints (UrbariumModelChooser *self, GListModel *sorted)
{
  if (self->sorted != NULL)
    g_signal_handlers_disconnect_by_data (self->sorted, self);
  g_clear_object (&self->picked);
  g_set_object (&self->sorted, sorted);
  if (sorted != NULL)
    g_signal_connect_object (sorted, "items-changed", G_CALLBACK (changing_cb), self,
                             G_CONNECT_SWAPPED);
  self->moving = TRUE;
  adw_combo_row_set_model (self->checkpoint_row, sorted);
  self->moving = FALSE;
  if (sorted != NULL)
    g_signal_connect_object (sorted, "items-changed", G_CALLBACK (changed_cb), self,
                             G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}

static void
leave_run (UrbariumModelChooser *self)
{
  if (self->run == NULL)
    return;
  g_signal_handlers_disconnect_by_data (self->run, self);
  g_signal_handlers_disconnect_by_data (urbarium_run_get_score (self->run, URB_SCORE_PLANS), self);
  urbarium_run_unfollow (self->run);
  g_clear_object (&self->run);
}

static void
set_run (UrbariumModelChooser *self, UrbariumRun *run)
{
  g_autoptr(GListModel) sorted = NULL;
  if (self->run == run)
    return;
  leave_run (self);
  g_set_object (&self->run, run);
  if (run != NULL)
    {
      GtkExpression *step
        = gtk_property_expression_new (URBARIUM_TYPE_RUN_FILE, NULL, "step");
      GtkNumericSorter *sorter = gtk_numeric_sorter_new (step);
      gtk_numeric_sorter_set_sort_order (sorter, GTK_SORT_DESCENDING);
      sorted = G_LIST_MODEL (gtk_sort_list_model_new (
        g_object_ref (urbarium_run_get_checkpoints (run)), GTK_SORTER (sorter)));
      g_signal_connect_object (run, "notify::loading", G_CALLBACK (loading_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (urbarium_run_get_score (run, URB_SCORE_PLANS), "changed",
                               G_CALLBACK (score_cb), self, G_CONNECT_SWAPPED);
      urbarium_run_follow (run);
    }
  self->best_step = run != NULL ? urbarium_run_get_best_step (run) : -1;
  set_checkpoints (self, sorted);
  update_rows (self);
  queue_emit (self);
}

/* The user selected it, or the row itself did when the first run appeared: keep an opened file. */
static void
run_selected_cb (UrbariumModelChooser *self)
{
  set_run (self, adw_combo_row_get_selected_item (self->run_row));
}

/* Back to the runs. */
static void
close_cb (UrbariumModelChooser *self)
{
  g_clear_pointer (&self->file, g_free);
  update_rows (self);
  queue_emit (self);
}

void
urbarium_model_chooser_set_library (UrbariumModelChooser *self, UrbariumRunLibrary *library)
{
  g_return_if_fail (URBARIUM_IS_MODEL_CHOOSER (self));
  g_set_object (&self->library, library);
  g_signal_connect_object (library, "items-changed", G_CALLBACK (update_rows), self,
                           G_CONNECT_SWAPPED);
  adw_combo_row_set_model (self->run_row, G_LIST_MODEL (library));
  run_selected_cb (self);
}

void
urbarium_model_chooser_show_run (UrbariumModelChooser *self, UrbariumRun *run)
{
  GListModel *runs = G_LIST_MODEL (self->library);
  g_return_if_fail (URBARIUM_IS_MODEL_CHOOSER (self));
  for (guint i = 0; runs != NULL && i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr(UrbariumRun) item = g_list_model_get_item (runs, i);
      if (item != run)
        continue;
      g_clear_pointer (&self->file, g_free);
      adw_combo_row_set_selected (self->run_row, i);
      show_newest (self);
      update_rows (self);
      queue_emit (self);
      return;
    }
}

void
urbarium_model_chooser_show_step (UrbariumModelChooser *self, UrbariumRun *run, gint64 step)
{
  guint nearest = 0;
  gint64 least = G_MAXINT64;
  urbarium_model_chooser_show_run (self, run);
  for (guint i = 0; self->sorted != NULL && i < g_list_model_get_n_items (self->sorted); i++)
    {
      g_autoptr(UrbariumRunFile) file = g_list_model_get_item (self->sorted, i);
      gint64 distance = ABS (urbarium_run_file_get_step (file) - step);
      if (distance >= least)
        continue;
      least = distance;
      nearest = i;
    }
  adw_combo_row_set_selected (self->checkpoint_row, nearest);
}

void
urbarium_model_chooser_set_held (UrbariumModelChooser *self, gboolean held)
{
  g_return_if_fail (URBARIUM_IS_MODEL_CHOOSER (self));
  if (self->held == held)
    return;
  self->held = held;
  follow_newest (self);
}

void
urbarium_model_chooser_open (UrbariumModelChooser *self, const char *checkpoint)
{
  g_autofree char *path = g_strdup (checkpoint);
  g_return_if_fail (URBARIUM_IS_MODEL_CHOOSER (self));
  g_free (self->file);
  self->file = g_steal_pointer (&path);
  update_rows (self);
  queue_emit (self);
}

void
urbarium_model_chooser_ask (UrbariumModelChooser *self)
{
  GtkFileChooser *chooser
    = urbarium_file_chooser_new (GTK_WIDGET (self), GTK_FILE_CHOOSER_ACTION_OPEN,
                                 _ ("Open checkpoint"), _ ("_Open"));
  urbarium_file_chooser_add_filter (chooser, _ ("Checkpoints (.safetensors)"), "safetensors", NULL);
  urbarium_file_chooser_show (chooser, GTK_WIDGET (self), G_CALLBACK (urbarium_model_chooser_open),
                              self, NULL);
}

void
urbarium_model_chooser_set_text (UrbariumModelChooser *self, const char *text)
{
  gtk_label_set_label (self->text, text != NULL ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (self->text), text != NULL);
}

static void
dispose (GObject *object)
{
  UrbariumModelChooser *self = URBARIUM_MODEL_CHOOSER (object);
  /* From here on nothing may queue another emission: the rows are about to go. */
  leave_run (self);
  if (self->sorted != NULL)
    g_signal_handlers_disconnect_by_data (self->sorted, self);
  if (self->library != NULL)
    g_signal_handlers_disconnect_by_data (self->library, self);
  g_clear_handle_id (&self->emit_id, g_source_remove);
  g_clear_object (&self->sorted);
  g_clear_object (&self->picked);
  g_clear_object (&self->library);
  G_OBJECT_CLASS (urbarium_model_chooser_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumModelChooser *self = URBARIUM_MODEL_CHOOSER (object);
  g_free (self->file);
  g_free (self->emitted);
  G_OBJECT_CLASS (urbarium_model_chooser_parent_class)->finalize (object);
}

static void
urbarium_model_chooser_class_init (UrbariumModelChooserClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  chosen_signal = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
  g_type_ensure (URBARIUM_TYPE_RUN);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "model-chooser.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumModelChooser, run_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumModelChooser, checkpoint_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumModelChooser, open_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumModelChooser, close_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumModelChooser, text);
  gtk_widget_class_bind_template_callback (widget_class, checkpoint_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, close_cb);
  gtk_widget_class_bind_template_callback (widget_class, run_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, urbarium_model_chooser_ask);
}

static void
urbarium_model_chooser_init (UrbariumModelChooser *self)
{
  g_autoptr(GtkExpression) text = NULL;
  GtkExpression *step;
  self->best_step = -1;
  gtk_widget_init_template (GTK_WIDGET (self));
  step = gtk_property_expression_new (URBARIUM_TYPE_RUN_FILE, NULL, "step");
  text = gtk_cclosure_expression_new (G_TYPE_STRING, NULL, 1, &step, G_CALLBACK (get_step_text), self,
                                      NULL);
  adw_combo_row_set_expression (self->checkpoint_row, text);
  update_rows (self);
}
