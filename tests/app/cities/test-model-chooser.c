/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-model-chooser.c - the chosen checkpoint while runs appear, train, lose checkpoints and are
 * renamed. The runs are handmade; one is controlled like a training run.
 */
#include <string.h>

#include "app-test.h"
#include "app/cities/model-chooser.h"
#include "run/store/control.h"
#include "run/store/run-db.h"

/* A run that seems to train: this test is its supervisor. */
typedef struct
{
  UrbRunFolder *folder;  /* owned */
  UrbRunDb     *db;      /* owned */
  UrbControl   *control; /* owned */
  UrbRunConfig  config;
} Trainer;

typedef struct
{
  GtkWidget            *widget; /* owned by the window */
  UrbariumModelChooser *chooser;
  GtkWindow            *window;
  char                 *told;   /* owned: the last "checkpoint of run" */
  int                   n_told;
} Scene;

static char *base; /* owned */

static void
delete_base (void)
{
  g_spawn_sync (NULL, (char *[]){ "rm", "-rf", base, NULL }, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                NULL, NULL, NULL, NULL);
  g_clear_pointer (&base, g_free);
}

static gboolean
command (const char *cmd, JsonObject *request, JsonBuilder *reply, gpointer data, GError **error)
{
  return TRUE;
}

static void
add_status (JsonBuilder *json, gpointer data)
{
  urb_json_add_string (json, "state", "running");
  urb_json_add_int (json, "step", 1000);
  urb_json_add_int (json, "n_steps", 2000);
}

static void
save (Trainer *trainer, gint64 step)
{
  g_autofree char *file = urb_run_checkpoint_name (step);
  g_assert_true (urb_run_db_add_checkpoint (trainer->db, step, file, 1000, NULL));
  g_assert_true (urb_run_db_commit (trainer->db, NULL));
  if (trainer->control != NULL)
    urb_control_notify (trainer->control);
}

static void
add_score (Trainer *trainer, gint64 step, double score)
{
  UrbScores scores = { .step = step };
  for (int i = 0; i < URB_N_SCORES; i++)
    scores.values[i] = score;
  g_assert_true (urb_run_db_add_score (trainer->db, &scores, NULL));
  g_assert_true (urb_run_db_commit (trainer->db, NULL));
  urb_control_notify (trainer->control);
}

static void
drop (Trainer *trainer, gint64 step)
{
  g_assert_true (urb_run_db_drop_checkpoint (trainer->db, step, NULL));
  g_assert_true (urb_run_db_add_event (trainer->db, "info", "checkpoint-deleted", step, "Deleted",
                                       NULL));
  g_assert_true (urb_run_db_commit (trainer->db, NULL));
  urb_control_notify (trainer->control);
}

static void
rename_to (Trainer *trainer, const char *name)
{
  g_free (trainer->config.name);
  trainer->config.name = g_strdup (name);
  g_assert_true (urb_run_folder_save_config (trainer->folder, &trainer->config, NULL));
}

/* @created: the newest run is first */
static void
trainer_begin (Trainer *trainer, const char *library, const char *name, gint64 created)
{
  static const UrbControlOps ops = { .command = command, .status = add_status };
  g_autofree char *parent = g_build_filename (base, library, NULL);
  g_autofree char *path = g_build_filename (parent, name, NULL);
  g_autofree char *db = g_build_filename (path, "run.db", NULL);
  g_autoptr(GError) error = NULL;
  g_mkdir_with_parents (parent, 0700);
  trainer->folder = urb_run_folder_create (path, URB_RUN_FOLDER_NEW, &error);
  g_assert_no_error (error);
  urb_run_config_init (&trainer->config);
  trainer->config.created = created;
  rename_to (trainer, name);
  trainer->db = urb_run_db_open (db, &error);
  g_assert_no_error (error);
  trainer->control = urb_control_new (trainer->folder, &ops, trainer, &error);
  g_assert_no_error (error);
}

static void
trainer_end (Trainer *trainer)
{
  urb_control_free (trainer->control);
  urb_run_db_free (trainer->db);
  urb_run_folder_free (trainer->folder);
  urb_run_config_clear (&trainer->config);
}

/* ------------------------------------------------------------------------ */

static gpointer
part (Scene *scene, const char *name)
{
  return gtk_widget_get_template_child (scene->widget, URBARIUM_TYPE_MODEL_CHOOSER, name);
}

static gboolean
is_shown (Scene *scene, const char *name)
{
  return gtk_widget_get_visible (part (scene, name));
}

static void
chosen_cb (UrbariumModelChooser *chooser, const char *checkpoint, const char *run, Scene *scene)
{
  g_autofree char *name = checkpoint != NULL ? g_path_get_basename (checkpoint) : NULL;
  g_autofree char *folder = run != NULL ? g_path_get_basename (run) : NULL;
  g_free (scene->told);
  scene->told = g_strdup_printf ("%s of %s", name != NULL ? name : "none",
                                 folder != NULL ? folder : "none");
  scene->n_told++;
}

static void
scene_set_up (Scene *scene)
{
  *scene = (Scene) { .widget = g_object_new (URBARIUM_TYPE_MODEL_CHOOSER, NULL) };
  scene->chooser = URBARIUM_MODEL_CHOOSER (scene->widget);
  g_signal_connect (scene->widget, "chosen", G_CALLBACK (chosen_cb), scene);
  scene->window = test_window_new (scene->widget, 360, 400);
}

static void
scene_tear_down (Scene *scene)
{
  test_window_destroy (scene->window);
  g_clear_pointer (&scene->told, g_free);
}

typedef struct
{
  Scene      *scene;
  const char *text;
} Wanted;

static gboolean
was_told (gpointer data)
{
  const Wanted *wanted = data;
  return g_strcmp0 (wanted->scene->told, wanted->text) == 0;
}

static void
until_told (Scene *scene, const char *text)
{
  Wanted wanted = { scene, text };
  test_until (was_told, &wanted);
}

/* Whether a label in it has that text. */
static gboolean
has_label (GtkWidget *widget, const char *text)
{
  if (GTK_IS_LABEL (widget) && strcmp (gtk_label_get_label (GTK_LABEL (widget)), text) == 0)
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (has_label (child, text))
      return TRUE;
  return FALSE;
}

static gboolean
is_called_harbour (gpointer scene)
{
  return has_label (part (scene, "run_row"), "Harbour");
}

static gboolean
is_scanned (gpointer library)
{
  gboolean loading;
  g_object_get (library, "loading", &loading, NULL);
  return !loading;
}

static UrbariumRunLibrary *
open_library (const char *name)
{
  g_autofree char *path = g_build_filename (base, name, NULL);
  return urbarium_run_library_new (path);
}

typedef struct
{
  UrbariumRun *run;
  guint        n;
} Count;

static gboolean
has_checkpoints (gpointer data)
{
  const Count *count = data;
  return g_list_model_get_n_items (urbarium_run_get_checkpoints (count->run)) == count->n;
}

static void
until_checkpoints (UrbariumRunLibrary *library, guint n)
{
  g_autoptr(UrbariumRun) run = g_list_model_get_item (G_LIST_MODEL (library), 0);
  Count count = { run, n };
  test_until (has_checkpoints, &count);
}

/* ------------------------------------------------------------------------ */

static void
test_none (void)
{
  g_autoptr(UrbariumRunLibrary) library = open_library ("none");
  Scene scene;
  scene_set_up (&scene);
  g_assert_false (is_shown (&scene, "run_row"));
  g_assert_false (is_shown (&scene, "checkpoint_row"));
  g_assert_false (is_shown (&scene, "close_button"));
  urbarium_model_chooser_set_library (scene.chooser, library);
  test_until (is_scanned, library);
  test_frames (scene.window, 3);
  g_assert_false (is_shown (&scene, "run_row"));
  g_assert_cmpint (scene.n_told, ==, 0);

  g_assert_false (is_shown (&scene, "text"));
  urbarium_model_chooser_set_text (scene.chooser, "64 px, step 2");
  g_assert_true (is_shown (&scene, "text"));
  g_assert_cmpstr (gtk_label_get_label (part (&scene, "text")), ==, "64 px, step 2");
  urbarium_model_chooser_set_text (scene.chooser, NULL);
  g_assert_false (is_shown (&scene, "text"));
  scene_tear_down (&scene);
}

/* Only the newest checkpoint of the newest run is emitted; then another run, without checkpoints. */
static void
test_runs (void)
{
  g_autoptr(UrbariumRunLibrary) library = NULL;
  Trainer old = { 0 }, new = { 0 };
  Scene scene;
  trainer_begin (&old, "runs", "Old Town", 1600000000);
  trainer_begin (&new, "runs", "New Town", 1700000000);
  for (int step = 5; step <= 15; step += 5)
    save (&new, step);
  library = open_library ("runs");
  test_until (is_scanned, library);
  scene_set_up (&scene);
  urbarium_model_chooser_set_library (scene.chooser, library);
  until_told (&scene, "step-000000015.safetensors of New Town");
  g_assert_cmpint (scene.n_told, ==, 1);
  g_assert_true (is_shown (&scene, "run_row"));
  g_assert_true (is_shown (&scene, "checkpoint_row"));
  g_assert_true (has_label (part (&scene, "checkpoint_row"), "Step 15"));

  adw_combo_row_set_selected (part (&scene, "run_row"), 1);
  until_told (&scene, "none of Old Town");
  save (&old, 7);
  until_told (&scene, "step-000000007.safetensors of Old Town");
  rename_to (&old, "Harbour");
  test_until (is_called_harbour, &scene);
  adw_combo_row_set_selected (part (&scene, "run_row"), 0);
  until_told (&scene, "step-000000015.safetensors of New Town");
  scene_tear_down (&scene);
  trainer_end (&old);
  trainer_end (&new);
  test_assert_last_unref (g_steal_pointer (&library));
}

static void
test_newest (void)
{
  g_autoptr(UrbariumRunLibrary) library = NULL;
  g_autoptr(UrbariumRun) run = NULL;
  Trainer trainer = { 0 };
  AdwComboRow *row;
  Scene scene;
  trainer_begin (&trainer, "newest", "Town", 1700000000);
  save (&trainer, 2);
  library = open_library ("newest");
  test_until (is_scanned, library);
  run = g_list_model_get_item (G_LIST_MODEL (library), 0);
  scene_set_up (&scene);
  row = part (&scene, "checkpoint_row");
  urbarium_model_chooser_set_library (scene.chooser, library);
  until_told (&scene, "step-000000002.safetensors of Town");
  save (&trainer, 3);
  until_told (&scene, "step-000000003.safetensors of Town");

  /* Not while held. */
  urbarium_model_chooser_set_held (scene.chooser, TRUE);
  save (&trainer, 4);
  until_checkpoints (library, 3);
  test_frames (scene.window, 3);
  g_assert_cmpstr (scene.told, ==, "step-000000003.safetensors of Town");
  urbarium_model_chooser_set_held (scene.chooser, FALSE);
  until_told (&scene, "step-000000004.safetensors of Town");

  /* A picked checkpoint stays until it is deleted. */
  adw_combo_row_set_selected (row, 1);
  until_told (&scene, "step-000000003.safetensors of Town");
  save (&trainer, 5);
  until_checkpoints (library, 4);
  test_frames (scene.window, 3);
  g_assert_cmpuint (adw_combo_row_get_selected (row), ==, 2);
  g_assert_cmpstr (scene.told, ==, "step-000000003.safetensors of Town");
  drop (&trainer, 3);
  until_told (&scene, "step-000000005.safetensors of Town");

  /* Until the run is shown again, or the newest is picked. */
  adw_combo_row_set_selected (row, 2);
  until_told (&scene, "step-000000002.safetensors of Town");
  urbarium_model_chooser_show_run (scene.chooser, run);
  until_told (&scene, "step-000000005.safetensors of Town");
  adw_combo_row_set_selected (row, 1);
  adw_combo_row_set_selected (row, 0);
  save (&trainer, 6);
  until_told (&scene, "step-000000006.safetensors of Town");
  scene_tear_down (&scene);
  trainer_end (&trainer);
}

/* An opened file stays chosen when runs appear, until it is closed. */
static void
test_file (void)
{
  g_autoptr(UrbariumRunLibrary) library = NULL;
  g_autoptr(UrbariumRun) run = NULL;
  Trainer trainer = { 0 };
  Scene scene;
  trainer_begin (&trainer, "file", "Town", 1700000000);
  save (&trainer, 2);
  library = open_library ("file");
  scene_set_up (&scene);
  urbarium_model_chooser_open (scene.chooser, "/elsewhere/best.safetensors");
  until_told (&scene, "best.safetensors of best.safetensors");
  g_assert_false (is_shown (&scene, "close_button")); /* there are no runs to go back to */
  urbarium_model_chooser_set_library (scene.chooser, library);
  test_until (is_scanned, library);
  until_checkpoints (library, 1);
  test_frames (scene.window, 3);
  g_assert_cmpint (scene.n_told, ==, 1);
  g_assert_cmpstr (adw_action_row_get_subtitle (part (&scene, "open_row")), ==, "best.safetensors");
  g_assert_false (is_shown (&scene, "run_row"));
  g_assert_false (is_shown (&scene, "checkpoint_row"));
  g_assert_true (is_shown (&scene, "close_button"));
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (part (&scene, "close_button")),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, "Back to the runs");

  g_signal_emit_by_name (part (&scene, "close_button"), "clicked");
  until_told (&scene, "step-000000002.safetensors of Town");
  g_assert_true (is_shown (&scene, "run_row"));
  g_assert_false (is_shown (&scene, "close_button"));
  g_assert_cmpstr (adw_action_row_get_subtitle (part (&scene, "open_row")), ==, "");

  urbarium_model_chooser_open (scene.chooser, "/elsewhere/other.safetensors");
  until_told (&scene, "other.safetensors of other.safetensors");
  run = g_list_model_get_item (G_LIST_MODEL (library), 0);
  urbarium_model_chooser_show_run (scene.chooser, run);
  until_told (&scene, "step-000000002.safetensors of Town");
  g_assert_true (is_shown (&scene, "run_row"));
  urbarium_model_chooser_open (scene.chooser, "/elsewhere/best.safetensors");
  scene_tear_down (&scene); /* before the signal */
  trainer_end (&trainer);
}

typedef struct
{
  Scene      *scene;
  const char *text;
} Named;

static gboolean
is_named (gpointer data)
{
  const Named *named = data;
  return has_label (part (named->scene, "checkpoint_row"), named->text);
}

/* The best is named as such, also when a better one comes; the chosen one stays. */
static void
test_best (void)
{
  g_autoptr(UrbariumRunLibrary) library = NULL;
  Trainer trainer = { 0 };
  Scene scene;
  Named best = { &scene, "Step 15 (best)" }, plain = { &scene, "Step 15" };
  trainer_begin (&trainer, "scores", "Old Town", 1600000000);
  save (&trainer, 5);
  save (&trainer, 15);
  add_score (&trainer, 5, 1.5);
  library = open_library ("scores");
  test_until (is_scanned, library);
  scene_set_up (&scene);
  urbarium_model_chooser_set_library (scene.chooser, library);
  until_told (&scene, "step-000000015.safetensors of Old Town");
  test_until (is_named, &plain);
  add_score (&trainer, 15, 0.83);
  test_until (is_named, &best);
  test_screenshot (scene.window, "best-checkpoint");
  g_assert_cmpint (scene.n_told, ==, 1);
  scene_tear_down (&scene);
  trainer_end (&trainer);
  test_assert_last_unref (g_steal_pointer (&library));
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  base = g_dir_make_tmp ("urbarium-chooser-XXXXXX", NULL);
  g_test_add_func ("/app/cities/model-chooser/none", test_none);
  g_test_add_func ("/app/cities/model-chooser/runs", test_runs);
  g_test_add_func ("/app/cities/model-chooser/best", test_best);
  g_test_add_func ("/app/cities/model-chooser/newest", test_newest);
  g_test_add_func ("/app/cities/model-chooser/file", test_file);
  result = g_test_run ();
  delete_base ();
  return result;
}
