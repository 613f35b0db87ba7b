/* SPDX-License-Identifier: Apache-2.0 */
#include "app/shell/window.h"

#include <glib/gi18n.h>

#include "app/areas/areas-page.h"
#include "app/base/ui-path.h"
#include "app/base/undo.h"
#include "app/cities/cities-page.h"
#include "app/map/map-page.h"
#include "app/shell/settings.h"
#include "app/train/train-page.h"

struct _UrbariumWindow
{
  AdwApplicationWindow parent_instance;

  GSettings           *settings; /* owned */
  UrbariumUndo        *undo;     /* owned */

  AdwToastOverlay     *toasts;
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
show_page_action (GtkWidget *widget, const char *name, GVariant *param)
{
  adw_view_stack_set_visible_child_name (URBARIUM_WINDOW (widget)->stack,
                                         g_variant_get_string (param, NULL));
}

static void
menu_action (GtkWidget *widget, const char *name, GVariant *param)
{
  gtk_menu_button_popup (URBARIUM_WINDOW (widget)->menu_button);
}

/* What the buttons would take back is said in their tooltips. */
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
  /* translators: %s is what was done: "Remove 3 areas" */
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

void
urbarium_window_open (UrbariumWindow *self, GFile **files, int n_files)
{
}

static void
dispose (GObject *object)
{
  UrbariumWindow *self = URBARIUM_WINDOW (object);
  g_clear_object (&self->settings);
  g_clear_object (&self->undo);
  G_OBJECT_CLASS (urbarium_window_parent_class)->dispose (object);
}

static void
urbarium_window_class_init (UrbariumWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  g_type_ensure (URBARIUM_TYPE_MAP_PAGE);
  g_type_ensure (URBARIUM_TYPE_AREAS_PAGE);
  g_type_ensure (URBARIUM_TYPE_TRAIN_PAGE);
  g_type_ensure (URBARIUM_TYPE_CITIES_PAGE);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "window.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, menu_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, undo_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, redo_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, map_page);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, areas_page);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, train_page);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWindow, cities_page);
  gtk_widget_class_bind_template_callback (widget_class, page_changed_cb);
  gtk_widget_class_install_action (widget_class, "win.undo", NULL, undo_action);
  gtk_widget_class_install_action (widget_class, "win.redo", NULL, redo_action);
  gtk_widget_class_install_action (widget_class, "win.show-page", "s", show_page_action);
  gtk_widget_class_install_action (widget_class, "win.menu", NULL, menu_action);
}

static void
restore (UrbariumWindow *self)
{
  g_autofree char *page = g_settings_get_string (self->settings, "page");
  g_settings_bind (self->settings, "window-width", self, "default-width", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (self->settings, "window-height", self, "default-height",
                   G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (self->settings, "window-maximized", self, "maximized", G_SETTINGS_BIND_DEFAULT);
  if (adw_view_stack_get_child_by_name (self->stack, page) != NULL)
    adw_view_stack_set_visible_child_name (self->stack, page);
}

static void
urbarium_window_init (UrbariumWindow *self)
{
  self->undo = urbarium_undo_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  self->settings = urbarium_settings_new ();
  g_signal_connect_object (self->undo, "notify", G_CALLBACK (update_undo), self,
                           G_CONNECT_SWAPPED);
  update_undo (self);
  restore (self);
}

UrbariumWindow *
urbarium_window_new (AdwApplication *application)
{
  return g_object_new (URBARIUM_TYPE_WINDOW, "application", application, NULL);
}
