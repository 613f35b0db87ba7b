/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/timeline-window.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/base/file-chooser.h"
#include "app/base/format.h"
#include "app/base/message.h"
#include "app/base/ui-path.h"
#include "app/plot/swatch.h"
#include "app/plot/wrap-layout.h"
#include "app/train/timeline.h"
#include "run/store/folder.h"

struct _UrbariumTimelineWindow
{
  AdwWindow         parent_instance;

  UrbariumRun      *run;     /* owned */
  char             *path;    /* owned: of trace.json */
  GFileMonitor     *monitor; /* (nullable) owned */
  GCancellable     *loading; /* (nullable) owned */

  GtkStack         *stack;
  GtkLabel         *summary_label;
  GtkBox           *legend_box;
  UrbariumTimeline *timeline;
  AdwStatusPage    *none_page;
};

G_DEFINE_FINAL_TYPE (UrbariumTimelineWindow, urbarium_timeline_window, ADW_TYPE_WINDOW)

/* ------------------------------------------------------------------------ */
/* What is shown                                                             */

static void
update (UrbariumTimelineWindow *self)
{
  gboolean shown = urbarium_timeline_get_data (self->timeline) != NULL, live, idle;
  UrbRunState state = urbarium_run_get_state (self->run);
  g_autofree char *busy = NULL;
  g_object_get (self->run, "live", &live, "busy-with", &busy, NULL);
  idle = busy == NULL;
  gtk_stack_set_visible_child_name (self->stack, shown ? "timeline" : "none");
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "timelines.record", live && state == URB_RUN_RUNNING && idle);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "timelines.export", shown);
  adw_status_page_set_description (self->none_page, live ? _ ("Record what each rank does during five steps.")
                                                         : _ ("Only a run that is training can record one."));
}

static char *
dup_summary (const UrbariumTimelineData *data)
{
  g_autofree char *step = urbarium_format_number (data->step_ms, 1), *comm = urbarium_format_percent (data->comm_share);
  g_autofree char *hidden = urbarium_format_percent (data->overlap_share);
  g_autofree char *best = urbarium_format_percent (data->hideable_share);
  if (data->comm_share <= 0)
    return g_strdup_printf (_ ("A step takes %s ms; the ranks exchange nothing."), step);
  /* translators: a duration, and three shares */
  return g_strdup_printf (_ ("A step takes %s ms. During %s of it the ranks exchange data; %s of that is hidden behind "
                             "computation; %s could be."), step, comm, hidden, best);
}

static void
add_legend (UrbariumTimelineWindow *self, int lane, guint pass, const char *title)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_box_append (GTK_BOX (box), urbarium_swatch_new (urbarium_timeline_get_color (lane, pass)));
  gtk_box_append (GTK_BOX (box), gtk_label_new (title));
  gtk_box_append (self->legend_box, box);
}

static void
show_legend (UrbariumTimelineWindow *self, const UrbariumTimelineData *data)
{
  gboolean used[URBARIUM_TIMELINE_N_PASSES] = { 0 };
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->legend_box))) != NULL)
    gtk_box_remove (self->legend_box, child);
  for (guint i = 0; i < data->spans->len; i++)
    {
      const UrbariumTimelineSpan *span = &g_array_index (data->spans, UrbariumTimelineSpan, i);
      used[span->pass] = used[span->pass] || span->lane == URBARIUM_TIMELINE_COMPUTATION;
    }
  for (guint i = 1; i <= URBARIUM_TIMELINE_N_PASSES; i++)
    if (used[i % URBARIUM_TIMELINE_N_PASSES]) /* others last */
      add_legend (self, URBARIUM_TIMELINE_COMPUTATION, i % URBARIUM_TIMELINE_N_PASSES,
                  _ (urbarium_timeline_passes[i % URBARIUM_TIMELINE_N_PASSES]));
  if (data->n_lanes > 1)
    add_legend (self, URBARIUM_TIMELINE_COMPUTATION + 1, 0, _ ("exchange between ranks"));
}

/* ------------------------------------------------------------------------ */
/* Loading                                                                   */

static void
load_thread (GTask *task, gpointer source, gpointer path, GCancellable *cancellable)
{
  GError *error = NULL;
  UrbariumTimelineData *data = urbarium_timeline_data_load (path, &error);
  if (data != NULL)
    g_task_return_pointer (task, data, (GDestroyNotify) urbarium_timeline_data_free);
  else
    g_task_return_error (task, error);
}

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  UrbariumTimelineWindow *self = URBARIUM_TIMELINE_WINDOW (source);
  g_autoptr(GError) error = NULL;
  UrbariumTimelineData *data = g_task_propagate_pointer (G_TASK (result), &error);
  if (data != NULL)
    {
      g_autofree char *summary = dup_summary (data);
      gtk_label_set_text (self->summary_label, summary);
      show_legend (self, data);
      urbarium_timeline_set_data (self->timeline, data);
    }
  else if (!g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT)
           && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    urbarium_message_error (GTK_WIDGET (self), _ ("The timeline cannot be shown"), error);
  update (self);
}

static void
load (UrbariumTimelineWindow *self)
{
  g_autoptr(GTask) task = NULL;
  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  self->loading = g_cancellable_new ();
  task = g_task_new (self, self->loading, loaded_cb, NULL);
  g_task_set_task_data (task, g_strdup (self->path), g_free);
  g_task_run_in_thread (task, load_thread);
}

static void
file_changed_cb (UrbariumTimelineWindow *self, GFile *file, GFile *other, GFileMonitorEvent event)
{
  if (event == G_FILE_MONITOR_EVENT_CHANGES_DONE_HINT || event == G_FILE_MONITOR_EVENT_CREATED
      || event == G_FILE_MONITOR_EVENT_RENAMED || event == G_FILE_MONITOR_EVENT_MOVED_IN)
    load (self);
}

/* ------------------------------------------------------------------------ */
/* Actions                                                                   */

static void
record_action (GtkWidget *widget, const char *name, GVariant *param)
{
  urbarium_run_trace (URBARIUM_TIMELINE_WINDOW (widget)->run);
}

/* Those of the timeline, for buttons outside of it: "timelines.all" is "timeline.all". */
static void
view_action (GtkWidget *widget, const char *name, GVariant *param)
{
  g_autofree char *action = g_strconcat ("timeline", strchr (name, '.'), NULL);
  gtk_widget_activate_action (GTK_WIDGET (URBARIUM_TIMELINE_WINDOW (widget)->timeline), action, NULL);
}

static void
copied_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumTimelineWindow) self = data;
  g_autoptr(GError) error = NULL;
  if (!g_file_copy_finish (G_FILE (source), result, &error))
    urbarium_message_error (GTK_WIDGET (self), _ ("The timeline cannot be exported"), error);
}

static void
export_cb (UrbariumTimelineWindow *self, const char *path, GListModel *files)
{
  g_autoptr(GFile) from = g_file_new_for_path (self->path), to = g_file_new_for_path (path);
  g_file_copy_async (from, to, G_FILE_COPY_OVERWRITE, G_PRIORITY_DEFAULT, NULL, NULL, NULL, copied_cb,
                     g_object_ref (self));
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *param)
{
  GtkFileChooser *chooser = urbarium_file_chooser_new (widget, GTK_FILE_CHOOSER_ACTION_SAVE, _ ("Export the timeline"),
                                                       _ ("_Export"));
  gtk_file_chooser_set_current_name (chooser, "timeline.json");
  urbarium_file_chooser_add_filter (chooser, _ ("Timelines (JSON)"), "json", NULL);
  urbarium_file_chooser_show (chooser, widget, G_CALLBACK (export_cb), widget, NULL);
}

/* ------------------------------------------------------------------------ */

UrbariumTimelineWindow *
urbarium_timeline_window_new (UrbariumRun *run)
{
  UrbariumTimelineWindow *self = g_object_new (URBARIUM_TYPE_TIMELINE_WINDOW, NULL);
  g_autoptr(GFile) file = NULL;
  self->run = g_object_ref (run);
  self->path = g_build_filename (urbarium_run_get_folder (run), URB_RUN_TRACE_NAME, NULL);
  file = g_file_new_for_path (self->path);
  self->monitor = g_file_monitor_file (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->monitor != NULL)
    g_signal_connect_object (self->monitor, "changed", G_CALLBACK (file_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (run, "notify", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
  load (self);
  return self;
}

static void
dispose (GObject *object)
{
  UrbariumTimelineWindow *self = URBARIUM_TIMELINE_WINDOW (object);
  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  g_clear_object (&self->monitor);
  G_OBJECT_CLASS (urbarium_timeline_window_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumTimelineWindow *self = URBARIUM_TIMELINE_WINDOW (object);
  g_clear_object (&self->run);
  g_free (self->path);
  G_OBJECT_CLASS (urbarium_timeline_window_parent_class)->finalize (object);
}

static void
urbarium_timeline_window_class_init (UrbariumTimelineWindowClass *klass)
{
  const char *const view_actions[] = { "timelines.zoom-in", "timelines.zoom-out", "timelines.one-step", "timelines.all" };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  g_type_ensure (URBARIUM_TYPE_TIMELINE);
  g_type_ensure (URBARIUM_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "timeline-window.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumTimelineWindow, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTimelineWindow, summary_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTimelineWindow, legend_box);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTimelineWindow, timeline);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTimelineWindow, none_page);
  gtk_widget_class_install_action (widget_class, "timelines.record", NULL, record_action);
  gtk_widget_class_install_action (widget_class, "timelines.export", NULL, export_action);
  for (gsize i = 0; i < G_N_ELEMENTS (view_actions); i++)
    gtk_widget_class_install_action (widget_class, view_actions[i], NULL, view_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
urbarium_timeline_window_init (UrbariumTimelineWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
