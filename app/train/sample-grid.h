/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-grid.h - cities drawn from the same seeds at each sample of a run, with a slider over the
 * steps.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_SAMPLE_GRID (urbarium_sample_grid_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumSampleGrid, urbarium_sample_grid, URBARIUM, SAMPLE_GRID, AdwBin)

/* Properties: step (int64, read-only, with notify): of the chosen sample; -1: none; can-open (boolean,
 * writable): whether there is a checkpoint that draws the cities;
 *
 * can-compare (boolean, writable): whether to offer the action "view.compare", which the parent has.
 *
 * Signal "open-city" (uint index, from 1): the enlarged city, to be drawn by a checkpoint. */

/* @samples: (nullable): of UrbariumRunFile, newest last; the newest is shown and followed until the
 * slider is moved. */
void     urbarium_sample_grid_set_samples (UrbariumSampleGrid *self, GListModel *samples);
gint64   urbarium_sample_grid_get_step    (UrbariumSampleGrid *self);
/* From now on, the sample at the leader's step is shown, or the newest before it, and the same city enlarged; before the first
 * sample, where that is. */
void     urbarium_sample_grid_set_leader  (UrbariumSampleGrid *self, UrbariumSampleGrid *leader);
/* Whether the image of that step is on the screen. */
gboolean urbarium_sample_grid_get_ready   (UrbariumSampleGrid *self);

G_END_DECLS
