/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-processor-load.c - cores and memory of all processes of a run, while there are any.
 */
#include "app-test.h"
#include "app/runs/run-private.h"
#include "app/train/load-curve.h"
#include "app/train/processor-load.h"
#include "made-up.h"
#include "run-fixture.h"

static void
beat (UrbariumRun *run, int rank, double cores_busy, gint64 n_bytes)
{
  g_autoptr(JsonObject) line = json_object_new ();
  json_object_set_int_member (line, "rank", rank);
  json_object_set_int_member (line, "memory_bytes", n_bytes);
  json_object_set_double_member (line, "cores_busy", cores_busy);
  urbarium_run_apply_heartbeat (run, line, 1);
}

static void
assert_shown (GtkWidget *widget, const char *cores, gint64 n_bytes, guint n_samples)
{
  g_autofree char *bytes = g_format_size ((guint64) n_bytes);
  int n_cores = (int) g_get_num_processors ();
  g_autofree char *text = g_strdup_printf ("Processor · %s of %d %s busy · %s", cores, n_cores,
                                           n_cores == 1 ? "core" : "cores", bytes);
  GtkWidget *curve = test_find (widget, URBARIUM_TYPE_LOAD_CURVE);
  g_assert_true (gtk_widget_get_visible (widget));
  g_assert_nonnull (made_up_find_text (widget, text));
  g_assert_cmpuint (urbarium_load_curve_get_n (URBARIUM_LOAD_CURVE (curve)), ==, n_samples);
}

static void
test_workers (void)
{
  UrbariumRun *run = made_up_run ("Delft"), *other = made_up_run ("Bern");
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_PROCESSOR_LOAD, NULL);
  UrbariumProcessorLoad *self = URBARIUM_PROCESSOR_LOAD (widget);
  GtkWindow *window = test_window_new (widget, 500, 40);
  urbarium_processor_load_set_run (self, run);
  g_assert_false (gtk_widget_get_visible (widget));
  made_up_run_stands (run, TRUE, URB_RUN_RUNNING);
  beat (run, 0, 0.9, 200000000);
  assert_shown (widget, "0.9", 200000000, 1);
  beat (run, 1, 0.8, 100000000); /* known with the next of rank 0 */
  beat (run, 0, 1.0, 200000000);
  assert_shown (widget, "1.8", 300000000, 2);
  urbarium_run_end_workers (run);
  g_assert_false (gtk_widget_get_visible (widget));
  beat (run, 0, 0.5, 200000000);
  assert_shown (widget, "0.5", 200000000, 1);

  urbarium_processor_load_set_run (self, other);
  g_assert_false (gtk_widget_get_visible (widget));
  beat (run, 0, 0.9, 200000000);
  g_assert_false (gtk_widget_get_visible (widget));
  beat (other, 0, 0.2, 100000000);
  assert_shown (widget, "0.2", 100000000, 1);
  urbarium_processor_load_set_run (self, NULL);
  g_assert_false (gtk_widget_get_visible (widget));
  urbarium_processor_load_set_run (self, run);
  test_window_destroy (window);
  beat (run, 0, 0.9, 200000000);
  run_until_gone (run);
  run_until_gone (other);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/processor-load/workers", test_workers);
  return g_test_run ();
}
