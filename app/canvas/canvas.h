/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canvas.h - a widget that draws a map of any size smoothly.
 *
 * Worker threads draw tiles; the main loop only places textures.  Pages add overlays (a heat map,
 * chosen areas, a pin), drawn each frame on the main loop with GtkSnapshot.
 *
 * Drag, arrow keys and two fingers pan; wheel, pinch, + and - zoom; 0 and Home fit the map.
 * Shift + arrow moves a keyboard cursor (with Ctrl, by one pixel), and Enter clicks there.  With
 * the lasso, Space adds a vertex at the cursor, Backspace removes the last one, Enter closes the
 * loop and Escape discards it.
 *
 * palette.h has the colors, for swatches of the classes.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/canvas/view.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CANVAS (urbarium_canvas_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCanvas, urbarium_canvas, URBARIUM, CANVAS, GtkWidget)

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
 * being drawn).
 *
 * Signals:
 *  "clicked" (double x, double y, guint modifiers): in meters; by mouse, touch, or Enter at the
 *     keyboard cursor
 *  "pointer" (double x, double y, gboolean inside): in meters; the pointer has moved
 *  "lasso" (GArray of double): x, y pairs in meters of the closed loop (at least three vertices)
 *  "view-changed"
 */

/* @map: (nullable).  Fits the view if the map covers another area than the previous one; keeps
 * the view if only the classes changed. */
void    urbarium_canvas_set_map (UrbariumCanvas *self, UrbMap *map);
UrbMap *urbarium_canvas_get_map (UrbariumCanvas *self); /* (transfer none) (nullable) */

UrbariumView urbarium_canvas_get_view (UrbariumCanvas *self);
void urbarium_canvas_set_view (UrbariumCanvas *self, double center_x, double center_y,
                               double m_per_px);
void urbarium_canvas_fit      (UrbariumCanvas *self);
/* Shows @box with a margin; animated. */
void urbarium_canvas_show_box (UrbariumCanvas *self, UrbBox box);
void urbarium_canvas_zoom     (UrbariumCanvas *self, double factor); /* about the center */

void urbarium_canvas_set_class_visible (UrbariumCanvas *self, UrbClass class_, gboolean visible);

/**
 * UrbariumCanvasOverlayFunc:
 *
 * Draws in widget pixels on top of the map, below the scale bar.  Called for each frame, so it
 * should take less than a millisecond.
 */
typedef void (*UrbariumCanvasOverlayFunc) (GtkSnapshot *snapshot, const UrbariumView *view,
                                           gpointer user_data);

/* Returns: an id; overlays are drawn in the order they were added */
guint urbarium_canvas_add_overlay    (UrbariumCanvas *self, UrbariumCanvasOverlayFunc func,
                                      gpointer user_data);
void  urbarium_canvas_remove_overlay (UrbariumCanvas *self, guint id);
void  urbarium_canvas_queue_overlays (UrbariumCanvas *self); /* draws changed overlays again */

G_END_DECLS
