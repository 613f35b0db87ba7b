/* SPDX-License-Identifier: Apache-2.0 */
/*
 * temporary.h - names of temporary files, for writers that need one (SQLite, GDAL).
 *
 * A name tells which process of which machine writes: what a killed one left is removed by the next
 * process that writes into the same folder.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_temporary_dup_path:
 * @path: of the file that is being written
 * @suffix: "" or that of the path, as ".gpkg"
 *
 * Returns: (transfer full): a path in the same folder, hidden, and new each time
 */
char *urb_temporary_dup_path (const char *path, const char *suffix);

/* Removes such files and folders of this user, and SQLite's files beside them, whose process is dead. */
void  urb_temporary_sweep    (const char *folder);
/* The same in the folder of @path. */
void  urb_temporary_sweep_beside (const char *path);

/* Deletes a folder in which there are only files. */
void  urb_temporary_remove_folder (const char *path);

G_END_DECLS
