/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free-path.h - prevents a mistyped file name from overwriting a file.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_free_path_check:
 * @path: a file to write
 * @otherwise: end of the message "'@path' already exists": what to do about it
 *
 * Returns: %TRUE if writing @path loses nothing, since it does not exist or is an empty file;
 *   else %FALSE with a %G_FILE_ERROR_EXIST
 */
gboolean urb_free_path_check (const char *path, const char *otherwise, GError **error);

G_END_DECLS
