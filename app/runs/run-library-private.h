/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-library-private.h - what the files of UrbariumRunLibrary share.
 *
 *   run-library.c       the list, and the folders it agrees with
 *   run-library-jobs.c  starting and deleting
 */
#pragma once

#include "app/runs/run-library.h"

G_BEGIN_DECLS

/* The run of that folder, which is in the list from now on. (transfer none) */
UrbariumRun *urbarium_run_library_ensure    (UrbariumRunLibrary *self, const char *path);
/* Takes it out, for good. */
void         urbarium_run_library_drop      (UrbariumRunLibrary *self, const char *path);
void         urbarium_run_library_scan_soon (UrbariumRunLibrary *self);

/* Whether a folder that was changed then, in seconds since 1970, may become a run any moment. */
gboolean     urbarium_run_library_is_young  (gint64 changed_s, gint64 now_s);

G_END_DECLS
