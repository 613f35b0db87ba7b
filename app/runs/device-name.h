/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device-name.h - what options call a device: "cpu", "cuda", "cuda:1".
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean    urbarium_device_name_is_gpu   (const char *name);
/* "cuda" is the first GPU, "cuda:0"; all others have one name. (transfer none) */
const char *urbarium_device_name_complete (const char *name);

G_END_DECLS
