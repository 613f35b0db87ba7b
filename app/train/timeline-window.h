/* SPDX-License-Identifier: Apache-2.0 */
/* timeline-window.h - the timeline of a run: recorded, shown, exported for Perfetto. */
#pragma once

#include <adwaita.h>

#include "app/runs/run.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_TIMELINE_WINDOW (urbarium_timeline_window_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumTimelineWindow, urbarium_timeline_window, URBARIUM, TIMELINE_WINDOW, AdwWindow)

/* Shows the last timeline of @run; while it trains, another can be recorded. */
UrbariumTimelineWindow *urbarium_timeline_window_new (UrbariumRun *run);

G_END_DECLS
