/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-cities-page.c - the page in use: empty, a run's gallery, stars, seeds, selections.
 */
#include <string.h>

#include "app/cities/cities-page.h"
#include "app/cities/city-options.h"
#include "app/cities/city-panel.h"
#include "app/cities/city-tools.h"
#include "app/cities/city-view.h"
#include "app/cities/city-walk.h"
#include "app/cities/latent-pad.h"
#include "app/cities/gallery.h"
#include "app/cities/model-chooser.h"
#include "app/cities/place-window.h"
#include "app/cities/realism-panel.h"
#include "cities-fixture.h"
#include "looks.h"

static UrbariumGallery *
get_gallery (GtkWidget *page)
{
  return URBARIUM_GALLERY (test_find (page, URBARIUM_TYPE_GALLERY));
}

/* Whether every visible tile has its image. */
static gboolean
is_drawn (gpointer page)
{
  GListModel *cities = urbarium_gallery_get_model (get_gallery (page));
  if (g_list_model_get_n_items (cities) == 0)
    return FALSE;
  for (guint i = 0; i < MIN (4, g_list_model_get_n_items (cities)); i++)
    {
      g_autoptr(UrbariumCity) city = g_list_model_get_item (cities, i);
      if (urbarium_city_get_tile (city) == NULL || urbarium_city_get_raster (city) == NULL)
        return FALSE;
    }
  return TRUE;
}

static GtkStack *
get_content (GtkWidget *page)
{
  return GTK_STACK (gtk_widget_get_template_child (page, URBARIUM_TYPE_CITIES_PAGE, "content"));
}

static GObject *
get_child (GtkWidget *page, const char *name)
{
  return gtk_widget_get_template_child (page, URBARIUM_TYPE_CITIES_PAGE, name);
}

static GObject *
get_option (GtkWidget *page, const char *name)
{
  return gtk_widget_get_template_child (GTK_WIDGET (get_child (page, "options")),
                                        URBARIUM_TYPE_CITY_OPTIONS, name);
}

static GObject *
get_tool (GtkWidget *page, const char *name)
{
  return gtk_widget_get_template_child (test_find (page, URBARIUM_TYPE_CITY_TOOLS),
                                        URBARIUM_TYPE_CITY_TOOLS, name);
}

static UrbariumRunLibrary *
open_library (const char *folder)
{
  UrbariumRunLibrary *library = urbarium_run_library_new (folder);
  return library;
}

/* Small, since each city that shows is drawn; for people to look at, as large as theirs. */
static GtkWindow *
show (GtkWidget *page)
{
  gboolean is_for_people = g_getenv ("URBARIUM_SCREENSHOTS") != NULL;

  return test_window_new (page, is_for_people ? 1280 : 860, is_for_people ? 740 : 560);
}

static void
test_empty (void)
{
  g_autofree char *none = g_build_filename (cities_fixture_folder (), "none", NULL);
  g_autoptr(UrbariumRunLibrary) library = open_library (none);
  GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  GtkWindow *window;
  urbarium_cities_page_set_library (URBARIUM_CITIES_PAGE (page), library);
  window = show (page);
  test_frames (window, 5);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (get_content (page)), ==, "empty");
  test_screenshot (window, "cities-empty");
  test_window_destroy (window);
}

static gint64
get_seed_of_first (GtkWidget *page)
{
  g_autoptr(UrbariumCity) city
    = g_list_model_get_item (urbarium_gallery_get_model (get_gallery (page)), 0);
  return urbarium_city_get_seed (city);
}

static void
shoot (GtkWidget *page, GtkWindow *window, const char *name)
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

static gboolean
is_evaluated (gpointer realism)
{
  GtkStack *content = GTK_STACK (
    gtk_widget_get_template_child (realism, URBARIUM_TYPE_REALISM_PANEL, "content"));
  return strcmp (gtk_stack_get_visible_child_name (content), "result") == 0;
}

/* The realism view hides the tools of the gallery.  The generator is nearly untrained, and the page says so. */
static void
test_realism (void)
{
  g_autoptr(UrbariumRunLibrary) library = open_library (cities_fixture_runs ());
  GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  g_autoptr(GString) texts = g_string_new (NULL);
  AdwViewStack *views;
  GtkWindow *window;
  urbarium_cities_page_set_library (URBARIUM_CITIES_PAGE (page), library);
  window = show (page);
  test_until (is_drawn, page);
  test_add_texts (page, texts);
  g_assert_nonnull (strstr (texts->str, "images so far"));
  views = ADW_VIEW_STACK (get_child (page, "views"));
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (get_child (page, "switcher"))));
  adw_view_stack_set_visible_child_name (views, "realism");
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (get_child (page, "export_button"))));
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (get_child (page, "options"))));
  test_frames (window, 5);
  shoot (page, window, "cities-realism");
  if (g_getenv ("URBARIUM_TEST_RUN") != NULL)
    {
      GtkWidget *realism = GTK_WIDGET (get_child (page, "realism"));
      gtk_widget_activate_action (realism, "realism.evaluate", NULL);
      test_until (is_evaluated, realism);
      shoot (page, window, "cities-realism-result");
    }
  adw_view_stack_set_visible_child_name (views, "gallery");
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (get_child (page, "export_button"))));
  test_window_destroy (window);
}

static void
test_gallery (void)
{
  GtkLabel *label;
  int text_width;
  g_autoptr(UrbariumRunLibrary) library = open_library (cities_fixture_runs ());
  GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  GtkWindow *window;
  g_autoptr(UrbariumCity) second = NULL;
  GListModel *cities;
  guint n_before;
  urbarium_cities_page_set_library (URBARIUM_CITIES_PAGE (page), library);
  window = show (page);
  test_until (is_drawn, page);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (get_content (page)), ==, "views");
  shoot (page, window, "cities-gallery");

  g_object_set (page, "show-panel", FALSE, NULL);
  g_assert_false (adw_flap_get_reveal_flap (ADW_FLAP (get_child (page, "flap"))));
  g_object_set (page, "show-panel", TRUE, NULL);

  /* Mark a favorite, and show only favorites. */
  cities = urbarium_gallery_get_model (get_gallery (page));
  second = g_list_model_get_item (cities, 1);
  g_signal_emit_by_name (get_gallery (page), "favorite-toggled", second, TRUE);
  g_assert_true (urbarium_city_get_favorite (second));
  gtk_switch_set_active (GTK_SWITCH (get_child (page, "favorites_switch")), TRUE);
  g_assert_cmpuint (g_list_model_get_n_items (cities), ==, 1);
  test_until (is_drawn, page);
  shoot (page, window, "cities-favorites");
  gtk_switch_set_active (GTK_SWITCH (get_child (page, "favorites_switch")), FALSE);

  /* Another seed gives other cities. */
  n_before = g_list_model_get_n_items (cities);
  g_assert_cmpuint (n_before, >, 50);
  g_assert_cmpint (get_seed_of_first (page), ==, 1);
  gtk_widget_activate_action (page, "cities.new-seed", NULL);
  g_assert_cmpint (get_seed_of_first (page), !=, 1);
  test_until (is_drawn, page);
  gtk_editable_set_text (GTK_EDITABLE (get_option (page, "seed_row")), "12");
  g_signal_emit_by_name (get_option (page, "seed_row"), "entry-activated");
  g_assert_cmpint (get_seed_of_first (page), ==, 12);
  gtk_editable_set_text (GTK_EDITABLE (get_option (page, "seed_row")), "many");
  g_signal_emit_by_name (get_option (page, "seed_row"), "entry-activated");
  g_assert_cmpint (get_seed_of_first (page), ==, 12);
  gtk_editable_set_text (GTK_EDITABLE (get_option (page, "seed_row")), "12");

  /* Show plans, and select two. */
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get_child (page, "vector_button")), TRUE);
  test_until (is_drawn, page);
  gtk_selection_model_select_item (GTK_SELECTION_MODEL (cities), 0, FALSE);
  gtk_selection_model_select_item (GTK_SELECTION_MODEL (cities), 3, FALSE);
  test_frames (window, 30);
  shoot (page, window, "cities-selection");
  /* In a narrow window, all of the label is there. */
  gtk_window_set_default_size (window, 400, 740);
  test_frames (window, 10);
  label = GTK_LABEL (get_child (page, "selection_label"));
  g_assert_cmpint (gtk_widget_get_width (page), <=, 400);
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (label)));
  pango_layout_get_pixel_size (gtk_label_get_layout (label), &text_width, NULL);
  g_assert_cmpint (text_width, <=, gtk_widget_get_width (GTK_WIDGET (label)));
  shoot (page, window, "cities-selection-narrow");
  test_window_destroy (window);
}

typedef struct
{
  GtkWidget  *page;
  const char *name, *text;
} Label;

/* Whether a label of the panel has that text. */
static gboolean
says (gpointer data)
{
  const Label *label = data;
  GtkWidget *panel = GTK_WIDGET (get_child (label->page, "panel"));
  GtkLabel *widget = GTK_LABEL (
    gtk_widget_get_template_child (panel, URBARIUM_TYPE_CITY_PANEL, label->name));
  return strstr (gtk_label_get_label (widget), label->text) != NULL;
}

static UrbariumCity *
get_city (GtkWidget *page, guint position)
{
  UrbariumCity *city
    = g_list_model_get_item (urbarium_gallery_get_model (get_gallery (page)), position);
  g_object_unref (city); /* the model holds a reference */
  return city;
}

/* The tools below the city wrap to a second line if needed. */
static void
assert_tools_fit (GtkWidget *page)
{
  static const char *const tools[] = { "building_button", "other_button", "distance_button",
                                       "area_button" };
  for (gsize i = 0; i < G_N_ELEMENTS (tools); i++)
    {
      graphene_rect_t bounds;
      g_assert_true (gtk_widget_compute_bounds (GTK_WIDGET (get_tool (page, tools[i])), page, &bounds));
      g_assert_cmpfloat (bounds.origin.x, >=, 0);
      g_assert_cmpfloat (bounds.origin.x + bounds.size.width, <=, gtk_widget_get_width (page));
    }
}

/* At desktop and phone widths. */
static void
test_sizes (void)
{
  static const int sizes[][2] = { { 1920, 1020 }, { 420, 700 } };
  for (int i = 0; i < 2; i++)
    {
      g_autoptr(UrbariumRunLibrary) library = open_library (cities_fixture_runs ());
      GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
      g_autofree char *name = g_strdup_printf ("cities-%d", sizes[i][0]);
      g_autofree char *city_name = g_strdup_printf ("city-%d", sizes[i][0]);
      GtkWindow *window;
      urbarium_cities_page_set_library (URBARIUM_CITIES_PAGE (page), library);
      window = test_window_new (page, sizes[i][0], sizes[i][1]);
      if (i == 1)
        adw_flap_set_reveal_flap (ADW_FLAP (get_child (page, "flap")), FALSE);
      test_until (is_drawn, page);
      test_frames (window, 10);
      test_screenshot (window, name);
      g_signal_emit_by_name (get_gallery (page), "opened", get_city (page, 0));
      test_frames (window, 20);
      assert_tools_fit (page);
      test_screenshot (window, city_name);
      test_window_destroy (window);
    }
}

/* One city: neighbors in the list, classes, the ruler, and back. */
static void
test_city (void)
{
  g_autoptr(UrbariumRunLibrary) library = open_library (cities_fixture_runs ());
  GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  GtkWindow *window;
  Label label = { page, "detail", "training area" };
  GtkWidget *view;
  guint classes;
  int tool;
  urbarium_cities_page_set_library (URBARIUM_CITIES_PAGE (page), library);
  window = show (page);
  test_until (is_drawn, page);
  g_signal_emit_by_name (get_gallery (page), "opened", get_city (page, 2));
  g_assert_cmpstr (gtk_stack_get_visible_child_name (get_content (page)), ==, "city");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get_child (page, "vector_button")), TRUE);
  test_until (says, &label);
  test_frames (window, 20);
  shoot (page, window, "city");
  gtk_widget_activate_action (page, "cities.next", NULL);
  gtk_widget_activate_action (page, "cities.next", NULL);
  gtk_widget_activate_action (page, "cities.previous", NULL);
  view = GTK_WIDGET (get_child (page, "view"));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get_tool (page, "road_button")), FALSE);
  g_object_get (view, "classes", &classes, NULL);
  g_assert_cmpuint (classes, ==, URBARIUM_ALL_CLASSES & ~(1u << URB_CLASS_ROAD));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get_tool (page, "distance_button")), TRUE);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get_tool (page, "area_button")), TRUE);
  g_object_get (view, "tool", &tool, NULL);
  g_assert_cmpint (tool, ==, URBARIUM_MEASURE_AREA);
  g_assert_false (
    gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (get_tool (page, "distance_button"))));
  test_frames (window, 20);
  shoot (page, window, "city-classes");
  gtk_widget_activate_action (page, "cities.star", NULL);
  g_assert_true (urbarium_city_get_favorite (get_city (page, 3)));
  gtk_widget_activate_action (page, "cities.star", NULL);
  gtk_widget_activate_action (page, "cities.back", NULL);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (get_content (page)), ==, "views");
  test_window_destroy (window);
}

static gboolean
way_is_drawn (gpointer walk)
{
  GPtrArray *cities = urbarium_city_walk_get_cities (walk);
  for (guint i = 0; i < cities->len; i++)
    if (urbarium_city_get_tile (cities->pdata[i]) == NULL)
      return FALSE;
  return cities->len > 2;
}

static gboolean
has_place_window (gpointer unused)
{
  return test_find_window (URBARIUM_TYPE_PLACE_WINDOW) != NULL;
}

/* Shows @page, and selects a city that is too far down to be drawn.  @city: (out) (transfer full) */
static GtkWindow *
select_undrawn (GtkWidget *page, UrbariumRunLibrary *library, UrbariumGround *ground, UrbariumCity **city)
{
  GtkSelectionModel *cities;
  GtkWindow *window;
  urbarium_cities_page_set_library (URBARIUM_CITIES_PAGE (page), library);
  urbarium_cities_page_set_ground (URBARIUM_CITIES_PAGE (page), ground);
  window = show (page);
  test_until (is_drawn, page);
  cities = GTK_SELECTION_MODEL (urbarium_gallery_get_model (get_gallery (page)));
  *city = g_list_model_get_item (G_LIST_MODEL (cities), 110);
  gtk_selection_model_select_item (cities, 110, TRUE);
  return window;
}

/* One selected city can be placed, even if it has to be drawn first. */
static void
test_place (void)
{
  g_autoptr(UrbariumRunLibrary) library = open_library (cities_fixture_runs ());
  g_autoptr(UrbariumGround) ground = urbarium_ground_new (NULL, NULL);
  GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  g_autoptr(UrbariumCity) city = NULL;
  GtkSelectionModel *cities;
  GtkWindow *window;
  window = select_undrawn (page, library, ground, &city);
  cities = GTK_SELECTION_MODEL (urbarium_gallery_get_model (get_gallery (page)));
  g_assert_null (urbarium_city_get_tile (city));
  gtk_widget_activate_action (page, "cities.place", NULL);
  gtk_widget_activate_action (page, "cities.place", NULL);
  g_assert_false (has_place_window (NULL));
  test_until (has_place_window, NULL);
  gtk_window_close (test_find_window (URBARIUM_TYPE_PLACE_WINDOW));
  test_frames (window, 5);
  g_assert_false (has_place_window (NULL));

  gtk_selection_model_select_item (cities, 1, FALSE);
  gtk_widget_activate_action (page, "cities.place", NULL);
  test_frames (window, 5);
  g_assert_false (has_place_window (NULL)); /* which one? */
  test_window_destroy (window);
}

/* A city that should be placed cannot be drawn. */
static void
test_place_failed (void)
{
  g_autoptr(UrbariumRunLibrary) library = open_library (cities_fixture_runs ());
  g_autoptr(UrbariumGround) ground = urbarium_ground_new (NULL, NULL);
  GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  g_autoptr(UrbariumCity) city = NULL;
  GtkWindow *window;
  AdwMessageDialog *dialog;
  window = select_undrawn (page, library, ground, &city);
  gtk_widget_activate_action (page, "cities.place", NULL);
  g_assert_cmpuint (urbarium_city_add_want (city, 0), ==, 1);
  urbarium_city_set_failure (city, "The engine is gone.");
  dialog = test_find_window (ADW_TYPE_MESSAGE_DIALOG);
  g_assert_nonnull (dialog);
  g_assert_cmpstr (adw_message_dialog_get_heading (dialog), ==, "The city cannot be placed");
  g_assert_cmpstr (adw_message_dialog_get_body (dialog), ==, "The engine is gone.");
  g_assert_cmpuint (urbarium_city_add_want (city, 0), ==, 0);
  g_assert_false (has_place_window (NULL));
  gtk_window_destroy (GTK_WINDOW (dialog));
  test_window_destroy (window);
}

static void
test_walk (void)
{
  g_autoptr(UrbariumRunLibrary) library = open_library (cities_fixture_runs ());
  GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  GtkSelectionModel *cities;
  GtkWindow *window;
  GtkAdjustment *place;
  urbarium_cities_page_set_library (URBARIUM_CITIES_PAGE (page), library);
  window = show (page);
  test_until (is_drawn, page);
  cities = GTK_SELECTION_MODEL (urbarium_gallery_get_model (get_gallery (page)));
  gtk_selection_model_select_item (cities, 0, FALSE);
  gtk_selection_model_select_item (cities, 1, FALSE);
  gtk_widget_activate_action (page, "cities.walk", NULL);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (get_content (page)), ==, "walk");
  test_until (way_is_drawn, get_child (page, "walk"));
  place = GTK_ADJUSTMENT (gtk_widget_get_template_child (
    GTK_WIDGET (get_child (page, "walk")), URBARIUM_TYPE_CITY_WALK, "adjustment"));
  gtk_adjustment_set_value (place, 24);
  test_frames (window, 20);
  shoot (page, window, "city-walk");
  gtk_widget_activate_action (page, "cities.back", NULL);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (get_content (page)), ==, "views");
  test_window_destroy (window);
}

/* Its position in the gallery. */
static guint
find_city (GtkWidget *page, UrbariumCity *city)
{
  GListModel *cities = urbarium_gallery_get_model (get_gallery (page));
  for (guint i = 0; i < g_list_model_get_n_items (cities); i++)
    if (urbarium_city_equal (get_city (page, i), city))
      return i;
  g_assert_not_reached ();
}

static gboolean
title_is_of_variation (gpointer page)
{
  GtkWidget *panel = GTK_WIDGET (get_child (page, "panel"));
  AdwPreferencesGroup *title
    = ADW_PREFERENCES_GROUP (gtk_widget_get_template_child (panel, URBARIUM_TYPE_CITY_PANEL, "title_group"));
  return strstr (adw_preferences_group_get_title (title), "Variation of") != NULL;
}

/* A variation is a favorite among others: it opens with its point, a walk leads to it, and its star goes out. */
static void
test_variation (void)
{
  g_autoptr(UrbariumRunLibrary) library = open_library (cities_fixture_runs ());
  GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  const UrbTurn turn = { 0.5, -0.25, 1 };
  g_autoptr(UrbariumCity) plain = NULL, varied = NULL;
  UrbariumLatentPad *pad;
  GtkSelectionModel *cities;
  GtkWindow *window;
  urbarium_cities_page_set_library (URBARIUM_CITIES_PAGE (page), library);
  window = show (page);
  test_until (is_drawn, page);
  pad = URBARIUM_LATENT_PAD (test_find (GTK_WIDGET (get_child (page, "panel")), URBARIUM_TYPE_LATENT_PAD));
  plain = g_object_ref (get_city (page, 1));
  varied = urbarium_city_copy (plain);
  urbarium_city_set_turn (varied, &turn);
  g_signal_emit_by_name (get_gallery (page), "favorite-toggled", plain, TRUE);
  g_signal_emit_by_name (get_gallery (page), "opened", plain);
  urbarium_latent_pad_set_point (pad, turn.x, turn.y);
  g_signal_emit_by_name (pad, "moved");
  test_until (title_is_of_variation, page);
  gtk_widget_activate_action (page, "cities.star", NULL);
  gtk_widget_activate_action (page, "cities.back", NULL);

  gtk_switch_set_active (GTK_SWITCH (get_child (page, "favorites_switch")), TRUE);
  test_until (is_drawn, page);
  test_frames (window, 10);
  shoot (page, window, "cities-variation");
  g_signal_emit_by_name (get_gallery (page), "opened", get_city (page, find_city (page, varied)));
  g_assert_true (title_is_of_variation (page));
  g_assert_cmpfloat (urbarium_latent_pad_get_x (pad), ==, turn.x);
  g_assert_cmpfloat (urbarium_latent_pad_get_y (pad), ==, turn.y);
  gtk_widget_activate_action (page, "cities.back", NULL);

  cities = GTK_SELECTION_MODEL (urbarium_gallery_get_model (get_gallery (page)));
  gtk_selection_model_select_item (cities, find_city (page, varied), TRUE);
  gtk_selection_model_select_item (cities, find_city (page, plain), FALSE);
  gtk_widget_activate_action (page, "cities.walk", NULL);
  test_until (way_is_drawn, get_child (page, "walk"));
  gtk_widget_activate_action (page, "cities.back", NULL);

  g_signal_emit_by_name (get_gallery (page), "opened", get_city (page, find_city (page, varied)));
  gtk_widget_activate_action (page, "cities.star", NULL);
  gtk_widget_activate_action (page, "cities.back", NULL);
  for (guint i = 0; i < g_list_model_get_n_items (urbarium_gallery_get_model (get_gallery (page))); i++)
    g_assert_false (urbarium_city_is_turned (get_city (page, i)));
  g_signal_emit_by_name (get_gallery (page), "favorite-toggled", plain, FALSE);
  test_window_destroy (window);
}

static gboolean
is_last_drawn (gpointer page)
{
  GListModel *cities = urbarium_gallery_get_model (get_gallery (page));
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (
    test_find (GTK_WIDGET (get_gallery (page)), GTK_TYPE_SCROLLED_WINDOW)));
  double share = (gtk_adjustment_get_value (adjustment) + 1)
                 / gtk_adjustment_get_upper (adjustment);
  guint place = (guint) (share * g_list_model_get_n_items (cities)) + 4;
  return urbarium_city_get_tile (get_city (page, place)) != NULL;
}

/* Fast scrolling: skipped cities are not drawn, visible ones are, and the main loop never blocks. */
static void
test_scroll (void)
{
  g_autoptr(UrbariumRunLibrary) library = open_library (cities_fixture_runs ());
  GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  GListModel *cities;
  GtkAdjustment *adjustment;
  GtkWindow *window;
  guint n, n_drawn = 0;
  gint64 longest_us = 0;
  urbarium_cities_page_set_library (URBARIUM_CITIES_PAGE (page), library);
  window = test_window_new (page, 1280, 740);
  test_until (is_drawn, page);
  cities = urbarium_gallery_get_model (get_gallery (page));
  adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (
    test_find (GTK_WIDGET (get_gallery (page)), GTK_TYPE_SCROLLED_WINDOW)));
  for (int i = 0; i < 40; i++)
    {
      gint64 begin = g_get_monotonic_time ();
      gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) + 1500);
      test_frames (window, 1);
      longest_us = MAX (longest_us, g_get_monotonic_time () - begin);
    }
  test_frames (window, 5);
  test_until (is_last_drawn, page);
  n = g_list_model_get_n_items (cities);
  g_assert_cmpuint (n, >, 600); /* the list is endless */
  for (guint i = 0; i < n; i++)
    n_drawn += urbarium_city_get_tile (get_city (page, i)) != NULL;
  g_test_message ("%u of %u cities drawn; the longest frame took %.1f ms", n_drawn, n,
                  (double) longest_us / 1000);
  g_assert_cmpuint (n_drawn, <, n / 2);
  test_window_destroy (window);
}

/* Closing the window while cities are drawn. */
static void
test_close (void)
{
  g_autoptr(UrbariumRunLibrary) library = open_library (cities_fixture_runs ());
  GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  GtkWindow *window;
  urbarium_cities_page_set_library (URBARIUM_CITIES_PAGE (page), library);
  window = test_window_new (page, 800, 600);
  test_window_destroy (window);
  page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  urbarium_cities_page_open (URBARIUM_CITIES_PAGE (page), cities_fixture_checkpoint ());
  window = test_window_new (page, 800, 600);
  test_until (is_drawn, page);
  gtk_widget_activate_action (page, "cities.new-seed", NULL);
  test_frames (window, 2);
  test_window_destroy (window);
}

static gint64
get_chosen_step (gpointer chooser)
{
  AdwComboRow *row = ADW_COMBO_ROW (
    gtk_widget_get_template_child (chooser, URBARIUM_TYPE_MODEL_CHOOSER, "checkpoint_row"));
  UrbariumRunFile *checkpoint = adw_combo_row_get_selected_item (row);
  return checkpoint != NULL ? urbarium_run_file_get_step (checkpoint) : -1;
}

static gint64
get_newest_step (UrbariumRun *run)
{
  GListModel *checkpoints = urbarium_run_get_checkpoints (run);
  gint64 step = -1;
  for (guint i = 0; i < g_list_model_get_n_items (checkpoints); i++)
    {
      g_autoptr(UrbariumRunFile) item = g_list_model_get_item (checkpoints, i);
      step = MAX (step, urbarium_run_file_get_step (item));
    }
  return step;
}

typedef struct
{
  UrbariumRun *run;
  gint64       step;
} Trained;

static gboolean
is_trained (gpointer data)
{
  const Trained *trained = data;
  return get_newest_step (trained->run) == trained->step && !urbarium_run_get_live (trained->run);
}

static void
train_to (UrbariumRun *run, gint64 step)
{
  Trained trained = { run, step };
  urbarium_run_extend (run, step);
  test_until (is_trained, &trained);
}

static gboolean
shows_asked (gpointer page)
{
  UrbariumCityView *view = URBARIUM_CITY_VIEW (test_find (page, URBARIUM_TYPE_CITY_VIEW));
  UrbariumCity *city = urbarium_city_view_get_city (view);
  return city != NULL && urbarium_city_get_seed (city) == 1000007 && urbarium_city_get_index (city) == 5
         && urbarium_city_get_tile (city) != NULL
         && g_strcmp0 (gtk_stack_get_visible_child_name (get_content (page)), "city") == 0;
}

/* A newer checkpoint is not opened while a city is viewed; the Train page shows its run's. */
static void
test_newest (void)
{
  g_autoptr(UrbariumRunLibrary) library = open_library (cities_fixture_runs ());
  GtkWidget *page, *chooser;
  UrbariumRun *run;
  GtkWindow *window;
  if (g_getenv ("URBARIUM_TEST_RUN") != NULL)
    {
      g_test_skip ("URBARIUM_TEST_RUN must not be trained further");
      return;
    }
  page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  chooser = GTK_WIDGET (get_child (page, "chooser"));
  urbarium_cities_page_set_library (URBARIUM_CITIES_PAGE (page), library);
  window = test_window_new (page, 1280, 740);
  test_until (is_drawn, page);
  run = urbarium_run_library_find (library, cities_fixture_run ());
  g_assert_cmpint (get_chosen_step (chooser), ==, 2);
  g_signal_emit_by_name (get_gallery (page), "opened", get_city (page, 0));
  train_to (run, 3);
  g_assert_cmpint (get_chosen_step (chooser), ==, 2);
  gtk_widget_activate_action (page, "cities.back", NULL);
  g_assert_cmpint (get_chosen_step (chooser), ==, 3);
  adw_combo_row_set_selected (
    ADW_COMBO_ROW (
      gtk_widget_get_template_child (chooser, URBARIUM_TYPE_MODEL_CHOOSER, "checkpoint_row")), 1);
  g_assert_cmpint (get_chosen_step (chooser), ==, 2);
  urbarium_cities_page_show_run (URBARIUM_CITIES_PAGE (page), run);
  g_assert_cmpint (get_chosen_step (chooser), ==, 3);
  /* A city of a sample grid: another checkpoint, seed and number. */
  urbarium_cities_page_show_city (URBARIUM_CITIES_PAGE (page), run, 2, 1000007, 5);
  g_assert_cmpint (get_chosen_step (chooser), ==, 2);
  test_until (shows_asked, page);
  gtk_widget_activate_action (page, "cities.back", NULL);
  test_frames (window, 5);
  test_until (is_drawn, page);
  test_window_destroy (window);
}

static void
test_bad_checkpoint (void)
{
  GtkWidget *page = g_object_new (URBARIUM_TYPE_CITIES_PAGE, NULL);
  GtkWindow *window;
  urbarium_cities_page_open (URBARIUM_CITIES_PAGE (page), "/nowhere/at-all.safetensors");
  window = show (page);
  while (g_strcmp0 (gtk_stack_get_visible_child_name (get_content (page)), "error") != 0)
    g_main_context_iteration (NULL, TRUE);
  test_frames (window, 5);
  test_screenshot (window, "cities-error");
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  cities_fixture_set_up ();
  g_test_add_func ("/cities-page/empty", test_empty);
  g_test_add_func ("/cities-page/gallery", test_gallery);
  g_test_add_func ("/cities-page/realism", test_realism);
  g_test_add_func ("/cities-page/sizes", test_sizes);
  g_test_add_func ("/cities-page/city", test_city);
  g_test_add_func ("/cities-page/walk", test_walk);
  g_test_add_func ("/cities-page/variation", test_variation);
  g_test_add_func ("/cities-page/place", test_place);
  g_test_add_func ("/cities-page/place-failed", test_place_failed);
  g_test_add_func ("/cities-page/scroll", test_scroll);
  g_test_add_func ("/cities-page/close", test_close);
  g_test_add_func ("/cities-page/newest", test_newest);
  g_test_add_func ("/cities-page/bad-checkpoint", test_bad_checkpoint);
  result = g_test_run ();
  cities_fixture_tear_down ();
  return result;
}
