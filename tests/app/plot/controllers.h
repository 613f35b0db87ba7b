/* SPDX-License-Identifier: Apache-2.0 */
/* controllers.h - emulates a widget's pointer and keyboard controllers. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* The first controller of the exact type; borrowed. */
static inline gpointer
test_controller (GtkWidget *widget, GType type)
{
  g_autoptr(GListModel) list = gtk_widget_observe_controllers (widget);
  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr(GObject) controller = g_list_model_get_item (list, i);
      if (G_OBJECT_TYPE (controller) == type)
        return controller; /* the widget keeps it */
    }
  g_assert_not_reached ();
}

static inline gboolean
test_key (GtkWidget *widget, guint key, GdkModifierType state)
{
  gboolean handled = FALSE;
  g_signal_emit_by_name (test_controller (widget, GTK_TYPE_EVENT_CONTROLLER_KEY), "key-pressed",
                         key, 0, state, &handled);
  return handled;
}

/* The widget's first shortcut with that trigger, as of its class: "<Alt>Up". */
static inline gboolean
test_shortcut (GtkWidget *widget, const char *trigger)
{
  g_autoptr(GtkShortcutTrigger) wanted = gtk_shortcut_trigger_parse_string (trigger);
  GListModel *shortcuts = test_controller (widget, GTK_TYPE_SHORTCUT_CONTROLLER);
  for (guint i = 0; i < g_list_model_get_n_items (shortcuts); i++)
    {
      g_autoptr(GtkShortcut) shortcut = g_list_model_get_item (shortcuts, i);
      if (gtk_shortcut_trigger_equal (gtk_shortcut_get_trigger (shortcut), wanted))
        return gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0, widget,
                                             gtk_shortcut_get_arguments (shortcut));
    }
  g_assert_not_reached ();
}

/* As the application does. */
static inline void
test_load_style (void)
{
  g_autoptr(GtkCssProvider) provider = gtk_css_provider_new ();
  gtk_css_provider_load_from_resource (provider, "/org/urbarium/Urbarium/style.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

static inline void
test_dark (gboolean dark)
{
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (),
                                      dark ? ADW_COLOR_SCHEME_FORCE_DARK
                                           : ADW_COLOR_SCHEME_FORCE_LIGHT);
}

G_END_DECLS
