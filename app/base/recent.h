/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recent.h - what was chosen about each of the last things that were looked at, for when they come
 * again: the newest 20.
 *
 * An entry is a tuple; its first child is the key, which says of what it is.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _UrbariumRecent UrbariumRecent;

/* @type: of an entry; static */
UrbariumRecent *urbarium_recent_new  (const char *type);
void            urbarium_recent_free (UrbariumRecent *self);

/* @entry: instead of what was kept under its key; if these are too many, the oldest is forgotten.
 * A floating reference is taken. */
void      urbarium_recent_keep   (UrbariumRecent *self, GVariant *entry);
void      urbarium_recent_forget (UrbariumRecent *self, GVariant *key);
/* Returns: (transfer none) (nullable): the entry */
GVariant *urbarium_recent_find   (UrbariumRecent *self, GVariant *key);

/* For the next session. (transfer full) */
GVariant *urbarium_recent_to_variant (UrbariumRecent *self);
/* Instead of all that is kept; nothing, if @variant is of another kind. */
void      urbarium_recent_read       (UrbariumRecent *self, GVariant *variant);

G_END_DECLS
