/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - what was open and how it stood, for the next start.
 *
 * Whoever has something to keep registers a function that tells it; after a
 * touch all of them are asked, and a thread writes one small file.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_SESSION (urbarium_session_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumSession, urbarium_session, URBARIUM, SESSION, GObject)

/* Returns: (transfer full) (nullable): NULL: nothing new; what was read at the start is kept */
typedef GVariant *(*UrbariumSessionFunc) (gpointer user_data);

/* @path: (nullable): NULL: the user's state folder.  Reads what is there; a damaged file is an
 * empty one. */
UrbariumSession *urbarium_session_new (const char *path);

/* What was kept last time. (transfer full) (nullable): or of another @type */
GVariant *urbarium_session_get (UrbariumSession *self, const char *key, const GVariantType *type);

/* @func: asked while the session lives */
void urbarium_session_add   (UrbariumSession *self, const char *key, UrbariumSessionFunc func,
                             gpointer user_data);
/* Something has changed: written within a second or so. */
void urbarium_session_touch (UrbariumSession *self);
/* Writes now, and asks no more: the window closes.  Blocks for a small file. */
void urbarium_session_close (UrbariumSession *self);

G_END_DECLS
