/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file-difference.h - compares two exported files of the same format.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * urb_find_difference:
 * @path: untrusted
 * @again: of the same format by its name
 * @n_parts: (out): lines of @path, or rows of all tables with features of a GeoPackage
 * @n_different: (out)
 * @first: (out) (nullable) (transfer full): the first difference, for display
 *
 * Texts are compared byte for byte.  Of a GeoPackage all rows of the layers and of the provenance are compared, since the
 * file itself has dates.
 */
gboolean urb_find_difference (const char *path, const char *again, gint64 *n_parts, gint64 *n_different, char **first,
                              GError **error);

G_END_DECLS
