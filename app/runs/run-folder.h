/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-folder.h - the name of a new run's folder.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A folder in @parent that does not exist yet, named after the run.  Blocks.
 * Returns: (transfer full) */
char *urbarium_run_folder_choose (const char *parent, const char *name);

G_END_DECLS
