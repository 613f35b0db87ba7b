/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-timeline.c - reading timelines, whole and damaged; what is in view, and below the pointer.
 */
#include <math.h>
#include <string.h>

#include "app-test.h"
#include "app/train/timeline.h"
#include "run-fixture.h"

/* Two ranks, two steps of 10 ms: forward 4 ms, backward 5 ms, and an all-reduce during the last 3 ms of it. */
static char *
write_timeline (const char *name, const char *more)
{
  g_autofree char *path = run_fixture_path (name);
  g_autoptr(GString) text
    = g_string_new ("{\"otherData\":{\"first_step\":4,\"steps\":2,\"ranks\":2,\"step_s\":0.01,\"communication_share\":0.3,"
                    "\"overlap_share\":0.9,\"hideable_share\":0.95},\"traceEvents\":[\n"
                    "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"tid\":0,\"args\":{\"name\":\"rank 0\"}}");
  for (int rank = 1; rank >= 0; rank--)
    for (int step = 0; step < 2; step++)
      {
        int at = 1000 + 10000 * step + 500 * rank;
        g_string_append_printf (text, ",\n{\"name\":\"g.1 conv\",\"cat\":\"forward\",\"ph\":\"X\",\"ts\":%d,\"dur\":4000,"
                                "\"pid\":%d,\"tid\":0,\"args\":{\"step\":%d}}", at, rank, 4 + step);
        g_string_append_printf (text, ",\n{\"name\":\"d.1 grad\",\"cat\":\"backward\",\"ph\":\"X\",\"ts\":%d,\"dur\":5000,"
                                "\"pid\":%d,\"tid\":0,\"args\":{\"step\":%d}}", at + 4000, rank, 4 + step);
        g_string_append_printf (text, ",\n{\"name\":\"all-reduce\",\"cat\":\"backward\",\"ph\":\"X\",\"ts\":%d,\"dur\":3000,"
                                "\"pid\":%d,\"tid\":1,\"args\":{\"step\":%d}}", at + 6000, rank, 4 + step);
      }
  g_string_append_printf (text, "%s]}\n", more);
  g_assert_true (g_file_set_contents (path, text->str, (gssize) text->len, NULL));
  return g_steal_pointer (&path);
}

static UrbariumTimelineData *
load (const char *path)
{
  g_autoptr(GError) error = NULL;
  UrbariumTimelineData *data = urbarium_timeline_data_load (path, &error);
  g_assert_no_error (error);
  return data;
}

static void
test_load (void)
{
  /* Spans of other versions, or damaged: left out. */
  g_autofree char *path
    = write_timeline ("data.json", ",7,{},[],{\"ph\":\"X\"},{\"ph\":\"X\",\"ts\":1,\"dur\":-1,\"pid\":0,\"tid\":0},"
                                   "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":-1,\"tid\":0},"
                                   "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":99999999,\"tid\":0},"
                                   "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":0,\"tid\":99},"
                                   "{\"ph\":\"X\",\"ts\":\"1\",\"dur\":1,\"pid\":0,\"tid\":0,\"name\":3}");
  g_autoptr(UrbariumTimelineData) data = load (path);
  const UrbariumTimelineSpan *span;
  g_assert_cmpuint (data->spans->len, ==, 12);
  g_assert_cmpint (data->n_ranks, ==, 2);
  g_assert_cmpint (data->n_lanes, ==, 2);
  g_assert_cmpint (data->first_step, ==, 4);
  g_assert_cmpint (data->n_steps, ==, 2);
  g_assert_cmpfloat_with_epsilon (data->step_ms, 10, 1e-9);
  g_assert_cmpfloat_with_epsilon (data->end_ms, 19.5, 1e-9);
  g_assert_cmpfloat (data->comm_share, ==, 0.3);
  g_assert_cmpuint (urbarium_timeline_data_find (data, 0, 1), ==, 4);
  g_assert_cmpuint (urbarium_timeline_data_find (data, 1, 0), ==, 6);
  g_assert_cmpuint (urbarium_timeline_data_find (data, 1, 2), ==, 12);
  span = &g_array_index (data->spans, UrbariumTimelineSpan, 6);
  g_assert_cmpstr (span->name, ==, "g.1 conv");
  g_assert_cmpfloat_with_epsilon (span->begin_ms, 0.5, 1e-9);
  g_assert_cmpint (span->step, ==, 4);
  g_assert_cmpstr (urbarium_timeline_passes[span->pass], ==, "forward");
}

/* Exchanges along several axes at once have a lane each; waits are gaps. */
static void
test_lanes (void)
{
  g_autofree char *path
    = write_timeline ("lanes.json", ",{\"ph\":\"X\",\"name\":\"send\",\"ts\":7500,\"dur\":1000,\"pid\":0,\"tid\":5,"
                                    "\"args\":{\"step\":4,\"group\":\"pipe\"}},"
                                    "{\"ph\":\"X\",\"name\":\"send wait\",\"cat\":\"wait\",\"ts\":7500,\"dur\":1000,\"pid\":0,"
                                    "\"tid\":0,\"args\":{\"step\":4}}");
  g_autoptr(UrbariumTimelineData) data = load (path);
  guint first = urbarium_timeline_data_find (data, 0, 2);
  g_assert_cmpint (data->n_lanes, ==, 3);
  g_assert_cmpuint (data->spans->len, ==, 13);
  g_assert_cmpuint (urbarium_timeline_data_find (data, 0, 3) - first, ==, 1);
  g_assert_cmpstr (g_array_index (data->spans, UrbariumTimelineSpan, first).name, ==, "send, pipe");
}

/* Cut anywhere: never more than an error that names the file. */
static void
test_damaged (void)
{
  g_autofree char *path = write_timeline ("damaged.json", ""), *text = NULL;
  gsize length;
  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  for (gsize n = 0; n + 3 < length; n += 7)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbariumTimelineData) data = NULL;
      g_assert_true (g_file_set_contents (path, text, (gssize) n, NULL));
      data = urbarium_timeline_data_load (path, &error);
      g_assert_null (data);
      g_assert_nonnull (strstr (error->message, "damaged.json"));
    }
}

static void
assert_view (UrbariumTimeline *timeline, double from, double to)
{
  double is_from, is_to;
  urbarium_timeline_get_view (timeline, &is_from, &is_to);
  g_assert_cmpfloat_with_epsilon (is_from, from, 1e-6);
  g_assert_cmpfloat_with_epsilon (is_to, to, 1e-6);
}

/* The span at a share of the width of the timeline, in the @y-th pixel. */
static const char *
pick (UrbariumTimeline *timeline, double share, double y)
{
  int width = gtk_widget_get_width (GTK_WIDGET (timeline));
  const UrbariumTimelineSpan *span = urbarium_timeline_pick (timeline, 100 + share * (width - 112), y);
  return span != NULL ? span->name : NULL;
}

static void
test_view (void)
{
  g_autofree char *path = write_timeline ("view.json", "");
  UrbariumTimeline *timeline = g_object_new (URBARIUM_TYPE_TIMELINE, NULL);
  GtkWindow *window;
  urbarium_timeline_set_data (timeline, load (path));
  window = test_window_new (GTK_WIDGET (timeline), 800, 200);
  assert_view (timeline, 0, 10.5); /* one step, and a little */
  g_assert_cmpstr (pick (timeline, 0.2, 30), ==, "g.1 conv");
  g_assert_cmpstr (pick (timeline, 0.7, 30), ==, "d.1 grad");
  g_assert_cmpstr (pick (timeline, 0.7, 46), ==, "all-reduce");
  g_assert_null (pick (timeline, 0.2, 46));
  g_assert_null (pick (timeline, 0.2, 5)); /* above the ranks */
  g_assert_cmpstr (pick (timeline, 0.7, 70), ==, "d.1 grad"); /* rank 1 */
  test_screenshot (window, "timeline");
  gtk_widget_activate_action (GTK_WIDGET (timeline), "timeline.zoom-in", NULL);
  assert_view (timeline, 2.625, 7.875);
  gtk_widget_activate_action (GTK_WIDGET (timeline), "timeline.move", "i", 1);
  assert_view (timeline, 2.625 + 1.3125, 7.875 + 1.3125);
  gtk_widget_activate_action (GTK_WIDGET (timeline), "timeline.zoom-out", NULL);
  gtk_widget_activate_action (GTK_WIDGET (timeline), "timeline.zoom-out", NULL);
  assert_view (timeline, 0, 19.5); /* never beyond its ends */
  gtk_widget_activate_action (GTK_WIDGET (timeline), "timeline.one-step", NULL);
  gtk_widget_activate_action (GTK_WIDGET (timeline), "timeline.all", NULL);
  assert_view (timeline, 0, 19.5);
  test_frames (window, 2);
  urbarium_timeline_set_data (timeline, NULL);
  g_assert_null (pick (timeline, 0.2, 30));
  test_frames (window, 2);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/app/timeline/load", test_load);
  g_test_add_func ("/app/timeline/lanes", test_lanes);
  g_test_add_func ("/app/timeline/damaged", test_damaged);
  g_test_add_func ("/app/timeline/view", test_view);
  result = g_test_run ();
  run_fixture_clear ();
  return result;
}
