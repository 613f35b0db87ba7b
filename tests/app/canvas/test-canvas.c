/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "app-test.h"
#include "app/canvas/canvas-private.h"
#include "made-up-map.h"
#include "test-town.h"

#define NEAR(a, b, epsilon) g_assert_cmpfloat_with_epsilon (a, b, epsilon)

typedef struct
{
  UrbariumCanvas *canvas;
  GtkWindow      *window;
  UrbMap         *map;
  guint           n_clicked, n_pointer, n_lasso, n_view_changed, n_drawn;
  double          x, y;
  guint           modifiers;
  gboolean        inside;
  GArray         *lasso;
} Fixture;

static gboolean
is_complete (gpointer data)
{
  UrbariumTileLayer *tiles = urbarium_canvas_get_tiles (data);
  gboolean busy;

  g_object_get (data, "busy", &busy, NULL);
  return urbarium_tile_layer_has_pixels (tiles) && !urbarium_tile_layer_is_busy (tiles) && !busy;
}

static gboolean
has_pixels (gpointer data)
{
  return urbarium_tile_layer_has_pixels (urbarium_canvas_get_tiles (data));
}

static void
clicked_cb (UrbariumCanvas *canvas, double x, double y, guint modifiers, Fixture *fixture)
{
  fixture->n_clicked++;
  fixture->x = x;
  fixture->y = y;
  fixture->modifiers = modifiers;
}

static void
pointer_cb (UrbariumCanvas *canvas, double x, double y, gboolean inside, Fixture *fixture)
{
  fixture->n_pointer++;
  fixture->x = x;
  fixture->y = y;
  fixture->inside = inside;
}

static void
lasso_cb (UrbariumCanvas *canvas, GArray *xy, Fixture *fixture)
{
  fixture->n_lasso++;
  g_clear_pointer (&fixture->lasso, g_array_unref);
  fixture->lasso = g_array_ref (xy);
}

static void
view_changed_cb (UrbariumCanvas *canvas, Fixture *fixture)
{
  fixture->n_view_changed++;
}

static void
setup (Fixture *fixture, gconstpointer data)
{
  fixture->canvas = URBARIUM_CANVAS (g_object_new (URBARIUM_TYPE_CANVAS, NULL));
  g_signal_connect (fixture->canvas, "clicked", G_CALLBACK (clicked_cb), fixture);
  g_signal_connect (fixture->canvas, "pointer", G_CALLBACK (pointer_cb), fixture);
  g_signal_connect (fixture->canvas, "lasso", G_CALLBACK (lasso_cb), fixture);
  g_signal_connect (fixture->canvas, "view-changed", G_CALLBACK (view_changed_cb), fixture);
  fixture->window = test_window_new (GTK_WIDGET (fixture->canvas), 800, 600);
  fixture->map = test_town_new (10, 2600000, 1200000);
  urbarium_canvas_set_map (fixture->canvas, fixture->map);
  gtk_widget_grab_focus (GTK_WIDGET (fixture->canvas));
  test_until (is_complete, fixture->canvas);
  fixture->n_view_changed = fixture->n_pointer = 0;
}

static void
teardown (Fixture *fixture, gconstpointer data)
{
  test_window_destroy (fixture->window);
  g_clear_pointer (&fixture->map, urb_map_unref);
  g_clear_pointer (&fixture->lasso, g_array_unref);
}

/* Emulates the window's handling of a key press. */
static gboolean
activate_binding (GListModel *controllers, guint key, GdkModifierType modifiers, GtkWidget *widget)
{
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr(GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (!GTK_IS_SHORTCUT_CONTROLLER (controller))
        continue;
      for (guint k = 0; k < g_list_model_get_n_items (G_LIST_MODEL (controller)); k++)
        {
          g_autoptr(GtkShortcut) shortcut
            = g_list_model_get_item (G_LIST_MODEL (controller), k);
          GtkShortcutTrigger *trigger = gtk_shortcut_get_trigger (shortcut);

          if (GTK_IS_KEYVAL_TRIGGER (trigger)
              && gtk_keyval_trigger_get_keyval (GTK_KEYVAL_TRIGGER (trigger)) == key
              && gtk_keyval_trigger_get_modifiers (GTK_KEYVAL_TRIGGER (trigger)) == modifiers)
            return gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0, widget,
                                                 gtk_shortcut_get_arguments (shortcut));
        }
    }
  return FALSE;
}

static gboolean
press (Fixture *fixture, guint key, GdkModifierType modifiers)
{
  g_autoptr(GListModel) controllers
    = gtk_widget_observe_controllers (GTK_WIDGET (fixture->canvas));

  return activate_binding (controllers, key, modifiers, GTK_WIDGET (fixture->canvas));
}

/* The color at a position, in a new frame. */
static guint32
color_at (Fixture *fixture, double x, double y)
{
  UrbariumView view = urbarium_canvas_get_view (fixture->canvas);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  g_autoptr(GskRenderNode) node = NULL;
  cairo_surface_t *surface
    = cairo_image_surface_create (CAIRO_FORMAT_RGB24, view.width, view.height);
  cairo_t *cr = cairo_create (surface);
  double px, py;
  guint32 color;

  GTK_WIDGET_GET_CLASS (fixture->canvas)->snapshot (GTK_WIDGET (fixture->canvas), snapshot);
  node = gtk_snapshot_free_to_node (snapshot);
  gsk_render_node_draw (node, cr);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  urbarium_view_from_map (&view, x, y, &px, &py);
  color = ((guint32 *) (void *) (cairo_image_surface_get_data (surface)
                                 + (int) py * cairo_image_surface_get_stride (surface)))[(int) px];
  cairo_surface_destroy (surface);
  return color & 0xffffff;
}

static guint32
hex (UrbColor color)
{
  return (guint32) color.r << 16 | (guint32) color.g << 8 | color.b;
}

/* ------------------------------------------------------------------------ */

static void
test_shows_a_map (Fixture *fixture, gconstpointer data)
{
  UrbariumView view = urbarium_canvas_get_view (fixture->canvas);
  const UrbariumPalette *palette = urbarium_palette_get (FALSE, FALSE);

  NEAR (view.center_x, 2600500, 0.01);
  NEAR (view.center_y, 1200500, 0.01);
  g_assert_true (urbarium_canvas_get_map (fixture->canvas) == fixture->map);
  g_assert_cmphex (color_at (fixture, 2600437, 1200450), ==,
                   hex (palette->fills[URB_CLASS_BUILDING]));
  g_assert_cmphex (color_at (fixture, 2600450, 1200450), ==, /* the court */
                   hex (palette->fills[URB_CLASS_OTHER]));
  g_assert_cmphex (color_at (fixture, 2600400, 1200450), ==, hex (palette->fills[URB_CLASS_ROAD]));
  g_assert_cmphex (color_at (fixture, 2600500, 1201020), ==, hex (palette->paper));
}

static void
test_sees_other_maps (Fixture *fixture, gconstpointer data)
{
  g_autoptr(UrbMap) same_place = test_town_new (9, 2600000, 1200000);
  g_autoptr(UrbMap) elsewhere = test_town_new (10, 1000, 1000);
  UrbariumView view;

  urbarium_canvas_set_view (fixture->canvas, 2600450, 1200450, 0.5);
  urbarium_canvas_set_map (fixture->canvas, same_place);
  view = urbarium_canvas_get_view (fixture->canvas);
  NEAR (view.center_x, 2600450, 1e-6);
  NEAR (view.m_per_px, 0.5, 1e-9);
  test_frames (fixture->window, 1);
  g_assert_true (has_pixels (fixture->canvas)); /* the old tiles */
  test_until (is_complete, fixture->canvas);
  urbarium_canvas_set_map (fixture->canvas, elsewhere);
  view = urbarium_canvas_get_view (fixture->canvas);
  NEAR (view.center_x, 1500, 1e-6);
  g_assert_cmpfloat (view.m_per_px, >, 1);
  test_until (is_complete, fixture->canvas);
  urbarium_canvas_set_map (fixture->canvas, NULL);
  test_frames (fixture->window, 2);
  g_assert_false (has_pixels (fixture->canvas));
  g_assert_null (urbarium_canvas_get_map (fixture->canvas));
}

static void
test_hides_classes (Fixture *fixture, gconstpointer data)
{
  const UrbariumPalette *palette = urbarium_palette_get (FALSE, FALSE);

  urbarium_canvas_set_class_visible (fixture->canvas, URB_CLASS_BUILDING, FALSE);
  test_until (is_complete, fixture->canvas);
  test_frames (fixture->window, 1);
  g_assert_cmphex (color_at (fixture, 2600437, 1200450), ==,
                   hex (palette->fills[URB_CLASS_OTHER]));
  urbarium_canvas_set_class_visible (fixture->canvas, URB_CLASS_BUILDING, TRUE);
  test_until (is_complete, fixture->canvas);
  test_frames (fixture->window, 1);
  g_assert_cmphex (color_at (fixture, 2600437, 1200450), ==,
                   hex (palette->fills[URB_CLASS_BUILDING]));
}

static void
test_dark (Fixture *fixture, gconstpointer data)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  const UrbariumPalette *palette = urbarium_palette_get (TRUE, FALSE);

  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_FORCE_DARK);
  test_until (is_complete, fixture->canvas);
  test_frames (fixture->window, 1);
  g_assert_cmphex (color_at (fixture, 2600437, 1200450), ==,
                   hex (palette->fills[URB_CLASS_BUILDING]));
  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_DEFAULT);
}

static void
test_never_a_hole (Fixture *fixture, gconstpointer data)
{
  const UrbariumPalette *palette = urbarium_palette_get (FALSE, FALSE);

  /* A sudden move far away: stand-ins are shown. */
  for (int i = 0; i < 20; i++)
    {
      double x = 2600050 + 100 * g_test_rand_int_range (0, 10);
      double y = 1200050 + 100 * g_test_rand_int_range (0, 10);

      urbarium_canvas_set_view (fixture->canvas, x, y, 0.01 * g_test_rand_int_range (1, 300));
      g_assert_cmphex (color_at (fixture, x, y), !=, hex (palette->paper));
    }
}

static void
test_pans_by_keys (Fixture *fixture, gconstpointer data)
{
  UrbariumView before, after;

  urbarium_canvas_set_view (fixture->canvas, 2600500, 1200500, 0.5);
  before = urbarium_canvas_get_view (fixture->canvas);
  g_assert_true (press (fixture, GDK_KEY_Right, 0));
  g_assert_true (press (fixture, GDK_KEY_Up, 0));
  after = urbarium_canvas_get_view (fixture->canvas);
  NEAR (after.center_x - before.center_x, 32, 1e-6);
  NEAR (after.center_y - before.center_y, 32, 1e-6);
  g_assert_true (press (fixture, GDK_KEY_KP_Left, 0));
  g_assert_true (press (fixture, GDK_KEY_Down, 0));
  after = urbarium_canvas_get_view (fixture->canvas);
  NEAR (after.center_x, before.center_x, 1e-6);
  NEAR (after.center_y, before.center_y, 1e-6);
  g_assert_cmpuint (fixture->n_view_changed, ==, 5);
}

static void
test_zooms_by_keys (Fixture *fixture, gconstpointer data)
{
  UrbariumView before = urbarium_canvas_get_view (fixture->canvas), after;

  g_assert_true (press (fixture, GDK_KEY_plus, 0));
  after = urbarium_canvas_get_view (fixture->canvas);
  g_assert_cmpfloat (after.m_per_px, <, before.m_per_px);
  NEAR (after.center_x, before.center_x, 1e-6);
  g_assert_true (press (fixture, GDK_KEY_KP_Subtract, 0));
  after = urbarium_canvas_get_view (fixture->canvas);
  NEAR (after.m_per_px, before.m_per_px, 1e-9);
  urbarium_canvas_set_view (fixture->canvas, 2600100, 1200100, 0.3);
  g_assert_true (press (fixture, GDK_KEY_0, 0));
  after = urbarium_canvas_get_view (fixture->canvas);
  NEAR (after.m_per_px, before.m_per_px, 1e-9);
  urbarium_canvas_zoom (fixture->canvas, 2);
  after = urbarium_canvas_get_view (fixture->canvas);
  NEAR (after.m_per_px, before.m_per_px / 2, 1e-9);
  g_assert_true (press (fixture, GDK_KEY_Home, 0));
  after = urbarium_canvas_get_view (fixture->canvas);
  NEAR (after.m_per_px, before.m_per_px, 1e-9);
}

static void
test_clicks_by_keys (Fixture *fixture, gconstpointer data)
{
  urbarium_canvas_set_view (fixture->canvas, 2600500, 1200500, 0.5);
  g_assert_false (press (fixture, GDK_KEY_Return, 0)); /* no cursor yet: left to the window */
  g_assert_true (press (fixture, GDK_KEY_Left, GDK_SHIFT_MASK)); /* shows the cursor */
  g_assert_true (press (fixture, GDK_KEY_Right, GDK_SHIFT_MASK));
  g_assert_true (press (fixture, GDK_KEY_Down, GDK_SHIFT_MASK | GDK_CONTROL_MASK));
  g_assert_cmpuint (fixture->n_pointer, ==, 3);
  g_assert_true (fixture->inside);
  g_assert_true (press (fixture, GDK_KEY_Return, GDK_SHIFT_MASK));
  g_assert_cmpuint (fixture->n_clicked, ==, 1);
  NEAR (fixture->x, 2600508, 0.51);
  NEAR (fixture->y, 1200499.5, 0.51);
  g_assert_cmpuint (fixture->modifiers, ==, GDK_SHIFT_MASK);
  test_frames (fixture->window, 2);
  test_screenshot (fixture->window, "canvas-cursor");
  /* At the edge, the map moves. */
  for (int i = 0; i < 60; i++)
    press (fixture, GDK_KEY_Right, GDK_SHIFT_MASK);
  g_assert_cmpfloat (urbarium_canvas_get_view (fixture->canvas).center_x, >, 2600600);
  g_assert_true (press (fixture, GDK_KEY_Escape, 0));
  g_assert_false (fixture->inside);
  g_assert_false (press (fixture, GDK_KEY_Escape, 0));
}

static void
test_lasso_by_keys (Fixture *fixture, gconstpointer data)
{
  const double *xy;

  g_object_set (fixture->canvas, "tool", URBARIUM_CANVAS_LASSO, NULL);
  urbarium_canvas_set_view (fixture->canvas, 2600500, 1200500, 1);
  press (fixture, GDK_KEY_Left, GDK_SHIFT_MASK);
  press (fixture, GDK_KEY_space, 0);
  press (fixture, GDK_KEY_Right, GDK_SHIFT_MASK);
  press (fixture, GDK_KEY_space, 0);
  g_assert_true (press (fixture, GDK_KEY_Return, 0)); /* two vertices are no loop: a click */
  g_assert_cmpuint (fixture->n_clicked, ==, 1);
  press (fixture, GDK_KEY_Right, GDK_SHIFT_MASK);
  press (fixture, GDK_KEY_space, 0);
  g_assert_true (press (fixture, GDK_KEY_BackSpace, 0)); /* nothing to remove */
  press (fixture, GDK_KEY_Down, GDK_SHIFT_MASK);
  press (fixture, GDK_KEY_space, 0);
  g_assert_cmpuint (fixture->n_lasso, ==, 0);
  test_frames (fixture->window, 2);
  test_screenshot (fixture->window, "canvas-lasso");
  g_assert_true (press (fixture, GDK_KEY_Return, 0));
  g_assert_cmpuint (fixture->n_lasso, ==, 1);
  g_assert_cmpuint (fixture->lasso->len, ==, 6);
  xy = (const double *) (void *) fixture->lasso->data;
  NEAR (xy[0], 2600500, 0.51);
  NEAR (xy[2], 2600516, 0.51);
  NEAR (xy[4], 2600532, 0.51);
  NEAR (xy[5], 1200484, 0.51);
  g_assert_false (press (fixture, GDK_KEY_BackSpace, 0));
}

/* Mouse gestures, by their signals: GTK cannot create events for tests. */
static void
test_drags (Fixture *fixture, gconstpointer data)
{
  UrbariumView before, after;

  urbarium_canvas_set_view (fixture->canvas, 2600500, 1200500, 0.5);
  before = urbarium_canvas_get_view (fixture->canvas);
  g_signal_emit_by_name (fixture->canvas->drag, "drag-begin", 400.0, 300.0);
  g_signal_emit_by_name (fixture->canvas->drag, "drag-update", 2.0, 1.0); /* below the threshold */
  after = urbarium_canvas_get_view (fixture->canvas);
  g_assert_true (urbarium_view_is_same (&before, &after));
  g_signal_emit_by_name (fixture->canvas->drag, "drag-update", 60.0, 10.0);
  g_signal_emit_by_name (fixture->canvas->drag, "drag-update", 100.0, 40.0);
  g_signal_emit_by_name (fixture->canvas->drag, "drag-end", 100.0, 40.0);
  after = urbarium_canvas_get_view (fixture->canvas);
  NEAR (after.center_x, 2600450, 1e-6);
  NEAR (after.center_y, 1200520, 1e-6);
  g_assert_cmpuint (fixture->n_clicked, ==, 0);
}

static void
test_clicks_by_hand (Fixture *fixture, gconstpointer data)
{
  UrbariumView view;
  double x, y;

  urbarium_canvas_set_view (fixture->canvas, 2600500, 1200500, 1);
  g_signal_emit_by_name (fixture->canvas->drag, "drag-begin", 410.0, 290.0);
  g_signal_emit_by_name (fixture->canvas->drag, "drag-update", 1.0, 0.0);
  g_signal_emit_by_name (fixture->canvas->drag, "drag-end", 1.0, 0.0);
  g_assert_cmpuint (fixture->n_clicked, ==, 1);
  view = urbarium_canvas_get_view (fixture->canvas);
  urbarium_view_to_map (&view, 411, 290, &x, &y);
  NEAR (fixture->x, x, 1e-6);
  NEAR (fixture->y, y, 1e-6);
  /* The first of two fingers of a pinch. */
  g_signal_emit_by_name (fixture->canvas->drag, "drag-begin", 410.0, 290.0);
  g_signal_emit_by_name (fixture->canvas->pinch, "begin", NULL);
  g_signal_emit_by_name (fixture->canvas->drag, "drag-end", 0.0, 0.0);
  g_assert_cmpuint (fixture->n_clicked, ==, 1);
}

static void
test_pinches (Fixture *fixture, gconstpointer data)
{
  UrbariumView after;

  urbarium_canvas_set_view (fixture->canvas, 2600500, 1200500, 1);
  g_signal_emit_by_name (fixture->canvas->pinch, "begin", NULL);
  g_signal_emit_by_name (fixture->canvas->pinch, "scale-changed", 1.5);
  g_signal_emit_by_name (fixture->canvas->pinch, "scale-changed", 2.0);
  after = urbarium_canvas_get_view (fixture->canvas);
  NEAR (after.m_per_px, 0.5, 1e-9);
  NEAR (after.center_x, 2600500, 1e-6);
}

static void
test_lasso_by_hand (Fixture *fixture, gconstpointer data)
{
  UrbariumView view;
  const double *xy;
  double x, y;

  g_object_set (fixture->canvas, "tool", URBARIUM_CANVAS_LASSO, NULL);
  urbarium_canvas_set_view (fixture->canvas, 2600500, 1200500, 1);
  g_signal_emit_by_name (fixture->canvas->drag, "drag-begin", 400.0, 300.0);
  for (int i = 0; i <= 100; i++)
    g_signal_emit_by_name (fixture->canvas->drag, "drag-update", 100 * sin (0.06 * i),
                           100 - 100 * cos (0.06 * i));
  g_signal_emit_by_name (fixture->canvas->drag, "drag-end", 0.0, 0.0);
  g_assert_cmpuint (fixture->n_lasso, ==, 1);
  g_assert_cmpuint (fixture->lasso->len, >, 100);
  g_assert_cmpuint (fixture->lasso->len % 2, ==, 0);
  xy = (const double *) (void *) fixture->lasso->data;
  view = urbarium_canvas_get_view (fixture->canvas);
  urbarium_view_to_map (&view, 400, 300, &x, &y); /* position of the press */
  NEAR (xy[0], x, 1e-6);
  NEAR (xy[1], y, 1e-6);
  NEAR (urbarium_canvas_get_view (fixture->canvas).center_x, 2600500, 1e-6);
  /* A line is no loop. */
  g_signal_emit_by_name (fixture->canvas->drag, "drag-begin", 400.0, 300.0);
  g_signal_emit_by_name (fixture->canvas->drag, "drag-update", 0.0, 20.0);
  g_signal_emit_by_name (fixture->canvas->drag, "drag-end", 0.0, 20.0);
  g_assert_cmpuint (fixture->n_lasso, ==, 1);
}

static void
overlay_cb (GtkSnapshot *snapshot, const UrbariumView *view, gpointer data)
{
  Fixture *fixture = data;
  GdkRGBA red = { 1, 0, 0, 1 };
  double px, py;

  fixture->n_drawn++;
  urbarium_view_from_map (view, 2600400, 1200400, &px, &py);
  gtk_snapshot_append_color (snapshot, &red, &GRAPHENE_RECT_INIT (px - 5, py - 5, 10, 10));
}

static void
test_overlays (Fixture *fixture, gconstpointer data)
{
  guint id = urbarium_canvas_add_overlay (fixture->canvas, overlay_cb, fixture);
  guint other = urbarium_canvas_add_overlay (fixture->canvas, overlay_cb, fixture);

  g_assert_cmpuint (id, !=, 0);
  g_assert_cmpuint (other, !=, id);
  test_frames (fixture->window, 2);
  g_assert_cmpuint (fixture->n_drawn, >=, 2);
  g_assert_cmphex (color_at (fixture, 2600400, 1200400), ==, 0xff0000);
  urbarium_canvas_remove_overlay (fixture->canvas, id);
  urbarium_canvas_remove_overlay (fixture->canvas, other);
  g_assert_cmphex (color_at (fixture, 2600400, 1200400), !=, 0xff0000);
  urbarium_canvas_add_overlay (fixture->canvas, overlay_cb, fixture);
}

static void
test_shows_a_box (Fixture *fixture, gconstpointer data)
{
  UrbBox box = { 2600200, 1200200, 2600300, 1200220 }, seen;
  UrbariumView view;

  urbarium_canvas_show_box (fixture->canvas, box);
  view = urbarium_canvas_get_view (fixture->canvas);
  seen = urbarium_view_get_box (&view);
  g_assert_true (seen.min_x < box.min_x && seen.max_x > box.max_x);
  g_assert_cmpfloat (seen.max_x - seen.min_x, <, 130);
}

static gboolean
has_landed (gpointer data)
{
  return ((UrbariumCanvas *) data)->motion.kind == MOTION_NONE;
}

static void
test_motion (Fixture *fixture, gconstpointer data)
{
  GtkSettings *settings = gtk_settings_get_default ();
  UrbBox box = { 2600200, 1200200, 2600300, 1200220 };
  UrbariumView start, view;

  g_object_set (settings, "gtk-enable-animations", TRUE, NULL);
  start = urbarium_canvas_get_view (fixture->canvas);
  urbarium_canvas_show_box (fixture->canvas, box);
  view = urbarium_canvas_get_view (fixture->canvas);
  g_assert_true (urbarium_view_is_same (&start, &view)); /* it has just begun */
  test_until (has_landed, fixture->canvas);
  NEAR (urbarium_canvas_get_view (fixture->canvas).center_x, 2600250, 1e-6);
  g_assert_cmpuint (fixture->n_view_changed, >, 2);

  urbarium_canvas_set_view (fixture->canvas, 2600500, 1200500, 1);
  urbarium_canvas_zoom_at (fixture->canvas, 100, 100, 2);
  urbarium_canvas_zoom_at (fixture->canvas, 100, 100, 2); /* accumulates */
  test_until (has_landed, fixture->canvas);
  NEAR (urbarium_canvas_get_view (fixture->canvas).m_per_px, 0.25, 1e-9);

  start = urbarium_canvas_get_view (fixture->canvas);
  urbarium_canvas_fling (fixture->canvas, -800, 0);
  test_until (has_landed, fixture->canvas);
  view = urbarium_canvas_get_view (fixture->canvas);
  NEAR (view.center_x - start.center_x, 800 * 0.25 * 0.25, 5); /* speed, time constant, scale */
  NEAR (view.center_y, start.center_y, 1e-6);

  urbarium_canvas_fling (fixture->canvas, -800, 0);
  urbarium_canvas_set_view (fixture->canvas, 2600500, 1200500, 1); /* stops it */
  g_assert_true (has_landed (fixture->canvas));
  g_object_set (settings, "gtk-enable-animations", FALSE, NULL);
}

/* Two canvases that follow each other converge. */
static void
follow_cb (UrbariumCanvas *canvas, UrbariumCanvas *other)
{
  UrbariumView view = urbarium_canvas_get_view (canvas);

  urbarium_canvas_set_view (other, view.center_x, view.center_y, view.m_per_px);
}

static void
test_shared_view (Fixture *fixture, gconstpointer data)
{
  UrbariumCanvas *other = URBARIUM_CANVAS (g_object_new (URBARIUM_TYPE_CANVAS, NULL));
  UrbariumView a, b;
  guint n;

  g_object_ref_sink (other);
  urbarium_canvas_set_map (other, fixture->map);
  g_signal_connect (fixture->canvas, "view-changed", G_CALLBACK (follow_cb), other);
  g_signal_connect (other, "view-changed", G_CALLBACK (follow_cb), fixture->canvas);
  n = fixture->n_view_changed;
  urbarium_canvas_set_view (fixture->canvas, 2600123, 1200321, 0.7);
  a = urbarium_canvas_get_view (fixture->canvas);
  b = urbarium_canvas_get_view (other);
  NEAR (a.center_x, b.center_x, 1e-9);
  NEAR (a.m_per_px, b.m_per_px, 1e-9);
  g_assert_cmpuint (fixture->n_view_changed, ==, n + 1);
  g_signal_handlers_disconnect_by_data (fixture->canvas, other);
  test_assert_last_unref (other);
}

static void
test_finalized_while_drawing (void)
{
  g_autoptr(UrbMap) map = test_town_new (100, 0, 0);

  for (int i = 0; i < 10; i++)
    {
      GtkWidget *canvas = g_object_new (URBARIUM_TYPE_CANVAS, NULL);
      GtkWindow *window = test_window_new (canvas, 400, 300);

      urbarium_canvas_set_map (URBARIUM_CANVAS (canvas), map);
      urbarium_canvas_set_view (URBARIUM_CANVAS (canvas), 5000, 5000, 0.1 * (i + 1));
      test_frames (window, 1 + i % 3);
      test_window_destroy (window);
    }
}

/* An empty map, and one without extent. */
static void
test_small_maps (void)
{
  const double xy[] = { 5, 5, 6, 5, 5, 6 };
  const guint32 size = 3, rings = 1;
  const guint8 class_ = URB_CLASS_BUILDING;
  g_autoptr(UrbMap) tiny = made_up_map_new (xy, &size, &rings, &class_, 1, 0);
  GtkWidget *canvas = g_object_new (URBARIUM_TYPE_CANVAS, NULL);
  GtkWindow *window;

  urbarium_canvas_set_map (URBARIUM_CANVAS (canvas), tiny); /* before allocation */
  window = test_window_new (canvas, 400, 300);
  test_until (is_complete, canvas);
  NEAR (urbarium_canvas_get_view (URBARIUM_CANVAS (canvas)).center_x, 5.5, 1e-9);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
#define ADD(name, func) g_test_add ("/app/canvas/" name, Fixture, NULL, setup, func, teardown)
  ADD ("shows-a-map", test_shows_a_map);
  ADD ("sees-other-maps", test_sees_other_maps);
  ADD ("hides-classes", test_hides_classes);
  ADD ("dark", test_dark);
  ADD ("never-a-hole", test_never_a_hole);
  ADD ("pans-by-keys", test_pans_by_keys);
  ADD ("zooms-by-keys", test_zooms_by_keys);
  ADD ("clicks-by-keys", test_clicks_by_keys);
  ADD ("lasso-by-keys", test_lasso_by_keys);
  ADD ("drags", test_drags);
  ADD ("clicks-by-hand", test_clicks_by_hand);
  ADD ("pinches", test_pinches);
  ADD ("lasso-by-hand", test_lasso_by_hand);
  ADD ("overlays", test_overlays);
  ADD ("shows-a-box", test_shows_a_box);
  ADD ("motion", test_motion);
  ADD ("shared-view", test_shared_view);
  g_test_add_func ("/app/canvas/finalized-while-drawing", test_finalized_while_drawing);
  g_test_add_func ("/app/canvas/small-maps", test_small_maps);
  return g_test_run ();
}
