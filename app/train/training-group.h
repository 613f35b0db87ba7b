/* SPDX-License-Identifier: Apache-2.0 */
/*
 * training-group.h - the settings group with steps, batch, precision, seed and learning rates, and
 * the intervals of samples and checkpoints.
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

/* Sets batch and steps to the preset's. */
void  urbarium_training_group_set_preset (UrbariumTrainingGroup *self, const UrbPreset *preset);
void  urbarium_training_group_set_recipe (UrbariumTrainingGroup *self, const UrbPreset *preset,
                                          const char *recipe);
/* @name: proposed until the user enters another one */
void  urbarium_training_group_offer_name (UrbariumTrainingGroup *self, const char *name);
/* Offers the precisions of the device. @gpu: (nullable): NULL: the CPU */
void  urbarium_training_group_set_device (UrbariumTrainingGroup *self,
                                          const UrbariumDevices *devices, const UrbariumGpu *gpu);
/* The device's default: TF32 on a GPU with hardware support, else 32 bit. */
void  urbarium_training_group_propose_precision (UrbariumTrainingGroup *self);
/* Shows the estimated duration next to the steps, its source, and the button "Measure". */
void  urbarium_training_group_set_forecast (UrbariumTrainingGroup *self,
                                            UrbariumForecast *forecast);
/* Shows @config, except the name. */
void  urbarium_training_group_set_config (UrbariumTrainingGroup *self, const UrbRunConfig *config);
/* Writes the group's settings into @config. */
void  urbarium_training_group_apply (UrbariumTrainingGroup *self, UrbRunConfig *config);
/* @options: with the batch and the microbatches, which the group also has
 * Returns: (nullable) (transfer full): a sentence that says what is wrong */
char *urbarium_training_group_check (UrbariumTrainingGroup *self, const UrbTrainOptions *options);

G_END_DECLS
