/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One part is painted at a time; if the view has changed meanwhile, the next painting follows.
 * Until then the last one is stretched to its position.
 */
#include "app/cities/city-view.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/canvas/scale-bar.h"
#include "app/plot/chart-style.h"

#define MARGIN_PX    24.0  /* around a fitted city */
#define MIN_M_PER_PX 0.025
#define ZOOM_STEP    1.25
#define KEY_PAN_PX   48.0

struct _UrbariumCityView
{
  GtkWidget         parent_instance;
  UrbariumCity     *city;    /* (nullable) owned */
  gboolean          vectors;
  guint             classes;
  UrbariumMeasuring measuring;
  char             *reading; /* (nullable) owned */
  gboolean          fits;
  UrbariumView      view;    /* of a map whose origin is the lower left corner of the city */
  UrbariumScaleBar  scale_bar;
  GdkTexture       *picture; /* (nullable) owned */
  UrbariumTilePart  picture_part;
  gboolean          painting;
  guint             generation, painted_generation;
  double            pointer_x, pointer_y; /* pixels; NaN before it was here */
  double            press_x, press_y;     /* start of the drag, in pixels */
  double            drag_x, drag_y;       /* center of the view then */
  double            pinch_m_per_px;       /* scale at the start of a pinch */
};

G_DEFINE_FINAL_TYPE (UrbariumCityView, urbarium_city_view, GTK_TYPE_WIDGET)

enum
{
  PROP_VECTORS = 1,
  PROP_CLASSES,
  PROP_TOOL,
  PROP_READING,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

static void paint (UrbariumCityView *self);

static UrbariumTile *
get_tile (UrbariumCityView *self)
{
  return self->city != NULL ? urbarium_city_get_tile (self->city) : NULL;
}

static double
get_width_m (UrbariumCityView *self)
{
  return get_tile (self) != NULL ? urbarium_tile_get_width_m (get_tile (self)) : 250;
}

static double
get_height_m (UrbariumCityView *self)
{
  return get_tile (self) != NULL ? urbarium_tile_get_height_m (get_tile (self)) : 250;
}

/* ------------------------------------------------------------------------ */
/* The view                                                                  */

UrbariumView
urbarium_city_view_get_view (UrbariumCityView *self)
{
  return self->view;
}

/* The scale that shows the whole city. */
static double
get_fitting (UrbariumCityView *self)
{
  return MAX (get_width_m (self) / MAX (self->view.width - 2 * MARGIN_PX, 16),
              get_height_m (self) / MAX (self->view.height - 2 * MARGIN_PX, 16));
}

static double
clamp_scale (UrbariumCityView *self, double m_per_px)
{
  double fitting = get_fitting (self);
  return CLAMP (m_per_px, MIN (MIN_M_PER_PX, fitting), fitting);
}

/* Call it when the visible part or its style has changed. */
static void
queue_paint (UrbariumCityView *self)
{
  self->generation++;
  if (!self->painting)
    paint (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
urbarium_city_view_fit (UrbariumCityView *self)
{
  self->fits = TRUE;
  self->view.m_per_px = get_fitting (self);
  self->view.center_x = get_width_m (self) / 2;
  self->view.center_y = get_height_m (self) / 2;
  queue_paint (self);
}

/* Keeps a fitted city fitted. */
static void
refresh (UrbariumCityView *self)
{
  if (self->fits)
    urbarium_city_view_fit (self);
  else
    queue_paint (self);
}

static void
move_to (UrbariumCityView *self, UrbariumView view)
{
  double width = get_width_m (self), height = get_height_m (self), fitting = get_fitting (self);
  view.m_per_px = clamp_scale (self, view.m_per_px);
  self->fits = view.m_per_px >= fitting / 1.0001;
  view.center_x = self->fits ? width / 2 : CLAMP (view.center_x, 0, width);
  view.center_y = self->fits ? height / 2 : CLAMP (view.center_y, 0, height);
  self->view = view;
  queue_paint (self);
}

/* Keeps the point under (@px, @py) in place. */
static void
zoom_at (UrbariumCityView *self, double px, double py, double factor)
{
  double m_per_px = self->view.m_per_px;
  factor = m_per_px / clamp_scale (self, m_per_px / factor);
  move_to (self, urbarium_view_zoom_at (self->view, px, py, factor));
}

static void
zoom (UrbariumCityView *self, double factor)
{
  zoom_at (self, 0.5 * self->view.width, 0.5 * self->view.height, factor);
}

/* ------------------------------------------------------------------------ */
/* Painting                                                                  */

static void
painted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  UrbariumCityView *self = URBARIUM_CITY_VIEW (source);
  const UrbariumTilePainting *painting = g_task_get_task_data (G_TASK (result));
  g_autoptr(GdkTexture) texture = g_task_propagate_pointer (G_TASK (result), NULL);
  self->painting = FALSE;
  if (painting->tile == get_tile (self))
    {
      g_set_object (&self->picture, texture);
      self->picture_part = painting->part;
      self->painted_generation = painting->generation;
      gtk_widget_queue_draw (GTK_WIDGET (self));
    }
  if (self->painted_generation != self->generation)
    paint (self);
}

/* The visible part plus a margin, clipped to the city. */
static gboolean
find_part (UrbariumCityView *self, UrbariumTilePart *part)
{
  const UrbariumView *view = &self->view;
  double width = get_width_m (self), height = get_height_m (self);
  double scale = gtk_widget_get_scale_factor (GTK_WIDGET (self)) / view->m_per_px;
  double half_w = 0.65 * view->width * view->m_per_px;
  double half_h = 0.65 * view->height * view->m_per_px;
  *part = (UrbariumTilePart) {
    .vectors = self->vectors, .classes = self->classes,
    .left_m = CLAMP (view->center_x - half_w, 0, width),
    .right_m = CLAMP (view->center_x + half_w, 0, width),
    .top_m = CLAMP (height - view->center_y - half_h, 0, height),
    .bottom_m = CLAMP (height - view->center_y + half_h, 0, height),
  };
  part->width_px = (int) ceil ((part->right_m - part->left_m) * scale);
  part->height_px = (int) ceil ((part->bottom_m - part->top_m) * scale);
  return part->width_px > 0 && part->height_px > 0 && part->width_px < 16384
         && part->height_px < 16384;
}

static void
paint (UrbariumCityView *self)
{
  UrbariumTilePart part;
  if (get_tile (self) == NULL || self->view.width == 0 || !find_part (self, &part))
    return;
  self->painting = TRUE;
  urbarium_tile_paint_async (get_tile (self), &part, self->generation, self, painted_cb);
}

static void
append_text (UrbariumCityView *self, GtkSnapshot *snapshot, const char *text, double px, double py)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);
  const GdkRGBA back = { 0, 0, 0, 0.75f }, front = { 1, 1, 1, 1 };
  int width, height;
  pango_layout_get_pixel_size (layout, &width, &height);
  px = CLAMP (px, 0, MAX (self->view.width - width - 18, 0));
  py = CLAMP (py, 0, MAX (self->view.height - height - 10, 0));
  urbarium_chart_append_rounded (snapshot, px, py, width + 16, height + 8, 6, &back);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) px + 8, (float) py + 4));
  gtk_snapshot_append_layout (snapshot, layout, &front);
  gtk_snapshot_restore (snapshot);
}

static void
trace_measuring (UrbariumCityView *self, cairo_t *cairo)
{
  const UrbariumMeasuring *m = &self->measuring;
  double px, py;
  cairo_new_path (cairo);
  for (guint i = 0; i + 1 < m->xy->len; i += 2)
    {
      urbarium_view_from_map (&self->view, g_array_index (m->xy, double, i),
                              g_array_index (m->xy, double, i + 1), &px, &py);
      cairo_line_to (cairo, px, py);
    }
  if (!m->closed && m->has_cursor && m->xy->len > 0)
    {
      urbarium_view_from_map (&self->view, m->cursor_x, m->cursor_y, &px, &py);
      cairo_line_to (cairo, px, py);
    }
  if (m->tool == URBARIUM_MEASURE_AREA)
    cairo_close_path (cairo);
}

static void
draw_measuring (UrbariumCityView *self, GtkSnapshot *snapshot)
{
  const UrbariumMeasuring *m = &self->measuring;
  graphene_rect_t box = GRAPHENE_RECT_INIT (0, 0, (float) self->view.width,
                                            (float) self->view.height);
  cairo_t *cairo;
  double px, py;
  if (m->tool == URBARIUM_MEASURE_NONE)
    return;
  cairo = gtk_snapshot_append_cairo (snapshot, &box);
  trace_measuring (self, cairo);
  if (m->tool == URBARIUM_MEASURE_AREA)
    {
      cairo_set_source_rgba (cairo, 0.88, 0.11, 0.14, 0.2);
      cairo_fill_preserve (cairo);
    }
  cairo_set_line_width (cairo, 4);
  cairo_set_source_rgba (cairo, 1, 1, 1, 0.9);
  cairo_stroke_preserve (cairo);
  cairo_set_line_width (cairo, 2);
  cairo_set_source_rgb (cairo, 0.88, 0.11, 0.14);
  cairo_stroke (cairo);
  for (guint i = 0; i + 1 < m->xy->len; i += 2)
    {
      urbarium_view_from_map (&self->view, g_array_index (m->xy, double, i),
                              g_array_index (m->xy, double, i + 1), &px, &py);
      cairo_arc (cairo, px, py, 4, 0, 2 * G_PI);
      cairo_fill (cairo);
    }
  if (m->has_cursor && !m->closed)
    {
      urbarium_view_from_map (&self->view, m->cursor_x, m->cursor_y, &px, &py);
      cairo_set_line_width (cairo, 1.5);
      cairo_move_to (cairo, px - 9, py);
      cairo_line_to (cairo, px + 9, py);
      cairo_move_to (cairo, px, py - 9);
      cairo_line_to (cairo, px, py + 9);
      cairo_stroke (cairo);
    }
  cairo_destroy (cairo);
  if (self->reading != NULL && m->xy->len >= 2)
    {
      urbarium_view_from_map (&self->view, g_array_index (m->xy, double, m->xy->len - 2),
                              g_array_index (m->xy, double, m->xy->len - 1), &px, &py);
      append_text (self, snapshot, self->reading, px + 12, py + 12);
    }
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  UrbariumCityView *self = URBARIUM_CITY_VIEW (widget);
  const UrbariumTilePart *part = &self->picture_part;
  double width = get_width_m (self), height = get_height_m (self);
  graphene_rect_t all = urbarium_view_get_rect (&self->view, (UrbBox) { 0, 0, width, height });
  graphene_rect_t painted = urbarium_view_get_rect (
    &self->view, (UrbBox) { part->left_m, height - part->bottom_m, part->right_m, height - part->top_m });
  GdkPaintable *coarse = NULL;
  const GdkRGBA paper = { 0.945f, 0.929f, 0.886f, 1 };
  if (self->picture == NULL && self->city != NULL)
    coarse = self->vectors ? urbarium_city_get_vector (self->city)
                           : urbarium_city_get_raster (self->city);
  gtk_snapshot_append_color (snapshot, &paper, &all);
  if (coarse != NULL)
    {
      gtk_snapshot_save (snapshot);
      gtk_snapshot_translate (snapshot, &all.origin);
      gdk_paintable_snapshot (coarse, snapshot, all.size.width, all.size.height);
      gtk_snapshot_restore (snapshot);
    }
  if (self->picture != NULL)
    gtk_snapshot_append_texture (snapshot, self->picture, &painted);
  draw_measuring (self, snapshot);
  /* Cities are drawn on light paper in every style. */
  urbarium_scale_bar_snapshot (&self->scale_bar, snapshot, widget, &self->view,
                               urbarium_palette_get (FALSE, FALSE));
}

static void
size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  UrbariumCityView *self = URBARIUM_CITY_VIEW (widget);
  self->view.width = width;
  self->view.height = height;
  refresh (self);
}

static void
css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (urbarium_city_view_parent_class)->css_changed (widget, change);
  urbarium_scale_bar_clear (&URBARIUM_CITY_VIEW (widget)->scale_bar); /* the font may have changed */
}

/* ------------------------------------------------------------------------ */
/* Input                                                                     */

static void
measuring_changed (UrbariumCityView *self)
{
  g_autofree char *text = urbarium_measuring_dup_text (&self->measuring);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (g_strcmp0 (text, self->reading) == 0)
    return;
  g_free (self->reading);
  self->reading = g_steal_pointer (&text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  self->reading != NULL ? self->reading : "", -1);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_READING]);
}

static void
set_cursor_at (UrbariumCityView *self, double px, double py)
{
  self->measuring.has_cursor = TRUE;
  urbarium_view_to_map (&self->view, px, py, &self->measuring.cursor_x, &self->measuring.cursor_y);
  measuring_changed (self);
}

static gboolean
key_measure (UrbariumCityView *self, guint key, gboolean far)
{
  UrbariumMeasuring *m = &self->measuring;
  double step = (far ? 80 : 8) * self->view.m_per_px;
  if (!m->has_cursor && (key == GDK_KEY_Left || key == GDK_KEY_Right || key == GDK_KEY_Up
                         || key == GDK_KEY_Down || key == GDK_KEY_Return || key == GDK_KEY_space))
    {
      m->cursor_x = self->view.center_x;
      m->cursor_y = self->view.center_y;
      m->has_cursor = TRUE;
    }
  switch (key)
    {
    case GDK_KEY_Left: m->cursor_x -= step; break;
    case GDK_KEY_Right: m->cursor_x += step; break;
    case GDK_KEY_Up: m->cursor_y += step; break;
    case GDK_KEY_Down: m->cursor_y -= step; break;
    case GDK_KEY_space:
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
      if (m->tool == URBARIUM_MEASURE_AREA && key != GDK_KEY_space && m->xy->len >= 6)
        urbarium_measuring_close (m);
      else
        urbarium_measuring_add (m, m->cursor_x, m->cursor_y);
      break;
    case GDK_KEY_BackSpace: urbarium_measuring_undo (m); break;
    case GDK_KEY_Escape:
      if (urbarium_measuring_is_empty (m))
        return FALSE;
      urbarium_measuring_reset (m, m->tool);
      break;
    default: return FALSE;
    }
  measuring_changed (self);
  return TRUE;
}

static gboolean
key_cb (UrbariumCityView *self, guint key, guint code, GdkModifierType state)
{
  gboolean shift = (state & GDK_SHIFT_MASK) != 0;
  if (self->measuring.tool != URBARIUM_MEASURE_NONE && key_measure (self, key, shift))
    return TRUE;
  switch (key)
    {
    case GDK_KEY_plus:
    case GDK_KEY_KP_Add:
    case GDK_KEY_equal: zoom (self, ZOOM_STEP); return TRUE;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract: zoom (self, 1 / ZOOM_STEP); return TRUE;
    case GDK_KEY_0:
    case GDK_KEY_KP_0: urbarium_city_view_fit (self); return TRUE;
    default: break;
    }
  if (!shift)
    return FALSE; /* plain arrows: the page shows the next city */
  switch (key)
    {
    case GDK_KEY_Left: move_to (self, urbarium_view_drag (self->view, KEY_PAN_PX, 0)); return TRUE;
    case GDK_KEY_Right: move_to (self, urbarium_view_drag (self->view, -KEY_PAN_PX, 0)); return TRUE;
    case GDK_KEY_Up: move_to (self, urbarium_view_drag (self->view, 0, KEY_PAN_PX)); return TRUE;
    case GDK_KEY_Down: move_to (self, urbarium_view_drag (self->view, 0, -KEY_PAN_PX)); return TRUE;
    default: return FALSE;
    }
}

static void
drag_begin_cb (UrbariumCityView *self, double px, double py)
{
  double x, y;
  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->press_x = px;
  self->press_y = py;
  self->drag_x = self->view.center_x;
  self->drag_y = self->view.center_y;
  if (self->measuring.tool != URBARIUM_MEASURE_DISTANCE)
    return;
  urbarium_measuring_reset (&self->measuring, URBARIUM_MEASURE_DISTANCE);
  urbarium_view_to_map (&self->view, px, py, &x, &y);
  urbarium_measuring_add (&self->measuring, x, y);
  measuring_changed (self);
}

static void
drag_update_cb (UrbariumCityView *self, double dx, double dy)
{
  UrbariumView view = self->view;
  view.center_x = self->drag_x;
  view.center_y = self->drag_y;
  if (self->measuring.tool == URBARIUM_MEASURE_DISTANCE)
    set_cursor_at (self, self->press_x + dx, self->press_y + dy);
  else if (self->measuring.tool == URBARIUM_MEASURE_NONE)
    move_to (self, urbarium_view_drag (view, dx, dy));
}

static void
drag_end_cb (UrbariumCityView *self, double dx, double dy)
{
  double x, y;
  if (self->measuring.tool != URBARIUM_MEASURE_DISTANCE || self->measuring.closed)
    return;
  urbarium_view_to_map (&self->view, self->press_x + dx, self->press_y + dy, &x, &y);
  if (fabs (dx) + fabs (dy) < 3)
    urbarium_measuring_reset (&self->measuring, URBARIUM_MEASURE_DISTANCE);
  else
    urbarium_measuring_add (&self->measuring, x, y);
  measuring_changed (self);
}

static void
click_cb (UrbariumCityView *self, int n_press, double px, double py)
{
  double x, y;
  if (self->measuring.tool != URBARIUM_MEASURE_AREA)
    return;
  if (n_press > 1) /* the first of the two clicks has set the point */
    urbarium_measuring_close (&self->measuring);
  else
    {
      urbarium_view_to_map (&self->view, px, py, &x, &y);
      urbarium_measuring_add (&self->measuring, x, y);
    }
  measuring_changed (self);
}

static void
motion_cb (UrbariumCityView *self, double px, double py)
{
  self->pointer_x = px;
  self->pointer_y = py;
  if (self->measuring.tool == URBARIUM_MEASURE_AREA && !self->measuring.closed)
    set_cursor_at (self, px, py);
}

static gboolean
scroll_cb (UrbariumCityView *self, double dx, double dy)
{
  double factor = pow (ZOOM_STEP, -dy);
  if (isnan (self->pointer_x))
    zoom (self, factor);
  else
    zoom_at (self, self->pointer_x, self->pointer_y, factor);
  return TRUE;
}

static void
pinch_begin_cb (UrbariumCityView *self)
{
  self->pinch_m_per_px = self->view.m_per_px;
}

static void
pinch_cb (UrbariumCityView *self, double scale)
{
  zoom (self, scale * self->view.m_per_px / self->pinch_m_per_px);
}

void
urbarium_city_view_set_city (UrbariumCityView *self, UrbariumCity *city)
{
  g_autofree char *title = city != NULL ? urbarium_city_dup_title (city) : NULL;
  gboolean same_place;
  g_return_if_fail (URBARIUM_IS_CITY_VIEW (self));
  if (self->city == city)
    return;
  same_place = self->city != NULL && city != NULL
               && urbarium_city_get_seed (self->city) == urbarium_city_get_seed (city)
               && urbarium_city_get_index (self->city) == urbarium_city_get_index (city);
  if (self->city != NULL)
    g_signal_handlers_disconnect_by_data (self->city, self);
  g_set_object (&self->city, city);
  if (city != NULL)
    g_object_connect (city, "swapped-object-signal::notify::drawn", refresh, self,
                      "swapped-object-signal::notify::raster", gtk_widget_queue_draw, self,
                      "swapped-object-signal::notify::vector", gtk_widget_queue_draw, self, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  title != NULL ? title : "", -1);
  /* Keep the last image until the next is painted: a walk then plays without flicker. */
  if (city == NULL || urbarium_city_get_tile (city) == NULL)
    g_clear_object (&self->picture);
  urbarium_measuring_reset (&self->measuring, self->measuring.tool);
  measuring_changed (self);
  if (same_place)
    refresh (self);
  else
    urbarium_city_view_fit (self);
}

UrbariumCity *
urbarium_city_view_get_city (UrbariumCityView *self)
{
  return self->city;
}

const GArray *
urbarium_city_view_get_area (UrbariumCityView *self)
{
  return self->measuring.tool == URBARIUM_MEASURE_AREA && self->measuring.closed ? self->measuring.xy
                                                                                 : NULL;
}

void
urbarium_city_view_set_tool (UrbariumCityView *self, UrbariumMeasureTool tool)
{
  g_return_if_fail (URBARIUM_IS_CITY_VIEW (self));
  if (self->measuring.tool == tool)
    return;
  urbarium_measuring_reset (&self->measuring, tool);
  measuring_changed (self);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self),
                                   tool == URBARIUM_MEASURE_NONE ? NULL : "crosshair");
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_TOOL]);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumCityView *self = URBARIUM_CITY_VIEW (object);
  switch (id)
    {
    case PROP_VECTORS: g_value_set_boolean (value, self->vectors); break;
    case PROP_CLASSES: g_value_set_uint (value, self->classes); break;
    case PROP_TOOL: g_value_set_int (value, (int) self->measuring.tool); break;
    case PROP_READING: g_value_set_string (value, self->reading); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  UrbariumCityView *self = URBARIUM_CITY_VIEW (object);
  switch (id)
    {
    case PROP_VECTORS: self->vectors = g_value_get_boolean (value); break;
    case PROP_CLASSES: self->classes = g_value_get_uint (value); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
  queue_paint (self);
}

static void
dispose (GObject *object)
{
  UrbariumCityView *self = URBARIUM_CITY_VIEW (object);
  g_clear_object (&self->city);
  g_clear_object (&self->picture);
  urbarium_scale_bar_clear (&self->scale_bar);
  G_OBJECT_CLASS (urbarium_city_view_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumCityView *self = URBARIUM_CITY_VIEW (object);
  urbarium_measuring_clear (&self->measuring);
  g_free (self->reading);
  G_OBJECT_CLASS (urbarium_city_view_parent_class)->finalize (object);
}

static void
urbarium_city_view_class_init (UrbariumCityViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  widget_class->snapshot = snapshot;
  widget_class->size_allocate = size_allocate;
  widget_class->css_changed = css_changed;
  props[PROP_VECTORS] = g_param_spec_boolean ("vectors", NULL, NULL, FALSE, read | G_PARAM_WRITABLE);
  props[PROP_CLASSES] = g_param_spec_uint ("classes", NULL, NULL, 0, URBARIUM_ALL_CLASSES,
                                           URBARIUM_ALL_CLASSES, read | G_PARAM_WRITABLE);
  props[PROP_TOOL] = g_param_spec_int ("tool", NULL, NULL, 0, URBARIUM_MEASURE_AREA, 0, read);
  props[PROP_READING] = g_param_spec_string ("reading", NULL, NULL, NULL, read);
  g_object_class_install_properties (object_class, N_PROPS, props);
  gtk_widget_class_set_css_name (widget_class, "cityview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
add_controllers (UrbariumCityView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkGesture *drag = gtk_gesture_drag_new (), *click = gtk_gesture_click_new ();
  GtkGesture *pinch = gtk_gesture_zoom_new ();
  GtkEventController *key = gtk_event_controller_key_new ();
  GtkEventController *scroll
    = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect_swapped (drag, "drag-end", G_CALLBACK (drag_end_cb), self);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (click_cb), self);
  g_signal_connect_swapped (pinch, "begin", G_CALLBACK (pinch_begin_cb), self);
  g_signal_connect_swapped (pinch, "scale-changed", G_CALLBACK (pinch_cb), self);
  g_signal_connect_swapped (key, "key-pressed", G_CALLBACK (key_cb), self);
  g_signal_connect_swapped (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (pinch));
  gtk_widget_add_controller (widget, key);
  gtk_widget_add_controller (widget, scroll);
  gtk_widget_add_controller (widget, motion);
}

static void
urbarium_city_view_init (UrbariumCityView *self)
{
  self->classes = URBARIUM_ALL_CLASSES;
  self->fits = TRUE;
  self->view.m_per_px = 0.5;
  self->pointer_x = self->pointer_y = NAN;
  urbarium_measuring_init (&self->measuring);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_vexpand (GTK_WIDGET (self), TRUE);
  add_controllers (self);
}

