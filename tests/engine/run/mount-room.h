/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mount-room.h - private mounts: small disks, read-only disks, a small /dev/shm.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Gives this process its own mount namespace, as root or, if the kernel permits it, as root of a
 * user namespace.  Call it before starting threads. */
void     mount_room_enter (void);
/* Whether that worked; if not, the test is marked as skipped. */
gboolean mount_room_check (void);

/* An empty file system in memory at @path, with @options of tmpfs: "size=64k,nr_inodes=100". */
void     mount_room_add    (const char *path, const char *options);
/* Changes them. */
void     mount_room_change (const char *path, const char *options);
/* Makes @path read-only. */
void     mount_room_freeze (const char *path);
void     mount_room_remove (const char *path);

G_END_DECLS
