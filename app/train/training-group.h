/* SPDX-License-Identifier: Apache-2.0 */
/*
 * training-group.h - the settings' group with how long, how finely and from
 * which seed to train; and how often to keep what comes out.
 */
#pragma once

#include <adwaita.h>

#include "app/train/forecast.h"
#include "settings/preset.h"
#include "run/store/run.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_TRAINING_GROUP (urbarium_training_group_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumTrainingGroup, urbarium_training_group, URBARIUM, TRAINING_GROUP,
                      AdwPreferencesGroup)

/* Signal "changed". */

/* Batch, steps become the preset's; the learning rates shown are the recipe's for it. */
void  urbarium_training_group_set_preset (UrbariumTrainingGroup *self, const UrbPreset *preset);
void  urbarium_training_group_set_recipe (UrbariumTrainingGroup *self, const UrbPreset *preset,
                                          const char *recipe);
/* @name: offered until the user writes another one */
void  urbarium_training_group_offer_name (UrbariumTrainingGroup *self, const char *name);
/* Offers the precisions that the device has. @gpu: (nullable): the processor */
void  urbarium_training_group_set_device (UrbariumTrainingGroup *self,
                                          const UrbariumDevices *devices, const UrbariumGpu *gpu);
/* The usual one of that device: TF32 of a GPU that has it in hardware, else 32 bit. */
void  urbarium_training_group_propose_precision (UrbariumTrainingGroup *self);
/* Shown beside the steps: how long they would take, and since when one knows; and *Measure*. */
void  urbarium_training_group_set_forecast (UrbariumTrainingGroup *self,
                                            UrbariumForecast *forecast);
/* The other way round; the name stays. */
void  urbarium_training_group_set_config (UrbariumTrainingGroup *self, const UrbRunConfig *config);
/* Writes what the group decides into @config. */
void  urbarium_training_group_apply (UrbariumTrainingGroup *self, UrbRunConfig *config);
/* Returns: (nullable) (transfer full): what is wrong, as a sentence */
char *urbarium_training_group_check (UrbariumTrainingGroup *self);

G_END_DECLS
