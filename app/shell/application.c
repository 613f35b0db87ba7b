/* SPDX-License-Identifier: Apache-2.0 */
#include "app/shell/application.h"

#include <glib/gi18n.h>
#include <locale.h>

#include "app/base/settings.h"
#include "app/base/ui-path.h"
#include "app/shell/window.h"
#include "base/program-data.h"

#define APPLICATION_ID "org.urbarium.Urbarium"

struct _UrbariumApplication
{
  AdwApplication parent_instance;
  GSettings     *settings; /* owned */
};

G_DEFINE_FINAL_TYPE (UrbariumApplication, urbarium_application, ADW_TYPE_APPLICATION)

void
urbarium_application_prepare (const char *program)
{
  setlocale (LC_ALL, "");
  /* When a GeoPackage is opened, libspatialite sets LC_NUMERIC to POSIX for the whole process.
   * A thread locale keeps the user's on the main thread, which formats all texts. */
  uselocale (newlocale (LC_ALL_MASK, "", (locale_t) 0));
  urb_program_data_bind_translations ();
  g_set_application_name (_ ("Urbarium"));
}

static UrbariumWindow *
get_window (UrbariumApplication *self)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (self));
  while (window != NULL && !URBARIUM_IS_WINDOW (window))
    window = gtk_window_get_transient_for (window);
  return window != NULL ? URBARIUM_WINDOW (window) : urbarium_window_new (ADW_APPLICATION (self));
}

static void
activate (GApplication *application)
{
  gtk_window_present (GTK_WINDOW (get_window (URBARIUM_APPLICATION (application))));
}

static void
open (GApplication *application, GFile **files, int n_files, const char *hint)
{
  UrbariumWindow *window = get_window (URBARIUM_APPLICATION (application));
  urbarium_window_open (window, files, n_files);
  gtk_window_present (GTK_WINDOW (window));
}

static void
quit_action (GSimpleAction *action, GVariant *param, gpointer application)
{
  GList *window = gtk_application_get_windows (application);
  while (window != NULL)
    {
      GtkWindow *next = window->data;
      window = window->next;
      gtk_window_close (next);
    }
}

static void
about_action (GSimpleAction *action, GVariant *param, gpointer application)
{
  static const char *const developers[] = { "The Urbarium authors", NULL };
  adw_show_about_window (
    gtk_application_get_active_window (application), "application-name", _ ("Urbarium"),
    "application-icon", APPLICATION_ID, "version", URBARIUM_VERSION, "developer-name",
    _ ("The Urbarium authors"), "developers", developers, "license-type", GTK_LICENSE_APACHE_2_0,
    "comments",
    _ ("Learns a city's morphology from its cadastral map, and drafts new cities."), NULL);
}

static void
show_run_action (GSimpleAction *action, GVariant *param, gpointer application)
{
  UrbariumWindow *window = get_window (application);
  urbarium_window_show_run (window, g_variant_get_string (param, NULL));
  gtk_window_present (GTK_WINDOW (window));
}

static void
color_scheme_cb (UrbariumApplication *self)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  g_autofree char *scheme = g_settings_get_string (self->settings, "color-scheme");
  adw_style_manager_set_color_scheme (manager, g_str_equal (scheme, "dark")
                                                 ? ADW_COLOR_SCHEME_FORCE_DARK
                                               : g_str_equal (scheme, "light")
                                                 ? ADW_COLOR_SCHEME_FORCE_LIGHT
                                                 : ADW_COLOR_SCHEME_DEFAULT);
}

static void
startup (GApplication *application)
{
  UrbariumApplication *self = URBARIUM_APPLICATION (application);
  g_autoptr(GAction) color_scheme = NULL;
  static const GActionEntry actions[] = {
    { .name = "quit", .activate = quit_action },
    { .name = "about", .activate = about_action },
    { .name = "show-run", .activate = show_run_action, .parameter_type = "s" },
  };
  static const struct
  {
    const char *action;
    const char *accels[4];
  } accels[] = {
    { "app.quit", { "<Control>q" } },
    { "window.close", { "<Control>w" } },
    { "win.open", { "<Control>o" } },
    { "win.undo", { "<Control>z" } },
    { "win.redo", { "<Control><Shift>z", "<Control>y" } },
    { "win.show-page::map", { "<Alt>1" } },
    { "win.show-page::areas", { "<Alt>2" } },
    { "win.show-page::train", { "<Alt>3" } },
    { "win.show-page::cities", { "<Alt>4" } },
    { "win.show-help-overlay", { "<Control>question", "F1" } },
    { "win.toggle-panel", { "F9" } },
    { "win.menu", { "F10" } },
  };
  G_APPLICATION_CLASS (urbarium_application_parent_class)->startup (application);
  g_action_map_add_action_entries (G_ACTION_MAP (application), actions, G_N_ELEMENTS (actions),
                                   application);
  for (guint i = 0; i < G_N_ELEMENTS (accels); i++)
    gtk_application_set_accels_for_action (GTK_APPLICATION (application), accels[i].action,
                                           accels[i].accels);
  gtk_window_set_default_icon_name (APPLICATION_ID);
  self->settings = urbarium_settings_new ();
  color_scheme = g_settings_create_action (self->settings, "color-scheme");
  g_action_map_add_action (G_ACTION_MAP (self), color_scheme);
  g_signal_connect_object (self->settings, "changed::color-scheme", G_CALLBACK (color_scheme_cb),
                           self, G_CONNECT_SWAPPED);
  color_scheme_cb (self);
}

static void
dispose (GObject *object)
{
  g_clear_object (&URBARIUM_APPLICATION (object)->settings);
  G_OBJECT_CLASS (urbarium_application_parent_class)->dispose (object);
}

static void
urbarium_application_class_init (UrbariumApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  application_class->activate = activate;
  application_class->open = open;
  application_class->startup = startup;
}

static void
urbarium_application_init (UrbariumApplication *self)
{
}

UrbariumApplication *
urbarium_application_new (void)
{
  return g_object_new (URBARIUM_TYPE_APPLICATION, "application-id", APPLICATION_ID, "flags",
                       G_APPLICATION_HANDLES_OPEN, "resource-base-path", "/org/urbarium/Urbarium",
                       NULL);
}
