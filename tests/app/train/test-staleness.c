/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-staleness.c - the measurement of a real asynchronous run is found and shown; damaged ones are not.
 */
#include "app-test.h"
#include "app/train/staleness.h"
#include "run-fixture.h"

static gboolean
has_data (gpointer staleness)
{
  gboolean has;
  g_object_get (staleness, "has-data", &has, NULL);
  return has;
}

static void
test_json (void)
{
  UrbariumStaleness *staleness = g_object_new (URBARIUM_TYPE_STALENESS, NULL);
  GtkWindow *window = test_window_new (GTK_WIDGET (staleness), 560, 260);
  g_assert_false (has_data (staleness));
  urbarium_staleness_set_json (staleness,
                               "{\"workers\":[{\"rank\":0,\"g\":{\"staleness\":[10,60,20,5,2,1,1,0,0,0,0,0,0,0,0,0,1]},"
                               "\"d\":{\"staleness\":[30,50,20]}},{\"rank\":1,\"g\":{\"staleness\":[15,55,25,5]},"
                               "\"d\":{\"staleness\":[40,40,20]}}],\"lost_share\":{\"g\":0.012,\"d\":0.004},\"max_lead\":3}");
  g_assert_true (has_data (staleness));
  test_frames (window, 3);
  test_screenshot (window, "staleness");
  for (const char *const *bad = (const char *const[]){ "", "7", "{}", "{\"workers\":7}", "{\"workers\":[7,{\"g\":[]}]}",
                                                       "{\"workers\":[{\"g\":{\"staleness\":[-1,[],{}]}}]}",
                                                       "{\"workers\":[{\"g\":{\"staleness\":[0,0]}}]}", NULL }; *bad != NULL; bad++)
    {
      urbarium_staleness_set_json (staleness, *bad);
      g_assert_false (has_data (staleness));
      test_frames (window, 1);
    }
  test_window_destroy (window);
}

static void
test_run (void)
{
  g_autofree char *path = run_fixture_start ("stale", 100000, "--strategy hogwild:2 --checkpoint-every 1000000");
  UrbariumRun *run = urbarium_run_new (path);
  UrbariumStaleness *staleness = g_object_ref_sink (g_object_new (URBARIUM_TYPE_STALENESS, NULL));
  urbarium_run_follow (run);
  run_until_live (run, TRUE);
  urbarium_staleness_set_run (staleness, run);
  run_until_step (run, 20);
  g_assert_false (has_data (staleness)); /* before the first checkpoint */
  urbarium_run_checkpoint (run);
  test_until (has_data, staleness);
  urbarium_staleness_set_run (staleness, NULL);
  g_assert_false (has_data (staleness));
  urbarium_staleness_set_run (staleness, run); /* from the database */
  test_until (has_data, staleness);
  urbarium_run_stop (run);
  run_until_live (run, FALSE);
  test_assert_last_unref (staleness);
  run_until_gone (run);
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  run_fixture_init ();
  g_test_add_func ("/app/staleness/json", test_json);
  g_test_add_func ("/app/staleness/run", test_run);
  result = g_test_run ();
  run_fixture_clear ();
  return result;
}
