/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exact.h - a widget of an exact size, and the pixels that it draws.
 */
#pragma once

#include "app-test.h"

G_BEGIN_DECLS

/* At least its natural size. A window may be smaller than requested: its shadow may count. */
static inline GtkWindow *
test_exact_window_new (GtkWidget *widget, int width, int height)
{
  GtkWindow *window;
  gtk_widget_set_size_request (widget, width, height);
  gtk_widget_set_halign (widget, GTK_ALIGN_START);
  gtk_widget_set_valign (widget, GTK_ALIGN_START);
  window = test_window_new (widget, width + 60, height + 60);
  g_assert_cmpint (gtk_widget_get_width (widget), ==, width);
  g_assert_cmpint (gtk_widget_get_height (widget), ==, height);
  return window;
}

/* Of the widget's size, premultiplied; transparent where it draws nothing. (transfer full) */
static inline cairo_surface_t *
test_draw (GtkWidget *widget)
{
  cairo_surface_t *surface = cairo_image_surface_create (
    CAIRO_FORMAT_ARGB32, gtk_widget_get_width (widget), gtk_widget_get_height (widget));
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  GskRenderNode *node;
  cairo_t *cr = cairo_create (surface);
  GTK_WIDGET_GET_CLASS (widget)->snapshot (widget, snapshot);
  node = gtk_snapshot_free_to_node (snapshot);
  if (node != NULL)
    {
      gsk_render_node_draw (node, cr);
      gsk_render_node_unref (node);
    }
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

static inline guint32
test_pixel (cairo_surface_t *surface, int x, int y)
{
  const guchar *row
    = cairo_image_surface_get_data (surface) + y * cairo_image_surface_get_stride (surface);
  g_assert_true (x >= 0 && x < cairo_image_surface_get_width (surface));
  g_assert_true (y >= 0 && y < cairo_image_surface_get_height (surface));
  return ((const guint32 *) (const void *) row)[x];
}

G_END_DECLS
