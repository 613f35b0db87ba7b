/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-wall.h - cities drawn from the same seeds at every sample of a run, with
 * a slider through time.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_SAMPLE_WALL (urbarium_sample_wall_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumSampleWall, urbarium_sample_wall, URBARIUM, SAMPLE_WALL, AdwBin)

/* Property "step" (int64, read-only): of the sample that is chosen; -1: none. */

/* @samples: (nullable): of UrbariumRunSample, the newest last; the newest is shown, and followed
 * until the slider is moved. */
void     urbarium_sample_wall_set_samples (UrbariumSampleWall *self, GListModel *samples);
gint64   urbarium_sample_wall_get_step    (UrbariumSampleWall *self);
/* Whether the picture of that step is on the screen. */
gboolean urbarium_sample_wall_get_ready   (UrbariumSampleWall *self);

G_END_DECLS
