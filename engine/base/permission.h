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
char *urb_permission_dup_read_problem  (const char *path);
/* Likewise for creating a file in @folder. */
char *urb_permission_dup_write_problem (const char *folder);

G_END_DECLS
