/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - finds the settings schema and translations, installed or in the build tree. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Returns: (transfer full): the settings of org.urbarium.Urbarium */
GSettings *urbarium_settings_new (void);

/* @installed, @built: paths relative to the program's folder
 * Returns: (transfer full) (nullable): the one that exists, preferring @built */
char *urbarium_settings_find_data (const char *installed, const char *built);

G_END_DECLS
