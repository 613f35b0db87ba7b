/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-networks-window.c - every built-in network has its rows, and those of a checkpoint open to the values of
 * its tensors.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "app-test.h"
#include "app/base/format.h"
#include "app/train/network-diagram.h"
#include "app/train/networks-window.h"
#include "app/train/value-histogram.h"
#include "made-up.h"
#include "model/networks.h"
#include "run-fixture.h"

static GtkWindow *
open_window (const char *preset, const char *recipe, const char *checkpoint)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(GError) error = NULL;
  GtkWindow *window;
  urb_train_options_init (&options);
  g_free (options.preset);
  g_free (options.recipe);
  options.preset = g_strdup (preset);
  options.recipe = g_strdup (recipe);
  window = GTK_WINDOW (urbarium_networks_window_new (&options, checkpoint, &error));
  g_assert_no_error (error);
  gtk_window_present (window);
  return window;
}

/* "131,200 parameters" in a subtitle; 0 if it has none. */
static gint64
read_parameters (GtkWidget *row)
{
  g_auto(GStrv) parts = g_strsplit (adw_action_row_get_subtitle (ADW_ACTION_ROW (row)), " · ", -1);
  gint64 count = 0;
  for (int i = 0; parts[i] != NULL; i++)
    for (const char *c = parts[i]; strstr (parts[i], " parameter") != NULL && *c != '\0'; c++)
      if (g_ascii_isdigit (*c))
        count = 10 * count + g_ascii_digit_value (*c);
  return count;
}

/* All parameters are in some row, and the shares add up to one. */
static void
test_presets (void)
{
  g_auto(GStrv) names = urb_preset_list ();
  for (guint i = 0; names[i] != NULL; i++)
    {
      gboolean classic = g_str_equal (names[i], "dcgan-32m");
      g_autoptr(UrbPreset) preset = urb_preset_load (names[i], NULL);
      g_autoptr(UrbNet) g = urb_preset_build_generator (preset, 3, preset->refined_px > 0, NULL);
      g_autoptr(UrbNet) d = urb_preset_build_discriminator (preset, 3, classic, NULL);
      GtkWindow *window = open_window (names[i], classic ? "dcgan" : "r3", NULL);
      g_autoptr(GPtrArray) rows = test_list (GTK_WIDGET (window), ADW_TYPE_ACTION_ROW);
      g_autoptr(GPtrArray) shares = test_list (GTK_WIDGET (window), GTK_TYPE_LEVEL_BAR);
      g_autoptr(GPtrArray) diagrams = test_list (GTK_WIDGET (window), URBARIUM_TYPE_NETWORK_DIAGRAM);
      g_autofree char *shot = g_strconcat ("networks-", names[i], NULL);
      guint n_networks = preset->refined_px > 0 ? 3 : 2;
      gint64 n_params = 0;
      double sum = 0;
      for (guint r = 0; r < rows->len; r++)
        n_params += read_parameters (rows->pdata[r]);
      for (guint s = 0; s < shares->len; s++)
        sum += gtk_level_bar_get_value (shares->pdata[s]);
      g_assert_cmpint (n_params, ==, g->n_params + d->n_params);
      g_assert_cmpfloat_with_epsilon (sum, n_networks, 1e-9);
      g_assert_cmpuint (diagrams->len, ==, n_networks);
      test_frames (window, 3);
      test_screenshot (window, shot);
      test_window_destroy (window);
    }
}

/* A row of this title and shape has an output of @bytes. */
static void
assert_output (GPtrArray *rows, const char *title, const char *shape, const char *bytes)
{
  g_autofree char *begin = g_strdup_printf ("%s · output of a batch: %s · ", shape, bytes);
  for (guint i = 0; i < rows->len; i++)
    if (g_str_has_prefix (adw_preferences_row_get_title (rows->pdata[i]), title)
        && g_str_has_prefix (adw_action_row_get_subtitle (rows->pdata[i]), begin))
      return;
  g_error ("no row “%s” has “%s”", title, begin);
}

/* Values of 4 bytes each: of whole images, but of a refiner's crops of 24 pixels. */
static void
test_output (void)
{
  GtkWindow *tiny = open_window ("tiny", "r3", NULL), *classic = open_window ("dcgan-32m", "dcgan", NULL);
  g_autoptr(GPtrArray) rows = test_list (GTK_WIDGET (tiny), ADW_TYPE_ACTION_ROW);
  g_autoptr(GPtrArray) classic_rows = test_list (GTK_WIDGET (classic), ADW_TYPE_ACTION_ROW);
  assert_output (rows, "Transposed convolution 4 × 4, stride 2", "64 × 64 × 3", "786.4 kB"); /* 16 · 64 · 64 · 3 values */
  assert_output (rows, "Transposed convolution 4 × 4, stride 2", "256 × 256 × 3", "1.8 MB"); /* 16 · 96 · 96 · 3 */
  assert_output (classic_rows, "Transposed convolution 4 × 4, stride 2 · Batch norm · ReLU", "8 × 8 × 1024", "16.8 MB"); /* 64 · 8 · 8 · 1024 */
  test_window_destroy (tiny);
  test_window_destroy (classic);
}

static gboolean
tells_times (gpointer row)
{
  return strstr (adw_action_row_get_subtitle (row), "of the time of a step") != NULL;
}

/* Not the first button of the window: newer versions of libadwaita have one in its header. */
static GtkWidget *
find_measure (GtkWindow *window)
{
  g_autoptr(GPtrArray) buttons = test_list (GTK_WIDGET (window), GTK_TYPE_BUTTON);
  for (guint i = 0; i < buttons->len; i++)
    if (g_strcmp0 (gtk_button_get_label (buttons->pdata[i]), "_Measure") == 0)
      return buttons->pdata[i];
  return NULL;
}

/* Each row tells its share of the time, as measured by the engine: of all its layers. */
static void
test_times (void)
{
  GtkWindow *window = open_window ("tiny", "r3", NULL);
  g_autoptr(GPtrArray) rows = test_list (GTK_WIDGET (window), ADW_TYPE_ACTION_ROW);
  g_autoptr(GPtrArray) shares = test_list (GTK_WIDGET (window), GTK_TYPE_LEVEL_BAR);
  GtkWidget *button = find_measure (window);
  g_assert_nonnull (button);
  g_assert_nonnull (strstr (adw_action_row_get_subtitle (rows->pdata[0]), " · output of a batch: "));
  made_up_engine ("cat > /dev/null; echo '{\"profiled_seconds\":0.5,\"layers\":[{\"net\":\"g\",\"layer\":0,\"seconds\":0.125},"
                  "{\"net\":\"d\",\"layer\":0,\"seconds\":0.25},7]}'");
  g_signal_emit_by_name (button, "clicked");
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, "_Stop");
  test_until (tells_times, rows->pdata[0]);
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, "_Measure");
  g_assert_cmpfloat_with_epsilon (gtk_level_bar_get_value (shares->pdata[0]), 0.25, 1e-9);
  g_assert_cmpfloat_with_epsilon (gtk_level_bar_get_value (shares->pdata[1]), 0, 1e-9);
  test_frames (window, 3);
  test_screenshot (window, "networks-times");
  made_up_engine ("cat > /dev/null; sleep 1000");
  g_signal_emit_by_name (button, "clicked");
  g_signal_emit_by_name (button, "clicked"); /* stopped: the figures stay */
  g_assert_true (tells_times (rows->pdata[0]));
  g_signal_emit_by_name (button, "clicked");
  test_window_destroy (window); /* with a measurement that runs */
}

static void
test_unknown (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(GError) error = NULL;
  urb_train_options_init (&options);
  g_free (options.preset);
  options.preset = g_strdup ("no such networks");
  g_assert_null (urbarium_networks_window_new (&options, NULL, &error));
  g_assert_nonnull (error);
}

static void
test_values (void)
{
  const float data[] = { 1, 3, NAN, 5, INFINITY, 7 };
  const double squares[] = { 1, 4, 9 };
  UrbTensor tensor = { .type = URB_TENSOR_F32, .n_dims = 2, .shape = { 2, 3 }, .data = data };
  UrbTensor moments = { .type = URB_TENSOR_F64, .n_dims = 1, .shape = { 3 }, .data = squares };
  UrbariumValues values;
  urbarium_values_count (&values, &tensor, FALSE);
  g_assert_cmpint (values.n, ==, 6);
  g_assert_cmpint (values.n_bad, ==, 2);
  g_assert_cmpfloat (values.mean, ==, 4);
  g_assert_cmpfloat_with_epsilon (values.std, sqrt (5), 1e-12);
  g_assert_cmpfloat (values.min, ==, 1);
  g_assert_cmpfloat (values.max, ==, 7);
  g_assert_cmpfloat (values.from, ==, 1); /* within four deviations */
  g_assert_cmpint (values.counts[0], ==, 1);
  g_assert_cmpint (values.counts[20], ==, 1); /* 3: a third of the way */
  g_assert_cmpint (values.counts[URBARIUM_N_VALUE_BINS - 1], ==, 1);
  urbarium_values_count (&values, &moments, TRUE);
  g_assert_cmpfloat (values.mean, ==, 2);
  g_assert_cmpint (values.n_bad, ==, 0);
  moments.shape[0] = 1; /* no spread: the middle bin */
  urbarium_values_count (&values, &moments, FALSE);
  g_assert_cmpint (values.counts[URBARIUM_N_VALUE_BINS / 2], ==, 1);
  moments.shape[0] = 0;
  urbarium_values_count (&values, &moments, FALSE);
  g_assert_cmpint (values.n, ==, 0);
  g_assert_cmpfloat (values.mean, ==, 0);
}

static gboolean
has_two (gpointer row)
{
  g_autoptr(GPtrArray) histograms = test_list (row, URBARIUM_TYPE_VALUE_HISTOGRAM);
  return histograms->len == 2;
}

static gboolean
says_why (gpointer row)
{
  g_autoptr(GPtrArray) labels = test_list (row, GTK_TYPE_LABEL);
  for (guint i = 0; i < labels->len; i++)
    if (strstr (gtk_label_get_text (labels->pdata[i]), "gone.safetensors") != NULL)
      return TRUE;
  return FALSE;
}

static void
test_checkpoint (void)
{
  g_autofree char *path = run_fixture_start ("weights", 100000, "--checkpoint-every 1000000");
  UrbariumRun *run = urbarium_run_new (path);
  g_autofree char *checkpoint = NULL, *preset = NULL, *gone = g_build_filename (path, "gone.safetensors", NULL);
  g_autoptr(GObject) file = NULL;
  g_autoptr(GPtrArray) rows = NULL;
  AdwExpanderRow *row;
  GtkWindow *window;
  urbarium_run_follow (run);
  run_until_live (run, TRUE);
  run_until_step (run, 3);
  urbarium_run_checkpoint (run);
  while (g_list_model_get_n_items (urbarium_run_get_checkpoints (run)) == 0)
    g_main_context_iteration (NULL, TRUE);
  file = g_list_model_get_item (urbarium_run_get_checkpoints (run), 0);
  g_object_get (file, "path", &checkpoint, NULL);
  preset = g_strdup (urbarium_run_get_config (run)->train.preset);
  for (int i = 0; i < 2; i++)
    {
      window = open_window (preset, "r3", i == 0 ? checkpoint : gone);
      rows = test_list (GTK_WIDGET (window), ADW_TYPE_EXPANDER_ROW);
      g_assert_cmpuint (rows->len, >, 2);
      row = rows->pdata[0];
      g_assert_false (has_two (row));
      adw_expander_row_set_expanded (row, TRUE);
      test_until (i == 0 ? has_two : says_why, row);
      adw_expander_row_set_expanded (row, FALSE); /* once is enough */
      adw_expander_row_set_expanded (row, TRUE);
      test_frames (window, 10);
      g_assert_true (i == 1 || has_two (row));
      if (i == 0)
        {
          test_screenshot (window, "networks-values");
          g_assert_cmpint (g_unlink (checkpoint), ==, 0); /* as training does with old ones */
          adw_expander_row_set_expanded (rows->pdata[1], TRUE);
          test_until (has_two, rows->pdata[1]);
        }
      g_clear_pointer (&rows, g_ptr_array_unref);
      test_window_destroy (window);
    }
  urbarium_run_stop (run);
  run_until_live (run, FALSE);
  run_until_gone (run);
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  run_fixture_init ();
  g_test_add_func ("/app/networks-window/presets", test_presets);
  g_test_add_func ("/app/networks-window/output", test_output);
  g_test_add_func ("/app/networks-window/unknown", test_unknown);
  g_test_add_func ("/app/networks-window/values", test_values);
  g_test_add_func ("/app/networks-window/checkpoint", test_checkpoint);
  g_test_add_func ("/app/networks-window/times", test_times); /* replaces the engine */
  result = g_test_run ();
  run_fixture_clear ();
  return result;
}
