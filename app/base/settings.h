/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - finds the settings schema, installed or in the build tree. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Returns: (transfer full): the settings of org.urbarium.Urbarium */
GSettings *urbarium_settings_new (void);

G_END_DECLS
