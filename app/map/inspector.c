/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/inspector.h"

#include <adwaita.h>

#include "app/map/parcel-popover.h"

/* A result that arrives sooner is shown without a spinner. */
enum { SPINNER_DELAY_MS = 250 };

struct _UrbariumInspector
{
  UrbariumMapDocument   *document; /* borrowed */
  UrbariumCanvas        *canvas;   /* borrowed */
  UrbariumParcelPopover *popover;  /* borrowed from the canvas's parent */
  guint                  overlay;
  GCancellable          *searching;     /* owned; nullable */
  guint                  spinner_delay; /* source */
  UrbariumParcel        *parcel;        /* owned; nullable */
};

static void
trace (cairo_t *cr, const UrbariumParcel *parcel, const UrbariumView *view)
{
  const double *xy = (const double *) (const void *) parcel->outline->data;
  for (guint r = 0; r < parcel->ring_sizes->len; r++)
    {
      guint n = g_array_index (parcel->ring_sizes, guint, r);
      for (guint i = 0; i < n; i++, xy += 2)
        {
          double px, py;
          urbarium_view_from_map (view, xy[0], xy[1], &px, &py);
          if (i == 0)
            cairo_move_to (cr, px, py);
          else
            cairo_line_to (cr, px, py);
        }
      cairo_close_path (cr);
    }
}

/* Strokes in the accent color on a wider line that contrasts with any class. */
static void
draw_cb (GtkSnapshot *snapshot, const UrbariumView *view, gpointer data)
{
  UrbariumInspector *self = data;
  GdkRGBA accent = { 0.21f, 0.52f, 0.89f, 1 };
  cairo_t *cr;
  if (self->parcel == NULL || self->parcel->outline->len == 0)
    return;
  gtk_style_context_lookup_color (gtk_widget_get_style_context (GTK_WIDGET (self->canvas)),
                                  "accent_color", &accent);
  cr = gtk_snapshot_append_cairo (
    snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) view->width, (float) view->height));
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_fill_rule (cr, CAIRO_FILL_RULE_EVEN_ODD);
  trace (cr, self->parcel, view);
  cairo_set_source_rgba (cr, accent.red, accent.green, accent.blue, 0.25);
  cairo_fill_preserve (cr);
  if (adw_style_manager_get_dark (adw_style_manager_get_default ()))
    cairo_set_source_rgba (cr, 0, 0, 0, 0.8);
  else
    cairo_set_source_rgba (cr, 1, 1, 1, 0.9);
  cairo_set_line_width (cr, 5);
  cairo_stroke_preserve (cr);
  gdk_cairo_set_source_rgba (cr, &accent);
  cairo_set_line_width (cr, 2.5);
  cairo_stroke (cr);
  cairo_destroy (cr);
}

static void
stop_search (UrbariumInspector *self)
{
  g_clear_handle_id (&self->spinner_delay, g_source_remove);
  g_cancellable_cancel (self->searching);
  g_clear_object (&self->searching);
}

static void
set_parcel (UrbariumInspector *self, UrbariumParcel *parcel)
{
  urbarium_parcel_popover_set_parcel (self->popover, parcel);
  g_clear_pointer (&self->parcel, urbarium_parcel_free);
  self->parcel = parcel;
  urbarium_canvas_queue_overlays (self->canvas);
}

static void
closed_cb (UrbariumInspector *self)
{
  stop_search (self);
  set_parcel (self, NULL);
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GError) error = NULL;
  UrbariumParcel *parcel = urbarium_parcel_find_finish (result, &error);
  UrbariumInspector *self;
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* the inspector may have been freed */
  self = data;
  g_clear_object (&self->searching);
  g_clear_handle_id (&self->spinner_delay, g_source_remove);
  set_parcel (self, parcel);
  if (parcel == NULL)
    gtk_popover_popdown (GTK_POPOVER (self->popover));
  else
    gtk_popover_popup (GTK_POPOVER (self->popover));
}

static gboolean
spinner_cb (gpointer data)
{
  UrbariumInspector *self = data;
  self->spinner_delay = 0;
  gtk_popover_popup (GTK_POPOVER (self->popover));
  return G_SOURCE_REMOVE;
}

static void
close_popover (UrbariumInspector *self)
{
  stop_search (self);
  gtk_popover_popdown (GTK_POPOVER (self->popover));
  set_parcel (self, NULL);
}

static void
clicked_cb (UrbariumInspector *self, double x, double y, guint modifiers)
{
  UrbMap *map = urbarium_map_document_get_map (self->document);
  UrbariumView view;
  double px, py;
  close_popover (self);
  if (map == NULL)
    return;
  view = urbarium_canvas_get_view (self->canvas);
  urbarium_view_from_map (&view, x, y, &px, &py);
  gtk_popover_set_pointing_to (GTK_POPOVER (self->popover),
                               &(GdkRectangle) { (int) px, (int) py, 1, 1 });
  self->searching = g_cancellable_new ();
  self->spinner_delay = g_timeout_add (SPINNER_DELAY_MS, spinner_cb, self);
  urbarium_parcel_find_async (map, urbarium_map_document_get_paths (self->document),
                              urbarium_map_document_get_address (self->document), x, y, self->searching,
                              found_cb, self);
}

/* The popover would point to another place. */
static void
view_changed_cb (UrbariumInspector *self)
{
  if (self->searching != NULL || self->parcel != NULL)
    close_popover (self);
}

void
urbarium_inspector_free (UrbariumInspector *self)
{
  stop_search (self);
  g_signal_handlers_disconnect_by_data (self->popover, self);
  g_signal_handlers_disconnect_by_data (self->canvas, self);
  g_signal_handlers_disconnect_by_data (self->document, self);
  urbarium_canvas_remove_overlay (self->canvas, self->overlay);
  gtk_widget_unparent (GTK_WIDGET (self->popover));
  g_clear_pointer (&self->parcel, urbarium_parcel_free);
  g_free (self);
}

UrbariumInspector *
urbarium_inspector_new (UrbariumMapDocument *document, UrbariumCanvas *canvas, GtkWidget *around)
{
  UrbariumInspector *self = g_new0 (UrbariumInspector, 1);
  self->document = document;
  self->canvas = canvas;
  self->popover = g_object_new (URBARIUM_TYPE_PARCEL_POPOVER, NULL);
  gtk_widget_set_parent (GTK_WIDGET (self->popover), around);
  self->overlay = urbarium_canvas_add_overlay (canvas, draw_cb, self);
  g_signal_connect_swapped (self->popover, "closed", G_CALLBACK (closed_cb), self);
  g_signal_connect_swapped (canvas, "clicked", G_CALLBACK (clicked_cb), self);
  g_signal_connect_swapped (canvas, "view-changed", G_CALLBACK (view_changed_cb), self);
  g_signal_connect_swapped (document, "changed", G_CALLBACK (close_popover), self);
  return self;
}
