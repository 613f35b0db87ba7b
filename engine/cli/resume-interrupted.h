/* SPDX-License-Identifier: Apache-2.0 */
/* resume-interrupted.h - `resume --interrupted`: what a restart of the machine has interrupted goes on. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* In the background: those that trained at once, and those that waited after all that train or wait now.  Prints a line
 * for each, and on standard error which are left out; with @quiet, none.  One that cannot go on has failed from then on.
 * @place: a folder of runs
 * Returns: the exit code; that of the last one that could not go on */
int urb_cli_resume_interrupted (const char *place, gboolean quiet);

G_END_DECLS
