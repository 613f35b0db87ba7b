/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device-name.c - properties of a device that its name alone tells.
 */
#include "train/device.h"

#include <string.h>

gboolean
urb_device_is_host (const char *name)
{
  return strcmp (name, "cpu") == 0 || strcmp (name, "reference") == 0;
}
