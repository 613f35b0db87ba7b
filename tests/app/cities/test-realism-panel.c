/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-realism-panel.c - parsing the engine's reply; the panel without a checkpoint, evaluating,
 * from the cache, failing, cancelling, and destroyed during an evaluation.
 */
#include <math.h>
#include <string.h>

#include "app/cities/realism-cache.h"
#include "app/cities/realism-panel.h"
#include "app/cities/realism-pairs.h"
#include "app/cities/realism-result.h"
#include "app/cities/realism-words.h"
#include "app/plot/distribution.h"
#include "city/measures.h"
#include "cities-fixture.h"

#define CANNED                                                                                     \
  "{\"dataset\":{\"path\":\"/nowhere/areas.gpkg\",\"id\":\"abc\",\"trained_on_it\":true},"         \
  "\"seed\":\"7\",\"n_tiles\":{\"real\":3,\"generated\":2,\"untrained\":2,\"train\":4},"           \
  "\"n_places\":2,\"worst\":[\"building_count\"],"                                                 \
  "\"sets\":{\"generated\":{\"precision\":0.25,\"recall\":0.5},\"train\":{\"precision\":1}},"      \
  "\"pixels\":{\"measures\":{\"road_share\":{\"rank\":2,\"rho\":{\"generated\":3}},"               \
  "\"half_tones\":{\"title\":\"Half-tones\",\"rank\":1,\"rho\":{\"generated\":7}}}},"              \
  "\"measures\":{\"road_share\":{\"title\":\"Road share\",\"unit\":\"%\",\"rank\":2,"              \
  "\"rho\":{\"generated\":0.8,\"untrained\":9.0,\"train\":1.1},"                                   \
  "\"values\":{\"real\":[1,2.5,4],\"real_ends\":[1,3],\"generated\":[2,null,3]}},"                 \
  "\"block_count\":{\"title\":\"Blocks\",\"unit\":\"\",\"rank\":0,\"rho\":{\"generated\":null}},"  \
  "\"building_count\":{\"title\":\"Buildings\",\"unit\":\"\",\"rank\":1,\"half_off\":true,"        \
  "\"rho\":{\"generated\":6.5,\"untrained\":8,\"train\":1},"                                       \
  "\"values\":{\"real\":[1,2,3],\"real_ends\":[2,1,9],\"generated\":\"many\"}}},"                  \
  "\"score\":{\"generated\":1.84,\"untrained\":12,\"train\":1.05},\"verdict\":\"similar\","        \
  "\"copies\":{\"found\":false,\"repeats\":0,\"share_repeats\":0.0,\"share_real_repeats\":0.01,"   \
  "\"closest\":[{\"generated\":1,\"area\":4,\"share\":0.5},{\"generated\":-1},3]}}"

static UrbariumRealismLevel
get_level (double rho, gboolean half_off)
{
  const UrbariumRealismMeasure measure = { .rho = rho, .half_off = half_off };
  return urbarium_realism_get_level (&measure);
}

static void
test_parse (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbariumRealismResult) result
    = urbarium_realism_result_parse (CANNED, strlen (CANNED), &error);
  g_autofree char *score = NULL, *sets = NULL, *none = NULL;
  const UrbariumRealismMeasure *worst, *best, *unranked, *last;
  g_assert_no_error (error);
  g_assert_cmpint (result->seed, ==, 7);
  g_assert_cmpuint (result->measures->len, ==, 4);
  worst = result->measures->pdata[0];
  best = result->measures->pdata[1];
  last = result->measures->pdata[2];
  unranked = result->measures->pdata[3];
  g_assert_cmpstr (worst->key, ==, "building_count");
  g_assert_cmpstr (best->key, ==, "road_share");
  g_assert_cmpstr (last->key, ==, "block_count");
  /* Pixels have a measure of their own; their other rho and ranks do not count. */
  g_assert_cmpstr (unranked->key, ==, "half_tones");
  g_assert_cmpfloat (unranked->rho, ==, 7);
  g_assert_cmpfloat (best->rho, ==, 0.8);
  g_assert_cmpuint (result->n_worst, ==, 1);
  g_assert_true (isnan (last->rho));
  g_assert_cmpuint (best->ends->len, ==, 2);
  g_assert_cmpuint (best->generated->len, ==, 2);
  /* Invalid ends: each value counts as an area. */
  g_assert_cmpuint (worst->ends->len, ==, 3);
  g_assert_cmpuint (worst->generated->len, ==, 0);
  g_assert_cmpuint (result->closest->len, ==, 1);
  score = urbarium_realism_dup_score (result);
  g_assert_nonnull (strstr (score, "about 1.8 times as far from real areas"));
  g_assert_nonnull (strstr (score, "differ most in: Buildings per area."));
  sets = urbarium_realism_dup_sets (result);
  g_assert_nonnull (strstr (sets, "25.0 % of the generated areas are like real ones, and 50.0 % of the real"));
  g_free (result->verdict);
  result->verdict = g_strdup ("none");
  none = urbarium_realism_dup_score (result);
  g_assert_nonnull (strstr (none, "3 areas in 2 places were kept out of training, and it takes 20 in 3."));
  g_free (result->verdict);
  result->verdict = g_strdup ("similar");
  /* The engine's verdict, although the score alone would be close. */
  g_assert_cmpint (urbarium_realism_get_overall_level (result), ==, URBARIUM_REALISM_APART);
  g_assert_cmpint (get_level (1.84, FALSE), ==, URBARIUM_REALISM_CLOSE);
  g_assert_cmpint (get_level (1.84, TRUE), ==, URBARIUM_REALISM_APART);
  g_assert_cmpint (get_level (6, TRUE), ==, URBARIUM_REALISM_FAR);
  g_assert_cmpint (get_level (NAN, FALSE), ==, URBARIUM_REALISM_UNKNOWN);
  g_assert_true (worst->half_off);
  g_assert_false (best->half_off);
}

/* Copies, test areas that are training areas, and a result without the comparison, in words. */
static void
test_copies_in_words (void)
{
  static const struct
  {
    gint64 n_repeats, n_shared;
    const char *text;
  } cases[] = {
    { 13, 0, "13 of the generated areas (5.0 %) repeat a training area" },
    { 13, 2, "2 of the 25 test areas of the dataset are training areas too." },
    { -1, 0, "could not be compared" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const UrbariumRealismResult result = { .n_real = 25, .n_repeats = cases[i].n_repeats,
                                             .n_shared = cases[i].n_shared, .share_repeats = 0.05 };
      g_autofree char *text = urbarium_realism_dup_copies (&result);
      g_assert_nonnull (strstr (text, cases[i].text));
    }
}

/* Truncated anywhere, and with each byte damaged: an error or a result, never a crash. */
static void
test_damaged (void)
{
  const gsize length = strlen (CANNED);
  for (gsize i = 0; i < length; i++)
    {
      g_autofree char *text = g_strdup (CANNED);
      g_autoptr(UrbariumRealismResult) damaged = NULL;
      g_assert_null (urbarium_realism_result_parse (CANNED, i, NULL));
      text[i] = "\"{}[]0\xff,"[i % 8];
      damaged = urbarium_realism_result_parse (text, length, NULL);
    }
}

static void
overwrite_cache (const char *text)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "urbarium", "realism", NULL);
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_assert_true (g_file_set_contents (path, text, -1, NULL));
    }
}

static void
test_cache (void)
{
  g_autofree char *file = g_build_filename (cities_fixture_folder (), "c.safetensors", NULL);
  g_autoptr(UrbariumRealismResult) result = NULL, other = NULL, damaged = NULL;
  g_assert_true (g_file_set_contents (file, "x", -1, NULL));
  g_assert_null (urbarium_realism_cache_load (file, NULL));
  urbarium_realism_cache_store (file, NULL, CANNED, strlen (CANNED));
  result = urbarium_realism_cache_load (file, NULL);
  g_assert_nonnull (result);
  g_assert_null (urbarium_realism_cache_load (file, "/another.gpkg"));
  /* Another checkpoint with the same name. */
  g_assert_true (g_file_set_contents (file, "xy", -1, NULL));
  g_assert_null (urbarium_realism_cache_load (file, NULL));
  urbarium_realism_cache_store (file, NULL, CANNED, strlen (CANNED));
  overwrite_cache ("{\"measures\":");
  g_assert_null (urbarium_realism_cache_load (file, NULL));
}

/* ------------------------------------------------------------------------ */

static GObject *
get_child (gpointer panel, const char *name)
{
  return gtk_widget_get_template_child (panel, URBARIUM_TYPE_REALISM_PANEL, name);
}

static gboolean
shows (gpointer panel, const char *name)
{
  const char *shown
    = gtk_stack_get_visible_child_name (GTK_STACK (get_child (panel, "content")));
  return g_strcmp0 (shown, name) == 0;
}

static gboolean
shows_result (gpointer panel)
{
  if (shows (panel, "error"))
    g_error ("%s", adw_status_page_get_description (
                     ADW_STATUS_PAGE (get_child (panel, "error_page"))));
  return shows (panel, "result");
}

static gboolean
shows_error (gpointer panel)
{
  return shows (panel, "error");
}

static gboolean
is_evaluating (gpointer panel)
{
  return gtk_widget_get_visible (GTK_WIDGET (get_child (panel, "job_bar")));
}

static gboolean
is_idle (gpointer panel)
{
  return !is_evaluating (panel);
}

static void
shoot (GtkWindow *window, const char *name)
{
  static const AdwColorScheme schemes[] = { ADW_COLOR_SCHEME_FORCE_DARK,
                                            ADW_COLOR_SCHEME_FORCE_LIGHT };
  static const char *const suffixes[] = { "dark", "light" };
  for (int i = 0; i < 2; i++)
    {
      g_autofree char *file = g_strdup_printf ("%s-%s", name, suffixes[i]);
      adw_style_manager_set_color_scheme (adw_style_manager_get_default (), schemes[i]);
      test_frames (window, 5);
      test_screenshot (window, file);
    }
}

static void
test_none (void)
{
  GtkWidget *panel = g_object_new (URBARIUM_TYPE_REALISM_PANEL, NULL);
  GtkWindow *window = test_window_new (panel, 960, 740);
  g_assert_true (shows (panel, "none"));
  g_assert_false (gtk_widget_get_sensitive (GTK_WIDGET (get_child (panel, "evaluate"))));
  shoot (window, "realism-none");
  test_window_destroy (window);
}

static guint
count_type (GtkWidget *root, GType type)
{
  guint n = g_type_is_a (G_OBJECT_TYPE (root), type);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_type (child, type);
  return n;
}

static gboolean
has_cards (gpointer panel)
{
  return count_type (panel, URBARIUM_TYPE_DISTRIBUTION) == URB_N_MEASURES;
}

/* Whether every pair has both images. */
static gboolean
has_pictures (gpointer pairs)
{
  guint n_empty = 0;
  GPtrArray *stack = g_ptr_array_new ();
  g_ptr_array_add (stack, pairs);
  for (guint i = 0; i < stack->len; i++)
    {
      GtkWidget *widget = stack->pdata[i];
      n_empty += GTK_IS_PICTURE (widget) && gtk_picture_get_paintable (GTK_PICTURE (widget)) == NULL;
      for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
           child = gtk_widget_get_next_sibling (child))
        g_ptr_array_add (stack, child);
    }
  g_ptr_array_unref (stack);
  return n_empty == 0;
}

static void
scroll (GtkWidget *panel, double share)
{
  GtkWidget *scrolled = test_find (panel, GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *adjustment
    = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled));
  gtk_adjustment_set_value (adjustment, share * gtk_adjustment_get_upper (adjustment));
}

/* With the real engine; then from the cache, in another panel. */
/* The pairs of an earlier result. */
static void
test_pairs (void)
{
  g_autofree char *file = g_build_filename (cities_fixture_folder (), "pairs.safetensors", NULL);
  g_autoptr(UrbariumCitySource) source = urbarium_city_source_new ();
  GtkWidget *panel = g_object_new (URBARIUM_TYPE_REALISM_PANEL, NULL);
  GtkWindow *window = test_window_new (panel, 960, 740);
  g_assert_true (g_file_set_contents (file, "x", -1, NULL));
  urbarium_realism_cache_store (file, NULL, CANNED, strlen (CANNED));
  urbarium_city_source_open (source, cities_fixture_checkpoint ());
  urbarium_realism_panel_set_source (URBARIUM_REALISM_PANEL (panel), source);
  urbarium_realism_panel_set_checkpoint (URBARIUM_REALISM_PANEL (panel), file, NULL);
  test_until (shows_result, panel);
  g_assert_true (gtk_widget_get_visible (test_find (panel, URBARIUM_TYPE_REALISM_PAIRS)));
  g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (get_child (panel, "copies_title"))), ==,
                   "The generator does not copy");
  test_window_destroy (window);
}

static void
test_evaluate (void)
{
  g_autoptr(UrbariumCitySource) source = urbarium_city_source_new ();
  GtkWidget *panel = g_object_new (URBARIUM_TYPE_REALISM_PANEL, NULL), *again, *pairs;
  GtkWindow *window = test_window_new (panel, 960, 740);
  urbarium_city_source_open (source, cities_fixture_checkpoint ());
  urbarium_realism_panel_set_source (URBARIUM_REALISM_PANEL (panel), source);
  urbarium_realism_panel_set_checkpoint (URBARIUM_REALISM_PANEL (panel),
                                         cities_fixture_checkpoint (), NULL);
  g_assert_true (shows (panel, "ask"));
  shoot (window, "realism-ask");
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (get_child (panel, "count")),
                             g_getenv ("URBARIUM_TEST_RUN") != NULL ? 256 : 8);
  gtk_widget_activate_action (panel, "realism.evaluate", NULL);
  test_until (is_evaluating, panel);
  g_assert_false (gtk_widget_get_sensitive (GTK_WIDGET (get_child (panel, "evaluate"))));
  test_frames (window, 10);
  test_screenshot (window, "realism-evaluating");
  test_until (shows_result, panel);
  g_assert_false (is_evaluating (panel));
  test_until (has_cards, panel);
  pairs = test_find (panel, URBARIUM_TYPE_REALISM_PAIRS);
  if (gtk_widget_get_visible (pairs)) /* a network that was hardly trained repeats nothing */
    test_until (has_pictures, pairs);
  shoot (window, "realism-result");
  scroll (panel, 0.4);
  shoot (window, "realism-measures");
  scroll (panel, 1);
  shoot (window, "realism-pairs");
  test_window_destroy (window);

  again = g_object_new (URBARIUM_TYPE_REALISM_PANEL, NULL);
  window = test_window_new (again, 1620, 980);
  urbarium_realism_panel_set_checkpoint (URBARIUM_REALISM_PANEL (again),
                                         cities_fixture_checkpoint (), NULL);
  test_until (shows_result, again);
  test_until (has_cards, again);
  shoot (window, "realism-wide");
  urbarium_realism_panel_set_checkpoint (URBARIUM_REALISM_PANEL (again), NULL, NULL);
  g_assert_true (shows (again, "none"));
  test_window_destroy (window);
}

static void
test_error (void)
{
  g_autofree char *nothing = g_build_filename (cities_fixture_folder (), "no <areas>.gpkg", NULL);
  GtkWidget *panel = g_object_new (URBARIUM_TYPE_REALISM_PANEL, NULL);
  GtkWindow *window = test_window_new (panel, 960, 740);
  const char *text;
  urbarium_realism_panel_set_checkpoint (URBARIUM_REALISM_PANEL (panel),
                                         cities_fixture_checkpoint (), nothing);
  gtk_widget_activate_action (panel, "realism.evaluate", NULL);
  test_until (shows_error, panel);
  text = adw_status_page_get_description (ADW_STATUS_PAGE (get_child (panel, "error_page")));
  g_assert_nonnull (strstr (text, "no &lt;areas&gt;.gpkg"));
  g_assert_null (strstr (text, "urbarium-engine"));
  shoot (window, "realism-error");
  test_window_destroy (window);
}

/* Another dataset has no result; going back restores the earlier one. */
static void
test_choose (void)
{
  g_autofree char *other = g_build_filename (cities_fixture_folder (), "other.gpkg", NULL);
  GtkWidget *panel = g_object_new (URBARIUM_TYPE_REALISM_PANEL, NULL);
  GtkWindow *window = test_window_new (panel, 420, 740);
  GtkWidget *reset = GTK_WIDGET (get_child (panel, "reset"));
  urbarium_realism_panel_set_checkpoint (URBARIUM_REALISM_PANEL (panel),
                                         cities_fixture_checkpoint (), NULL);
  test_until (shows_result, panel);
  shoot (window, "realism-narrow");
  g_assert_false (gtk_widget_get_visible (reset));
  urbarium_realism_panel_choose_dataset (URBARIUM_REALISM_PANEL (panel), other);
  g_assert_true (shows (panel, "ask"));
  g_assert_true (gtk_widget_get_visible (reset));
  gtk_widget_activate_action (panel, "realism.reset-dataset", NULL);
  test_until (shows_result, panel);
  g_assert_false (gtk_widget_get_visible (reset));
  test_window_destroy (window);
}

static void
start (GtkWidget *panel)
{
  urbarium_realism_panel_set_checkpoint (URBARIUM_REALISM_PANEL (panel),
                                         cities_fixture_checkpoint (), NULL);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (get_child (panel, "count")), 4096);
  gtk_widget_activate_action (panel, "realism.evaluate", NULL);
  test_until (is_evaluating, panel);
}

/* Cancelling with the button restores the previous state; another checkpoint drops the evaluation;
 * the panel may be destroyed during one. */
static void
test_cancel (void)
{
  GtkWidget *panel = g_object_new (URBARIUM_TYPE_REALISM_PANEL, NULL);
  GtkWindow *window = test_window_new (panel, 960, 740);
  GtkWidget *job_bar;
  start (panel);
  job_bar = GTK_WIDGET (get_child (panel, "job_bar"));
  g_signal_emit_by_name (test_find (job_bar, GTK_TYPE_BUTTON), "clicked");
  test_until (is_idle, panel);
  g_assert_false (shows (panel, "error"));
  g_assert_true (gtk_widget_get_sensitive (GTK_WIDGET (get_child (panel, "evaluate"))));
  start (panel);
  urbarium_realism_panel_set_checkpoint (URBARIUM_REALISM_PANEL (panel), NULL, NULL);
  g_assert_false (is_evaluating (panel));
  test_frames (window, 10);
  g_assert_true (shows (panel, "none"));
  start (panel);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  int result;
  g_autofree char *cache = g_dir_make_tmp ("urbarium-realism-XXXXXX", NULL);
  g_setenv ("XDG_CACHE_HOME", cache, TRUE); /* before its first use */
  test_app_init (&argc, &argv);
  cities_fixture_set_up ();
  g_test_add_func ("/realism/parse", test_parse);
  g_test_add_func ("/realism/damaged", test_damaged);
  g_test_add_func ("/realism/copies-in-words", test_copies_in_words);
  g_test_add_func ("/realism/cache", test_cache);
  g_test_add_func ("/realism/none", test_none);
  g_test_add_func ("/realism/pairs", test_pairs);
  g_test_add_func ("/realism/evaluate", test_evaluate);
  g_test_add_func ("/realism/choose", test_choose);
  g_test_add_func ("/realism/error", test_error);
  g_test_add_func ("/realism/cancel", test_cancel);
  result = g_test_run ();
  cities_fixture_tear_down ();
  g_spawn_sync (NULL, (char *[]){ "rm", "-rf", cache, NULL }, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                NULL, NULL, NULL, NULL);
  return result;
}
