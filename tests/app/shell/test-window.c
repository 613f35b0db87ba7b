/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "app/areas/areas-page.h"
#include "app/map/map-page.h"
#include "app/shell/window.h"
#include "base/machine.h"
#include "run/store/folder.h"
#include "run/store/interrupted.h"
#include "run/store/run-db.h"

typedef struct
{
  GtkWindow *window; /* the application's */
  char      *a, *b;  /* owned: maps */
} Fixture;

static AdwApplication *application; /* owned; shared by all tests, because of its D-Bus path */

/* A map of one building. */
static char *
make_map (const char *name)
{
  static const char json[]
    = "{ \"type\": \"FeatureCollection\", \"name\": \"squares\", \"crs\": { \"type\": \"name\","
      "  \"properties\": { \"name\": \"urn:ogc:def:crs:EPSG::2056\" } }, \"features\": ["
      "{ \"type\": \"Feature\", \"properties\": { \"class\": \"building\" }, \"geometry\": {"
      "  \"type\": \"Polygon\", \"coordinates\": [[[2600000,1200000],[2600010,1200000],"
      "  [2600010,1200010],[2600000,1200010],[2600000,1200000]]] } } ] }";
  char *path = g_build_filename (g_get_user_cache_dir (), name, NULL);
  g_mkdir_with_parents (g_get_user_cache_dir (), 0700);
  g_assert_true (g_file_set_contents (path, json, -1, NULL));
  return path;
}

static void
open_window (Fixture *self)
{
  self->window = GTK_WINDOW (urbarium_window_new (application));
  gtk_window_present (self->window);
}

static gboolean
has_no_window (gpointer data)
{
  return gtk_application_get_windows (GTK_APPLICATION (application)) == NULL;
}

static void
close_window (Fixture *self)
{
  gtk_window_close (self->window);
  test_until (has_no_window, NULL);
}

static void
set_up (Fixture *self, gconstpointer data)
{
  g_autofree char *session
    = g_build_filename (g_get_user_state_dir (), "urbarium", "session", NULL);
  g_unlink (session);
  self->a = make_map ("a.geojson");
  self->b = make_map ("b.geojson");
  open_window (self);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  close_window (self);
  g_free (self->a);
  g_free (self->b);
}

static UrbariumCanvas *
get_canvas (Fixture *self)
{
  GtkWidget *page = test_find (GTK_WIDGET (self->window), URBARIUM_TYPE_MAP_PAGE);
  return urbarium_map_page_get_canvas (URBARIUM_MAP_PAGE (page));
}

static gboolean
has_map (gpointer data)
{
  return urbarium_canvas_get_map (get_canvas (data)) != NULL;
}

static AdwViewStack *
get_stack (Fixture *self)
{
  return ADW_VIEW_STACK (test_find (GTK_WIDGET (self->window), ADW_TYPE_VIEW_STACK));
}

static gboolean
sees_page (Fixture *self, const char *name)
{
  return g_str_equal (adw_view_stack_get_visible_child_name (get_stack (self)), name);
}

static gboolean
sees_cities (gpointer data)
{
  return sees_page (data, "cities");
}

static GtkDropTarget *
find_drop_target (GtkWidget *widget)
{
  g_autoptr(GListModel) controllers = gtk_widget_observe_controllers (widget);
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr(GtkEventController) controller = g_list_model_get_item (controllers, i);
      if (GTK_IS_DROP_TARGET (controller))
        return GTK_DROP_TARGET (controller);
    }
  g_error ("nothing can be dropped here");
}

static void
drop (Fixture *self, const char *path)
{
  g_autoptr(GFile) file = g_file_new_for_path (path);
  g_autoptr(GSList) files = g_slist_append (NULL, file);
  g_auto(GValue) value = G_VALUE_INIT;
  gboolean is_taken;
  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_set_boxed (&value, files);
  g_signal_emit_by_name (find_drop_target (GTK_WIDGET (self->window)), "drop", &value, 0.0, 0.0,
                         &is_taken);
  g_assert_true (is_taken);
}

/* On any page, for any kind of file. */
static void
test_drop (Fixture *self, gconstpointer data)
{
  g_autofree char *weights = g_build_filename (g_get_user_cache_dir (), "w.safetensors", NULL);
  adw_view_stack_set_visible_child_name (get_stack (self), "areas");
  drop (self, self->a);
  test_until (has_map, self);
  g_assert_true (sees_page (self, "map"));
  drop (self, weights);
  test_until (sees_cities, self);
}

/* The view is restored with its map, and with no other. */
static void
test_view (Fixture *self, gconstpointer data)
{
  UrbariumView view;
  drop (self, self->a);
  test_until (has_map, self);
  test_frames (self->window, 3);
  urbarium_canvas_set_view (get_canvas (self), 2600003, 1200004, 0.0625);
  close_window (self);
  open_window (self);
  test_until (has_map, self);
  view = urbarium_canvas_get_view (get_canvas (self));
  g_assert_cmpfloat_with_epsilon (view.center_x, 2600003, 1e-6);
  g_assert_cmpfloat_with_epsilon (view.center_y, 1200004, 1e-6);
  close_window (self);
  g_assert_cmpint (g_unlink (self->a), ==, 0);
  open_window (self);
  drop (self, self->b);
  test_until (has_map, self);
  test_frames (self->window, 3);
  view = urbarium_canvas_get_view (get_canvas (self));
  g_assert_cmpfloat_with_epsilon (view.center_x, 2600005, 1e-3);
}

static UrbariumCuration *
get_curation (Fixture *self)
{
  GtkWidget *page = test_find (GTK_WIDGET (self->window), URBARIUM_TYPE_AREAS_PAGE);
  return urbarium_areas_page_get_curation (URBARIUM_AREAS_PAGE (page));
}

typedef struct
{
  UrbariumCuration *curation;
  UrbMap           *before; /* freed by now */
} Other;

static gboolean
is_other_map (gpointer data)
{
  Other *other = data;
  UrbMap *map = urbarium_curation_get_map (other->curation);
  return map != NULL && map != other->before;
}

static void
drop_map (Fixture *self, const char *path)
{
  Other other = { get_curation (self), urbarium_curation_get_map (get_curation (self)) };
  drop (self, path);
  test_until (is_other_map, &other);
}

static int
get_top (Fixture *self)
{
  return (int) urbarium_curation_get_decisions (get_curation (self))->options.top;
}

static void
set_top (Fixture *self, int top)
{
  UrbCurateOptions options = urbarium_curation_get_decisions (get_curation (self))->options;
  options.top = top;
  urbarium_curation_set_options (get_curation (self), &options, "Top");
}

/* Decisions on a map that is not open are kept for the next session. */
static void
test_two_maps (Fixture *self, gconstpointer data)
{
  drop_map (self, self->a);
  set_top (self, 7);
  drop_map (self, self->b);
  set_top (self, 5);
  close_window (self);
  open_window (self);
  test_until (has_map, self);
  g_assert_cmpint (get_top (self), ==, 5);
  drop_map (self, self->a);
  g_assert_cmpint (get_top (self), ==, 7);
}

static gboolean
exists (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* Of a problem that has to do with no run. */
static void
test_report_problem (Fixture *self, gconstpointer data)
{
  g_autofree char *engine = g_build_filename (g_get_user_cache_dir (), "engine", NULL);
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "problems", NULL);
  g_autofree char *archive = g_build_filename (folder, "urbarium.tar.gz", NULL), *text = NULL, *expected = NULL;
  g_autofree char *before = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  const char *script = "#!/bin/sh\necho \"$@\" > \"$3.new\" && mv \"$3.new\" \"$3\"\n";
  g_mkdir_with_parents (folder, 0700);
  g_assert_true (g_file_set_contents_full (engine, script, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0700, NULL));
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
  test_file_chooser_begin ();
  gtk_widget_activate_action (GTK_WIDGET (self->window), "win.report-problem", NULL);
  test_file_chooser_save (self->window, folder);
  test_until (exists, archive);
  test_file_chooser_end ();
  expected = g_strdup_printf ("debug-report --output %s --force\n", archive);
  g_assert_true (g_file_get_contents (archive, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, expected);
  test_frames (self->window, 3); /* the file is saved, says a toast */
  if (before != NULL)
    g_setenv ("URBARIUM_ENGINE", before, TRUE);
  else
    g_unsetenv ("URBARIUM_ENGINE");
}

static gboolean
has_label (GtkWidget *root, const char *text)
{
  if (GTK_IS_LABEL (root) && g_str_equal (gtk_label_get_text (GTK_LABEL (root)), text))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL; child = gtk_widget_get_next_sibling (child))
    if (has_label (child, text))
      return TRUE;
  return FALSE;
}

typedef struct
{
  GtkWindow  *window;
  const char *text;
} Toast;

static gboolean
shows_toast (gpointer data)
{
  const Toast *toast = data;
  return has_label (GTK_WIDGET (toast->window), toast->text);
}

static void
wait_for_toast (Fixture *self, const char *text)
{
  Toast toast = { self->window, text };
  test_until (shows_toast, &toast);
}

static GtkWidget *
find_button (GtkWidget *root, const char *label)
{
  GtkWidget *found = NULL;
  if (GTK_IS_BUTTON (root) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (root)), label) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL && found == NULL; child = gtk_widget_get_next_sibling (child))
    found = find_button (child, label);
  return found;
}

/* It trained on @machine until one minute before this one was started. */
static void
make_interrupted_run (const char *name, const char *machine)
{
  g_autofree char *place = urb_run_dup_usual_place (), *path = g_build_filename (place, name, NULL);
  g_autofree char *db_path = g_build_filename (path, "run.db", NULL);
  g_autofree char *details = g_strdup_printf ("{\"machine\":\"%s\"}", machine);
  g_autofree char *sql = g_strdup_printf ("UPDATE event SET time = %.0f", urb_machine_get_boot_time () - 60);
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(UrbRunFolder) folder = NULL;
  UrbRunDb *db;
  sqlite3 *file = NULL;
  g_mkdir_with_parents (place, 0700);
  urb_run_config_init (&config);
  folder = urb_run_folder_begin (path, URB_RUN_FOLDER_REPLACE, &config, NULL);
  g_assert_nonnull (folder);
  db = urb_run_db_open (db_path, NULL);
  g_assert_true (urb_run_db_add_event (db, "info", "state", 0, "running", NULL));
  g_assert_true (urb_run_db_add_details (db, details, NULL));
  urb_run_db_free (db);
  g_assert_cmpint (sqlite3_open (db_path, &file), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (file, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (file);
}

static void
delete_interrupted_run (const char *name)
{
  g_autofree char *place = urb_run_dup_usual_place (), *path = g_build_filename (place, name, NULL);
  g_spawn_sync (NULL, (char *[]) { "rm", "-rf", path, NULL }, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
}

/* The window offers to go on with what the restart of the computer interrupted here, and does not begin by itself.  What
 * goes on is told, and what cannot too. */
static void
test_restart (Fixture *self, gconstpointer data)
{
  static const char *const runs[] = { "a", "b", "elsewhere" };
  g_autofree char *engine = g_build_filename (g_get_user_cache_dir (), "restarting-engine", NULL);
  g_autofree char *log = g_build_filename (g_get_user_cache_dir (), "restart-log", NULL), *said = NULL;
  g_autofree char *script
    = g_strdup_printf ("#!/bin/sh\n[ \"$1\" != resume ] || { echo \"$@\" >> '%s'; echo /runs/a; echo /runs/b; echo 'c: Gone' >&2; exit 3; }\n", log);
  g_autofree char *before = g_strdup (g_getenv ("URBARIUM_ENGINE")), *here = urb_machine_dup_id ();
  close_window (self);
  g_assert_true (g_file_set_contents_full (engine, script, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0700, NULL));
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    make_interrupted_run (runs[i], i < 2 ? here : "0123");
  open_window (self);
  wait_for_toast (self, "2 runs were interrupted when this computer went down");
  g_assert_false (g_file_test (log, G_FILE_TEST_EXISTS));
  test_frames (self->window, 3);
  test_screenshot (self->window, "window-restart");
  g_signal_emit_by_name (find_button (GTK_WIDGET (self->window), "Continue"), "clicked");
  wait_for_toast (self, "2 runs that the restart of the computer interrupted go on. "
                        "A run that the restart of the computer interrupted cannot go on: c: Gone");
  g_assert_true (g_file_get_contents (log, &said, NULL, NULL));
  g_assert_true (g_str_has_prefix (said, "resume --interrupted /"));
  g_assert_true (g_str_has_suffix (said, "/urbarium/runs\n"));
  g_assert_true (strchr (said, '\n') == strrchr (said, '\n')); /* once */
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    delete_interrupted_run (runs[i]);
  if (before != NULL)
    g_setenv ("URBARIUM_ENGINE", before, TRUE);
  else
    g_unsetenv ("URBARIUM_ENGINE");
}

int
main (int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  int result;
  test_app_init (&argc, &argv);
  application = adw_application_new ("org.urbarium.Test", G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, &error));
  g_assert_no_error (error);
  g_test_add ("/app/window/drop", Fixture, NULL, set_up, test_drop, tear_down);
  g_test_add ("/app/window/view", Fixture, NULL, set_up, test_view, tear_down);
  g_test_add ("/app/window/two-maps", Fixture, NULL, set_up, test_two_maps, tear_down);
  g_test_add ("/app/window/report-problem", Fixture, NULL, set_up, test_report_problem, tear_down);
  g_test_add ("/app/window/restart", Fixture, NULL, set_up, test_restart, tear_down);
  result = g_test_run ();
  g_object_unref (application);
  return result;
}
