/* SPDX-License-Identifier: Apache-2.0 */
/* test-layer-options.c - how one layer of the panel is read, chosen by its button, and undone. */
#include "app/map/layer-options.h"
#include "app/map/layer-row.h"
#include "app/map/profile-row.h"
#include "map-fixture.h"

typedef MapPanelFixture Fixture;

/* @n: layers; the first has three values, the others are buildings */
static void
open_layers (Fixture *self, int n)
{
  static const char *const squares[] = { "building", "other", "quarry", NULL };
  static const char *const houses[] = { "", NULL };
  g_autofree char *a = map_fixture_write ("squares", 0, squares);
  g_autofree char *b = map_fixture_write ("building", 200, houses);
  const char *paths[] = { a, n > 1 ? b : NULL, NULL };
  map_fixture_open (&self->map, paths);
  map_fixture_settle (self->window);
}

/* Those of the layer "squares". */
static GtkWidget *
find_options (Fixture *self)
{
  return test_find (test_find (self->panel, URBARIUM_TYPE_LAYER_ROW), URBARIUM_TYPE_LAYER_OPTIONS);
}

static GtkMenuButton *
find_button (Fixture *self)
{
  return GTK_MENU_BUTTON (test_find (find_options (self), GTK_TYPE_MENU_BUTTON));
}

static GtkWidget *
find_in_popover (Fixture *self, GType type)
{
  return test_find (GTK_WIDGET (gtk_menu_button_get_popover (find_button (self))), type);
}

/* The choices of the map are enough for one layer; else each kind of row has the button. */
static void
test_where (Fixture *self, gconstpointer data)
{
  g_autoptr(GPtrArray) all = NULL;
  open_layers (self, 1);
  g_assert_null (test_find (self->panel, URBARIUM_TYPE_LAYER_OPTIONS));
  open_layers (self, 2);
  all = map_fixture_list (self->panel, URBARIUM_TYPE_LAYER_OPTIONS);
  g_assert_cmpuint (all->len, ==, 2);
  gtk_test_accessible_assert_property (gtk_widget_get_first_child (GTK_WIDGET (find_button (self))),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, "How “squares” is read");
}

static gboolean
has_options (gpointer self)
{
  return test_find (((Fixture *) self)->panel, URBARIUM_TYPE_LAYER_OPTIONS) != NULL;
}

static void
test_choose (Fixture *self, gconstpointer data)
{
  UrbMap *map;
  GtkWidget *focus;
  open_layers (self, 2);
  g_assert_null (gtk_menu_button_get_popover (find_button (self))); /* hundreds of layers, and few are opened */
  gtk_menu_button_popup (find_button (self));
  test_frames (self->window, 3);
  test_screenshot (self->window, "layer-options");
  gtk_widget_grab_focus (find_in_popover (self, URBARIUM_TYPE_PROFILE_ROW));
  urbarium_profile_row_set_profile (URBARIUM_PROFILE_ROW (find_in_popover (self, URBARIUM_TYPE_PROFILE_ROW)), "osm");
  g_assert_cmpstr (urbarium_map_document_get_layer (self->map.document, "squares").profile, ==, "osm");
  map_fixture_reread (&self->map);
  /* Rows of the other values replace the old ones; the focus is where it was. */
  test_until (has_options, self);
  map_fixture_settle (self->window);
  map = urbarium_map_document_get_map (self->map.document);
  g_assert_cmpstr (urb_map_get_profile (map), ==, "urbarium");
  g_assert_cmpint (urb_map_get_n_polygons (map), ==, 1);
  focus = gtk_window_get_focus (self->window);
  g_assert_nonnull (focus);
  g_assert_nonnull (gtk_widget_get_ancestor (focus, URBARIUM_TYPE_LAYER_OPTIONS));
  urbarium_undo_undo (self->map.undo);
  g_assert_cmpstr (urbarium_map_document_get_layer (self->map.document, "squares").profile, ==, "");
  map_fixture_reread (&self->map);
  g_assert_cmpint (urb_map_get_n_polygons (urbarium_map_document_get_map (self->map.document)), ==, 4);
}

/* A bare number is an EPSG code; applied by Enter. */
static void
test_crs (Fixture *self, gconstpointer data)
{
  GtkWidget *row;
  open_layers (self, 2);
  gtk_menu_button_popup (find_button (self));
  test_frames (self->window, 3);
  row = find_in_popover (self, ADW_TYPE_ENTRY_ROW);
  gtk_editable_set_text (GTK_EDITABLE (row), " 21781 ");
  g_signal_emit_by_name (row, "apply");
  g_assert_cmpstr (urbarium_map_document_get_layer (self->map.document, "squares").crs, ==, "EPSG:21781");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (row)), ==, "EPSG:21781");
  gtk_menu_button_popdown (find_button (self));
  test_frames (self->window, 3);
}

int
main (int argc, char **argv)
{
#define ADD(name, func) \
  g_test_add ("/app/layer-options/" name, Fixture, NULL, map_panel_fixture_set_up, func, map_panel_fixture_tear_down)
  test_app_init (&argc, &argv);
  ADD ("where", test_where);
  ADD ("choose", test_choose);
  ADD ("crs", test_crs);
  return g_test_run ();
}
