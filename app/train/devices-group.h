/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devices-group.h - the settings' group with the hardware found on this machine,
 * as a list to tick.
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
/* Ticks what @options use. */
void     urbarium_devices_group_set_options (UrbariumDevicesGroup *self,
                                             const UrbTrainOptions *options);
/* Writes what is ticked into @options. */
void     urbarium_devices_group_apply (UrbariumDevicesGroup *self, UrbTrainOptions *options);
/* Returns: (nullable) (transfer full): what is wrong, as a sentence */
char    *urbarium_devices_group_check (UrbariumDevicesGroup *self);

G_END_DECLS
