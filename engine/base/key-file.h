/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key-file.h - reads key files written by hand.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_key_file_read:
 * @text: the whole file
 *
 * As g_key_file_load_from_data(), but rejects values with a backslash that GLib cannot read:
 * g_key_file_get_string() and its list variant ignore the first one if called without an error, and
 * report a programming error for the second.  Comments are not kept.
 *
 * Returns: %FALSE, with a %G_KEY_FILE_ERROR, if @text is not a valid key file
 */
gboolean urb_key_file_read (GKeyFile *file, const char *text, GError **error);

G_END_DECLS
