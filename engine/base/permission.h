/* SPDX-License-Identifier: Apache-2.0 */
/*
 * permission.h - explains what this user may not do, and who can permit it.
 *
 * Most libraries report an unreadable file as damaged or missing.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns: (nullable): a sentence without full stop, if the permissions of @path or of a folder
 * above it keep this user from reading it */
char *urb_permission_dup_read_problem   (const char *path);
/* Likewise for creating the file or folder @path: what keeps this user from writing in the folder that it is to be in */
char *urb_permission_dup_create_problem (const char *path);

G_END_DECLS
