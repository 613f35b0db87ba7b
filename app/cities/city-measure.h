/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-measure.h - a ruler: a distance between two points, or the area of a
 * polygon, in metres of a plan.
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
  GArray             *xy;     /* double, in pairs, owned: the points that are set */
  gboolean            closed; /* complete: the next point begins anew */
  gboolean            has_cursor;
  double              cursor_x, cursor_y; /* where the next point would be */
} UrbariumMeasuring;

void     urbarium_measuring_init  (UrbariumMeasuring *self);
void     urbarium_measuring_clear (UrbariumMeasuring *self); /* frees */
void     urbarium_measuring_reset (UrbariumMeasuring *self, UrbariumMeasureTool tool);
/* Returns: whether there is anything to see */
gboolean urbarium_measuring_is_empty (const UrbariumMeasuring *self);

void     urbarium_measuring_add   (UrbariumMeasuring *self, double x, double y);
/* An area of three points or more is complete. */
void     urbarium_measuring_close (UrbariumMeasuring *self);
void     urbarium_measuring_undo  (UrbariumMeasuring *self);

/* Metres; with the cursor as the last point until it is complete. */
double   urbarium_measuring_get_length (const UrbariumMeasuring *self);
double   urbarium_measuring_get_area   (const UrbariumMeasuring *self); /* m² */
/* Returns: (transfer full) (nullable): "12.5 m", "1,250 m², 152 m around" */
char    *urbarium_measuring_dup_text   (const UrbariumMeasuring *self);

G_END_DECLS
