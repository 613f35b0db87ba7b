/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data.h - the compiled-in files: presets and class profiles.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The text of a file such as "presets/tiny.preset", or NULL; g_free() it. */
char  *urb_data_dup_text (const char *path);

/* The names in @folder ("presets") that end in @suffix, without the suffix, sorted;
 * g_strfreev() it. */
char **urb_data_list     (const char *folder, const char *suffix);

G_END_DECLS
