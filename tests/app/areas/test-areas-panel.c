/* SPDX-License-Identifier: Apache-2.0 */
/* test-areas-panel.c - the numbers match the choice, also while the threshold is dragged. */
#include "app/areas/areas-panel.h"

#include <math.h>

#include "app/base/format.h"
#include "app/plot/histogram.h"
#include "curation-fixture.h"
#include "looks.h"

typedef struct
{
  CurationFixture    base;
  UrbariumAreasPanel *panel;
  UrbariumHistogram  *histogram;
  GtkWindow          *window;
  GString            *actions; /* activated actions */
} Fixture;

static gpointer
part (Fixture *self, const char *name)
{
  GObject *object = gtk_widget_get_template_child (GTK_WIDGET (self->panel),
                                                   URBARIUM_TYPE_AREAS_PANEL, name);
  g_assert_nonnull (object);
  return object;
}

static void
action_cb (Fixture *self, GVariant *parameter, GAction *action)
{
  g_string_append_printf (self->actions, "%s ", g_action_get_name (action));
}

static void
set_up (Fixture *self, gconstpointer data)
{
  const char *names[] = { "reset", "save" };
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new ();
  curation_fixture_init (&self->base);
  self->panel = g_object_new (URBARIUM_TYPE_AREAS_PANEL, NULL);
  self->histogram = part (self, "histogram");
  self->actions = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr(GSimpleAction) action = g_simple_action_new (names[i], NULL);
      g_signal_connect_swapped (action, "activate", G_CALLBACK (action_cb), self);
      g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (action));
    }
  gtk_widget_insert_action_group (GTK_WIDGET (self->panel), "areas", G_ACTION_GROUP (group));
  urbarium_areas_panel_set_curation (self->panel, self->base.curation);
  self->window = test_window_new (GTK_WIDGET (self->panel), 380, 800);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  test_window_destroy (self->window);
  curation_fixture_clear (&self->base);
  g_string_free (self->actions, TRUE);
}

static void
assert_label (Fixture *self, const char *name, const char *expected)
{
  g_assert_cmpstr (gtk_label_get_text (part (self, name)), ==, expected);
}

static double
threshold_of (Fixture *self)
{
  double threshold;
  g_object_get (self->base.curation, "threshold", &threshold, NULL);
  return threshold;
}

static double
covered_m2 (Fixture *self)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self->base.curation);
  return ranked == NULL
           ? 0
           : ranked->covered_m2[urbarium_curation_get_choice (self->base.curation).n];
}

/* Compares all labels with the curation. */
static void
assert_choice (Fixture *self)
{
  UrbChoice choice = urbarium_curation_get_choice (self->base.curation);
  g_autofree char *area = urbarium_format_area (covered_m2 (self));
  g_autofree char *number = urbarium_format_count (choice.n);
  g_autofree char *count = g_strdup_printf (choice.n == 1 ? "%s area" : "%s areas", number);
  g_autofree char *threshold = g_strdup_printf ("%.3f", threshold_of (self));
  g_autofree char *validation
    = g_strdup_printf (choice.n_split[URB_SPLIT_VALIDATION] > 0 ? ", %d for validation" : "",
                       (int) choice.n_split[URB_SPLIT_VALIDATION]);
  g_autofree char *splits
    = g_strdup_printf ("%d for training, %d for testing%s, on %s of ground",
                       (int) choice.n_split[URB_SPLIT_TRAIN], (int) choice.n_split[URB_SPLIT_TEST],
                       validation, area);
  g_autofree char *shares
    = g_strdup_printf ("Buildings %.1f %%|Roads %.1f %%|Other %.1f %%", 100 * choice.share[0],
                       100 * choice.share[1], 100 * choice.share[2]);
  assert_label (self, "count", count);
  assert_label (self, "threshold", threshold);
  test_assert_texts (part (self, "shares"), shares);
  test_assert_name (part (self, "splits"), splits); /* without the colored dots */
  g_assert_cmpfloat (urbarium_histogram_get_threshold (self->histogram), ==, threshold_of (self));
}

static void
test_empty (Fixture *self, gconstpointer data)
{
  assert_choice (self);
  assert_label (self, "count", "0 areas");
  assert_label (self, "candidates", "0 candidates");
  g_assert_cmpstr (adw_action_row_get_subtitle (part (self, "by_hand")), ==,
                   "Click on the map to add or remove areas");
}

static void
test_choice (Fixture *self, gconstpointer data)
{
  UrbCurator *curator;
  g_autofree char *candidates = NULL;
  curation_fixture_open (&self->base);
  g_assert_cmpuint (curation_fixture_n_chosen (&self->base), >, 1);
  assert_choice (self);
  g_assert_nonnull (strchr (gtk_label_get_text (part (self, "splits")), 'f'));
  g_assert_nonnull (strstr (gtk_label_get_text (part (self, "splits")), "●"));
  curator = urbarium_curation_get_ranked (self->base.curation)->search->curator;
  candidates = g_strdup_printf ("%d candidates",
                                (int) urb_curator_get_n_candidates (curator));
  assert_label (self, "candidates", candidates);
  test_screenshot (self->window, "areas-panel");
  urbarium_map_document_close (self->base.document);
  test_empty (self, data);
}

/* Ground covered by several areas is counted once. */
static void
test_overlapping (Fixture *self, gconstpointer data)
{
  UrbCurateOptions options;
  UrbBox town;
  double ground_m2;
  curation_fixture_open (&self->base);
  options = curation_fixture_options (&self->base);
  options.stride_m = options.area_size_m / 4;
  options.max_overlap = 0.9;
  options.min_variance = 0;
  urbarium_curation_set_options (self->base.curation, &options, "Overlapping");
  curation_fixture_settle (&self->base);
  town = urb_map_get_extent (urbarium_curation_get_map (self->base.curation));
  ground_m2 = (town.max_x - town.min_x) * (town.max_y - town.min_y);
  g_assert_cmpfloat (urbarium_curation_get_choice (self->base.curation).area_m2, >, 4 * ground_m2);
  g_assert_cmpfloat (covered_m2 (self), >, 0.85 * ground_m2);
  g_assert_cmpfloat (covered_m2 (self), <=, ground_m2 * 1.001);
  assert_choice (self);
}

/* The counts follow a drag of the histogram; its end is one undo step. */
static void
test_threshold (Fixture *self, gconstpointer data)
{
  double before, most;
  gsize n;
  g_autofree char *text = NULL;
  curation_fixture_open (&self->base);
  before = urbarium_histogram_get_threshold (self->histogram);
  n = curation_fixture_n_chosen (&self->base);
  for (int i = 1; i <= 20; i++)
    {
      urbarium_histogram_set_threshold (self->histogram, before * (1 - i / 20.0));
      g_assert_cmpuint (curation_fixture_n_chosen (&self->base), >=, n);
      n = curation_fixture_n_chosen (&self->base);
      assert_choice (self);
    }
  g_assert_cmpfloat (threshold_of (self), ==, 0);
  urbarium_histogram_set_threshold (self->histogram, 0.9); /* above all candidates */
  assert_label (self, "count", "0 areas");
  most = urbarium_curation_get_ranked (self->base.curation)->search->max_variance;
  text = g_strdup_printf ("No candidate reaches 0.900; the maximum is %.3f.",
                          floor (most * 1000) / 1000);
  assert_label (self, "splits", text);
  test_assert_name (part (self, "splits"), text);
  urbarium_histogram_set_threshold (self->histogram, most); /* one, unless it straddles a border */
  g_assert_null (strstr (gtk_label_get_text (part (self, "splits")), "No candidate"));
  urbarium_histogram_set_threshold (self->histogram, before / 2);
  curation_fixture_assert_undo (&self->base, NULL);
  g_signal_emit_by_name (self->histogram, "threshold-set", before);
  curation_fixture_assert_undo (&self->base, "Change the threshold");
  curation_fixture_settle (&self->base);
  assert_choice (self);
  urbarium_undo_undo (self->base.undo);
  curation_fixture_settle (&self->base);
  g_assert_cmpfloat (urbarium_histogram_get_threshold (self->histogram), ==, before);
  curation_fixture_assert_undo (&self->base, NULL);
  assert_choice (self);
}

static void
test_by_hand (Fixture *self, gconstpointer data)
{
  UrbariumDecisions *decisions;
  g_autofree char *text = NULL;
  curation_fixture_open (&self->base);
  urbarium_curation_remove (self->base.curation,
                            urbarium_curation_get_area (self->base.curation, 0)->id);
  g_assert_cmpstr (adw_action_row_get_subtitle (part (self, "by_hand")), ==, "0 added, 1 removed");
  curation_fixture_settle (&self->base);
  curation_fixture_choose_by_hand (&self->base);
  decisions = urbarium_curation_get_decisions (self->base.curation);
  g_assert_cmpuint (decisions->added->len, >, 1);
  text = g_strdup_printf ("%u added, %u removed", decisions->added->len, decisions->n_taken_out);
  g_assert_cmpstr (adw_action_row_get_subtitle (part (self, "by_hand")), ==, text);
  urbarium_curation_reset (self->base.curation);
  g_assert_cmpstr (adw_action_row_get_subtitle (part (self, "by_hand")), ==,
                   "Click on the map to add or remove areas");
}

/* If test regions are wanted but impossible, the panel explains it, also to screen readers. */
static void
test_undivided (Fixture *self, gconstpointer data)
{
  const char *text = "All for training: the map is too small for test regions";
  UrbCurateOptions options;
  UrbChoice choice;
  curation_fixture_open (&self->base);
  options = curation_fixture_options (&self->base);
  options.area_size_m = 600;
  options.stride_m = 300;
  urbarium_curation_set_options (self->base.curation, &options, "Large");
  curation_fixture_settle (&self->base);
  choice = urbarium_curation_get_choice (self->base.curation);
  g_assert_cmpuint (choice.n, >, 0);
  g_assert_cmpint (choice.n_split[URB_SPLIT_TEST], ==, 0);
  assert_label (self, "splits", text);
  test_assert_name (part (self, "splits"), text);

  options.test_share = 0; /* none wanted */
  urbarium_curation_set_options (self->base.curation, &options, "All for training");
  curation_fixture_settle (&self->base);
  assert_choice (self);
}

/* There are test regions, but none of the few areas lies in one. */
static void
test_none_in_places (Fixture *self, gconstpointer data)
{
  const char *text = "All for training: none of these lies in a test region";
  UrbCurateOptions options;
  curation_fixture_open (&self->base);
  options = curation_fixture_options (&self->base);
  options.top = 1;
  urbarium_curation_set_options (self->base.curation, &options, "The best");
  curation_fixture_settle (&self->base);
  g_assert_cmpint (urbarium_curation_get_choice (self->base.curation).n_split[URB_SPLIT_TRAIN], ==,
                   1);
  assert_label (self, "splits", text);
  test_assert_name (part (self, "splits"), text);
}

/* If no area is possible, the numbers are hidden; the options, which can fix it, stay. */
static void
test_error (Fixture *self, gconstpointer data)
{
  UrbCurateOptions options;
  curation_fixture_open (&self->base);
  options = curation_fixture_options (&self->base);
  options.area_size_m = options.stride_m = 5000;
  urbarium_curation_set_options (self->base.curation, &options, "Too large");
  curation_fixture_settle (&self->base);
  g_assert_nonnull (urbarium_curation_get_error (self->base.curation));
  g_assert_false (gtk_widget_get_mapped (part (self, "numbers")));
  g_assert_false (gtk_widget_get_mapped (part (self, "variance")));
  g_assert_true (gtk_widget_get_mapped (part (self, "options")));
  urbarium_undo_undo (self->base.undo);
  curation_fixture_settle (&self->base);
  g_assert_true (gtk_widget_get_mapped (part (self, "numbers")));
  g_assert_true (gtk_widget_get_mapped (part (self, "variance")));
  assert_choice (self);
}

static GtkWidget *
find_button (GtkWidget *root, const char *action)
{
  if (GTK_IS_BUTTON (root)
      && g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (root)), action) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_button (child, action);
      if (found != NULL)
        return found;
    }
  return NULL;
}

static void
test_buttons (Fixture *self, gconstpointer data)
{
  GtkWidget *reset = find_button (GTK_WIDGET (self->panel), "areas.reset");
  test_assert_name (reset, "Reset to automatic"); /* it has only an icon */
  g_signal_emit_by_name (reset, "clicked");
  g_signal_emit_by_name (find_button (GTK_WIDGET (self->panel), "areas.save"), "clicked");
  g_assert_cmpstr (self->actions->str, ==, "reset save ");
}

int
main (int argc, char **argv)
{
  test_keep_names ();
  test_app_init (&argc, &argv);
#define ADD(name, func)                                                                            \
  g_test_add ("/app/areas-panel/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("empty", test_empty);
  ADD ("choice", test_choice);
  ADD ("overlapping", test_overlapping);
  ADD ("threshold", test_threshold);
  ADD ("by-hand", test_by_hand);
  ADD ("undivided", test_undivided);
  ADD ("none-in-places", test_none_in_places);
  ADD ("error", test_error);
  ADD ("buttons", test_buttons);
#undef ADD
  return g_test_run ();
}
