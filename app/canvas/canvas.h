/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canvas.h - a map, drawn smoothly whatever its size.
 *
 * Tiles are drawn by worker threads; the main loop only places textures.  What
 * belongs to a page (a heat map, chosen areas, a pin) is an overlay, drawn each
 * frame on the main loop with GtkSnapshot.  Two canvases may share a view.
 *
 * Pan by drag, arrows, two fingers; zoom by wheel, pinch, + and -; 0 and Home fit.  Shift and
 * arrows move a cursor (with Ctrl, by a pixel) at which Enter clicks; with the lasso, Space adds
 * a corner there, Backspace drops one, Enter closes the loop, Escape gives it up.
 *
 * palette.h has the colours, for whoever shows a swatch of a class.
 */
#pragma once

#include <gtk/gtk.h>

#include "map/map.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CANVAS (urbarium_canvas_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCanvas, urbarium_canvas, URBARIUM, CANVAS, GtkWidget)

/* Where the eye is. Widget pixels have y down, map metres y up. */
typedef struct
{
  double center_x, center_y; /* metres, at the middle of the widget */
  double m_per_px;           /* metres per widget pixel */
  int    width, height;      /* widget pixels */
} UrbariumView;

void   urbarium_view_to_map   (const UrbariumView *view, double px, double py, double *x, double *y);
void   urbarium_view_from_map (const UrbariumView *view, double x, double y, double *px, double *py);
UrbBox urbarium_view_get_box  (const UrbariumView *view); /* what is seen, metres */

/* What a drag does. */
typedef enum
{
  URBARIUM_CANVAS_PAN,
  URBARIUM_CANVAS_LASSO /* draws a loop; two fingers, arrows and the middle button still pan */
} UrbariumCanvasTool;

/**
 * UrbariumCanvas:
 *
 * Properties: tool (int, UrbariumCanvasTool), busy (boolean, read-only: tiles of the view are
 * still being drawn).
 *
 * Signals:
 *  "clicked" (double x, double y, guint modifiers): in metres; by mouse, touch, or Enter at the
 *     keyboard cursor
 *  "pointer" (double x, double y, gboolean inside): in metres; follows the pointer
 *  "lasso" (GArray of double): x, y pairs in metres of the closed loop (three vertices at least)
 *  "view-changed": the view is another one
 */
GtkWidget *urbarium_canvas_new (void);

/* @map: (nullable).  Fits the view if the map covers another place than the one before;
 * keeps it if only classes changed. */
void    urbarium_canvas_set_map (UrbariumCanvas *self, UrbMap *map);
UrbMap *urbarium_canvas_get_map (UrbariumCanvas *self); /* (transfer none) (nullable) */

UrbariumView urbarium_canvas_get_view (UrbariumCanvas *self);
/* Center and scale; the size is the widget's. */
void urbarium_canvas_set_view (UrbariumCanvas *self, double center_x, double center_y,
                               double m_per_px);
void urbarium_canvas_fit      (UrbariumCanvas *self);
/* Animated where animations are on: shows @box with a margin. */
void urbarium_canvas_show_box (UrbariumCanvas *self, UrbBox box);
void urbarium_canvas_zoom     (UrbariumCanvas *self, double factor); /* about the middle */

void urbarium_canvas_set_class_visible (UrbariumCanvas *self, UrbClass class_, gboolean visible);

/**
 * UrbariumCanvasOverlayFunc:
 *
 * Draws in widget pixels on top of the map; below the scale bar.  Called for each frame: at most
 * a millisecond, so prepare what is expensive.
 */
typedef void (*UrbariumCanvasOverlayFunc) (GtkSnapshot *snapshot, const UrbariumView *view,
                                           gpointer user_data);

/* Returns: an id; overlays are drawn in the order they were added */
guint urbarium_canvas_add_overlay    (UrbariumCanvas *self, UrbariumCanvasOverlayFunc func,
                                      gpointer user_data, GDestroyNotify destroy);
void  urbarium_canvas_remove_overlay (UrbariumCanvas *self, guint id);
void  urbarium_canvas_queue_overlays (UrbariumCanvas *self); /* they have changed */

G_END_DECLS
