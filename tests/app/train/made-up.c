/* SPDX-License-Identifier: Apache-2.0 */
#include "made-up.h"

#include <glib/gstdio.h>
#include <signal.h>

#include "app-test.h"
#include "app/runs/run-private.h"
#include "run-fixture.h"

UrbariumRun *
made_up_run_in (const char *folder)
{
  /* Not urbarium_run_new(), which reads the folder and looks for a supervisor. */
  UrbariumRun *run = g_object_new (URBARIUM_TYPE_RUN, NULL);
  run->folder = g_strdup (folder);
  run->caught_up = TRUE;
  urbarium_run_set_state (run, URB_RUN_STOPPED, FALSE);
  urbarium_run_set_progress (run, 0, 1000, 0, 0);
  return run;
}

UrbariumRun *
made_up_run (const char *name)
{
  g_autofree char *folder = g_build_filename ("/nowhere", name, NULL);
  return made_up_run_in (folder);
}

void
made_up_run_rename (UrbariumRun *run, const char *name)
{
  urbarium_run_set_name (run, name);
}

void
made_up_run_stands (UrbariumRun *run, gboolean live, UrbRunState state)
{
  urbarium_run_set_live (run, live);
  urbarium_run_set_state (run, state, FALSE);
}

void
made_up_run_waits_for (UrbariumRun *run, const char *const *folders)
{
  urbarium_run_set_waits_for (run, g_strdupv ((char **) folders));
}

void
made_up_run_progress (UrbariumRun *run, gint64 step, double images_per_s)
{
  urbarium_run_set_progress (run, step, 1000, 16 * step, images_per_s);
}

static void
take (UrbariumRun *run, UrbRunRecord record)
{
  record.seq = run->last_seq + 1;
  record.time = 1700000000.0 + (double) record.seq;
  urbarium_run_apply (run, &record);
}

void
made_up_run_step (UrbariumRun *run, gint64 step)
{
  UrbRunRecord record = { .type = URB_RUN_RECORD_STEP, .step = step };
  record.metrics.images = 16 * step;
  record.metrics.seconds = 0.5;
  for (int i = 0; i < URB_N_METRICS; i++)
    record.metrics.values[i] = i == URB_METRIC_LOSS_D ? (double) -step : (double) step;
  take (run, record);
}

void
made_up_run_score (UrbariumRun *run, gint64 step, double score)
{
  UrbRunRecord record = { .type = URB_RUN_RECORD_SCORE, .step = step };
  record.scores.values[URB_SCORE_PLANS] = score;
  take (run, record);
}

void
made_up_run_event (UrbariumRun *run, const char *level, const char *code, const char *text,
                   gint64 step)
{
  take (run, (UrbRunRecord){ .type = URB_RUN_RECORD_EVENT, .step = step,
                               .texts = { level, code, text } });
}

void
made_up_run_event_about (UrbariumRun *run, const char *code, const char *text, const char *subject)
{
  take (run, (UrbRunRecord){ .type = URB_RUN_RECORD_EVENT, .texts = { "info", code, text, subject } });
}

void
made_up_run_scored (UrbariumRun *run, gint64 step, double score, gboolean is_best, const char *text)
{
  take (run, (UrbRunRecord){ .type = URB_RUN_RECORD_EVENT, .step = step + 100, .texts = { "info", "score", text },
                               .scores = { .step = step, .values = { [URB_SCORE_PLANS] = score } }, .is_best = is_best });
}

void
made_up_run_checkpoint (UrbariumRun *run, gint64 step, gint64 n_bytes)
{
  UrbRunRecord record = { .type = URB_RUN_RECORD_CHECKPOINT, .step = step,
                            .texts = { "checkpoint" }, .n_bytes = n_bytes, .kept = TRUE };
  take (run, record);
}

void
made_up_run_sample (UrbariumRun *run, gint64 step, const char *path)
{
  take (run, (UrbRunRecord){ .type = URB_RUN_RECORD_SAMPLE, .step = step,
                               .texts = { path } });
}

static gboolean
has_loaded (gpointer library)
{
  guint n = g_list_model_get_n_items (library);
  gboolean loading;
  g_object_get (library, "loading", &loading, NULL);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr(UrbariumRun) run = g_list_model_get_item (library, i);
      loading |= !run->has_state;
    }
  return !loading;
}

UrbariumRunLibrary *
made_up_library (const char *folder, const char *const *names)
{
  g_autofree char *path = run_fixture_path (folder);
  UrbariumRunLibrary *library;
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *inner = g_build_filename (path, names[i], NULL);
      g_autofree char *config = g_build_filename (inner, "run.ini", NULL);
      g_assert_cmpint (g_mkdir_with_parents (inner, 0700), ==, 0);
      g_assert_true (g_file_set_contents (config, "", -1, NULL));
    }
  library = urbarium_run_library_new (path);
  test_until (has_loaded, library);
  return library;
}

void
made_up_engine (const char *script)
{
  g_autofree char *path = run_fixture_path ("engine");
  g_autofree char *log = run_fixture_path ("engine-log");
  g_autofree char *text = g_strdup_printf ("#!/bin/sh\nLOG='%s'\n%s\n", log, script);
  g_assert_true (g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0700,
                                           NULL));
  g_remove (log);
  if (g_strcmp0 (g_getenv ("URBARIUM_ENGINE"), path) != 0)
    g_setenv ("URBARIUM_ENGINE", path, TRUE);
}

char *
made_up_engine_log (void)
{
  g_autofree char *log = run_fixture_path ("engine-log");
  char *text = NULL;
  return g_file_get_contents (log, &text, NULL, NULL) ? text : g_strdup ("");
}

static pid_t
get_engine_pid (void)
{
  g_autofree char *log = made_up_engine_log ();
  return (pid_t) g_ascii_strtoll (log, NULL, 10);
}

gboolean
made_up_engine_runs (gpointer unused)
{
  pid_t pid = get_engine_pid ();
  return pid > 0 && kill (pid, 0) == 0;
}

gboolean
made_up_engine_ended (gpointer unused)
{
  return get_engine_pid () > 0 && !made_up_engine_runs (NULL);
}

gpointer
made_up_part (GtkWidget *widget, const char *name)
{
  GObject *object = gtk_widget_get_template_child (widget, G_OBJECT_TYPE (widget), name);
  g_assert_nonnull (object);
  return object;
}

GtkWidget *
made_up_find_text (GtkWidget *root, const char *text)
{
  if (!gtk_widget_get_child_visible (root) || !gtk_widget_get_visible (root))
    return NULL;
  if (GTK_IS_LABEL (root) && g_str_equal (gtk_label_get_text (GTK_LABEL (root)), text))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = made_up_find_text (child, text);
      if (found != NULL)
        return found;
    }
  return NULL;
}

GtkWidget *
made_up_find_named (GtkWidget *root, const char *name)
{
  GtkWidget *found = NULL;
  if (g_strcmp0 (gtk_widget_get_name (root), name) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = made_up_find_named (child, name);
  return found;
}

guint
made_up_count_children (GtkWidget *widget)
{
  guint n = 0;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n++;
  return n;
}

AdwMessageDialog *
made_up_find_dialog (void)
{
  GListModel *windows = gtk_window_get_toplevels ();
  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr(GtkWindow) window = g_list_model_get_item (windows, i);
      if (ADW_IS_MESSAGE_DIALOG (window) && gtk_widget_get_visible (GTK_WIDGET (window)))
        return ADW_MESSAGE_DIALOG (window);
    }
  return NULL;
}

void
made_up_answer (const char *response)
{
  AdwMessageDialog *dialog = made_up_find_dialog ();
  g_assert_nonnull (dialog);
  adw_message_dialog_response (dialog, response);
  gtk_window_destroy (GTK_WINDOW (dialog));
}
