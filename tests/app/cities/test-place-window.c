/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-place-window.c - a plan on a map: by click, drag, keys and numbers, onto areas; without a map; exported where it
 * lies.
 */
#include <math.h>

#include "../plot/controllers.h"
#include "app/canvas/canvas.h"
#include "app/cities/place-window.h"
#include "cities-fixture.h"
#include "dataset/dataset.h"

typedef struct
{
  GtkWindow           *window;
  GtkWidget           *button;
  UrbariumCitySource  *source;
  UrbariumCity        *city;
  UrbariumGround      *ground;
  UrbariumPlaceWindow *place;
} Fixture;

static const char *const town[] = { "town.gpkg", NULL };

static const UrbSquare chosen = { 150, 160, 30, 250 };

static gboolean is_looking, has_none; /* for the selected areas */

static GArray *
find_areas (gpointer data)
{
  GArray *areas;
  if (is_looking)
    return NULL;
  areas = g_array_new (FALSE, FALSE, sizeof (UrbSquare));
  if (!has_none)
    g_array_append_val (areas, chosen);
  return areas;
}

/* @options: (nullable)
 * @paths: (array zero-terminated=1): that the ground is told */
static void
open_town (Fixture *self, const UrbMapOptions *options, const char *const *paths)
{
  g_autofree char *path = g_build_filename (cities_fixture_folder (), "town.gpkg", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = urb_map_open ((const char *[]) { path, NULL }, options, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  urbarium_ground_set_map (self->ground, map, paths);
}

static gboolean
is_drawn (gpointer city)
{
  return urbarium_city_get_tile (city) != NULL;
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->button = gtk_button_new ();
  self->window = test_window_new (self->button, 300, 200);
  self->source = urbarium_city_source_new ();
  self->city = urbarium_city_new (1, 1, 1);
  self->ground = urbarium_ground_new (find_areas, NULL);
  urbarium_city_source_open (self->source, cities_fixture_checkpoint ());
  urbarium_city_source_want (self->source, self->city);
  test_until (is_drawn, self->city);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  gtk_window_close (GTK_WINDOW (self->place));
  urbarium_city_source_unwant (self->source, self->city);
  g_object_unref (self->city);
  g_object_unref (self->source);
  g_object_unref (self->ground);
  test_window_destroy (self->window);
}

static gpointer
get_child (Fixture *self, const char *name)
{
  return gtk_widget_get_template_child (GTK_WIDGET (self->place), URBARIUM_TYPE_PLACE_WINDOW, name);
}

static double
get_number (Fixture *self, const char *name)
{
  return gtk_spin_button_get_value (get_child (self, name));
}

static void
assert_place (Fixture *self, double x, double y, double angle_deg)
{
  g_assert_cmpfloat_with_epsilon (get_number (self, "east"), x, 1e-6);
  g_assert_cmpfloat_with_epsilon (get_number (self, "north"), y, 1e-6);
  g_assert_cmpfloat_with_epsilon (get_number (self, "rotation"), angle_deg, 1e-6);
}

static gboolean
can_snap (gpointer data)
{
  return gtk_widget_get_sensitive (get_child (data, "snap_row"));
}

static void
open_on_town (Fixture *self)
{
  open_town (self, NULL, town);
  self->place = urbarium_place_window_open (self->button, self->source, self->city, self->ground);
  test_until (can_snap, self);
}

/* Of the dataset: the training area nearest to the map's middle. */
static UrbSquare
find_nearest (UrbMap *map)
{
  g_autoptr(UrbDataset) dataset = urb_dataset_open (cities_fixture_dataset (), NULL);
  UrbBox extent = urb_map_get_extent (map);
  UrbSquare nearest = { 0 };
  double least = INFINITY;
  gint64 n;
  const gint64 *areas = urb_dataset_get_split (dataset, URB_SPLIT_TRAIN, &n);
  for (gint64 i = 0; i < n; i++)
    {
      const UrbArea *area = urb_dataset_get_area (dataset, areas[i]);
      double distance = hypot (area->center_x - (extent.min_x + extent.max_x) / 2,
                               area->center_y - (extent.min_y + extent.max_y) / 2);
      if (distance < least)
        nearest = (UrbSquare) { area->center_x, area->center_y, area->angle_deg, 250 };
      least = MIN (least, distance);
    }
  return nearest;
}

/* It begins on an area that the generator learned from, and goes where one wants it. */
static void
test_move (Fixture *self, gconstpointer data)
{
  UrbMap *map;
  UrbSquare nearest;
  open_on_town (self);
  map = urbarium_ground_get_map (self->ground);
  nearest = find_nearest (map);
  assert_place (self, nearest.x, nearest.y, nearest.angle_deg);
  test_frames (GTK_WINDOW (self->place), 10);
  test_screenshot (GTK_WINDOW (self->place), "place");

  g_signal_emit_by_name (get_child (self, "canvas"), "clicked", 400.123456, 300.0, 0u);
  assert_place (self, 400.12, 300, nearest.angle_deg);
  gtk_spin_button_set_value (get_child (self, "rotation"), 0);
  gtk_spin_button_set_value (get_child (self, "east"), 500);
  gtk_spin_button_set_value (get_child (self, "north"), 600.5);
  assert_place (self, 500, 600.5, 0);
  g_assert_cmpstr (adw_action_row_get_subtitle (get_child (self, "corner_row")), ==, "375.00 / 475.50");
  gtk_widget_activate_action (GTK_WIDGET (self->place), "place.move", "(dd)", -1.0, 10.0);
  gtk_widget_activate_action (GTK_WIDGET (self->place), "place.turn", "d", -15.0);
  assert_place (self, 499, 610.5, 345);
  gtk_widget_activate_action (GTK_WIDGET (self->place), "place.turn", "d", 105.0);
  assert_place (self, 499, 610.5, 90);
  g_assert_cmpstr (adw_action_row_get_subtitle (get_child (self, "corner_row")), ==, "624.00 / 485.50");
}

static void
act (Fixture *self, const char *action)
{
  gtk_widget_activate_action (GTK_WIDGET (self->place), action, NULL);
}

/* Step by step, back to where it began; what was done to one number is one step. */
static void
test_undo (Fixture *self, gconstpointer data)
{
  UrbSquare nearest;
  double angle;
  open_on_town (self);
  nearest = find_nearest (urbarium_ground_get_map (self->ground));
  angle = nearest.angle_deg;
  act (self, "place.undo"); /* there is nothing to undo */
  assert_place (self, nearest.x, nearest.y, angle);
  g_signal_emit_by_name (get_child (self, "canvas"), "clicked", 400.0, 300.0, 0u);
  g_signal_emit_by_name (get_child (self, "canvas"), "clicked", 410.0, 300.0, 0u);
  g_signal_emit_by_name (get_child (self, "canvas"), "clicked", 410.0, 300.0, 0u); /* moves nothing */
  gtk_spin_button_set_value (get_child (self, "rotation"), 10);
  gtk_spin_button_set_value (get_child (self, "rotation"), 20);
  gtk_spin_button_set_value (get_child (self, "east"), 500);
  assert_place (self, 500, 300, 20);
  act (self, "place.undo");
  assert_place (self, 410, 300, 20);
  act (self, "place.undo");
  assert_place (self, 410, 300, angle);
  act (self, "place.undo");
  assert_place (self, 400, 300, angle);
  act (self, "place.undo");
  assert_place (self, nearest.x, nearest.y, angle);
  act (self, "place.undo");
  assert_place (self, nearest.x, nearest.y, angle);
  for (int i = 0; i < 4; i++)
    act (self, "place.redo");
  assert_place (self, 500, 300, 20);
  act (self, "place.redo");
  assert_place (self, 500, 300, 20);
  act (self, "place.undo");
  act (self, "place.undo");
  g_signal_emit_by_name (get_child (self, "canvas"), "clicked", 420.0, 300.0, 0u);
  act (self, "place.redo"); /* a new step: what was undone is gone */
  assert_place (self, 420, 300, angle);
}

/* Onto areas of the dataset, or those selected in the window. */
static void
test_snap (Fixture *self, gconstpointer data)
{
  UrbSquare nearest;
  open_on_town (self);
  nearest = find_nearest (urbarium_ground_get_map (self->ground));
  g_signal_emit_by_name (get_child (self, "canvas"), "clicked", nearest.x + 9, nearest.y - 7, 0u);
  gtk_spin_button_set_value (get_child (self, "rotation"), 77);
  gtk_widget_activate_action (GTK_WIDGET (self->place), "place.nearest", NULL);
  assert_place (self, nearest.x, nearest.y, nearest.angle_deg);

  adw_combo_row_set_selected (get_child (self, "areas_row"), 1);
  assert_place (self, nearest.x, nearest.y, nearest.angle_deg);
  gtk_switch_set_active (get_child (self, "snap"), TRUE);
  g_signal_emit_by_name (get_child (self, "canvas"), "clicked", 700.0, 700.0, 0u);
  assert_place (self, chosen.x, chosen.y, chosen.angle_deg);
  /* Exact numbers are what they are. */
  gtk_spin_button_set_value (get_child (self, "east"), 163.25);
  assert_place (self, 163.25, chosen.y, chosen.angle_deg);
}

static void
assert_areas (Fixture *self, const char *text)
{
  g_assert_cmpstr (adw_action_row_get_subtitle (get_child (self, "areas_row")), ==, text);
}

/* Selected areas that are not known yet are not none. */
static void
test_selected (Fixture *self, gconstpointer data)
{
  open_on_town (self);
  is_looking = TRUE;
  adw_combo_row_set_selected (get_child (self, "areas_row"), 1);
  assert_areas (self, "Looking for them…");
  g_assert_false (can_snap (self));
  is_looking = FALSE;
  has_none = TRUE;
  urbarium_ground_change_areas (self->ground);
  assert_areas (self, "None is selected on the page Areas");
  has_none = FALSE;
  urbarium_ground_change_areas (self->ground);
  assert_areas (self, "1 area");
  g_assert_true (can_snap (self));
}

static void
count_cb (int *n)
{
  (*n)++;
}

static gboolean
is_gone (gpointer pointer)
{
  return *(gpointer *) pointer == NULL;
}

/* Until nothing in the background needs it either. */
static void
close_entirely (UrbariumPlaceWindow *place)
{
  g_object_add_weak_pointer (G_OBJECT (place), (gpointer *) &place);
  gtk_window_close (GTK_WINDOW (place));
  test_until (is_gone, &place);
}

/* They are released once the last window that asked for them is closed. */
static void
test_release (Fixture *self, gconstpointer data)
{
  UrbariumPlaceWindow *first;
  int n = 0;
  g_signal_connect_swapped (self->ground, "areas-released", G_CALLBACK (count_cb), &n);
  open_on_town (self);
  close_entirely (self->place); /* it asked for none */
  self->place = urbarium_place_window_open (self->button, self->source, self->city, self->ground);
  adw_combo_row_set_selected (get_child (self, "areas_row"), 1);
  first = self->place;
  self->place = urbarium_place_window_open (self->button, self->source, self->city, self->ground);
  adw_combo_row_set_selected (get_child (self, "areas_row"), 1);
  adw_combo_row_set_selected (get_child (self, "areas_row"), 0);
  adw_combo_row_set_selected (get_child (self, "areas_row"), 1);
  close_entirely (first);
  g_assert_cmpint (n, ==, 0);
  close_entirely (self->place);
  g_assert_cmpint (n, ==, 1);
  self->place = urbarium_place_window_open (self->button, self->source, self->city, self->ground);
  g_signal_handlers_disconnect_by_data (self->ground, &n);
}

/* Presses at (@px, @py) of the canvas, and moves the pointer by that many pixels. */
static void
drag (Fixture *self, double px, double py, double dx, double dy)
{
  GtkGesture *gesture = test_controller (get_child (self, "canvas"), GTK_TYPE_GESTURE_DRAG); /* before the canvas's own */
  g_assert_cmpint (gtk_event_controller_get_propagation_phase (GTK_EVENT_CONTROLLER (gesture)), ==, GTK_PHASE_CAPTURE);
  g_signal_emit_by_name (gesture, "drag-begin", px, py);
  g_signal_emit_by_name (gesture, "drag-update", dx, dy);
  g_signal_emit_by_name (gesture, "drag-end", dx, dy);
}

/* The plan follows the pointer by its ground, turns by its handle, and stays where the map is dragged. */
static void
test_drag (Fixture *self, gconstpointer data)
{
  UrbariumView view;
  double px, py, half, size;
  open_on_town (self);
  gtk_spin_button_set_value (get_child (self, "east"), 500);
  gtk_spin_button_set_value (get_child (self, "north"), 600);
  gtk_spin_button_set_value (get_child (self, "rotation"), 0);
  test_frames (GTK_WINDOW (self->place), 5);
  urbarium_canvas_set_view (get_child (self, "canvas"), 500, 600, 1.5);
  view = urbarium_canvas_get_view (get_child (self, "canvas"));
  urbarium_view_from_map (&view, 500, 600, &px, &py);
  half = 125 / view.m_per_px;

  drag (self, px + 0.5 * half, py, 1, 1); /* below the threshold */
  drag (self, px + 1.2 * half, py, 100, 100); /* beside it */
  assert_place (self, 500, 600, 0);
  drag (self, px + 0.5 * half, py, 40, -20);
  assert_place (self, 500 + rint (40 * view.m_per_px * 100) / 100, 600 + rint (20 * view.m_per_px * 100) / 100, 0);
  drag (self, px, py, -40, 20);
  assert_place (self, 500, 600, 0);

  /* From above the plan to its left: a quarter counter-clockwise; then on by an eighth. */
  size = half + 28;
  drag (self, px, py - size, -size, size);
  assert_place (self, 500, 600, 90);
  drag (self, px - size, py, size - size * M_SQRT1_2, size * M_SQRT1_2);
  assert_place (self, 500, 600, 135);

  /* Onto an area, but turned freely. */
  adw_combo_row_set_selected (get_child (self, "areas_row"), 1);
  gtk_switch_set_active (get_child (self, "snap"), TRUE);
  drag (self, px, py, 30, 30);
  assert_place (self, chosen.x, chosen.y, chosen.angle_deg);
}

static void
move_east (Fixture *self, double dx)
{
  gtk_widget_activate_action (GTK_WIDGET (self->place), "place.move", "(dd)", dx, 0.0);
}

/* A change ends with its gesture, however fast the next one follows, and however long it takes. */
static void
test_gestures (Fixture *self, gconstpointer data)
{
  static const double where[] = { 0, 501, 503, 500 + 40, 500 + 80 };
  GtkWidget *east;
  UrbariumView view;
  double px, py;
  open_on_town (self);
  east = get_child (self, "east");
  gtk_spin_button_set_value (get_child (self, "rotation"), 0);
  gtk_spin_button_set_value (get_child (self, "north"), 600);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (east), 499);
  g_signal_emit_by_name (test_controller (east, GTK_TYPE_EVENT_CONTROLLER_FOCUS), "leave");
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (east), 500); /* set as it is left, or afterwards */
  g_signal_emit_by_name (test_controller (east, GTK_TYPE_EVENT_CONTROLLER_FOCUS), "enter");
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (east), 501);
  /* A key that is held, and pressed again. */
  move_east (self, 1);
  move_east (self, 1);
  g_signal_emit_by_name (test_controller (GTK_WIDGET (self->place), GTK_TYPE_EVENT_CONTROLLER_KEY), "key-released",
                         GDK_KEY_Right, 0, GDK_ALT_MASK);
  move_east (self, -3);
  assert_place (self, 500, 600, 0);
  test_frames (GTK_WINDOW (self->place), 5);
  urbarium_canvas_set_view (get_child (self, "canvas"), 500, 600, 1);
  view = urbarium_canvas_get_view (get_child (self, "canvas"));
  urbarium_view_from_map (&view, 500, 600, &px, &py);
  drag (self, px, py, 40 / view.m_per_px, 0);
  drag (self, px + 40 / view.m_per_px, py, 40 / view.m_per_px, 0);
  for (int i = 4; i > 2; i--)
    {
      assert_place (self, where[i], 600, 0);
      act (self, "place.undo");
    }
  assert_place (self, 500, 600, 0);
  for (int i = 2; i > 0; i--)
    {
      act (self, "place.undo");
      assert_place (self, where[i], 600, 0);
    }
  act (self, "place.undo");
  assert_place (self, 500, 600, 0);
  act (self, "place.undo");
  assert_place (self, 499, 600, 0);
}

/* A plan that is opened again begins where one was put last. */
static void
test_again (Fixture *self, gconstpointer data)
{
  open_on_town (self);
  gtk_spin_button_set_value (get_child (self, "east"), 321.5);
  gtk_spin_button_set_value (get_child (self, "rotation"), 12.5);
  gtk_window_close (GTK_WINDOW (self->place));
  self->place = urbarium_place_window_open (self->button, self->source, self->city, self->ground);
  test_until (can_snap, self);
  g_assert_cmpfloat (get_number (self, "east"), ==, 321.5);
  g_assert_cmpfloat (get_number (self, "rotation"), ==, 12.5);
}

/* Where nobody put it, the next does not begin: the window is closed before the areas are known. */
static void
test_too_soon (Fixture *self, gconstpointer data)
{
  UrbSquare nearest;
  open_town (self, NULL, town);
  self->place = urbarium_place_window_open (self->button, self->source, self->city, self->ground);
  g_assert_false (can_snap (self));
  g_assert_null (urbarium_ground_get_last (self->ground));
  gtk_window_close (GTK_WINDOW (self->place));
  open_on_town (self);
  nearest = find_nearest (urbarium_ground_get_map (self->ground));
  assert_place (self, nearest.x, nearest.y, nearest.angle_deg);
}

/* The plan stays where it is if only the classes of the map change. */
static void
test_reread (Fixture *self, gconstpointer data)
{
  const UrbMapOptions local = { .is_local = TRUE };
  UrbariumPlaceWindow *other;
  open_on_town (self);
  gtk_spin_button_set_value (get_child (self, "east"), 321.5);
  gtk_spin_button_set_value (get_child (self, "north"), 432.25);
  gtk_spin_button_set_value (get_child (self, "rotation"), 12.5);
  other = self->place;
  self->place = urbarium_place_window_open (self->button, self->source, self->city, self->ground);
  gtk_spin_button_set_value (get_child (self, "east"), 200);

  open_town (self, NULL, town);
  test_until (can_snap, self);
  assert_place (self, 200, 432.25, 12.5);
  gtk_window_close (GTK_WINDOW (self->place));
  self->place = other;
  test_until (can_snap, self);
  assert_place (self, 321.5, 432.25, 12.5);

  open_town (self, NULL, (const char *[]) { "other.gpkg", NULL });
  g_assert_null (urbarium_ground_get_last (self->ground));
  test_until (can_snap, self);
  g_assert_cmpfloat (get_number (self, "north"), !=, 432.25);
  gtk_spin_button_set_value (get_child (self, "north"), 432.25);
  open_town (self, &local, (const char *[]) { "other.gpkg", NULL });
  g_assert_null (urbarium_ground_get_last (self->ground));
}

static gboolean
has_other_model (gpointer self)
{
  const UrbariumCityModel *model = urbarium_city_source_get_model (((Fixture *) self)->source);
  return model != NULL && g_strcmp0 (model->dataset, cities_fixture_dataset ()) != 0;
}

/* The areas are those of the generator that drew the plan, whichever is chosen later. */
static void
test_other_generator (Fixture *self, gconstpointer data)
{
  g_autofree char *other = g_build_filename (cities_fixture_folder (), "other", NULL);
  g_autofree char *count = NULL;
  cities_fixture_engine ("curate %s/town.gpkg --out %s.gpkg --resolution 64 --soft --area-size-m 200",
                         cities_fixture_folder (), other);
  cities_fixture_engine ("train --dataset %s.gpkg --run %s --preset tiny --batch 4 --steps 1 --quiet", other, other);
  open_on_town (self);
  count = g_strdup (adw_action_row_get_subtitle (get_child (self, "areas_row")));
  urbarium_city_source_open (self->source, other);
  test_until (has_other_model, self);
  open_town (self, NULL, town);
  test_until (can_snap, self);
  assert_areas (self, count); /* the other's are more, because they are smaller */
}

static void
test_no_map (Fixture *self, gconstpointer data)
{
  self->place = urbarium_place_window_open (self->button, self->source, self->city, self->ground);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (get_child (self, "content")), ==, "empty");
  g_assert_false (gtk_widget_get_sensitive (get_child (self, "export_button")));
  test_frames (GTK_WINDOW (self->place), 5);
  test_screenshot (GTK_WINDOW (self->place), "place-no-map");
  open_town (self, NULL, town);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (get_child (self, "content")), ==, "map");
  g_assert_true (gtk_widget_get_sensitive (get_child (self, "export_button")));
  test_until (can_snap, self);
}

/* No images: they have no place. */
static void
test_formats (Fixture *self, gconstpointer data)
{
  GMenuModel *menu;
  open_on_town (self);
  menu = gtk_menu_button_get_menu_model (get_child (self, "export_button"));
  g_assert_cmpint (g_menu_model_get_n_items (menu), ==, 5);
}

int
main (int argc, char **argv)
{
  int failed;
  test_app_init (&argc, &argv);
  cities_fixture_set_up ();
  g_test_add ("/app/cities/place/move", Fixture, NULL, set_up, test_move, tear_down);
  g_test_add ("/app/cities/place/undo", Fixture, NULL, set_up, test_undo, tear_down);
  g_test_add ("/app/cities/place/snap", Fixture, NULL, set_up, test_snap, tear_down);
  g_test_add ("/app/cities/place/selected", Fixture, NULL, set_up, test_selected, tear_down);
  g_test_add ("/app/cities/place/release", Fixture, NULL, set_up, test_release, tear_down);
  g_test_add ("/app/cities/place/gestures", Fixture, NULL, set_up, test_gestures, tear_down);
  g_test_add ("/app/cities/place/drag", Fixture, NULL, set_up, test_drag, tear_down);
  g_test_add ("/app/cities/place/again", Fixture, NULL, set_up, test_again, tear_down);
  g_test_add ("/app/cities/place/too-soon", Fixture, NULL, set_up, test_too_soon, tear_down);
  g_test_add ("/app/cities/place/reread", Fixture, NULL, set_up, test_reread, tear_down);
  g_test_add ("/app/cities/place/other-generator", Fixture, NULL, set_up, test_other_generator, tear_down);
  g_test_add ("/app/cities/place/no-map", Fixture, NULL, set_up, test_no_map, tear_down);
  g_test_add ("/app/cities/place/formats", Fixture, NULL, set_up, test_formats, tear_down);
  failed = g_test_run ();
  cities_fixture_tear_down ();
  return failed;
}
