/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-library-private.h - shared by the files of UrbariumRunLibrary:
 *
 *   run-library.c       the list, and scanning
 *   run-library-jobs.c  starting and deleting runs
 *   run-library-queue.c the order of those that wait
 */
#pragma once

#include "app/runs/run-library.h"

G_BEGIN_DECLS

/* Finds or adds the run in @path. (transfer none) */
UrbariumRun *urbarium_run_library_ensure    (UrbariumRunLibrary *self, const char *path);
/* Removes the run permanently. */
void         urbarium_run_library_drop      (UrbariumRunLibrary *self, const char *path);
/* Numbers the runs that wait. */
void         urbarium_run_library_update_places (UrbariumRunLibrary *self);
void         urbarium_run_library_scan_soon (UrbariumRunLibrary *self);

/* Whether a folder changed at @changed_s (seconds since 1970) may be about to become a run. */
gboolean     urbarium_run_library_is_young  (gint64 changed_s, gint64 now_s);

G_END_DECLS
