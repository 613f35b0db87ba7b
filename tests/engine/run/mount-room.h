/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mount-room.h - a place to mount what nobody else sees: small disks, disks
 * that are read-only, a small /dev/shm.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Gives this process a mount namespace of its own, as root or, where the kernel permits it, as root
 * of a user namespace.  To be called before there are threads. */
void     mount_room_enter (void);
/* Whether that worked; if not, the test is marked as skipped. */
gboolean mount_room_check (void);

/* An empty file system in memory at @path, with @options of tmpfs: "size=64k,nr_inodes=100". */
void     mount_room_add    (const char *path, const char *options);
/* Changes them. */
void     mount_room_change (const char *path, const char *options);
/* What is at @path, read-only. */
void     mount_room_freeze (const char *path);
void     mount_room_remove (const char *path);

G_END_DECLS
