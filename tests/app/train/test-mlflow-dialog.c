/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-mlflow-dialog.c - a run is sent to an MLflow server, by an engine that only logs what it is told.
 */
#include "app-test.h"
#include "app/base/settings.h"
#include "app/train/mlflow-dialog.h"
#include "app/train/mlflow-send.h"
#include "made-up.h"
#include "run-fixture.h"

#define LOG_ALL \
  "echo \"$@\" \"$MLFLOW_TRACKING_URI\" \"$MLFLOW_EXPERIMENT_NAME\" \"$MLFLOW_TRACKING_USERNAME\"" \
  " \"$MLFLOW_TRACKING_PASSWORD\" >> \"$LOG\""

typedef struct
{
  GtkWidget   *widget;
  UrbariumRun *run;
  GtkWindow   *window;
} Scene;

static void
scene_init (Scene *scene)
{
  GtkWidget *overlay = adw_toast_overlay_new ();
  *scene = (Scene){ .widget = gtk_label_new ("run"), .run = made_up_run ("Delft") };
  adw_toast_overlay_set_child (ADW_TOAST_OVERLAY (overlay), scene->widget);
  scene->window = test_window_new (overlay, 600, 600);
}

static void
scene_clear (Scene *scene)
{
  test_window_destroy (scene->window);
  run_until_gone (scene->run);
}

static GtkEditable *
field (const char *title)
{
  GtkWidget *label = made_up_find_text (GTK_WIDGET (made_up_find_dialog ()), title);
  g_assert_nonnull (label);
  return GTK_EDITABLE (gtk_widget_get_ancestor (label, ADW_TYPE_ENTRY_ROW));
}

/* @problem: (nullable): the sentence that is shown; NULL: none, and it can be sent */
static void
assert_server (const char *server, const char *problem)
{
  gtk_editable_set_text (field ("Address of the server"), server);
  g_assert_cmpint (adw_message_dialog_get_response_enabled (made_up_find_dialog (), "send"), ==, problem == NULL);
  if (problem != NULL)
    g_assert_true (gtk_widget_get_visible (made_up_find_text (GTK_WIDGET (made_up_find_dialog ()), problem)));
}

static gboolean
is_sent (gpointer scene)
{
  return made_up_find_text (GTK_WIDGET (((Scene *) scene)->window), "“Delft” was sent to MLflow") != NULL;
}

static gboolean
has_dialog (gpointer data)
{
  return made_up_find_dialog () != NULL;
}

/* All that the engine needs is in its environment; the window knows the password until it is closed. */
static void
test_sent (void)
{
  g_autofree char *log = NULL;
  Scene scene;
  scene_init (&scene);
  made_up_engine (LOG_ALL);
  urbarium_mlflow_dialog_show (scene.widget, scene.run);
  g_assert_cmpstr (gtk_editable_get_text (field ("Address of the server")), ==, "http://localhost:5000");
  g_assert_cmpstr (gtk_editable_get_text (field ("Experiment")), ==, "urbarium");
  assert_server ("", "The server has to be an address, such as http://localhost:5000.");
  assert_server ("localhost:5000", "The server has to be an address, such as http://localhost:5000.");
  assert_server ("http:", "The server has to be an address, such as http://localhost:5000.");
  assert_server ("http://", "The server has to be an address, such as http://localhost:5000.");
  assert_server ("https://ada:secret@example.org", "Enter name and password below instead of in the address.");
  assert_server ("https://example.org/?token=secret", "The address of a server has no “?” and no “#”. Enter name and password below.");
  test_frames (GTK_WINDOW (made_up_find_dialog ()), 2);
  test_screenshot (GTK_WINDOW (made_up_find_dialog ()), "mlflow-wrong");
  assert_server (" https://example.org/mlflow ", NULL);
  gtk_editable_set_text (field ("Experiment"), "cities");
  gtk_editable_set_text (field ("Name, if the server asks for one"), "ada");
  gtk_editable_set_text (field ("Password"), "se cret ");
  test_frames (GTK_WINDOW (made_up_find_dialog ()), 2);
  test_screenshot (GTK_WINDOW (made_up_find_dialog ()), "mlflow");
  made_up_answer ("send");
  urbarium_mlflow_dialog_show (scene.widget, scene.run); /* while it is being sent */
  g_assert_null (made_up_find_dialog ());
  test_until (is_sent, &scene);
  log = made_up_engine_log ();
  g_assert_cmpstr (log, ==, "mlflow /nowhere/Delft https://example.org/mlflow cities ada se cret \n");
  urbarium_mlflow_dialog_show (scene.widget, scene.run);
  g_assert_cmpstr (gtk_editable_get_text (field ("Address of the server")), ==, "https://example.org/mlflow");
  g_assert_cmpstr (gtk_editable_get_text (field ("Experiment")), ==, "cities");
  g_assert_cmpstr (gtk_editable_get_text (field ("Name, if the server asks for one")), ==, "ada");
  g_assert_cmpstr (gtk_editable_get_text (field ("Password")), ==, "se cret ");
  made_up_answer ("cancel");
  scene_clear (&scene);
}

static void
test_failed (void)
{
  Scene scene;
  scene_init (&scene);
  made_up_engine ("echo 'urbarium-engine mlflow: The MLflow server does not answer: it is off' >&2; exit 1");
  urbarium_mlflow_dialog_show (scene.widget, scene.run);
  assert_server ("http://127.0.0.1:1", NULL);
  made_up_answer ("send");
  test_until (has_dialog, NULL);
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==, "The run could not be sent to MLflow");
  g_assert_cmpstr (adw_message_dialog_get_body (made_up_find_dialog ()), ==, "The MLflow server does not answer: it is off");
  made_up_answer ("close");
  urbarium_mlflow_dialog_show (scene.widget, scene.run); /* again */
  g_assert_nonnull (made_up_find_dialog ());
  made_up_answer ("cancel");
  scene_clear (&scene);
}

/* What an earlier version has kept of an address may be a password. */
static void
test_forgets (void)
{
  g_autoptr(GSettings) settings = urbarium_settings_new ();
  g_autofree char *server = NULL, *left = NULL;
  g_settings_set_string (settings, "mlflow-server", "https://example.org/?token=secret");
  server = urbarium_mlflow_dup_server ();
  g_assert_cmpstr (server, ==, "http://localhost:5000");
  left = g_settings_get_string (settings, "mlflow-server");
  g_assert_cmpstr (left, ==, "");
}

static GtkWidget *
find_button (GtkWidget *widget, const char *label)
{
  GtkWidget *text = made_up_find_text (widget, label);
  return text != NULL ? gtk_widget_get_ancestor (text, GTK_TYPE_BUTTON) : NULL;
}

static gboolean
is_offered (gpointer scene)
{
  return find_button (GTK_WIDGET (((Scene *) scene)->window), "Details") != NULL;
}

/* A run that ends is sent if the switch is on, with the password that was typed; a failure waits until it is looked at. */
static void
test_at_end (void)
{
  g_autoptr(GSettings) settings = urbarium_settings_new ();
  g_autofree char *log = NULL;
  GtkWidget *row;
  Scene scene;
  scene_init (&scene);
  made_up_engine (LOG_ALL);
  urbarium_mlflow_run_ended (scene.widget, scene.run);
  g_assert_false (urbarium_mlflow_is_sending (scene.run));
  urbarium_mlflow_dialog_show (scene.widget, scene.run);
  row = gtk_widget_get_ancestor (made_up_find_text (GTK_WIDGET (made_up_find_dialog ()), "Send each run when it ends"),
                                 ADW_TYPE_ACTION_ROW);
  gtk_switch_set_active (GTK_SWITCH (adw_action_row_get_activatable_widget (ADW_ACTION_ROW (row))), TRUE);
  assert_server ("https://example.org/mlflow", NULL);
  gtk_editable_set_text (field ("Experiment"), "cities");
  gtk_editable_set_text (field ("Name, if the server asks for one"), "ada");
  gtk_editable_set_text (field ("Password"), "secret");
  test_frames (GTK_WINDOW (made_up_find_dialog ()), 2);
  test_screenshot (GTK_WINDOW (made_up_find_dialog ()), "mlflow-at-end");
  made_up_answer ("send");
  g_assert_true (g_settings_get_boolean (settings, "mlflow-at-end"));
  urbarium_mlflow_run_ended (scene.widget, scene.run); /* while it is being sent: once more */
  test_until (is_sent, &scene);
  log = made_up_engine_log ();
  g_assert_cmpstr (log, ==, "mlflow /nowhere/Delft https://example.org/mlflow cities ada secret\n"
                            "mlflow /nowhere/Delft https://example.org/mlflow cities ada secret\n");
  made_up_engine ("echo 'urbarium-engine mlflow: The MLflow server does not answer: it is off' >&2; exit 1");
  urbarium_mlflow_run_ended (scene.widget, scene.run);
  test_until (is_offered, &scene);
  g_assert_null (made_up_find_dialog ());
  test_screenshot (scene.window, "mlflow-failed");
  g_signal_emit_by_name (find_button (GTK_WIDGET (scene.window), "Details"), "clicked");
  test_until (has_dialog, NULL);
  g_assert_cmpstr (adw_message_dialog_get_body (made_up_find_dialog ()), ==, "The MLflow server does not answer: it is off");
  made_up_answer ("close");
  scene_clear (&scene);
  g_settings_reset (settings, "mlflow-at-end");
}

int
main (int argc, char **argv)
{
  static const char *const variables[] = { "MLFLOW_TRACKING_URI", "MLFLOW_EXPERIMENT_NAME", "MLFLOW_TRACKING_USERNAME",
                                           "MLFLOW_TRACKING_PASSWORD" };
  int status;
  for (guint i = 0; i < G_N_ELEMENTS (variables); i++)
    g_unsetenv (variables[i]);
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/mlflow-dialog/sent", test_sent);
  g_test_add_func ("/mlflow-dialog/failed", test_failed);
  g_test_add_func ("/mlflow-dialog/forgets", test_forgets);
  g_test_add_func ("/mlflow-dialog/at-end", test_at_end);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
