/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devices-group.h - the settings' group with the hardware found on this machine: the processor and
 * its GPUs, one of which is ticked.
 *
 * What nobody has chosen is proposed: the GPU with the most memory free, where one can be used,
 * else the processor.
 */
#pragma once

#include <adwaita.h>

#include "app/train/engine-query.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_DEVICES_GROUP (urbarium_devices_group_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumDevicesGroup, urbarium_devices_group, URBARIUM, DEVICES_GROUP,
                      AdwPreferencesGroup)

/* Signal "changed". */

/* Asks the engine what there is; once, when the group is first shown to someone. */
void     urbarium_devices_group_load (UrbariumDevicesGroup *self);
/* (nullable) (transfer none): until it is known */
const UrbariumDevices *urbarium_devices_group_get_devices (UrbariumDevicesGroup *self);
/* The one that is ticked. (nullable) (transfer none): the processor */
const UrbariumGpu     *urbarium_devices_group_get_gpu     (UrbariumDevicesGroup *self);
/* Whether somebody chose what is ticked. */
gboolean               urbarium_devices_group_is_chosen   (UrbariumDevicesGroup *self);
/* Ticks what @options use, silently; where that is not here, says so and ticks the processor. */
void     urbarium_devices_group_set_options (UrbariumDevicesGroup *self,
                                             const UrbTrainOptions *options);
/* Forgets what was chosen. */
void     urbarium_devices_group_propose (UrbariumDevicesGroup *self);
/* Writes what is ticked into @options. */
void     urbarium_devices_group_apply (UrbariumDevicesGroup *self, UrbTrainOptions *options);

G_END_DECLS
