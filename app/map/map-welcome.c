/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/map-welcome.h"

#include <glib/gi18n.h>

#include "app/base/ui-path.h"
#include "app/map/map-words.h"
#include "app/map/recent-maps.h"

struct _UrbariumMapWelcome
{
  AdwBin               parent_instance;
  GCancellable        *listing; /* owned; nullable: set while recent files are listed */
  GPtrArray           *rows;    /* borrowed; of the recent files */

  AdwPreferencesGroup *recent;
};

G_DEFINE_FINAL_TYPE (UrbariumMapWelcome, urbarium_map_welcome, ADW_TYPE_BIN)

/* The path of the folder, with ~ for the home folder. */
static char *
make_folder (GFile *file)
{
  g_autoptr(GFile) folder = g_file_get_parent (file);
  g_autoptr(GFile) home = g_file_new_for_path (g_get_home_dir ());
  g_autofree char *below = NULL;
  if (folder == NULL)
    return g_strdup ("");
  below = g_file_get_relative_path (home, folder);
  if (below != NULL)
    {
      g_autofree char *name = g_filename_display_name (below);
      return g_strdup_printf ("~/%s", name);
    }
  return g_file_get_parse_name (folder);
}

static void
add_row (UrbariumMapWelcome *self, GFile *file)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *icon = gtk_image_new_from_icon_name ("go-next-symbolic");
  g_autofree char *path = g_file_get_path (file);
  g_autofree char *name = path == NULL ? g_file_get_parse_name (file)
                                       : g_filename_display_basename (path);
  g_autofree char *folder = make_folder (file);
  g_autofree char *breakable = urbarium_map_words_make_breakable (folder);
  g_autofree char *uri = g_file_get_uri (file);
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), name);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), breakable);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, folder, -1);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), icon);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (row), "map.open-recent");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (row), "s", uri);
  adw_preferences_group_add (self->recent, row);
  g_ptr_array_add (self->rows, row);
}

static void
listed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) files = urbarium_recent_maps_list_finish (result, &error);
  UrbariumMapWelcome *self;
  if (files == NULL)
    return; /* cancelled: the widget may have been freed */
  self = data;
  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove (self->recent, self->rows->pdata[i]);
  g_ptr_array_set_size (self->rows, 0);
  for (guint i = 0; i < files->len; i++)
    add_row (self, files->pdata[i]);
  gtk_widget_set_visible (GTK_WIDGET (self->recent), files->len > 0);
}

static void
refresh (UrbariumMapWelcome *self)
{
  g_cancellable_cancel (self->listing);
  g_clear_object (&self->listing);
  self->listing = g_cancellable_new ();
  urbarium_recent_maps_list_async (self->listing, listed_cb, self);
}

/* Files may have been added or deleted while the widget was hidden. */
static void
map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (urbarium_map_welcome_parent_class)->map (widget);
  refresh (URBARIUM_MAP_WELCOME (widget));
}

static void
recent_changed_cb (UrbariumMapWelcome *self)
{
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    refresh (self);
}

static void
dispose (GObject *object)
{
  UrbariumMapWelcome *self = URBARIUM_MAP_WELCOME (object);
  g_cancellable_cancel (self->listing);
  g_clear_object (&self->listing);
  G_OBJECT_CLASS (urbarium_map_welcome_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  g_ptr_array_unref (URBARIUM_MAP_WELCOME (object)->rows);
  G_OBJECT_CLASS (urbarium_map_welcome_parent_class)->finalize (object);
}

static void
urbarium_map_welcome_class_init (UrbariumMapWelcomeClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  widget_class->map = map;
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "map-welcome.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapWelcome, recent);
}

static void
urbarium_map_welcome_init (UrbariumMapWelcome *self)
{
  self->rows = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (gtk_recent_manager_get_default (), "changed",
                           G_CALLBACK (recent_changed_cb), self, G_CONNECT_SWAPPED);
}
