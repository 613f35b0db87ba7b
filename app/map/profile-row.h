/* SPDX-License-Identifier: Apache-2.0 */
/* profile-row.h - chooses a class profile, or none. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_PROFILE_ROW (urbarium_profile_row_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumProfileRow, urbarium_profile_row, URBARIUM, PROFILE_ROW, AdwComboRow)

/* "notify::selected" tells of a choice. */

/* @none: the title of the first item, for no profile.  Call it once, first. */
void        urbarium_profile_row_fill    (UrbariumProfileRow *self, const char *none);
/* The name; "": none.  Unknown names change nothing. */
void        urbarium_profile_row_set_profile (UrbariumProfileRow *self, const char *name);
const char *urbarium_profile_row_get_profile (UrbariumProfileRow *self);

G_END_DECLS
