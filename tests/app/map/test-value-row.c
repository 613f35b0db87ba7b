/* SPDX-License-Identifier: Apache-2.0 */
/* test-value-row.c - the description of a value, and its class, chosen and reset by hand. */
#include "app/map/class-button.h"
#include "app/map/value-row.h"
#include "map-fixture.h"

typedef struct
{
  MapFixture        map;
  UrbariumValueRow *row; /* borrowed */
  GtkWindow        *window;
} Fixture;

static const UrbariumValueInfo wall = { .value = (char *) "wall",
                                        .class_ = URB_CLASS_OTHER,
                                        .known = TRUE,
                                        .n_features = 1200,
                                        .area_m2 = 12345 };

static void
set_up (Fixture *self, gconstpointer data)
{
  static const char *const values[] = { "building", "road", "quarry", NULL };
  g_autofree char *path = map_fixture_write ("squares", 0, values);
  const char *paths[] = { path, NULL };
  GtkWidget *list = gtk_list_box_new (); /* as in a layer row */
  map_fixture_set_up (&self->map, NULL);
  map_fixture_open (&self->map, paths);
  self->row = URBARIUM_VALUE_ROW (urbarium_value_row_new (self->map.document, "squares"));
  urbarium_value_row_set_info (self->row, &wall);
  gtk_list_box_append (GTK_LIST_BOX (list), GTK_WIDGET (self->row));
  g_signal_connect_object (self->map.document, "classes-changed",
                           G_CALLBACK (urbarium_value_row_update), self->row, G_CONNECT_SWAPPED);
  self->window = test_window_new (list, 400, 200);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  test_window_destroy (self->window);
  map_fixture_tear_down (&self->map, NULL);
}

static GtkWidget *
get_part (Fixture *self, const char *name)
{
  return GTK_WIDGET (
    gtk_widget_get_template_child (GTK_WIDGET (self->row), URBARIUM_TYPE_VALUE_ROW, name));
}

static void
assert_title (Fixture *self, const char *title)
{
  g_autofree char *shown
    = map_fixture_unbreak (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (self->row)));
  g_assert_cmpstr (shown, ==, title);
}

static void
assert_subtitle (Fixture *self, const char *subtitle)
{
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (self->row)), ==, subtitle);
}

static void
assert_class (Fixture *self, const char *title)
{
  GtkWidget *label = test_find (get_part (self, "class_button"), GTK_TYPE_LABEL);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (label)), ==, title);
}

static void
assert_is_by_hand (Fixture *self, gboolean is_by_hand)
{
  g_assert_true (gtk_widget_get_visible (get_part (self, "reset")) == is_by_hand);
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (self->row), "by-hand") == is_by_hand);
}

static void
set_value (Fixture *self, const char *value, gboolean known)
{
  UrbariumValueInfo info
    = { .value = (char *) value, .class_ = URB_CLASS_OTHER, .known = known, .n_features = 1 };
  urbarium_value_row_set_info (self->row, &info);
}

static void
test_titles (Fixture *self, gconstpointer data)
{
  static const struct
  {
    const char *value, *title;
  } cases[] = {
    { "wall", "wall" },
    { "residential_street/2.1", "residential_street/2.1" },
    { "", "squares" }, /* the whole layer */
    { "(none)", "No value" },
    { "(more values)", "All other values" },
    { "<b>bold</b> & more", "<b>bold</b> & more" },
    { "caf\xe9", "caf\uFFFD" }, /* undeclared Latin-1 */
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *class_name = g_strdup_printf ("Class of %s: Other", cases[i].title);
      GtkWidget *toggle;
      set_value (self, cases[i].value, TRUE);
      assert_title (self, cases[i].title);
      /* Screen readers get no zero-width spaces. */
      gtk_test_accessible_assert_property (GTK_ACCESSIBLE (self->row),
                                           GTK_ACCESSIBLE_PROPERTY_LABEL, cases[i].title);
      toggle = test_find (get_part (self, "class_button"), GTK_TYPE_TOGGLE_BUTTON);
      gtk_test_accessible_assert_property (GTK_ACCESSIBLE (toggle), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                           class_name);
    }
  set_value (self, "residential_street", TRUE);
  g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (self->row)), ==,
                   "residential_\u200bstreet");
  test_frames (self->window, 2);
}

static void
test_amount (Fixture *self, gconstpointer data)
{
  UrbariumValueInfo lines = wall;
  assert_subtitle (self, "1\u202f200 objects · 1.23 ha");
  lines.area_m2 = 0;
  urbarium_value_row_set_info (self->row, &lines);
  assert_subtitle (self, "1\u202f200 objects");
  lines.n_features = 1;
  urbarium_value_row_set_info (self->row, &lines);
  assert_subtitle (self, "1 object");
}

static void
test_unknown (Fixture *self, gconstpointer data)
{
  set_value (self, "quarry", FALSE);
  assert_subtitle (self, "1 object · unknown value");
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (self->row), "unknown"));
  map_fixture_choose (get_part (self, "class_button"), "Ignored");
  assert_subtitle (self, "1 object · by hand"); /* now it has a class */
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (self->row), "unknown"));
  set_value (self, "wall", TRUE);
  assert_subtitle (self, "1 object");
  assert_is_by_hand (self, FALSE);
}

static void
test_by_hand (Fixture *self, gconstpointer data)
{
  UrbClass class_;
  set_value (self, "quarry", TRUE);
  assert_is_by_hand (self, FALSE);
  map_fixture_choose (get_part (self, "class_button"), "Road");
  assert_class (self, "Road");
  assert_is_by_hand (self, TRUE);
  assert_subtitle (self, "1 object · by hand");
  g_assert_true (
    urbarium_map_document_get_class (self->map.document, "squares", "quarry", &class_));
  g_assert_cmpint (class_, ==, URB_CLASS_ROAD);
  set_value (self, "building", TRUE); /* the row of another value */
  assert_is_by_hand (self, FALSE);
  set_value (self, "quarry", TRUE);
  assert_class (self, "Road");
  urbarium_undo_undo (self->map.undo);
  assert_class (self, "Other");
  assert_is_by_hand (self, FALSE);
  urbarium_undo_redo (self->map.undo);
  assert_class (self, "Road");
  map_fixture_choose (get_part (self, "class_button"), "Other"); /* unchanged */
  assert_is_by_hand (self, FALSE);
}

/* The button hides after a click; the focus stays on the row. */
static void
test_reset (Fixture *self, gconstpointer data)
{
  GtkWidget *reset = get_part (self, "reset");
  set_value (self, "quarry", TRUE);
  map_fixture_choose (get_part (self, "class_button"), "Building");
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (reset), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Reset to the proposed class");
  g_assert_true (gtk_widget_grab_focus (reset));
  g_signal_emit_by_name (reset, "clicked");
  g_assert_false (
    urbarium_map_document_get_class (self->map.document, "squares", "quarry", NULL));
  assert_class (self, "Other");
  assert_is_by_hand (self, FALSE);
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (self->window),
                                         get_part (self, "class_button")));
  urbarium_undo_undo (self->map.undo);
  assert_class (self, "Building");
}

/* A map is closed while a menu is open. */
static void
test_no_map (Fixture *self, gconstpointer data)
{
  urbarium_map_document_close (self->map.document);
  map_fixture_choose (get_part (self, "class_button"), "Road");
  assert_class (self, "Other");
  assert_is_by_hand (self, FALSE);
}

int
main (int argc, char **argv)
{
#define ADD(name, func) g_test_add ("/app/value-row/" name, Fixture, NULL, set_up, func, tear_down)
  test_app_init (&argc, &argv);
  ADD ("titles", test_titles);
  ADD ("amount", test_amount);
  ADD ("unknown", test_unknown);
  ADD ("by-hand", test_by_hand);
  ADD ("reset", test_reset);
  ADD ("no-map", test_no_map);
  return g_test_run ();
}
