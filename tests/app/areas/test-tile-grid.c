/* SPDX-License-Identifier: Apache-2.0 */
/* test-tile-grid.c - the grid follows the choice, reports the selection, and removes areas. */
#include "app/areas/tile-grid.h"

#include "app/areas/area-tile.h"
#include "curation-fixture.h"
#include "looks.h"

typedef struct
{
  CurationFixture     base;
  UrbariumTileSource *source;
  UrbariumTileGrid   *wall;
  GtkGridView        *grid;
  GtkStack           *stack;
  GtkWindow          *window;
  gint64              told; /* last */
  guint               n_told;
} Fixture;

static void
selected_cb (Fixture *self, gint64 index)
{
  self->told = index;
  self->n_told++;
}

static gpointer
part (Fixture *self, const char *name)
{
  GObject *object
    = gtk_widget_get_template_child (GTK_WIDGET (self->wall), URBARIUM_TYPE_TILE_GRID, name);
  g_assert_nonnull (object);
  return object;
}

static void
set_up (Fixture *self, gconstpointer data)
{
  curation_fixture_init (&self->base);
  self->source = urbarium_tile_source_new ();
  self->wall = g_object_new (URBARIUM_TYPE_TILE_GRID, NULL);
  self->stack = part (self, "stack");
  urbarium_tile_grid_set_curation (self->wall, self->base.curation, self->source);
  g_signal_connect_swapped (self->wall, "area-selected", G_CALLBACK (selected_cb), self);
  self->window = test_window_new (GTK_WIDGET (self->wall), 340, 400);
  self->grid = (gpointer) test_find (GTK_WIDGET (self->wall), GTK_TYPE_GRID_VIEW);
  g_assert_nonnull (self->grid);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  test_window_destroy (self->window);
  test_assert_last_unref (self->source);
  curation_fixture_clear (&self->base);
}

static void
settle (Fixture *self)
{
  curation_fixture_settle (&self->base);
  test_frames (self->window, 2);
}

static void
open_map (Fixture *self)
{
  curation_fixture_open (&self->base);
  settle (self);
}

static GtkSingleSelection *
selection (Fixture *self)
{
  return GTK_SINGLE_SELECTION (gtk_grid_view_get_model (self->grid));
}

static guint
n_tiles (Fixture *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (selection (self)));
}

/* Emulates the key. */
static gboolean
press (GtkWidget *widget, guint key)
{
  g_autoptr(GListModel) controllers = gtk_widget_observe_controllers (widget);
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr(GListModel) shortcuts = g_list_model_get_item (controllers, i);
      for (guint k = 0; GTK_IS_SHORTCUT_CONTROLLER (shortcuts)
                        && k < g_list_model_get_n_items (shortcuts); k++)
        {
          g_autoptr(GtkShortcut) shortcut = g_list_model_get_item (shortcuts, k);
          GtkShortcutTrigger *trigger = gtk_shortcut_get_trigger (shortcut);
          if (GTK_IS_KEYVAL_TRIGGER (trigger)
              && gtk_keyval_trigger_get_keyval (GTK_KEYVAL_TRIGGER (trigger)) == key)
            return gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0, widget,
                                                 NULL);
        }
    }
  return FALSE;
}

/* Without areas, a placeholder is shown, and Delete does nothing. */
static void
test_empty (Fixture *self, gconstpointer data)
{
  test_assert_texts (self->wall, "Images of the chosen areas appear here.");
  g_assert_cmpuint (n_tiles (self), ==, 0);
  g_assert_true (press (GTK_WIDGET (self->wall), GDK_KEY_Delete));
  curation_fixture_assert_undo (&self->base, NULL);
}

static void
test_select (Fixture *self, gconstpointer data)
{
  open_map (self);
  test_assert_name (self->grid, "Images of the chosen areas");
  g_assert_cmpstr (gtk_stack_get_visible_child_name (self->stack), ==, "tiles");
  g_assert_cmpuint (n_tiles (self), ==, curation_fixture_n_chosen (&self->base));
  g_assert_cmpuint (self->n_told, ==, 0); /* nothing is selected */
  g_assert_null (gtk_single_selection_get_selected_item (selection (self)));

  gtk_single_selection_set_selected (selection (self), 2);
  g_assert_cmpint (self->told, ==, 2);
  gtk_single_selection_set_selected (selection (self), 0);
  g_assert_cmpint (self->told, ==, 0);
  g_assert_cmpuint (self->n_told, ==, 2);
  g_signal_emit_by_name (self->grid, "activate", 0); /* again: shows its place again */
  g_assert_cmpuint (self->n_told, ==, 3);
  g_assert_cmpint (self->told, ==, 0);
  gtk_single_selection_set_selected (selection (self), GTK_INVALID_LIST_POSITION);
  g_assert_cmpint (self->told, ==, -1);
}

static void
test_remove (Fixture *self, gconstpointer data)
{
  guint n;
  gint64 first, second, third;
  open_map (self);
  n = n_tiles (self);
  g_assert_cmpuint (n, >, 3);
  first = urbarium_curation_get_area (self->base.curation, 0)->id;
  second = urbarium_curation_get_area (self->base.curation, 1)->id;
  third = urbarium_curation_get_area (self->base.curation, 2)->id;
  press (GTK_WIDGET (self->wall), GDK_KEY_Delete); /* nothing is selected */
  settle (self);
  g_assert_cmpuint (n_tiles (self), ==, n);

  gtk_single_selection_set_selected (selection (self), 1);
  g_assert_true (press (GTK_WIDGET (self->wall), GDK_KEY_Delete));
  settle (self);
  g_assert_cmpuint (n_tiles (self), ==, n - 1);
  g_assert_cmpint (urbarium_curation_get_area (self->base.curation, 0)->id, ==, first);
  g_assert_cmpint (urbarium_curation_get_area (self->base.curation, 1)->id, ==, third);
  gtk_single_selection_set_selected (selection (self), 0);
  g_assert_true (press (GTK_WIDGET (self->wall), GDK_KEY_KP_Delete));
  settle (self);
  g_assert_cmpuint (n_tiles (self), ==, n - 2);
  g_assert_cmpint (urbarium_curation_get_area (self->base.curation, 0)->id, ==, third);

  urbarium_undo_undo (self->base.undo);
  urbarium_undo_undo (self->base.undo);
  settle (self);
  g_assert_cmpuint (n_tiles (self), ==, n);
  g_assert_cmpint (urbarium_curation_get_area (self->base.curation, 1)->id, ==, second);
}

static gboolean
has_picture (gpointer data)
{
  GtkWidget *tile = test_find (GTK_WIDGET (((Fixture *) data)->wall), URBARIUM_TYPE_AREA_TILE);
  const char *text = tile == NULL ? NULL : gtk_widget_get_tooltip_text (tile);
  return text != NULL && strchr (text, '\n') != NULL;
}

/* While the threshold is dragged; and with other tiles. */
static void
test_follows (Fixture *self, gconstpointer data)
{
  UrbCurateOptions options;
  open_map (self);
  test_until (has_picture, self);
  test_screenshot (self->window, "tile-grid");
  gtk_single_selection_set_selected (selection (self), 0);
  g_object_set (self->base.curation, "threshold", 1.0, NULL);
  g_assert_cmpuint (n_tiles (self), ==, 0);
  g_assert_cmpint (self->told, ==, -1); /* the selected area was removed */
  g_assert_cmpstr (gtk_stack_get_visible_child_name (self->stack), ==, "none");
  g_object_set (self->base.curation, "threshold", 0.0, NULL);
  g_assert_cmpuint (n_tiles (self), ==, curation_fixture_n_chosen (&self->base));
  g_assert_cmpstr (gtk_stack_get_visible_child_name (self->stack), ==, "tiles");

  options = curation_fixture_options (&self->base);
  options.encoding = URB_ENCODING_GREY;
  urbarium_curation_set_options (self->base.curation, &options, "Grey");
  settle (self);
  test_until (has_picture, self);
  urbarium_map_document_close (self->base.document);
  g_assert_cmpuint (n_tiles (self), ==, 0);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (self->stack), ==, "none");
}

int
main (int argc, char **argv)
{
  test_keep_names ();
  test_app_init (&argc, &argv);
#define ADD(name, func) g_test_add ("/app/tile-grid/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("empty", test_empty);
  ADD ("select", test_select);
  ADD ("remove", test_remove);
  ADD ("follows", test_follows);
#undef ADD
  return g_test_run ();
}
