/* SPDX-License-Identifier: Apache-2.0 */
#include "app/shell/window.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/areas/areas-page.h"
#include "app/base/file-chooser.h"
#include "app/base/message.h"
#include "app/base/settings.h"
#include "app/base/ui-path.h"
#include "app/base/undo.h"
#include "app/cities/cities-page.h"
#include "app/map/map-page.h"
#include "app/shell/notifier.h"
#include "app/shell/open-files.h"
#include "app/shell/session.h"
#include "app/train/mlflow-send.h"
#include "app/train/run-export.h"
#include "app/train/train-page.h"
#include "run/store/folder.h"

struct _UrbariumWindow
{
  AdwApplicationWindow parent_instance;

  GSettings           *settings; /* owned */
  UrbariumSession     *session;  /* owned */
  UrbariumUndo        *undo;     /* owned */
  UrbariumMapDocument *document; /* owned */
  UrbariumGround      *ground;   /* owned; the document's map */
  UrbariumRunLibrary  *library;  /* owned */
  UrbariumNotifier    *notifier; /* owned */
  GCancellable        *opening;  /* owned; nullable: set while files are being classified */

  AdwViewStack        *stack;
  GtkMenuButton       *menu_button;
  GtkButton           *undo_button, *redo_button;
  UrbariumMapPage     *map_page;
  UrbariumAreasPage   *areas_page;
  UrbariumTrainPage   *train_page;
  UrbariumCitiesPage  *cities_page;
};

G_DEFINE_FINAL_TYPE (UrbariumWindow, urbarium_window, ADW_TYPE_APPLICATION_WINDOW)

static void
undo_action (GtkWidget *widget, const char *name, GVariant *param)
{
  urbarium_undo_undo (URBARIUM_WINDOW (widget)->undo);
}

static void
redo_action (GtkWidget *widget, const char *name, GVariant *param)
{
  urbarium_undo_redo (URBARIUM_WINDOW (widget)->undo);
}

static void
show_page (UrbariumWindow *self, const char *name)
{
  adw_view_stack_set_visible_child_name (self->stack, name);
}

static void
show_page_action (GtkWidget *widget, const char *name, GVariant *param)
{
  show_page (URBARIUM_WINDOW (widget), g_variant_get_string (param, NULL));
}

static void
menu_action (GtkWidget *widget, const char *name, GVariant *param)
{
  gtk_menu_button_popup (URBARIUM_WINDOW (widget)->menu_button);
}

static void
update_undo (UrbariumWindow *self)
{
  gboolean can_undo, can_redo;
  g_autofree char *undo_label = NULL;
  g_autofree char *redo_label = NULL;
  g_autofree char *undo_text = NULL;
  g_autofree char *redo_text = NULL;
  g_object_get (self->undo, "can-undo", &can_undo, "can-redo", &can_redo, "undo-label", &undo_label,
                "redo-label", &redo_label, NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.undo", can_undo);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.redo", can_redo);
  /* translators: %s is the action: "Remove 3 areas" */
  undo_text = can_undo ? g_strdup_printf (_ ("Undo: %s"), undo_label) : g_strdup (_ ("Undo"));
  redo_text = can_redo ? g_strdup_printf (_ ("Redo: %s"), redo_label) : g_strdup (_ ("Redo"));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->undo_button), undo_text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->redo_button), redo_text);
}

static void
page_changed_cb (UrbariumWindow *self)
{
  const char *name = adw_view_stack_get_visible_child_name (self->stack);
  if (self->settings != NULL && name != NULL)
    g_settings_set_string (self->settings, "page", name);
}

static void
open_action (GtkWidget *widget, const char *name, GVariant *param)
{
  urbarium_map_page_open_dialog (URBARIUM_WINDOW (widget)->map_page);
}

static void
open_address_action (GtkWidget *widget, const char *name, GVariant *param)
{
  show_page (URBARIUM_WINDOW (widget), "map");
  urbarium_map_page_ask_address (URBARIUM_WINDOW (widget)->map_page);
}

static void
runs_folder_chosen_cb (UrbariumWindow *self, const char *path)
{
  g_autofree char *usual = urb_run_dup_usual_place ();
  g_object_set (self->library, "chosen-folder", g_str_equal (path, usual) ? "" : path, NULL);
  show_page (self, "train");
}

static void
choose_runs_folder_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumWindow *self = URBARIUM_WINDOW (widget);
  g_autoptr(GFile) now = g_file_new_for_path (urbarium_run_library_get_folder (self->library));
  GtkFileChooser *chooser = urbarium_file_chooser_new (widget, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                                                       _ ("Folder of new runs"), _ ("_Select"));
  gtk_file_chooser_set_current_folder (chooser, now, NULL);
  urbarium_file_chooser_show (chooser, widget, G_CALLBACK (runs_folder_chosen_cb), self, NULL);
}

static void
open_sample_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumWindow *self = URBARIUM_WINDOW (widget);
  show_page (self, "map");
  urbarium_map_document_open_sample (self->document);
}

static void
open_run_action (GtkWidget *widget, const char *name, GVariant *param)
{
  GtkFileChooser *chooser = urbarium_file_chooser_new (
    widget, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _ ("Open a run"), _ ("_Open"));
  urbarium_file_chooser_show (chooser, widget, G_CALLBACK (urbarium_window_show_run), widget, NULL);
}

static void
report_problem_action (GtkWidget *widget, const char *name, GVariant *param)
{
  urbarium_run_export_ask (widget, NULL, URBARIUM_RUN_EXPORT_PROBLEM);
}

/* Toggles the side panel of the visible page, if it has one. */
static void
toggle_panel_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumWindow *self = URBARIUM_WINDOW (widget);
  GtkWidget *page = adw_view_stack_get_visible_child (self->stack);
  gboolean shown;
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (page), "show-panel") == NULL)
    return;
  g_object_get (page, "show-panel", &shown, NULL);
  g_object_set (page, "show-panel", !shown, NULL);
}

void
urbarium_window_show_run (UrbariumWindow *self, const char *folder)
{
  g_autoptr(GError) error = NULL;
  UrbariumRun *run = urbarium_run_library_find (self->library, folder);
  if (run == NULL)
    run = urbarium_run_library_add (self->library, folder, &error);
  if (run == NULL)
    {
      urbarium_message_error (GTK_WIDGET (self), _ ("This run cannot be opened"), error);
      return;
    }
  urbarium_train_page_show_run (self->train_page, run);
  show_page (self, "train");
}

static void
classified_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumWindow) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbariumOpenFiles) files = urbarium_open_files_classify_finish (result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* superseded by another request, or the window was closed */
  if (files == NULL)
    {
      urbarium_message_error (GTK_WIDGET (self), _ ("This file cannot be opened"), error);
      return;
    }
  switch (files->kind)
    {
    case URBARIUM_FILE_RUN: urbarium_window_show_run (self, files->paths[0]); break;
    case URBARIUM_FILE_DATASET:
      urbarium_train_page_set_dataset (self->train_page, files->paths[0]);
      show_page (self, "train");
      break;
    case URBARIUM_FILE_CHECKPOINT:
      urbarium_cities_page_open (self->cities_page, files->paths[0]);
      show_page (self, "cities");
      break;
    case URBARIUM_FILE_MAP:
    default:
      urbarium_map_document_open (self->document, (const char *const *) files->paths);
      show_page (self, "map");
      break;
    }
}

void
urbarium_window_open (UrbariumWindow *self, GFile **files, int n_files)
{
  g_return_if_fail (URBARIUM_IS_WINDOW (self));
  g_cancellable_cancel (self->opening);
  g_clear_object (&self->opening);
  self->opening = g_cancellable_new ();
  urbarium_open_files_classify_async (files, n_files, self->opening, classified_cb,
                                      g_object_ref (self));
}

static gboolean
open_files_cb (UrbariumWindow *self, GListModel *model)
{
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    g_ptr_array_add (files, g_list_model_get_item (model, i));
  if (files->len > 0)
    urbarium_window_open (self, (GFile **) files->pdata, (int) files->len);
  return TRUE;
}

static gboolean
drop_cb (UrbariumWindow *self, const GValue *value)
{
  g_autoptr(GPtrArray) files = g_ptr_array_new ();
  for (GSList *file = g_value_get_boxed (value); file != NULL; file = file->next)
    g_ptr_array_add (files, file->data);
  if (files->len == 0)
    return FALSE;
  urbarium_window_open (self, (GFile **) files->pdata, (int) files->len);
  return TRUE;
}

static void
dataset_saved_cb (UrbariumWindow *self, const char *path)
{
  urbarium_train_page_set_dataset (self->train_page, path);
}

static void
show_cities_cb (UrbariumWindow *self, UrbariumRun *run)
{
  urbarium_cities_page_show_run (self->cities_page, run);
  show_page (self, "cities");
}

static void
show_city_cb (UrbariumWindow *self, UrbariumRun *run, gint64 step, gint64 seed, gint64 index)
{
  urbarium_cities_page_show_city (self->cities_page, run, step, seed, index);
  show_page (self, "cities");
}

static void
ground_cb (UrbariumWindow *self)
{
  urbarium_ground_set_map (self->ground, urbarium_map_document_get_map (self->document),
                           urbarium_map_document_get_paths (self->document));
}

/* The page Areas looks for them only while it is shown; so it does once they are asked for. */
static GArray *
find_areas (gpointer data)
{
  UrbariumCuration *curation = urbarium_areas_page_get_curation (URBARIUM_WINDOW (data)->areas_page);
  gsize n = urbarium_curation_get_choice (curation).n;
  gboolean is_busy;
  GArray *areas;
  g_object_set (curation, "active", TRUE, NULL);
  g_object_get (curation, "busy", &is_busy, NULL);
  if (is_busy && n == 0)
    return NULL;
  areas = g_array_sized_new (FALSE, FALSE, sizeof (UrbSquare), (guint) n);
  for (gsize i = 0; i < n; i++)
    g_array_append_val (areas, urbarium_curation_get_area (curation, i)->square);
  return areas;
}

static void
release_areas (UrbariumWindow *self)
{
  if (self->ground != NULL) /* the window is not gone */
    g_object_set (urbarium_areas_page_get_curation (self->areas_page), "active",
                  gtk_widget_get_mapped (GTK_WIDGET (self->areas_page)), NULL);
}

static GVariant *
dup_view (gpointer data)
{
  UrbariumCanvas *canvas = urbarium_map_page_get_canvas (URBARIUM_WINDOW (data)->map_page);
  UrbariumView view = urbarium_canvas_get_view (canvas);
  if (urbarium_canvas_get_map (canvas) == NULL)
    return NULL;
  return g_variant_ref_sink (g_variant_new ("(ddd)", view.center_x, view.center_y, view.m_per_px));
}

static GVariant *
dup_map (gpointer data)
{
  return urbarium_map_document_dup_state (URBARIUM_WINDOW (data)->document);
}

static GVariant *
dup_maps (gpointer data)
{
  return urbarium_map_document_dup_memory (URBARIUM_WINDOW (data)->document);
}

static GVariant *
dup_areas (gpointer data)
{
  UrbariumWindow *self = data;
  return urbarium_curation_dup_state (urbarium_areas_page_get_curation (self->areas_page));
}

static GVariant *
dup_train (gpointer data)
{
  g_autofree char *text = NULL;
  g_object_get (URBARIUM_WINDOW (data)->train_page, "session", &text, NULL);
  return text == NULL ? NULL : g_variant_ref_sink (g_variant_new_string (text));
}

static void
touch_session (UrbariumWindow *self)
{
  urbarium_session_touch (self->session);
}

static gboolean
close_request (GtkWindow *window)
{
  urbarium_session_close (URBARIUM_WINDOW (window)->session);
  return GTK_WINDOW_CLASS (urbarium_window_parent_class)->close_request (window);
}

static void
dispose (GObject *object)
{
  UrbariumWindow *self = URBARIUM_WINDOW (object);
  g_cancellable_cancel (self->opening);
  g_clear_object (&self->opening);
  g_clear_object (&self->session);
  g_clear_object (&self->notifier);
  if (self->ground != NULL)
    urbarium_ground_set_map (self->ground, NULL, NULL); /* other windows may still have it */
  g_clear_object (&self->ground);
  g_clear_object (&self->document);
  g_clear_object (&self->library);
  g_clear_object (&self->settings);
  g_clear_object (&self->undo);
  G_OBJECT_CLASS (urbarium_window_parent_class)->dispose (object);
}

static void
urbarium_window_class_init (UrbariumWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  GTK_WINDOW_CLASS (klass)->close_request = close_request;
  g_type_ensure (URBARIUM_TYPE_MAP_PAGE);
  g_type_ensure (URBARIUM_TYPE_AREAS_PAGE);
  g_type_ensure (URBARIUM_TYPE_TRAIN_PAGE);
  g_type_ensure (URBARIUM_TYPE_CITIES_PAGE);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "window.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, menu_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, undo_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, redo_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, map_page);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, areas_page);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, train_page);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, cities_page);
  gtk_widget_class_bind_template_callback (widget_class, dataset_saved_cb);
  gtk_widget_class_bind_template_callback (widget_class, open_files_cb);
  gtk_widget_class_bind_template_callback (widget_class, page_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, show_cities_cb);
  gtk_widget_class_bind_template_callback (widget_class, show_city_cb);
  gtk_widget_class_install_action (widget_class, "win.open", NULL, open_action);
  gtk_widget_class_install_action (widget_class, "win.open-run", NULL, open_run_action);
  gtk_widget_class_install_action (widget_class, "win.report-problem", NULL, report_problem_action);
  gtk_widget_class_install_action (widget_class, "win.choose-runs-folder", NULL, choose_runs_folder_action);
  gtk_widget_class_install_action (widget_class, "win.open-address", NULL, open_address_action);
  gtk_widget_class_install_action (widget_class, "win.open-sample", NULL, open_sample_action);
  gtk_widget_class_install_action (widget_class, "win.toggle-panel", NULL, toggle_panel_action);
  gtk_widget_class_install_action (widget_class, "win.undo", NULL, undo_action);
  gtk_widget_class_install_action (widget_class, "win.redo", NULL, redo_action);
  gtk_widget_class_install_action (widget_class, "win.show-page", "s", show_page_action);
  gtk_widget_class_install_action (widget_class, "win.menu", NULL, menu_action);
}

static void
follow_settings (UrbariumWindow *self)
{
  g_autofree char *page = g_settings_get_string (self->settings, "page");
  g_settings_bind (self->settings, "window-width", self, "default-width", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (self->settings, "window-height", self, "default-height",
                   G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (self->settings, "window-maximized", self, "maximized", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (self->settings, "runs-folder", self->library, "chosen-folder", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (self->settings, "run-folders", self->library, "extra-folders",
                   G_SETTINGS_BIND_DEFAULT);
  urbarium_cities_page_bind_settings (self->cities_page, self->settings);
  if (adw_view_stack_get_child_by_name (self->stack, page) != NULL)
    show_page (self, page);
}

static void
restore_session (UrbariumWindow *self)
{
  UrbariumCuration *curation = urbarium_areas_page_get_curation (self->areas_page);
  g_autoptr(GVariant) areas = urbarium_session_get (self->session, "areas", NULL);
  g_autoptr(GVariant) maps = urbarium_session_get (self->session, "maps", NULL);
  g_autoptr(GVariant) map = urbarium_session_get (self->session, "map", NULL);
  g_autoptr(GVariant) train
    = urbarium_session_get (self->session, "train", G_VARIANT_TYPE_STRING);
  if (maps != NULL)
    urbarium_map_document_restore_memory (self->document, maps);
  if (map != NULL)
    urbarium_map_document_restore (self->document, map);
  if (areas != NULL)
    urbarium_curation_restore (curation, areas);
  if (train != NULL)
    g_object_set (self->train_page, "session", g_variant_get_string (train, NULL), NULL);
}

/* The first map has opened: restores the view if it is the map of the last session. */
static void
restore_view_cb (UrbariumWindow *self)
{
  UrbariumCanvas *canvas = urbarium_map_page_get_canvas (self->map_page);
  g_autoptr(GVariant) now = urbarium_map_document_dup_state (self->document);
  g_autoptr(GVariant) map = urbarium_session_get (self->session, "map", g_variant_get_type (now));
  g_autoptr(GVariant) view
    = urbarium_session_get (self->session, "view", G_VARIANT_TYPE ("(ddd)"));
  g_autoptr(GVariant) files_now = g_variant_get_child_value (now, 0);
  g_autoptr(GVariant) files = map == NULL ? NULL : g_variant_get_child_value (map, 0);
  double x, y, m_per_px;
  g_signal_handlers_disconnect_by_func (self->document, restore_view_cb, self);
  if (view == NULL || files == NULL || g_variant_n_children (files) == 0
      || !g_variant_equal (files, files_now))
    return;
  g_variant_get (view, "(ddd)", &x, &y, &m_per_px);
  if (isfinite (x) && isfinite (y) && isfinite (m_per_px) && m_per_px > 0)
    urbarium_canvas_set_view (canvas, x, y, m_per_px);
}

static void
save_session (UrbariumWindow *self)
{
  UrbariumCuration *curation = urbarium_areas_page_get_curation (self->areas_page);
  urbarium_session_add (self->session, "view", dup_view, self);
  urbarium_session_add (self->session, "map", dup_map, self);
  urbarium_session_add (self->session, "maps", dup_maps, self);
  urbarium_session_add (self->session, "areas", dup_areas, self);
  urbarium_session_add (self->session, "train", dup_train, self);
  g_object_connect (self->document, "swapped-object-signal::changed", touch_session, self,
                    "swapped-object-signal::classes-changed", touch_session, self, NULL);
  g_object_connect (curation, "swapped-object-signal::choice-changed", touch_session, self,
                    "swapped-object-signal::decisions-changed", touch_session, self, NULL);
  g_signal_connect_swapped (self->train_page, "notify::session", G_CALLBACK (touch_session), self);
  g_signal_connect_swapped (urbarium_map_page_get_canvas (self->map_page), "view-changed",
                            G_CALLBACK (touch_session), self);
}

static void
resumed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumWindow) self = data;
  g_autoptr(GError) error = NULL;
  g_autofree char *well = NULL, *failed = NULL, *both = NULL;
  int n;
  if (!urbarium_run_library_resume_interrupted_finish (URBARIUM_RUN_LIBRARY (source), result, &n, &error))
    failed = g_strdup_printf (_ ("A run that the restart of the computer interrupted cannot go on: %s"), error->message);
  if (n > 0)
    well = g_strdup_printf (ngettext ("%d run that the restart of the computer interrupted goes on",
                                      "%d runs that the restart of the computer interrupted go on", (gulong) n), n);
  both = well != NULL ? g_strjoin (". ", well, failed, NULL) : g_strdup (failed);
  if (both != NULL)
    urbarium_message_toast_action (GTK_WIDGET (self), both, _ ("Show"), "win.show-page::train");
}

static void
continue_cb (UrbariumWindow *self)
{
  urbarium_run_library_resume_interrupted_async (self->library, resumed_cb, g_object_ref (self));
}

/* The user decides: training takes the whole computer. */
static void
counted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumWindow) self = data;
  int n = urbarium_run_library_count_interrupted_finish (URBARIUM_RUN_LIBRARY (source), result);
  g_autofree char *text
    = g_strdup_printf (ngettext ("%d run was interrupted when this computer went down",
                                 "%d runs were interrupted when this computer went down", (gulong) n), n);
  if (n > 0)
    urbarium_message_toast_offer (GTK_WIDGET (self), text, _ ("Continue"), G_CALLBACK (continue_cb), self);
}

/* Once: the library scans again when its folder changes. */
static void
library_loaded_cb (UrbariumWindow *self)
{
  g_signal_handlers_disconnect_by_func (self->library, library_loaded_cb, self);
  urbarium_run_library_count_interrupted_async (self->library, counted_cb, g_object_ref (self));
}

static void
urbarium_window_init (UrbariumWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
  self->undo = urbarium_undo_new ();
  self->document = urbarium_map_document_new (self->undo);
  self->library = urbarium_run_library_new (NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (target, "drop", G_CALLBACK (drop_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
  self->settings = urbarium_settings_new ();
  self->session = urbarium_session_new (NULL);
  urbarium_map_page_set_document (self->map_page, self->document);
  urbarium_areas_page_set_document (self->areas_page, self->document, self->undo);
  g_object_bind_property (self->library, "places", self->areas_page, "run-places", G_BINDING_SYNC_CREATE);
  urbarium_train_page_set_library (self->train_page, self->library);
  urbarium_cities_page_set_library (self->cities_page, self->library);
  self->ground = urbarium_ground_new (find_areas, self);
  urbarium_cities_page_set_ground (self->cities_page, self->ground);
  g_signal_connect_object (self->document, "changed", G_CALLBACK (ground_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->ground, "areas-released", G_CALLBACK (release_areas), self, G_CONNECT_SWAPPED);
  g_object_connect (urbarium_areas_page_get_curation (self->areas_page),
                    "swapped-object-signal::choice-changed", urbarium_ground_change_areas, self->ground,
                    "swapped-object-signal::notify::busy", urbarium_ground_change_areas, self->ground, NULL);
  g_signal_connect_object (self->undo, "notify", G_CALLBACK (update_undo), self,
                           G_CONNECT_SWAPPED);
  update_undo (self);
  follow_settings (self);
  g_signal_connect_object (self->library, "notify::loading", G_CALLBACK (library_loaded_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->document, "changed", G_CALLBACK (restore_view_cb), self,
                           G_CONNECT_SWAPPED);
  restore_session (self);
  save_session (self);
}

UrbariumWindow *
urbarium_window_new (AdwApplication *application)
{
  UrbariumWindow *self = g_object_new (URBARIUM_TYPE_WINDOW, "application", application, NULL);
  self->notifier = urbarium_notifier_new (G_APPLICATION (application), self->library);
  g_object_bind_property (self, "is-active", self->notifier, "quiet", G_BINDING_SYNC_CREATE);
  g_signal_connect_object (self->notifier, "ended", G_CALLBACK (urbarium_mlflow_run_ended), self, G_CONNECT_SWAPPED);
  return self;
}
