/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-measure.h - measures the distance between two points or the area of a polygon, in meters.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef enum
{
  URBARIUM_MEASURE_NONE,
  URBARIUM_MEASURE_DISTANCE,
  URBARIUM_MEASURE_AREA
} UrbariumMeasureTool;

typedef struct
{
  UrbariumMeasureTool tool;
  GArray             *xy;     /* double pairs, owned: the points set so far */
  gboolean            closed; /* complete: the next point starts a new figure */
  gboolean            has_cursor;
  double              cursor_x, cursor_y; /* where the next point would be */
} UrbariumMeasuring;

void     urbarium_measuring_init  (UrbariumMeasuring *self);
void     urbarium_measuring_clear (UrbariumMeasuring *self); /* frees the content */
void     urbarium_measuring_reset (UrbariumMeasuring *self, UrbariumMeasureTool tool);
gboolean urbarium_measuring_is_empty (const UrbariumMeasuring *self);

void     urbarium_measuring_add   (UrbariumMeasuring *self, double x, double y);
/* Completes an area of at least three points. */
void     urbarium_measuring_close (UrbariumMeasuring *self);
void     urbarium_measuring_undo  (UrbariumMeasuring *self);

/* In meters; the cursor counts as the last point until the figure is complete. */
double   urbarium_measuring_get_length (const UrbariumMeasuring *self);
double   urbarium_measuring_get_area   (const UrbariumMeasuring *self); /* m² */
/* Returns: (transfer full) (nullable): "12.5 m", "1,250 m², perimeter 152 m" */
char    *urbarium_measuring_dup_text   (const UrbariumMeasuring *self);

G_END_DECLS
