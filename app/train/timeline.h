/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline.h - draws what each rank did and when: computation above, exchanges with each group below.
 *
 * Drag or scroll sideways to move, Ctrl+wheel, + and - to zoom, 0 to see one step, arrows to move.  The tooltip
 * names the instruction below the pointer.
 */
#pragma once

#include "app/plot/chart-widget.h"
#include "app/train/timeline-data.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_TIMELINE (urbarium_timeline_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumTimeline, urbarium_timeline, URBARIUM, TIMELINE, UrbariumChartWidget)

/* @data: (transfer full) (nullable).  Shows its first step. */
void                        urbarium_timeline_set_data (UrbariumTimeline *self, UrbariumTimelineData *data);
const UrbariumTimelineData *urbarium_timeline_get_data (UrbariumTimeline *self); /* (nullable) */

/* What is in view, in milliseconds. */
void urbarium_timeline_get_view (UrbariumTimeline *self, double *from_ms, double *to_ms);

/* The span at a point of the widget, in its pixels. (nullable) */
const UrbariumTimelineSpan *urbarium_timeline_pick (UrbariumTimeline *self, double x, double y);

/* Actions: timeline.zoom-in, timeline.zoom-out, timeline.one-step, timeline.all. */

/* The color of a pass, or with @lane of exchanges that of all of them: for swatch.h. */
guint urbarium_timeline_get_color (int lane, guint pass);

G_END_DECLS
