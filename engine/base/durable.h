/* SPDX-License-Identifier: Apache-2.0 */
/*
 * durable.h - what must still be there after a power cut.
 *
 * A file's data and its name are two things: the one is on the disk when the file was synced, the
 * other when its folder was.  Order: sync the file, give it its name, sync the folder.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Of a file that is closed: by whoever wrote it.
 * Returns: 0, or an errno */
int urb_durable_sync_file    (const char *path);
/* The names in it.  Folders that cannot be synced, on some network and FUSE file systems, are taken
 * as they are.
 * Returns: 0, or an errno */
int urb_durable_sync_folder  (const char *path);
int urb_durable_sync_folder_fd (int fd);
/* The folder that @path is in. */
int urb_durable_sync_parent  (const char *path);
/* @path and what is missing above it, on the disk with their names.  Those that are there stay as
 * they are.
 * Returns: 0, or an errno */
int urb_durable_make_folders (const char *path, int mode);

G_END_DECLS
