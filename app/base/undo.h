/* SPDX-License-Identifier: Apache-2.0 */
/*
 * undo.h - what was decided, and how to take it back, without limit.
 *
 * One stack for the whole window.  A change is pushed after it has been made.
 */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_UNDO (urbarium_undo_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumUndo, urbarium_undo, URBARIUM, UNDO, GObject)

/* Makes the change again, or takes it back. */
typedef void (*UrbariumUndoFunc) (gpointer data);

/* Properties, read-only: can-undo, can-redo (boolean), undo-label, redo-label (string, nullable). */
UrbariumUndo *urbarium_undo_new (void);

/**
 * urbarium_undo_push:
 * @label: translated: "Remove 3 areas"
 * @data: (transfer full): what both functions get
 *
 * Forgets what could have been redone.  Ignored while a change is being undone
 * or redone, so that setters may push without asking why they were called.
 */
void urbarium_undo_push  (UrbariumUndo *self, const char *label, UrbariumUndoFunc undo,
                          UrbariumUndoFunc redo, gpointer data, GDestroyNotify free_data);
void urbarium_undo_undo  (UrbariumUndo *self);
void urbarium_undo_redo  (UrbariumUndo *self);
/* Forgets everything: another map was opened. */
void urbarium_undo_clear (UrbariumUndo *self);

G_END_DECLS
