/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/place-overlay.h"

#include <adwaita.h>
#include <math.h>

#include "app/canvas/palette.h"

#define LINE_PX 2.0f
#define CASING_PX 1.5f
#define HANDLE_PX 7.0f    /* radius */
#define HANDLE_FAR_PX 28  /* from the upper edge */
#define GRIP_PX 14.0      /* a press within this distance takes the handle */
#define DRAGGED_OPACITY 0.6 /* the ground shows where the plan will be */

/* So many frames take less than a millisecond; more would only be a texture. */
enum { MAX_FRAMES = 400 };

typedef enum { DRAG_NONE, DRAG_MOVE, DRAG_TURN } Drag;

struct _UrbariumPlaceOverlay
{
  UrbariumCanvas          *canvas; /* borrowed */
  UrbariumPlaceOverlayFunc func;
  gpointer                 user_data;
  guint                    id;      /* of the canvas's overlay */
  GtkGesture              *gesture; /* owned by the canvas */
  GtkEventController      *motion;  /* owned by the canvas */
  GdkTexture              *picture; /* (nullable) owned */
  GArray                  *areas;   /* (nullable) owned; of UrbSquare */
  gboolean                 shown;
  UrbariumPlacement        placement, start; /* start: of the drag */
  Drag                     drag;
  gboolean                 dragging; /* beyond the threshold of a click */
  double                   press_x, press_y; /* pixels */
};

/* -------- Drawing -------- */

static GdkRGBA
get_accent (UrbariumPlaceOverlay *self)
{
  GdkRGBA accent = { 0.11f, 0.44f, 0.85f, 1 };
  gtk_style_context_lookup_color (gtk_widget_get_style_context (GTK_WIDGET (self->canvas)), "accent_bg_color", &accent);
  return accent;
}

static void
append_border (GtkSnapshot *snapshot, GskRoundedRect outline, float outset, float width, GdkRGBA color)
{
  gsk_rounded_rect_shrink (&outline, -outset, -outset, -outset, -outset);
  gtk_snapshot_append_border (snapshot, &outline, (float[]) { width, width, width, width },
                              (GdkRGBA[]) { color, color, color, color });
}

/* A colored line between light ones is visible on any map. */
static void
append_line (GtkSnapshot *snapshot, const graphene_rect_t *rect, float radius, GdkRGBA color)
{
  const GdkRGBA casing = { 1, 1, 1, 0.9f };
  GskRoundedRect outline;
  gsk_rounded_rect_init_from_rect (&outline, rect, radius);
  append_border (snapshot, outline, LINE_PX + CASING_PX, LINE_PX + 2 * CASING_PX, casing);
  append_border (snapshot, outline, LINE_PX, LINE_PX, color);
}

static void
begin_turned (GtkSnapshot *snapshot, const UrbariumView *view, double x, double y, double angle_deg)
{
  double px, py;
  urbarium_view_from_map (view, x, y, &px, &py);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) px, (float) py));
  gtk_snapshot_rotate (snapshot, (float) -angle_deg);
}

static void
draw_areas (UrbariumPlaceOverlay *self, GtkSnapshot *snapshot, const UrbariumView *view)
{
  GdkRGBA line = urbarium_color_to_rgba (urb_split_get_color (URB_SPLIT_TRAIN), 1);
  UrbBox seen = urbarium_view_get_box (view);
  guint n_seen = 0;
  for (int pass = 0; pass < 2; pass++)
    for (guint i = 0; i < self->areas->len && n_seen <= MAX_FRAMES; i++)
      {
        const UrbSquare *area = &g_array_index (self->areas, UrbSquare, i);
        float edge = (float) (area->size_m / view->m_per_px);
        GskRoundedRect outline;
        if (!urb_square_meets_box (area, &seen))
          continue;
        if (pass == 0)
          {
            n_seen++;
            continue;
          }
        gsk_rounded_rect_init_from_rect (&outline, &GRAPHENE_RECT_INIT (-edge / 2, -edge / 2, edge, edge), 0);
        begin_turned (snapshot, view, area->x, area->y, area->angle_deg);
        append_border (snapshot, outline, 0, 1, line);
        gtk_snapshot_restore (snapshot);
      }
}

static void
draw (GtkSnapshot *snapshot, const UrbariumView *view, gpointer data)
{
  UrbariumPlaceOverlay *self = data;
  const UrbariumPlacement *p = &self->placement;
  float width = (float) (p->width_m / view->m_per_px), height = (float) (p->height_m / view->m_per_px);
  graphene_rect_t plan = GRAPHENE_RECT_INIT (-width / 2, -height / 2, width, height);
  graphene_rect_t handle = GRAPHENE_RECT_INIT (-HANDLE_PX, -height / 2 - HANDLE_FAR_PX - HANDLE_PX, 2 * HANDLE_PX,
                                               2 * HANDLE_PX);
  GdkRGBA accent = get_accent (self);
  GskRoundedRect knob;
  if (self->areas != NULL)
    draw_areas (self, snapshot, view);
  if (!self->shown)
    return;
  begin_turned (snapshot, view, p->x, p->y, p->angle_deg);
  if (self->picture != NULL)
    {
      gtk_snapshot_push_opacity (snapshot, self->dragging ? DRAGGED_OPACITY : 1);
      gtk_snapshot_append_texture (snapshot, self->picture, &plan);
      gtk_snapshot_pop (snapshot);
    }
  append_line (snapshot, &plan, 0, accent);
  append_line (snapshot, &GRAPHENE_RECT_INIT (0, -height / 2 - HANDLE_FAR_PX, 0, HANDLE_FAR_PX - LINE_PX - CASING_PX), 0,
               accent);
  gsk_rounded_rect_init_from_rect (&knob, &handle, HANDLE_PX);
  gtk_snapshot_push_rounded_clip (snapshot, &knob);
  gtk_snapshot_append_color (snapshot, &accent, &handle);
  gtk_snapshot_pop (snapshot);
  append_border (snapshot, knob, CASING_PX, CASING_PX, (GdkRGBA) { 1, 1, 1, 1 });
  gtk_snapshot_restore (snapshot);
}

/* -------- Dragging -------- */

static Drag
find_drag (UrbariumPlaceOverlay *self, double px, double py)
{
  UrbariumView view = urbarium_canvas_get_view (self->canvas);
  const UrbariumPlacement *p = &self->placement;
  double angle = p->angle_deg * G_PI / 180, far = p->height_m / 2 / view.m_per_px + HANDLE_FAR_PX;
  double x, y, center_x, center_y;
  if (!self->shown)
    return DRAG_NONE;
  urbarium_view_from_map (&view, p->x, p->y, &center_x, &center_y);
  if (hypot (px - (center_x - far * sin (angle)), py - (center_y - far * cos (angle))) <= GRIP_PX)
    return DRAG_TURN;
  urbarium_view_to_map (&view, px, py, &x, &y);
  return urbarium_placement_contains (p, x, y) ? DRAG_MOVE : DRAG_NONE;
}

static void
drag_begin_cb (UrbariumPlaceOverlay *self, double px, double py)
{
  self->drag = find_drag (self, px, py);
  self->dragging = FALSE;
  self->start = self->placement;
  self->press_x = px;
  self->press_y = py;
  if (self->drag == DRAG_NONE)
    gtk_gesture_set_state (self->gesture, GTK_EVENT_SEQUENCE_DENIED); /* the map moves */
}

/* From the plan's center to the pointer, counter-clockwise from north. */
static double
get_bearing_deg (UrbariumPlaceOverlay *self, double px, double py)
{
  UrbariumView view = urbarium_canvas_get_view (self->canvas);
  double center_x, center_y;
  urbarium_view_from_map (&view, self->start.x, self->start.y, &center_x, &center_y);
  return atan2 (center_x - px, center_y - py) * 180 / G_PI;
}

static void
drag_to (UrbariumPlaceOverlay *self, double dx, double dy)
{
  UrbariumView view = urbarium_canvas_get_view (self->canvas);
  UrbariumPlacement dragged = self->start;
  if (self->drag == DRAG_MOVE)
    urbarium_placement_move (&dragged, self->start.x + dx * view.m_per_px, self->start.y - dy * view.m_per_px);
  else
    /* Whole degrees; finer ones are typed. */
    urbarium_placement_turn (&dragged, rint (self->start.angle_deg
                                             + get_bearing_deg (self, self->press_x + dx, self->press_y + dy)
                                             - get_bearing_deg (self, self->press_x, self->press_y)));
  self->func (&dragged, self->drag == DRAG_MOVE, self->user_data);
}

static void
drag_update_cb (UrbariumPlaceOverlay *self, double dx, double dy)
{
  if (self->drag == DRAG_NONE)
    return;
  if (!self->dragging)
    {
      if (!gtk_drag_check_threshold (GTK_WIDGET (self->canvas), (int) self->press_x, (int) self->press_y,
                                     (int) (self->press_x + dx), (int) (self->press_y + dy)))
        return;
      self->dragging = TRUE;
      gtk_gesture_set_state (self->gesture, GTK_EVENT_SEQUENCE_CLAIMED);
      gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
    }
  drag_to (self, dx, dy);
}

static void
drag_end_cb (UrbariumPlaceOverlay *self)
{
  if (self->dragging)
    self->func (NULL, self->drag == DRAG_MOVE, self->user_data);
  self->dragging = FALSE;
  self->drag = DRAG_NONE;
  urbarium_canvas_queue_overlays (self->canvas);
}

static void
motion_cb (UrbariumPlaceOverlay *self, double px, double py)
{
  static const char *const cursors[] = { [DRAG_NONE] = NULL, [DRAG_MOVE] = "move", [DRAG_TURN] = "grab" };
  if (!gtk_gesture_is_active (self->gesture))
    gtk_widget_set_cursor_from_name (GTK_WIDGET (self->canvas), cursors[find_drag (self, px, py)]);
}

/* -------- -------- */

UrbariumPlaceOverlay *
urbarium_place_overlay_new (UrbariumCanvas *canvas, UrbariumPlaceOverlayFunc func, gpointer user_data)
{
  UrbariumPlaceOverlay *self = g_new0 (UrbariumPlaceOverlay, 1);
  self->canvas = canvas;
  self->func = func;
  self->user_data = user_data;
  self->id = urbarium_canvas_add_overlay (canvas, draw, self);
  self->gesture = gtk_gesture_drag_new ();
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (self->gesture), GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (self->gesture, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (self->gesture, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect_swapped (self->gesture, "drag-end", G_CALLBACK (drag_end_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (canvas), GTK_EVENT_CONTROLLER (self->gesture));
  self->motion = gtk_event_controller_motion_new ();
  g_signal_connect_swapped (self->motion, "motion", G_CALLBACK (motion_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (canvas), self->motion);
  return self;
}

void
urbarium_place_overlay_free (UrbariumPlaceOverlay *self)
{
  GtkWidget *canvas = GTK_WIDGET (self->canvas);
  gtk_widget_remove_controller (canvas, self->motion);
  gtk_widget_remove_controller (canvas, GTK_EVENT_CONTROLLER (self->gesture));
  urbarium_canvas_remove_overlay (self->canvas, self->id);
  g_clear_object (&self->picture);
  g_clear_pointer (&self->areas, g_array_unref);
  g_free (self);
}

void
urbarium_place_overlay_set_picture (UrbariumPlaceOverlay *self, GdkTexture *picture)
{
  g_set_object (&self->picture, picture);
  urbarium_canvas_queue_overlays (self->canvas);
}

void
urbarium_place_overlay_set_placement (UrbariumPlaceOverlay *self, const UrbariumPlacement *placement)
{
  self->shown = placement != NULL;
  if (placement != NULL)
    self->placement = *placement;
  urbarium_canvas_queue_overlays (self->canvas);
}

void
urbarium_place_overlay_set_areas (UrbariumPlaceOverlay *self, GArray *areas)
{
  g_clear_pointer (&self->areas, g_array_unref);
  self->areas = areas != NULL ? g_array_ref (areas) : NULL;
  urbarium_canvas_queue_overlays (self->canvas);
}
