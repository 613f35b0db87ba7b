/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key-file.h - key files that somebody wrote by hand.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_key_file_read:
 * @text: the whole file
 *
 * As g_key_file_load_from_data(), but values with a backslash that GLib cannot read are refused here:
 * g_key_file_get_string() and its list say nothing of them where they are asked without an error, and
 * warn of a fault in the program where one value has two.  Comments are not kept.
 *
 * Returns: %FALSE, with a %G_KEY_FILE_ERROR, if that is no key file
 */
gboolean urb_key_file_read (GKeyFile *file, const char *text, GError **error);

G_END_DECLS
