/* SPDX-License-Identifier: Apache-2.0 */
/* discard.h - what the user deletes. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Moves @file to the trash.  Temporary and many network file systems have none: there it is deleted, with all
 * that is in it; symbolic links are not followed.  Blocks. */
gboolean urbarium_discard (GFile *file, GCancellable *cancellable, GError **error);

G_END_DECLS
