/* SPDX-License-Identifier: Apache-2.0 */
/*
 * permission.h - what this user may not do, and who could permit it.
 *
 * To most libraries a file that may not be read is a damaged one, or none.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns: (nullable): a sentence without its full stop, if it is the permissions of @path, or of a
 * folder above it, that keep this user from reading it */
char *urb_permission_dup_read_problem  (const char *path);
/* Likewise of making a file in @folder. */
char *urb_permission_dup_write_problem (const char *folder);

G_END_DECLS
