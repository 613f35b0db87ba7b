/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-strategy-group.c - available strategies, why others are unavailable, the settings of the
 * selected one, and its forecast. A shell script replaces the engine.
 */
#include <string.h>

#include "app-test.h"
#include "app/base/format.h"
#include "app/train/rank-memory.h"
#include "app/train/strategy-diagram.h"
#include "app/train/strategy-group.h"
#include "app/train/strategy.h"
#include "looks.h"
#include "made-up.h"
#include "run-fixture.h"

#define GIB G_GINT64_CONSTANT (1073741824)

/* It plans 3 of 8 GiB for one process, 5 GiB for two, 12 GiB for a batch of 64, and rejects a batch
 * of 7.  One process is expected to be fastest until it measures, which takes half a second. */
static const char engine[]
  = "candidates () { echo \"{\\\"candidates\\\":[{\\\"strategy\\\":\\\"single\\\",\\\"ranks\\\":1,\\\"recommended\\\":$1,"
    "\\\"bytes_most\\\":3221225472,\\\"forecast\\\":{\\\"images_per_second\\\":20,\\\"measured\\\":$2}},"
    "{\\\"strategy\\\":\\\"ddp\\\",\\\"ranks\\\":2,\\\"recommended\\\":$2,\\\"bytes_most\\\":1073741824,"
    "\\\"forecast\\\":{\\\"images_per_second\\\":$3,\\\"measured\\\":$2}},"
    "{\\\"strategy\\\":\\\"mesh\\\",\\\"mesh\\\":\\\"data=2,pipe=4\\\",\\\"ranks\\\":8,\\\"recommended\\\":false,"
    "\\\"bytes_most\\\":1073741824,\\\"forecast\\\":{\\\"images_per_second\\\":12,\\\"measured\\\":$2}},"
    "{\\\"strategy\\\":\\\"ddp\\\",\\\"ranks\\\":4,\\\"recommended\\\":false,\\\"bytes_most\\\":1,"
    "\\\"forecast\\\":{\\\"images_per_second\\\":5,\\\"measured\\\":$2}}]}\"; exit 0; }\n"
    "case \"$*\" in\n"
    "*--recommend*--estimate*) cat > /dev/null; candidates true false 15 ;;\n"
    "*--recommend*) cat > /dev/null; sleep 0.5; candidates false true 35 ;;\n"
    "esac\n"
    "case \"$(cat)\" in\n"
    "*batch=7*) echo 'urbarium-engine: seven is refused' >&2; exit 1 ;;\n"
    "*batch=64*) total=12884901888 ;;\n"
    "*strategy=hogwild*ranks=2*) total=3221225472; all='\"preflight\": {\"memory\": "
    "{\"needed\": 5368709120, \"available\": 8589934592}, \"rank_memory\": ["
    "{\"weights\":1073741824,\"optimizer\":536870912,\"work\":1610612736,\"other\":0},"
    "{\"weights\":1073741824,\"optimizer\":0,\"work\":1073741824,\"other\":0}]},' ;;\n"
    "*) total=3221225472 ;;\n"
    "esac\n"
    "echo \"{$all\\\"bytes_total\\\":$total,\\\"bytes_available\\\":8589934592,"
    "\\\"images_per_second\\\":210}\"\n";

typedef struct
{
  GtkWidget             *widget; /* owned by the window */
  UrbariumStrategyGroup *group;
  GPtrArray             *rows;   /* owned; AdwActionRow, borrowed: the strategies */
  GPtrArray             *settings; /* the same: their settings, two each */
  GPtrArray             *more;     /* owned; AdwExpanderRow, borrowed: with the rest */
  GtkWindow             *window;
  int                    n_changed;
} Scene;

static void
collect_rows (Scene *scene, GtkWidget *widget)
{
  if (ADW_IS_EXPANDER_ROW (widget))
    {
      g_ptr_array_add (scene->more, widget);
      return;
    }
  if (ADW_IS_ACTION_ROW (widget))
    g_ptr_array_add (test_find (widget, URBARIUM_TYPE_STRATEGY_DIAGRAM) != NULL ? scene->rows
                                                                                : scene->settings,
                     widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect_rows (scene, child);
}

static void
changed_cb (Scene *scene)
{
  scene->n_changed++;
}

static void
scene_set_up (Scene *scene)
{
  scene->widget = g_object_new (URBARIUM_TYPE_STRATEGY_GROUP, NULL);
  scene->group = URBARIUM_STRATEGY_GROUP (scene->widget);
  scene->rows = g_ptr_array_new ();
  scene->settings = g_ptr_array_new ();
  scene->more = g_ptr_array_new ();
  scene->n_changed = 0;
  collect_rows (scene, scene->widget);
  g_signal_connect_swapped (scene->group, "changed", G_CALLBACK (changed_cb), scene);
  scene->window = test_window_new (scene->widget, 500, 1000);
}

static void
scene_tear_down (Scene *scene)
{
  g_ptr_array_unref (scene->rows);
  g_ptr_array_unref (scene->settings);
  g_ptr_array_unref (scene->more);
  test_window_destroy (scene->window);
}

static const char *
get_text (Scene *scene, guint i)
{
  return adw_action_row_get_subtitle (scene->rows->pdata[i]);
}

static gboolean
has_badge (GtkWidget *widget)
{
  if (gtk_widget_has_css_class (widget, "train-badge"))
    return gtk_widget_get_visible (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (has_badge (child))
      return TRUE;
  return FALSE;
}

static void
test_rows (void)
{
  Scene scene;
  scene_set_up (&scene);
  g_assert_cmpuint (scene.rows->len, ==, URB_N_STRATEGIES);
  for (guint i = 0; i < URB_N_STRATEGIES; i++)
    {
      GtkWidget *row = scene.rows->pdata[i];
      GtkWidget *check = test_find (row, GTK_TYPE_CHECK_BUTTON);
      g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), ==,
                       urbarium_strategies[i].title);
      g_assert_nonnull (test_find (row, URBARIUM_TYPE_STRATEGY_DIAGRAM));
      gtk_test_accessible_assert_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                           urbarium_strategies[i].title);
      g_assert_true (g_str_has_prefix (get_text (&scene, i), urbarium_strategies[i].text));
      /* One is available and selected. */
      g_assert_cmpint (gtk_widget_is_sensitive (row), ==, i == 0);
      g_assert_cmpint (gtk_check_button_get_active (GTK_CHECK_BUTTON (check)), ==, i == 0);
      g_assert_cmpint (has_badge (row), ==, i == 0);
    }
  g_assert_cmpstr (get_text (&scene, 0), ==, urbarium_strategies[0].text);
  adw_action_row_activate (scene.rows->pdata[0]); /* it stays selected */
  g_assert_true (gtk_check_button_get_active (
    GTK_CHECK_BUTTON (test_find (scene.rows->pdata[0], GTK_TYPE_CHECK_BUTTON))));
  test_screenshot (scene.window, "strategy-group");
  scene_tear_down (&scene);
}

/* Names separated by commas; NULL: the engine does not report any. */
static void
set_devices (Scene *scene, const char *reported, int n_cores)
{
  g_auto(GStrv) strategies = reported == NULL ? NULL : g_strsplit (reported, ",", -1);
  UrbariumDevices devices = { .n_cores = n_cores, .strategies = strategies };
  urbarium_strategy_group_set_devices (scene->group, &devices, NULL);
}

static void
test_available (void)
{
  Scene scene;
  scene_set_up (&scene);
  for (int i = 0; i < 3; i++)
    {
      set_devices (&scene, i == 1 ? "single,ddp,of a later version,pipeline" : NULL, 4);
      for (guint k = 1; k < scene.rows->len; k++)
        {
          gboolean there = i == 1 && k == URB_STRATEGY_DDP;
          g_assert_cmpint (g_str_has_suffix (get_text (&scene, k), "\nNot in this version"), ==,
                           !there);
          g_assert_cmpint (gtk_widget_is_sensitive (scene.rows->pdata[k]), ==, there);
        }
      g_assert_true (gtk_widget_is_sensitive (scene.rows->pdata[0]));
    }
  scene_tear_down (&scene);
}

/* The engine's reasons; unknown strategies are "not in this version". */
static void
test_why (void)
{
  g_autoptr(GHashTable) why = g_hash_table_new (g_str_hash, g_str_equal);
  UrbariumDevices devices = { .n_cores = 2, .strategies_why = why };
  g_autofree char *said = g_strconcat (urbarium_strategies[URB_STRATEGY_DDP].text, "\nNo <MPI>", NULL);
  Scene scene;
  scene_set_up (&scene);
  g_hash_table_insert (why, (char *) "ddp", (char *) "No <MPI>");
  urbarium_strategy_group_set_devices (scene.group, &devices, NULL);
  g_assert_cmpstr (get_text (&scene, URB_STRATEGY_DDP), ==, said);
  g_assert_true (g_str_has_suffix (get_text (&scene, URB_STRATEGY_DP), "\nNot in this version"));
  scene_tear_down (&scene);
}

#define ALL "single,hogwild,streams,dp,ddp,zero1,zero2,zero3,layers,gpipe,1f1b,interleaved,zb,tensor,mesh"

static UrbTrainOptions
apply (Scene *scene)
{
  g_auto(UrbRunConfig) config = { 0 };
  const UrbTrainOptions *options = &config.train;
  urb_run_config_init (&config);
  urbarium_strategy_group_apply (scene->group, &config);
  return (UrbTrainOptions) { .strategy = options->strategy, .n_ranks = options->n_ranks,
                             .stale_lr = options->stale_lr, .sync_batch_norm = options->sync_batch_norm };
}

/* Whether there is a switch below the number of ranks. */
static gboolean
has_switch (UrbStrategy strategy)
{
  return strategy < URB_STRATEGY_LAYERS;
}

/* Ranks, then a switch, which pipelines and tensor parallel ranks do not have. */
static GtkWidget *
get_setting (Scene *scene, UrbStrategy strategy, int which)
{
  int i = (int) strategy - 1, n_before = MIN (i, (int) URB_STRATEGY_LAYERS - 1);
  return scene->settings->pdata[i + n_before + which];
}

static GtkSpinButton *
get_spin (Scene *scene, UrbStrategy strategy)
{
  return GTK_SPIN_BUTTON (test_find (get_setting (scene, strategy, 0), GTK_TYPE_SPIN_BUTTON));
}

static GtkSwitch *
get_switch (Scene *scene, UrbStrategy strategy)
{
  return GTK_SWITCH (test_find (get_setting (scene, strategy, 1), GTK_TYPE_SWITCH));
}

static void
use_networks (Scene *scene, const char *name, const char *recipe)
{
  g_autoptr(UrbPreset) preset = urb_preset_load (name, NULL);
  urbarium_strategy_group_set_networks (scene->group, preset, recipe);
}

/* In the order of the rows: ranks along tensor, data and pipe; they are the last settings. */
static GtkSpinButton *
get_axis (Scene *scene, int axis)
{
  return GTK_SPIN_BUTTON (test_find (scene->settings->pdata[scene->settings->len - 3 + (guint) axis],
                                     GTK_TYPE_SPIN_BUTTON));
}

/* Only the settings of the selected strategy are visible. */
static void
assert_settings (Scene *scene, UrbStrategy chosen, gboolean with_switch)
{
  for (guint axis = 0; axis < 3; axis++)
    g_assert_cmpint (gtk_widget_get_visible (scene->settings->pdata[scene->settings->len - 3 + axis]), ==,
                     chosen == URB_STRATEGY_MESH);
  for (int i = 1; i < URB_STRATEGY_MESH; i++)
    {
      g_assert_cmpint (gtk_widget_get_visible (get_setting (scene, i, 0)), ==,
                       i == (int) chosen);
      if (has_switch (i))
        g_assert_cmpint (gtk_widget_get_visible (get_setting (scene, i, 1)), ==,
                         i == (int) chosen && with_switch);
    }
}

static void
test_settings (void)
{
  static const char *const names[] = { "Processes", "Threads", "Copies", "Copies", "Copies",
                                       "Copies", "Copies", "Stages", "Stages", "Stages", "Stages",
                                       "Stages", "Ranks" };
  Scene scene;
  scene_set_up (&scene);
  g_assert_cmpuint (scene.settings->len, ==, URB_STRATEGY_MESH - 1 + URB_STRATEGY_LAYERS - 1 + 3);
  set_devices (&scene, ALL, 4);
  use_networks (&scene, "dcgan-32m", "dcgan");
  assert_settings (&scene, URB_STRATEGY_SINGLE, FALSE);
  for (int i = 1; i < URB_STRATEGY_MESH; i++)
    {
      UrbTrainOptions options;
      gboolean asynchronous = i <= URB_STRATEGY_STREAMS;
      scene.n_changed = 0;
      adw_action_row_activate (scene.rows->pdata[i]); /* the whole row can be clicked */
      g_assert_cmpint (scene.n_changed, ==, 1);
      assert_settings (&scene, i, TRUE);
      options = apply (&scene);
      g_assert_cmpint (options.strategy, ==, i);
      g_assert_cmpint (options.n_ranks, ==, 2);
      g_assert_true (options.stale_lr && options.sync_batch_norm);
      test_assert_name (get_spin (&scene, i), names[i - 1]);
      if (has_switch (i))
        test_assert_name (get_switch (&scene, i),
                          asynchronous ? "Lower the learning rate with the number of workers"
                                       : "Batch statistics over all copies");
      if (i == URB_STRATEGY_HOGWILD)
        test_screenshot (scene.window, "strategy-hogwild");
      if (i == URB_STRATEGY_DDP)
        test_screenshot (scene.window, "strategy-ddp");
      if (i == URB_STRATEGY_ZB)
        test_screenshot (scene.window, "strategy-zb");
      if (i == URB_STRATEGY_TENSOR)
        test_screenshot (scene.window, "strategy-tensor");
    }
  adw_action_row_activate (scene.rows->pdata[0]);
  assert_settings (&scene, URB_STRATEGY_SINGLE, FALSE);
  g_assert_cmpint (apply (&scene).n_ranks, ==, 1);
  scene_tear_down (&scene);
}

/* More ranks than this machine has cores, as the hosts have slots; those that the user chose stay while the
 * slots do. */
static void
test_hosts (void)
{
  Scene scene;
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  scene_set_up (&scene);
  set_devices (&scene, ALL, 4);
  adw_action_row_activate (scene.rows->pdata[URB_STRATEGY_DDP]);
  urbarium_strategy_group_set_hosts (scene.group, &config, 7);
  g_assert_cmpint (apply (&scene).n_ranks, ==, 7);
  gtk_spin_button_set_value (get_spin (&scene, URB_STRATEGY_DDP), 3);
  urbarium_strategy_group_set_hosts (scene.group, &config, 7);
  g_assert_cmpint (apply (&scene).n_ranks, ==, 3);
  urbarium_strategy_group_set_hosts (scene.group, &config, 5000);
  g_assert_cmpint (apply (&scene).n_ranks, ==, URB_MAX_RANKS);
  scene_tear_down (&scene);
}

/* Shared settings stay equal; each change is emitted once, and written where it applies. */
static void
test_shared (void)
{
  Scene scene;
  UrbTrainOptions options;
  scene_set_up (&scene);
  set_devices (&scene, ALL, 4);
  use_networks (&scene, "dcgan-32m", "r3"); /* its generator has batch norm with every recipe */
  adw_action_row_activate (scene.rows->pdata[URB_STRATEGY_HOGWILD]);
  scene.n_changed = 0;
  gtk_spin_button_set_value (get_spin (&scene, URB_STRATEGY_HOGWILD), 3);
  g_assert_cmpint (scene.n_changed, ==, 1);
  adw_action_row_activate (ADW_ACTION_ROW (get_setting (&scene, URB_STRATEGY_HOGWILD, 1)));
  g_assert_cmpint (scene.n_changed, ==, 2);
  options = apply (&scene);
  g_assert_cmpint (options.n_ranks, ==, 3);
  g_assert_false (options.stale_lr);
  adw_action_row_activate (scene.rows->pdata[URB_STRATEGY_STREAMS]);
  options = apply (&scene);
  g_assert_cmpint (options.n_ranks, ==, 3);
  g_assert_false (options.stale_lr);
  adw_action_row_activate (scene.rows->pdata[URB_STRATEGY_DP]);
  options = apply (&scene);
  g_assert_cmpint (options.n_ranks, ==, 3);
  g_assert_true (options.stale_lr && options.sync_batch_norm);
  scene.n_changed = 0;
  gtk_switch_set_active (get_switch (&scene, URB_STRATEGY_DP), FALSE);
  g_assert_cmpint (scene.n_changed, ==, 1);
  adw_action_row_activate (scene.rows->pdata[URB_STRATEGY_DDP]);
  g_assert_false (apply (&scene).sync_batch_norm);
  gtk_switch_set_active (get_switch (&scene, URB_STRATEGY_STREAMS), TRUE);
  g_assert_true (gtk_switch_get_active (get_switch (&scene, URB_STRATEGY_HOGWILD)));

  use_networks (&scene, "tiny", "r3"); /* no batch norm, so no setting for it */
  assert_settings (&scene, URB_STRATEGY_DDP, FALSE);
  g_assert_true (apply (&scene).sync_batch_norm);
  scene_tear_down (&scene);
}

/* A mesh has its axes as settings, and as many ranks as they give. */
static void
test_mesh (void)
{
  static const char *const names[] = { "Channels (tensor)", "Samples (data)", "Layers (pipe)" };
  g_auto(UrbRunConfig) config = { 0 }, given = { 0 };
  const UrbTrainOptions *options = &config.train;
  g_autofree char *problem = NULL;
  Scene scene;
  scene_set_up (&scene);
  set_devices (&scene, ALL, 8);
  adw_action_row_activate (scene.rows->pdata[URB_STRATEGY_MESH]);
  assert_settings (&scene, URB_STRATEGY_MESH, FALSE);
  for (int axis = 0; axis < 3; axis++)
    test_assert_name (get_axis (&scene, axis), names[axis]);
  urb_run_config_init (&config);
  urbarium_strategy_group_apply (scene.group, &config);
  g_assert_cmpint (options->strategy, ==, URB_STRATEGY_MESH);
  g_assert_cmpstr (options->mesh, ==, "data=2,pipe=2");
  g_assert_cmpint (options->n_ranks, ==, 4);
  scene.n_changed = 0;
  gtk_spin_button_set_value (get_axis (&scene, 0), 2);
  g_assert_cmpint (scene.n_changed, ==, 1);
  urbarium_strategy_group_apply (scene.group, &config);
  g_assert_cmpstr (options->mesh, ==, "tensor=2,data=2,pipe=2");
  g_assert_cmpint (options->n_ranks, ==, 8);
  config.train.batch = 6; /* which its four ranks along tensor and data cannot divide */
  problem = urbarium_strategy_group_check (scene.group, options);
  g_assert_cmpstr (problem, ==, "A batch of 6 cannot be split equally among 4 copies.");
  test_screenshot (scene.window, "strategy-mesh");

  urb_run_config_init (&given);
  given.train.strategy = URB_STRATEGY_MESH;
  given.train.mesh = g_strdup ("data=3,tensor=5");
  given.train.n_ranks = 15;
  urbarium_strategy_group_set_config (scene.group, &given);
  urbarium_strategy_group_apply (scene.group, &config);
  g_assert_cmpstr (options->mesh, ==, "tensor=5,data=3");
  g_assert_cmpint (options->n_ranks, ==, 15);
  adw_action_row_activate (scene.rows->pdata[URB_STRATEGY_DDP]);
  g_assert_cmpint (apply (&scene).n_ranks, ==, 2); /* its own number */
  scene_tear_down (&scene);
}

/* Limited to the number of cores, but the chosen value is kept for a larger machine. */
static void
test_cores (void)
{
  Scene scene;
  scene_set_up (&scene);
  set_devices (&scene, ALL, 1);
  adw_action_row_activate (scene.rows->pdata[URB_STRATEGY_DDP]);
  g_assert_cmpint (apply (&scene).n_ranks, ==, 1);
  set_devices (&scene, ALL, 8);
  g_assert_cmpint (apply (&scene).n_ranks, ==, 2);
  gtk_spin_button_set_value (get_spin (&scene, URB_STRATEGY_DDP), 99);
  g_assert_cmpint (apply (&scene).n_ranks, ==, 8);
  set_devices (&scene, ALL, 3);
  g_assert_cmpint (apply (&scene).n_ranks, ==, 3);
  set_devices (&scene, ALL, 16);
  g_assert_cmpint (apply (&scene).n_ranks, ==, 8);
  scene_tear_down (&scene);
}

/* On a GPU, cores do not limit the ranks; the subtitle says what ranks share. */
static void
test_on_gpu (void)
{
  static const UrbariumGpu gpu = { .has_bf16 = TRUE };
  g_auto(GStrv) strategies = g_strsplit (ALL, ",", -1);
  UrbariumDevices devices = { .n_cores = 2, .strategies = strategies };
  Scene scene;
  scene_set_up (&scene);
  for (int i = URB_STRATEGY_HOGWILD; i < URB_STRATEGY_MESH; i++)
    {
      AdwActionRow *ranks = ADW_ACTION_ROW (get_setting (&scene, i, 0));
      urbarium_strategy_group_set_devices (scene.group, &devices, &gpu);
      adw_action_row_activate (scene.rows->pdata[i]);
      gtk_spin_button_set_value (get_spin (&scene, i), 6);
      g_assert_cmpint (apply (&scene).n_ranks, ==, 6);
      g_assert_null (strstr (adw_action_row_get_subtitle (ranks), "processor"));
      g_assert_nonnull (strstr (adw_action_row_get_subtitle (ranks), "one process is"));
      if (i == URB_STRATEGY_HOGWILD)
        test_screenshot (scene.window, "strategy-hogwild-gpu");
      urbarium_strategy_group_set_devices (scene.group, &devices, NULL);
      g_assert_cmpint (apply (&scene).n_ranks, ==, 2);
      g_assert_nonnull (strstr (adw_action_row_get_subtitle (ranks), "share of the processor’s"));
    }
  scene_tear_down (&scene);
}

static void
set_options (Scene *scene, UrbStrategy strategy, int n_ranks, gboolean stale_lr,
             gboolean sync_batch_norm)
{
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  config.train.strategy = strategy;
  config.train.n_ranks = n_ranks;
  config.train.stale_lr = stale_lr;
  config.train.sync_batch_norm = sync_batch_norm;
  urbarium_strategy_group_set_config (scene->group, &config);
}

/* Also before the strategies are known, as when a session is restored. */
static void
test_options (void)
{
  Scene scene;
  UrbTrainOptions options;
  scene_set_up (&scene);
  use_networks (&scene, "dcgan-32m", "dcgan");
  set_options (&scene, URB_STRATEGY_HOGWILD, 3, FALSE, TRUE);
  options = apply (&scene);
  g_assert_cmpint (options.strategy, ==, URB_STRATEGY_HOGWILD);
  g_assert_cmpint (options.n_ranks, ==, 3);
  g_assert_false (options.stale_lr);
  assert_settings (&scene, URB_STRATEGY_SINGLE, FALSE);
  set_devices (&scene, ALL, 4);
  assert_settings (&scene, URB_STRATEGY_HOGWILD, TRUE);
  g_assert_cmpint (apply (&scene).n_ranks, ==, 3);
  set_options (&scene, URB_STRATEGY_DP, 4, TRUE, FALSE);
  options = apply (&scene);
  g_assert_cmpint (options.strategy, ==, URB_STRATEGY_DP);
  g_assert_cmpint (options.n_ranks, ==, 4);
  g_assert_false (options.sync_batch_norm);
  set_options (&scene, URB_STRATEGY_SINGLE, 1, TRUE, TRUE);
  g_assert_cmpint (apply (&scene).strategy, ==, URB_STRATEGY_SINGLE);
  g_assert_cmpint (apply (&scene).n_ranks, ==, 1);

  set_devices (&scene, "single,dp", 4);
  set_options (&scene, URB_STRATEGY_DDP, 2, TRUE, TRUE); /* unavailable here */
  g_assert_cmpint (apply (&scene).strategy, ==, URB_STRATEGY_SINGLE);
  set_options (&scene, URB_STRATEGY_DP, 2, TRUE, TRUE);
  g_assert_cmpint (apply (&scene).strategy, ==, URB_STRATEGY_DP);
  scene.n_changed = 0;
  set_devices (&scene, "single", 4);
  g_assert_cmpint (scene.n_changed, ==, 1);
  g_assert_cmpint (apply (&scene).strategy, ==, URB_STRATEGY_SINGLE);
  assert_settings (&scene, URB_STRATEGY_SINGLE, FALSE);
  scene_tear_down (&scene);
}

/* The row of setting @key in the open row; the selected strategy's is the visible one. */
static GtkWidget *
find_setting (Scene *scene, UrbStrategy strategy, const char *key)
{
  return made_up_find_named (scene->more->pdata[strategy], key);
}

/* Every setting that some strategy knows has a row there; what is set is applied, kept while other strategies are
 * looked at, and given back. */
static void
test_more (void)
{
  g_auto(UrbRunConfig) config = { 0 }, given = { 0 };
  g_autofree char *problem = NULL;
  GtkWidget *row;
  Scene scene;
  scene_set_up (&scene);
  g_assert_cmpuint (scene.more->len, ==, URB_N_STRATEGIES);
  set_devices (&scene, ALL, 8);
  for (UrbStrategy strategy = 0; strategy < URB_N_STRATEGIES; strategy++)
    {
      adw_action_row_activate (scene.rows->pdata[strategy]);
      for (UrbStrategy other = 0; other < URB_N_STRATEGIES; other++)
        g_assert_cmpint (gtk_widget_get_visible (scene.more->pdata[other]), ==, other == strategy);
      for (guint i = 0; i < urb_run_settings.n_rows; i++)
        {
          const UrbSetting *setting = &urb_run_settings.rows[i];
          gboolean own = g_str_equal (setting->key, "ranks") || g_str_equal (setting->key, "mesh")
                         || g_str_equal (setting->key, "stale-lr") || g_str_equal (setting->key, "master")
                         || g_str_equal (setting->key, "token-file")
                         || (g_str_equal (setting->key, "sync-batch-norm") && has_switch (strategy));
          gboolean more = (setting->strategies & 1u << strategy) && !own;
          g_assert_cmpint (find_setting (&scene, strategy, setting->key) != NULL, ==, more);
        }
    }
  adw_action_row_activate (scene.rows->pdata[URB_STRATEGY_DDP]);
  adw_expander_row_set_expanded (scene.more->pdata[URB_STRATEGY_DDP], TRUE);
  row = find_setting (&scene, URB_STRATEGY_DDP, "bucket-mib");
  scene.n_changed = 0;
  gtk_editable_set_text (GTK_EDITABLE (test_find (row, GTK_TYPE_ENTRY)), "8");
  g_assert_cmpint (scene.n_changed, ==, 1);
  adw_combo_row_set_selected (ADW_COMBO_ROW (find_setting (&scene, URB_STRATEGY_DDP, "communicator")), 1);
  test_screenshot (scene.window, "strategy-more");
  adw_action_row_activate (scene.rows->pdata[URB_STRATEGY_HOGWILD]);
  gtk_editable_set_text (
    GTK_EDITABLE (test_find (find_setting (&scene, URB_STRATEGY_HOGWILD, "staleness"), GTK_TYPE_ENTRY)), "3");
  adw_action_row_activate (ADW_ACTION_ROW (find_setting (&scene, URB_STRATEGY_HOGWILD, "local-moments")));
  urb_run_config_init (&config);
  urbarium_strategy_group_apply (scene.group, &config);
  g_assert_cmpint (config.train.staleness, ==, 3);
  g_assert_true (config.train.local_moments);
  g_assert_cmpfloat (config.train.bucket_mib, ==, 25); /* of another strategy */
  adw_action_row_activate (scene.rows->pdata[URB_STRATEGY_DDP]);
  urbarium_strategy_group_apply (scene.group, &config);
  g_assert_cmpfloat (config.train.bucket_mib, ==, 8);
  g_assert_cmpstr (config.train.communicator, ==, "threads");

  urb_run_config_init (&given);
  given.train.strategy = URB_STRATEGY_ZERO3;
  given.train.n_ranks = 2;
  given.train.prefetch = 5;
  urbarium_strategy_group_set_config (scene.group, &given);
  row = find_setting (&scene, URB_STRATEGY_ZERO3, "prefetch");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (test_find (row, GTK_TYPE_ENTRY))), ==, "5");
  gtk_editable_set_text (GTK_EDITABLE (test_find (row, GTK_TYPE_ENTRY)), "many");
  g_assert_true (gtk_widget_has_css_class (row, "problem")); /* it says why, and a run cannot begin */
  problem = urbarium_strategy_group_check (scene.group, &given.train);
  g_assert_true (g_str_has_prefix (problem, "Units gathered ahead needs a"));
  urbarium_strategy_group_apply (scene.group, &config);
  g_assert_cmpint (config.train.prefetch, ==, 1); /* as if nothing were typed */
  urbarium_strategy_group_set_config (scene.group, &given); /* a run is repeated */
  g_assert_false (gtk_widget_has_css_class (row, "problem"));
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (test_find (row, GTK_TYPE_ENTRY))), ==, "5");
  scene_tear_down (&scene);
}

static char *
check (Scene *scene, int batch, int accumulate)
{
  UrbTrainOptions options = { .batch = batch, .accumulate = accumulate };
  return urbarium_strategy_group_check (scene->group, &options);
}

/* Only synchronous strategies must split the batch. */
static void
test_check (void)
{
  Scene scene;
  g_autofree char *batch = NULL, *microbatch = NULL;
  scene_set_up (&scene);
  set_devices (&scene, ALL, 4);
  set_options (&scene, URB_STRATEGY_DDP, 3, TRUE, TRUE);
  g_assert_null (check (&scene, 12, 2));
  batch = check (&scene, 16, 1);
  g_assert_cmpstr (batch, ==, "A batch of 16 cannot be split equally among 3 copies.");
  microbatch = check (&scene, 12, 3);
  g_assert_cmpstr (microbatch, ==, "A microbatch of 4 cannot be split equally among 3 copies.");
  for (UrbStrategy i = URB_STRATEGY_SINGLE; i <= URB_STRATEGY_STREAMS; i++)
    {
      set_options (&scene, i, 3, TRUE, TRUE);
      g_assert_null (check (&scene, 16, 1));
    }
  scene_tear_down (&scene);
}

typedef struct
{
  Scene *scene;
  guint  row;
  char  *text; /* owned */
} Wanted;

static gboolean
is_said (gpointer data)
{
  const Wanted *wanted = data;
  return g_str_has_suffix (get_text (wanted->scene, wanted->row), wanted->text);
}

static void
until_said (Scene *scene, guint row, const char *format, gint64 needed, gint64 available)
{
  g_autofree char *first = urbarium_format_bytes (needed);
  g_autofree char *second = urbarium_format_bytes (available);
  g_auto(GStrv) parts = g_strsplit (format, "@", 3);
  g_autofree char *text = g_strconcat (parts[0], first, parts[1], second, parts[2], NULL);
  Wanted wanted = { scene, row, text };
  test_until (is_said, &wanted);
}

static GtkWidget *
find_mapped (GtkWidget *widget, GType type)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, type) && gtk_widget_get_mapped (widget))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_mapped (child, type);
      if (found != NULL)
        return found;
    }
  return NULL;
}

/* What the bars below the chosen strategy say to those who do not see them. */
static void
assert_memory (Scene *scene)
{
  const gint64 bytes[2][4] = { { GIB, GIB / 2, GIB * 3 / 2, 0 }, { GIB, 0, GIB, 0 } };
  const gint64 sums[2] = { 3 * GIB, 2 * GIB };
  g_autoptr(GString) said = g_string_new (NULL);
  GtkWidget *memory;
  for (int r = 0; r < 2; r++)
    {
      g_autofree char *sum = urbarium_format_bytes (sums[r]), *weights = urbarium_format_bytes (bytes[r][0]);
      g_autofree char *optimizer = urbarium_format_bytes (bytes[r][1]), *work = urbarium_format_bytes (bytes[r][2]);
      g_autofree char *other = urbarium_format_bytes (bytes[r][3]);
      g_string_append_printf (said, "%sRank %d: %s (Weights %s, Optimizer and average %s, Activations and gradients %s, "
                                    "Batches and samples %s)", r > 0 ? "\n" : "", r, sum, weights, optimizer, work, other);
    }
  test_frames (scene->window, 3);
  memory = find_mapped (scene->widget, URBARIUM_TYPE_RANK_MEMORY);
  g_assert_nonnull (memory);
  test_assert_property (test_find (memory, GTK_TYPE_DRAWING_AREA), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, said->str);
}

static void
test_forecast (void)
{
  UrbTrainOptions chosen;
  const char *text = urbarium_strategies[0].text;
  g_autoptr(UrbariumForecast) forecast = urbarium_forecast_new ();
  g_auto(UrbTrainOptions) options = { 0 };
  Wanted refused;
  Scene scene;
  scene_set_up (&scene);
  urb_train_options_init (&options);
  options.batch = 16;
  urbarium_strategy_group_set_forecast (scene.group, forecast);
  g_assert_cmpstr (get_text (&scene, 0), ==, text); /* no forecast yet */
  urbarium_forecast_set_options (forecast, &options);
  until_said (&scene, 0, "\nFits: needs @ of @ of free memory", 3 * GIB, 8 * GIB);
  g_assert_true (g_str_has_prefix (get_text (&scene, 0), text));
  urbarium_forecast_measure (forecast);
  until_said (&scene, 0, "\n210 images/s. Fits: needs @ of @ of free memory", 3 * GIB,
              8 * GIB);

  /* The speed of other settings is unknown. */
  options.batch = 64;
  urbarium_forecast_set_options (forecast, &options);
  g_assert_cmpstr (get_text (&scene, 0), ==, text);
  g_assert_false (gtk_widget_has_css_class (scene.rows->pdata[0], "problem"));
  until_said (&scene, 0, "Does not fit: needs @ of memory, and @ are free", 12 * GIB, 8 * GIB);
  g_assert_true (gtk_widget_has_css_class (scene.rows->pdata[0], "problem"));
  options.batch = 7;
  urbarium_forecast_set_options (forecast, &options);
  refused = (Wanted) { &scene, 0, (char *) "seven is refused" };
  test_until (is_said, &refused);
  scene_tear_down (&scene);
  scene_set_up (&scene);
  urbarium_strategy_group_set_forecast (scene.group, forecast); /* already known */
  g_assert_true (is_said (&refused));
  scene_tear_down (&scene);

  /* For another strategy, shown there. */
  scene_set_up (&scene);
  urbarium_strategy_group_set_forecast (scene.group, forecast);
  set_devices (&scene, ALL, 2);
  adw_action_row_activate (scene.rows->pdata[URB_STRATEGY_HOGWILD]);
  g_assert_cmpstr (get_text (&scene, 0), ==, text);
  options.batch = 16;
  chosen = apply (&scene);
  options.strategy = chosen.strategy;
  options.n_ranks = chosen.n_ranks;
  urbarium_forecast_set_options (forecast, &options);
  until_said (&scene, URB_STRATEGY_HOGWILD, "\nFits: needs @ of @ of free memory",
              5 * GIB, 8 * GIB);
  g_assert_cmpstr (get_text (&scene, 0), ==, text);
  assert_memory (&scene);
  test_screenshot (scene.window, "strategy-memory");
  scene_tear_down (&scene);
  options.strategy = URB_STRATEGY_SINGLE;

  /* Emitted after the group was destroyed. */
  options.batch = 16;
  urbarium_forecast_set_options (forecast, &options);
  test_assert_last_unref (g_steal_pointer (&forecast));
}

/* Once it was measured, one process has no second speed, which would be a guess. */
static void
test_one_speed (void)
{
  g_autoptr(UrbariumStrategyComparison) comparison = urbarium_strategy_comparison_new ();
  g_autoptr(UrbariumForecast) forecast = urbarium_forecast_new ();
  g_auto(UrbTrainOptions) options = { 0 };
  g_autofree char *three = urbarium_format_bytes (3 * GIB);
  g_autofree char *rough = g_strconcat ("\nRoughly: 20 images/s, ", three, " of memory", NULL);
  Scene scene;
  scene_set_up (&scene);
  set_devices (&scene, ALL, 4);
  urb_train_options_init (&options);
  options.batch = 16;
  urbarium_strategy_group_set_comparison (scene.group, comparison);
  urbarium_strategy_group_set_forecast (scene.group, forecast);
  urbarium_strategy_comparison_set_options (comparison, &options);
  urbarium_forecast_set_options (forecast, &options);
  test_until (is_said, &(Wanted) { &scene, 0, rough });
  urbarium_forecast_measure (forecast);
  until_said (&scene, 0, "\n210 images/s. Fits: needs @ of @ of free memory", 3 * GIB, 8 * GIB);
  g_assert_null (strstr (get_text (&scene, 0), rough));
  adw_action_row_activate (scene.rows->pdata[URB_STRATEGY_DDP]);
  g_assert_nonnull (strstr (get_text (&scene, 0), rough));
  scene_tear_down (&scene);
}

/* The rows of all strategies show what is expected of them, and the badge follows the best. */
static void
test_comparison (void)
{
  g_autoptr(UrbariumStrategyComparison) comparison = urbarium_strategy_comparison_new ();
  g_auto(UrbTrainOptions) options = { 0 };
  g_autofree char *gib = urbarium_format_bytes (GIB), *three = urbarium_format_bytes (3 * GIB);
  g_autofree char *rough = g_strconcat ("\nRoughly: 20 images/s, ", three, " of memory", NULL);
  g_autofree char *single = g_strconcat ("\nExpected: 20 images/s, ", three, " of memory", NULL);
  g_autofree char *ddp = g_strconcat ("\nExpected with 2 ranks: 35 images/s, at most ", gib,
                                      " of memory each", NULL);
  g_autofree char *mesh = g_strconcat ("\nExpected with data=2,pipe=4: 12 images/s, at most ", gib,
                                       " of memory each", NULL);
  AdwPreferencesGroup *group;
  GtkWidget *button;
  Scene scene;
  scene_set_up (&scene);
  group = ADW_PREFERENCES_GROUP (scene.widget);
  button = adw_preferences_group_get_header_suffix (group);
  g_assert_false (gtk_widget_get_visible (button));
  set_devices (&scene, ALL, 4);
  urb_train_options_init (&options);
  urbarium_strategy_group_set_comparison (scene.group, comparison);
  g_assert_true (gtk_widget_get_visible (button));
  urbarium_strategy_comparison_set_options (comparison, &options);
  test_until (is_said, &(Wanted) { &scene, 0, rough });
  g_assert_true (has_badge (scene.rows->pdata[0]));
  g_assert_false (has_badge (scene.rows->pdata[URB_STRATEGY_DDP]));

  /* Stopped, then to its end. */
  g_signal_emit_by_name (button, "clicked");
  g_assert_true (urbarium_strategy_comparison_is_measuring (comparison));
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, "Stop");
  g_assert_nonnull (strstr (adw_preferences_group_get_description (group), "Measuring"));
  test_screenshot (scene.window, "strategy-measuring");
  g_signal_emit_by_name (button, "clicked");
  g_assert_false (urbarium_strategy_comparison_is_measuring (comparison));
  g_assert_true (has_badge (scene.rows->pdata[0]));
  g_signal_emit_by_name (button, "clicked");
  test_until (is_said, &(Wanted) { &scene, URB_STRATEGY_DDP, ddp });
  g_assert_false (urbarium_strategy_comparison_is_measuring (comparison));
  g_assert_true (g_str_has_suffix (get_text (&scene, 0), single));
  g_assert_true (g_str_has_suffix (get_text (&scene, URB_STRATEGY_MESH), mesh));
  g_assert_false (has_badge (scene.rows->pdata[0]));
  g_assert_true (has_badge (scene.rows->pdata[URB_STRATEGY_DDP]));
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, "Measure");
  test_screenshot (scene.window, "strategy-compared");

  /* Other ranks need no other forecast; another batch does. */
  options.n_ranks = 3;
  urbarium_strategy_comparison_set_options (comparison, &options);
  g_assert_nonnull (urbarium_strategy_comparison_get (comparison, URB_STRATEGY_DDP));
  options.batch = 32;
  urbarium_strategy_comparison_set_options (comparison, &options);
  g_assert_null (urbarium_strategy_comparison_get (comparison, URB_STRATEGY_DDP));
  g_assert_cmpint (urbarium_strategy_comparison_get_best (comparison), ==, URB_STRATEGY_SINGLE);
  scene_tear_down (&scene);
  test_assert_last_unref (g_steal_pointer (&comparison));
}

int
main (int argc, char **argv)
{
  int result;
  test_keep_names ();
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  made_up_engine (engine);
  g_test_add_func ("/app/train/strategy-group/rows", test_rows);
  g_test_add_func ("/app/train/strategy-group/available", test_available);
  g_test_add_func ("/app/train/strategy-group/why", test_why);
  g_test_add_func ("/app/train/strategy-group/settings", test_settings);
  g_test_add_func ("/app/train/strategy-group/hosts", test_hosts);
  g_test_add_func ("/app/train/strategy-group/shared", test_shared);
  g_test_add_func ("/app/train/strategy-group/mesh", test_mesh);
  g_test_add_func ("/app/train/strategy-group/more", test_more);
  g_test_add_func ("/app/train/strategy-group/cores", test_cores);
  g_test_add_func ("/app/train/strategy-group/on-gpu", test_on_gpu);
  g_test_add_func ("/app/train/strategy-group/options", test_options);
  g_test_add_func ("/app/train/strategy-group/check", test_check);
  g_test_add_func ("/app/train/strategy-group/forecast", test_forecast);
  g_test_add_func ("/app/train/strategy-group/one-speed", test_one_speed);
  g_test_add_func ("/app/train/strategy-group/comparison", test_comparison);
  result = g_test_run ();
  run_fixture_clear ();
  return result;
}
