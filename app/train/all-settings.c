/* SPDX-License-Identifier: Apache-2.0 */
/*
 * all-settings.c - see all-settings.h.
 */
#include "app/train/all-settings.h"

#include <glib/gi18n.h>

#include "app/train/setting-rows.h"
#include "run/store/known-hooks.h"
#include "settings/hook.h"

struct _UrbariumAllSettings
{
  AdwPreferencesWindow parent_instance;

  UrbariumSettingRows *rows; /* owned */
  gboolean hook_typed;       /* by the user, not given with the configuration */
};

G_DEFINE_FINAL_TYPE (UrbariumAllSettings, urbarium_all_settings, ADW_TYPE_PREFERENCES_WINDOW)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
changed_cb (UrbariumAllSettings *self, const UrbSetting *setting)
{
  self->hook_typed |= g_str_equal (setting->key, "hook");
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
add_rows (UrbariumAllSettings *self)
{
  GtkWidget *page = adw_preferences_page_new ();
  for (int section = 0; section < URB_N_SECTIONS; section++)
    {
      GtkWidget *group = NULL;
      for (guint i = 0; i < urb_run_settings.n_rows; i++)
        {
          const UrbSetting *setting = &urb_run_settings.rows[i];
          if ((int) setting->section != section)
            continue;
          if (group == NULL)
            {
              group = adw_preferences_group_new ();
              adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group),
                                               _ (urb_setting_section_get_title (section)));
              adw_preferences_page_add (ADW_PREFERENCES_PAGE (page), ADW_PREFERENCES_GROUP (group));
            }
          adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), urbarium_setting_rows_add (self->rows, setting));
        }
    }
  adw_preferences_window_add (ADW_PREFERENCES_WINDOW (self), ADW_PREFERENCES_PAGE (page));
}

const UrbRunConfig *
urbarium_all_settings_get_config (UrbariumAllSettings *self)
{
  return urbarium_setting_rows_get_config (self->rows);
}

UrbariumAllSettings *
urbarium_all_settings_new (const UrbRunConfig *config, int dataset_channels,
                           const char *const *devices)
{
  UrbariumAllSettings *self = g_object_new (URBARIUM_TYPE_ALL_SETTINGS, NULL);
  urbarium_setting_rows_set_devices (self->rows, devices);
  urbarium_setting_rows_set_config (self->rows, config, dataset_channels);
  return self;
}

/* A hook that the user typed, and not one that came with a run that is repeated. */
static gboolean
close_request (GtkWindow *window)
{
  UrbariumAllSettings *self = URBARIUM_ALL_SETTINGS (window);
  const char *hook = urbarium_all_settings_get_config (self)->hook;
  g_autoptr(GError) error = NULL;
  if (self->hook_typed && urb_hook_is_given (hook) && !urb_known_hooks_add (hook, &error))
    g_warning ("%s", error->message);
  return GTK_WINDOW_CLASS (urbarium_all_settings_parent_class)->close_request (window);
}

static void
finalize (GObject *object)
{
  UrbariumAllSettings *self = URBARIUM_ALL_SETTINGS (object);
  g_object_unref (self->rows);
  G_OBJECT_CLASS (urbarium_all_settings_parent_class)->finalize (object);
}

static void
urbarium_all_settings_class_init (UrbariumAllSettingsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  GTK_WINDOW_CLASS (klass)->close_request = close_request;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
urbarium_all_settings_init (UrbariumAllSettings *self)
{
  self->rows = urbarium_setting_rows_new (TRUE);
  g_signal_connect_object (self->rows, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  gtk_window_set_title (GTK_WINDOW (self), _ ("All settings"));
  gtk_window_set_default_size (GTK_WINDOW (self), 720, 760);
  adw_preferences_window_set_search_enabled (ADW_PREFERENCES_WINDOW (self), TRUE);
  add_rows (self);
}
