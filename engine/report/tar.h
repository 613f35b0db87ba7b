/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar.h - a compressed archive of texts, as tar and gzip read it.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Returns: (transfer full): an empty archive */
GByteArray *urb_tar_new (void);
/* @name: at most 99 bytes; of a folder "folder/file" */
void        urb_tar_add (GByteArray *self, const char *name, const char *text);
/* Takes @self.  Returns: (transfer full): the file */
GBytes     *urb_tar_end (GByteArray *self, GError **error);

G_END_DECLS
