/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy-diagram.c - 64 x 40 px, in the text and accent colors.
 *
 * Reads from left to right in every language; it is not mirrored.  A box is a device, filled as far
 * as it holds the networks; bars are its share of the batch.  Pipelines show their schedule.
 */
#include "app/train/strategy-diagram.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 64, HEIGHT = 40 };

struct _UrbariumStrategyDiagram
{
  GtkWidget parent_instance;
  guint     strategy;
};

G_DEFINE_FINAL_TYPE (UrbariumStrategyDiagram, urbarium_strategy_diagram, GTK_TYPE_WIDGET)

typedef struct
{
  cairo_t *cr;
  GdkRGBA  ink, accent;
  guint    strategy;
} Pen;

static void
set_color (Pen *pen, const GdkRGBA *color, double alpha)
{
  cairo_set_source_rgba (pen->cr, color->red, color->green, color->blue, color->alpha * alpha);
}

static void
path_box (Pen *pen, double x, double y, double w, double h)
{
  const double r = 2.5;
  cairo_new_sub_path (pen->cr);
  cairo_arc (pen->cr, x + w - r, y + r, r, -G_PI / 2, 0);
  cairo_arc (pen->cr, x + w - r, y + h - r, r, 0, G_PI / 2);
  cairo_arc (pen->cr, x + r, y + h - r, r, G_PI / 2, G_PI);
  cairo_arc (pen->cr, x + r, y + r, r, G_PI, 3 * G_PI / 2);
  cairo_close_path (pen->cr);
}

/* A device that holds the part from @from to @to of the networks, from top to bottom. */
static void
draw_device (Pen *pen, double x, double y, double w, double h, double from, double to)
{
  cairo_save (pen->cr);
  path_box (pen, x, y, w, h);
  cairo_clip (pen->cr);
  set_color (pen, &pen->accent, 0.75);
  cairo_rectangle (pen->cr, x, y + from * h, w, (to - from) * h);
  cairo_fill (pen->cr);
  cairo_restore (pen->cr);
  path_box (pen, x, y, w, h);
  set_color (pen, &pen->ink, 0.8);
  cairo_stroke (pen->cr);
}

static void
draw_arrow (Pen *pen, double x0, double y0, double x1, double y1, gboolean both)
{
  double angle = atan2 (y1 - y0, x1 - x0);
  set_color (pen, &pen->ink, 0.6);
  cairo_move_to (pen->cr, x0, y0);
  cairo_line_to (pen->cr, x1, y1);
  cairo_stroke (pen->cr);
  for (int end = 0; end < (both ? 2 : 1); end++)
    {
      double x = end == 0 ? x1 : x0, y = end == 0 ? y1 : y0;
      double back = angle + (end == 0 ? G_PI : 0);
      cairo_move_to (pen->cr, x + 3.5 * cos (back - 0.6), y + 3.5 * sin (back - 0.6));
      cairo_line_to (pen->cr, x, y);
      cairo_line_to (pen->cr, x + 3.5 * cos (back + 0.6), y + 3.5 * sin (back + 0.6));
      cairo_stroke (pen->cr);
    }
}

static void
draw_batch (Pen *pen, double x, double y, int n)
{
  set_color (pen, &pen->ink, 0.45);
  for (int i = 0; i < n; i++)
    cairo_rectangle (pen->cr, x, y + 4 * i, 8, 2.5);
  cairo_fill (pen->cr);
}

static void
draw_single (Pen *pen)
{
  draw_batch (pen, 9, 12.5, 4);
  draw_arrow (pen, 21, 20, 30, 20, FALSE);
  draw_device (pen, 34, 9, 20, 22, 0, 1);
}

static void
draw_shared (Pen *pen)
{
  draw_device (pen, 22, 5, 20, 13, 0, 1);
  for (int i = 0; i < 3; i++)
    {
      double x = 5 + 21 * i;
      draw_device (pen, x, 28, 12, 8, 0, 0);
      draw_arrow (pen, x + 6, 26.5, 27 + 5 * i, 20, TRUE);
    }
}

/* Like draw_shared(), in one process. */
static void
draw_threads (Pen *pen)
{
  path_box (pen, 3, 2, 58, 36);
  set_color (pen, &pen->ink, 0.45);
  cairo_stroke (pen->cr);
  draw_device (pen, 22, 6, 20, 11, 0, 1);
  for (int i = 0; i < 3; i++)
    {
      double x = 12 + 20 * i;
      set_color (pen, &pen->ink, 0.8);
      cairo_arc (pen->cr, x, 32, 2.5, 0, 2 * G_PI);
      cairo_fill (pen->cr);
      draw_arrow (pen, x, 28, 27 + 5 * i, 19.5, TRUE);
    }
}

static void
draw_scatter (Pen *pen)
{
  draw_batch (pen, 5, 12.5, 4);
  for (int i = 0; i < 3; i++)
    {
      double y = 3 + 12 * i;
      draw_arrow (pen, 17, 20, 33, y + 5, FALSE);
      draw_device (pen, 36, y, 22, 10, 0, 1);
    }
}

/* Copies of the networks that hold the part from [0] to [1] each. */
static void
draw_copies (Pen *pen)
{
  static const double shares[][3][2] = {
    [URB_STRATEGY_DDP] = { { 0, 1 }, { 0, 1 }, { 0, 1 } },
    [URB_STRATEGY_ZERO1] = { { 0, 0.75 }, { 0, 0.75 }, { 0, 0.75 } },
    [URB_STRATEGY_ZERO2] = { { 0, 0.5 }, { 0, 0.5 }, { 0, 0.5 } },
    [URB_STRATEGY_ZERO3] = { { 0, 0.33 }, { 0.33, 0.67 }, { 0.67, 1 } },
  };
  for (int i = 0; i < 3; i++)
    {
      double x = 4 + 21 * i;
      draw_device (pen, x, 6, 14, 18, shares[pen->strategy][i][0], shares[pen->strategy][i][1]);
      if (i < 2)
        draw_arrow (pen, x + 15, 15, x + 20, 15, TRUE);
      draw_batch (pen, x + 3, 29, 2);
    }
}

/* Layers on one device after the other. */
static void
draw_layers (Pen *pen)
{
  for (int i = 0; i < 3; i++)
    {
      double x = 4 + 21 * i;
      draw_device (pen, x, 12, 14, 16, i / 3.0, (i + 1) / 3.0);
      if (i < 2)
        draw_arrow (pen, x + 15, 20, x + 20, 20, FALSE);
    }
}

/* What each device of a pipeline does in time, from left to right: forward (F, and f for the second
 * part of a device), backward (B, b), gradients of weights (W), waiting (.). */
static void
draw_schedule (Pen *pen)
{
  static const char *const rows[][3] = {
    [URB_STRATEGY_GPIPE] = { "FFFF....BBBB", ".FFFF..BBBB.", "..FFFFBBBB.." },
    [URB_STRATEGY_1F1B] = { "FFF..BFB.B.B", ".FF.BFBFB.B.", "..FBFBFBFB.." },
    [URB_STRATEGY_INTERLEAVED] = { "FFFfff....bbbBBB", ".FFFfff..bbbBBB.", "..FFFfffbbbBBB.." },
    [URB_STRATEGY_ZB] = { "FFF..BFBWBWBWW", ".FF.BFBFBWBWWW", "..FBFBFBFBWWWW" },
  };
  const int n = (int) strlen (rows[pen->strategy][0]);
  const double cell = 56.0 / n;
  for (int y = 0; y < 3; y++)
    for (int x = 0; x < n; x++)
      {
        char task = rows[pen->strategy][y][x];
        gboolean forward = g_ascii_toupper (task) == 'F';
        if (task == '.')
          continue;
        set_color (pen, forward ? &pen->accent : &pen->ink,
                   task == 'W' ? 0.25 : g_ascii_islower (task) ? 0.4 : forward ? 0.9 : 0.6);
        cairo_rectangle (pen->cr, 4 + cell * x, 5 + 11 * y, cell - 1, 8);
        cairo_fill (pen->cr);
      }
}

static void
draw_tensor (Pen *pen)
{
  draw_batch (pen, 5, 12.5, 4);
  for (int i = 0; i < 3; i++)
    {
      double y = 4 + 11 * i;
      draw_arrow (pen, 17, 20, 26, y + 5, FALSE);
      draw_device (pen, 29, y, 29, 9, 0, 1);
    }
  set_color (pen, &pen->ink, 0.8);
  cairo_rectangle (pen->cr, 26.5, 1.5, 34, 37);
  cairo_stroke (pen->cr);
}

/* Copies, one above the other, of devices with a third of the layers each. */
static void
draw_mesh (Pen *pen)
{
  for (int x = 0; x < 3; x++)
    {
      double left = 4 + 21 * x;
      for (int y = 0; y < 2; y++)
        {
          draw_device (pen, left, 3 + 21 * y, 14, 13, x / 3.0, (x + 1) / 3.0);
          if (x < 2)
            draw_arrow (pen, left + 15, 9.5 + 21 * y, left + 20, 9.5 + 21 * y, FALSE);
        }
      draw_arrow (pen, left + 7, 17.5, left + 7, 22.5, TRUE);
    }
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  static void (*const draw[]) (Pen *) = {
    [URB_STRATEGY_SINGLE] = draw_single,       [URB_STRATEGY_HOGWILD] = draw_shared,
    [URB_STRATEGY_STREAMS] = draw_threads,     [URB_STRATEGY_DP] = draw_scatter,
    [URB_STRATEGY_DDP] = draw_copies,          [URB_STRATEGY_ZERO1] = draw_copies,
    [URB_STRATEGY_ZERO2] = draw_copies,        [URB_STRATEGY_ZERO3] = draw_copies,
    [URB_STRATEGY_LAYERS] = draw_layers,
    [URB_STRATEGY_GPIPE] = draw_schedule,      [URB_STRATEGY_1F1B] = draw_schedule,
    [URB_STRATEGY_INTERLEAVED] = draw_schedule, [URB_STRATEGY_ZB] = draw_schedule,
    [URB_STRATEGY_TENSOR] = draw_tensor,       [URB_STRATEGY_MESH] = draw_mesh,
  };
  UrbariumStrategyDiagram *self = URBARIUM_STRATEGY_DIAGRAM (widget);
  GtkStyleContext *style = gtk_widget_get_style_context (widget);
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, WIDTH, HEIGHT);
  Pen pen = { .strategy = self->strategy };
  gtk_style_context_get_color (style, &pen.ink);
  if (!gtk_style_context_lookup_color (style, "accent_color", &pen.accent))
    pen.accent = pen.ink;
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot,
                          &GRAPHENE_POINT_INIT ((gtk_widget_get_width (widget) - WIDTH) / 2.0f,
                                                (gtk_widget_get_height (widget) - HEIGHT) / 2.0f));
  pen.cr = gtk_snapshot_append_cairo (snapshot, &bounds);
  cairo_set_line_width (pen.cr, 1.25);
  cairo_set_line_cap (pen.cr, CAIRO_LINE_CAP_ROUND);
  draw[self->strategy](&pen);
  cairo_destroy (pen.cr);
  gtk_snapshot_restore (snapshot);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
         int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? WIDTH : HEIGHT;
}

static void
urbarium_strategy_diagram_class_init (UrbariumStrategyDiagramClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  widget_class->snapshot = snapshot;
  widget_class->measure = measure;
  /* The text next to it says the same. */
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
urbarium_strategy_diagram_init (UrbariumStrategyDiagram *self)
{
}

GtkWidget *
urbarium_strategy_diagram_new (guint strategy)
{
  UrbariumStrategyDiagram *self = g_object_new (URBARIUM_TYPE_STRATEGY_DIAGRAM, NULL);
  self->strategy = strategy;
  return GTK_WIDGET (self);
}
