/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recent.h - the user's choices for the 20 most recently used items.
 *
 * An entry is a tuple whose first child is the key.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _UrbariumRecent UrbariumRecent;

/* @type: type of an entry; static */
UrbariumRecent *urbarium_recent_new  (const char *type);
void            urbarium_recent_free (UrbariumRecent *self);

/* Adds @entry, replacing the one with the same key; drops the oldest one beyond 20.  Sinks a
 * floating reference. */
void      urbarium_recent_keep   (UrbariumRecent *self, GVariant *entry);
void      urbarium_recent_forget (UrbariumRecent *self, GVariant *key);
/* Returns: (transfer none) (nullable) */
GVariant *urbarium_recent_find   (UrbariumRecent *self, GVariant *key);

/* Returns: (transfer full): an array of all entries */
GVariant *urbarium_recent_to_variant (UrbariumRecent *self);
/* Replaces all entries by those of @variant; by none if it has another type. */
void      urbarium_recent_read       (UrbariumRecent *self, GVariant *variant);

G_END_DECLS
