/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data.h - the files that are compiled in: presets and class profiles.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The text of "presets/tiny.preset" and the like, or NULL; g_free() it. */
char  *urb_data_dup_text (const char *path);

/* The names in @folder ("presets") that end in @suffix, without it, sorted;
 * g_strfreev() it. */
char **urb_data_list     (const char *folder, const char *suffix);

G_END_DECLS
