/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/run-header.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/message.h"
#include "app/base/ui-path.h"
#include "app/plot/wrap-layout.h"
#include "app/train/gpu-rows.h"
#include "app/train/mlflow-dialog.h"
#include "app/train/note-dialog.h"
#include "app/train/processor-load.h"
#include "app/train/run-dialogs.h"
#include "app/train/run-export.h"
#include "app/train/run-name.h"
#include "app/train/run-text.h"
#include "app/train/networks-window.h"
#include "app/train/tensorboard-view.h"
#include "app/train/timeline-window.h"

enum { REFRESH_MS = 250 };

struct _UrbariumRunHeader
{
  AdwBin              parent_instance;

  UrbariumRun        *run;     /* (nullable) owned */
  UrbariumRunLibrary *library; /* (nullable) owned */
  guint               timeout;
  gboolean            resuming; /* requested, outcome unknown yet */

  GtkWidget          *dot;
  UrbariumRunName    *name;
  GtkLabel           *note_label, *state_label, *left_label, *busy_label, *trouble_label;
  GtkSpinner         *busy_spinner;
  GtkProgressBar     *progress;
  UrbariumProcessorLoad *processor;
  UrbariumGpuRows    *gpus;
  AdwButtonContent   *resume_content, *stop_content;
  GtkWidget          *pause_button, *resume_button, *stop_button, *extend_button, *move_box, *write_box, *trouble;
};

G_DEFINE_FINAL_TYPE (UrbariumRunHeader, urbarium_run_header, ADW_TYPE_BIN)

/* Whether resuming starts at step 0.  Not a paused run's: pausing saves a checkpoint. */
static gboolean
restarts (UrbariumRun *run)
{
  gboolean has_checkpoint;
  g_object_get (run, "has-checkpoint", &has_checkpoint, NULL);
  return !urbarium_run_get_live (run) && !has_checkpoint;
}

/* A queue of one has no order. */
static void
update_moves (UrbariumRunHeader *self)
{
  gboolean earlier = urbarium_run_can_move (self->run, URB_QUEUE_EARLIER);
  gboolean later = urbarium_run_can_move (self->run, URB_QUEUE_LATER);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "run.earlier", earlier);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "run.later", later);
  gtk_widget_set_visible (self->move_box, urbarium_run_is_in_order (self->run));
}

static void
update_actions (UrbariumRunHeader *self)
{
  static const struct
  {
    const char    *action;
    UrbariumRunCan can;
  } actions[] = {
    { "run.pause", URBARIUM_RUN_CAN_PAUSE },      { "run.resume", URBARIUM_RUN_CAN_RESUME },
    { "run.stop", URBARIUM_RUN_CAN_STOP },        { "run.checkpoint", URBARIUM_RUN_CAN_WRITE },
    { "run.sample", URBARIUM_RUN_CAN_WRITE },     { "run.extend", URBARIUM_RUN_CAN_EXTEND },
    { "run.delete", URBARIUM_RUN_CAN_DELETE },
  };
  UrbariumRunCan can = urbarium_run_text_get_can (self->run);
  gboolean queued = urbarium_run_get_state (self->run) == URB_RUN_QUEUED;
  gboolean live = urbarium_run_get_live (self->run);
  gboolean resume = (can & URBARIUM_RUN_CAN_RESUME) != 0;
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), actions[i].action,
                                   (can & actions[i].can) != 0);
  update_moves (self);
  gtk_widget_set_visible (self->resume_button, resume);
  gtk_widget_set_visible (self->pause_button, live && !resume && !queued);
  gtk_widget_set_visible (self->stop_button, live || queued);
  gtk_widget_set_visible (self->write_box, live && !queued);
  gtk_widget_set_visible (self->extend_button,
                          !live && urbarium_run_get_state (self->run) == URB_RUN_FINISHED);
  adw_button_content_set_label (self->resume_content, queued ? _ ("_Start now") : _ ("_Resume"));
  adw_button_content_set_label (self->stop_content, queued ? _ ("_Dequeue") : _ ("_Stop"));
  gtk_widget_set_tooltip_text (self->resume_button,
                               queued ? _ ("Start now, without waiting")
                               : restarts (self->run)
                                 ? _ ("Start again at step 0, since no checkpoint was saved")
                                 : _ ("Continue from the newest checkpoint"));
  gtk_widget_set_tooltip_text (self->stop_button,
                               queued ? _ ("Remove the run from the queue")
                                      : _ ("Save a checkpoint and end; it can be resumed later"));
}

static void
update (UrbariumRunHeader *self)
{
  g_autofree char *busy = NULL, *left = NULL;
  g_autofree char *state = NULL, *steps = NULL, *speed = NULL, *strategy = NULL;
  g_autofree char *progress = NULL, *summary = NULL, *trouble = NULL, *note = NULL;
  const char *classes[] = { "run-dot", NULL, NULL };
  if (self->run == NULL)
    return;
  if (urbarium_run_get_live (self->run))
    self->resuming = FALSE;
  classes[1] = urbarium_run_text_dot_class (self->run);
  state = urbarium_run_text_dup_state (self->run);
  steps = urbarium_run_text_dup_steps (self->run);
  speed = urbarium_run_text_dup_speed (self->run);
  strategy = urbarium_run_text_dup_strategy (self->run);
  progress = g_strjoin (" · ", state, steps, speed, NULL); /* speed may be NULL */
  summary = g_strjoin (" · ", progress, strategy, NULL);
  left = urbarium_run_text_dup_left (self->run);
  g_object_get (self->run, "busy-with", &busy, "trouble", &trouble, "note", &note, NULL);
  urbarium_run_name_set_text (self->name, urbarium_run_get_name (self->run));
  gtk_widget_set_css_classes (self->dot, classes);
  gtk_label_set_text (self->note_label, note == NULL ? "" : note);
  gtk_widget_set_visible (GTK_WIDGET (self->note_label), note != NULL);
  gtk_label_set_text (self->state_label, summary);
  gtk_label_set_text (self->left_label, left == NULL ? "" : left);
  gtk_label_set_text (self->busy_label, busy == NULL ? "" : busy);
  gtk_widget_set_visible (GTK_WIDGET (self->busy_spinner), busy != NULL);
  gtk_label_set_text (self->trouble_label, trouble == NULL ? "" : trouble);
  gtk_widget_set_visible (self->trouble, trouble != NULL);
  gtk_progress_bar_set_fraction (self->progress, urbarium_run_text_get_fraction (self->run));
  update_actions (self);
}

static gboolean
timeout_cb (gpointer data)
{
  UrbariumRunHeader *self = data;
  self->timeout = 0;
  update (self);
  return G_SOURCE_REMOVE;
}

static void
notify_cb (UrbariumRunHeader *self, GParamSpec *pspec)
{
  const char *const at_once[] = { "name", "state", "state-text", "live", "busy-with",
                                  "has-checkpoint", "trouble", "queue-place", NULL };
  if (g_strv_contains (at_once, pspec->name))
    update (self);
  else if (self->timeout == 0)
    self->timeout = g_timeout_add (REFRESH_MS, timeout_cb, self);
}

/* Offers the CPU if resuming on a GPU failed. */
static void
failed_cb (UrbariumRunHeader *self, const char *what, const GError *error)
{
  const UrbRunConfig *config = urbarium_run_get_config (self->run);
  gboolean resuming = self->resuming;
  self->resuming = FALSE;
  if (resuming && !urbarium_run_get_live (self->run) && config != NULL
      && urb_device_is_gpu (config->train.backend)
      && gtk_widget_get_root (GTK_WIDGET (self)) != NULL)
    urbarium_run_dialogs_resume_on_processor (GTK_WIDGET (self), self->run, what, error);
  else
    urbarium_message_error (GTK_WIDGET (self), what, error);
}

void
urbarium_run_header_set_run (UrbariumRunHeader *self, UrbariumRun *run, UrbariumRunLibrary *library)
{
  if (self->run != NULL)
    g_signal_handlers_disconnect_by_data (self->run, self);
  urbarium_run_name_cancel (self->name);
  g_set_object (&self->library, library);
  g_set_object (&self->run, run);
  self->resuming = FALSE;
  gtk_widget_set_sensitive (GTK_WIDGET (self), run != NULL);
  urbarium_processor_load_set_run (self->processor, run);
  urbarium_gpu_rows_set_gpus (self->gpus, run == NULL ? NULL : urbarium_run_get_gpus (run));
  if (run == NULL)
    return;
  g_object_connect (run, "swapped-object-signal::notify", notify_cb, self,
                    "swapped-object-signal::failed", failed_cb, self, NULL);
  update (self);
}

static void
renamed_cb (UrbariumRunHeader *self, const char *name)
{
  if (self->run != NULL)
    urbarium_run_rename (self->run, name);
}

static void
rename_action (GtkWidget *widget, const char *action, GVariant *param)
{
  urbarium_run_name_edit (URBARIUM_RUN_HEADER (widget)->name);
}

static void
note_action (GtkWidget *widget, const char *action, GVariant *param)
{
  UrbariumRunHeader *self = URBARIUM_RUN_HEADER (widget);
  if (self->run != NULL)
    urbarium_note_dialog_show (widget, self->run);
}

static void
verb_action (GtkWidget *widget, const char *action, GVariant *param)
{
  static const struct
  {
    const char *action;
    void (*verb) (UrbariumRun *run);
  } verbs[] = {
    { "run.pause", urbarium_run_pause },
    { "run.stop", urbarium_run_stop },
    { "run.checkpoint", urbarium_run_checkpoint },
    { "run.sample", urbarium_run_sample },
  };
  UrbariumRunHeader *self = URBARIUM_RUN_HEADER (widget);
  for (guint i = 0; i < G_N_ELEMENTS (verbs) && self->run != NULL; i++)
    if (g_str_equal (verbs[i].action, action))
      verbs[i].verb (self->run);
}

static void
resume_action (GtkWidget *widget, const char *action, GVariant *param)
{
  UrbariumRunHeader *self = URBARIUM_RUN_HEADER (widget);
  gint64 step;
  if (self->run == NULL)
    return;
  self->resuming = TRUE;
  g_object_get (self->run, "step", &step, NULL);
  if (step > 0 && restarts (self->run))
    urbarium_run_dialogs_restart (widget, self->run);
  else
    urbarium_run_resume (self->run);
}

static void
move_action (GtkWidget *widget, const char *action, GVariant *param)
{
  UrbariumRunHeader *self = URBARIUM_RUN_HEADER (widget);
  if (self->run != NULL && self->library != NULL)
    urbarium_run_library_move (self->library, self->run,
                               g_str_equal (action, "run.earlier") ? URB_QUEUE_EARLIER : URB_QUEUE_LATER);
}

static void
extend_action (GtkWidget *widget, const char *action, GVariant *param)
{
  UrbariumRunHeader *self = URBARIUM_RUN_HEADER (widget);
  if (self->run != NULL)
    urbarium_run_dialogs_extend (widget, self->run);
}

static const char *const exports[] = {
  [URBARIUM_RUN_EXPORT_REPORT] = "run.report",
  [URBARIUM_RUN_EXPORT_FIGURES] = "run.export-figures",
  [URBARIUM_RUN_EXPORT_PROBLEM] = "run.report-problem",
};

static void
export_action (GtkWidget *widget, const char *action, GVariant *param)
{
  UrbariumRunHeader *self = URBARIUM_RUN_HEADER (widget);
  for (guint i = 0; i < G_N_ELEMENTS (exports) && self->run != NULL; i++)
    if (g_str_equal (exports[i], action))
      urbarium_run_export_ask (widget, self->run, (UrbariumRunExport) i);
}

static void
tensorboard_action (GtkWidget *widget, const char *action, GVariant *param)
{
  UrbariumRunHeader *self = URBARIUM_RUN_HEADER (widget);
  if (self->run != NULL)
    urbarium_tensorboard_view_open (widget, self->run);
}

static void
mlflow_action (GtkWidget *widget, const char *action, GVariant *param)
{
  UrbariumRunHeader *self = URBARIUM_RUN_HEADER (widget);
  if (self->run != NULL)
    urbarium_mlflow_dialog_show (widget, self->run);
}

static void
timeline_action (GtkWidget *widget, const char *action, GVariant *param)
{
  UrbariumRunHeader *self = URBARIUM_RUN_HEADER (widget);
  UrbariumTimelineWindow *window;
  if (self->run == NULL)
    return;
  window = urbarium_timeline_window_new (self->run);
  gtk_window_set_transient_for (GTK_WINDOW (window), GTK_WINDOW (gtk_widget_get_root (widget)));
  gtk_window_present (GTK_WINDOW (window));
}

/* With the weights of the newest checkpoint, if there is one. */
static void
networks_action (GtkWidget *widget, const char *action, GVariant *param)
{
  UrbariumRunHeader *self = URBARIUM_RUN_HEADER (widget);
  g_auto(UrbRunConfig) config = { 0 };
  GListModel *checkpoints = self->run == NULL ? NULL : urbarium_run_get_checkpoints (self->run);
  guint n = checkpoints == NULL ? 0 : g_list_model_get_n_items (checkpoints);
  g_autoptr(GObject) newest = n > 0 ? g_list_model_get_item (checkpoints, n - 1) : NULL;
  g_autofree char *path = NULL, *title = NULL;
  if (self->run == NULL || !urbarium_run_copy_config (self->run, &config))
    return;
  if (newest != NULL)
    {
      g_autofree char *step = urbarium_format_count (urbarium_run_file_get_step (URBARIUM_RUN_FILE (newest)));
      /* translators: a number of training steps */
      title = g_strdup_printf (_ ("Networks at step %s"), step);
      g_object_get (newest, "path", &path, NULL);
    }
  urbarium_networks_window_show (widget, &config.train, path, title);
}

static void
delete_action (GtkWidget *widget, const char *action, GVariant *param)
{
  UrbariumRunHeader *self = URBARIUM_RUN_HEADER (widget);
  if (self->run != NULL && self->library != NULL)
    urbarium_run_dialogs_delete (widget, self->library, self->run);
}

static void
dispose (GObject *object)
{
  UrbariumRunHeader *self = URBARIUM_RUN_HEADER (object);
  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_object (&self->run);
  g_clear_object (&self->library);
  G_OBJECT_CLASS (urbarium_run_header_parent_class)->dispose (object);
}

static void
urbarium_run_header_class_init (UrbariumRunHeaderClass *klass)
{
  const char *const verbs[] = { "run.pause", "run.stop", "run.checkpoint", "run.sample" };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  g_type_ensure (URBARIUM_TYPE_GPU_ROWS);
  g_type_ensure (URBARIUM_TYPE_PROCESSOR_LOAD);
  g_type_ensure (URBARIUM_TYPE_RUN_NAME);
  g_type_ensure (URBARIUM_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "run-header.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, dot);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, name);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, state_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, left_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, busy_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, busy_spinner);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, progress);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, processor);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, gpus);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, pause_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, resume_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, stop_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, extend_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, resume_content);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, stop_content);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, note_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, move_box);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, write_box);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, trouble);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunHeader, trouble_label);
  gtk_widget_class_bind_template_callback (widget_class, renamed_cb);
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    gtk_widget_class_install_action (widget_class, verbs[i], NULL, verb_action);
  gtk_widget_class_install_action (widget_class, "run.resume", NULL, resume_action);
  gtk_widget_class_install_action (widget_class, "run.earlier", NULL, move_action);
  gtk_widget_class_install_action (widget_class, "run.later", NULL, move_action);
  gtk_widget_class_install_action (widget_class, "run.extend", NULL, extend_action);
  gtk_widget_class_install_action (widget_class, "run.rename", NULL, rename_action);
  gtk_widget_class_install_action (widget_class, "run.note", NULL, note_action);
  for (guint i = 0; i < G_N_ELEMENTS (exports); i++)
    gtk_widget_class_install_action (widget_class, exports[i], NULL, export_action);
  gtk_widget_class_install_action (widget_class, "run.tensorboard", NULL, tensorboard_action);
  gtk_widget_class_install_action (widget_class, "run.mlflow", NULL, mlflow_action);
  gtk_widget_class_install_action (widget_class, "run.timeline", NULL, timeline_action);
  gtk_widget_class_install_action (widget_class, "run.networks", NULL, networks_action);
  gtk_widget_class_install_action (widget_class, "run.delete", NULL, delete_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_F2, 0, "run.rename", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Up, GDK_ALT_MASK, "run.earlier", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Down, GDK_ALT_MASK, "run.later", NULL);
}

static void
urbarium_run_header_init (UrbariumRunHeader *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
