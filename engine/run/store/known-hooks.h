/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known-hooks.h - the hooks that the user of this machine chose.
 *
 * A hook is a command that run.ini names, and a run may come from somebody else: only what was given on
 * the command line or typed in the window is called.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Remembers the SHA-256 of @hook in "urbarium/hooks" of the user's data folder.  Does nothing if it is known
 * already. */
gboolean urb_known_hooks_add (const char *hook, GError **error);
gboolean urb_known_hooks_has (const char *hook);

G_END_DECLS
