/* SPDX-License-Identifier: Apache-2.0 */
/* test-map-welcome.c - ways to open a map, among them recent files that still exist. */
#include <glib/gstdio.h>

#include "app/map/map-welcome.h"
#include "app/map/recent-maps.h"
#include "map-fixture.h"

/* The group that marks our maps. */
#define GROUP "urbarium-map"

typedef struct
{
  GtkWidget *welcome; /* borrowed */
  GtkWindow *window;
  GString   *told; /* owned: "open-recent file:///…" */
} Fixture;

static void
action_cb (GSimpleAction *action, GVariant *param, gpointer data)
{
  Fixture *self = data;
  g_string_append_printf (self->told, "%s%s%s", g_action_get_name (G_ACTION (action)),
                          param != NULL ? " " : "",
                          param != NULL ? g_variant_get_string (param, NULL) : "");
}

static void
set_up (Fixture *self, gconstpointer data)
{
  static const GActionEntry actions[] = {
    { .name = "open", .activate = action_cb },
    { .name = "open-folder", .activate = action_cb },
    { .name = "open-address", .activate = action_cb },
    { .name = "open-sample", .activate = action_cb },
    { .name = "open-recent", .activate = action_cb, .parameter_type = "s" },
  };
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new ();
  g_action_map_add_action_entries (G_ACTION_MAP (group), actions, G_N_ELEMENTS (actions), self);
  self->told = g_string_new (NULL);
  self->welcome = g_object_new (URBARIUM_TYPE_MAP_WELCOME, NULL);
  gtk_widget_insert_action_group (self->welcome, "map", G_ACTION_GROUP (group));
  self->window = test_window_new (self->welcome, 800, 700);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  test_window_destroy (self->window);
  g_string_free (self->told, TRUE);
}

/* (transfer full): of NAME in the user's folder FOLDER */
static char *
make_path (const char *folder, const char *name)
{
  return g_build_filename (g_get_home_dir (), folder, name, NULL);
}

/* Records a file as opened some hours ago; the desktop drops entries after some days. */
static void
remember (GBookmarkFile *bookmarks, const char *path, const char *group, int hours)
{
  g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);
  g_autoptr(GDateTime) now = g_date_time_new_now_utc ();
  g_autoptr(GDateTime) time = g_date_time_add_hours (now, -hours);
  g_bookmark_file_set_mime_type (bookmarks, uri, "application/geo+json");
  g_bookmark_file_add_application (bookmarks, uri, "Urbarium", "urbarium %u");
  g_bookmark_file_add_group (bookmarks, uri, group);
  g_bookmark_file_set_added_date_time (bookmarks, uri, time);
  g_bookmark_file_set_modified_date_time (bookmarks, uri, time);
  g_bookmark_file_set_visited_date_time (bookmarks, uri, time);
}

/* Entries of other sessions, written before the list is first read. */
static void
write_recent_files (void)
{
  g_autoptr(GBookmarkFile) bookmarks = g_bookmark_file_new ();
  g_autofree char *list = g_build_filename (g_get_user_data_dir (), "recently-used.xbel", NULL);
  g_autofree char *folder = make_path ("My_maps", NULL);
  g_autofree char *gone = make_path ("My_maps", "gone.gpkg");
  g_autofree char *letter = make_path ("My_maps", "letter.odt");
  g_autofree char *marked = make_path ("My_maps", "<b>old & new.gpkg");
  g_autofree char *elsewhere = g_test_build_filename (G_TEST_DIST, "README.md", NULL);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (g_get_user_data_dir (), 0700), ==, 0);
  remember (bookmarks, gone, GROUP, 1);
  remember (bookmarks, letter, "letters", 2);
  g_assert_true (g_file_set_contents (letter, "", 0, NULL));
  remember (bookmarks, elsewhere, GROUP, 3);
  remember (bookmarks, marked, GROUP, 4);
  g_assert_true (g_file_set_contents (marked, "", 0, NULL));
  for (int i = 1; i <= 6; i++)
    {
      g_autofree char *name = g_strdup_printf ("%d.gpkg", i);
      g_autofree char *path = make_path ("My_maps", name);
      remember (bookmarks, path, GROUP, 11 - i);
      g_assert_true (g_file_set_contents (path, "", 0, NULL));
    }
  g_assert_true (g_bookmark_file_to_file (bookmarks, list, NULL));
}

/* The titles of the rows; "" if there is no group of them. (transfer full) */
static char *
list_recent (Fixture *self)
{
  g_autoptr(GPtrArray) rows = map_fixture_list (self->welcome, ADW_TYPE_ACTION_ROW);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < rows->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                            adw_preferences_row_get_title (rows->pdata[i]));
  return g_string_free (text, FALSE);
}

static gboolean
has_recent (gpointer self)
{
  g_autofree char *recent = list_recent (self);
  return *recent != '\0';
}

static gboolean
has_no_recent (gpointer self)
{
  return !has_recent (self);
}

static void
assert_recent (Fixture *self, const char *expected)
{
  g_autofree char *recent = NULL;
  test_until (has_recent, self);
  recent = list_recent (self);
  g_assert_cmpstr (recent, ==, expected);
}

static AdwActionRow *
get_row (Fixture *self, int index)
{
  g_autoptr(GPtrArray) rows = map_fixture_list (self->welcome, ADW_TYPE_ACTION_ROW);
  g_assert_cmpint (index, <, (int) rows->len);
  return rows->pdata[index];
}

static void
assert_place (Fixture *self, int index, const char *place)
{
  g_autofree char *shown
    = map_fixture_unbreak (adw_action_row_get_subtitle (get_row (self, index)));
  g_assert_cmpstr (shown, ==, place);
}

static void
test_buttons (Fixture *self, gconstpointer data)
{
  static const struct
  {
    const char *label, *action;
  } buttons[] = {
    { "_Open map…", "open" },
    { "_Sample town", "open-sample" },
    { "Open a _folder of files…", "open-folder" },
    { "Open a map on a _server…", "open-address" },
  };
  g_autoptr(GPtrArray) found = map_fixture_list (self->welcome, GTK_TYPE_BUTTON);
  g_assert_cmpuint (found->len, ==, G_N_ELEMENTS (buttons));
  for (guint i = 0; i < found->len; i++)
    {
      g_assert_cmpstr (gtk_button_get_label (found->pdata[i]), ==, buttons[i].label);
      g_assert_true (gtk_button_get_use_underline (found->pdata[i]));
      g_signal_emit_by_name (found->pdata[i], "clicked");
      g_assert_cmpstr (self->told->str, ==, buttons[i].action);
      g_string_truncate (self->told, 0);
    }
}

/* One Tab for each button, though two are in a focusable flow box. */
static void
test_focus (Fixture *self, gconstpointer data)
{
  int n = 0;
  test_until (has_recent, self);
  gtk_window_set_focus (self->window, NULL);
  while (gtk_widget_child_focus (self->welcome, GTK_DIR_TAB_FORWARD) && n < 20)
    {
      GtkWidget *focus = gtk_window_get_focus (self->window);
      g_assert_true (GTK_IS_BUTTON (focus) || ADW_IS_ACTION_ROW (focus));
      n++;
    }
  g_assert_cmpint (n, ==, 10); /* four buttons, six rows */
}

/* The latest that still exist, and only maps. */
static void
test_recent (Fixture *self, gconstpointer data)
{
  g_autofree char *tests = g_path_get_dirname (g_test_get_filename (G_TEST_DIST, "README.md", NULL));
  g_autofree char *one = make_path ("My_maps", "6.gpkg");
  g_autofree char *uri = g_filename_to_uri (one, NULL, NULL);
  g_autofree char *told = g_strconcat ("open-recent ", uri, NULL);
  assert_recent (self, "README.md, <b>old & new.gpkg, 6.gpkg, 5.gpkg, 4.gpkg, 3.gpkg");
  assert_place (self, 0, tests);
  assert_place (self, 1, "~/My_maps");
  g_assert_true (gtk_widget_activate (GTK_WIDGET (get_row (self, 2))));
  g_assert_cmpstr (self->told->str, ==, told);
  test_frames (self->window, 2);
}

/* The list is refreshed whenever the widget is shown. */
static void
test_removed (Fixture *self, gconstpointer data)
{
  g_autofree char *path = make_path ("My_maps", "<b>old & new.gpkg");
  AdwActionRow *first;
  test_until (has_recent, self);
  first = get_row (self, 0);
  g_object_add_weak_pointer (G_OBJECT (first), (gpointer *) &first);
  g_assert_cmpint (g_remove (path), ==, 0);
  gtk_widget_set_visible (self->welcome, FALSE);
  gtk_widget_set_visible (self->welcome, TRUE);
  while (first != NULL) /* the old rows stay until the list is refreshed */
    g_main_context_iteration (NULL, TRUE);
  assert_recent (self, "README.md, 6.gpkg, 5.gpkg, 4.gpkg, 3.gpkg, 2.gpkg");
}

static gboolean
begins_with_new (gpointer self)
{
  g_autofree char *recent = list_recent (self);
  return g_str_has_prefix (recent, "new town.geojson, README.md, ");
}

/* Opened in another window, or by another program. */
static void
test_changed (Fixture *self, gconstpointer data)
{
  static const char *const values[] = { "building", NULL };
  g_autofree char *path = map_fixture_write ("new town", 0, values);
  const char *paths[] = { path, NULL };
  test_until (has_recent, self);
  urbarium_recent_maps_add (paths);
  test_until (begins_with_new, self);
  gtk_recent_manager_purge_items (gtk_recent_manager_get_default (), NULL);
  test_until (has_no_recent, self);
}

/* Disposed while refreshing. */
static void
test_gone_early (Fixture *self, gconstpointer data)
{
  gtk_widget_set_visible (self->welcome, FALSE);
  gtk_widget_set_visible (self->welcome, TRUE);
}

int
main (int argc, char **argv)
{
#define ADD(name, func) \
  g_test_add ("/app/map-welcome/" name, Fixture, NULL, set_up, func, tear_down)
  test_app_init (&argc, &argv);
  write_recent_files ();
  ADD ("buttons", test_buttons);
  ADD ("focus", test_focus);
  ADD ("recent", test_recent);
  ADD ("removed", test_removed);
  ADD ("gone-early", test_gone_early);
  ADD ("changed", test_changed); /* clears the list */
  return g_test_run ();
}
