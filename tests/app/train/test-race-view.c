/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-race-view.c - what is shown of comparisons in each state, and that it follows one that works.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app-test.h"
#include "app/train/race-view.h"
#include "made-up-race.h"
#include "made-up.h"
#include "run-fixture.h"

typedef struct
{
  char             *folder;
  UrbariumRaceView *view;
  GtkWindow        *window;
} Scene;

static void
scene_init (Scene *scene, const char *name)
{
  *scene = (Scene){ run_fixture_path (name), g_object_new (URBARIUM_TYPE_RACE_VIEW, NULL), NULL };
  scene->window = test_window_new (GTK_WIDGET (scene->view), 680, 720);
}

static void
scene_clear (Scene *scene)
{
  urbarium_race_view_set_race (scene->view, NULL);
  test_window_destroy (scene->window);
  g_free (scene->folder);
}

/* (transfer full) */
static UrbariumRace *
show (Scene *scene)
{
  g_autoptr(GError) error = NULL;
  UrbariumRace *race = urbarium_race_new (scene->folder, &error);
  g_assert_no_error (error);
  urbarium_race_view_set_race (scene->view, race);
  test_frames (scene->window, 3);
  return race;
}

static const char *
text (Scene *scene, const char *name)
{
  return gtk_label_get_text (made_up_part (GTK_WIDGET (scene->view), name));
}

static gboolean
is_visible (Scene *scene, const char *name)
{
  return gtk_widget_get_visible (made_up_part (GTK_WIDGET (scene->view), name));
}

static const char *
cell (Scene *scene, int column, int row)
{
  return gtk_label_get_text (GTK_LABEL (gtk_grid_get_child_at (made_up_part (GTK_WIDGET (scene->view), "grid"), column, row)));
}

/* The first way reaches the threshold in about half the time, with each seed. */
static void
test_finished (void)
{
  Scene scene;
  g_autoptr(UrbariumRace) race = NULL;
  scene_init (&scene, "finished");
  made_up_race (scene.folder, URB_RACE_FINISHED, 3);
  race = show (&scene);
  g_assert_cmpstr (text (&scene, "answer_label"), ==, "Hogwild, 2 processes: best here");
  g_assert_cmpstr (text (&scene, "note_label"), ==, "3 trainings each of 10 min, on the same threads.");
  g_assert_false (is_visible (&scene, "progress_bar"));
  g_assert_cmpstr (cell (&scene, 1, 0), ==, "Hogwild, 2 processes");
  g_assert_cmpstr (cell (&scene, 2, 0), ==, "One process");
  g_assert_cmpstr (cell (&scene, 1, 1), ==, "200 s (200 s to 200 s)");
  g_assert_cmpstr (cell (&scene, 2, 1), ==, "350 s (350 s to 350 s)");
  g_assert_true (gtk_widget_has_css_class (gtk_grid_get_child_at (made_up_part (GTK_WIDGET (scene.view), "grid"), 1, 1), "heading"));
  g_assert_cmpstr (cell (&scene, 1, 3), ==, "310.0 (305.0 to 315.0)");
  g_assert_cmpstr (cell (&scene, 1, 4), ==, "0.5 ×");
  test_screenshot (scene.window, "race-view");
  gtk_window_set_default_size (scene.window, 360, 720);
  test_frames (scene.window, 3);
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (scene.view)), <=, 360);
  test_screenshot (scene.window, "race-view-narrow");
  scene_clear (&scene);
}

static void
test_other_states (void)
{
  static const struct { UrbRaceState state; const char *answer, *note; } cases[] = {
    { URB_RACE_STOPPED, "The comparison was stopped", "3 trainings each of 10 min, on the same threads." },
    { URB_RACE_FAILED, "The comparison failed", "The disk is full." },
    { URB_RACE_RUNNING, "The comparison ended unexpectedly", "3 trainings each of 10 min, on the same threads." },
  };
  Scene scene;
  scene_init (&scene, "states");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(UrbariumRace) race = NULL;
      made_up_race (scene.folder, cases[i].state, 0);
      race = show (&scene);
      g_assert_cmpstr (text (&scene, "answer_label"), ==, cases[i].answer);
      g_assert_cmpstr (text (&scene, "note_label"), ==, cases[i].note);
      g_assert_false (is_visible (&scene, "grid"));
      g_assert_false (is_visible (&scene, "progress_bar"));
    }
  scene_clear (&scene);
}

/* A process that has the lock until it is killed. */
static pid_t
hold (const char *folder)
{
  int ready[2];
  char byte = 0;
  pid_t child;
  g_assert_cmpint (pipe (ready), ==, 0);
  child = fork ();
  if (child == 0)
    {
      byte = (char) urb_race_file_lock (folder, NULL);
      if (write (ready[1], &byte, 1) == 1)
        pause ();
      _exit (1);
    }
  g_assert_cmpint (read (ready[0], &byte, 1), ==, 1);
  g_assert_true (byte);
  close (ready[0]);
  close (ready[1]);
  return child;
}

static gboolean
has_stopped (gpointer race)
{
  return !urbarium_race_is_running (race);
}

static gboolean
has_figures (gpointer scene)
{
  return is_visible (scene, "grid");
}

static void
test_running (void)
{
  Scene scene;
  g_autoptr(UrbariumRace) race = NULL;
  pid_t child;
  int status;
  scene_init (&scene, "running");
  made_up_race (scene.folder, URB_RACE_RUNNING, 0);
  child = hold (scene.folder);
  race = show (&scene);
  g_assert_true (urbarium_race_is_running (race));
  g_assert_cmpstr (text (&scene, "answer_label"), ==, "The comparison is not finished");
  g_assert_cmpstr (text (&scene, "stage_label"), ==,
                   "Training: Hogwild, 2 processes, seed 2 of 3. 40 min of training left");
  g_assert_cmpfloat_with_epsilon (gtk_progress_bar_get_fraction (made_up_part (GTK_WIDGET (scene.view), "progress_bar")),
                                  2400 / urb_race_get_planned_s (10, 3), 1e-9);
  g_assert_false (is_visible (&scene, "grid"));
  made_up_race (scene.folder, URB_RACE_RUNNING, 1); /* its first scores */
  test_until (has_figures, &scene);
  test_frames (scene.window, 3);
  test_screenshot (scene.window, "race-running");
  urbarium_race_stop (race); /* by a signal, which ends this one at once */
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFSIGNALED (status) && WTERMSIG (status) == SIGTERM);
  test_until (has_stopped, race);
  g_assert_cmpstr (text (&scene, "answer_label"), ==, "The comparison ended unexpectedly");
  scene_clear (&scene);
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/app/race-view/finished", test_finished);
  g_test_add_func ("/app/race-view/other-states", test_other_states);
  g_test_add_func ("/app/race-view/running", test_running);
  result = g_test_run ();
  run_fixture_clear ();
  return result;
}
