/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free-path.h - a slip with a file's name must not cost somebody a map.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_free_path_check:
 * @path: a file to write
 * @otherwise: what to say after "'@path' is there already": what to do about it
 *
 * Returns: whether nothing is lost by writing @path: it is not there, or is an empty file;
 *   else %FALSE with a %G_FILE_ERROR_EXIST
 */
gboolean urb_free_path_check (const char *path, const char *otherwise, GError **error);

G_END_DECLS
