/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-gpu-rows.c - the GPUs of a run: the known values of each, and no rows without GPUs.
 */
#include <math.h>

#include "app-test.h"
#include "app/runs/run-private.h"
#include "app/train/gpu-rows.h"
#include "app/train/load-curve.h"
#include "app/train/run-header.h"
#include "made-up.h"
#include "run-fixture.h"

static const UrbGpuLoad busy = { 5000000000, 80000000000, 97, 412.345, 61 };
static const UrbGpuLoad cold = { -1, -1, 0, NAN, -3 };

typedef struct
{
  GtkWidget  *widget;
  GListStore *gpus;
  GtkWindow  *window;
} Scene;

static void
scene_init (Scene *scene)
{
  *scene = (Scene){ .widget = g_object_new (URBARIUM_TYPE_GPU_ROWS, NULL),
                    .gpus = g_list_store_new (URBARIUM_TYPE_RUN_GPU) };
  urbarium_gpu_rows_set_gpus (URBARIUM_GPU_ROWS (scene->widget), G_LIST_MODEL (scene->gpus));
  scene->window = test_window_new (scene->widget, 600, 100);
}

static void
scene_clear (Scene *scene)
{
  test_window_destroy (scene->window);
  test_assert_last_unref (scene->gpus);
}

/* Replaces the item at that position. */
static void
set_gpu (Scene *scene, guint i, int index, const char *name, const UrbGpuLoad *load)
{
  g_autoptr(UrbariumRunGpu) gpu = urbarium_run_gpu_new (index, name, "", load);
  gboolean there = i < g_list_model_get_n_items (G_LIST_MODEL (scene->gpus));
  g_list_store_splice (scene->gpus, i, there ? 1 : 0, (gpointer[]){ gpu }, 1);
}

#define assert_shown(widget, text) g_assert_nonnull (made_up_find_text (widget, text))

static void
assert_n_samples (Scene *scene, guint i, guint n)
{
  g_autoptr(GPtrArray) curves = test_list (scene->widget, URBARIUM_TYPE_LOAD_CURVE);
  g_assert_cmpuint (i, <, curves->len);
  g_assert_cmpuint (urbarium_load_curve_get_n (curves->pdata[i]), ==, n);
}

static void
test_one (void)
{
  Scene scene;
  const UrbGpuLoad unknown = URB_GPU_LOAD_UNKNOWN;
  GtkWidget *label;
  scene_init (&scene);
  g_assert_false (gtk_widget_get_visible (scene.widget));
  set_gpu (&scene, 0, 0, "NVIDIA <H200>", &busy);
  g_assert_true (gtk_widget_get_visible (scene.widget));
  assert_shown (scene.widget,
                "NVIDIA <H200> · 5.0 GB of 80.0 GB · 97 % busy · 412 W · 61 °C");
  label = gtk_widget_get_first_child (scene.widget);

  /* Only known values; 0 is known. */
  set_gpu (&scene, 0, 0, "NVIDIA <H200>", &cold);
  assert_shown (scene.widget, "NVIDIA <H200> · 0 % busy · -3 °C");
  g_assert_true (gtk_widget_get_first_child (scene.widget) == label);
  set_gpu (&scene, 0, 0, "NVIDIA <H200>", &unknown);
  assert_shown (scene.widget, "NVIDIA <H200> · does not answer");
  g_list_store_remove_all (scene.gpus);
  g_assert_false (gtk_widget_get_visible (scene.widget));
  scene_clear (&scene);
}

/* With several GPUs, the index is shown. */
static void
test_several (void)
{
  Scene scene;
  scene_init (&scene);
  set_gpu (&scene, 0, 0, "NVIDIA A", &busy);
  set_gpu (&scene, 1, 3, "NVIDIA A", &cold);
  assert_shown (scene.widget, "0: NVIDIA A · 5.0 GB of 80.0 GB · 97 % busy · 412 W · 61 °C");
  assert_shown (scene.widget, "3: NVIDIA A · 0 % busy · -3 °C");
  /* Each curve grows with its own GPU alone, and stays with it. */
  set_gpu (&scene, 1, 3, "NVIDIA A", &cold);
  assert_n_samples (&scene, 0, 1);
  assert_n_samples (&scene, 1, 2);
  g_list_store_remove (scene.gpus, 0);
  assert_n_samples (&scene, 0, 2);
  assert_shown (scene.widget, "NVIDIA A · 0 % busy · -3 °C");
  g_assert_cmpuint (made_up_count_children (scene.widget), ==, 1);
  urbarium_gpu_rows_set_gpus (URBARIUM_GPU_ROWS (scene.widget), NULL);
  g_assert_false (gtk_widget_get_visible (scene.widget));
  scene_clear (&scene);
}

/* ------------------------------------------------------------------------ */
/* In a run                                                                  */

static void
take (UrbariumRun *run, UrbRunRecord *record)
{
  record->seq = run->last_seq + 1;
  urbarium_run_apply (run, record);
}

static void
take_gpu (UrbariumRun *run, int index, const char *name, const UrbGpuLoad *load)
{
  UrbRunRecord record = { .type = URB_RUN_RECORD_GPU, .device = index, .load = *load,
                            .texts = { name, "0000:17:00.0" } };
  take (run, &record);
}

static void
take_worker (UrbariumRun *run, const char *state)
{
  UrbRunRecord record = { .type = URB_RUN_RECORD_WORKER, .pid = 4711,
                            .texts = { state, "" } };
  take (run, &record);
}

static char *
dup_names (UrbariumRun *run)
{
  GListModel *gpus = urbarium_run_get_gpus (run);
  g_autoptr(GString) names = g_string_new (NULL);
  for (guint i = 0; i < g_list_model_get_n_items (gpus); i++)
    {
      g_autoptr(UrbariumRunGpu) gpu = g_list_model_get_item (gpus, i);
      g_string_append (names, urbarium_run_gpu_get_name (gpu));
    }
  return g_string_free (g_steal_pointer (&names), FALSE);
}

static void
assert_gpus (UrbariumRun *run, const char *expected)
{
  g_autofree char *names = dup_names (run);
  g_assert_cmpstr (names, ==, expected);
}

/* By index, the newest load of each; only while it trains. */
static void
test_run (void)
{
  UrbariumRun *run = made_up_run ("Delft");
  GtkWidget *header = g_object_new (URBARIUM_TYPE_RUN_HEADER, NULL);
  GtkWindow *window;
  urbarium_run_header_set_run (URBARIUM_RUN_HEADER (header), run, NULL);
  window = test_window_new (header, 900, 200);
  take_gpu (run, 0, "A", &busy);
  assert_gpus (run, ""); /* no supervisor: outdated */
  made_up_run_stands (run, TRUE, URB_RUN_RUNNING);
  take_worker (run, "started");
  take_gpu (run, 2, "C", &busy);
  take_gpu (run, 0, "A", &busy);
  take_gpu (run, 1, "B", &busy);
  assert_gpus (run, "ABC");
  take_gpu (run, 1, "b", &cold);
  take_gpu (run, 2, "c", &cold);
  take_gpu (run, 0, "a", &cold);
  assert_gpus (run, "abc");
  assert_shown (header, "1: b · 0 % busy · -3 °C");
  test_screenshot (window, "gpu-rows");
  take_worker (run, "ended");
  assert_gpus (run, "");
  take_worker (run, "started");
  take_gpu (run, 0, "A", &busy);
  assert_shown (header, "A · 5.0 GB of 80.0 GB · 97 % busy · 412 W · 61 °C");
  urbarium_run_end_workers (run); /* the supervisor ends */
  assert_gpus (run, "");
  test_window_destroy (window);
  run_until_gone (run);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/gpu-rows/one", test_one);
  g_test_add_func ("/gpu-rows/several", test_several);
  g_test_add_func ("/gpu-rows/run", test_run);
  return g_test_run ();
}
