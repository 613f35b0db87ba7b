/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canvas.c - the map widget.
 *
 * It owns the view and reports its changes; the tile layer draws the map.
 */
#include "app/canvas/canvas.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/canvas/canvas-private.h"

enum { DESCRIBE_AFTER_MS = 400 }; /* describe only the view at rest to screen readers */

#define CURSOR_ARM 12.0 /* pixels */
#define CURSOR_GAP 3.0

typedef struct
{
  guint                     id;
  UrbariumCanvasOverlayFunc func;
  gpointer                  user_data;
} Overlay;

enum
{
  PROP_TOOL = 1,
  PROP_BUSY,
  N_PROPS
};

static GParamSpec *props[N_PROPS];
static guint signals[URBARIUM_CANVAS_N_SIGNALS];

G_DEFINE_FINAL_TYPE (UrbariumCanvas, urbarium_canvas, GTK_TYPE_WIDGET)

/* Signals and description */

void
urbarium_canvas_emit_clicked (UrbariumCanvas *self, double px, double py, guint modifiers)
{
  double x, y;

  urbarium_view_to_map (&self->view, px, py, &x, &y);
  g_signal_emit (self, signals[URBARIUM_CANVAS_CLICKED], 0, x, y, modifiers);
}

void
urbarium_canvas_emit_pointer (UrbariumCanvas *self, double px, double py, gboolean inside)
{
  double x, y;

  urbarium_view_to_map (&self->view, px, py, &x, &y);
  g_signal_emit (self, signals[URBARIUM_CANVAS_POINTER], 0, x, y, inside);
}

void
urbarium_canvas_close_lasso (UrbariumCanvas *self)
{
  g_autoptr(GArray) xy = urbarium_lasso_steal (self->lasso);

  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (xy != NULL)
    g_signal_emit (self, signals[URBARIUM_CANVAS_LASSO_DRAWN], 0, xy);
}

static gboolean
describe_cb (gpointer data)
{
  UrbariumCanvas *self = data;
  g_autofree char *text = NULL;

  self->describe = 0;
  if (self->map == NULL)
    text = g_strdup (_ ("No map"));
  else
    {
      gint64 n = urb_map_get_n_polygons (self->map);
      g_autofree char *count = urbarium_format_count (n);
      g_autofree char *width = urbarium_format_length (self->view.width * self->view.m_per_px);
      g_autofree char *height = urbarium_format_length (self->view.height * self->view.m_per_px);
      g_autofree char *x = urbarium_format_number (self->view.center_x, 0);
      g_autofree char *y = urbarium_format_number (self->view.center_y, 0);
      g_autofree char *polygons = g_strdup_printf (
        ngettext ("%s polygon", "%s polygons", (gulong) MIN (n, G_MAXINT)), count);

      text = g_strdup_printf (
        /* translators: for screen readers; 12,345 polygons in EPSG:2056.  Seen: 1.2 km by 0.8 km
         * around 607000, 228000 */
        _ ("%s in %s. Seen: %s by %s around %s, %s"), polygons,
        _ (urb_map_get_crs_name (self->map)), width, height, x, y);
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                  -1);
  return G_SOURCE_REMOVE;
}

static void
describe_soon (UrbariumCanvas *self)
{
  if (self->describe == 0)
    self->describe = g_timeout_add (DESCRIBE_AFTER_MS, describe_cb, self);
}

static gboolean
busy_cb (gpointer data)
{
  UrbariumCanvas *self = data;
  gboolean busy = urbarium_tile_layer_is_busy (self->tiles);

  self->busy_update = 0;
  if (self->busy != busy)
    {
      self->busy = busy;
      g_object_notify_by_pspec (G_OBJECT (self), props[PROP_BUSY]);
    }
  return G_SOURCE_REMOVE;
}

/* Deferred, because widgets must not change during a snapshot. */
static void
update_busy (UrbariumCanvas *self)
{
  if (self->busy_update == 0 && self->busy != urbarium_tile_layer_is_busy (self->tiles))
    self->busy_update = g_idle_add_full (G_PRIORITY_DEFAULT, busy_cb, self, NULL);
}

/* The view */

static void
set_view (UrbariumCanvas *self, UrbariumView view)
{
  if (self->map != NULL)
    view = urbarium_view_clamp (view, self->extent);
  if (urbarium_view_is_same (&view, &self->view))
    return;
  self->view = view;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  describe_soon (self);
  g_signal_emit (self, signals[URBARIUM_CANVAS_VIEW_CHANGED], 0);
}

void
urbarium_canvas_move_to (UrbariumCanvas *self, UrbariumView view)
{
  self->fitted = FALSE;
  set_view (self, view);
}

static void
size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  UrbariumCanvas *self = URBARIUM_CANVAS (widget);
  UrbariumView view = self->view;

  view.width = width;
  view.height = height;
  if (self->fitted && self->map != NULL)
    view = urbarium_view_fit (view, self->extent);
  set_view (self, view);
}

UrbariumView
urbarium_canvas_get_view (UrbariumCanvas *self)
{
  g_return_val_if_fail (URBARIUM_IS_CANVAS (self), (UrbariumView) { 0 });
  return self->view;
}

void
urbarium_canvas_set_view (UrbariumCanvas *self, double center_x, double center_y, double m_per_px)
{
  UrbariumView view;

  g_return_if_fail (URBARIUM_IS_CANVAS (self));
  g_return_if_fail (isfinite (center_x) && isfinite (center_y) && m_per_px > 0);
  view = self->view;
  view.center_x = center_x;
  view.center_y = center_y;
  view.m_per_px = m_per_px;
  if (urbarium_view_is_same (&view, &self->view))
    return; /* without stopping a motion: two canvases may follow each other */
  urbarium_canvas_stop (self);
  urbarium_canvas_move_to (self, view);
}

void
urbarium_canvas_fit (UrbariumCanvas *self)
{
  g_return_if_fail (URBARIUM_IS_CANVAS (self));
  urbarium_canvas_stop (self);
  self->fitted = TRUE; /* also after a change of size */
  if (self->map == NULL || self->view.width == 0)
    return;
  urbarium_canvas_fly_to (self, urbarium_view_fit (self->view, self->extent));
  self->fitted = TRUE;
}

void
urbarium_canvas_show_box (UrbariumCanvas *self, UrbBox box)
{
  g_return_if_fail (URBARIUM_IS_CANVAS (self));
  g_return_if_fail (box.min_x <= box.max_x && box.min_y <= box.max_y);
  urbarium_canvas_fly_to (self, urbarium_view_fit (self->view, box));
}

void
urbarium_canvas_zoom (UrbariumCanvas *self, double factor)
{
  g_return_if_fail (URBARIUM_IS_CANVAS (self));
  g_return_if_fail (factor > 0);
  urbarium_canvas_zoom_at (self, 0.5 * self->view.width, 0.5 * self->view.height, factor);
}

/* The map */

static void
tiles_changed_cb (gpointer data)
{
  gtk_widget_queue_draw (data);
}

static void
update_tiles (UrbariumCanvas *self, UrbariumTileLayerOld old)
{
  UrbariumTileSpec spec = {
    .map = self->map,
    .palette = urbarium_palette_get_current (),
    .classes = self->classes,
    .scale_factor = gtk_widget_get_scale_factor (GTK_WIDGET (self)),
  };

  urbarium_tile_layer_set_spec (self->tiles, &spec, old);
  urbarium_scale_bar_clear (&self->scale_bar);
  update_busy (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
style_cb (UrbariumCanvas *self)
{
  update_tiles (self, URBARIUM_TILE_LAYER_KEEP);
}

static double
area_of (UrbBox box)
{
  return MAX (box.max_x - box.min_x, 0) * MAX (box.max_y - box.min_y, 0);
}

/* Compares extents roughly: another classification omits other polygons. */
static gboolean
is_same_place (UrbMap *one, UrbMap *other)
{
  UrbBox a = urb_map_get_extent (one), b = urb_map_get_extent (other);

  return urb_map_get_epsg (one) == urb_map_get_epsg (other)
         && 2 * area_of (urb_box_intersect (a, b)) > MAX (area_of (a), area_of (b));
}

void
urbarium_canvas_set_map (UrbariumCanvas *self, UrbMap *map)
{
  gboolean same_place;

  g_return_if_fail (URBARIUM_IS_CANVAS (self));
  if (map == self->map)
    return;
  same_place = map != NULL && self->map != NULL && is_same_place (map, self->map);
  g_clear_pointer (&self->map, urb_map_unref);
  if (map != NULL)
    {
      self->map = urb_map_ref (map);
      self->extent = urb_map_get_extent (map);
    }
  update_tiles (self, same_place ? URBARIUM_TILE_LAYER_KEEP : URBARIUM_TILE_LAYER_DROP);
  describe_soon (self);
  if (!same_place && map != NULL)
    {
      urbarium_canvas_stop (self);
      urbarium_lasso_clear (self->lasso);
      self->fitted = TRUE;
      if (self->view.width > 0)
        set_view (self, urbarium_view_fit (self->view, self->extent));
    }
}

UrbMap *
urbarium_canvas_get_map (UrbariumCanvas *self)
{
  g_return_val_if_fail (URBARIUM_IS_CANVAS (self), NULL);
  return self->map;
}

void
urbarium_canvas_set_class_visible (UrbariumCanvas *self, UrbClass class_, gboolean visible)
{
  guint classes;

  g_return_if_fail (URBARIUM_IS_CANVAS (self));
  g_return_if_fail (class_ < URB_N_CLASSES);
  classes = visible ? self->classes | 1u << class_ : self->classes & ~(1u << class_);
  if (classes == self->classes)
    return;
  self->classes = classes;
  update_tiles (self, URBARIUM_TILE_LAYER_KEEP);
}

UrbariumTileLayer *
urbarium_canvas_get_tiles (UrbariumCanvas *self)
{
  return self->tiles;
}

/* Overlays */

guint
urbarium_canvas_add_overlay (UrbariumCanvas *self, UrbariumCanvasOverlayFunc func,
                             gpointer user_data)
{
  Overlay overlay = { .func = func, .user_data = user_data };

  g_return_val_if_fail (URBARIUM_IS_CANVAS (self), 0);
  g_return_val_if_fail (func != NULL, 0);
  overlay.id = ++self->last_overlay;
  g_array_append_val (self->overlays, overlay);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  return overlay.id;
}

void
urbarium_canvas_remove_overlay (UrbariumCanvas *self, guint id)
{
  g_return_if_fail (URBARIUM_IS_CANVAS (self));
  for (guint i = 0; i < self->overlays->len; i++)
    if (g_array_index (self->overlays, Overlay, i).id == id)
      {
        g_array_remove_index (self->overlays, i);
        gtk_widget_queue_draw (GTK_WIDGET (self));
        return;
      }
}

void
urbarium_canvas_queue_overlays (UrbariumCanvas *self)
{
  g_return_if_fail (URBARIUM_IS_CANVAS (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Drawing */

static void
append_cross (GtkSnapshot *snapshot, double x, double y, double half_width, const GdkRGBA *color)
{
  const double arms[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };

  for (int i = 0; i < 4; i++)
    {
      double near = CURSOR_GAP - half_width, far = CURSOR_ARM + half_width;
      double x1 = x + arms[i][0] * near, x2 = x + arms[i][0] * far;
      double y1 = y + arms[i][1] * near, y2 = y + arms[i][1] * far;
      double wide_x = arms[i][0] == 0 ? half_width : 0, wide_y = arms[i][1] == 0 ? half_width : 0;
      graphene_rect_t rect = GRAPHENE_RECT_INIT (
        MIN (x1, x2) - wide_x, MIN (y1, y2) - wide_y, ABS (x2 - x1) + 2 * wide_x,
        ABS (y2 - y1) + 2 * wide_y);

      gtk_snapshot_append_color (snapshot, color, &rect);
    }
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  UrbariumCanvas *self = URBARIUM_CANVAS (widget);
  const UrbariumPalette *palette = urbarium_palette_get_current ();
  UrbariumView view = urbarium_view_snap (self->view, gtk_widget_get_scale_factor (widget));
  GtkStyleContext *style = gtk_widget_get_style_context (widget);
  GdkRGBA paper = urbarium_color_to_rgba (palette->paper, 1), accent;
  graphene_rect_t all = GRAPHENE_RECT_INIT (0, 0, view.width, view.height);

  gtk_snapshot_append_color (snapshot, &paper, &all);
  urbarium_tile_layer_snapshot (self->tiles, snapshot, &view);
  for (guint i = 0; i < self->overlays->len; i++)
    {
      Overlay *overlay = &g_array_index (self->overlays, Overlay, i);

      gtk_snapshot_save (snapshot);
      overlay->func (snapshot, &view, overlay->user_data);
      gtk_snapshot_restore (snapshot);
    }
  if (!gtk_style_context_lookup_color (style, "accent_bg_color", &accent))
    accent = urbarium_color_to_rgba (URB_COLOR_TRAIN, 1);
  urbarium_lasso_snapshot (self->lasso, snapshot, &view, &accent);
  if (self->has_cursor && gtk_widget_has_focus (widget))
    {
      GdkRGBA ink = urbarium_color_to_rgba (palette->ink, 1);
      GdkRGBA halo = urbarium_color_to_rgba (palette->halo, 0.9);

      append_cross (snapshot, self->cursor_x, self->cursor_y, 2, &halo);
      append_cross (snapshot, self->cursor_x, self->cursor_y, 1, &ink);
    }
  if (self->map != NULL)
    urbarium_scale_bar_snapshot (&self->scale_bar, snapshot, widget, &view, palette);
  update_busy (self);
}

/* GObject */

static void
unmap (GtkWidget *widget)
{
  UrbariumCanvas *self = URBARIUM_CANVAS (widget);

  urbarium_canvas_stop (self);
  urbarium_tile_layer_pause (self->tiles);
  GTK_WIDGET_CLASS (urbarium_canvas_parent_class)->unmap (widget);
}

static void
css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (urbarium_canvas_parent_class)->css_changed (widget, change);
  urbarium_scale_bar_clear (&URBARIUM_CANVAS (widget)->scale_bar); /* the font may have changed */
}

static void
direction_changed (GtkWidget *widget, GtkTextDirection previous)
{
  gtk_widget_queue_draw (widget);
}

static void
set_tool (UrbariumCanvas *self, UrbariumCanvasTool tool)
{
  if (self->tool == tool)
    return;
  self->tool = tool;
  urbarium_lasso_clear (self->lasso);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self),
                                   tool == URBARIUM_CANVAS_LASSO ? "crosshair" : NULL);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_TOOL]);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumCanvas *self = URBARIUM_CANVAS (object);

  if (id == PROP_TOOL)
    g_value_set_int (value, self->tool);
  else if (id == PROP_BUSY)
    g_value_set_boolean (value, self->busy);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_TOOL)
    set_tool (URBARIUM_CANVAS (object), g_value_get_int (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
dispose (GObject *object)
{
  UrbariumCanvas *self = URBARIUM_CANVAS (object);

  urbarium_canvas_stop (self);
  g_clear_handle_id (&self->busy_update, g_source_remove);
  g_clear_handle_id (&self->describe, g_source_remove);
  if (self->style != NULL)
    g_signal_handlers_disconnect_by_data (self->style, self);
  g_clear_object (&self->style);
  g_array_set_size (self->overlays, 0);
  g_clear_pointer (&self->tiles, urbarium_tile_layer_free);
  g_clear_pointer (&self->map, urb_map_unref);
  urbarium_scale_bar_clear (&self->scale_bar);
  G_OBJECT_CLASS (urbarium_canvas_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumCanvas *self = URBARIUM_CANVAS (object);

  g_array_unref (self->overlays);
  urbarium_lasso_free (self->lasso);
  G_OBJECT_CLASS (urbarium_canvas_parent_class)->finalize (object);
}

static void
urbarium_canvas_class_init (UrbariumCanvasClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GType type = G_TYPE_FROM_CLASS (klass);

  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  widget_class->size_allocate = size_allocate;
  widget_class->snapshot = snapshot;
  widget_class->unmap = unmap;
  widget_class->css_changed = css_changed;
  widget_class->direction_changed = direction_changed;
  props[PROP_TOOL] = g_param_spec_int (
    "tool", NULL, NULL, URBARIUM_CANVAS_PAN, URBARIUM_CANVAS_LASSO, URBARIUM_CANVAS_PAN,
    G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  props[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE,
                                           G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
  signals[URBARIUM_CANVAS_CLICKED]
    = g_signal_new ("clicked", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3,
                    G_TYPE_DOUBLE, G_TYPE_DOUBLE, G_TYPE_UINT);
  signals[URBARIUM_CANVAS_POINTER]
    = g_signal_new ("pointer", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3,
                    G_TYPE_DOUBLE, G_TYPE_DOUBLE, G_TYPE_BOOLEAN);
  signals[URBARIUM_CANVAS_LASSO_DRAWN]
    = g_signal_new ("lasso", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                    G_TYPE_ARRAY);
  signals[URBARIUM_CANVAS_VIEW_CHANGED]
    = g_signal_new ("view-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name (widget_class, "canvas");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  urbarium_canvas_class_init_input (widget_class);
}

static void
urbarium_canvas_init (UrbariumCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  self->view.m_per_px = 1;
  self->fitted = TRUE;
  self->classes = (1u << URB_N_CLASSES) - 1;
  self->tiles = urbarium_tile_layer_new (tiles_changed_cb, self);
  self->lasso = urbarium_lasso_new ();
  self->overlays = g_array_new (FALSE, FALSE, sizeof (Overlay));
  self->style = g_object_ref (adw_style_manager_get_default ());
  g_signal_connect_swapped (self->style, "notify::dark", G_CALLBACK (style_cb), self);
  g_signal_connect_swapped (self->style, "notify::high-contrast", G_CALLBACK (style_cb), self);
  g_signal_connect (self, "notify::scale-factor", G_CALLBACK (style_cb), NULL);
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_hexpand (widget, TRUE);
  gtk_widget_set_vexpand (widget, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Map"),
                                  -1);
  urbarium_canvas_init_input (self);
}
