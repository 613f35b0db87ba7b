/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model-group.h - the settings group with the networks and their recipe.
 */
#pragma once

#include <adwaita.h>

#include "app/train/engine-query.h"
#include "settings/preset.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_MODEL_GROUP (urbarium_model_group_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumModelGroup, urbarium_model_group, URBARIUM, MODEL_GROUP,
                      AdwPreferencesGroup)

/* Signals: "preset-changed": another preset; "changed": another preset or recipe. */

/* (transfer none) */
const UrbPreset *urbarium_model_group_get_preset (UrbariumModelGroup *self);
/* What it is loaded from: a built-in name, or a file. */
const char      *urbarium_model_group_get_preset_source (UrbariumModelGroup *self);
const char      *urbarium_model_group_get_recipe (UrbariumModelGroup *self);
/* @source: a name of urb_preset_list(), or a preset file, which is then listed, too
 * Returns: FALSE if it cannot be loaded */
gboolean         urbarium_model_group_set_preset (UrbariumModelGroup *self, const char *source);
void             urbarium_model_group_set_recipe (UrbariumModelGroup *self, const char *name);
/* Shows parameters and size. @plan: (nullable) */
void             urbarium_model_group_set_plan   (UrbariumModelGroup *self,
                                                  const UrbariumPlan *plan);
/* @resolution_px: of the dataset's tiles; 0: unknown
 * Returns: (nullable) (transfer full): why the networks do not fit the dataset */
char            *urbarium_model_group_check      (UrbariumModelGroup *self, int resolution_px);

G_END_DECLS
