/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox-private.h - the layers of sandbox.c.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* landlock.c: 0 if the kernel has no Landlock. */
int      urb_landlock_get_version (void);
/* @ports: as in sandbox.h */
gboolean urb_landlock_enter       (const char *const *readable, const char *writable, const guint16 *ports);

/* seccomp.c */
gboolean urb_seccomp_is_available (void);
/* @may_write: whether files may be opened for writing; @may_connect: whether to servers of the Internet's protocols */
gboolean urb_seccomp_enter        (gboolean may_write, gboolean may_connect);

G_END_DECLS
