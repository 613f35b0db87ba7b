/* SPDX-License-Identifier: Apache-2.0 */
/*
 * undo.h - an unlimited undo stack, one for the whole window.
 *
 * A change is pushed after it has been made.
 */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_UNDO (urbarium_undo_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumUndo, urbarium_undo, URBARIUM, UNDO, GObject)

/* Redoes or undoes the change. */
typedef void (*UrbariumUndoFunc) (gpointer data);

/* Read-only properties: can-undo, can-redo (boolean), undo-label, redo-label (string, nullable). */
UrbariumUndo *urbarium_undo_new (void);

/**
 * urbarium_undo_push:
 * @label: translated: "Remove 3 areas"
 * @data: (transfer full): passed to both functions
 *
 * Clears the redo stack.  Ignored while a change is being undone or redone, so that setters may
 * push unconditionally.
 */
void urbarium_undo_push  (UrbariumUndo *self, const char *label, UrbariumUndoFunc undo,
                          UrbariumUndoFunc redo, gpointer data, GDestroyNotify free_data);
void urbarium_undo_undo  (UrbariumUndo *self);
void urbarium_undo_redo  (UrbariumUndo *self);
/* Clears both stacks, for example when another map is opened. */
void urbarium_undo_clear (UrbariumUndo *self);

G_END_DECLS
