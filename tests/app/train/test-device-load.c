/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-device-load.c - the curve of a device while runs use it.
 */
#include "app-test.h"
#include "app/runs/run-private.h"
#include "app/train/device-load.h"
#include "app/train/load-curve.h"
#include "made-up.h"
#include "run-fixture.h"

typedef struct
{
  UrbariumRunLibrary *library;
  UrbariumRun        *first, *second; /* owned */
  GtkWidget          *widget;
  GtkWindow          *window;
  guint               n; /* samples to wait for */
} Scene;

static UrbariumLoadCurve *
get_curve (Scene *scene)
{
  return URBARIUM_LOAD_CURVE (test_find (scene->widget, URBARIUM_TYPE_LOAD_CURVE));
}

static gboolean
has_samples (gpointer data)
{
  Scene *scene = data;
  return gtk_widget_get_visible (GTK_WIDGET (get_curve (scene)))
         && urbarium_load_curve_get_n (get_curve (scene)) >= scene->n;
}

static gboolean
is_hidden (gpointer data)
{
  return !gtk_widget_get_visible (GTK_WIDGET (get_curve (data)));
}

static void
scene_init (Scene *scene, const char *folder, const char *pci)
{
  *scene = (Scene){ .library = made_up_library (folder, (const char *[]){ "a", "b", NULL }),
                    .widget = g_object_new (URBARIUM_TYPE_DEVICE_LOAD, NULL) };
  scene->first = g_list_model_get_item (G_LIST_MODEL (scene->library), 0);
  scene->second = g_list_model_get_item (G_LIST_MODEL (scene->library), 1);
  urbarium_device_load_set_gpu (URBARIUM_DEVICE_LOAD (scene->widget), pci);
  urbarium_device_load_set_library (URBARIUM_DEVICE_LOAD (scene->widget), scene->library);
  scene->window = test_window_new (scene->widget, 300, 60);
}

static void
scene_clear (Scene *scene)
{
  test_window_destroy (scene->window);
  g_object_unref (scene->first);
  g_object_unref (scene->second);
  run_until_gone (scene->library);
}

static void
beat (UrbariumRun *run, double cores_busy)
{
  g_autoptr(JsonObject) line = json_object_new ();
  json_object_set_int_member (line, "rank", 0);
  json_object_set_int_member (line, "memory_bytes", 100000000);
  json_object_set_double_member (line, "cores_busy", cores_busy);
  urbarium_run_apply_heartbeat (run, line, 1);
}

/* Of all runs together, for as long as one of them runs, and while it is seen. */
static void
test_processor (void)
{
  Scene scene;
  scene_init (&scene, "processor", NULL);
  g_assert_true (is_hidden (&scene));
  made_up_run_stands (scene.first, TRUE, URB_RUN_RUNNING);
  beat (scene.first, 0.5);
  scene.n = 1;
  test_until (has_samples, &scene);
  made_up_run_stands (scene.second, TRUE, URB_RUN_RUNNING);
  beat (scene.second, 0.25);
  scene.n = 3;
  test_until (has_samples, &scene);
  test_screenshot (scene.window, "device-load");
  gtk_widget_set_visible (scene.widget, FALSE);
  test_frames (scene.window, 2);
  g_assert_true (is_hidden (&scene));
  gtk_widget_set_visible (scene.widget, TRUE);
  scene.n = 1;
  test_until (has_samples, &scene);
  made_up_run_stands (scene.first, TRUE, URB_RUN_PAUSED);
  made_up_run_stands (scene.second, FALSE, URB_RUN_STOPPED);
  test_until (is_hidden, &scene);
  scene_clear (&scene);
}

static void
read_gpu (UrbariumRun *run, const char *pci, double percent)
{
  const UrbGpuLoad load = { .utilization_percent = percent, .memory_used_bytes = 1, .memory_bytes = 4 };
  g_autoptr(UrbariumRunGpu) gpu = urbarium_run_gpu_new (0, "Fast", pci, &load);
  g_list_store_splice (G_LIST_STORE (urbarium_run_get_gpus (run)), 0,
                       g_list_model_get_n_items (urbarium_run_get_gpus (run)), (gpointer[]){ gpu }, 1);
}

/* Each reading is one sample; that of another GPU is none. */
static void
test_gpu (void)
{
  Scene scene;
  scene_init (&scene, "gpu", "0000:1A:00.0");
  made_up_run_stands (scene.first, TRUE, URB_RUN_RUNNING);
  made_up_run_stands (scene.second, TRUE, URB_RUN_RUNNING);
  read_gpu (scene.first, "0000:17:00.0", 10);
  read_gpu (scene.second, "0000:1a:00.0", 80);
  scene.n = 1;
  test_until (has_samples, &scene);
  read_gpu (scene.second, "0000:1a:00.0", 90);
  scene.n = 2;
  test_until (has_samples, &scene);
  g_assert_cmpuint (urbarium_load_curve_get_n (get_curve (&scene)), ==, 2);
  read_gpu (scene.second, "0000:17:00.0", 90);
  test_until (is_hidden, &scene);
  scene_clear (&scene);
}

int
main (int argc, char **argv)
{
  int status;
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/device-load/processor", test_processor);
  g_test_add_func ("/device-load/gpu", test_gpu);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
