/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-model-group.c - the chosen networks and recipe, their figures, and whether they fit a
 * dataset.
 */
#include <string.h>

#include "app-test.h"
#include "app/train/model-group.h"
#include "made-up.h"

typedef struct
{
  GtkWidget          *widget;
  UrbariumModelGroup *group; /* the same object */
  AdwComboRow        *preset, *recipe;
  GtkWindow          *window;
  int                 n_preset, n_changed;
} Scene;

static void
preset_cb (Scene *scene)
{
  scene->n_preset++;
}

static void
changed_cb (Scene *scene)
{
  scene->n_changed++;
}

static void
scene_init (Scene *scene)
{
  *scene = (Scene){ .widget = g_object_new (URBARIUM_TYPE_MODEL_GROUP, NULL) };
  scene->group = URBARIUM_MODEL_GROUP (scene->widget);
  scene->preset = made_up_part (scene->widget, "preset_row");
  scene->recipe = made_up_part (scene->widget, "recipe_row");
  g_signal_connect_swapped (scene->widget, "preset-changed", G_CALLBACK (preset_cb), scene);
  g_signal_connect_swapped (scene->widget, "changed", G_CALLBACK (changed_cb), scene);
  scene->window = test_window_new (scene->widget, 500, 300);
}

static const char *
subtitle (AdwComboRow *row)
{
  return adw_action_row_get_subtitle (ADW_ACTION_ROW (row));
}

static const char *
text_of (Scene *scene, const char *label)
{
  return gtk_label_get_text (made_up_part (scene->widget, label));
}

/* All built-in presets, smallest first, with descriptions. */
static void
test_presets (void)
{
  Scene scene;
  GListModel *list;
  g_auto(GStrv) names = urb_preset_list ();
  int size_px = 0;
  scene_init (&scene);
  list = adw_combo_row_get_model (scene.preset);
  g_assert_cmpstr (urbarium_model_group_get_preset (scene.group)->name, ==, "tiny");
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, g_strv_length (names));
  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      const UrbPreset *preset;
      g_autofree char *city = NULL;
      adw_combo_row_set_selected (scene.preset, i);
      urbarium_model_group_set_plan (scene.group, NULL);
      preset = urbarium_model_group_get_preset (scene.group);
      city = g_strdup_printf ("%d px", preset->size_px);
      g_assert_cmpint (preset->size_px, >=, size_px);
      size_px = preset->size_px;
      g_assert_cmpstr (subtitle (scene.preset), ==, preset->title);
      g_assert_cmpstr (text_of (&scene, "size_label"), ==, city);
    }
  g_assert_cmpint (scene.n_preset, ==, g_list_model_get_n_items (list) - 1);
  test_window_destroy (scene.window);
}

static void
test_set (void)
{
  Scene scene;
  scene_init (&scene);
  g_assert_true (urbarium_model_group_set_preset (scene.group, "small"));
  g_assert_cmpstr (urbarium_model_group_get_preset (scene.group)->name, ==, "small");
  g_assert_cmpint (scene.n_preset, ==, 1);
  g_assert_cmpint (scene.n_changed, ==, 1);
  g_assert_true (urbarium_model_group_set_preset (scene.group, "small"));
  g_assert_false (urbarium_model_group_set_preset (scene.group, "enormous"));
  g_assert_false (urbarium_model_group_set_preset (scene.group, NULL));
  g_assert_cmpstr (urbarium_model_group_get_preset (scene.group)->name, ==, "small");
  g_assert_cmpint (scene.n_changed, ==, 1);
  test_window_destroy (scene.window);
}

static void
test_recipe (void)
{
  Scene scene;
  g_autofree char *first = NULL;
  scene_init (&scene);
  g_assert_cmpstr (urbarium_model_group_get_recipe (scene.group), ==, "r3");
  first = g_strdup (subtitle (scene.recipe));
  adw_combo_row_set_selected (scene.recipe, 1);
  g_assert_cmpstr (urbarium_model_group_get_recipe (scene.group), ==, "dcgan");
  g_assert_cmpstr (subtitle (scene.recipe), !=, first);
  g_assert_cmpint (scene.n_changed, ==, 1);
  g_assert_cmpint (scene.n_preset, ==, 0);
  urbarium_model_group_set_recipe (scene.group, "r3");
  g_assert_cmpstr (urbarium_model_group_get_recipe (scene.group), ==, "r3");
  g_assert_cmpstr (subtitle (scene.recipe), ==, first);
  urbarium_model_group_set_recipe (scene.group, "alchemy");
  urbarium_model_group_set_recipe (scene.group, NULL);
  g_assert_cmpstr (urbarium_model_group_get_recipe (scene.group), ==, "r3");
  test_window_destroy (scene.window);
}

static void
test_figures (void)
{
  Scene scene;
  const UrbariumPlan small = { .n_params_g = 304115, .n_params_d = 999999 };
  const UrbariumPlan large = { .n_params_g = 32150000, .n_params_d = 1000000 };
  g_autofree char *weights = g_format_size (4 * (304115 + 999999));
  scene_init (&scene);
  g_assert_cmpstr (text_of (&scene, "generator_label"), ==, "…");
  urbarium_model_group_set_plan (scene.group, &small);
  g_assert_cmpstr (text_of (&scene, "generator_label"), ==, "304\u202f115"); /* grouped although the C locale does not group digits */
  g_assert_cmpstr (text_of (&scene, "discriminator_label"), ==, "999\u202f999");
  g_assert_cmpstr (text_of (&scene, "weights_label"), ==, weights);
  urbarium_model_group_set_plan (scene.group, &large);
  g_assert_cmpstr (text_of (&scene, "generator_label"), ==, "32.1 million");
  g_assert_cmpstr (text_of (&scene, "discriminator_label"), ==, "1.0 million");
  urbarium_model_group_set_plan (scene.group, NULL);
  g_assert_cmpstr (text_of (&scene, "generator_label"), ==, "…");
  g_assert_cmpstr (text_of (&scene, "discriminator_label"), ==, "…");
  g_assert_cmpstr (text_of (&scene, "weights_label"), ==, "…");
  test_window_destroy (scene.window);
}

/* Tiles can be halved, but not enlarged or cropped. */
static void
test_check (void)
{
  static const struct
  {
    const char *preset;
    int         resolution_px;
    gboolean    fits;
  } cases[] = {
    { "tiny", 0, TRUE },   { "tiny", 64, TRUE },    { "tiny", 128, TRUE },  { "tiny", 512, TRUE },
    { "tiny", 192, FALSE }, { "tiny", 63, FALSE },  { "tiny", 100, FALSE }, { "small", 64, FALSE },
    { "small", 0, TRUE },  { "small", 128, TRUE },  { "small", 256, TRUE },
  };
  Scene scene;
  scene_init (&scene);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *problem = NULL;
      g_autofree char *number = g_strdup_printf ("%d", cases[i].resolution_px);
      urbarium_model_group_set_preset (scene.group, cases[i].preset);
      problem = urbarium_model_group_check (scene.group, cases[i].resolution_px);
      g_test_message ("%s of %s: %s", cases[i].preset, number, problem);
      g_assert_cmpint (problem == NULL, ==, cases[i].fits);
      g_assert_true (problem == NULL || strstr (problem, number) != NULL);
    }
  test_window_destroy (scene.window);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/model-group/presets", test_presets);
  g_test_add_func ("/model-group/set", test_set);
  g_test_add_func ("/model-group/recipe", test_recipe);
  g_test_add_func ("/model-group/figures", test_figures);
  g_test_add_func ("/model-group/check", test_check);
  return g_test_run ();
}
