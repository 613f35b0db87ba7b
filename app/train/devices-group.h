/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devices-group.h - the settings group with the devices of this machine: the CPU is selected, or one or
 * several of the GPUs.
 *
 * Unless the user chooses, the usable GPU with the most free memory is proposed, else the CPU.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"
#include "app/train/engine-query.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_DEVICES_GROUP (urbarium_devices_group_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumDevicesGroup, urbarium_devices_group, URBARIUM, DEVICES_GROUP,
                      AdwPreferencesGroup)

/* Signals "changed"; "ticked" (guint: GPUs that were ticked before): by the user, before "changed". */

/* Asks the engine for the devices; once, when the group is first shown. */
void     urbarium_devices_group_load (UrbariumDevicesGroup *self);
/* Shows what runs of the library do on each device. */
void     urbarium_devices_group_set_library (UrbariumDevicesGroup *self, UrbariumRunLibrary *library);
/* (nullable) (transfer none): NULL until reported */
const UrbariumDevices *urbarium_devices_group_get_devices (UrbariumDevicesGroup *self);
/* A selected GPU; of several, one that lacks what others can do. (nullable) (transfer none): NULL: the CPU */
const UrbariumGpu     *urbarium_devices_group_get_gpu     (UrbariumDevicesGroup *self);
/* How many GPUs are selected; 0: the CPU. */
guint                  urbarium_devices_group_get_n_gpus  (UrbariumDevicesGroup *self);
/* The ranks of the strategy that this machine has.
 * @n_ranks: 0: not known
 * @is_spread: whether they take the GPUs in turn; otherwise all use the first */
void     urbarium_devices_group_set_ranks   (UrbariumDevicesGroup *self, int n_ranks, gboolean is_spread);
/* Whether the user chose the selected device. */
gboolean               urbarium_devices_group_is_chosen   (UrbariumDevicesGroup *self);
/* Selects the devices of @options without emitting "changed"; if it is missing, shows a message and
 * selects the CPU. */
void     urbarium_devices_group_set_options (UrbariumDevicesGroup *self,
                                             const UrbTrainOptions *options);
/* What the row of the hosts says; the row activates "settings.hosts".
 * @is_problem: the hosts are not used as the settings are */
void     urbarium_devices_group_set_hosts (UrbariumDevicesGroup *self, const char *text,
                                           gboolean is_problem);
/* Replaces the user's choice by the proposed device. */
void     urbarium_devices_group_propose (UrbariumDevicesGroup *self);
/* Writes the selected devices, threads and memory into @options. */
void     urbarium_devices_group_apply (UrbariumDevicesGroup *self, UrbTrainOptions *options);

G_END_DECLS
