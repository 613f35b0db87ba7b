/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All ways to put the plan somewhere end in place(), which shows it as it is exported: on the canvas and in numbers.
 */
#include "app/cities/place-window.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/engine-texts.h"
#include "app/base/format.h"
#include "app/base/job-bar.h"
#include "app/base/ui-path.h"
#include "app/cities/city-export.h"
#include "app/cities/learned-areas.h"
#include "app/cities/place-history.h"
#include "app/cities/place-overlay.h"

/* Of the picture of the plan, for each area along its longer side. */
enum { PICTURE_PX = 1024, MAX_PICTURE_PX = 4096 };

/* Rows of the choice of areas. */
typedef enum { LEARNED, SELECTED, N_KINDS } Kind;

struct _UrbariumPlaceWindow
{
  AdwWindow             parent_instance;
  UrbariumCitySource   *source;  /* owned */
  UrbariumCity         *city;    /* owned */
  UrbariumTile         *tile;    /* owned; of the city */
  const char           *checkpoint; /* interned; that drew it */
  char                 *dataset, *dataset_id; /* (nullable) owned; of that checkpoint */
  UrbariumGround       *ground;  /* owned */
  UrbariumPlaceOverlay *overlay; /* owned */
  UrbariumPlacement     placement;
  UrbariumPlaceHistory *history; /* owned */
  gboolean              is_settled;    /* by the user or on an area: it stays where it is on this map */
  gboolean              updating;      /* the numbers are being set by the program */
  gboolean              will_show;     /* the plan, once the canvas has a size */
  gboolean              holds;         /* the selected areas */
  GArray               *areas[N_KINDS]; /* (nullable) owned; of UrbSquare; NULL: not known yet */
  char                 *learned_why;   /* (nullable) owned; why there are no areas it learned from */
  GCancellable         *loading;       /* (nullable) owned */

  AdwWindowTitle       *title;
  GtkStack             *content;
  AdwFlap              *flap;
  UrbariumCanvas       *canvas;
  AdwPreferencesGroup  *position;
  GtkSpinButton        *east, *north, *rotation;
  AdwActionRow         *corner_row;
  AdwComboRow          *areas_row;
  AdwActionRow         *snap_row;
  GtkSwitch            *snap;
  GtkMenuButton        *export_button;
  UrbariumJobBar       *job_bar;
};

G_DEFINE_FINAL_TYPE (UrbariumPlaceWindow, urbarium_place_window, ADW_TYPE_WINDOW)

/* What needs a map. */
static const char *const map_actions[] = { "place.export", "place.move", "place.show-map", "place.show-plan",
                                           "place.turn" };

static GArray *
get_areas (UrbariumPlaceWindow *self)
{
  return self->areas[MIN (adw_combo_row_get_selected (self->areas_row), N_KINDS - 1)];
}

static gboolean
snaps (UrbariumPlaceWindow *self)
{
  return gtk_switch_get_active (self->snap) && get_areas (self) != NULL && get_areas (self)->len > 0;
}

static void
show_placement (UrbariumPlaceWindow *self)
{
  UrbMap *map = urbarium_ground_get_map (self->ground);
  UrbPlace place = urbarium_placement_get_place (&self->placement, map);
  g_autofree char *x = urbarium_format_number (place.x, 2);
  g_autofree char *y = urbarium_format_number (place.y, 2);
  g_autofree char *corner = g_strdup_printf ("%s / %s", x, y);
  self->updating = TRUE;
  gtk_spin_button_set_value (self->east, self->placement.x);
  gtk_spin_button_set_value (self->north, self->placement.y);
  gtk_spin_button_set_value (self->rotation, self->placement.angle_deg);
  self->updating = FALSE;
  adw_action_row_set_subtitle (self->corner_row, corner);
  urbarium_place_overlay_set_placement (self->overlay, &self->placement);
}

static void
settle (UrbariumPlaceWindow *self)
{
  self->is_settled = TRUE;
  urbarium_ground_set_last (self->ground, &self->placement);
  show_placement (self);
}

static void
update_history (UrbariumPlaceWindow *self)
{
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "place.undo", urbarium_place_history_can_undo (self->history));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "place.redo", urbarium_place_history_can_redo (self->history));
}

static void
go_to (UrbariumPlaceWindow *self, const UrbariumPlacement *placement)
{
  self->placement = *placement;
  update_history (self);
  settle (self);
}

/* @snap: whether it may go to an area instead, if the user wants that */
static void
place (UrbariumPlaceWindow *self, const UrbariumPlacement *placement, gboolean snap, UrbariumPlacedBy by)
{
  UrbariumPlacement after = *placement;
  if (snap && snaps (self))
    urbarium_placement_snap (&after, urbarium_placement_find_nearest (&after, get_areas (self)));
  urbarium_place_history_add (self->history, &self->placement, &after, by);
  go_to (self, &after);
}

static void
undo_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  UrbariumPlaceWindow *self = URBARIUM_PLACE_WINDOW (widget);
  go_to (self, urbarium_place_history_undo (self->history));
}

static void
redo_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  UrbariumPlaceWindow *self = URBARIUM_PLACE_WINDOW (widget);
  go_to (self, urbarium_place_history_redo (self->history));
}

static void
show_plan (UrbariumPlaceWindow *self)
{
  double margin = MAX (self->placement.width_m, self->placement.height_m);
  self->will_show = urbarium_canvas_get_view (self->canvas).width == 0;
  if (!self->will_show)
    urbarium_canvas_show_box (self->canvas, urb_box_widen (urbarium_placement_get_box (&self->placement), margin));
}

static void
view_cb (UrbariumPlaceWindow *self)
{
  if (self->will_show)
    show_plan (self);
}

/* ------------------------------------------------------------------------ */
/* Areas to put the plan on                                                  */

static void
update_areas (UrbariumPlaceWindow *self)
{
  GArray *areas = get_areas (self);
  guint n = areas != NULL ? areas->len : 0;
  gboolean learned = adw_combo_row_get_selected (self->areas_row) == LEARNED;
  g_autofree char *count = urbarium_format_count (n);
  g_autofree char *text = NULL;
  if (n > 0)
    /* translators: %s is a number of areas */
    text = g_strdup_printf (ngettext ("%s area", "%s areas", n), count);
  else if (learned && self->learned_why != NULL)
    text = g_strdup (self->learned_why);
  else
    text = g_strdup (areas == NULL ? _ ("Looking for them…") : _ ("None is selected on the page Areas"));
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->areas_row), text);
  gtk_widget_set_sensitive (GTK_WIDGET (self->snap_row), n > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "place.nearest", n > 0);
  urbarium_place_overlay_set_areas (self->overlay, snaps (self) ? areas : NULL);
}

/* The selected areas are found only if they are asked for: that may take a search. */
static void
areas_cb (UrbariumPlaceWindow *self)
{
  if (adw_combo_row_get_selected (self->areas_row) == SELECTED)
    {
      GArray *areas;
      if (!self->holds)
        urbarium_ground_hold_areas (self->ground);
      self->holds = TRUE;
      areas = urbarium_ground_find_areas (self->ground); /* the search may call this */
      g_clear_pointer (&self->areas[SELECTED], g_array_unref);
      self->areas[SELECTED] = areas;
    }
  update_areas (self);
}

static void
nearest_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  UrbariumPlaceWindow *self = URBARIUM_PLACE_WINDOW (widget);
  UrbariumPlacement placement = self->placement;
  urbarium_placement_snap (&placement, urbarium_placement_find_nearest (&placement, get_areas (self)));
  place (self, &placement, FALSE, URBARIUM_PLACED_AT_ONCE);
  show_plan (self);
}

static void
learned_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) areas = urbarium_learned_areas_load_finish (result, &error);
  UrbariumPlaceWindow *self = data;
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* for another map, or the window is gone */
  g_clear_pointer (&self->areas[LEARNED], g_array_unref);
  g_free (self->learned_why);
  urbarium_engine_texts_translate_error (error);
  self->learned_why = error != NULL ? g_strdup (error->message) : NULL;
  if (areas != NULL)
    self->areas[LEARNED] = g_array_ref (areas);
  update_areas (self);
  if (areas == NULL || self->is_settled)
    return;
  urbarium_placement_snap (&self->placement, urbarium_placement_find_nearest (&self->placement, areas));
  settle (self);
  show_plan (self);
}

/* ------------------------------------------------------------------------ */
/* By pointer, numbers, keys                                                 */

static void
clicked_cb (UrbariumPlaceWindow *self, double x, double y)
{
  UrbariumPlacement placement = self->placement;
  urbarium_placement_move (&placement, x, y);
  place (self, &placement, TRUE, URBARIUM_PLACED_AT_ONCE);
}

/* A key was let go, a number is no longer edited, a drag has ended. */
static void
end_gesture_cb (UrbariumPlaceWindow *self)
{
  if (self->history != NULL) /* NULL: the window is being closed */
    urbarium_place_history_end_gesture (self->history);
}

static void
dragged_cb (const UrbariumPlacement *dragged, gboolean is_moved, gpointer data)
{
  if (dragged != NULL)
    place (data, dragged, is_moved, URBARIUM_PLACED_BY_DRAG);
  else
    end_gesture_cb (data);
}

static void
number_cb (UrbariumPlaceWindow *self, GtkSpinButton *number)
{
  UrbariumPlacedBy by = number == self->east    ? URBARIUM_PLACED_BY_EAST
                        : number == self->north ? URBARIUM_PLACED_BY_NORTH
                                                : URBARIUM_PLACED_BY_ROTATION;
  UrbariumPlacement placement = self->placement;
  if (self->updating)
    return;
  urbarium_placement_move (&placement, gtk_spin_button_get_value (self->east),
                           gtk_spin_button_get_value (self->north));
  urbarium_placement_turn (&placement, gtk_spin_button_get_value (self->rotation));
  place (self, &placement, FALSE, by);
}

static void
move_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  UrbariumPlaceWindow *self = URBARIUM_PLACE_WINDOW (widget);
  UrbariumPlacement placement = self->placement;
  double dx, dy;
  g_variant_get (parameter, "(dd)", &dx, &dy);
  urbarium_placement_move (&placement, placement.x + dx, placement.y + dy);
  place (self, &placement, FALSE, URBARIUM_PLACED_BY_KEY);
}

static void
turn_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  UrbariumPlaceWindow *self = URBARIUM_PLACE_WINDOW (widget);
  UrbariumPlacement placement = self->placement;
  urbarium_placement_turn (&placement, placement.angle_deg + g_variant_get_double (parameter));
  place (self, &placement, FALSE, URBARIUM_PLACED_BY_KEY);
}

static void
show_plan_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  show_plan (URBARIUM_PLACE_WINDOW (widget));
}

static void
show_map_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  urbarium_canvas_fit (URBARIUM_PLACE_WINDOW (widget)->canvas);
}

/* In the window with the page Map: this one may be above a district's. */
static void
open_map_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  GtkWindow *window = GTK_WINDOW (widget);
  while (gtk_window_get_transient_for (window) != NULL)
    window = gtk_window_get_transient_for (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.open", NULL);
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  UrbariumPlaceWindow *self = URBARIUM_PLACE_WINDOW (widget);
  g_autoptr(GPtrArray) cities = g_ptr_array_new_with_free_func (g_object_unref);
  UrbariumCity *city = urbarium_city_copy (self->city);
  UrbPlace here = urbarium_placement_get_place (&self->placement, urbarium_ground_get_map (self->ground));
  urbarium_city_set_place (city, &here);
  urbarium_city_set_tile (city, self->tile);
  urbarium_city_set_checkpoint (city, self->checkpoint);
  g_ptr_array_add (cities, city);
  urbarium_city_export_ask (widget, self->source, cities, g_variant_get_string (parameter, NULL), self->job_bar);
}

/* ------------------------------------------------------------------------ */
/* The map                                                                   */

/* In the middle of the map until the areas are known, if no plan was put on it yet. */
static void
begin_placement (UrbariumPlaceWindow *self, UrbMap *map)
{
  const UrbariumPlacement *last = urbarium_ground_get_last (self->ground);
  UrbBox extent = urb_map_get_extent (map);
  urbarium_placement_move (&self->placement, last != NULL ? last->x : (extent.min_x + extent.max_x) / 2,
                           last != NULL ? last->y : (extent.min_y + extent.max_y) / 2);
  urbarium_placement_turn (&self->placement, last != NULL ? last->angle_deg : 0);
  self->is_settled = last != NULL;
}

static void
start_on_map (UrbariumPlaceWindow *self, UrbMap *map)
{
  gboolean stays = self->is_settled && urbarium_ground_get_last (self->ground) != NULL; /* the map was read anew */
  g_autofree char *system = g_markup_escape_text (_ (urb_map_get_crs_name (map)), -1);
  if (!stays)
    {
      begin_placement (self, map);
      urbarium_place_history_clear (self->history);
      update_history (self);
    }
  adw_preferences_group_set_description (self->position, system);
  urbarium_canvas_set_map (self->canvas, map);
  show_placement (self);
  if (self->is_settled && !stays)
    show_plan (self);
  self->loading = g_cancellable_new ();
  urbarium_learned_areas_load_async (self->dataset, self->dataset_id, map, self->loading, learned_cb, self);
}

static void
map_cb (UrbariumPlaceWindow *self)
{
  UrbMap *map = urbarium_ground_get_map (self->ground);
  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  for (int k = 0; k < N_KINDS; k++)
    g_clear_pointer (&self->areas[k], g_array_unref);
  g_clear_pointer (&self->learned_why, g_free);
  gtk_stack_set_visible_child_name (self->content, map != NULL ? "map" : "empty");
  gtk_widget_set_sensitive (GTK_WIDGET (self->export_button), map != NULL);
  for (guint i = 0; i < G_N_ELEMENTS (map_actions); i++)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), map_actions[i], map != NULL);
  if (map != NULL)
    start_on_map (self, map);
  else
    urbarium_canvas_set_map (self->canvas, NULL);
  areas_cb (self);
}

static void
painted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  UrbariumPlaceWindow *self = URBARIUM_PLACE_WINDOW (source);
  g_autoptr(GdkTexture) picture = g_task_propagate_pointer (G_TASK (result), NULL);
  if (self->overlay != NULL)
    urbarium_place_overlay_set_picture (self->overlay, picture);
}

static void
take_city (UrbariumPlaceWindow *self, UrbariumCity *city)
{
  g_autofree char *name = urbarium_city_dup_title (city);
  g_autofree char *width = NULL, *height = NULL, *text = NULL;
  const UrbariumCityModel *model = urbarium_city_source_get_last_model (self->source);
  UrbariumTilePart part;
  int n_areas = MAX (urbarium_city_get_n_cols (city), urbarium_city_get_n_rows (city));
  self->city = g_object_ref (city);
  self->tile = urbarium_tile_ref (urbarium_city_get_tile (city));
  self->checkpoint = urbarium_city_get_checkpoint (city);
  self->dataset = g_strdup (model->dataset); /* another generator may be chosen later */
  self->dataset_id = g_strdup (model->dataset_id);
  self->placement.width_m = urbarium_tile_get_width_m (self->tile);
  self->placement.height_m = urbarium_tile_get_height_m (self->tile);
  self->placement.n_cols = urbarium_city_get_n_cols (city);
  self->placement.n_rows = urbarium_city_get_n_rows (city);
  width = urbarium_format_number (self->placement.width_m, 0);
  height = urbarium_format_number (self->placement.height_m, 0);
  /* translators: name of a plan, its width and height: City 3, 250 m × 250 m */
  text = g_strdup_printf (_ ("%s, %s m × %s m"), name, width, height);
  adw_window_title_set_subtitle (self->title, text);
  urbarium_tile_part_init (&part, self->tile, TRUE, MIN (PICTURE_PX * n_areas, MAX_PICTURE_PX));
  urbarium_tile_paint_async (self->tile, &part, 0, self, painted_cb);
}

UrbariumPlaceWindow *
urbarium_place_window_open (GtkWidget *where, UrbariumCitySource *source, UrbariumCity *city, UrbariumGround *ground)
{
  UrbariumPlaceWindow *self;
  g_return_val_if_fail (urbarium_city_get_tile (city) != NULL, NULL);
  self = g_object_new (URBARIUM_TYPE_PLACE_WINDOW, "transient-for", gtk_widget_get_root (where), NULL);
  self->source = g_object_ref (source);
  self->ground = g_object_ref (ground);
  take_city (self, city);
  g_signal_connect_object (ground, "map-changed", G_CALLBACK (map_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (ground, "areas-changed", G_CALLBACK (areas_cb), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (self));
  map_cb (self);
  return self;
}

static void
dispose (GObject *object)
{
  UrbariumPlaceWindow *self = URBARIUM_PLACE_WINDOW (object);
  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  g_clear_pointer (&self->overlay, urbarium_place_overlay_free);
  g_clear_pointer (&self->history, urbarium_place_history_free);
  g_clear_object (&self->source);
  g_clear_object (&self->city);
  if (self->holds)
    urbarium_ground_release_areas (self->ground);
  self->holds = FALSE;
  g_clear_object (&self->ground);
  g_clear_pointer (&self->tile, urbarium_tile_unref);
  for (int k = 0; k < N_KINDS; k++)
    g_clear_pointer (&self->areas[k], g_array_unref);
  g_clear_pointer (&self->learned_why, g_free);
  g_clear_pointer (&self->dataset, g_free);
  g_clear_pointer (&self->dataset_id, g_free);
  G_OBJECT_CLASS (urbarium_place_window_parent_class)->dispose (object);
}

static void
bind_arrow (GtkWidgetClass *widget_class, guint key, double dx, double dy)
{
  gtk_widget_class_add_binding_action (widget_class, key, GDK_ALT_MASK, "place.move", "(dd)", dx, dy);
  gtk_widget_class_add_binding_action (widget_class, key, GDK_ALT_MASK | GDK_SHIFT_MASK, "place.move", "(dd)",
                                       10 * dx, 10 * dy);
}

static void
bind_keys (GtkWidgetClass *widget_class)
{
  bind_arrow (widget_class, GDK_KEY_Left, -1, 0);
  bind_arrow (widget_class, GDK_KEY_Right, 1, 0);
  bind_arrow (widget_class, GDK_KEY_Up, 0, 1);
  bind_arrow (widget_class, GDK_KEY_Down, 0, -1);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Page_Up, 0, "place.turn", "d", 1.0);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Page_Down, 0, "place.turn", "d", -1.0);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Page_Up, GDK_SHIFT_MASK, "place.turn", "d", 15.0);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Page_Down, GDK_SHIFT_MASK, "place.turn", "d", -15.0);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_z, GDK_CONTROL_MASK, "place.undo", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_z, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "place.redo", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, UrbariumPlaceWindow, title);
  gtk_widget_class_bind_template_child (widget_class, UrbariumPlaceWindow, content);
  gtk_widget_class_bind_template_child (widget_class, UrbariumPlaceWindow, flap);
  gtk_widget_class_bind_template_child (widget_class, UrbariumPlaceWindow, canvas);
  gtk_widget_class_bind_template_child (widget_class, UrbariumPlaceWindow, position);
  gtk_widget_class_bind_template_child (widget_class, UrbariumPlaceWindow, east);
  gtk_widget_class_bind_template_child (widget_class, UrbariumPlaceWindow, north);
  gtk_widget_class_bind_template_child (widget_class, UrbariumPlaceWindow, rotation);
  gtk_widget_class_bind_template_child (widget_class, UrbariumPlaceWindow, corner_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumPlaceWindow, areas_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumPlaceWindow, snap_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumPlaceWindow, snap);
  gtk_widget_class_bind_template_child (widget_class, UrbariumPlaceWindow, export_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumPlaceWindow, job_bar);
}

static void
urbarium_place_window_class_init (UrbariumPlaceWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  g_type_ensure (URBARIUM_TYPE_CANVAS);
  g_type_ensure (URBARIUM_TYPE_JOB_BAR);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "place-window.ui");
  bind_children (widget_class);
  gtk_widget_class_bind_template_callback (widget_class, areas_cb);
  gtk_widget_class_bind_template_callback (widget_class, clicked_cb);
  gtk_widget_class_bind_template_callback (widget_class, number_cb);
  gtk_widget_class_bind_template_callback (widget_class, update_areas);
  gtk_widget_class_bind_template_callback (widget_class, view_cb);
  gtk_widget_class_install_action (widget_class, "place.export", "s", export_action);
  gtk_widget_class_install_action (widget_class, "place.move", "(dd)", move_action);
  gtk_widget_class_install_action (widget_class, "place.nearest", NULL, nearest_action);
  gtk_widget_class_install_action (widget_class, "place.open-map", NULL, open_map_action);
  gtk_widget_class_install_action (widget_class, "place.show-map", NULL, show_map_action);
  gtk_widget_class_install_action (widget_class, "place.show-plan", NULL, show_plan_action);
  gtk_widget_class_install_action (widget_class, "place.redo", NULL, redo_action);
  gtk_widget_class_install_action (widget_class, "place.turn", "d", turn_action);
  gtk_widget_class_install_action (widget_class, "place.undo", NULL, undo_action);
  bind_keys (widget_class);
}

static void
watch_gestures (UrbariumPlaceWindow *self)
{
  GtkWidget *const numbers[] = { GTK_WIDGET (self->east), GTK_WIDGET (self->north), GTK_WIDGET (self->rotation) };
  GtkEventController *keys = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (keys, "key-released", G_CALLBACK (end_gesture_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      GtkEventController *focus = gtk_event_controller_focus_new ();
      g_signal_connect_swapped (focus, "enter", G_CALLBACK (end_gesture_cb), self); /* a typed number may be set when it is left */
      g_signal_connect_swapped (focus, "leave", G_CALLBACK (end_gesture_cb), self);
      gtk_widget_add_controller (numbers[i], focus);
    }
}

static void
urbarium_place_window_init (UrbariumPlaceWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->history = urbarium_place_history_new ();
  watch_gestures (self);
  update_history (self);
  self->overlay = urbarium_place_overlay_new (self->canvas, dragged_cb, self);
  urbarium_city_export_set_menu (self->export_button, "place.export", URBARIUM_EXPORT_VECTORS);
}
