/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - saves what is open for the next start.
 *
 * A part of the window registers a function that returns its state.  After a touch all of these
 * functions are called, and a thread writes one small file.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_SESSION (urbarium_session_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumSession, urbarium_session, URBARIUM, SESSION, GObject)

/* Returns: (transfer full) (nullable): the state; %NULL keeps the value of the last session */
typedef GVariant *(*UrbariumSessionFunc) (gpointer user_data);

/* @path: (nullable): %NULL: a file in the user's state folder.  Reads the file; a damaged one
 * counts as empty. */
UrbariumSession *urbarium_session_new (const char *path);

/* Returns: (transfer full) (nullable): the value of the last session; %NULL if there is none of
 * @type */
GVariant *urbarium_session_get (UrbariumSession *self, const char *key, const GVariantType *type);

/* @key: static.  @func: called until the session is closed or disposed */
void urbarium_session_add   (UrbariumSession *self, const char *key, UrbariumSessionFunc func,
                             gpointer user_data);
/* The state has changed: saves it within about a second. */
void urbarium_session_touch (UrbariumSession *self);
/* Saves now and drops all functions; for a closing window.  Blocks while it writes. */
void urbarium_session_close (UrbariumSession *self);

G_END_DECLS
