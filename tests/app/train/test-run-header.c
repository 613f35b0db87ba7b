/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-run-header.c - a run's state and the actions available in it, with an engine that only logs
 * its arguments.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "app-test.h"
#include "app/runs/run-private.h"
#include "app/train/run-export.h"
#include "app/train/run-header.h"
#include "app/train/run-name.h"
#include "controllers.h"
#include "made-up.h"
#include "run-fixture.h"

typedef struct
{
  GtkWidget   *widget;
  UrbariumRun *run;
  GtkWindow   *window;
} Scene;

static void
scene_init (Scene *scene)
{
  *scene = (Scene){ .widget = g_object_new (URBARIUM_TYPE_RUN_HEADER, NULL),
                    .run = made_up_run ("Delft") };
  urbarium_run_header_set_run (URBARIUM_RUN_HEADER (scene->widget), scene->run, NULL);
  scene->window = test_window_new (scene->widget, 900, 200);
}

/* Returns: (transfer none): where toasts are shown */
static GtkWidget *
scene_init_for_toasts (Scene *scene, const char *name)
{
  GtkWidget *overlay = adw_toast_overlay_new ();
  *scene = (Scene){ .widget = g_object_new (URBARIUM_TYPE_RUN_HEADER, NULL), .run = made_up_run (name) };
  urbarium_run_header_set_run (URBARIUM_RUN_HEADER (scene->widget), scene->run, NULL);
  adw_toast_overlay_set_child (ADW_TOAST_OVERLAY (overlay), scene->widget);
  scene->window = test_window_new (overlay, 900, 200);
  return overlay;
}

/* Returns: (transfer none): where toasts are shown from now on: none yet */
static GtkWidget *
scene_renew_toasts (Scene *scene)
{
  GtkWidget *overlay = adw_toast_overlay_new ();
  g_object_ref (scene->widget);
  adw_toast_overlay_set_child (ADW_TOAST_OVERLAY (gtk_widget_get_ancestor (scene->widget, ADW_TYPE_TOAST_OVERLAY)), NULL);
  adw_toast_overlay_set_child (ADW_TOAST_OVERLAY (overlay), scene->widget);
  adw_window_set_content (ADW_WINDOW (scene->window), overlay);
  g_object_unref (scene->widget);
  return overlay;
}

static void
scene_clear (Scene *scene)
{
  test_window_destroy (scene->window);
  run_until_gone (scene->run);
}

static gpointer
part (Scene *scene, const char *name)
{
  return made_up_part (scene->widget, name);
}

static const char *
text_of (Scene *scene, const char *label)
{
  return gtk_label_get_text (part (scene, label));
}

static GtkWidget *
name_part (Scene *scene, const char *name)
{
  return made_up_part (test_find (scene->widget, URBARIUM_TYPE_RUN_NAME), name);
}

/* Letters of the visible buttons (pause, resume, stop, extend, write); capitals if sensitive. */
static char *
dup_buttons (Scene *scene)
{
  static const char *const names[]
    = { "pause_button", "resume_button", "stop_button", "extend_button", "write_box" };
  g_autoptr(GString) text = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      GtkWidget *button = part (scene, names[i]);
      GtkWidget *first = i == 4 ? gtk_widget_get_first_child (button) : button;
      if (gtk_widget_get_visible (button))
        g_string_append_c (text, gtk_widget_is_sensitive (first) ? g_ascii_toupper (*names[i])
                                                                 : *names[i]);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
test_buttons (void)
{
  static const struct
  {
    gboolean    live;
    UrbRunState state;
    const char *buttons;
  } cases[] = {
    { TRUE, URB_RUN_STARTING, "PSw" }, { TRUE, URB_RUN_RUNNING, "PSW" },
    { TRUE, URB_RUN_PAUSING, "psw" },  { TRUE, URB_RUN_PAUSED, "RSw" },
    { TRUE, URB_RUN_STOPPING, "psw" }, { FALSE, URB_RUN_STOPPED, "R" },
    { TRUE, URB_RUN_QUEUED, "RS" },    { FALSE, URB_RUN_FINISHED, "E" },
    { FALSE, URB_RUN_FAILED, "R" },
  };
  Scene scene;
  scene_init (&scene);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *buttons = NULL;
      made_up_run_stands (scene.run, cases[i].live, cases[i].state);
      buttons = dup_buttons (&scene);
      g_test_message ("%s", urb_run_state_name (cases[i].state));
      g_assert_cmpstr (buttons, ==, cases[i].buttons);
    }
  scene_clear (&scene);
}

/* Why the run failed, and what to do, is below its state; a run without a folder can only be removed. */
static void
test_trouble (void)
{
  Scene scene;
  g_autofree char *full = NULL, *gone = NULL;
  scene_init (&scene);
  made_up_run_stands (scene.run, FALSE, URB_RUN_FAILED);
  g_assert_false (gtk_widget_get_visible (part (&scene, "trouble")));
  urbarium_run_set_trouble (scene.run, g_error_new_literal (G_FILE_ERROR, G_FILE_ERROR_NOSPC, "It is full."), FALSE);
  g_assert_true (gtk_widget_get_visible (part (&scene, "trouble")));
  g_assert_cmpstr (text_of (&scene, "trouble_label"), ==, "It is full.");
  g_assert_true (g_str_has_prefix (text_of (&scene, "state_label"), "Disk full"));
  made_up_run_stands (scene.run, FALSE, URB_RUN_STOPPED); /* its supervisor could not say so */
  g_assert_true (gtk_widget_has_css_class (part (&scene, "dot"), "failed"));
  full = dup_buttons (&scene);
  g_assert_cmpstr (full, ==, "R");
  test_frames (scene.window, 3);
  test_screenshot (scene.window, "run-header-trouble");
  urbarium_run_set_trouble (scene.run, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "It is gone."), TRUE);
  g_assert_cmpstr (text_of (&scene, "trouble_label"), ==, "It is gone.");
  gone = dup_buttons (&scene);
  g_assert_cmpstr (gone, ==, "");
  urbarium_run_set_trouble (scene.run, NULL, FALSE);
  g_assert_false (gtk_widget_get_visible (part (&scene, "trouble")));
  scene_clear (&scene);
}

/* A queued run is started and dequeued rather than resumed and stopped. */
static void
test_queued (void)
{
  Scene scene;
  scene_init (&scene);
  made_up_run_stands (scene.run, TRUE, URB_RUN_QUEUED);
  g_assert_cmpstr (adw_button_content_get_label (part (&scene, "resume_content")), ==,
                   "_Start now");
  g_assert_cmpstr (adw_button_content_get_label (part (&scene, "stop_content")), ==, "_Dequeue");
  made_up_run_stands (scene.run, FALSE, URB_RUN_STOPPED);
  g_assert_cmpstr (adw_button_content_get_label (part (&scene, "resume_content")), ==, "_Resume");
  g_assert_cmpstr (adw_button_content_get_label (part (&scene, "stop_content")), ==, "_Stop");
  scene_clear (&scene);
}

static gboolean
has_dialog (gpointer data)
{
  return made_up_find_dialog () != NULL;
}

static gboolean
is_idle (gpointer scene)
{
  return !gtk_widget_get_visible (part (scene, "busy_spinner"));
}

/* A run that waits can change places with another one. */
static void
test_moved (void)
{
  UrbariumRunLibrary *library = made_up_library ("moved", (const char *[]){ "a", "b", NULL });
  UrbariumRun *first = g_list_model_get_item (G_LIST_MODEL (library), 0);
  UrbariumRun *second = g_list_model_get_item (G_LIST_MODEL (library), 1);
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_RUN_HEADER, NULL);
  Scene scene = { .widget = widget, .run = second };
  GtkWidget *earlier, *later;
  g_autofree char *log = NULL, *wanted = NULL;
  urbarium_run_header_set_run (URBARIUM_RUN_HEADER (widget), second, library);
  scene.window = test_window_new (widget, 900, 200);
  earlier = gtk_widget_get_first_child (part (&scene, "move_box"));
  later = gtk_widget_get_next_sibling (earlier);
  g_assert_false (gtk_widget_get_visible (part (&scene, "move_box")));
  made_up_run_stands (first, TRUE, URB_RUN_QUEUED);
  made_up_run_stands (second, TRUE, URB_RUN_QUEUED);
  g_assert_false (gtk_widget_get_visible (part (&scene, "move_box"))); /* they begin together */
  made_up_run_waits_for (second, (const char *[]){ urbarium_run_get_folder (first), NULL });
  g_assert_true (gtk_widget_get_visible (part (&scene, "move_box")));
  g_assert_true (gtk_widget_is_sensitive (earlier));
  g_assert_false (gtk_widget_is_sensitive (later));
  test_frames (scene.window, 3);
  test_screenshot (scene.window, "run-header-queued");
  made_up_engine ("echo \"$@\" >> \"$LOG\"");
  g_signal_emit_by_name (earlier, "clicked");
  g_assert_cmpstr (text_of (&scene, "busy_label"), ==, "Changing the order…");
  g_assert_false (gtk_widget_is_sensitive (earlier));
  test_until (is_idle, &scene);
  g_assert_true (gtk_widget_is_sensitive (earlier));
  log = made_up_engine_log ();
  wanted = g_strdup_printf ("queue --quiet --earlier %s %s\n", urbarium_run_get_folder (second),
                            urbarium_run_library_get_folder (library));
  g_assert_cmpstr (log, ==, wanted);

  made_up_engine ("echo 'It has begun.' >&2; exit 1");
  g_assert_true (test_shortcut (widget, "<Alt>Up"));
  test_until (has_dialog, NULL);
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==, "The order of the queue cannot be changed");
  made_up_answer ("close");
  test_window_destroy (scene.window);
  g_object_unref (first);
  run_until_gone (library);
  run_until_gone (second);
}

static gboolean
has_left (gpointer scene)
{
  return *text_of (scene, "left_label") != '\0';
}

/* State and commands at once; values that change with every step shortly after. */
static void
test_summary (void)
{
  Scene scene;
  scene_init (&scene);
  g_assert_cmpstr (text_of (&scene, "state_label"), ==, "Stopped · Step 0 of 1\u202f000");
  g_assert_true (gtk_widget_has_css_class (part (&scene, "dot"), "stopped"));
  made_up_run_stands (scene.run, TRUE, URB_RUN_RUNNING);
  g_assert_cmpstr (text_of (&scene, "state_label"), ==, "Training · Step 0 of 1\u202f000");
  g_assert_true (gtk_widget_has_css_class (part (&scene, "dot"), "working"));
  made_up_run_progress (scene.run, 250, 40);
  g_assert_false (has_left (&scene));
  test_until (has_left, &scene);
  g_assert_cmpstr (text_of (&scene, "state_label"), ==,
                   "Training · Step 250 of 1\u202f000 · 40 images/s");
  g_assert_cmpstr (text_of (&scene, "left_label"), ==, "5 min left");
  g_assert_cmpfloat (gtk_progress_bar_get_fraction (part (&scene, "progress")), ==, 0.25);

  urbarium_run_set_busy (scene.run, URBARIUM_VERB_CHECKPOINT);
  g_assert_cmpstr (text_of (&scene, "busy_label"), ==, "Saving a checkpoint…");
  g_assert_true (gtk_widget_get_visible (part (&scene, "busy_spinner")));
  urbarium_run_set_busy (scene.run, URBARIUM_VERB_IDLE);
  g_assert_cmpstr (text_of (&scene, "busy_label"), ==, "");
  g_assert_false (gtk_widget_get_visible (part (&scene, "busy_spinner")));
  made_up_run_progress (scene.run, 260, 40); /* the window closes before the update */
  scene_clear (&scene);
}

/* The strategy, unless it is the default. */
static void
test_strategy (void)
{
  Scene scene;
  g_auto(UrbRunConfig) config = { 0 };
  scene_init (&scene);
  urb_run_config_init (&config);
  config.train.n_steps = 1000;
  urbarium_run_set_config (scene.run, &config);
  made_up_run_stands (scene.run, TRUE, URB_RUN_RUNNING);
  g_assert_cmpstr (text_of (&scene, "state_label"), ==, "Training · Step 0 of 1\u202f000");
  config.train.strategy = URB_STRATEGY_HOGWILD;
  config.train.n_ranks = 2;
  urbarium_run_set_config (scene.run, &config);
  made_up_run_stands (scene.run, TRUE, URB_RUN_PAUSED);
  g_assert_cmpstr (text_of (&scene, "state_label"), ==,
                   "Paused · Step 0 of 1\u202f000 · Hogwild, 2 processes");
  scene_clear (&scene);
}

static gboolean
has_note (gpointer scene)
{
  return gtk_widget_get_visible (part (scene, "note_label"));
}

static gboolean
has_no_note (gpointer scene)
{
  return !has_note (scene);
}

/* With the keyboard; an error is shown if renaming fails. */
static void
test_rename (void)
{
  Scene scene;
  UrbariumRunName *name;
  scene_init (&scene);
  name = URBARIUM_RUN_NAME (test_find (scene.widget, URBARIUM_TYPE_RUN_NAME));
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (name_part (&scene, "label"))), ==, "Delft");
  made_up_run_rename (scene.run, "Rotterdam");
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (name_part (&scene, "label"))), ==, "Rotterdam");

  gtk_widget_activate_action (scene.widget, "run.rename", NULL);
  g_assert_true (urbarium_run_name_get_editing (name));
  urbarium_run_header_set_run (URBARIUM_RUN_HEADER (scene.widget), scene.run, NULL);
  g_assert_false (urbarium_run_name_get_editing (name)); /* the edit belonged to the other run */

  gtk_widget_activate_action (scene.widget, "run.rename", NULL);
  gtk_editable_set_text (GTK_EDITABLE (name_part (&scene, "entry")), "Leiden");
  g_signal_emit_by_name (name_part (&scene, "entry"), "activate");
  g_assert_cmpstr (text_of (&scene, "busy_label"), ==, "Renaming…");
  test_until (has_dialog, NULL); /* the folder does not exist */
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==,
                   "The run cannot be renamed");
  made_up_answer ("close");
  g_assert_cmpstr (text_of (&scene, "busy_label"), ==, "");
  scene_clear (&scene);
}

static GtkWidget *
note_entry (void)
{
  return gtk_widget_get_first_child (adw_message_dialog_get_extra_child (made_up_find_dialog ()));
}

/* Shown under the name, and changed in a dialog, which accepts one line. */
static void
test_note (void)
{
  Scene scene;
  scene_init (&scene);
  g_assert_false (gtk_widget_get_visible (part (&scene, "note_label")));
  urbarium_run_set_note (scene.run, "wider roads #alps");
  test_frames (scene.window, 2);
  test_until (has_note, &scene);
  g_assert_cmpstr (text_of (&scene, "note_label"), ==, "wider roads #alps");
  urbarium_run_set_note (scene.run, NULL); /* not told */
  test_frames (scene.window, 2);
  g_assert_cmpstr (text_of (&scene, "note_label"), ==, "wider roads #alps");

  gtk_widget_activate_action (scene.widget, "run.note", NULL);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (note_entry ())), ==, "wider roads #alps");
  test_frames (GTK_WINDOW (made_up_find_dialog ()), 2);
  test_screenshot (GTK_WINDOW (made_up_find_dialog ()), "note");
  gtk_editable_set_text (GTK_EDITABLE (note_entry ()), "a\tb");
  g_assert_false (adw_message_dialog_get_response_enabled (made_up_find_dialog (), "set"));
  g_assert_true (gtk_widget_get_visible (gtk_widget_get_next_sibling (note_entry ())));
  gtk_editable_set_text (GTK_EDITABLE (note_entry ()), "  narrower  ");
  g_assert_true (adw_message_dialog_get_response_enabled (made_up_find_dialog (), "set"));
  g_assert_false (gtk_widget_get_visible (gtk_widget_get_next_sibling (note_entry ())));
  made_up_answer ("set");
  g_assert_cmpstr (text_of (&scene, "busy_label"), ==, "Changing the note…");
  test_until (has_dialog, NULL); /* the folder does not exist */
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==, "The note of the run cannot be changed");
  made_up_answer ("close");
  urbarium_run_set_note (scene.run, ""); /* none */
  test_until (has_no_note, &scene);
  scene_clear (&scene);
}

static void
test_resume (void)
{
  Scene scene;
  g_autofree char *log = NULL;
  scene_init (&scene);
  made_up_engine ("echo \"$@\" >> \"$LOG\"");
  g_signal_emit_by_name (part (&scene, "resume_button"), "clicked");
  g_assert_cmpstr (text_of (&scene, "busy_label"), ==, "Resuming…");
  test_until (is_idle, &scene);
  log = made_up_engine_log ();
  g_assert_cmpstr (log, ==, "resume --detach /nowhere/Delft\n");

  made_up_engine ("echo 'urbarium-engine: The disk is full.' >&2; exit 1");
  gtk_widget_activate_action (scene.widget, "run.resume", NULL);
  test_until (has_dialog, NULL);
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==,
                   "The run cannot be resumed");
  g_assert_cmpstr (adw_message_dialog_get_body (made_up_find_dialog ()), ==, "The disk is full.");
  made_up_answer ("close");
  scene_clear (&scene);
}

/* A run that cannot be resumed on its GPU can be resumed on the CPU. */
static void
test_resume_on_processor (void)
{
  Scene scene;
  g_auto(UrbRunConfig) config = { 0 };
  g_autofree char *log = NULL;
  scene_init (&scene);
  urb_run_config_init (&config);
  g_free (config.train.backend);
  config.train.backend = g_strdup ("cuda:1");
  urbarium_run_set_config (scene.run, &config);
  made_up_engine ("echo \"$@\" >> \"$LOG\"; echo 'There is no <GPU>.' >&2; exit 1");
  gtk_widget_activate_action (scene.widget, "run.resume", NULL);
  test_until (has_dialog, NULL);
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==,
                   "The run cannot be resumed");
  g_assert_true (g_str_has_prefix (adw_message_dialog_get_body (made_up_find_dialog ()),
                                   "There is no <GPU>.\n\nThe run can continue on"));
  test_frames (GTK_WINDOW (made_up_find_dialog ()), 2);
  test_screenshot (GTK_WINDOW (made_up_find_dialog ()), "resume-on-processor");
  made_up_answer ("yes");
  g_assert_cmpstr (text_of (&scene, "busy_label"), ==, "Resuming…");
  test_until (has_dialog, NULL); /* fails there too: no further alternative */
  g_assert_cmpstr (adw_message_dialog_get_body (made_up_find_dialog ()), ==, "There is no <GPU>.");
  made_up_answer ("close");
  log = made_up_engine_log ();
  g_assert_cmpstr (log, ==, "resume --detach /nowhere/Delft\n"
                            "resume --detach --device cpu --precision fp32 /nowhere/Delft\n");
  scene_clear (&scene);
}

/* The engine's message for a terminal names an option that the window does not have. */
static void
test_gpu_is_gone (void)
{
  static const char *const starts[] = { "The GPU of this run is missing",
                                        "The run needs more memory than is free" };
  static const int codes[] = { URB_TRAIN_ERROR_NO_DEVICE, URB_TRAIN_ERROR_MEMORY };
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      Scene scene;
      const char *body;
      g_autofree char *script = g_strdup_printf (
        "echo '{\"error\":{\"domain\":\"urb-train-error-quark\",\"code\":%d,\"text\":\"x\"}}' >&2; "
        "echo 'urbarium-engine resume: Choose --device cpu.' >&2; exit 4", codes[i]);
      scene_init (&scene);
      made_up_engine (script);
      gtk_widget_activate_action (scene.widget, "run.resume", NULL);
      test_until (has_dialog, NULL);
      body = adw_message_dialog_get_body (made_up_find_dialog ());
      g_assert_true (g_str_has_prefix (body, starts[i]));
      g_assert_null (strstr (body, "--"));
      test_frames (GTK_WINDOW (made_up_find_dialog ()), 2);
      test_screenshot (GTK_WINDOW (made_up_find_dialog ()), i == 0 ? "gpu-is-gone" : "no-memory");
      made_up_answer ("close");
      scene_clear (&scene);
    }
}

static void
test_extend (void)
{
  Scene scene;
  GtkSpinButton *spin;
  g_autofree char *log = NULL;
  scene_init (&scene);
  made_up_engine ("echo \"$@\" >> \"$LOG\"");
  made_up_run_progress (scene.run, 1000, 0);
  made_up_run_stands (scene.run, FALSE, URB_RUN_FINISHED);
  g_signal_emit_by_name (part (&scene, "extend_button"), "clicked");
  made_up_answer ("cancel");
  g_assert_true (is_idle (&scene));
  gtk_widget_activate_action (scene.widget, "run.extend", NULL);
  spin = GTK_SPIN_BUTTON (adw_message_dialog_get_extra_child (made_up_find_dialog ()));
  g_assert_cmpfloat (gtk_spin_button_get_value (spin), ==, 1500);
  gtk_spin_button_set_value (spin, 3); /* fewer than exist */
  g_assert_cmpfloat (gtk_spin_button_get_value (spin), ==, 1001);
  gtk_editable_set_text (GTK_EDITABLE (spin), "2000"); /* and the button immediately after */
  made_up_answer ("yes");
  test_until (is_idle, &scene);
  log = made_up_engine_log ();
  g_assert_cmpstr (log, ==, "resume --detach --steps 2000 /nowhere/Delft\n");
  scene_clear (&scene);
}

static gboolean
is_empty (gpointer library)
{
  return g_list_model_get_n_items (library) == 0;
}

/* A browser that notes what it shows. */
static void
set_browser (const char *log)
{
  g_autofree char *path = run_fixture_path ("browser");
  g_autofree char *script = g_strdup_printf ("#!/bin/sh\necho \"$1\" >> '%s'\n", log);
  g_autoptr(GError) error = NULL;
  g_autoptr(GAppInfo) browser = NULL;
  g_assert_true (g_file_set_contents_full (path, script, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0700, &error));
  browser = g_app_info_create_from_commandline (path, "browser", G_APP_INFO_CREATE_SUPPORTS_URIS, &error);
  g_assert_true (g_app_info_set_as_default_for_type (browser, "text/html", &error));
  g_assert_true (g_app_info_set_as_default_for_type (browser, "application/octet-stream", &error)); /* without a list of types */
  g_assert_true (g_app_info_set_as_default_for_type (browser, "x-scheme-handler/http", &error));
  g_assert_no_error (error);
}

static gboolean
has_line (gpointer path)
{
  g_autofree char *text = NULL;
  return g_file_get_contents (path, &text, NULL, NULL) && strchr (text, '\n') != NULL;
}

static gboolean
shows_text (gpointer data)
{
  const gpointer *pair = data;
  return made_up_find_text (pair[0], pair[1]) != NULL;
}

/* The engine writes the page where the user says, and the browser shows it; tables and archives are only written. */
static void
test_report (void)
{
  static const struct
  {
    const char *action, *command, *name;
  } others[] = {
    { "run.export-figures", "figures", "Delft – Süd.csv" },
    { "run.report-problem", "debug-report", "Delft – Süd.tar.gz" },
  };
  Scene scene;
  GtkWidget *overlay = scene_init_for_toasts (&scene, "Delft – Süd");
  g_autofree char *folder = run_fixture_path ("reports"), *page = g_build_filename (folder, "Delft – Süd.html", NULL);
  g_autofree char *shown = run_fixture_path ("shown"), *expected = NULL, *log = NULL, *saw = NULL;
  g_autoptr(GFile) file = NULL;
  gpointer toast[] = { overlay, "“Delft – Süd.html” saved" };
  g_mkdir (folder, 0700);
  set_browser (shown);

  made_up_engine ("echo \"$@\" >> \"$LOG\"; echo '<!DOCTYPE html>' > \"$3\"");
  test_file_chooser_begin ();
  gtk_widget_activate_action (scene.widget, "run.report", NULL);
  test_file_chooser_save (scene.window, folder);
  test_until (has_line, shown);
  test_file_chooser_end ();
  test_until (shows_text, toast);
  log = made_up_engine_log ();
  expected = g_strdup_printf ("report --output %s --force --translated /nowhere/Delft – Süd\n", page);
  g_assert_cmpstr (log, ==, expected);
  g_assert_true (g_file_get_contents (shown, &saw, NULL, NULL));
  file = g_file_new_for_commandline_arg (g_strstrip (saw)); /* a path or an address */
  g_assert_cmpstr (g_file_peek_path (file), ==, page);

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *path = g_build_filename (folder, others[i].name, NULL);
      g_autofree char *args = g_strdup_printf ("%s --output %s --force /nowhere/Delft – Süd\n", others[i].command, path), *was = NULL;
      made_up_engine ("echo \"$@\" >> \"$LOG\"; echo saved > \"$3\"");
      test_file_chooser_begin ();
      gtk_widget_activate_action (scene.widget, others[i].action, NULL);
      test_file_chooser_save (scene.window, folder);
      test_until (has_line, path); /* its toast would wait for the end of the one before */
      test_file_chooser_end ();
      was = made_up_engine_log ();
      g_assert_cmpstr (was, ==, args);
    }

  made_up_engine ("echo 'urbarium-engine report: The run is damaged.' >&2; exit 3");
  urbarium_run_export_save (scene.widget, scene.run, URBARIUM_RUN_EXPORT_REPORT, page);
  test_until (has_dialog, NULL);
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==, "The report cannot be made");
  g_assert_cmpstr (adw_message_dialog_get_body (made_up_find_dialog ()), ==, "The run is damaged.");
  made_up_answer ("close");
  scene_clear (&scene);
}

static GtkEditable *
get_field (const char *title)
{
  GtkWidget *label = made_up_find_text (GTK_WIDGET (made_up_find_dialog ()), title);
  g_assert_nonnull (label);
  return GTK_EDITABLE (gtk_widget_get_ancestor (label, ADW_TYPE_ENTRY_ROW));
}

/* @problem: (nullable): the sentence that is shown; NULL: none, and they can be kept */
static void
assert_price (const char *price, const char *currency, const char *problem)
{
  GtkWidget *label = NULL;
  gtk_editable_set_text (get_field ("Price of a kilowatt-hour"), price);
  gtk_editable_set_text (get_field ("Currency"), currency);
  g_assert_cmpint (adw_message_dialog_get_response_enabled (made_up_find_dialog (), "save"), ==, problem == NULL);
  if (problem == NULL)
    return;
  label = made_up_find_text (GTK_WIDGET (made_up_find_dialog ()), problem);
  g_assert_nonnull (label);
  g_assert_true (gtk_widget_get_visible (label));
}

static void
take (UrbariumRun *run, UrbRunRecord record)
{
  record.seq = run->last_seq + 1;
  urbarium_run_apply (run, &record);
}

static void
take_gpu (UrbariumRun *run, double power_w)
{
  take (run, (UrbRunRecord){ .type = URB_RUN_RECORD_GPU, .load = { .power_w = power_w }, .texts = { "Fast", "0000:17:00.0" } });
}

/* Whether the energy of a run is known stays known: of one that has ended, and of one read from its history. */
static void
test_energy (void)
{
  UrbariumRun *run = made_up_run ("Delft"), *old = made_up_run ("Old");
  made_up_run_stands (run, TRUE, URB_RUN_RUNNING);
  take_gpu (run, NAN); /* its driver does not tell */
  g_assert_false (urbarium_run_knows_energy (run));
  take_gpu (run, 200);
  take_gpu (run, NAN);
  take (run, (UrbRunRecord){ .type = URB_RUN_RECORD_WORKER, .texts = { "ended", "" } });
  made_up_run_stands (run, FALSE, URB_RUN_FINISHED);
  g_assert_cmpuint (g_list_model_get_n_items (urbarium_run_get_gpus (run)), ==, 0);
  g_assert_true (urbarium_run_knows_energy (run));
  urbarium_run_reset (run);
  g_assert_false (urbarium_run_knows_energy (run));
  take_gpu (old, 200);
  g_assert_true (urbarium_run_knows_energy (old));
  urbarium_run_reset (old);
  take (old, (UrbRunRecord){ .type = URB_RUN_RECORD_ENERGY, .joules = 12, .seconds = 5 });
  g_assert_true (urbarium_run_knows_energy (old));
  run_until_gone (run);
  run_until_gone (old);
}

/* Before the report of a run whose GPUs told their power, the price of energy is asked, and kept. */
static void
test_price (void)
{
  g_autofree char *folder = run_fixture_path ("priced"), *page = g_build_filename (folder, "Delft – Süd.html", NULL);
  g_autofree char *shown = run_fixture_path ("shown-priced"), *expected = NULL, *log = NULL;
  Scene scene;
  scene_init_for_toasts (&scene, "Delft – Süd");
  g_mkdir (folder, 0700);
  set_browser (shown);
  made_up_run_stands (scene.run, TRUE, URB_RUN_RUNNING);
  take_gpu (scene.run, 200);
  take (scene.run, (UrbRunRecord){ .type = URB_RUN_RECORD_WORKER, .texts = { "ended", "" } });
  made_up_run_stands (scene.run, FALSE, URB_RUN_FINISHED);
  made_up_engine ("echo \"$@\" >> \"$LOG\"; echo '<!DOCTYPE html>' > \"$3\"");
  gtk_widget_activate_action (scene.widget, "run.report", NULL);
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==, "Cost of energy");
  assert_price ("", "", NULL);
  assert_price ("cheap", "CHF", "The price has to be a number above 0, such as 0.30.");
  assert_price ("-1", "CHF", "The price has to be a number above 0, such as 0.30.");
  test_frames (GTK_WINDOW (made_up_find_dialog ()), 2);
  test_screenshot (GTK_WINDOW (made_up_find_dialog ()), "price-wrong");
  assert_price ("0.3", "Swiss francs", "The currency has to be one short word, such as CHF or €.");
  assert_price (" 0.3 ", "CHF", NULL);
  g_assert_null (made_up_find_text (GTK_WIDGET (made_up_find_dialog ()), "The currency has to be one short word, such as CHF or €."));
  test_frames (GTK_WINDOW (made_up_find_dialog ()), 2);
  test_screenshot (GTK_WINDOW (made_up_find_dialog ()), "price");
  test_file_chooser_begin ();
  made_up_answer ("save");
  test_file_chooser_save (scene.window, folder);
  test_until (has_line, shown);
  test_file_chooser_end ();
  log = made_up_engine_log ();
  expected = g_strdup_printf ("report --output %s --force --translated --price-kwh 0.3 --currency CHF %s\n", page,
                              urbarium_run_get_folder (scene.run));
  g_assert_cmpstr (log, ==, expected);
  gtk_widget_activate_action (scene.widget, "run.report", NULL);
  g_assert_cmpstr (gtk_editable_get_text (get_field ("Price of a kilowatt-hour")), ==, "0.3");
  g_assert_cmpstr (gtk_editable_get_text (get_field ("Currency")), ==, "CHF");
  made_up_answer ("cancel");
  scene_clear (&scene);
}

static void
test_delete (void)
{
  UrbariumRunLibrary *library = made_up_library ("library", (const char *[]){ "a", NULL });
  g_autoptr(UrbariumRun) run = g_list_model_get_item (G_LIST_MODEL (library), 0);
  g_autofree char *path = g_strdup (urbarium_run_get_folder (run));
  Scene scene;
  scene_init (&scene);
  gtk_widget_activate_action (scene.widget, "run.delete", NULL); /* not in a library */
  g_assert_null (made_up_find_dialog ());
  urbarium_run_header_set_run (URBARIUM_RUN_HEADER (scene.widget), run, library);
  gtk_widget_activate_action (scene.widget, "run.delete", NULL);
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==, "Delete “a”?");
  g_assert_cmpstr (adw_message_dialog_get_default_response (made_up_find_dialog ()), ==, "cancel");
  made_up_answer ("cancel");
  g_assert_false (is_empty (library));
  gtk_widget_activate_action (scene.widget, "run.delete", NULL);
  made_up_answer ("yes");
  test_until (is_empty, library);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  urbarium_run_header_set_run (URBARIUM_RUN_HEADER (scene.widget), NULL, library);
  g_clear_object (&run);
  scene_clear (&scene);
  run_until_gone (library);
}

/* A program of this name, before all others.  @script: (nullable): NULL: none
 * Returns: (transfer full): PATH as it was before */
static char *
set_tensorboard (const char *script)
{
  char *before = g_strdup (g_getenv ("PATH"));
  g_autofree char *bin = run_fixture_path ("bin"), *path = g_build_filename (bin, "tensorboard", NULL);
  g_autofree char *all = script != NULL ? g_strconcat (bin, ":", before, NULL) : g_strdup (bin);
  g_mkdir (bin, 0700);
  g_remove (path);
  if (script != NULL)
    g_assert_true (g_file_set_contents_full (path, script, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0700, NULL));
  g_setenv ("PATH", all, TRUE);
  return before;
}

static void
assert_tensorboard_fails (Scene *scene, const char *title, const char *why)
{
  gtk_widget_activate_action (scene->widget, "run.tensorboard", NULL);
  test_until (has_dialog, NULL);
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==, title);
  g_assert_nonnull (strstr (adw_message_dialog_get_body (made_up_find_dialog ()), why));
  made_up_answer ("close");
}

static gboolean
is_gone (gpointer pid)
{
  return kill (*(pid_t *) pid, 0) != 0;
}

/* It is asked for its address, which the browser shows, and ends with the run; without events, the program or an
 * address, the user learns what is missing. */
static void
test_tensorboard (void)
{
  g_autofree char *folder = run_fixture_path ("watched"), *events = g_build_filename (folder, "tensorboard", NULL);
  g_autofree char *shown = run_fixture_path ("shown-address"), *saw = NULL, *pid_text = NULL;
  g_autofree char *pid_path = g_build_filename (folder, "pid", NULL), *before = NULL, *script = NULL;
  gpointer toast[] = { NULL, "TensorBoard is starting…" };
  UrbariumRun *run;
  pid_t pid;
  Scene scene;
  scene_init_for_toasts (&scene, "Delft");
  g_mkdir (folder, 0700);
  run = made_up_run_in (folder);
  urbarium_run_header_set_run (URBARIUM_RUN_HEADER (scene.widget), run, NULL);
  set_browser (shown);
  assert_tensorboard_fails (&scene, "TensorBoard cannot be opened", "writes no events");
  g_mkdir (events, 0700);
  before = set_tensorboard (NULL);
  assert_tensorboard_fails (&scene, "TensorBoard cannot be opened", "not installed");
  g_setenv ("PATH", before, TRUE);
  g_free (set_tensorboard ("#!/bin/sh\necho No module named tensorboard >&2\nexit 1\n"));
  assert_tensorboard_fails (&scene, "TensorBoard did not start", "No module named tensorboard");
  g_setenv ("PATH", before, TRUE);
  script = g_strdup_printf ("#!/bin/sh\necho $$ > '%s'\necho 'NOTE: many words' >&2\nprintf '\\377\\n'\n"
                            "echo TensorBoard 2.0 at http://127.0.0.1:9$#/ '(Press CTRL+C to quit)' >&2\nexec sleep 1000\n",
                            pid_path);
  g_free (set_tensorboard (script));
  gtk_widget_activate_action (scene.widget, "run.tensorboard", NULL);
  toast[0] = scene_renew_toasts (&scene);
  gtk_widget_activate_action (scene.widget, "run.tensorboard", NULL); /* it starts already */
  test_until (shows_text, toast);
  test_until (has_line, shown);
  gtk_widget_activate_action (scene.widget, "run.tensorboard", NULL); /* the same once more */
  while (saw == NULL || strchr (saw, '\n') == strrchr (saw, '\n'))
    {
      g_clear_pointer (&saw, g_free);
      g_main_context_iteration (NULL, FALSE);
      g_file_get_contents (shown, &saw, NULL, NULL);
    }
  g_assert_cmpstr (saw, ==, "http://127.0.0.1:96/\nhttp://127.0.0.1:96/\n");
  g_assert_true (g_file_get_contents (pid_path, &pid_text, NULL, NULL));
  pid = atoi (pid_text);
  g_assert_false (is_gone (&pid));
  urbarium_run_header_set_run (URBARIUM_RUN_HEADER (scene.widget), NULL, NULL);
  run_until_gone (run);
  test_until (is_gone, &pid);
  g_setenv ("PATH", before, TRUE);
  scene_clear (&scene);
}

/* Returns: the end of a pipe of this process that is not in @known; -1: none; adds all to @known */
static int
find_new_pipe (GHashTable *known)
{
  g_autoptr(GDir) dir = g_dir_open ("/proc/self/fd", 0, NULL);
  const char *name;
  int found = -1;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc/self/fd", name, NULL), *to = g_file_read_link (path, NULL);
      if (to != NULL && g_str_has_prefix (to, "pipe:") && g_hash_table_add (known, g_steal_pointer (&to)))
        found = atoi (name);
    }
  return found;
}

/* An error that does not pass ends the reading: it is told, and the program is not left behind. */
static void
test_tensorboard_unreadable (void)
{
  g_autoptr(GHashTable) pipes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *folder = run_fixture_path ("unreadable"), *events = g_build_filename (folder, "tensorboard", NULL);
  g_autofree char *pid_path = g_build_filename (folder, "pid", NULL), *pid_text = NULL, *before = NULL, *script = NULL;
  int folder_fd = open ("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
  UrbariumRun *run;
  pid_t pid;
  Scene scene;
  scene_init_for_toasts (&scene, "Delft");
  g_mkdir (folder, 0700);
  g_mkdir (events, 0700);
  run = made_up_run_in (folder);
  urbarium_run_header_set_run (URBARIUM_RUN_HEADER (scene.widget), run, NULL);
  script = g_strdup_printf ("#!/bin/sh\necho $$ > '%s'\nexec sleep 1000\n", pid_path);
  before = set_tensorboard (script);
  find_new_pipe (pipes);
  gtk_widget_activate_action (scene.widget, "run.tensorboard", NULL);
  fd = find_new_pipe (pipes);
  g_assert_cmpint (fd, >=, 0);
  test_until (has_line, pid_path);
  g_assert_true (g_file_get_contents (pid_path, &pid_text, NULL, NULL));
  pid = atoi (pid_text);
  g_assert_cmpint (dup2 (folder_fd, fd), ==, fd); /* a folder cannot be read */
  test_until (has_dialog, NULL);
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==, "TensorBoard did not start");
  g_assert_nonnull (strstr (adw_message_dialog_get_body (made_up_find_dialog ()), g_strerror (EISDIR)));
  made_up_answer ("close");
  test_until (is_gone, &pid);
  g_setenv ("PATH", before, TRUE);
  close (folder_fd);
  urbarium_run_header_set_run (URBARIUM_RUN_HEADER (scene.widget), NULL, NULL);
  run_until_gone (run);
  scene_clear (&scene);
}

/* Without a run, actions do nothing. */
static void
test_none (void)
{
  static const char *const actions[]
    = { "run.pause", "run.resume", "run.stop", "run.checkpoint", "run.sample", "run.extend",
        "run.report", "run.export-figures", "run.report-problem", "run.tensorboard", "run.delete" };
  UrbariumRunLibrary *library = made_up_library ("none", (const char *[]){ NULL });
  Scene scene;
  scene_init (&scene);
  made_up_run_stands (scene.run, TRUE, URB_RUN_RUNNING);
  urbarium_run_header_set_run (URBARIUM_RUN_HEADER (scene.widget), NULL, library);
  g_assert_false (gtk_widget_is_sensitive (scene.widget));
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_activate_action (scene.widget, actions[i], NULL);
  g_assert_null (made_up_find_dialog ());
  made_up_run_stands (scene.run, FALSE, URB_RUN_FAILED); /* no longer observed */
  g_assert_true (g_str_has_prefix (text_of (&scene, "state_label"), "Training"));
  scene_clear (&scene);
  run_until_gone (library);
}

int
main (int argc, char **argv)
{
  int status;
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/run-header/buttons", test_buttons);
  g_test_add_func ("/run-header/queued", test_queued);
  g_test_add_func ("/run-header/moved", test_moved);
  g_test_add_func ("/run-header/trouble", test_trouble);
  g_test_add_func ("/run-header/summary", test_summary);
  g_test_add_func ("/run-header/strategy", test_strategy);
  g_test_add_func ("/run-header/rename", test_rename);
  g_test_add_func ("/run-header/note", test_note);
  g_test_add_func ("/run-header/resume", test_resume);
  g_test_add_func ("/run-header/resume-on-processor", test_resume_on_processor);
  g_test_add_func ("/run-header/gpu-is-gone", test_gpu_is_gone);
  g_test_add_func ("/run-header/extend", test_extend);
  g_test_add_func ("/run-header/report", test_report);
  g_test_add_func ("/run-header/energy", test_energy);
  g_test_add_func ("/run-header/price", test_price);
  g_test_add_func ("/run-header/tensorboard", test_tensorboard);
  g_test_add_func ("/run-header/tensorboard-unreadable", test_tensorboard_unreadable);
  g_test_add_func ("/run-header/delete", test_delete);
  g_test_add_func ("/run-header/none", test_none);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
