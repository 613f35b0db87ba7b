/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grid-image.c - drawn with Cairo, since GTK 4.8 always interpolates enlarged textures.  The render
 * node caches the drawing.
 */
#include "app/train/grid-image.h"

#include <math.h>
#include <string.h>

#include "dataset/sample-grid.h"

#define ZOOM_STEP 1.25
#define MAX_ZOOM 16.0

struct _UrbariumGridImage
{
  GtkWidget           parent_instance;
  cairo_surface_t    *surface; /* (nullable) owned */
  UrbSampleGridLayout layout;  /* no columns: not a grid */
  int                 tile;    /* enlarged; -1: none */
  int                 cursor;  /* tile of the keyboard */
  double              zoom;    /* 1: fits */
  double              x, y;    /* center of the view, from the center of what is shown, in image pixels */
  double              start_zoom, start_x, start_y; /* of a gesture */
};

G_DEFINE_FINAL_TYPE (UrbariumGridImage, urbarium_grid_image, GTK_TYPE_WIDGET)

enum { PROP_TILE = 1, N_PROPS };
static GParamSpec *props[N_PROPS];

int
urbarium_grid_image_get_n_tiles (UrbariumGridImage *self)
{
  return self->layout.n_columns * self->layout.n_rows;
}

static cairo_rectangle_int_t
get_tile_rect (UrbariumGridImage *self, int tile)
{
  int edge = self->layout.tile, gap = self->layout.gap;
  return (cairo_rectangle_int_t){ gap + tile % self->layout.n_columns * (edge + gap),
                                  gap + tile / self->layout.n_columns * (edge + gap), edge, edge };
}

cairo_rectangle_int_t
urbarium_grid_image_get_shown (UrbariumGridImage *self)
{
  if (self->tile >= 0)
    return get_tile_rect (self, self->tile);
  return (cairo_rectangle_int_t){ 0, 0, cairo_image_surface_get_width (self->surface),
                                  cairo_image_surface_get_height (self->surface) };
}

/* Screen pixels per image pixel. */
static double
get_scale (UrbariumGridImage *self)
{
  cairo_rectangle_int_t shown = urbarium_grid_image_get_shown (self);
  GtkWidget *widget = GTK_WIDGET (self);
  double scale = self->zoom * MIN ((double) gtk_widget_get_width (widget) / shown.width,
                                   (double) gtk_widget_get_height (widget) / shown.height);
  double device = scale * gtk_widget_get_scale_factor (widget) * (self->tile >= 0 ? self->layout.scale : 1);
  return device > 1 ? scale * floor (device) / device : scale; /* all pixels get the same size */
}

/* The place of the shown part, which may be larger than the widget. */
static graphene_rect_t
get_place (UrbariumGridImage *self)
{
  cairo_rectangle_int_t shown = urbarium_grid_image_get_shown (self);
  double scale = get_scale (self), width = scale * shown.width, height = scale * shown.height;
  return GRAPHENE_RECT_INIT (
    (float) floor ((gtk_widget_get_width (GTK_WIDGET (self)) - width) / 2 - scale * self->x),
    (float) floor ((gtk_widget_get_height (GTK_WIDGET (self)) - height) / 2 - scale * self->y), (float) width,
    (float) height);
}

static void
draw_cursor (UrbariumGridImage *self, GtkSnapshot *snapshot, const graphene_rect_t *place, double scale)
{
  cairo_rectangle_int_t tile = get_tile_rect (self, self->cursor);
  const float widths[4] = { 2, 2, 2, 2 };
  GdkRGBA color, colors[4];
  GskRoundedRect outline;
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &color);
  for (int i = 0; i < 4; i++)
    colors[i] = color;
  gsk_rounded_rect_init_from_rect (
    &outline,
    &GRAPHENE_RECT_INIT (place->origin.x + (float) (scale * tile.x) - 2, place->origin.y + (float) (scale * tile.y) - 2,
                         (float) (scale * tile.width) + 4, (float) (scale * tile.height) + 4),
    2);
  gtk_snapshot_append_border (snapshot, &outline, widths, colors);
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  UrbariumGridImage *self = URBARIUM_GRID_IMAGE (widget);
  graphene_rect_t place, bounds;
  cairo_rectangle_int_t shown;
  double scale;
  cairo_t *cr;
  if (self->surface == NULL)
    return;
  shown = urbarium_grid_image_get_shown (self);
  scale = get_scale (self);
  place = get_place (self);
  if (!graphene_rect_intersection (&place,
                                   &GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget),
                                                        (float) gtk_widget_get_height (widget)),
                                   &bounds))
    return;
  cr = gtk_snapshot_append_cairo (snapshot, &bounds);
  cairo_translate (cr, place.origin.x, place.origin.y);
  cairo_scale (cr, scale, scale);
  cairo_set_source_surface (cr, self->surface, -shown.x, -shown.y);
  cairo_pattern_set_filter (cairo_get_source (cr), scale * gtk_widget_get_scale_factor (widget) > 1
                                                     ? CAIRO_FILTER_NEAREST
                                                     : CAIRO_FILTER_GOOD);
  cairo_paint (cr);
  cairo_destroy (cr);
  if (gtk_widget_has_visible_focus (widget) && self->tile < 0 && self->layout.n_columns > 0)
    draw_cursor (self, snapshot, &place, scale);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
         int *minimum_baseline, int *natural_baseline)
{
  *minimum = 160;
  *natural = 320;
}

/* ------------------------------------------------------------------------ */
/* The view                                                                  */

/* Leaves no room beside the image. */
static void
set_view (UrbariumGridImage *self, double zoom, double x, double y)
{
  cairo_rectangle_int_t shown = urbarium_grid_image_get_shown (self);
  double scale, room_x, room_y;
  self->zoom = CLAMP (zoom, 1, MAX_ZOOM);
  scale = get_scale (self);
  room_x = MAX (0, (shown.width - gtk_widget_get_width (GTK_WIDGET (self)) / scale) / 2);
  room_y = MAX (0, (shown.height - gtk_widget_get_height (GTK_WIDGET (self)) / scale) / 2);
  self->x = CLAMP (x, -room_x, room_x);
  self->y = CLAMP (y, -room_y, room_y);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* What is at the point (@x, @y) of the widget stays there. */
static void
zoom_at (UrbariumGridImage *self, double zoom, double x, double y)
{
  double before, after, from_x, from_y;
  if (self->surface == NULL)
    return;
  from_x = x - gtk_widget_get_width (GTK_WIDGET (self)) / 2.0;
  from_y = y - gtk_widget_get_height (GTK_WIDGET (self)) / 2.0;
  before = get_scale (self);
  self->zoom = CLAMP (zoom, 1, MAX_ZOOM);
  after = get_scale (self);
  set_view (self, zoom, self->x + from_x / before - from_x / after, self->y + from_y / before - from_y / after);
}

static void
set_tile (UrbariumGridImage *self, int tile)
{
  if (tile == self->tile || tile >= urbarium_grid_image_get_n_tiles (self))
    return;
  self->tile = tile;
  if (tile >= 0)
    self->cursor = tile;
  self->zoom = 1;
  self->x = self->y = 0;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_TILE]);
}

/* The tile at a point of the widget; -1: none. */
static int
find_tile (UrbariumGridImage *self, double x, double y)
{
  graphene_rect_t place = get_place (self);
  double scale = get_scale (self);
  double column = ((x - place.origin.x) / scale - self->layout.gap / 2.0) / (self->layout.tile + self->layout.gap);
  double row = ((y - place.origin.y) / scale - self->layout.gap / 2.0) / (self->layout.tile + self->layout.gap);
  if (self->layout.n_columns == 0 || column < 0 || row < 0 || column >= self->layout.n_columns
      || row >= self->layout.n_rows)
    return -1;
  return (int) row * self->layout.n_columns + (int) column;
}

/* ------------------------------------------------------------------------ */
/* Input                                                                     */

static void
clicked_cb (UrbariumGridImage *self, int n_press, double x, double y)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (self->surface != NULL && self->tile < 0)
    set_tile (self, find_tile (self, x, y));
}

static void
drag_begin_cb (UrbariumGridImage *self)
{
  self->start_x = self->x;
  self->start_y = self->y;
}

static void
drag_update_cb (UrbariumGridImage *self, double dx, double dy, GtkGesture *gesture)
{
  double scale;
  if (self->surface == NULL || !gtk_drag_check_threshold (GTK_WIDGET (self), 0, 0, (int) dx, (int) dy))
    return;
  scale = get_scale (self);
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED); /* no click then */
  set_view (self, self->zoom, self->start_x - dx / scale, self->start_y - dy / scale);
}

static void
pinch_begin_cb (UrbariumGridImage *self)
{
  self->start_zoom = self->zoom;
}

static void
pinch_cb (UrbariumGridImage *self, double scale, GtkGesture *gesture)
{
  double x, y;
  if (gtk_gesture_get_bounding_box_center (gesture, &x, &y))
    zoom_at (self, self->start_zoom * scale, x, y);
}

/* Without Ctrl, the page scrolls, unless the view is zoomed already. */
static gboolean
scroll_cb (GtkEventControllerScroll *controller, double dx, double dy, UrbariumGridImage *self)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));
  GdkEvent *event = gtk_event_controller_get_current_event (GTK_EVENT_CONTROLLER (controller));
  double x = 0, y = 0;
  if (self->surface == NULL || ((state & GDK_CONTROL_MASK) == 0 && self->tile < 0 && self->zoom <= 1))
    return FALSE;
  if (!gdk_event_get_position (event, &x, &y))
    return FALSE;
  gtk_widget_translate_coordinates (GTK_WIDGET (gtk_widget_get_native (GTK_WIDGET (self))), GTK_WIDGET (self), x, y,
                                    &x, &y);
  zoom_at (self, self->zoom * pow (ZOOM_STEP, -dy), x, y);
  return TRUE;
}

/* @args: horizontal and vertical step */
static gboolean
move_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  UrbariumGridImage *self = URBARIUM_GRID_IMAGE (widget);
  int dx, dy, column, row, cursor;
  g_variant_get (args, "(ii)", &dx, &dy);
  if (self->layout.n_columns == 0)
    return FALSE;
  column = self->cursor % self->layout.n_columns + dx;
  row = self->cursor / self->layout.n_columns + dy;
  if (column < 0 || row < 0 || column >= self->layout.n_columns || row >= self->layout.n_rows)
    return TRUE;
  cursor = row * self->layout.n_columns + column;
  if (self->tile >= 0)
    set_tile (self, cursor);
  self->cursor = cursor;
  gtk_widget_queue_draw (widget);
  return TRUE;
}

static gboolean
enter_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  UrbariumGridImage *self = URBARIUM_GRID_IMAGE (widget);
  if (self->tile >= 0 || self->layout.n_columns == 0)
    return FALSE;
  set_tile (self, self->cursor);
  return TRUE;
}

static gboolean
leave_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  UrbariumGridImage *self = URBARIUM_GRID_IMAGE (widget);
  if (self->tile < 0)
    return FALSE;
  set_tile (self, -1);
  return TRUE;
}

/* @args: a factor; 0: fit */
static gboolean
zoom_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  UrbariumGridImage *self = URBARIUM_GRID_IMAGE (widget);
  double factor = g_variant_get_double (args);
  zoom_at (self, factor * self->zoom, gtk_widget_get_width (widget) / 2.0, gtk_widget_get_height (widget) / 2.0);
  return TRUE;
}

static void
add_keys (GtkWidgetClass *widget_class)
{
  static const struct
  {
    guint keyval;
    int   dx, dy;
  } arrows[] = { { GDK_KEY_Left, -1, 0 }, { GDK_KEY_Right, 1, 0 }, { GDK_KEY_Up, 0, -1 }, { GDK_KEY_Down, 0, 1 } };
  static const struct
  {
    guint  keyval;
    double factor;
  } zooms[] = { { GDK_KEY_plus, ZOOM_STEP },  { GDK_KEY_KP_Add, ZOOM_STEP }, { GDK_KEY_minus, 1 / ZOOM_STEP },
                { GDK_KEY_KP_Subtract, 1 / ZOOM_STEP }, { GDK_KEY_0, 0 },    { GDK_KEY_KP_0, 0 } };
  for (gsize i = 0; i < G_N_ELEMENTS (arrows); i++)
    gtk_widget_class_add_binding (widget_class, arrows[i].keyval, 0, move_cb, "(ii)", arrows[i].dx, arrows[i].dy);
  for (gsize i = 0; i < G_N_ELEMENTS (zooms); i++)
    gtk_widget_class_add_binding (widget_class, zooms[i].keyval, 0, zoom_cb, "d", zooms[i].factor);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Return, 0, enter_cb, NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_KP_Enter, 0, enter_cb, NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Escape, 0, leave_cb, NULL);
}

/* ------------------------------------------------------------------------ */
/* The widget                                                                */

static gboolean
measure_layout (cairo_surface_t *surface, UrbSampleGridLayout *layout)
{
  cairo_surface_flush (surface);
  return urb_sample_grid_measure (cairo_image_surface_get_width (surface), cairo_image_surface_get_height (surface),
                                  (const guint32 *) (const void *) cairo_image_surface_get_data (surface),
                                  (gsize) cairo_image_surface_get_stride (surface) / sizeof (guint32), layout);
}

void
urbarium_grid_image_set (UrbariumGridImage *self, cairo_surface_t *surface, const char *text)
{
  UrbSampleGridLayout before = self->layout;
  g_clear_pointer (&self->surface, cairo_surface_destroy);
  self->surface = surface == NULL ? NULL : cairo_surface_reference (surface);
  if (surface == NULL || !measure_layout (surface, &self->layout))
    self->layout = (UrbSampleGridLayout){ 0 };
  if (memcmp (&before, &self->layout, sizeof before) != 0)
    {
      set_tile (self, -1);
      self->cursor = 0;
    }
  gtk_widget_set_focusable (GTK_WIDGET (self), self->layout.n_columns > 0);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), self->layout.n_columns > 0 ? "zoom-in" : NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  text == NULL ? "" : text, -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

gboolean
urbarium_grid_image_is_empty (UrbariumGridImage *self)
{
  return self->surface == NULL;
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_TILE)
    g_value_set_int (value, URBARIUM_GRID_IMAGE (object)->tile);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_TILE)
    set_tile (URBARIUM_GRID_IMAGE (object), g_value_get_int (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
finalize (GObject *object)
{
  g_clear_pointer (&URBARIUM_GRID_IMAGE (object)->surface, cairo_surface_destroy);
  G_OBJECT_CLASS (urbarium_grid_image_parent_class)->finalize (object);
}

static void
urbarium_grid_image_class_init (UrbariumGridImageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->finalize = finalize;
  widget_class->snapshot = snapshot;
  widget_class->measure = measure;
  props[PROP_TILE] = g_param_spec_int ("tile", NULL, NULL, -1, G_MAXINT, -1,
                                       G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, props);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  add_keys (widget_class);
}

static void
urbarium_grid_image_init (UrbariumGridImage *self)
{
  GtkGesture *click = gtk_gesture_click_new (), *drag = gtk_gesture_drag_new (), *pinch = gtk_gesture_zoom_new ();
  GtkEventController *scroll = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  self->tile = -1;
  self->zoom = 1;
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  g_signal_connect_object (click, "released", G_CALLBACK (clicked_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (drag, "drag-update", G_CALLBACK (drag_update_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (pinch, "begin", G_CALLBACK (pinch_begin_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (pinch, "scale-changed", G_CALLBACK (pinch_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (scroll, "scroll", G_CALLBACK (scroll_cb), self, 0);
  gtk_gesture_group (click, drag);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (pinch));
  gtk_widget_add_controller (GTK_WIDGET (self), scroll);
}
