/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure.h - why a run without a supervisor failed.
 */
#pragma once

#include "run/store/run-db.h"

G_BEGIN_DECLS

/**
 * urb_run_find_failure:
 * @db: (nullable): of the run
 * @folder: of the run
 *
 * Reads it from the database, or, where that could not be written, from the log.  A full disk is always a
 * %G_FILE_ERROR_NOSPC; what the log alone knows is a %URB_RUN_ERROR_DATABASE otherwise.  Blocks on the disk.
 *
 * Returns: (transfer full) (nullable): %NULL if the last session did not report a failure
 */
GError *urb_run_find_failure (UrbRunDb *db, const char *folder);

G_END_DECLS
