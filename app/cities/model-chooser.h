/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model-chooser.h - which run, and which of its checkpoints, draws the cities; or
 * a checkpoint of elsewhere.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_MODEL_CHOOSER (urbarium_model_chooser_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumModelChooser, urbarium_model_chooser, URBARIUM, MODEL_CHOOSER, AdwBin)

/**
 * UrbariumModelChooser:
 *
 * Signals:
 *  "chosen" (string checkpoint, string run): @checkpoint may be NULL: the run has none yet, or
 *    there is no run; @run is its folder, or the checkpoint itself if it is of elsewhere
 */
void        urbarium_model_chooser_set_library (UrbariumModelChooser *self,
                                                UrbariumRunLibrary *library);
/* The newest checkpoint of a run. */
void        urbarium_model_chooser_show_run    (UrbariumModelChooser *self, UrbariumRun *run);
/* Newer checkpoints are chosen as they are saved, until another is picked; not while held: then
 * the newest is chosen afterwards. */
void        urbarium_model_chooser_set_held    (UrbariumModelChooser *self, gboolean held);
/* A file of elsewhere. */
void        urbarium_model_chooser_open        (UrbariumModelChooser *self, const char *checkpoint);
/* Asks for a file. */
void        urbarium_model_chooser_ask         (UrbariumModelChooser *self);
/* What is open now, in words. */
void        urbarium_model_chooser_set_text    (UrbariumModelChooser *self, const char *text);

G_END_DECLS
