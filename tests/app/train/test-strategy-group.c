/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-strategy-group.c - which strategies can be chosen, why the others cannot, and the forecast
 * of the one that can.  Some lines of shell answer instead of the engine.
 */
#include <string.h>

#include "app-test.h"
#include "app/base/format.h"
#include "app/train/strategy-diagram.h"
#include "app/train/strategy-group.h"
#include "made-up.h"
#include "run-fixture.h"

#define GIB G_GINT64_CONSTANT (1073741824)

/* It plans 3 GiB of 8, of a batch of 64 12 GiB, and of one of 7 nothing. */
static const char engine[]
  = "case \"$*\" in\n"
    "*'--batch 7 '*) echo 'urbarium-engine: seven is refused' >&2; exit 1 ;;\n"
    "*'--batch 64 '*) total=12884901888 ;;\n"
    "*) total=3221225472 ;;\n"
    "esac\n"
    "echo \"{\\\"bytes_total\\\":$total,\\\"bytes_available\\\":8589934592,"
    "\\\"images_per_second\\\":210}\"\n";

typedef struct
{
  GtkWidget             *widget; /* borrowed by the window */
  UrbariumStrategyGroup *group;
  GPtrArray             *rows;   /* owned; AdwActionRow, borrowed */
  GtkWindow             *window;
} Scene;

static void
collect_rows (GtkWidget *widget, GPtrArray *rows)
{
  if (ADW_IS_ACTION_ROW (widget))
    g_ptr_array_add (rows, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect_rows (child, rows);
}

static void
scene_set_up (Scene *scene)
{
  scene->widget = g_object_new (URBARIUM_TYPE_STRATEGY_GROUP, NULL);
  scene->group = URBARIUM_STRATEGY_GROUP (scene->widget);
  scene->rows = g_ptr_array_new ();
  collect_rows (scene->widget, scene->rows);
  scene->window = test_window_new (scene->widget, 500, 800);
}

static void
scene_tear_down (Scene *scene)
{
  g_ptr_array_unref (scene->rows);
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
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (has_badge (child))
      return TRUE;
  return FALSE;
}

static void
test_rows (void)
{
  guint n;
  const UrbariumStrategy *strategies = urbarium_strategy_list (&n);
  Scene scene;
  scene_set_up (&scene);
  g_assert_cmpuint (scene.rows->len, ==, n);
  for (guint i = 0; i < n; i++)
    {
      GtkWidget *row = scene.rows->pdata[i];
      GtkWidget *check = test_find (row, GTK_TYPE_CHECK_BUTTON);
      g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), ==,
                       strategies[i].title);
      g_assert_nonnull (test_find (row, URBARIUM_TYPE_STRATEGY_DIAGRAM));
      gtk_test_accessible_assert_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                           strategies[i].title);
      g_assert_true (g_str_has_prefix (get_text (&scene, i), strategies[i].text));
      /* One can be chosen, and is. */
      g_assert_cmpint (gtk_widget_is_sensitive (row), ==, i == 0);
      g_assert_cmpint (gtk_check_button_get_active (GTK_CHECK_BUTTON (check)), ==, i == 0);
      g_assert_cmpint (has_badge (row), ==, i == 0);
    }
  g_assert_cmpstr (get_text (&scene, 0), ==, strategies[0].text);
  adw_action_row_activate (scene.rows->pdata[0]); /* it stays chosen */
  g_assert_true (gtk_check_button_get_active (
    GTK_CHECK_BUTTON (test_find (scene.rows->pdata[0], GTK_TYPE_CHECK_BUTTON))));
  test_screenshot (scene.window, "strategy-group");
  scene_tear_down (&scene);
}

static void
test_available (void)
{
  static const char *const reported[] = { "single", "ddp", "of a later version", NULL };
  guint n;
  const UrbariumStrategy *strategies = urbarium_strategy_list (&n);
  Scene scene;
  scene_set_up (&scene);
  for (int i = 0; i < 3; i++)
    {
      urbarium_strategy_group_set_available (scene.group, i == 1 ? reported : NULL);
      for (guint k = 1; k < n; k++)
        {
          gboolean there = i == 1 && strcmp (strategies[k].name, "ddp") == 0;
          g_assert_true (g_str_has_suffix (get_text (&scene, k),
                                           there ? "\nStart it with urbarium-engine in a terminal"
                                                 : "\nNot in this version"));
          g_assert_false (gtk_widget_is_sensitive (scene.rows->pdata[k]));
        }
      g_assert_true (gtk_widget_is_sensitive (scene.rows->pdata[0]));
    }
  scene_tear_down (&scene);
}

typedef struct
{
  Scene *scene;
  char  *text; /* owned */
} Wanted;

static gboolean
is_said (gpointer data)
{
  const Wanted *wanted = data;
  return g_str_has_suffix (get_text (wanted->scene, 0), wanted->text);
}

static void
until_said (Scene *scene, const char *format, gint64 needed, gint64 available)
{
  g_autofree char *first = urbarium_format_bytes (needed);
  g_autofree char *second = urbarium_format_bytes (available);
  g_auto(GStrv) parts = g_strsplit (format, "@", 3);
  g_autofree char *text = g_strconcat (parts[0], first, parts[1], second, parts[2], NULL);
  Wanted wanted = { scene, text };
  test_until (is_said, &wanted);
}

static void
test_forecast (void)
{
  guint n;
  const char *text = urbarium_strategy_list (&n)[0].text;
  g_autoptr(UrbariumForecast) forecast = urbarium_forecast_new ();
  g_auto(UrbTrainOptions) options = { 0 };
  Wanted refused;
  Scene scene;
  scene_set_up (&scene);
  urb_train_options_init (&options);
  options.batch = 16;
  urbarium_strategy_group_set_forecast (scene.group, forecast);
  g_assert_cmpstr (get_text (&scene, 0), ==, text); /* nothing is known */
  urbarium_forecast_set_options (forecast, &options);
  until_said (&scene, "\nFits: needs @ of the @ of memory that are free", 3 * GIB, 8 * GIB);
  g_assert_true (g_str_has_prefix (get_text (&scene, 0), text));
  urbarium_forecast_measure (forecast);
  until_said (&scene, "\n210 images/s. Fits: needs @ of the @ of memory that are free", 3 * GIB,
              8 * GIB);

  /* Of other settings the speed is not known. */
  options.batch = 64;
  urbarium_forecast_set_options (forecast, &options);
  g_assert_cmpstr (get_text (&scene, 0), ==, text);
  until_said (&scene, "\nDoes not fit: needs @ of memory, and @ are free", 12 * GIB, 8 * GIB);
  options.batch = 7;
  urbarium_forecast_set_options (forecast, &options);
  refused = (Wanted) { &scene, (char *) "\nseven is refused" };
  test_until (is_said, &refused);
  scene_tear_down (&scene);
  scene_set_up (&scene);
  urbarium_strategy_group_set_forecast (scene.group, forecast); /* it is known already */
  g_assert_true (is_said (&refused));
  scene_tear_down (&scene);

  /* Told after the group has gone. */
  options.batch = 16;
  urbarium_forecast_set_options (forecast, &options);
  test_assert_last_unref (g_steal_pointer (&forecast));
}

int
main (int argc, char **argv)
{
  int result;
  g_setenv ("GTK_A11Y", "test", TRUE); /* what assistive technologies are told can be read */
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  made_up_engine (engine);
  g_test_add_func ("/app/train/strategy-group/rows", test_rows);
  g_test_add_func ("/app/train/strategy-group/available", test_available);
  g_test_add_func ("/app/train/strategy-group/forecast", test_forecast);
  result = g_test_run ();
  run_fixture_clear ();
  return result;
}
