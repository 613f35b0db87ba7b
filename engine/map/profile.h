/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.h - maps attribute values, layers and files to classes.
 *
 * A class profile is a key file (data/profiles/NAME.profile, compiled in as a
 * GResource, or the user's own); docs/profiles.md documents the format.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _UrbProfile UrbProfile;

/* Names of the built-in profiles, sorted; free with g_strfreev(). */
char **urb_profile_list (void);

UrbProfile *urb_profile_load (const char *name_or_file, GError **error);

/**
 * urb_profile_parse:
 * @bytes: contents of a file, not necessarily text
 * @name: name for messages
 *
 * Returns: (transfer full): %NULL, with a %URB_MAP_ERROR_PROFILE, if it is not a class profile
 */
UrbProfile *urb_profile_parse (const char *bytes, gsize n_bytes, const char *name, GError **error);

void        urb_profile_free (UrbProfile *self);
const char *urb_profile_get_title (UrbProfile *self); /* for people */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbProfile, urb_profile_free)

G_END_DECLS
