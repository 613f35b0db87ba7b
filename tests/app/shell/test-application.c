/* SPDX-License-Identifier: Apache-2.0 */
/* test-application.c - one instance with one window, and its actions and keys.  The test starts
 * itself again, to emulate a second start of the program. */
#include "app-test.h"

#include "app/map/map-page.h"
#include "app/shell/application.h"
#include "app/shell/window.h"

static GApplication *application; /* owned; shared by all tests: there is one name on the bus */
static const char   *program;     /* borrowed */

typedef struct
{
  int      status;
  gboolean is_done;
} Second;

static GtkWidget *
get_window (void)
{
  for (GList *window = gtk_application_get_windows (GTK_APPLICATION (application));
       window != NULL; window = window->next)
    if (URBARIUM_IS_WINDOW (window->data))
      return window->data;
  return NULL;
}

static int
count_windows (void)
{
  int n = 0;
  for (GList *window = gtk_application_get_windows (GTK_APPLICATION (application));
       window != NULL; window = window->next)
    n += URBARIUM_IS_WINDOW (window->data);
  return n;
}

static gboolean
has_no_window (gpointer data)
{
  return count_windows () == 0 && test_find_window (ADW_TYPE_ABOUT_WINDOW) == NULL;
}

/* A map of one building. (transfer full) */
static char *
make_map (void)
{
  static const char json[]
    = "{ \"type\": \"FeatureCollection\", \"name\": \"squares\", \"crs\": { \"type\": \"name\","
      "  \"properties\": { \"name\": \"urn:ogc:def:crs:EPSG::2056\" } }, \"features\": ["
      "{ \"type\": \"Feature\", \"properties\": { \"class\": \"building\" }, \"geometry\": {"
      "  \"type\": \"Polygon\", \"coordinates\": [[[2600000,1200000],[2600010,1200000],"
      "  [2600010,1200010],[2600000,1200010],[2600000,1200000]]] } } ] }";
  char *path = g_build_filename (g_get_home_dir (), "town.geojson", NULL);
  g_assert_true (g_file_set_contents (path, json, -1, NULL));
  return path;
}

static gboolean
has_map (gpointer data)
{
  GtkWidget *page = test_find (get_window (), URBARIUM_TYPE_MAP_PAGE);
  return urbarium_canvas_get_map (urbarium_map_page_get_canvas (URBARIUM_MAP_PAGE (page))) != NULL;
}

/* The window is shared by all tests, since creating it takes long. */
static void
set_up (gpointer *unused, gconstpointer data)
{
  if (get_window () == NULL)
    g_application_activate (application);
  g_assert_cmpint (count_windows (), ==, 1);
}

static void
tear_down (gpointer *unused, gconstpointer data)
{
  GtkWindow *about = test_find_window (ADW_TYPE_ABOUT_WINDOW);
  if (about != NULL)
    gtk_window_destroy (about);
  if (get_window () != NULL)
    gtk_widget_activate_action (test_find (get_window (), URBARIUM_TYPE_MAP_PAGE), "map.close",
                                NULL);
}

static const char *
get_page (void)
{
  GtkWidget *stack = test_find (get_window (), ADW_TYPE_VIEW_STACK);
  return adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (stack));
}

static void
ended_cb (GObject *process, GAsyncResult *result, gpointer data)
{
  Second *second = data;
  g_assert_true (g_subprocess_wait_finish (G_SUBPROCESS (process), result, NULL));
  second->status = g_subprocess_get_if_exited (G_SUBPROCESS (process))
                     ? g_subprocess_get_exit_status (G_SUBPROCESS (process))
                     : -1;
  second->is_done = TRUE;
}

static gboolean
is_done (gpointer data)
{
  return ((Second *) data)->is_done;
}

/* @path: (nullable) */
static void
start_again (const char *path)
{
  Second second = { 0 };
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocess) process
    = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, &error, program, "--second", path, NULL);
  g_assert_no_error (error);
  g_subprocess_wait_async (process, NULL, ended_cb, &second);
  test_until (is_done, &second);
  g_assert_cmpint (second.status, ==, 0);
}

/* The second instance passes its files on, and ends. */
static void
test_single_instance (gpointer *unused, gconstpointer data)
{
  GtkWidget *window = get_window ();
  g_autofree char *path = make_map ();
  start_again (NULL);
  g_assert_cmpint (count_windows (), ==, 1);
  start_again (path);
  g_assert_cmpint (count_windows (), ==, 1);
  g_assert_true (get_window () == window);
  test_until (has_map, NULL);
}

static void
test_activate (gpointer *unused, gconstpointer data)
{
  GtkWidget *window = get_window ();
  g_application_activate (application);
  g_assert_cmpint (count_windows (), ==, 1);
  g_assert_true (get_window () == window);
  g_assert_true (gtk_widget_get_visible (window));
}

/* Files are opened in the window, even with another window in front. */
static void
test_open (gpointer *unused, gconstpointer data)
{
  g_autofree char *path = make_map ();
  g_autoptr(GFile) file = g_file_new_for_path (path);
  g_action_group_activate_action (G_ACTION_GROUP (application), "about", NULL);
  gtk_widget_activate_action (get_window (), "win.show-page", "s", "train");
  g_assert_cmpstr (get_page (), ==, "train");
  g_application_open (application, &file, 1, "");
  test_until (has_map, NULL);
  g_assert_cmpstr (get_page (), ==, "map");
  g_assert_cmpint (count_windows (), ==, 1);
}

static void
test_about (gpointer *unused, gconstpointer data)
{
  AdwAboutWindow *about;
  g_action_group_activate_action (G_ACTION_GROUP (application), "about", NULL);
  about = test_find_window (ADW_TYPE_ABOUT_WINDOW);
  g_assert_nonnull (about);
  test_frames (GTK_WINDOW (about), 2);
  g_assert_cmpstr (adw_about_window_get_application_name (about), ==, "Urbarium");
  g_assert_cmpstr (adw_about_window_get_version (about), ==, URBARIUM_VERSION);
  g_assert_cmpint (adw_about_window_get_license_type (about), ==, GTK_LICENSE_APACHE_2_0);
  g_assert_true (gtk_window_get_transient_for (GTK_WINDOW (about)) == GTK_WINDOW (get_window ()));
}

/* Each accelerator once, each for an existing action. */
static void
test_keys (gpointer *unused, gconstpointer data)
{
  static const struct
  {
    const char *key, *action;
  } keys[] = {
    { "<Control>q", "app.quit" },
    { "<Control>w", "window.close" },
    { "<Control>o", "win.open" },
    { "<Control>z", "win.undo" },
    { "<Control><Shift>z", "win.redo" },
    { "<Control>y", "win.redo" },
    { "<Alt>1", "win.show-page::map" },
    { "<Alt>2", "win.show-page::areas" },
    { "<Alt>3", "win.show-page::train" },
    { "<Alt>4", "win.show-page::cities" },
    { "<Control>question", "win.show-help-overlay" },
    { "F1", "win.show-help-overlay" },
    { "F9", "win.toggle-panel" },
    { "F10", "win.menu" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_auto(GStrv) actions
        = gtk_application_get_actions_for_accel (GTK_APPLICATION (application), keys[i].key);
      g_assert_cmpuint (g_strv_length (actions), ==, 1);
      g_assert_cmpstr (actions[0], ==, keys[i].action);
    }
  for (guint i = 6; i < 10; i++)
    {
      g_autoptr(GVariant) target = NULL;
      g_autofree char *action = NULL;
      g_assert_true (
        g_action_parse_detailed_name (keys[i].action, &action, &target, NULL));
      g_assert_true (gtk_widget_activate_action_variant (get_window (), action, target));
      g_assert_cmpstr (get_page (), ==, g_variant_get_string (target, NULL));
    }
}

/* Applied at once, and reset with the setting. */
static void
test_color_scheme (gpointer *unused, gconstpointer data)
{
  static const struct
  {
    const char    *setting;
    AdwColorScheme scheme;
  } cases[] = {
    { "dark", ADW_COLOR_SCHEME_FORCE_DARK },
    { "light", ADW_COLOR_SCHEME_FORCE_LIGHT },
    { "system", ADW_COLOR_SCHEME_DEFAULT },
  };
  AdwStyleManager *manager = adw_style_manager_get_default ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(GVariant) state = NULL;
      g_action_group_activate_action (G_ACTION_GROUP (application), "color-scheme",
                                      g_variant_new_string (cases[i].setting));
      state = g_action_group_get_action_state (G_ACTION_GROUP (application), "color-scheme");
      g_assert_cmpstr (g_variant_get_string (state, NULL), ==, cases[i].setting);
      g_assert_cmpint (adw_style_manager_get_color_scheme (manager), ==, cases[i].scheme);
    }
}

/* A click on a notification of a run that has been deleted since. */
static void
test_show_run (gpointer *unused, gconstpointer data)
{
  g_autofree char *page = g_strdup (get_page ());
  AdwMessageDialog *dialog;
  g_action_group_activate_action (G_ACTION_GROUP (application), "show-run",
                                  g_variant_new_string ("/nowhere/run"));
  dialog = test_find_window (ADW_TYPE_MESSAGE_DIALOG);
  g_assert_nonnull (dialog);
  g_assert_cmpstr (adw_message_dialog_get_heading (dialog), ==, "This run cannot be opened");
  g_assert_nonnull (strstr (adw_message_dialog_get_body (dialog), "/nowhere/run"));
  g_assert_cmpstr (get_page (), ==, page);
  gtk_window_close (GTK_WINDOW (dialog));
}

/* Closes all windows; the last test. */
static void
test_quit (gpointer *unused, gconstpointer data)
{
  g_action_group_activate_action (G_ACTION_GROUP (application), "about", NULL);
  g_assert_nonnull (test_find_window (ADW_TYPE_ABOUT_WINDOW));
  g_action_group_activate_action (G_ACTION_GROUP (application), "quit", NULL);
  test_until (has_no_window, NULL);
}

static int
run_second (int argc, char **argv)
{
  g_autoptr(UrbariumApplication) second = urbarium_application_new ();
  return g_application_run (G_APPLICATION (second), argc, argv);
}

int
main (int argc, char **argv)
{
#define ADD(name, func) \
  g_test_add ("/app/application/" name, gpointer, NULL, set_up, func, tear_down)
  g_autoptr(GError) error = NULL;
  int result;
  program = argv[0];
  if (argc > 1 && g_str_equal (argv[1], "--second"))
    {
      argv[1] = argv[0];
      return run_second (argc - 1, argv + 1);
    }
  test_app_init (&argc, &argv);
  urbarium_application_prepare (argv[0]);
  application = G_APPLICATION (urbarium_application_new ());
  g_assert_true (g_application_register (application, NULL, &error));
  g_assert_no_error (error);
  g_assert_false (g_application_get_is_remote (application));
  ADD ("activate", test_activate);
  ADD ("open", test_open);
  ADD ("single-instance", test_single_instance);
  ADD ("about", test_about);
  ADD ("keys", test_keys);
  ADD ("color-scheme", test_color_scheme);
  ADD ("show-run", test_show_run);
  ADD ("quit", test_quit);
  result = g_test_run ();
  g_object_unref (application);
  return result;
}
