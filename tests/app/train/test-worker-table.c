/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-worker-table.c - the activity of each process, and hanging processes.
 */
#include "app-test.h"
#include "app/runs/run-items.h"
#include "app/train/worker-table.h"
#include "made-up.h"
#include "run/store/run.h"

typedef struct
{
  GtkWidget         *widget;
  GListStore        *workers;
  UrbariumRunWorker *worker;
  GtkWindow         *window;
} Scene;

static void
scene_init (Scene *scene)
{
  *scene = (Scene){ .widget = g_object_new (URBARIUM_TYPE_WORKER_TABLE, NULL),
                    .workers = g_list_store_new (URBARIUM_TYPE_RUN_WORKER),
                    .worker = urbarium_run_worker_new (0) };
  g_list_store_append (scene->workers, scene->worker);
  urbarium_worker_table_set_workers (URBARIUM_WORKER_TABLE (scene->widget),
                                     G_LIST_MODEL (scene->workers));
  scene->window = test_window_new (scene->widget, 900, 300);
}

static void
scene_clear (Scene *scene)
{
  test_window_destroy (scene->window);
  test_assert_last_unref (scene->workers);
  test_assert_last_unref (scene->worker);
}

/* A heartbeat @seconds ago. */
static void
beat (Scene *scene, const char *doing, gint64 n_bytes, gint64 step, double ago_s)
{
  g_autoptr(JsonObject) line = json_object_new ();
  json_object_set_string_member (line, "doing", doing);
  json_object_set_int_member (line, "pid", 4711);
  json_object_set_int_member (line, "memory_bytes", n_bytes);
  urbarium_run_worker_beat (scene->worker, line, step,
                            (double) g_get_real_time () / G_USEC_PER_SEC - ago_s);
}

/* Also runs the timer of one second. */
static void
look_again (Scene *scene)
{
  gtk_widget_set_visible (scene->widget, FALSE);
  gtk_widget_set_visible (scene->widget, TRUE);
  test_frames (scene->window, 2);
}

#define assert_shown(scene, text) g_assert_nonnull (made_up_find_text ((scene)->widget, text))
#define assert_not_shown(scene, text) g_assert_null (made_up_find_text ((scene)->widget, text))

static void
test_empty (void)
{
  Scene scene;
  scene_init (&scene);
  assert_not_shown (&scene, "No process is working on this run");
  g_list_store_remove_all (scene.workers);
  assert_shown (&scene, "No process is working on this run");
  g_list_store_append (scene.workers, scene.worker);
  assert_not_shown (&scene, "No process is working on this run");
  urbarium_worker_table_set_workers (URBARIUM_WORKER_TABLE (scene.widget), NULL);
  assert_shown (&scene, "No process is working on this run");
  g_list_store_append (scene.workers, scene.worker); /* no longer observed */
  assert_shown (&scene, "No process is working on this run");
  scene_clear (&scene);
}

static void
test_cells (void)
{
  Scene scene;
  g_autofree char *memory = g_format_size (123000000);
  scene_init (&scene);
  for (guint i = 0; i < 7; i++)
    {
      const char *const titles[] = { "Rank",   "Process", "Device",           "Step",
                                     "Doing",  "Memory",  "Last message" };
      assert_shown (&scene, titles[i]);
    }
  assert_shown (&scene, "–"); /* no message yet */
  assert_shown (&scene, "Processor");

  beat (&scene, "step", 123000000, 120, 0);
  urbarium_run_worker_set_device (scene.worker, "NVIDIA <7>");
  look_again (&scene);
  assert_not_shown (&scene, "–");
  assert_shown (&scene, "0");
  assert_shown (&scene, "4711");
  assert_shown (&scene, "NVIDIA <7>");
  assert_shown (&scene, "120");
  assert_shown (&scene, "Training");
  assert_shown (&scene, memory);
  assert_shown (&scene, "Just now");
  scene_clear (&scene);
}

/* The engine's activities; unknown ones are shown as they are. */
static void
test_doing (void)
{
  static const char *const words[][2] = {
    { "start", "Starting" },       { "sample", "Drawing samples" }, { "checkpoint", "Saving" },
    { "idle", "Waiting" },         { "restore", "Reading a checkpoint" },
    { "wait", "Waiting" },   { "levitate", "levitate" },
  };
  Scene scene;
  scene_init (&scene);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      beat (&scene, words[i][0], 1000, 3, 0);
      look_again (&scene);
      assert_shown (&scene, words[i][1]);
    }
  urbarium_run_worker_ended (scene.worker, -1, "ended by signal 9");
  look_again (&scene);
  assert_shown (&scene, "ended by signal 9");
  assert_not_shown (&scene, "Just now"); /* but the time */
  assert_shown (&scene, "3"); /* last reported */
  for (guint i = 0; i < 2; i++)
    {
      urbarium_run_worker_ended (scene.worker, 900 + i, i == 0 ? "" : URB_WORKER_ENDED_WELL);
      look_again (&scene);
      assert_shown (&scene, "Ended");
      assert_shown (&scene, i == 0 ? "900" : "901");
      assert_not_shown (&scene, URB_WORKER_ENDED_WELL); /* translated */
    }
  scene_clear (&scene);
}

/* In a narrow table, numbers are never cut, and the last column can be reached. */
static void
test_narrow (void)
{
  Scene scene;
  GtkWidget *scrolled;
  GtkAdjustment *adjustment;
  scene_init (&scene);
  beat (&scene, "step", 123000000, 123456, 0);
  gtk_window_set_default_size (scene.window, 360, 300);
  look_again (&scene);
  test_frames (scene.window, 5);
  for (guint i = 0; i < 2; i++)
    {
      static const char *const texts[] = { "123\u202f456", "4711" };
      GtkWidget *label = made_up_find_text (scene.widget, texts[i]);
      g_assert_nonnull (label);
      g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (label))));
    }
  scrolled = test_find (scene.widget, GTK_TYPE_SCROLLED_WINDOW);
  adjustment = gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (scrolled));
  g_assert_cmpfloat (gtk_adjustment_get_upper (adjustment), >,
                     gtk_adjustment_get_page_size (adjustment));
  g_assert_false (gtk_scrolled_window_get_overlay_scrolling (GTK_SCROLLED_WINDOW (scrolled)));
  test_screenshot (scene.window, "workers-narrow");
  scene_clear (&scene);
}

/* A long device name wraps to the next line. */
static void
test_device (void)
{
  static const char *const devices[] = { "Processor, 2 threads", "Prozessor, 16 Threads" };
  Scene scene;
  scene_init (&scene);
  beat (&scene, "step", 123000000, 900, 0);
  urbarium_run_worker_ended (scene.worker, 900, URB_WORKER_ENDED_WELL);
  gtk_window_set_default_size (scene.window, 440, 300);
  for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      PangoLayout *layout;
      GtkWidget *label;
      urbarium_run_worker_set_device (scene.worker, devices[i]);
      look_again (&scene);
      test_frames (scene.window, 5);
      label = made_up_find_text (scene.widget, devices[i]);
      g_assert_nonnull (label);
      layout = gtk_label_get_layout (GTK_LABEL (label));
      g_assert_false (pango_layout_is_ellipsized (layout));
    }
  test_screenshot (scene.window, "workers-device");
  scene_clear (&scene);
}

static gboolean
is_silent (gpointer scene)
{
  return made_up_find_text (((Scene *) scene)->widget, "Silent for 5 min") != NULL;
}

/* Without any message from the worker. */
static void
test_silent (void)
{
  Scene scene;
  scene_init (&scene);
  beat (&scene, "step", 1000, 3, 320);
  g_assert_false (is_silent (&scene));
  test_until (is_silent, &scene);
  beat (&scene, "step", 1000, 3, 5);
  look_again (&scene);
  g_assert_false (is_silent (&scene));
  assert_not_shown (&scene, "Just now");
  scene_clear (&scene);
}

/* In the list's order; a removed worker's row disappears. */
static void
test_several (void)
{
  Scene scene;
  g_autoptr(UrbariumRunWorker) second = urbarium_run_worker_new (1);
  scene_init (&scene);
  urbarium_run_worker_started (second, 4712, 1.0);
  g_list_store_append (scene.workers, second);
  test_frames (scene.window, 2);
  assert_shown (&scene, "4712");
  g_list_store_remove (scene.workers, 1);
  test_frames (scene.window, 2);
  assert_not_shown (&scene, "4712");
  assert_shown (&scene, "0");
  scene_clear (&scene);
}

/* A worker dies and another takes its rank: the row shows both in turn. */
static void
test_replaced (void)
{
  Scene scene;
  g_autoptr(UrbariumRunWorker) second = urbarium_run_worker_new (1);
  scene_init (&scene);
  g_list_store_append (scene.workers, second);
  beat (&scene, "step", 123000000, 120, 0);
  urbarium_run_worker_started (second, 4712, 1.0);
  urbarium_run_worker_ended (second, -1, "ended by signal 9");
  look_again (&scene);
  assert_shown (&scene, "4711");
  assert_shown (&scene, "Training"); /* the other continues */
  assert_shown (&scene, "ended by signal 9");
  test_screenshot (scene.window, "worker-ended");
  urbarium_run_worker_started (second, 4713, (double) g_get_real_time () / G_USEC_PER_SEC);
  look_again (&scene);
  assert_not_shown (&scene, "ended by signal 9");
  assert_not_shown (&scene, "4712");
  assert_shown (&scene, "4713");
  assert_shown (&scene, "1");
  scene_clear (&scene);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/worker-table/empty", test_empty);
  g_test_add_func ("/worker-table/cells", test_cells);
  g_test_add_func ("/worker-table/narrow", test_narrow);
  g_test_add_func ("/worker-table/device", test_device);
  g_test_add_func ("/worker-table/doing", test_doing);
  g_test_add_func ("/worker-table/silent", test_silent);
  g_test_add_func ("/worker-table/several", test_several);
  g_test_add_func ("/worker-table/replaced", test_replaced);
  return g_test_run ();
}
