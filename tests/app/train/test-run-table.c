/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-run-table.c - what the table shows of runs, and how it sorts them.
 */
#include <string.h>

#include "app-test.h"
#include "app/runs/run-private.h"
#include "app/train/run-filter.h"
#include "app/train/run-table.h"
#include "made-up.h"

typedef struct
{
  GtkWidget     *table;
  GtkColumnView *view;
  GListStore    *runs;
  GtkWindow     *window;
} Scene;

/* Made-up runs of a sweep over the seed and the learning rate. */
static UrbariumRun *
new_run (const char *name, guint64 seed, double lr_g)
{
  UrbariumRun *run = made_up_run (name);
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  config.name = g_strdup (name);
  config.created = 1700000000 + (gint64) seed;
  config.train.seed = seed;
  config.train.lr_g = lr_g;
  urbarium_run_set_config (run, &config);
  return run;
}

static void
scene_init (Scene *scene)
{
  *scene = (Scene){ .table = g_object_new (URBARIUM_TYPE_RUN_TABLE, NULL),
                    .runs = g_list_store_new (URBARIUM_TYPE_RUN) };
  scene->view = made_up_part (scene->table, "view");
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *name = g_strdup_printf ("Delft %u", i + 1);
      g_autoptr(UrbariumRun) run = new_run (name, 3 - i, i == 2 ? 0.002 : 0.001);
      made_up_run_progress (run, 100 * (i + 1), i == 0 ? 9.5 : 120);
      g_list_store_append (scene->runs, run);
    }
  urbarium_run_table_set_runs (URBARIUM_RUN_TABLE (scene->table), G_LIST_MODEL (scene->runs));
  scene->window = test_window_new (scene->table, 900, 300);
  test_frames (scene->window, 3);
}

static void
scene_clear (Scene *scene)
{
  test_window_destroy (scene->window);
  g_clear_object (&scene->runs);
}

static char *
join_titles (Scene *scene)
{
  GListModel *columns = gtk_column_view_get_columns (scene->view);
  g_autoptr(GString) titles = g_string_new (NULL);
  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item (columns, i);
      g_string_append_printf (titles, "%s%s", i > 0 ? "|" : "", gtk_column_view_column_get_title (column));
    }
  return g_string_free (g_steal_pointer (&titles), FALSE);
}

static UrbariumRun *
run_at (Scene *scene, guint i)
{
  g_autoptr(UrbariumRun) run = g_list_model_get_item (G_LIST_MODEL (scene->runs), i);
  return run; /* the store holds it */
}

static void
sort_by (Scene *scene, const char *title, GtkSortType order)
{
  GListModel *columns = gtk_column_view_get_columns (scene->view);
  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item (columns, i);
      if (g_str_equal (gtk_column_view_column_get_title (column), title))
        gtk_column_view_sort_by_column (scene->view, column, order);
    }
  test_frames (scene->window, 2);
}

static void
assert_first (Scene *scene, const char *name)
{
  g_autoptr(GPtrArray) selected = NULL;
  urbarium_run_table_select_first (URBARIUM_RUN_TABLE (scene->table), 1);
  selected = urbarium_run_table_dup_selected (URBARIUM_RUN_TABLE (scene->table));
  g_assert_cmpuint (selected->len, ==, 1);
  g_assert_cmpstr (urbarium_run_get_name (selected->pdata[0]), ==, name);
}

/* Only settings that differ have a column, also after a run has appeared or gone. */
static void
test_columns (void)
{
  Scene scene;
  g_autofree char *all = NULL, *same = NULL, *fewer = NULL;
  g_autoptr(UrbariumRun) unread = made_up_run ("unread");
  g_auto(UrbRunConfig) config = { 0 };
  scene_init (&scene);
  all = join_titles (&scene);
  g_assert_cmpstr (all, ==, "Name|State|Seed|Generator’s learning rate|Step|Images/s|Best score|Created");
  g_assert_nonnull (made_up_find_text (scene.table, "Delft 2"));
  g_assert_nonnull (made_up_find_text (scene.table, "0.002"));
  g_assert_nonnull (made_up_find_text (scene.table, "9.5"));
  test_screenshot (scene.window, "table");
  /* Neither what may hold a key, nor the settings of a run that cannot be read. */
  urb_run_config_copy (&config, urbarium_run_get_config (run_at (&scene, 1)));
  g_free (config.hook);
  config.hook = g_strdup ("https://example.org?key=SECRET");
  urbarium_run_set_config (run_at (&scene, 1), &config);
  g_list_store_append (scene.runs, unread);
  test_frames (scene.window, 3);
  same = join_titles (&scene);
  g_assert_cmpstr (same, ==, all);
  g_list_store_remove (scene.runs, 2);
  test_frames (scene.window, 3);
  fewer = join_titles (&scene);
  g_assert_cmpstr (fewer, ==, "Name|State|Seed|Step|Images/s|Best score|Created");
  scene_clear (&scene);
}

static void
test_words (void)
{
  static const struct { const char *words, *note; gboolean matches; } cases[] = {
    { "", NULL, TRUE },           { "  ", NULL, TRUE },         { "delft", NULL, TRUE },
    { "DELFT stop", NULL, TRUE }, { "delft leiden", NULL, FALSE }, { "roads", "wider roads #alps", TRUE },
    { "#alps", "wider #alps", TRUE }, { "#ALPS wider", "wider #alps", TRUE }, { "#alp", "wider #alps", FALSE },
    { "#alps", "#alps-north", FALSE }, { "#alps", "#alps-north,#alps.", TRUE }, { "#", "#alps", TRUE },
    { "#alps", "x#alps", FALSE }, { "#alps", "x#alps #alps", TRUE }, { "#alps", "(#alps)", TRUE },
    { "#v1", "#v1.2", FALSE },    { "#v1", "#v1.2 #v1", TRUE }, { "#v1", "is #v1.", TRUE },
    { "#v1", "#v1, 2", TRUE },    { "#v1.2", "#v1.2", TRUE },   { "#v1", "#v1…", TRUE },
    { "#x", NULL, FALSE },        { "ÖST", "östlich", TRUE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (urbarium_run_filter_matches (cases[i].words, "Delft 1", cases[i].note, "Stopped"), ==, cases[i].matches);
}

static guint
count_rows (Scene *scene)
{
  return g_list_model_get_n_items (G_LIST_MODEL (gtk_column_view_get_model (scene->view)));
}

/* Runs by words and tags, also of notes that come later. */
static void
test_filter (void)
{
  Scene scene;
  g_autofree char *titles = NULL;
  scene_init (&scene);
  urbarium_run_table_set_filter (URBARIUM_RUN_TABLE (scene.table), "delft 2");
  g_assert_cmpuint (count_rows (&scene), ==, 1);
  urbarium_run_table_set_filter (URBARIUM_RUN_TABLE (scene.table), "#alps");
  g_assert_cmpuint (count_rows (&scene), ==, 0);
  urbarium_run_set_note (run_at (&scene, 1), "wider roads #alps");
  g_assert_cmpuint (count_rows (&scene), ==, 1);
  test_frames (scene.window, 3);
  titles = join_titles (&scene);
  g_assert_nonnull (strstr (titles, "|Note|"));
  g_assert_nonnull (made_up_find_text (scene.table, "wider roads #alps"));
  assert_first (&scene, "Delft 2");
  urbarium_run_table_set_filter (URBARIUM_RUN_TABLE (scene.table), "training");
  g_assert_cmpuint (count_rows (&scene), ==, 0);
  made_up_run_stands (run_at (&scene, 2), TRUE, URB_RUN_RUNNING);
  assert_first (&scene, "Delft 3");
  made_up_run_stands (run_at (&scene, 2), FALSE, URB_RUN_STOPPED);
  g_assert_cmpuint (count_rows (&scene), ==, 0);
  urbarium_run_table_set_filter (URBARIUM_RUN_TABLE (scene.table), "leiden");
  made_up_run_rename (run_at (&scene, 0), "Leiden");
  assert_first (&scene, "Leiden");
  urbarium_run_table_set_filter (URBARIUM_RUN_TABLE (scene.table), "");
  g_assert_cmpuint (count_rows (&scene), ==, 3);
  scene_clear (&scene);
}

/* Cells follow their run. */
static void
test_live (void)
{
  Scene scene;
  scene_init (&scene);
  g_assert_null (made_up_find_text (scene.table, "1.25"));
  made_up_run_score (run_at (&scene, 0), 50, 1.25);
  made_up_run_score (run_at (&scene, 0), 60, 2.5);
  test_frames (scene.window, 2);
  g_assert_nonnull (made_up_find_text (scene.table, "1.25"));
  made_up_run_event (run_at (&scene, 0), "info", "rewound", "", 40);
  test_frames (scene.window, 2);
  g_assert_null (made_up_find_text (scene.table, "1.25"));
  scene_clear (&scene);
}

static void
test_sort (void)
{
  Scene scene;
  scene_init (&scene);
  assert_first (&scene, "Delft 1");
  sort_by (&scene, "Seed", GTK_SORT_ASCENDING);
  assert_first (&scene, "Delft 3");
  sort_by (&scene, "Images/s", GTK_SORT_ASCENDING);
  assert_first (&scene, "Delft 1");
  sort_by (&scene, "Name", GTK_SORT_DESCENDING);
  assert_first (&scene, "Delft 3");
  made_up_run_score (run_at (&scene, 1), 50, 1.25);
  sort_by (&scene, "Best score", GTK_SORT_ASCENDING); /* the others have none */
  assert_first (&scene, "Delft 2");
  scene_clear (&scene);
}

static void
note_activated (UrbariumRun **noted, UrbariumRun *run)
{
  *noted = run;
}

static void
test_activate (void)
{
  Scene scene;
  UrbariumRun *noted = NULL;
  scene_init (&scene);
  g_signal_connect_swapped (scene.table, "activated", G_CALLBACK (note_activated), &noted);
  sort_by (&scene, "Seed", GTK_SORT_ASCENDING);
  g_signal_emit_by_name (scene.view, "activate", 0);
  g_assert_true (noted == run_at (&scene, 2));
  scene_clear (&scene);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/run-table/columns", test_columns);
  g_test_add_func ("/run-table/words", test_words);
  g_test_add_func ("/run-table/filter", test_filter);
  g_test_add_func ("/run-table/live", test_live);
  g_test_add_func ("/run-table/sort", test_sort);
  g_test_add_func ("/run-table/activate", test_activate);
  return g_test_run ();
}
