/* SPDX-License-Identifier: Apache-2.0 */
/*
 * note.h - the note of a run: one line for people, whose words that begin with # are tags.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* What a note of a run may have. */
enum { URB_NOTE_MOST_BYTES = 1000 };

/* Whether @note can be the note of a run: urb_show_text() changes nothing in it.
 * @note: (nullable): none
 * Fails with %URB_TRAIN_ERROR_OPTIONS. */
gboolean urb_note_check (const char *note, GError **error);

G_END_DECLS
