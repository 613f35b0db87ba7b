/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-event-list.c - newest first, in plain sentences, with a limited number of rows.
 */
#include <math.h>
#include <string.h>

#include "app-test.h"
#include "app/runs/run-private.h"
#include "app/train/event-list.h"
#include "made-up.h"
#include "run-fixture.h"

/* The text in the row at @index, newest first. */
static const char *
words_at (GtkWidget *widget, int index)
{
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (made_up_part (widget, "list"), index);
  g_assert_nonnull (row);
  return gtk_label_get_text (GTK_LABEL (test_find (GTK_WIDGET (row), GTK_TYPE_LABEL)));
}

static GtkWidget *
icon_at (GtkWidget *widget, int index)
{
  return test_find (GTK_WIDGET (gtk_list_box_get_row_at_index (made_up_part (widget, "list"),
                                                               index)),
                    GTK_TYPE_IMAGE);
}

static const char *
page_of (GtkWidget *widget)
{
  return gtk_stack_get_visible_child_name (made_up_part (widget, "stack"));
}

static void
test_empty (void)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_EVENT_LIST, NULL);
  GtkWindow *window = test_window_new (widget, 400, 300);
  UrbariumRun *run = made_up_run ("a");
  g_assert_nonnull (made_up_find_text (widget, "Nothing has happened yet"));
  urbarium_event_list_set_events (URBARIUM_EVENT_LIST (widget), urbarium_run_get_events (run), NULL);
  g_assert_cmpstr (page_of (widget), ==, "empty");
  made_up_run_event (run, "info", "state", "finished", 1000);
  g_assert_cmpstr (page_of (widget), ==, "events");
  urbarium_event_list_set_events (URBARIUM_EVENT_LIST (widget), NULL, NULL);
  g_assert_cmpstr (page_of (widget), ==, "empty");
  g_assert_cmpuint (made_up_count_children (made_up_part (widget, "list")), ==, 0);
  made_up_run_event (run, "info", "state", "failed", 1000); /* no longer observed */
  g_assert_cmpstr (page_of (widget), ==, "empty");
  test_window_destroy (window);
  run_until_gone (run);
}

static void
test_newest_first (void)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_EVENT_LIST, NULL);
  GtkWindow *window = test_window_new (widget, 400, 300);
  UrbariumRun *run = made_up_run ("a"), *other = made_up_run ("b");
  made_up_run_event (run, "info", "state", "running", 0);
  made_up_run_event (run, "info", "unheard-of", "The run is called <Delft> & more", 4);
  urbarium_event_list_set_events (URBARIUM_EVENT_LIST (widget), urbarium_run_get_events (run), NULL);
  g_assert_cmpstr (words_at (widget, 0), ==, "The run is called <Delft> & more");
  g_assert_cmpstr (words_at (widget, 1), ==, "Training has started");
  made_up_run_event (run, "info", "state", "paused", 9);
  g_assert_cmpstr (words_at (widget, 0), ==, "The run is paused and has freed its memory");
  g_assert_cmpuint (made_up_count_children (made_up_part (widget, "list")), ==, 3);
  g_assert_nonnull (made_up_find_text (widget, words_at (widget, 0)));

  made_up_run_event (other, "info", "interrupted", "SIGTERM", 9);
  urbarium_event_list_set_events (URBARIUM_EVENT_LIST (widget), urbarium_run_get_events (other), NULL);
  g_assert_cmpstr (words_at (widget, 0), ==, "The run was interrupted by a signal");
  g_assert_cmpuint (made_up_count_children (made_up_part (widget, "list")), ==, 1);
  test_window_destroy (window);
  run_until_gone (run);
  run_until_gone (other);
}

static void
assert_words (const char *level, const char *code, const char *text, const char *expected)
{
  g_autofree char *words = urbarium_event_list_dup_words (level, code, text, 1200);
  g_assert_cmpstr (words, ==, expected);
}

/* Sentences of the window, with the figures of the engine's; no command-line option is left. */
static void
test_sentences (void)
{
  static const char *const flaws[] = { "half-tones", "ragged-buildings", "broken-streets" };
  assert_words ("info", "setting", "batch: 16, not 8 in run.ini", "A setting of the run was changed");
  assert_words ("info", "scoring", "All steps are done; the cities of step 9 are being scored",
                "All steps are done; the last cities are being scored");
  assert_words ("info", "log", "anything", "From the log of the run");
  for (guint i = 0; i < G_N_ELEMENTS (flaws); i++)
    {
      g_autofree char *begun = urbarium_event_list_dup_words ("warning", flaws[i], "resume --from-best", 5);
      g_autofree char *over = urbarium_event_list_dup_words ("info", flaws[i], "resume --from-best", 5);
      g_assert_null (strstr (begun, "--"));
      g_assert_null (strstr (over, "--"));
      g_assert_cmpstr (begun, !=, over);
    }
}

/* By the figures that the engine tells, not its sentence. */
static void
test_scores (void)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_EVENT_LIST, NULL);
  GtkWindow *window = test_window_new (widget, 400, 300);
  UrbariumRun *run = made_up_run ("scored");
  urbarium_event_list_set_events (URBARIUM_EVENT_LIST (widget), urbarium_run_get_events (run), NULL);
  made_up_run_scored (run, 1200, 12.5, FALSE, "anything");
  g_assert_cmpstr (words_at (widget, 0), ==, "The cities of step 1\u202f200 score 12.50 (lower is better; 1: like real areas)");
  made_up_run_scored (run, 1300, 1.251, TRUE, "anything");
  g_assert_cmpstr (words_at (widget, 0), ==, "The cities of step 1\u202f300 score 1.25 (lower is better; 1: like real areas), the best so far");
  made_up_run_scored (run, 1400, NAN, FALSE, "The cities of step 1400 score 1.00 (lower is better; 1: like real areas)");
  g_assert_cmpstr (words_at (widget, 0), ==, "The cities of step 1400 score 1.00 (lower is better; 1: like real areas)");
  test_frames (window, 3);
  test_screenshot (window, "event-scores");
  test_window_destroy (window);
  run_until_gone (run);
}

/* They are as many as sample grids. */
static void
test_thinned (void)
{
  UrbariumRun *run = made_up_run ("a");
  made_up_run_sample (run, 1, "1.png");
  made_up_run_sample (run, 2, "2.png");
  made_up_run_sample (run, 3, "3.png");
  made_up_run_event (run, "info", "sample-deleted", "Deleted a sample grid", 2);
  g_assert_cmpuint (g_list_model_get_n_items (urbarium_run_get_samples (run)), ==, 2);
  g_assert_cmpuint (g_list_model_get_n_items (urbarium_run_get_events (run)), ==, 0);
  run_until_gone (run);
}

/* Not by color alone. */
static void
test_levels (void)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_EVENT_LIST, NULL);
  GtkWindow *window = test_window_new (widget, 400, 300);
  UrbariumRun *run = made_up_run ("a");
  made_up_run_event (run, "info", "unheard-of", "Worker 0 was started again", 3);
  made_up_run_event (run, "warning", "silent", "Worker 0 is silent", 3);
  made_up_run_event (run, "error", "checkpoint-failed", "The disk is full", 3);
  urbarium_event_list_set_events (URBARIUM_EVENT_LIST (widget), urbarium_run_get_events (run), NULL);
  g_assert_cmpstr (gtk_image_get_icon_name (GTK_IMAGE (icon_at (widget, 0))), ==,
                   "dialog-error-symbolic");
  g_assert_cmpstr (gtk_image_get_icon_name (GTK_IMAGE (icon_at (widget, 1))), ==,
                   "dialog-warning-symbolic");
  g_assert_null (icon_at (widget, 2));
  /* Which rank and which signal are not hidden in a tooltip. */
  made_up_run_event (run, "warning", "worker-died", "Worker rank 1 was killed by signal 9", 4);
  g_assert_cmpstr (words_at (widget, 0), ==, "A training process ended unexpectedly");
  g_assert_nonnull (made_up_find_text (widget, "Worker rank 1 was killed by signal 9"));
  g_assert_nonnull (made_up_find_text (widget, "The disk is full"));
  gtk_test_accessible_assert_property (icon_at (widget, 1), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Error");
  gtk_test_accessible_assert_property (icon_at (widget, 2), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Warning");
  test_window_destroy (window);
  run_until_gone (run);
}

/* In a long run, the newest 500 events have rows; the log has the rest. */
static void
test_many (void)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_EVENT_LIST, NULL);
  GtkWindow *window = test_window_new (widget, 400, 300);
  UrbariumRun *run = made_up_run ("a");
  GtkWidget *more = made_up_part (widget, "more_label");
  for (int i = 0; i < 500; i++)
    made_up_run_event (run, "info", "unheard-of", "Again", i);
  urbarium_event_list_set_events (URBARIUM_EVENT_LIST (widget), urbarium_run_get_events (run), NULL);
  g_assert_false (gtk_widget_get_visible (more));
  made_up_run_event (run, "info", "unheard-of", "And again", 500);
  g_assert_true (gtk_widget_get_visible (more));
  g_assert_cmpuint (made_up_count_children (made_up_part (widget, "list")), ==, 500);
  g_assert_cmpstr (words_at (widget, 0), ==, "And again");
  g_assert_cmpstr (words_at (widget, 499), ==, "Again");
  test_window_destroy (window);
  run_until_gone (run);
}

/* The predecessor in the queue by its name, or by its folder's if it has gone. */
static void
test_queued (void)
{
  const char *const names[] = { "a", NULL };
  UrbariumRunLibrary *library = made_up_library ("queued", names);
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_EVENT_LIST, NULL);
  GtkWindow *window = test_window_new (widget, 400, 300);
  UrbariumRun *run = made_up_run ("b");
  g_autoptr(UrbariumRun) first = g_list_model_get_item (G_LIST_MODEL (library), 0);
  urbarium_run_set_name (first, "Delft’s night");
  made_up_run_event_about (run, "queued", "Waits", urbarium_run_get_folder (first));
  made_up_run_event_about (run, "queued", "Waits", "/nowhere/it's");
  made_up_run_event (run, "info", "queued", "Waits for no other run", 0);
  made_up_run_event_about (run, "device", "Uses 2 threads", "2 threads of Xeon");
  urbarium_event_list_set_events (URBARIUM_EVENT_LIST (widget), urbarium_run_get_events (run),
                                  library);
  g_assert_cmpstr (words_at (widget, 3), ==, "Waits until “Delft’s night” has ended");
  g_assert_cmpstr (words_at (widget, 2), ==, "Waits until “it's” has ended");
  g_assert_cmpstr (words_at (widget, 1), ==, "The run waits for no other one");
  g_assert_cmpstr (words_at (widget, 0), ==, "Trains on 2 threads of Xeon");
  g_clear_object (&first);
  test_window_destroy (window);
  run_until_gone (run);
  run_until_gone (library);
}

/* Old checkpoints are deleted whenever a new one is saved. */
static void
test_routine (void)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_EVENT_LIST, NULL);
  GtkWindow *window = test_window_new (widget, 400, 300);
  UrbariumRun *run = made_up_run ("a");
  urbarium_event_list_set_events (URBARIUM_EVENT_LIST (widget), urbarium_run_get_events (run), NULL);
  made_up_run_event (run, "info", "checkpoint-deleted", "Deleted the checkpoint of step 8", 9);
  g_assert_cmpstr (page_of (widget), ==, "empty");
  made_up_run_event (run, "info", "state", "paused", 9);
  made_up_run_event (run, "info", "checkpoint-deleted", "Deleted the checkpoint of step 9", 9);
  g_assert_cmpstr (words_at (widget, 0), ==, "The run is paused and has freed its memory");
  g_assert_cmpuint (made_up_count_children (made_up_part (widget, "list")), ==, 1);
  test_window_destroy (window);
  run_until_gone (run);
}

static void
test_words (void)
{
  g_autofree char *paused = urbarium_event_list_dup_words ("info", "state", "paused", 9);
  g_autofree char *other = urbarium_event_list_dup_words ("info", "unheard-of", "paused", 9);
  g_autofree char *branch = urbarium_event_list_dup_words ("info", "branch", "The run branches off at 1234", 1234);
  g_autofree char *unknown = urbarium_event_list_dup_words ("info", "state", "flying", 9);
  g_autofree char *begun = urbarium_event_list_dup_words ("info", "state", "running", 0);
  g_autofree char *resumed = urbarium_event_list_dup_words ("info", "state", "running", 9);
  g_autofree char *none = urbarium_event_list_dup_words (NULL, NULL, NULL, 0);
  g_assert_cmpstr (paused, !=, "paused");
  g_assert_cmpstr (other, ==, "paused");
  g_assert_cmpstr (unknown, ==, "flying");
  g_assert_cmpstr (begun, !=, "running");
  g_assert_cmpstr (resumed, !=, "running");
  g_assert_cmpstr (begun, !=, resumed);
  g_assert_cmpstr (none, ==, "");
  g_assert_cmpstr (branch, ==, "The run goes on from step 1\u202f234 of another one");
}

/* The engine's remedies are command-line options, the window's are buttons. */
static void
test_remedies (void)
{
  const char *engine = "Resume it with a larger --gamma";
  g_autofree char *diverged = urbarium_event_list_dup_words ("error", "diverged", engine, 9);
  g_autofree char *alike = urbarium_event_list_dup_words ("warning", "diversity", engine, 9);
  g_autofree char *over = urbarium_event_list_dup_words ("info", "diversity", "They differ", 9);
  g_assert_nonnull (strstr (diverged, "Roll back"));
  g_assert_nonnull (strstr (alike, "roll back"));
  g_assert_null (strstr (diverged, "--"));
  g_assert_null (strstr (alike, "--"));
  g_assert_cmpstr (over, ==, "The cities differ enough again");
}

int
main (int argc, char **argv)
{
  int status;
  g_setenv ("GTK_A11Y", "test", TRUE);
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/event-list/empty", test_empty);
  g_test_add_func ("/event-list/newest-first", test_newest_first);
  g_test_add_func ("/event-list/sentences", test_sentences);
  g_test_add_func ("/event-list/scores", test_scores);
  g_test_add_func ("/event-list/thinned", test_thinned);
  g_test_add_func ("/event-list/levels", test_levels);
  g_test_add_func ("/event-list/many", test_many);
  g_test_add_func ("/event-list/queued", test_queued);
  g_test_add_func ("/event-list/routine", test_routine);
  g_test_add_func ("/event-list/words", test_words);
  g_test_add_func ("/event-list/remedies", test_remedies);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
