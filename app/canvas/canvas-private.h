/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canvas-private.h - the canvas for those who move it: canvas-input.c and canvas-motion.c.
 */
#pragma once

#include <adwaita.h>

#include "app/canvas/canvas.h"
#include "app/canvas/lasso.h"
#include "app/canvas/scale-bar.h"
#include "app/canvas/tile-layer.h"
#include "app/canvas/view-private.h"

G_BEGIN_DECLS

typedef enum
{
  MOTION_NONE,
  MOTION_FLIGHT, /* from one view to another */
  MOTION_ZOOM,   /* towards a scale, about a point */
  MOTION_FLING,  /* rolling on after a drag */
} MotionKind;

typedef struct
{
  MotionKind   kind;
  guint        tick;
  gint64       time_us;              /* of the frame before, or of the start of a flight */
  UrbariumView from, to;             /* flight */
  double       px, py, x, y;         /* zoom: the pixel and the metres that stay together */
  double       m_per_px;             /* zoom: where it ends */
  double       speed_x, speed_y;     /* fling: pixels per second */
} Motion;

struct _UrbariumCanvas
{
  GtkWidget          parent_instance;
  UrbMap            *map;    /* owned; nullable */
  UrbBox             extent; /* of the map */
  UrbariumView       view;
  gboolean           fitted; /* nobody has moved it since it showed the whole map */
  UrbariumTileLayer *tiles;  /* owned */
  guint              classes; /* bits: which are shown */
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
  gboolean    dragging;     /* beyond the threshold of a click */
  double      press_x, press_y; /* pixels: where this drag began */
  double      drag_x, drag_y; /* how far the map was already moved by it */
  double      pinch_scale, pinch_x, pinch_y;
  double      pointer_x, pointer_y; /* pixels; NaN: it is elsewhere */
  gboolean    has_cursor;   /* that of the keyboard */
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

/* Moves the view, within the map, and tells. */
void urbarium_canvas_move_to (UrbariumCanvas *self, UrbariumView view);
void urbarium_canvas_emit_clicked (UrbariumCanvas *self, double px, double py, guint modifiers);
void urbarium_canvas_emit_pointer (UrbariumCanvas *self, double px, double py, gboolean inside);
/* Emits the lasso, if it is a loop, and begins anew. */
void urbarium_canvas_close_lasso (UrbariumCanvas *self);

/* canvas-input.c */
void urbarium_canvas_class_init_input (GtkWidgetClass *widget_class);
void urbarium_canvas_init_input       (UrbariumCanvas *self);

/* canvas-motion.c.  Each takes the place of the one before; where animations are off, they are
 * at once where they would have led. */
void urbarium_canvas_stop    (UrbariumCanvas *self);
void urbarium_canvas_fly_to  (UrbariumCanvas *self, UrbariumView view);
void urbarium_canvas_zoom_at (UrbariumCanvas *self, double px, double py, double factor);
void urbarium_canvas_fling   (UrbariumCanvas *self, double speed_x, double speed_y);

G_END_DECLS
