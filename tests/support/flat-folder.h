/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat-folder.h - a temporary folder of a test, without folders in it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Files, and whatever else is in it. */
int  flat_folder_count  (const char *folder);

/* Removes the files and the folder, all of which must be possible.  @folder: (transfer full) */
void flat_folder_remove (char *folder);

G_END_DECLS
