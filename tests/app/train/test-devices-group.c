/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-devices-group.c - machines that are made up: of one core, with GPUs that cannot be used,
 * and with an engine that is none.
 */
#include <string.h>

#include "app-test.h"
#include "app/train/devices-group.h"
#include "made-up.h"
#include "run-fixture.h"

#define EIGHT_CORES \
  "{\"cpu\": {\"model\": \"Zilog <Z80> & Sons\", \"cores\": 8, \"bf16\": false}, " \
  "\"memory_bytes\": 16000000000, \"memory_available_bytes\": 9000000000"

typedef struct
{
  GtkWidget            *widget;
  UrbariumDevicesGroup *group; /* the same */
  AdwActionRow         *cpu, *no_gpu;
  GtkCheckButton       *check;
  GtkSpinButton        *threads;
  GtkWindow            *window;
  int                   n_changed;
} Scene;

static void
changed_cb (Scene *scene)
{
  scene->n_changed++;
}

/* @answer: of `urbarium-engine devices --json` */
static void
scene_init (Scene *scene, const char *answer)
{
  g_autofree char *script = g_strdup_printf ("echo \"$@\" >> \"$LOG\"; echo '%s'", answer);
  made_up_engine (script);
  *scene = (Scene){ .widget = g_object_new (URBARIUM_TYPE_DEVICES_GROUP, NULL) };
  scene->group = URBARIUM_DEVICES_GROUP (scene->widget);
  scene->cpu = made_up_part (scene->widget, "cpu_row");
  scene->no_gpu = made_up_part (scene->widget, "no_gpu_row");
  scene->check = made_up_part (scene->widget, "cpu_check");
  scene->threads = made_up_part (scene->widget, "threads_spin");
  g_signal_connect_swapped (scene->widget, "changed", G_CALLBACK (changed_cb), scene);
  scene->window = test_window_new (scene->widget, 500, 300);
}

static gboolean
has_devices (gpointer scene)
{
  return urbarium_devices_group_get_devices (((Scene *) scene)->group) != NULL;
}

static void
load (Scene *scene)
{
  urbarium_devices_group_load (scene->group);
  test_until (has_devices, scene);
}

static const char *
subtitle (AdwActionRow *row)
{
  return adw_action_row_get_subtitle (row);
}

static int
apply (Scene *scene)
{
  g_auto(UrbTrainOptions) options = { 0 };
  urb_train_options_init (&options);
  options.n_threads = -7;
  urbarium_devices_group_apply (scene->group, &options);
  return options.n_threads;
}

static void
set (Scene *scene, int n_threads)
{
  g_auto(UrbTrainOptions) options = { 0 };
  urb_train_options_init (&options);
  options.n_threads = n_threads;
  urbarium_devices_group_set_options (scene->group, &options);
}

/* Asked once; told in words, which are no markup. */
static void
test_processor (void)
{
  Scene scene;
  g_autofree char *log = NULL;
  g_autofree char *memory = g_format_size (9000000000);
  g_autofree char *cores = g_strdup_printf ("8 cores, %s of memory free", memory);
  scene_init (&scene, EIGHT_CORES "}");
  g_assert_cmpstr (subtitle (scene.cpu), ==, "Looking at this machine…");
  g_assert_false (has_devices (&scene));
  urbarium_devices_group_load (scene.group);
  load (&scene);
  urbarium_devices_group_load (scene.group);
  log = made_up_engine_log ();
  g_assert_cmpstr (log, ==, "devices --json\n");
  g_assert_cmpint (urbarium_devices_group_get_devices (scene.group)->n_cores, ==, 8);
  g_assert_cmpint (scene.n_changed, >=, 1);
  g_assert_nonnull (made_up_find_text (scene.widget, "Zilog <Z80> & Sons"));
  g_assert_nonnull (made_up_find_text (scene.widget, cores));
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (scene.no_gpu)));
  gtk_test_accessible_assert_property (GTK_WIDGET (scene.threads), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Processor threads");
  test_window_destroy (scene.window);
}

/* All cores are 0, for the run may go on elsewhere. */
static void
test_threads (void)
{
  Scene scene;
  scene_init (&scene, EIGHT_CORES "}");
  g_assert_cmpint (apply (&scene), ==, 0);
  set (&scene, 3); /* before anybody knows how many there are */
  g_assert_cmpint (apply (&scene), ==, 3);
  load (&scene);
  g_assert_cmpint (gtk_spin_button_get_value_as_int (scene.threads), ==, 3);
  g_assert_cmpint (apply (&scene), ==, 3);
  scene.n_changed = 0;
  gtk_spin_button_set_value (scene.threads, 8);
  g_assert_cmpint (scene.n_changed, ==, 1);
  g_assert_cmpint (apply (&scene), ==, 0);
  set (&scene, 99); /* of a larger machine */
  g_assert_cmpint (gtk_spin_button_get_value_as_int (scene.threads), ==, 8);
  set (&scene, 2);
  g_assert_cmpint (apply (&scene), ==, 2);
  set (&scene, 0);
  g_assert_cmpint (gtk_spin_button_get_value_as_int (scene.threads), ==, 8);
  gtk_spin_button_set_value (scene.threads, 0);
  g_assert_cmpint (apply (&scene), ==, 1);
  test_window_destroy (scene.window);
}

static void
test_unticked (void)
{
  Scene scene;
  g_autofree char *problem = NULL;
  scene_init (&scene, EIGHT_CORES "}");
  load (&scene);
  g_assert_null (urbarium_devices_group_check (scene.group));
  scene.n_changed = 0;
  gtk_widget_activate (GTK_WIDGET (scene.cpu)); /* the whole row is to click on */
  g_assert_false (gtk_check_button_get_active (scene.check));
  g_assert_cmpint (scene.n_changed, ==, 1);
  g_assert_false (gtk_widget_get_sensitive (GTK_WIDGET (scene.threads)));
  problem = urbarium_devices_group_check (scene.group);
  g_assert_cmpstr (problem, ==, "Tick the hardware to train on.");
  gtk_widget_activate (GTK_WIDGET (scene.cpu));
  g_assert_true (gtk_widget_get_sensitive (GTK_WIDGET (scene.threads)));
  g_assert_null (urbarium_devices_group_check (scene.group));
  test_window_destroy (scene.window);
}

/* Seen, and why they cannot be ticked. */
static void
test_gpus (void)
{
  Scene scene;
  GtkWidget *name;
  GtkWidget *row;
  g_autofree char *memory = g_format_size (70000000000);
  g_autofree char *first = g_strdup_printf ("%s free. This version computes on the processor",
                                            memory);
  scene_init (&scene, EIGHT_CORES
              ", \"gpus\": [{\"name\": \"A <100>\", \"memory_available_bytes\": 70000000000}, "
              "{\"reason\": \"The driver is too old\"}, 7]}");
  load (&scene);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (scene.no_gpu)));
  name = made_up_find_text (scene.widget, "A <100>");
  row = gtk_widget_get_ancestor (name, ADW_TYPE_ACTION_ROW);
  g_assert_cmpstr (subtitle (ADW_ACTION_ROW (row)), ==, first);
  g_assert_false (gtk_widget_is_sensitive (row));
  gtk_test_accessible_assert_property (test_find (row, GTK_TYPE_CHECK_BUTTON),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, "A <100>");
  name = made_up_find_text (scene.widget, "The driver is too old");
  row = gtk_widget_get_ancestor (name, ADW_TYPE_ACTION_ROW);
  g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), ==, "GPU");
  test_window_destroy (scene.window);
}

static gboolean
has_error (gpointer scene)
{
  return strstr (subtitle (((Scene *) scene)->cpu), "…") == NULL;
}

/* One can still train, with what was wanted; and ask again. */
static void
test_errors (void)
{
  Scene scene;
  scene_init (&scene, "[]");
  set (&scene, 5);
  urbarium_devices_group_load (scene.group);
  test_until (has_error, &scene);
  g_assert_nonnull (strstr (subtitle (scene.cpu), "not understood"));
  g_assert_false (has_devices (&scene));
  g_assert_null (urbarium_devices_group_check (scene.group));
  g_assert_cmpint (apply (&scene), ==, 5);
  made_up_engine ("echo 'urbarium-engine: error: There is <no> processor.' >&2; exit 1");
  adw_action_row_set_subtitle (scene.cpu, "…");
  urbarium_devices_group_load (scene.group);
  test_until (has_error, &scene);
  g_assert_nonnull (made_up_find_text (scene.widget, "error: There is <no> processor."));
  made_up_engine ("echo '" EIGHT_CORES "}'");
  load (&scene);
  g_assert_cmpint (apply (&scene), ==, 5);
  test_window_destroy (scene.window);
}

static gboolean
tick_cb (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static gboolean
has_log (gpointer data)
{
  g_autofree char *log = made_up_engine_log ();
  return *log != '\0';
}

/* The window is closed before the engine has answered: nobody waits for that. */
static void
test_closed (void)
{
  Scene scene;
  gint64 start;
  guint timer;
  scene_init (&scene, "{}");
  made_up_engine ("echo begun > \"$LOG\"; exec sleep 25");
  urbarium_devices_group_load (scene.group);
  timer = g_timeout_add (10, tick_cb, NULL); /* a file wakes nobody */
  test_until (has_log, NULL);
  g_source_remove (timer);
  start = g_get_monotonic_time ();
  test_window_destroy (scene.window);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
}

int
main (int argc, char **argv)
{
  int status;
  g_setenv ("GTK_A11Y", "test", TRUE);
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/devices-group/processor", test_processor);
  g_test_add_func ("/devices-group/threads", test_threads);
  g_test_add_func ("/devices-group/unticked", test_unticked);
  g_test_add_func ("/devices-group/gpus", test_gpus);
  g_test_add_func ("/devices-group/errors", test_errors);
  g_test_add_func ("/devices-group/closed", test_closed);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
