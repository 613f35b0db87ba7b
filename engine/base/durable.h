/* SPDX-License-Identifier: Apache-2.0 */
/*
 * durable.h - makes files and folders survive a power cut.
 *
 * A file's data is on disk once the file was synced, its name once its folder was.  Order: sync the
 * file, name it, sync the folder.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Syncs a closed file.
 * Returns: 0, or an errno */
int urb_durable_sync_file    (const char *path);
/* Syncs the names in a folder.  Succeeds for folders that cannot be synced, as on some network and
 * FUSE file systems.
 * Returns: 0, or an errno */
int urb_durable_sync_folder  (const char *path);
int urb_durable_sync_folder_fd (int fd);
/* Syncs the folder that contains @path. */
int urb_durable_sync_parent  (const char *path);
/* Creates @path and its missing parents, and syncs their names.  Existing folders are left
 * unchanged.  Fails with a %G_FILE_ERROR. */
gboolean urb_durable_make_folders (const char *path, int mode, GError **error);

G_END_DECLS
