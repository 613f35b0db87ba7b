/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device-name.h - device names in options: "cpu", "cuda", "cuda:1", "cuda:0,1".
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean    urbarium_device_name_is_gpu   (const char *name);
/* "cuda" becomes "cuda:0"; other names are returned as they are. (transfer none) */
const char *urbarium_device_name_complete (const char *name);

G_END_DECLS
