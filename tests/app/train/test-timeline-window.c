/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-timeline-window.c - records the timeline of a real run, shows and exports it.
 */
#include <string.h>

#include "app-test.h"
#include "app/train/timeline-window.h"
#include "app/train/timeline.h"
#include "made-up.h"
#include "run-fixture.h"

static UrbariumTimeline *
get_timeline (GtkWindow *window)
{
  return made_up_part (GTK_WIDGET (window), "timeline");
}

static gboolean
has_timeline (gpointer window)
{
  return urbarium_timeline_get_data (get_timeline (window)) != NULL;
}

static gboolean
can_record (gpointer window)
{
  return gtk_widget_is_sensitive (made_up_find_text (window, "Record"));
}

static gboolean
cannot_record (gpointer window)
{
  return !can_record (window);
}

static void
test_record (void)
{
  g_autofree char *path = run_fixture_start ("recorded", 100000, "--strategy ddp:2 --batch 4");
  UrbariumRun *run = urbarium_run_new (path);
  GtkWindow *window;
  const UrbariumTimelineData *data;
  urbarium_run_follow (run);
  run_until_live (run, TRUE);
  run_until_step (run, 3);
  window = GTK_WINDOW (urbarium_timeline_window_new (run));
  gtk_window_present (window);
  test_frames (window, 3);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (made_up_part (GTK_WIDGET (window), "stack")), ==, "none");
  test_until (can_record, window);
  gtk_widget_activate_action (GTK_WIDGET (window), "timelines.record", NULL);
  test_until (has_timeline, window);
  data = urbarium_timeline_get_data (get_timeline (window));
  g_assert_cmpint (data->n_ranks, ==, 2);
  g_assert_cmpint (data->n_steps, ==, 5);
  g_assert_cmpfloat (data->step_ms, >, 0);
  g_assert_true (g_str_has_prefix (gtk_label_get_text (made_up_part (GTK_WIDGET (window), "summary_label")), "A step takes"));
  g_assert_cmpuint (made_up_count_children (made_up_part (GTK_WIDGET (window), "legend_box")), >=, 5);
  test_frames (window, 5);
  test_screenshot (window, "timeline-window");
  gtk_widget_activate_action (GTK_WIDGET (window), "timelines.all", NULL);
  test_frames (window, 5);
  test_screenshot (window, "timeline-window-all");
  urbarium_run_stop (run);
  run_until_live (run, FALSE);
  test_until (cannot_record, window);
  test_window_destroy (window);
  run_until_gone (run);
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  run_fixture_init ();
  g_test_add_func ("/app/timeline-window/record", test_record);
  result = g_test_run ();
  run_fixture_clear ();
  return result;
}
