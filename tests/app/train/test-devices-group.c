/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-devices-group.c - simulated machines: without GPUs, with usable and unusable ones, and with
 * a broken engine.
 */
#include <string.h>

#include "app-test.h"
#include "app/runs/run-private.h"
#include "app/train/devices-group.h"
#include "app/train/load-curve.h"
#include "made-up.h"
#include "run-fixture.h"

#define EIGHT_CORES \
  "{\"cpu\": {\"model\": \"Zilog <Z80> & Sons\", \"cores\": 8, \"bf16\": false}, " \
  "\"memory_bytes\": 16000000000, \"memory_available_bytes\": 9000000000"
/* Two usable GPUs of the same name, the second with more free memory. */
#define THREE_GPUS \
  EIGHT_CORES ", \"gpus\": [" \
  "{\"name\": \"A <100>\", \"device\": \"cuda:0\", \"bf16\": true, " \
  "\"memory_available_bytes\": 7000000000}, " \
  "{\"name\": \"A <100>\", \"device\": \"cuda:1\", \"bf16\": true, \"capability\": 90, " \
  "\"memory_available_bytes\": 70000000000}, " \
  "{\"name\": \"Old\", \"reason\": \"CUDA does not show it\"}]}"

typedef struct
{
  GtkWidget            *widget;
  UrbariumDevicesGroup *group; /* the same object */
  AdwActionRow         *cpu, *no_gpu, *gone;
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

/* @answer: output of `urbarium-engine devices --json` */
static void
scene_init (Scene *scene, const char *answer)
{
  g_autofree char *script = g_strdup_printf ("echo \"$@\" >> \"$LOG\"; echo '%s'", answer);
  made_up_engine (script);
  *scene = (Scene){ .widget = g_object_new (URBARIUM_TYPE_DEVICES_GROUP, NULL) };
  scene->group = URBARIUM_DEVICES_GROUP (scene->widget);
  scene->cpu = made_up_part (scene->widget, "cpu_row");
  scene->no_gpu = made_up_part (scene->widget, "no_gpu_row");
  scene->gone = made_up_part (scene->widget, "gone_row");
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

/* What a processor and an old GPU can do. */
static void
test_abilities (void)
{
  Scene scene;
  g_autofree char *memory = g_format_size (9000000000);
  g_autofree char *text = g_strdup_printf ("1 core, %s of memory free · AVX512 · bf16", memory);
  scene_init (&scene, "{\"cpu\": {\"cores\": 1, \"isa\": \"avx512\", \"bf16\": true}, "
                      "\"memory_available_bytes\": 9000000000, "
                      "\"gpus\": [{\"name\": \"Old\", \"device\": \"cuda:0\", \"capability\": 75}]}");
  load (&scene);
  g_assert_cmpstr (subtitle (scene.cpu), ==, text);
  g_assert_nonnull (made_up_find_text (scene.widget, "compute capability 7.5 · fp16"));
  test_window_destroy (scene.window);
}

/* Queried once; shown as text without markup. */
static void
test_processor (void)
{
  Scene scene;
  g_autofree char *log = NULL;
  g_autofree char *memory = g_format_size (9000000000);
  g_autofree char *cores = g_strdup_printf ("8 cores, %s of memory free", memory);
  scene_init (&scene, EIGHT_CORES "}");
  g_assert_cmpstr (subtitle (scene.cpu), ==, "Detecting the hardware…");
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
  gtk_test_accessible_assert_relation (GTK_WIDGET (scene.threads), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                       made_up_find_text (scene.widget, "Threads"), NULL);
  test_window_destroy (scene.window);
}

/* All cores are written as 0, since the run may be resumed on another machine. */
static void
test_threads (void)
{
  Scene scene;
  scene_init (&scene, EIGHT_CORES "}");
  g_assert_cmpint (apply (&scene), ==, 0);
  set (&scene, 3); /* before the number of cores is known */
  g_assert_cmpint (apply (&scene), ==, 3);
  load (&scene);
  g_assert_cmpint (gtk_spin_button_get_value_as_int (scene.threads), ==, 3);
  g_assert_cmpint (apply (&scene), ==, 3);
  scene.n_changed = 0;
  gtk_spin_button_set_value (scene.threads, 8);
  g_assert_cmpint (scene.n_changed, ==, 1);
  g_assert_cmpint (apply (&scene), ==, 0);
  set (&scene, 99); /* from a larger machine */
  g_assert_cmpint (gtk_spin_button_get_value_as_int (scene.threads), ==, 8);
  set (&scene, 2);
  g_assert_cmpint (apply (&scene), ==, 2);
  set (&scene, 0);
  g_assert_cmpint (gtk_spin_button_get_value_as_int (scene.threads), ==, 8);
  gtk_spin_button_set_value (scene.threads, 0);
  g_assert_cmpint (apply (&scene), ==, 1);
  test_window_destroy (scene.window);
}

/* The device in the options. (transfer full) */
static char *
apply_device (Scene *scene)
{
  g_auto(UrbTrainOptions) options = { 0 };
  urb_train_options_init (&options);
  urbarium_devices_group_apply (scene->group, &options);
  return g_steal_pointer (&options.backend);
}

static void
assert_device (Scene *scene, const char *device)
{
  g_autofree char *written = apply_device (scene);
  const UrbariumGpu *gpu = urbarium_devices_group_get_gpu (scene->group);
  g_assert_cmpstr (written, ==, device);
  g_assert_cmpstr (gpu == NULL ? "cpu" : gpu->device, ==, device);
  g_assert_cmpint (gtk_widget_get_sensitive (GTK_WIDGET (scene->threads)), ==, gpu == NULL);
}

static void
set_device (Scene *scene, const char *device)
{
  g_auto(UrbTrainOptions) options = { 0 };
  urb_train_options_init (&options);
  g_free (options.backend);
  options.backend = g_strdup (device);
  urbarium_devices_group_set_options (scene->group, &options);
}

static GtkWidget *
find_row (Scene *scene, const char *title)
{
  GtkWidget *label = made_up_find_text (scene->widget, title);
  g_assert_nonnull (label);
  return gtk_widget_get_ancestor (label, ADW_TYPE_ACTION_ROW);
}

/* The processor, or GPUs; the whole row can be clicked. */
static void
test_ticked (void)
{
  Scene scene;
  GtkWidget *first;
  scene_init (&scene, THREE_GPUS);
  assert_device (&scene, "cpu"); /* no devices known yet */
  load (&scene);
  set (&scene, 3);
  first = find_row (&scene, "A <100> (cuda:0)");
  assert_device (&scene, "cpu");
  g_assert_true (urbarium_devices_group_is_chosen (scene.group));
  scene.n_changed = 0;
  gtk_widget_activate (GTK_WIDGET (scene.cpu));
  g_assert_cmpint (scene.n_changed, ==, 0);
  assert_device (&scene, "cpu");
  gtk_widget_activate (first);
  g_assert_cmpint (scene.n_changed, ==, 1);
  g_assert_false (gtk_check_button_get_active (scene.check));
  assert_device (&scene, "cuda:0");
  g_assert_cmpint (apply (&scene), ==, 0); /* threads apply to the CPU only */
  gtk_widget_activate (GTK_WIDGET (scene.cpu));
  assert_device (&scene, "cpu");
  g_assert_cmpint (apply (&scene), ==, 3);
  test_window_destroy (scene.window);
}

/* Proposes the GPU with the most free memory unless the user chose a device. */
static void
test_proposed (void)
{
  Scene scene;
  scene_init (&scene, THREE_GPUS);
  load (&scene);
  assert_device (&scene, "cuda:1");
  g_assert_false (urbarium_devices_group_is_chosen (scene.group));
  gtk_widget_activate (find_row (&scene, "A <100> (cuda:0)"));
  gtk_widget_activate (find_row (&scene, "A <100> (cuda:1)"));
  g_assert_true (urbarium_devices_group_is_chosen (scene.group));
  assert_device (&scene, "cuda:0");
  urbarium_devices_group_propose (scene.group);
  assert_device (&scene, "cuda:1");
  g_assert_false (urbarium_devices_group_is_chosen (scene.group));
  test_window_destroy (scene.window);

  scene_init (&scene, THREE_GPUS);
  set_device (&scene, "cuda"); /* the first GPU */
  load (&scene);
  assert_device (&scene, "cuda:0");
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (scene.gone)));
  test_window_destroy (scene.window);

  scene_init (&scene, EIGHT_CORES ", \"gpus_why\": \"there is <no> driver\"}");
  load (&scene);
  assert_device (&scene, "cpu");
  g_assert_nonnull (made_up_find_text (scene.widget, "None found: there is <no> driver"));
  gtk_widget_activate (GTK_WIDGET (scene.cpu));
  assert_device (&scene, "cpu");
  test_window_destroy (scene.window);
}

static void
assert_devices (Scene *scene, const char *devices)
{
  g_autofree char *written = apply_device (scene);
  g_assert_cmpstr (written, ==, devices);
}

static void
ticked_cb (UrbariumDevicesGroup *group, guint n_before, guint *n)
{
  *n = n_before;
}

/* Several GPUs, which the ranks take in turn. */
static void
test_several (void)
{
  Scene scene;
  guint n_before = 99;
  GtkWidget *first, *second;
  scene_init (&scene, THREE_GPUS);
  load (&scene);
  g_signal_connect (scene.widget, "ticked", G_CALLBACK (ticked_cb), &n_before);
  first = find_row (&scene, "A <100> (cuda:0)");
  second = find_row (&scene, "A <100> (cuda:1)");
  g_assert_nonnull (made_up_find_text (scene.widget, "Tick several GPUs to train on them together"));
  scene.n_changed = 0;
  gtk_widget_activate (first);
  g_assert_cmpuint (n_before, ==, 1);
  g_assert_cmpint (scene.n_changed, ==, 1);
  assert_devices (&scene, "cuda:0,1");
  g_assert_cmpuint (urbarium_devices_group_get_n_gpus (scene.group), ==, 2);
  g_assert_nonnull (made_up_find_text (first, "Rank 0"));
  g_assert_nonnull (made_up_find_text (second, "Not used")); /* one process, so far */
  urbarium_devices_group_set_ranks (scene.group, 2, TRUE);
  g_assert_nonnull (made_up_find_text (second, "Rank 1"));
  urbarium_devices_group_set_ranks (scene.group, 3, TRUE);
  g_assert_nonnull (made_up_find_text (first, "Ranks 0 and 2"));
  test_screenshot (scene.window, "hardware-several");
  urbarium_devices_group_set_ranks (scene.group, 8, TRUE);
  g_assert_nonnull (made_up_find_text (second, "4 ranks"));
  urbarium_devices_group_set_ranks (scene.group, 0, TRUE); /* on several hosts */
  g_assert_null (made_up_find_text (second, "4 ranks"));
  gtk_widget_activate (second);
  g_assert_cmpuint (n_before, ==, 2);
  assert_devices (&scene, "cuda:0");
  gtk_widget_activate (first); /* the last one */
  assert_devices (&scene, "cpu");
  g_assert_true (gtk_check_button_get_active (scene.check));
  gtk_widget_activate (first);
  gtk_widget_activate (second);
  gtk_widget_activate (GTK_WIDGET (scene.cpu));
  assert_devices (&scene, "cpu");
  g_assert_cmpuint (n_before, ==, 2);
  test_window_destroy (scene.window);
}

static void
set_ranks (Scene *scene, const char *device, UrbStrategy strategy, int n_ranks)
{
  g_auto(UrbTrainOptions) options = { 0 };
  urb_train_options_init (&options);
  g_free (options.backend);
  options.backend = g_strdup (device);
  options.strategy = strategy;
  options.n_ranks = n_ranks;
  urbarium_devices_group_set_options (scene->group, &options);
}

/* The GPUs of settings: a list, or "cuda", of which synchronous ranks take all. */
static void
test_several_wanted (void)
{
  static const struct { const char *device; UrbStrategy strategy; int n_ranks; const char *ticked; gboolean gone; } cases[] = {
    { "cuda:1,0", URB_STRATEGY_DDP, 2, "cuda:1,0", FALSE },
    { "cuda", URB_STRATEGY_DDP, 4, "cuda:0,1", FALSE },
    { "cuda", URB_STRATEGY_STREAMS, 4, "cuda:0", FALSE },
    { "cuda", URB_STRATEGY_SINGLE, 1, "cuda:0", FALSE },
    { "cuda:1,7", URB_STRATEGY_DDP, 2, "cpu", TRUE },
    { "cuda:x", URB_STRATEGY_DDP, 2, "cpu", TRUE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Scene scene;
      scene_init (&scene, THREE_GPUS);
      set_ranks (&scene, cases[i].device, cases[i].strategy, cases[i].n_ranks);
      assert_devices (&scene, cases[i].device); /* before the devices are known */
      load (&scene);
      assert_devices (&scene, cases[i].ticked);
      g_assert_cmpint (gtk_widget_get_visible (GTK_WIDGET (scene.gone)), ==, cases[i].gone);
      test_window_destroy (scene.window);
    }
}

/* The order of GPUs in settings is that of the ranks, until the user ticks. */
static void
test_order (void)
{
  Scene scene;
  GtkWidget *first, *second;
  scene_init (&scene, THREE_GPUS);
  set_ranks (&scene, "cuda:1,7", URB_STRATEGY_DDP, 2);
  load (&scene);
  set_ranks (&scene, "cuda:1,0", URB_STRATEGY_DDP, 2);
  first = find_row (&scene, "A <100> (cuda:0)");
  second = find_row (&scene, "A <100> (cuda:1)");
  g_assert_nonnull (made_up_find_text (first, "Rank 1"));
  g_assert_nonnull (made_up_find_text (second, "Rank 0"));
  gtk_widget_activate (second);
  gtk_widget_activate (second);
  assert_devices (&scene, "cuda:0,1");
  g_assert_nonnull (made_up_find_text (first, "Rank 0"));
  test_window_destroy (scene.window);
}

/* Settings have the threads of all ranks, the row those of each. */
static void
test_rank_threads (void)
{
  Scene scene;
  scene_init (&scene, EIGHT_CORES "}");
  load (&scene);
  g_assert_nonnull (made_up_find_text (scene.widget, "Threads"));
  urbarium_devices_group_set_ranks (scene.group, 2, TRUE);
  g_assert_nonnull (made_up_find_text (scene.widget, "Threads of each rank"));
  g_assert_nonnull (made_up_find_text (scene.widget, "8 cores for 2 ranks"));
  g_assert_cmpint (gtk_spin_button_get_value_as_int (scene.threads), ==, 4);
  g_assert_cmpint (apply (&scene), ==, 0);
  gtk_spin_button_set_value (scene.threads, 3);
  g_assert_cmpint (apply (&scene), ==, 6);
  urbarium_devices_group_set_ranks (scene.group, 1, TRUE);
  g_assert_cmpint (apply (&scene), ==, 3);
  urbarium_devices_group_set_ranks (scene.group, 16, TRUE); /* more than cores */
  g_assert_cmpint (gtk_spin_button_get_value_as_int (scene.threads), ==, 1);
  g_assert_cmpint (apply (&scene), ==, 0);
  test_window_destroy (scene.window);
}

static double
apply_memory (Scene *scene)
{
  g_auto(UrbTrainOptions) options = { 0 };
  urb_train_options_init (&options);
  urbarium_devices_group_apply (scene->group, &options);
  return options.rank_memory;
}

static void
type (GtkSpinButton *spin, const char *text)
{
  gtk_editable_set_text (GTK_EDITABLE (spin), text);
  gtk_spin_button_update (spin);
}

/* What is shown is read back as the same number; what is no number changes nothing. */
static void
test_typed_memory (void)
{
  static const struct { const char *typed; double value; const char *shown; } cases[] = {
    { "0.04", 0.04, "0.04 GB" }, { "1.234", 1.234, "1.234 GB" },  { "1500", 1500, "1500 GB" },
    { "abc", 1500, "1500 GB" },  { "1,5 GB", 1500, "1500 GB" },   { "7 apples", 1500, "1500 GB" },
    { "-3", 1500, "1500 GB" },   { "nan", 1500, "1500 GB" },      { "2000000", 1500, "1500 GB" },
    { " 2 GB ", 2, "2 GB" },     { "0", 0, "No limit" },          { "3", 3, "3 GB" },
    { "No limit", 0, "No limit" }, { "0.1", 0.1, "0.1 GB" },      { "", 0, "No limit" },
  };
  Scene scene;
  GtkSpinButton *spin;
  scene_init (&scene, EIGHT_CORES "}");
  spin = made_up_part (scene.widget, "memory_spin");
  load (&scene);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      type (spin, cases[i].typed);
      g_assert_cmpfloat (apply_memory (&scene), ==, cases[i].value);
      g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, cases[i].shown);
      gtk_spin_button_update (spin); /* the focus leaves */
      g_assert_cmpfloat (apply_memory (&scene), ==, cases[i].value);
    }
  test_window_destroy (scene.window);
}

/* What is free, and the most that a rank may have. */
static void
test_memory (void)
{
  Scene scene;
  GtkSpinButton *spin;
  g_auto(UrbTrainOptions) options = { 0 };
  g_autofree char *cpu = g_format_size (9000000000), *gpu = g_format_size (7000000000);
  g_autofree char *free_bytes = g_strdup_printf ("%s are free", cpu);
  g_autofree char *free_on_each = g_strdup_printf ("%s are free on each GPU", gpu);
  scene_init (&scene, THREE_GPUS);
  spin = made_up_part (scene.widget, "memory_spin");
  load (&scene);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, "No limit");
  g_assert_cmpfloat (apply_memory (&scene), ==, 0);
  gtk_widget_activate (find_row (&scene, "A <100> (cuda:0)"));
  g_assert_nonnull (made_up_find_text (scene.widget, free_on_each));
  gtk_widget_activate (GTK_WIDGET (scene.cpu));
  g_assert_nonnull (made_up_find_text (scene.widget, free_bytes));
  scene.n_changed = 0;
  gtk_spin_button_set_value (spin, 4.5);
  g_assert_cmpint (scene.n_changed, ==, 1);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, "4.5 GB");
  g_assert_cmpfloat (apply_memory (&scene), ==, 4.5);
  urb_train_options_init (&options);
  options.rank_memory = 1.234;
  urbarium_devices_group_set_options (scene.group, &options);
  g_assert_cmpfloat (apply_memory (&scene), ==, 1.234);
  test_window_destroy (scene.window);
}

/* A session whose GPU is missing or unusable. */
static void
test_gone (void)
{
  Scene scene;
  scene_init (&scene, THREE_GPUS);
  set_device (&scene, "cuda:7");
  load (&scene);
  assert_device (&scene, "cpu");
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (scene.gone)));
  g_assert_nonnull (made_up_find_text (scene.widget, "The settings use cuda:7, which this machine "
                                                     "does not offer. The processor is selected "
                                                     "instead."));
  test_screenshot (scene.window, "hardware-gone");
  g_assert_false (urbarium_devices_group_is_chosen (scene.group)); /* in case it comes back */
  gtk_widget_activate (find_row (&scene, "A <100> (cuda:1)"));
  assert_device (&scene, "cuda:1");
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (scene.gone)));
  set_device (&scene, "cuda:8");
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (scene.gone)));
  set_device (&scene, "cpu");
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (scene.gone)));
  test_window_destroy (scene.window);
}

/* The memory of each GPU, and why some cannot be selected. */
static void
test_gpus (void)
{
  Scene scene;
  GtkWidget *row;
  g_autofree char *memory = g_format_size (70000000000);
  g_autofree char *first = g_strdup_printf ("%s of memory free · compute capability 9.0 · bf16, fp16 and TF32", memory);
  g_autofree char *second = g_strdup_printf ("%s of memory. Cannot be used: The driver is too old",
                                             memory);
  scene_init (&scene, EIGHT_CORES
              ", \"gpus\": [{\"name\": \"A <100>\", \"memory_bytes\": 70000000000, "
              "\"reason\": \"The driver is too old\"}, {\"reason\": \"It is <hot>\"}, {}, 7]}");
  load (&scene);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (scene.no_gpu)));
  row = find_row (&scene, "A <100>");
  g_assert_cmpstr (subtitle (ADW_ACTION_ROW (row)), ==, second);
  g_assert_false (gtk_widget_is_sensitive (row));
  row = find_row (&scene, "Cannot be used: It is <hot>");
  g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), ==, "GPU");
  g_assert_nonnull (made_up_find_text (scene.widget, "Cannot be used"));
  assert_device (&scene, "cpu");
  test_window_destroy (scene.window);

  scene_init (&scene, THREE_GPUS);
  load (&scene);
  row = find_row (&scene, "A <100> (cuda:1)");
  g_assert_cmpstr (subtitle (ADW_ACTION_ROW (row)), ==, first);
  g_assert_true (gtk_widget_is_sensitive (row));
  gtk_test_accessible_assert_property (test_find (row, GTK_TYPE_CHECK_BUTTON),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, "A <100> (cuda:1)");
  test_screenshot (scene.window, "hardware");
  test_window_destroy (scene.window);
}

static gboolean
has_error (gpointer scene)
{
  return strstr (subtitle (((Scene *) scene)->cpu), "…") == NULL;
}

/* Training is still possible with the chosen settings, and the query can be repeated. */
static void
test_errors (void)
{
  Scene scene;
  scene_init (&scene, "[]");
  set (&scene, 5);
  urbarium_devices_group_load (scene.group);
  test_until (has_error, &scene);
  g_assert_nonnull (strstr (subtitle (scene.cpu), "unexpected reply"));
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (scene.cpu), "problem"));
  g_assert_false (has_devices (&scene));
  g_assert_cmpint (apply (&scene), ==, 5);
  made_up_engine ("echo 'urbarium-engine: error: There is <no> processor.' >&2; exit 1");
  adw_action_row_set_subtitle (scene.cpu, "…");
  urbarium_devices_group_load (scene.group);
  test_until (has_error, &scene);
  g_assert_nonnull (made_up_find_text (scene.widget, "error: There is <no> processor."));
  made_up_engine ("echo '" EIGHT_CORES "}'");
  load (&scene);
  g_assert_cmpint (apply (&scene), ==, 5);
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (scene.cpu), "problem"));
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

/* Closing the window before the engine has replied. */
static void
test_closed (void)
{
  Scene scene;
  gint64 start;
  guint timer;
  scene_init (&scene, "{}");
  made_up_engine ("echo begun > \"$LOG\"; exec sleep 25");
  urbarium_devices_group_load (scene.group);
  timer = g_timeout_add (10, tick_cb, NULL); /* a file does not wake the main loop */
  test_until (has_log, NULL);
  g_source_remove (timer);
  start = g_get_monotonic_time ();
  test_window_destroy (scene.window);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
}

static gboolean
shows_load (gpointer row)
{
  return gtk_widget_get_mapped (test_find (row, URBARIUM_TYPE_LOAD_CURVE));
}

static GtkWidget *
find_gpu (Scene *scene, const char *title)
{
  return gtk_widget_get_ancestor (made_up_find_text (scene->widget, title), ADW_TYPE_ACTION_ROW);
}

static void
read_gpu (UrbariumRun *run, double percent)
{
  const UrbGpuLoad load = { .utilization_percent = percent, .memory_used_bytes = 1, .memory_bytes = 4 };
  g_autoptr(UrbariumRunGpu) gpu = urbarium_run_gpu_new (0, "Fast", "0000:17:00.0", &load);
  g_list_store_append (G_LIST_STORE (urbarium_run_get_gpus (run)), gpu);
}

/* The row of a GPU shows what a run does there. */
static void
test_loads (void)
{
  UrbariumRunLibrary *library = made_up_library ("library", (const char *[]){ "a", NULL });
  g_autoptr(UrbariumRun) run = g_list_model_get_item (G_LIST_MODEL (library), 0);
  static const char line[] = "{\"rank\": 0, \"memory_bytes\": 3000000000, \"cores_busy\": 1.2}";
  g_autoptr(JsonObject) beat = urb_json_parse_line (line, strlen (line), NULL);
  Scene scene;
  made_up_run_stands (run, TRUE, URB_RUN_RUNNING);
  urbarium_run_apply_heartbeat (run, beat, 1);
  read_gpu (run, 80);
  scene_init (&scene, EIGHT_CORES ", \"gpus\": ["
              "{\"name\": \"Fast <100>\", \"device\": \"cuda:0\", \"pci\": \"0000:17:00.0\", \"bf16\": true, "
              "\"capability\": 90, \"memory_available_bytes\": 70000000000}, "
              "{\"name\": \"Fast <100>\", \"device\": \"cuda:1\", \"pci\": \"0000:18:00.0\", \"bf16\": true, "
              "\"capability\": 90, \"memory_available_bytes\": 70000000000}]}");
  gtk_window_set_default_size (scene.window, 376, 500);
  urbarium_devices_group_set_library (scene.group, library);
  load (&scene);
  urbarium_devices_group_set_ranks (scene.group, 2, TRUE);
  gtk_widget_activate (find_gpu (&scene, "Fast <100> (cuda:1)"));
  test_until (shows_load, find_gpu (&scene, "Fast <100> (cuda:0)"));
  test_until (shows_load, scene.cpu); /* the run feeds the GPU */
  g_assert_false (shows_load (find_gpu (&scene, "Fast <100> (cuda:1)")));
  test_screenshot (scene.window, "device-loads");
  test_window_destroy (scene.window);
  g_clear_object (&run);
  run_until_gone (library);
}

int
main (int argc, char **argv)
{
  int status;
  g_setenv ("GTK_A11Y", "test", TRUE);
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/devices-group/several", test_several);
  g_test_add_func ("/devices-group/several-wanted", test_several_wanted);
  g_test_add_func ("/devices-group/order", test_order);
  g_test_add_func ("/devices-group/rank-threads", test_rank_threads);
  g_test_add_func ("/devices-group/memory", test_memory);
  g_test_add_func ("/devices-group/typed-memory", test_typed_memory);
  g_test_add_func ("/devices-group/processor", test_processor);
  g_test_add_func ("/devices-group/abilities", test_abilities);
  g_test_add_func ("/devices-group/threads", test_threads);
  g_test_add_func ("/devices-group/ticked", test_ticked);
  g_test_add_func ("/devices-group/proposed", test_proposed);
  g_test_add_func ("/devices-group/gone", test_gone);
  g_test_add_func ("/devices-group/gpus", test_gpus);
  g_test_add_func ("/devices-group/errors", test_errors);
  g_test_add_func ("/devices-group/closed", test_closed);
  g_test_add_func ("/devices-group/loads", test_loads);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
