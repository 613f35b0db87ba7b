/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - where the program finds its settings schema and translations,
 * installed or in the build tree.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Of org.urbarium.Urbarium.  Returns: (transfer full) */
GSettings *urbarium_settings_new (void);

/* "share/…" of this installation, or the build tree's folder of the same use; %NULL if there is
 * none. (transfer full) */
char *urbarium_settings_find_data (const char *installed, const char *built);

G_END_DECLS
