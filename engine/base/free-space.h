/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free-space.h - how much can still be written into a folder.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes for this user; %G_MAXINT64 if there is no limit, or none that is known. */
gint64 urb_free_space_get_bytes (const char *folder);

G_END_DECLS
