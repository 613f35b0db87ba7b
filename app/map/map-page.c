/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/map-page.h"

#include <glib/gi18n.h>

#include "app/base/file-chooser.h"
#include "app/base/format.h"
#include "app/base/job-bar.h"
#include "app/base/message.h"
#include "app/base/ui-path.h"
#include "app/map/address-dialog.h"
#include "app/map/inspector.h"
#include "app/map/map-dialog.h"
#include "app/map/map-panel.h"
#include "app/map/map-welcome.h"
#include "app/map/map-words.h"
#include "app/map/part-dialog.h"
#include "app/map/recent-maps.h"

#define ZOOM_STEP 1.5

struct _UrbariumMapPage
{
  AdwBin                parent_instance;
  UrbariumMapDocument  *document; /* owned */
  UrbariumInspector    *inspector; /* owned; nullable */
  GtkWidget            *dialog;    /* weak; nullable: of an error */

  GtkStack             *stack;
  GtkOverlay           *overlay;
  AdwFlap              *flap;
  UrbariumMapPanel     *panel;
  UrbariumCanvas       *canvas;
  UrbariumJobBar       *job_bar;
  GtkLabel             *position, *crs;
};

G_DEFINE_FINAL_TYPE (UrbariumMapPage, urbarium_map_page, ADW_TYPE_BIN)

enum { PROP_SHOW_PANEL = 1 };

static guint open_files_signal;

static void
zoom_in_cb (UrbariumMapPage *self)
{
  urbarium_canvas_zoom (self->canvas, ZOOM_STEP);
}

static void
zoom_out_cb (UrbariumMapPage *self)
{
  urbarium_canvas_zoom (self->canvas, 1 / ZOOM_STEP);
}

static void
class_visible_cb (UrbariumMapPage *self, int class_, gboolean visible)
{
  urbarium_canvas_set_class_visible (self->canvas, (UrbClass) class_, visible);
}

static void
pointer_cb (UrbariumMapPage *self, double x, double y, gboolean inside)
{
  g_autofree char *east = urbarium_format_number (x, 1);
  g_autofree char *north = urbarium_format_number (y, 1);
  /* translators: position of the pointer on the map: east and north, in meters */
  g_autofree char *text = g_strdup_printf (_ ("E %1$s m   N %2$s m"), east, north);
  gtk_label_set_text (self->position, inside ? text : "");
}

/* The error of a map does not matter any more when another one opens. */
static void
close_dialog (UrbariumMapPage *self)
{
  GtkWidget *dialog = self->dialog;
  g_clear_weak_pointer (&self->dialog);
  if (dialog != NULL)
    gtk_window_destroy (GTK_WINDOW (dialog));
}

static void
changed_cb (UrbariumMapPage *self)
{
  UrbMap *map = urbarium_map_document_get_map (self->document);
  gboolean is_first = map != NULL && urbarium_canvas_get_map (self->canvas) == NULL;
  urbarium_canvas_set_map (self->canvas, map);
  gtk_label_set_text (self->crs, map == NULL ? "" : _ (urb_map_get_crs_name (map)));
  gtk_label_set_text (self->position, "");
  gtk_stack_set_visible_child_name (self->stack, map == NULL ? "empty" : "loaded");
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "map.choose-part", map != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "map.close", map != NULL);
  close_dialog (self);
  if (is_first)
    gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
}

static void
open_part_cb (UrbariumMapPage *self)
{
  urbarium_part_dialog_show_refused (GTK_WIDGET (self), self->document);
}

/* Other files were opened; "changed" is also emitted when the same files were read again. */
static void
title_changed_cb (UrbariumMapPage *self)
{
  const char *const *paths = urbarium_map_document_get_paths (self->document);
  if (paths != NULL)
    urbarium_recent_maps_add (paths);
}

static void
failed_cb (UrbariumMapPage *self, const GError *error)
{
  g_autofree char *text = urbarium_map_words_make_plain (error->message, NULL);
  g_autoptr(GError) plain = g_error_new_literal (error->domain, error->code, text);
  GtkWidget *dialog = urbarium_message_error (GTK_WIDGET (self), _ ("This map cannot be opened"), plain);
  close_dialog (self);
  g_set_weak_pointer (&self->dialog, dialog);
  if (dialog == NULL || !urbarium_map_document_can_open_part (self->document))
    return;
  adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), "part", _ ("Open a _part…"));
  g_signal_connect_object (dialog, "response::part", G_CALLBACK (open_part_cb), self, G_CONNECT_SWAPPED);
}

void
urbarium_map_page_open_files (UrbariumMapPage *self, GListModel *files)
{
  g_autoptr(GError) error = NULL;
  g_auto(GStrv) paths = NULL;
  g_return_if_fail (URBARIUM_IS_MAP_PAGE (self) && self->document != NULL);
  paths = urbarium_map_dialog_dup_paths (files, &error);
  if (paths == NULL)
    urbarium_message_error (GTK_WIDGET (self), _ ("This map cannot be opened"), error);
  else if (paths[0] != NULL)
    urbarium_map_document_open (self->document, (const char *const *) paths);
}

static gboolean
open_files_as_map (UrbariumMapPage *self, GListModel *files)
{
  urbarium_map_page_open_files (self, files);
  return TRUE;
}

static void
open_chosen (UrbariumMapPage *self, GListModel *files)
{
  gboolean is_handled;
  g_signal_emit (self, open_files_signal, 0, files, &is_handled);
}

static void
chosen_cb (UrbariumMapPage *self, const char *path, GListModel *files)
{
  open_chosen (self, files);
}

void
urbarium_map_page_open_dialog (UrbariumMapPage *self)
{
  g_return_if_fail (URBARIUM_IS_MAP_PAGE (self));
  urbarium_file_chooser_show (urbarium_map_dialog_new (GTK_WIDGET (self)), GTK_WIDGET (self),
                              G_CALLBACK (chosen_cb), self, NULL);
}

static void
open_action (GtkWidget *widget, const char *name, GVariant *param)
{
  urbarium_map_page_open_dialog (URBARIUM_MAP_PAGE (widget));
}

static void
open_folder_action (GtkWidget *widget, const char *name, GVariant *param)
{
  GtkFileChooser *chooser
    = urbarium_file_chooser_new (widget, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                                 _ ("Open a folder of files"), _ ("_Open"));
  urbarium_file_chooser_show (chooser, widget, G_CALLBACK (chosen_cb), widget, NULL);
}

void
urbarium_map_page_ask_address (UrbariumMapPage *self)
{
  g_return_if_fail (URBARIUM_IS_MAP_PAGE (self));
  urbarium_address_dialog_show (GTK_WIDGET (self), self->document);
}

static void
open_address_action (GtkWidget *widget, const char *name, GVariant *param)
{
  urbarium_map_page_ask_address (URBARIUM_MAP_PAGE (widget));
}

static void
open_sample_action (GtkWidget *widget, const char *name, GVariant *param)
{
  urbarium_map_document_open_sample (URBARIUM_MAP_PAGE (widget)->document);
}

static void
open_recent_action (GtkWidget *widget, const char *name, GVariant *param)
{
  g_autoptr(GListStore) files = g_list_store_new (G_TYPE_FILE);
  g_autoptr(GFile) file = g_file_new_for_uri (g_variant_get_string (param, NULL));
  g_list_store_append (files, file);
  open_chosen (URBARIUM_MAP_PAGE (widget), G_LIST_MODEL (files));
}

static void
choose_part_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumMapPage *self = URBARIUM_MAP_PAGE (widget);
  UrbariumView view = urbarium_canvas_get_view (self->canvas);
  UrbBox extent = urb_map_get_extent (urbarium_map_document_get_map (self->document));
  urbarium_part_dialog_show (widget, self->document, urb_box_intersect (urbarium_view_get_box (&view), extent));
}

static void
close_action (GtkWidget *widget, const char *name, GVariant *param)
{
  urbarium_map_document_close (URBARIUM_MAP_PAGE (widget)->document);
}

static void
reveal_changed_cb (UrbariumMapPage *self)
{
  g_object_notify (G_OBJECT (self), "show-panel");
}

void
urbarium_map_page_set_document (UrbariumMapPage *self, UrbariumMapDocument *document)
{
  g_return_if_fail (URBARIUM_IS_MAP_PAGE (self) && self->document == NULL);
  self->document = g_object_ref (document);
  urbarium_map_panel_set_document (self->panel, document);
  self->inspector
    = urbarium_inspector_new (document, self->canvas, GTK_WIDGET (self->overlay));
  g_object_bind_property (document, "job", self->job_bar, "job", G_BINDING_SYNC_CREATE);
  g_signal_connect_object (document, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "notify::title", G_CALLBACK (title_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "failed", G_CALLBACK (failed_cb), self, G_CONNECT_SWAPPED);
  changed_cb (self);
}

UrbariumCanvas *
urbarium_map_page_get_canvas (UrbariumMapPage *self)
{
  g_return_val_if_fail (URBARIUM_IS_MAP_PAGE (self), NULL);
  return self->canvas;
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SHOW_PANEL)
    g_value_set_boolean (value, adw_flap_get_reveal_flap (URBARIUM_MAP_PAGE (object)->flap));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SHOW_PANEL)
    adw_flap_set_reveal_flap (URBARIUM_MAP_PAGE (object)->flap, g_value_get_boolean (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
dispose (GObject *object)
{
  UrbariumMapPage *self = URBARIUM_MAP_PAGE (object);
  g_clear_pointer (&self->inspector, urbarium_inspector_free);
  g_clear_object (&self->document);
  g_clear_weak_pointer (&self->dialog);
  G_OBJECT_CLASS (urbarium_map_page_parent_class)->dispose (object);
}

static void
urbarium_map_page_class_init (UrbariumMapPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  g_object_class_install_property (
    object_class, PROP_SHOW_PANEL,
    g_param_spec_boolean ("show-panel", NULL, NULL, TRUE,
                          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY));
  open_files_signal = g_signal_new_class_handler (
    "open-files", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, G_CALLBACK (open_files_as_map),
    g_signal_accumulator_true_handled, NULL, NULL, G_TYPE_BOOLEAN, 1, G_TYPE_LIST_MODEL);
  gtk_widget_class_install_action (widget_class, "map.open", NULL, open_action);
  gtk_widget_class_install_action (widget_class, "map.open-folder", NULL, open_folder_action);
  gtk_widget_class_install_action (widget_class, "map.open-address", NULL, open_address_action);
  gtk_widget_class_install_action (widget_class, "map.open-sample", NULL, open_sample_action);
  gtk_widget_class_install_action (widget_class, "map.open-recent", "s", open_recent_action);
  gtk_widget_class_install_action (widget_class, "map.choose-part", NULL, choose_part_action);
  gtk_widget_class_install_action (widget_class, "map.close", NULL, close_action);
  g_type_ensure (URBARIUM_TYPE_CANVAS);
  g_type_ensure (URBARIUM_TYPE_JOB_BAR);
  g_type_ensure (URBARIUM_TYPE_MAP_PANEL);
  g_type_ensure (URBARIUM_TYPE_MAP_WELCOME);
  gtk_widget_class_set_css_name (widget_class, "mappage");
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "map-page.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPage, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPage, flap);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPage, overlay);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPage, panel);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPage, canvas);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPage, job_bar);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPage, position);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPage, crs);
  gtk_widget_class_bind_template_callback (widget_class, zoom_in_cb);
  gtk_widget_class_bind_template_callback (widget_class, zoom_out_cb);
  gtk_widget_class_bind_template_callback (widget_class, urbarium_canvas_fit);
  gtk_widget_class_bind_template_callback (widget_class, pointer_cb);
  gtk_widget_class_bind_template_callback (widget_class, class_visible_cb);
}

static void
urbarium_map_page_init (UrbariumMapPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_swapped (self->flap, "notify::reveal-flap", G_CALLBACK (reveal_changed_cb),
                            self);
}
