/* SPDX-License-Identifier: Apache-2.0 */
/* test-map-panel.c - the panel describes the map and follows it: another map, the same map read
 * again, no map. */
#include "app/map/class-button.h"
#include "app/map/layer-row.h"
#include "app/map/legend-row.h"
#include "app/map/map-panel.h"
#include "app/map/map-words.h"
#include "app/map/value-row.h"
#include "map-fixture.h"

typedef MapPanelFixture Fixture;

/* @values: as map_fixture_write() takes them */
static void
open_layer (Fixture *self, const char *name, const char *const *values)
{
  g_autofree char *path = map_fixture_write (name, 0, values);
  const char *paths[] = { path, NULL };
  map_fixture_open (&self->map, paths);
  map_fixture_settle (self->window);
}

/* Three layers: with many values, with one class, and with roads drawn as lines. */
static void
open_town (Fixture *self)
{
  static const char *const squares[] = { "building", "other", "quarry", NULL };
  static const char *const roads[] = { "~road", "~road", NULL };
  static const char *const houses[] = { "", NULL };
  g_autofree char *a = map_fixture_write ("squares", 0, squares);
  g_autofree char *b = map_fixture_write ("paths", 100, roads);
  g_autofree char *c = map_fixture_write ("building", 200, houses);
  const char *paths[] = { a, b, c, NULL };
  map_fixture_open (&self->map, paths);
  map_fixture_settle (self->window);
}

static void
reread (Fixture *self)
{
  map_fixture_reread (&self->map);
  map_fixture_settle (self->window);
}

static gpointer
get_part (Fixture *self, const char *name)
{
  return gtk_widget_get_template_child (self->panel, URBARIUM_TYPE_MAP_PANEL, name);
}

static void
assert_fact (Fixture *self, const char *name, const char *text)
{
  g_autofree char *shown = map_fixture_unbreak (gtk_label_get_text (get_part (self, name)));
  g_assert_cmpstr (shown, ==, text);
}

static gboolean
is_shown (Fixture *self, const char *name)
{
  return gtk_widget_get_mapped (get_part (self, name));
}

/* The visible titles of the rows of a type: "squares, paths". (transfer full) */
static char *
list_rows (Fixture *self, const char *group, GType type)
{
  g_autoptr(GPtrArray) rows = map_fixture_list (get_part (self, group), type);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < rows->len; i++)
    {
      g_autofree char *title
        = map_fixture_unbreak (adw_preferences_row_get_title (rows->pdata[i]));
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", title);
    }
  return g_string_free (text, FALSE);
}

static void
assert_rows (Fixture *self, const char *group, GType type, const char *expected)
{
  g_autofree char *rows = list_rows (self, group, type);
  g_assert_cmpstr (rows, ==, expected);
}

static GtkWidget *
find_row (Fixture *self, const char *group, GType type, const char *title)
{
  g_autoptr(GPtrArray) rows = map_fixture_list (get_part (self, group), type);
  for (guint i = 0; i < rows->len; i++)
    if (g_str_equal (adw_preferences_row_get_title (rows->pdata[i]), title))
      return rows->pdata[i];
  g_error ("there is no row '%s'", title);
}

static const char *
get_share (Fixture *self, const char *title)
{
  GtkWidget *row = find_row (self, "legend", URBARIUM_TYPE_LEGEND_ROW, title);
  return adw_action_row_get_subtitle (ADW_ACTION_ROW (row));
}

static void
test_facts (Fixture *self, gconstpointer data)
{
  static const char *const squares[] = { "building", "road", "other", "other", NULL };
  open_layer (self, "my_town", squares);
  assert_fact (self, "title", "my_town.geojson");
  gtk_test_accessible_assert_property (get_part (self, "title"), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "my_town.geojson");
  assert_fact (self, "profile", "Urbarium, 80 of 100 points");
  g_assert_nonnull (strstr (gtk_label_get_text (get_part (self, "crs")), "EPSG:2056"));
  assert_fact (self, "extent", "70.0 m × 10.0 m");
  assert_fact (self, "size", "4 polygons, 16 vertices");
  assert_rows (self, "legend", URBARIUM_TYPE_LEGEND_ROW, "Building, Road, Other");
  g_assert_cmpstr (get_share (self, "Building"), ==, "100 m² · 25.0 %");
  g_assert_cmpstr (get_share (self, "Other"), ==, "200 m² · 50.0 %");
  g_assert_false (is_shown (self, "notes_group"));
  g_assert_false (is_shown (self, "roads"));
}

static void
test_layers (Fixture *self, gconstpointer data)
{
  GtkWidget *layer;
  open_town (self);
  assert_rows (self, "layers", URBARIUM_TYPE_LAYER_ROW, "squares, paths");
  assert_rows (self, "layers", URBARIUM_TYPE_VALUE_ROW, "building");
  layer = find_row (self, "layers", URBARIUM_TYPE_LAYER_ROW, "squares");
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (layer), TRUE);
  map_fixture_settle (self->window);
  /* A class chosen by hand for the layer with a single row. */
  map_fixture_choose (
    test_find (find_row (self, "layers", URBARIUM_TYPE_VALUE_ROW, "building"),
               URBARIUM_TYPE_CLASS_BUTTON),
    "Ignored");
  g_assert_nonnull (strstr (
    adw_action_row_get_subtitle (
      ADW_ACTION_ROW (find_row (self, "layers", URBARIUM_TYPE_VALUE_ROW, "building"))),
    "by hand"));
  reread (self);
  g_assert_true (g_str_has_prefix (get_share (self, "Building"), "100 m² · "));
}

/* Expanded rows stay expanded, and are the same widgets. */
static void
test_same_map (Fixture *self, gconstpointer data)
{
  GtkWidget *layer, *value;
  open_town (self);
  layer = find_row (self, "layers", URBARIUM_TYPE_LAYER_ROW, "squares");
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (layer), TRUE);
  map_fixture_settle (self->window);
  value = find_row (self, "layers", URBARIUM_TYPE_VALUE_ROW, "quarry");
  map_fixture_choose (test_find (value, URBARIUM_TYPE_CLASS_BUTTON), "Building");
  reread (self);
  g_assert_true (find_row (self, "layers", URBARIUM_TYPE_LAYER_ROW, "squares") == layer);
  g_assert_true (adw_expander_row_get_expanded (ADW_EXPANDER_ROW (layer)));
  g_assert_true (find_row (self, "layers", URBARIUM_TYPE_VALUE_ROW, "quarry") == value);
  assert_rows (self, "layers", URBARIUM_TYPE_VALUE_ROW, "building, other, quarry, building");
}

static void
test_other_map (Fixture *self, gconstpointer data)
{
  static const char *const houses[] = { "building", "road", "other", NULL };
  GtkWidget *layer;
  open_town (self);
  layer = find_row (self, "layers", URBARIUM_TYPE_LAYER_ROW, "squares");
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (layer), TRUE);
  adw_expander_row_set_expanded (get_part (self, "notes"), TRUE);
  open_layer (self, "squares", houses); /* a layer of the same name */
  assert_rows (self, "layers", URBARIUM_TYPE_LAYER_ROW, "squares");
  layer = find_row (self, "layers", URBARIUM_TYPE_LAYER_ROW, "squares");
  g_assert_false (adw_expander_row_get_expanded (ADW_EXPANDER_ROW (layer)));
  g_assert_false (adw_expander_row_get_expanded (get_part (self, "notes")));
  assert_fact (self, "size", "3 polygons, 12 vertices");
  urbarium_map_document_close (self->map.document);
  assert_rows (self, "layers", ADW_TYPE_PREFERENCES_ROW, "");
}

/* The reader's warnings, adapted to the window. */
static void
test_notes (Fixture *self, gconstpointer data)
{
  static const char *const squares[] = { "building", "quarry", NULL };
  g_autoptr(GPtrArray) rows = NULL;
  open_layer (self, "squares", squares);
  g_assert_true (is_shown (self, "notes_group"));
  g_assert_cmpstr (adw_preferences_row_get_title (get_part (self, "notes")), ==,
                   "2 notes on this map");
  adw_expander_row_set_expanded (get_part (self, "notes"), TRUE);
  map_fixture_settle (self->window);
  assert_rows (self, "notes", ADW_TYPE_ACTION_ROW,
               "2 notes on this map, "
               "In the layer “squares”, 1 object has a kind unknown to the profile “urbarium” and "
               "counts as other: “quarry”., "
               "No polygon of this map is a road; the profile is “urbarium”, and another can be "
               "chosen above.");
  rows = map_fixture_list (get_part (self, "notes"), ADW_TYPE_ACTION_ROW);
  for (guint i = 1; i < rows->len; i++)
    g_assert_false (adw_preferences_row_get_use_markup (rows->pdata[i]));
  urbarium_map_document_set_class (self->map.document, "squares", "quarry", URB_CLASS_ROAD);
  reread (self);
  g_assert_false (is_shown (self, "notes_group"));
}

typedef struct
{
  int      n, class_;
  gboolean is_visible;
} Told;

static void
class_visible_cb (UrbariumMapPanel *panel, int class_, gboolean is_visible, Told *told)
{
  told->n++;
  told->class_ = class_;
  told->is_visible = is_visible;
}

static void
test_legend (Fixture *self, gconstpointer data)
{
  static const char *const titles[] = { "Building", "Road", "Other" };
  Told told = { 0 };
  g_signal_connect (self->panel, "class-visible", G_CALLBACK (class_visible_cb), &told);
  for (int c = 0; c < URB_N_CLASSES; c++)
    for (int is_visible = 0; is_visible < 2; is_visible++)
      {
        told.n = 0;
        g_assert_true (gtk_widget_activate (
          find_row (self, "legend", URBARIUM_TYPE_LEGEND_ROW, titles[c])));
        g_assert_cmpint (told.n, ==, 1);
        g_assert_cmpint (told.class_, ==, c);
        g_assert_true (told.is_visible == is_visible);
      }
}

/* How the map is read is chosen in the panel, and follows undo. */
static void
test_read_as (Fixture *self, gconstpointer data)
{
  AdwComboRow *row;
  open_town (self);
  row = get_part (self, "profile_row");
  g_assert_cmpuint (adw_combo_row_get_selected (row), ==, 0);
  g_assert_cmpuint (g_list_model_get_n_items (adw_combo_row_get_model (row)), ==, 8);
  adw_combo_row_set_selected (row, 3); /* after "Recognized", de-alkis and fr-cadastre */
  g_assert_cmpstr (urbarium_map_document_get_profile (self->map.document), ==, "generic");
  reread (self);
  assert_fact (self, "profile", "Common names (any map)");
  urbarium_undo_undo (self->map.undo);
  reread (self);
  g_assert_cmpuint (adw_combo_row_get_selected (row), ==, 0);
  gtk_editable_set_text (get_part (self, "crs_row"), " 25832 ");
  g_signal_emit_by_name (get_part (self, "crs_row"), "apply");
  g_assert_cmpstr (urbarium_map_document_get_crs (self->map.document), ==, "EPSG:25832");
  reread (self);
  g_assert_cmpstr (gtk_editable_get_text (get_part (self, "crs_row")), ==, "EPSG:25832");
}

static void
type_width (Fixture *self, const char *text)
{
  GtkSpinButton *spin = get_part (self, "width");
  gtk_editable_set_text (GTK_EDITABLE (spin), text);
  gtk_spin_button_update (spin);
}

static void
assert_width (Fixture *self, const char *text, double width_m)
{
  g_assert_cmpstr (gtk_editable_get_text (get_part (self, "width")), ==, text);
  g_assert_cmpfloat (urbarium_map_document_get_road_width (self->map.document), ==, width_m);
}

/* For roads drawn as lines; 0 is the profile's width. */
static void
test_width (Fixture *self, gconstpointer data)
{
  g_autofree char *before = NULL;
  open_town (self);
  g_assert_true (is_shown (self, "roads"));
  assert_width (self, "proposed", 0);
  before = g_strdup (get_share (self, "Road"));
  type_width (self, "12");
  assert_width (self, "12.0 m", 12);
  type_width (self, "nonsense"); /* invalid: the previous width is kept */
  assert_width (self, "12.0 m", 12);
  type_width (self, "nan");
  assert_width (self, "12.0 m", 12);
  reread (self);
  g_assert_cmpstr (get_share (self, "Road"), !=, before);
  gtk_spin_button_spin (get_part (self, "width"), GTK_SPIN_STEP_FORWARD, 0.5);
  assert_width (self, "12.5 m", 12.5);
  type_width (self, "1e9"); /* clamped */
  assert_width (self, "60.0 m", 60);
  type_width (self, "-3");
  assert_width (self, "proposed", 0);
  type_width (self, "8");
  type_width (self, "proposed");
  assert_width (self, "proposed", 0);
  type_width (self, "8 m");
  assert_width (self, "8.0 m", 8);
  type_width (self, ""); /* removed */
  assert_width (self, "proposed", 0);
  reread (self);
  urbarium_undo_undo (self->map.undo);
  assert_width (self, "12.0 m", 12);
}

/* The page is disposed while its document has a map. */
static void
test_gone_early (Fixture *self, gconstpointer data)
{
  open_town (self);
  test_window_destroy (self->window);
  urbarium_map_document_set_class (self->map.document, "squares", "quarry", URB_CLASS_ROAD);
  urbarium_map_document_close (self->map.document);
  self->panel = g_object_new (URBARIUM_TYPE_MAP_PANEL, NULL); /* without a document */
  self->window = test_window_new (self->panel, 400, 900);
}

/* Advice on options of the command line becomes advice on the window. */
static void
test_words (Fixture *self, gconstpointer data)
{
  static const char *const sentences[][2] = {
    { "a.gml: the coordinate system 'x' is unknown. Specify it with --crs.", " Choose it above." },
    { "a.gml: no coordinate system stated; assuming meters. If that is wrong, specify it with --crs.", ", choose it above." },
    { "'a.gml' has no coordinate system, unlike the files read before it; open them separately, or specify it with --crs",
      "choose its coordinate system, and then open them together" },
    { "There is no transformation from the coordinates of 'a.gml' (x) to 'y'; specify its coordinate system with --crs",
      "; convert it to another one" },
    { "The coordinates of 'a.gml' cannot be converted to meters from its coordinate system 'x'; if that is wrong, specify "
      "it with --crs", "; convert it to another one" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (sentences); i++)
    {
      g_autofree char *plain = urbarium_map_words_make_plain (sentences[i][0], NULL);
      g_assert_null (strstr (plain, "--"));
      g_assert_true (g_str_has_suffix (plain, sentences[i][1]));
    }
}

int
main (int argc, char **argv)
{
#define ADD(name, func) \
  g_test_add ("/app/map-panel/" name, Fixture, NULL, map_panel_fixture_set_up, func, map_panel_fixture_tear_down)
  test_app_init (&argc, &argv);
  ADD ("facts", test_facts);
  ADD ("layers", test_layers);
  ADD ("same-map", test_same_map);
  ADD ("other-map", test_other_map);
  ADD ("notes", test_notes);
  ADD ("legend", test_legend);
  ADD ("read-as", test_read_as);
  ADD ("width", test_width);
  ADD ("gone-early", test_gone_early);
  ADD ("words", test_words);
  return g_test_run ();
}
