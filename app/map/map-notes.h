/* SPDX-License-Identifier: Apache-2.0 */
/* map-notes.h - the notes of a map in the user's language. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @note: of urb_map_get_warnings()
 * Returns: (transfer full) (nullable): NULL if the note is none of map/notes.h, or English is the user's language */
char *urbarium_map_notes_translate (const char *note);

G_END_DECLS
