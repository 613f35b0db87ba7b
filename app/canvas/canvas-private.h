/* SPDX-License-Identifier: Apache-2.0 */
/* canvas-private.h - the canvas struct, for canvas-input.c and canvas-motion.c. */
#pragma once

#include <adwaita.h>

#include "app/canvas/canvas.h"
#include "app/canvas/lasso.h"
#include "app/canvas/scale-bar.h"
#include "app/canvas/tile-layer.h"

G_BEGIN_DECLS

typedef enum
{
  MOTION_NONE,
  MOTION_FLIGHT, /* from one view to another */
  MOTION_ZOOM,   /* to a scale, about a point */
  MOTION_FLING,  /* kinetic panning after a drag */
} MotionKind;

typedef struct
{
  MotionKind   kind;
  guint        tick;
  gint64       time_us;          /* of the previous frame; flight: of its start */
  UrbariumView from, to;         /* flight */
  double       px, py, x, y;     /* zoom: fixed point in pixels and meters */
  double       m_per_px;         /* zoom: target */
  double       speed_x, speed_y; /* fling: pixels per second */
} Motion;

struct _UrbariumCanvas
{
  GtkWidget          parent_instance;
  UrbMap            *map;    /* owned; nullable */
  UrbBox             extent; /* of the map */
  UrbariumView       view;
  gboolean           fitted; /* the view has not moved since it showed the whole map */
  UrbariumTileLayer *tiles;  /* owned */
  guint              classes; /* bit 1 << UrbClass: visible */
  UrbariumCanvasTool tool;
  gboolean           busy;
  guint              busy_update, describe; /* sources */
  GArray            *overlays; /* of Overlay; owned */
  guint              last_overlay;
  UrbariumScaleBar   scale_bar;
  UrbariumLasso     *lasso; /* owned */
  AdwStyleManager   *style; /* owned; nullable */

  Motion      motion;
  GtkGesture *drag, *middle_drag, *pinch; /* owned by the widget */
  gboolean    dragging;         /* beyond the threshold of a click */
  double      press_x, press_y; /* pixels: start of the drag */
  double      drag_x, drag_y;   /* pixels by which the drag has moved the map */
  double      pinch_scale, pinch_x, pinch_y;
  double      pointer_x, pointer_y; /* pixels; NaN: outside */
  gboolean    has_cursor;           /* keyboard cursor */
  double      cursor_x, cursor_y; /* pixels */
};

enum
{
  URBARIUM_CANVAS_CLICKED,
  URBARIUM_CANVAS_POINTER,
  URBARIUM_CANVAS_LASSO_DRAWN,
  URBARIUM_CANVAS_VIEW_CHANGED,
  URBARIUM_CANVAS_N_SIGNALS
};

UrbariumTileLayer *urbarium_canvas_get_tiles (UrbariumCanvas *self);

/* Moves the view within the map, and emits "view-changed". */
void urbarium_canvas_move_to (UrbariumCanvas *self, UrbariumView view);
void urbarium_canvas_emit_clicked (UrbariumCanvas *self, double px, double py, guint modifiers);
void urbarium_canvas_emit_pointer (UrbariumCanvas *self, double px, double py, gboolean inside);
/* Emits "lasso" if there are three vertices, and clears the lasso. */
void urbarium_canvas_close_lasso (UrbariumCanvas *self);

/* canvas-input.c */
void urbarium_canvas_class_init_input (GtkWidgetClass *widget_class);
void urbarium_canvas_init_input       (UrbariumCanvas *self);

/* canvas-motion.c.  A new motion replaces the current one.  Without animations, a flight or zoom
 * jumps to its end. */
void urbarium_canvas_stop    (UrbariumCanvas *self);
void urbarium_canvas_fly_to  (UrbariumCanvas *self, UrbariumView view);
void urbarium_canvas_zoom_at (UrbariumCanvas *self, double px, double py, double factor);
void urbarium_canvas_fling   (UrbariumCanvas *self, double speed_x, double speed_y);

G_END_DECLS
