/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device-load.h - a curve of what a device of this machine does, while runs use it.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_DEVICE_LOAD (urbarium_device_load_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumDeviceLoad, urbarium_device_load, URBARIUM, DEVICE_LOAD, GtkBox)

/* @pci: (nullable): the address of a GPU; NULL: the processor, which is the default */
void urbarium_device_load_set_gpu     (UrbariumDeviceLoad *self, const char *pci);
/* @library: (nullable): whose runs are looked at */
void urbarium_device_load_set_library (UrbariumDeviceLoad *self, UrbariumRunLibrary *library);

G_END_DECLS
