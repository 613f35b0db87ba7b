/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/latent-pad.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/plot/chart-style.h"

enum { MIN_PX = 120, NATURAL_PX = 220, POINT_PX = 9, EDGE_PX = 10 };

#define STEP 0.05
#define PAGE 0.25

struct _UrbariumLatentPad
{
  GtkWidget   parent_instance;
  double      x, y;
  double      press_x, press_y; /* pixels: start of the drag */
  GtkGesture *drag;
};

G_DEFINE_FINAL_TYPE (UrbariumLatentPad, urbarium_latent_pad, GTK_TYPE_WIDGET)

static guint moved_signal;

char *
urbarium_latent_pad_dup_place (double x, double y)
{
  static const char *const places[2][2] = {
    /* translators: where a point is in a square, seen from its middle: 20 % left, 5 % down */
    { N_ ("%s left, %s down"), N_ ("%s left, %s up") },
    { N_ ("%s right, %s down"), N_ ("%s right, %s up") },
  };
  g_autofree char *across = urbarium_format_percent (fabs (x)), *along = urbarium_format_percent (fabs (y));

  return g_strdup_printf (_ (places[x >= 0][y >= 0]), across, along);
}

static void
update_accessible (UrbariumLatentPad *self)
{
  g_autofree char *text = urbarium_latent_pad_dup_place (self->x, self->y);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Variation of the city"),
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, -1.0, GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, 1.0,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, self->x, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text,
                                  -1);
}

void
urbarium_latent_pad_set_point (UrbariumLatentPad *self, double x, double y)
{
  g_return_if_fail (URBARIUM_IS_LATENT_PAD (self));
  self->x = CLAMP (x, -1, 1);
  self->y = CLAMP (y, -1, 1);
  update_accessible (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

double
urbarium_latent_pad_get_x (UrbariumLatentPad *self)
{
  return self->x;
}

double
urbarium_latent_pad_get_y (UrbariumLatentPad *self)
{
  return self->y;
}

static void
move_to (UrbariumLatentPad *self, double x, double y)
{
  double x_before = self->x, y_before = self->y;

  urbarium_latent_pad_set_point (self, x, y);
  if (self->x != x_before || self->y != y_before)
    g_signal_emit (self, moved_signal, 0);
}

/* ------------------------------------------------------------------------ */
/* The square, in the middle of the widget                                   */

static double
get_edge (UrbariumLatentPad *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  return MAX (MIN (gtk_widget_get_width (widget), gtk_widget_get_height (widget)) - 2 * EDGE_PX, 1);
}

static void
move_to_px (UrbariumLatentPad *self, double x, double y)
{
  GtkWidget *widget = GTK_WIDGET (self);
  double half = get_edge (self) / 2;

  move_to (self, (x - gtk_widget_get_width (widget) / 2.0) / half, (gtk_widget_get_height (widget) / 2.0 - y) / half);
}

static void
append_line (GtkSnapshot *snapshot, double x, double y, double width, double height, const GdkRGBA *color)
{
  gtk_snapshot_append_color (snapshot, color,
                             &GRAPHENE_RECT_INIT ((float) x, (float) y, (float) width, (float) height));
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  UrbariumLatentPad *self = URBARIUM_LATENT_PAD (widget);
  double edge = get_edge (self), middle_x = gtk_widget_get_width (widget) / 2.0,
         middle_y = gtk_widget_get_height (widget) / 2.0, left = middle_x - edge / 2, top = middle_y - edge / 2;
  double x = middle_x + self->x * edge / 2, y = middle_y - self->y * edge / 2;
  g_auto(UrbariumChartStyle) style = { 0 };

  urbarium_chart_style_init_widget (&style, widget);
  urbarium_chart_append_rounded (snapshot, left - 1, top - 1, edge + 2, edge + 2, 6, &style.dim);
  urbarium_chart_append_rounded (snapshot, left, top, edge, edge, 5, &style.paper);
  append_line (snapshot, left, middle_y, edge, 1, &style.grid);
  append_line (snapshot, middle_x, top, 1, edge, &style.grid);
  urbarium_chart_append_rounded (snapshot, x - POINT_PX, y - POINT_PX, 2 * POINT_PX, 2 * POINT_PX, POINT_PX, &style.paper);
  urbarium_chart_append_rounded (snapshot, x - POINT_PX + 2, y - POINT_PX + 2, 2 * POINT_PX - 4, 2 * POINT_PX - 4,
                                 POINT_PX - 2, &style.accent);
}

static GtkSizeRequestMode
get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
         int *natural_baseline)
{
  *minimum = MIN_PX;
  *natural = orientation == GTK_ORIENTATION_VERTICAL && for_size >= 0 ? CLAMP (for_size, MIN_PX, NATURAL_PX) : NATURAL_PX;
  if (orientation == GTK_ORIENTATION_VERTICAL)
    *minimum = *natural;
}

/* ------------------------------------------------------------------------ */
/* Pointer and keys                                                          */

static void
drag_begin_cb (UrbariumLatentPad *self, double x, double y)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  gtk_gesture_set_state (self->drag, GTK_EVENT_SEQUENCE_CLAIMED); /* prevents scrolling */
  self->press_x = x;
  self->press_y = y;
  move_to_px (self, x, y);
}

static void
drag_update_cb (UrbariumLatentPad *self, double offset_x, double offset_y)
{
  move_to_px (self, self->press_x + offset_x, self->press_y + offset_y);
}

static gboolean
key_cb (UrbariumLatentPad *self, guint key, guint code, GdkModifierType state)
{
  static const struct { guint key, keypad; double dx, dy; } moves[] = {
    { GDK_KEY_Left, GDK_KEY_KP_Left, -STEP, 0 },
    { GDK_KEY_Right, GDK_KEY_KP_Right, STEP, 0 },
    { GDK_KEY_Down, GDK_KEY_KP_Down, 0, -STEP },
    { GDK_KEY_Up, GDK_KEY_KP_Up, 0, STEP },
    { GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down, 0, -PAGE },
    { GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up, 0, PAGE },
  };

  if ((state & gtk_accelerator_get_default_mod_mask ()) != 0)
    return GDK_EVENT_PROPAGATE;
  if (key == GDK_KEY_Home || key == GDK_KEY_KP_Home)
    {
      move_to (self, 0, 0);
      return GDK_EVENT_STOP;
    }
  for (guint i = 0; i < G_N_ELEMENTS (moves); i++)
    if (key == moves[i].key || key == moves[i].keypad)
      {
        /* In whole hundredths, so that steps back meet the middle. */
        move_to (self, rint (100 * (self->x + moves[i].dx)) / 100, rint (100 * (self->y + moves[i].dy)) / 100);
        return GDK_EVENT_STOP;
      }
  return GDK_EVENT_PROPAGATE;
}

static void
urbarium_latent_pad_class_init (UrbariumLatentPadClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = snapshot;
  widget_class->measure = measure;
  widget_class->get_request_mode = get_request_mode;
  moved_signal = g_signal_new ("moved", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name (widget_class, "latentpad");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_SLIDER);
}

static void
urbarium_latent_pad_init (UrbariumLatentPad *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *key = gtk_event_controller_key_new ();

  gtk_widget_set_focusable (widget, TRUE);
  self->drag = gtk_gesture_drag_new ();
  g_signal_connect_swapped (self->drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (self->drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (self->drag));
  g_signal_connect_swapped (key, "key-pressed", G_CALLBACK (key_cb), self);
  gtk_widget_add_controller (widget, key);
  update_accessible (self);
}
