/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model-chooser.h - chooses the checkpoint that draws the cities: of a run, or any file.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_MODEL_CHOOSER (urbarium_model_chooser_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumModelChooser, urbarium_model_chooser, URBARIUM, MODEL_CHOOSER, AdwBin)

/* Signals:
 *  "chosen" (string checkpoint, string run): @checkpoint is NULL without a run or while the run has
 *    none; @run is the run's folder, or the checkpoint itself if it was opened as a file
 */
void        urbarium_model_chooser_set_library (UrbariumModelChooser *self,
                                                UrbariumRunLibrary *library);
/* Chooses the newest checkpoint of @run. */
void        urbarium_model_chooser_show_run    (UrbariumModelChooser *self, UrbariumRun *run);
/* Chooses its checkpoint whose step is nearest to @step. */
void        urbarium_model_chooser_show_step   (UrbariumModelChooser *self, UrbariumRun *run, gint64 step);
/* While @held, checkpoints saved meanwhile are not chosen; the newest is chosen afterwards. */
void        urbarium_model_chooser_set_held    (UrbariumModelChooser *self, gboolean held);
/* Chooses a checkpoint file. */
void        urbarium_model_chooser_open        (UrbariumModelChooser *self, const char *checkpoint);
/* Asks for a checkpoint file. */
void        urbarium_model_chooser_ask         (UrbariumModelChooser *self);
/* Describes the open checkpoint. */
void        urbarium_model_chooser_set_text    (UrbariumModelChooser *self, const char *text);

G_END_DECLS
